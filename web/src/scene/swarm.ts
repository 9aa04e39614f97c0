// Cheap drawing, for pictures without a graphics card and for very many bodies: two draw calls in all. Balls, and whatever is
// smaller than a few pixels, are discs that face the camera, shaded as balls: one corner each in place of 45. Everything else
// is one heap of triangles whose corners are placed and lit here (drawing in software, an instance of a mesh costs as much as
// hundreds of corners). No shadows.
import * as THREE from "three";
import { type Lights, SHADED_FRAGMENT } from "./lights";

const HEAP_VERTEX = `attribute vec4 hue; uniform float alpha; SHADING varying vec4 shade;
void main() { shade = vec4(hue.rgb, alpha); gl_Position = projectionMatrix * (modelViewMatrix * vec4(position, 1.0)); }`;

const DISC_VERTEX = `attribute float radius;
attribute vec4 hue;
uniform float pixels; // of a length 1 at distance 1
varying vec3 shade;
void main() {
  vec4 at = modelViewMatrix * vec4(position, 1.0);
  gl_Position = projectionMatrix * at;
  gl_PointSize = 2.0 * radius * pixels / gl_Position.w;
  shade = hue.rgb;
}`;
// sqrt(L) over a ball, as seen: a quadratic in the place on the disc, exact in the middle and on the rim in four directions
const DISC_FRAGMENT = `varying vec3 shade;
uniform float alpha;
uniform vec3 middle, across, upwards, rim;
void main() {
  vec2 p = vec2(2.0, -2.0) * gl_PointCoord + vec2(-1.0, 1.0);
  float r = dot(p, p);
  if (r > 1.0) discard;
  gl_FragColor = vec4(shade * (middle + p.x * across + p.y * upwards + r * rim), alpha);
}`;

// the ball itself for the picture at rest: normals in the camera's frame, and depths
const BALL_VERTEX = `attribute float radius;
uniform float pixels;
varying vec2 ball; // radius, distance along the view
varying vec4 lens; // what makes depths of distances
void main() {
  vec4 at = modelViewMatrix * vec4(position, 1.0);
  gl_Position = projectionMatrix * at;
  gl_PointSize = 2.0 * radius * pixels / gl_Position.w;
  ball = vec2(radius, at.z);
  lens = vec4(projectionMatrix[2].zw, projectionMatrix[3].zw);
}`;
const BALL_FRAGMENT = `varying vec2 ball; varying vec4 lens;
void main() {
  vec2 p = vec2(2.0, -2.0) * gl_PointCoord + vec2(-1.0, 1.0);
  float r = dot(p, p);
  if (r > 1.0) discard;
  float up = sqrt(1.0 - r);
  float z = ball.y + ball.x * up;
  gl_FragDepth = 0.5 + 0.5 * (lens.x * z + lens.z) / (lens.y * z + lens.w);
  gl_FragColor = vec4(0.5 * vec3(p, up) + 0.5, 1.0);
}`;

/** Bodies of one form: where they are (16 numbers each, as instances have them) and how they look. */
export interface Crowd {
  geometry: THREE.BufferGeometry;
  ball: boolean;
  reach: Float32Array; // radius around the origin of each, m
  matrices: Float32Array;
  body: Int32Array;
}

interface Corners {
  position: Float32Array; // 3 per corner, three corners per triangle
  normal: Float32Array;
}

const SMALL = 3; // pixels: half the size up to which everything is a disc
const CORNERS_MAX = 1500000; // what does not fit is drawn as discs

function cornersOf(geometry: THREE.BufferGeometry): Corners {
  const plain = geometry.index ? geometry.toNonIndexed() : geometry;
  return {
    position: Float32Array.from(plain.getAttribute("position").array),
    normal: Float32Array.from(plain.getAttribute("normal").array),
  };
}

const byte = (x: number) => (x >= 1 ? 255 : 255 * x);

export class Swarm {
  readonly root = new THREE.Group();
  private readonly corners: Corners[];
  private readonly discs: THREE.BufferGeometry;
  private readonly heap: THREE.BufferGeometry;
  private readonly discMaterial: THREE.ShaderMaterial;
  private readonly heapMaterial: THREE.ShaderMaterial;
  private readonly ballMaterial: THREE.ShaderMaterial;
  private readonly facets = new THREE.MeshNormalMaterial({ flatShading: true, side: THREE.DoubleSide });
  private readonly tints: Float32Array; // square roots of linear colours, 3 per body
  private readonly light = new THREE.Vector3();
  private discCount = 0;
  private cornerCount = 0;

  constructor(private readonly crowds: Crowd[], private readonly lights: Lights, bodies: number) {
    this.corners = crowds.map(({ geometry }) => cornersOf(geometry));
    this.tints = new Float32Array(3 * bodies);
    const all = crowds.reduce((sum, { body }) => sum + body.length, 0);
    const most = crowds.reduce((sum, { ball, body }, c) => sum + (ball ? 0 : (body.length * this.corners[c].position.length) / 3), 0);
    this.discs = this.geometry(all);
    this.discs.setAttribute("radius", new THREE.BufferAttribute(new Float32Array(all), 1).setUsage(THREE.DynamicDrawUsage));
    this.heap = this.geometry(Math.min(most, CORNERS_MAX));
    this.discMaterial = new THREE.ShaderMaterial({
      uniforms: {
        alpha: { value: 1 },
        pixels: { value: 1 },
        ...Object.fromEntries(["middle", "across", "upwards", "rim"].map((name) => [name, { value: new THREE.Vector3() }])),
      },
      vertexShader: DISC_VERTEX,
      fragmentShader: DISC_FRAGMENT,
    });
    this.heapMaterial = new THREE.ShaderMaterial({
      defines: { SHADING: "smooth" },
      uniforms: { alpha: { value: 1 } },
      vertexShader: HEAP_VERTEX,
      fragmentShader: SHADED_FRAGMENT,
      side: THREE.DoubleSide,
    });
    this.ballMaterial = new THREE.ShaderMaterial({ uniforms: { pixels: this.discMaterial.uniforms.pixels }, vertexShader: BALL_VERTEX, fragmentShader: BALL_FRAGMENT });
    const discs = new THREE.Points(this.discs, this.discMaterial);
    const heap = new THREE.Mesh(this.heap, this.heapMaterial);
    discs.userData.surface = this.ballMaterial;
    heap.userData.surface = this.facets; // its corners have no normals
    for (const part of [discs, heap]) {
      part.frustumCulled = false;
      this.root.add(part);
    }
  }

  private geometry(corners: number): THREE.BufferGeometry {
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(3 * corners), 3).setUsage(THREE.DynamicDrawUsage));
    geometry.setAttribute("hue", new THREE.BufferAttribute(new Uint8ClampedArray(4 * corners), 4, true).setUsage(THREE.DynamicDrawUsage));
    return geometry;
  }

  setColour(body: number, colour: THREE.Color): void {
    this.tints.set([Math.sqrt(colour.r), Math.sqrt(colour.g), Math.sqrt(colour.b)], 3 * body);
  }

  setOpacity(opacity: number): void {
    for (const material of [this.discMaterial, this.heapMaterial]) {
      material.uniforms.alpha.value = opacity;
      material.transparent = opacity < 1;
      material.depthWrite = opacity === 1;
      material.needsUpdate = true;
    }
  }

  /** Before a picture: discs and triangles as this camera needs them. `height`: of the picture, pixels. */
  arrange(camera: THREE.Camera, height: number): void {
    const eye = camera.matrixWorld.elements;
    const pixels = 0.5 * height * camera.projectionMatrix.elements[5];
    const perspective = camera.projectionMatrix.elements[11] !== 0;
    this.discMaterial.uniforms.pixels.value = pixels;
    this.shadeDiscs(eye);
    this.discCount = this.cornerCount = 0;
    const room = this.heap.getAttribute("position").count;
    this.crowds.forEach(({ matrices: m, reach, body, ball }, c) => {
      const corners = this.corners[c].position.length / 3;
      for (let i = 0, o = 0; i < body.length; i++, o += 16) {
        if (m[o] === 0 && m[o + 1] === 0 && m[o + 2] === 0) continue; // hidden
        const ahead = (eye[12] - m[o + 12]) * eye[8] + (eye[13] - m[o + 13]) * eye[9] + (eye[14] - m[o + 14]) * eye[10];
        const size = reach[i] * pixels;
        const small = size < SMALL * (perspective ? ahead : 1);
        if (ball || small || this.cornerCount + corners > room) this.putDisc(m, o, reach[i], body[i]);
        else this.putCorners(this.corners[c], m, o, body[i]);
      }
    });
    this.upload(this.discs, this.discCount);
    this.upload(this.heap, this.cornerCount);
  }

  // `axes`: the camera's in the world, four numbers each: right, above, towards the eye
  private shadeDiscs(axes: number[]): void {
    const { middle, across, upwards, rim } = this.discMaterial.uniforms;
    const light = (right: number, above: number, near: number, out: THREE.Vector3) =>
      this.lights.at(
        right * axes[0] + above * axes[4] + near * axes[8],
        right * axes[1] + above * axes[5] + near * axes[9],
        right * axes[2] + above * axes[6] + near * axes[10],
        out,
      );
    const [a, b, c, d] = [new THREE.Vector3(), new THREE.Vector3(), new THREE.Vector3(), new THREE.Vector3()];
    light(0, 0, 1, middle.value);
    light(1, 0, 0, a);
    light(-1, 0, 0, b);
    light(0, 1, 0, c);
    light(0, -1, 0, d);
    across.value.subVectors(a, b).multiplyScalar(0.5);
    upwards.value.subVectors(c, d).multiplyScalar(0.5);
    rim.value.addVectors(a, b).add(c).add(d).multiplyScalar(0.25).sub(middle.value);
  }

  private putDisc(m: Float32Array, o: number, reach: number, body: number): void {
    const i = this.discCount++;
    const position = this.discs.getAttribute("position").array;
    const hue = this.discs.getAttribute("hue").array;
    position[3 * i] = m[o + 12];
    position[3 * i + 1] = m[o + 13];
    position[3 * i + 2] = m[o + 14];
    this.discs.getAttribute("radius").array[i] = reach;
    for (let k = 0; k < 3; k++) hue[4 * i + k] = byte(this.tints[3 * body + k]);
  }

  private putCorners({ position, normal }: Corners, m: Float32Array, o: number, body: number): void {
    const out = this.heap.getAttribute("position").array;
    const hue = this.heap.getAttribute("hue").array;
    const { tints, light } = this;
    // normals go with the inverse of the scale
    const s0 = 1 / (m[o] ** 2 + m[o + 1] ** 2 + m[o + 2] ** 2);
    const s1 = 1 / (m[o + 4] ** 2 + m[o + 5] ** 2 + m[o + 6] ** 2);
    const s2 = 1 / (m[o + 8] ** 2 + m[o + 9] ** 2 + m[o + 10] ** 2);
    for (let p = 0, i = this.cornerCount; p < position.length; p += 3, i++) {
      const x = position[p];
      const y = position[p + 1];
      const z = position[p + 2];
      out[3 * i] = m[o] * x + m[o + 4] * y + m[o + 8] * z + m[o + 12];
      out[3 * i + 1] = m[o + 1] * x + m[o + 5] * y + m[o + 9] * z + m[o + 13];
      out[3 * i + 2] = m[o + 2] * x + m[o + 6] * y + m[o + 10] * z + m[o + 14];
      const a = normal[p] * s0;
      const b = normal[p + 1] * s1;
      const c = normal[p + 2] * s2;
      const nx = m[o] * a + m[o + 4] * b + m[o + 8] * c;
      const ny = m[o + 1] * a + m[o + 5] * b + m[o + 9] * c;
      const nz = m[o + 2] * a + m[o + 6] * b + m[o + 10] * c;
      const unit = 1 / (Math.sqrt(nx * nx + ny * ny + nz * nz) || 1);
      this.lights.at(unit * nx, unit * ny, unit * nz, light);
      hue[4 * i] = byte(tints[3 * body] * light.x);
      hue[4 * i + 1] = byte(tints[3 * body + 1] * light.y);
      hue[4 * i + 2] = byte(tints[3 * body + 2] * light.z);
    }
    this.cornerCount += position.length / 3;
  }

  private upload(geometry: THREE.BufferGeometry, count: number): void {
    geometry.setDrawRange(0, count);
    for (const attribute of Object.values(geometry.attributes) as THREE.BufferAttribute[]) {
      attribute.clearUpdateRanges();
      attribute.addUpdateRange(0, count * attribute.itemSize);
      attribute.needsUpdate = count > 0;
    }
  }

  /** The first body on a ray; -1: none. */
  hit(ray: THREE.Raycaster): number {
    const one = new THREE.Mesh();
    const around = new THREE.Sphere();
    const at = new THREE.Vector3();
    let found = -1;
    let nearest = Infinity;
    for (const { geometry, matrices, reach, body, ball } of this.crowds) {
      one.geometry = geometry;
      for (let i = 0; i < body.length; i++) {
        around.set(at.fromArray(matrices, 16 * i + 12), reach[i]);
        if (matrices[16 * i] === 0 && matrices[16 * i + 1] === 0 && matrices[16 * i + 2] === 0) continue;
        if (!ray.ray.intersectsSphere(around)) continue;
        one.matrixWorld.fromArray(matrices, 16 * i);
        const distance = ball ? ray.ray.intersectSphere(around, at)!.distanceTo(ray.ray.origin) : ray.intersectObject(one, false)[0]?.distance;
        if (distance !== undefined && distance < nearest) [found, nearest] = [body[i], distance];
      }
    }
    return found;
  }

  dispose(): void {
    for (const part of [this.discs, this.heap, this.discMaterial, this.heapMaterial, this.ballMaterial, this.facets]) part.dispose();
  }
}

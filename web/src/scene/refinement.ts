// The picture at rest: one more pass after another over the plain one. Every pass draws the scene with the camera moved by a part
// of a pixel and the light by a part of its size, and the mean of all is shown: smooth edges, soft shadows. Over it lie ambient
// occlusion (how much of the half-sphere over a point nearby surfaces cover, from depths; after Mittring, "Finding next gen",
// 2007) and thin lines where depths or normals jump.
import * as THREE from "three";
import { LOOKS, type Theme } from "../colours";
import type { Quality } from "../quality";

const PASSES = { fine: 12, plain: 4, fast: 4 };
const LIGHT_SIZE = 0.03; // of the light's distance

/** The i-th of a sequence that fills (0, 1) evenly (van der Corput in base b). */
function even(i: number, base: number): number {
  let value = 0;
  for (let part = 1 / base; i > 0; i = Math.floor(i / base), part /= base) value += part * (i % base);
  return value;
}

const VERTEX = `varying vec2 at; void main() { at = uv; gl_Position = vec4(position.xy, 0.0, 1.0); }`;
const MIX = `varying vec2 at; uniform sampler2D before, now; uniform float share;
void main() { gl_FragColor = vec4(mix(texture2D(before, at).rgb, texture2D(now, at).rgb, share), 1.0); }`;

// depths are distances from the eye; normals are those of the camera's frame in 0 .. 1
const SHOW = `varying vec2 at; uniform sampler2D picture, normals, depths; uniform vec2 pixel; uniform float near, far, perspective, spread, occlusion, edges;
uniform vec3 ink; uniform mat4 back;
float eye(vec2 p) { float z = texture2D(depths, p).x;
  return perspective > 0.5 ? near * far / (far - z * (far - near)) : near + z * (far - near); }
vec3 place(vec2 p) { float z = texture2D(depths, p).x; vec4 q = back * vec4(2.0 * vec3(p, z) - 1.0, 1.0); return q.xyz / q.w; }
vec3 normal(vec2 p) { return 2.0 * texture2D(normals, p).xyz - 1.0; }
float noise(vec2 p) { return fract(52.9829189 * fract(dot(p, vec2(0.06711056, 0.00583715)))); }
void main() {
  vec3 colour = texture2D(picture, at).rgb;
  float z = texture2D(depths, at).x;
  if (z < 1.0 && occlusion > 0.0) {
    vec3 here = place(at); vec3 n = normal(at); float sum = 0.0;
    float turn = 6.2831853 * noise(at / pixel);
    for (int i = 0; i < 14; i++) {
      float r = (float(i) + 0.5) / 14.0; float a = turn + 2.3999632 * float(i);
      vec2 p = at + vec2(cos(a), sin(a)) * sqrt(r) * spread * pixel;
      vec3 to = place(p) - here; float d = length(to);
      float size = spread * pixel.y * 2.0 * length(place(at + vec2(0.0, pixel.y)) - here) / pixel.y;
      sum += max(0.0, dot(n, to) / max(d, 1e-9) - 0.12) * (1.0 - smoothstep(0.5 * size, size, d));
    }
    colour *= 1.0 - occlusion * min(1.0, sum / 14.0 * 2.2);
  }
  if (edges > 0.0) {
    float e0 = eye(at); float jump = 0.0; float bend = 0.0;
    vec3 n0 = normal(at);
    vec2 steps[2]; steps[0] = vec2(pixel.x, 0.0); steps[1] = vec2(0.0, pixel.y);
    for (int i = 0; i < 2; i++) {
      float a = eye(at - steps[i]); float b = eye(at + steps[i]);
      jump = max(jump, abs(a + b - 2.0 * e0) / e0);
      bend = max(bend, 1.0 - min(dot(n0, normal(at - steps[i])), dot(n0, normal(at + steps[i]))));
    }
    float line = max(smoothstep(0.012, 0.05, jump), 0.6 * smoothstep(0.25, 0.6, bend) * step(z, 0.9999));
    colour = mix(colour, ink, edges * line);
  }
  gl_FragColor = vec4(colour, 1.0);
}`;

function sheet(fragmentShader: string, uniforms: Record<string, THREE.IUniform>): THREE.Mesh<THREE.PlaneGeometry, THREE.ShaderMaterial> {
  const material = new THREE.ShaderMaterial({ vertexShader: VERTEX, fragmentShader, uniforms, depthTest: false, depthWrite: false, toneMapped: false });
  const mesh = new THREE.Mesh(new THREE.PlaneGeometry(2, 2), material);
  mesh.frustumCulled = false;
  return mesh;
}

export class Refinement {
  private passes = 0;
  private most = PASSES.fine;
  private readonly mix = sheet(MIX, { before: { value: null }, now: { value: null }, share: { value: 1 } });
  private readonly show = sheet(SHOW, {
    picture: { value: null }, normals: { value: null }, depths: { value: null }, pixel: { value: new THREE.Vector2() }, near: { value: 0 }, far: { value: 1 },
    perspective: { value: 1 }, spread: { value: 24 }, occlusion: { value: 0.55 }, edges: { value: 0.5 }, ink: { value: new THREE.Color() }, back: { value: new THREE.Matrix4() },
  });
  private readonly flat = new THREE.Camera();
  private readonly shape = new THREE.MeshNormalMaterial({ flatShading: false });
  private means: THREE.WebGLRenderTarget[] = [];
  private surfaces: THREE.WebGLRenderTarget | null = null;
  private taken: THREE.FramebufferTexture | null = null;

  constructor(
    private readonly renderer: THREE.WebGLRenderer,
    private readonly scene: THREE.Scene,
    private readonly overlays: THREE.Group,
    private readonly light: THREE.DirectionalLight,
  ) {}

  setTheme(theme: Theme): void {
    this.show.material.uniforms.ink.value.set(LOOKS[theme].edge).convertLinearToSRGB();
    this.restart();
  }

  /** Where pictures are drawn by the processor a few passes must do. */
  setQuality(quality: Quality): void {
    this.most = PASSES[quality];
  }

  restart(): void {
    if (this.passes > 0 && this.light.castShadow) this.renderer.shadowMap.needsUpdate = true; // the last was that of a moved light
    this.passes = 0;
  }

  get done(): boolean {
    return this.passes >= this.most;
  }

  private prepare(): void {
    const { width, height } = this.renderer.domElement;
    if (this.taken && this.taken.image.width === width && this.taken.image.height === height) return;
    this.dispose();
    const target = () => new THREE.WebGLRenderTarget(width, height, { type: THREE.HalfFloatType, depthBuffer: false });
    this.means = [target(), target()];
    this.surfaces = new THREE.WebGLRenderTarget(width, height, { depthTexture: new THREE.DepthTexture(width, height) });
    this.taken = new THREE.FramebufferTexture(width, height);
    this.show.material.uniforms.pixel.value.set(1 / width, 1 / height);
  }

  // normals and depths of what is opaque
  private drawSurfaces(camera: THREE.Camera): void {
    const { renderer, scene } = this;
    const hidden: THREE.Object3D[] = [this.overlays];
    scene.traverse((part) => {
      if ((part instanceof THREE.Mesh || part instanceof THREE.Line || part instanceof THREE.Points) && (part.material as THREE.Material).transparent) hidden.push(part);
    });
    const shown = hidden.filter((part) => part.visible);
    for (const part of shown) part.visible = false;
    scene.overrideMaterial = this.shape;
    renderer.setRenderTarget(this.surfaces);
    renderer.setClearColor("#8080ff");
    renderer.clear();
    renderer.render(scene, camera);
    renderer.setRenderTarget(null);
    scene.overrideMaterial = null;
    for (const part of shown) part.visible = true;
  }

  /** One more pass; `draw` draws the plain picture. */
  pass(camera: THREE.PerspectiveCamera | THREE.OrthographicCamera, plane: boolean, draw: () => void): void {
    const { renderer, light } = this;
    const before = this.passes++;
    this.prepare();
    const { width, height } = renderer.domElement;
    const from = light.position.clone();
    if (before === 0 && !plane) this.drawSurfaces(camera);
    camera.setViewOffset(width, height, even(before + 1, 2) - 0.5, even(before + 1, 3) - 0.5, width, height);
    if (light.castShadow) {
      const far = from.distanceTo(light.target.position) * LIGHT_SIZE;
      light.position.add(new THREE.Vector3(even(before + 1, 2) - 0.5, even(before + 1, 3) - 0.5, even(before + 1, 5) - 0.5).multiplyScalar(2 * far));
      renderer.shadowMap.needsUpdate = true;
    }
    draw();
    camera.clearViewOffset();
    light.position.copy(from);
    if (this.done) renderer.shadowMap.needsUpdate = light.castShadow;
    renderer.copyFramebufferToTexture(this.taken!);
    const [mean, next] = before % 2 ? [this.means[1], this.means[0]] : this.means;
    Object.assign(this.mix.material.uniforms, { before: { value: mean.texture }, now: { value: this.taken }, share: { value: 1 / (before + 1) } });
    renderer.setRenderTarget(next);
    renderer.render(this.mix, this.flat);
    renderer.setRenderTarget(null);
    this.present(camera, next.texture, plane);
  }

  private present(camera: THREE.PerspectiveCamera | THREE.OrthographicCamera, picture: THREE.Texture, plane: boolean): void {
    const u = this.show.material.uniforms;
    u.picture.value = picture;
    u.normals.value = this.surfaces!.texture;
    u.depths.value = this.surfaces!.depthTexture;
    u.near.value = camera.near;
    u.far.value = camera.far;
    u.perspective.value = camera instanceof THREE.PerspectiveCamera ? 1 : 0;
    u.back.value.copy(camera.projectionMatrixInverse);
    u.occlusion.value = plane ? 0 : 0.55;
    u.edges.value = plane ? 0 : 0.45;
    this.renderer.render(this.show, this.flat);
  }

  dispose(): void {
    for (const target of this.means) target.dispose();
    this.surfaces?.depthTexture?.dispose();
    this.surfaces?.dispose();
    this.taken?.dispose();
    this.means = [];
    this.surfaces = this.taken = null;
  }
}

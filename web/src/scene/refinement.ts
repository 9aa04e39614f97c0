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

// depths are distances from the eye; normals are those of the camera's frame in 0 .. 1
const SURFACES = `varying vec2 at; uniform sampler2D normals, depths; uniform vec2 pixel;
vec3 normal(vec2 p) { return 2.0 * texture2D(normals, p).xyz - 1.0; }
`;
// the means of colours and, in the fourth place, of what is open to light, each pass with other directions
const MIX = `${SURFACES}uniform sampler2D before, now; uniform float share, turned, spread, occlusion; uniform mat4 back;
vec3 place(vec2 p) { float z = texture2D(depths, p).x; vec4 q = back * vec4(2.0 * vec3(p, z) - 1.0, 1.0); return q.xyz / q.w; }
float noise(vec2 p) { return fract(52.9829189 * fract(dot(p, vec2(0.06711056, 0.00583715)))); }
float covered() {
  vec3 here = place(at); vec3 n = normal(at); float sum = 0.0;
  float turn = 6.2831853 * (noise(at / pixel) + turned);
  float size = spread * 2.0 * length(place(at + vec2(0.0, pixel.y)) - here);
  for (int i = 0; i < 14; i++) {
    float r = (float(i) + 0.5) / 14.0; float a = turn + 2.3999632 * float(i);
    vec3 to = place(at + vec2(cos(a), sin(a)) * sqrt(r) * spread * pixel) - here; float d = length(to);
    sum += max(0.0, dot(n, to) / max(d, 1e-9) - 0.12) * (1.0 - smoothstep(0.5 * size, size, d));
  }
  return min(1.0, sum / 14.0 * 2.2);
}
void main() {
  float light = occlusion > 0.0 && texture2D(depths, at).x < 1.0 ? 1.0 - occlusion * covered() : 1.0;
  gl_FragColor = mix(texture2D(before, at), vec4(texture2D(now, at).rgb, light), share);
}`;
const SHOW = `${SURFACES}uniform sampler2D picture; uniform float near, far, perspective, edges; uniform vec3 ink;
float eye(vec2 p) { float z = texture2D(depths, p).x;
  return perspective > 0.5 ? near * far / (far - z * (far - near)) : near + z * (far - near); }
void main() {
  vec4 mean = texture2D(picture, at);
  vec3 colour = mean.rgb * mean.a;
  float z = texture2D(depths, at).x;
  if (edges > 0.0) {
    float e0 = eye(at); float jump = 0.0; float bend = 0.0; float body = texture2D(normals, at).w;
    vec3 n0 = normal(at);
    vec2 steps[2]; steps[0] = vec2(pixel.x, 0.0); steps[1] = vec2(0.0, pixel.y);
    for (int i = 0; i < 2; i++) {
      float a = eye(at - steps[i]); float b = eye(at + steps[i]);
      body = max(body, max(texture2D(normals, at - steps[i]).w, texture2D(normals, at + steps[i]).w));
      jump = max(jump, abs(a + b - 2.0 * e0) / e0);
      bend = max(bend, 1.0 - min(dot(n0, normal(at - steps[i])), dot(n0, normal(at + steps[i]))));
    }
    float line = max(smoothstep(0.012, 0.05, jump), 0.6 * smoothstep(0.25, 0.6, bend) * step(z, 0.9999)) * step(0.5, body);
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
  private readonly shapes = { normals: { value: null as THREE.Texture | null }, depths: { value: null as THREE.Texture | null }, pixel: { value: new THREE.Vector2() } };
  private readonly mix = sheet(MIX, {
    ...this.shapes, before: { value: null }, now: { value: null }, share: { value: 1 }, turned: { value: 0 }, spread: { value: 24 }, occlusion: { value: 0.55 }, back: { value: new THREE.Matrix4() },
  });
  private readonly show = sheet(SHOW, {
    ...this.shapes, picture: { value: null }, near: { value: 0 }, far: { value: 1 }, perspective: { value: 1 }, edges: { value: 0.5 }, ink: { value: new THREE.Color() },
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
    this.shapes.pixel.value.set(1 / width, 1 / height);
    this.shapes.normals.value = this.surfaces.texture;
    this.shapes.depths.value = this.surfaces.depthTexture;
  }

  // normals and depths of what is opaque; a part whose form its shader makes says how in userData.surface
  private drawSurfaces(camera: THREE.Camera): void {
    const { renderer, scene } = this;
    const opaque: { part: THREE.Mesh; material: THREE.Material }[] = [];
    const shown: THREE.Object3D[] = [];
    const overlays = this.overlays.visible;
    this.overlays.visible = false;
    scene.traverseVisible((part) => {
      if (!(part instanceof THREE.Mesh || part instanceof THREE.Line || part instanceof THREE.Points)) return;
      if ((part.material as THREE.Material).transparent) shown.push(part);
      else opaque.push({ part: part as THREE.Mesh, material: part.material as THREE.Material });
    });
    for (const part of shown) part.visible = false;
    for (const { part } of opaque) part.material = (part.userData.surface as THREE.Material | undefined) ?? this.shape;
    renderer.setRenderTarget(this.surfaces);
    renderer.setClearColor("#8080ff", 0); // the fourth number: where bodies are; grounds and the sky have no lines at their ends
    renderer.clear();
    renderer.render(scene, camera);
    renderer.setRenderTarget(null);
    renderer.setClearColor("#8080ff", 1);
    for (const { part, material } of opaque) part.material = material;
    for (const part of shown) part.visible = true;
    this.overlays.visible = overlays;
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
    const u = this.mix.material.uniforms;
    u.before.value = mean.texture;
    u.now.value = this.taken;
    u.share.value = 1 / (before + 1);
    u.turned.value = even(before + 1, 2);
    u.occlusion.value = plane ? 0 : 0.55;
    u.back.value.copy(camera.projectionMatrixInverse);
    renderer.setRenderTarget(next);
    renderer.render(this.mix, this.flat);
    renderer.setRenderTarget(null);
    this.present(camera, next.texture, plane);
  }

  private present(camera: THREE.PerspectiveCamera | THREE.OrthographicCamera, picture: THREE.Texture, plane: boolean): void {
    const u = this.show.material.uniforms;
    u.picture.value = picture;
    u.near.value = camera.near;
    u.far.value = camera.far;
    u.perspective.value = camera instanceof THREE.PerspectiveCamera ? 1 : 0;
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

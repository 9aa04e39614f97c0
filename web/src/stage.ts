// Camera, light, ground and background: everything around the bodies.
import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { type Look, LOOKS, type Theme } from "./colours";
import { BODY_FIXED, type Pose, type Run } from "./data";
import { FADE, fadingLines, fadingRing, Lights, surfaceMaterial } from "./fast";
import { isUnbounded, plateDepth } from "./geometry";
import type { Level, Quality } from "./quality";

export interface Extent {
  centre: THREE.Vector3;
  radius: number; // of what moves, m
  low: THREE.Vector3;
  high: THREE.Vector3;
}

const FEW = 40; // bodies that all count

/** Where the run takes place. Of many bodies the middle 88 % of all positions, so that those that fly away do not count. */
export function extentOf(run: Run): Extent {
  const pose: Pose = { x: 0, y: 0, z: 0, qx: 0, qy: 0, qz: 0, qw: 1 };
  const moving: number[] = [];
  for (let b = 0; b < run.bodies; b++) if (run.bodyKind(b) !== BODY_FIXED) moving.push(b);
  if (!moving.length) for (let b = 0; b < run.bodies; b++) moving.push(b);
  const stride = Math.max(1, Math.floor(run.frames / 24));
  const skip = Math.max(1, Math.floor(moving.length / 3000));
  const axes: [number[], number[], number[]] = [[], [], []];
  for (let k = 0; k < run.frames; k += stride)
    for (let i = 0; i < moving.length; i += skip) {
      run.pose(k, 0, moving[i], pose);
      axes[0].push(pose.x);
      axes[1].push(pose.y);
      axes[2].push(pose.z);
    }
  for (const { point } of moving.length <= FEW ? run.header.joints : []) axes.forEach((values, i) => values.push(point[i]));
  const beamPoints = run.section("beamPoint");
  const perFrame = beamPoints.length / run.frames;
  for (let k = 0; k < run.frames && perFrame; k += stride)
    for (let i = 0; i < perFrame; i++) axes[i % 3].push(beamPoints[k * perFrame + i] * run.header.steps.position);
  const low = new THREE.Vector3();
  const high = new THREE.Vector3();
  axes.forEach((values, i) => {
    values.sort((a, b) => a - b);
    const cut = moving.length > FEW ? Math.floor(0.06 * values.length) : 0;
    low.setComponent(i, values[cut] ?? 0);
    high.setComponent(i, values[values.length - 1 - cut] ?? 0);
  });
  const reach = run.header.steps.reach;
  low.subScalar(reach);
  high.addScalar(reach);
  if (run.plane) low.z = high.z = 0;
  const centre = low.clone().add(high).multiplyScalar(0.5);
  return { centre, radius: Math.max(0.5 * high.distanceTo(low), 1e-6), low, high };
}

const BANDS = 40; // of the background: about one step of the screen's colours each, so that no edge is seen

/** Clears the picture to a gradient from the top to three quarters down. Cleared, a pixel costs nothing; drawn, as much as a body's. */
function clearToGradient(renderer: THREE.WebGLRenderer, look: Look): void {
  const top = new THREE.Color(look.top);
  const colour = new THREE.Color();
  const bottom = new THREE.Color(look.bottom);
  const size = renderer.getSize(new THREE.Vector2());
  const line = (band: number) => Math.round(size.y * (band < 0 ? 0 : 0.25 + (0.75 * band) / BANDS));
  renderer.setScissorTest(true);
  for (let band = -1; band < BANDS; band++) {
    renderer.setScissor(0, line(band), size.x, line(band + 1) - line(band)); // lines count from the bottom
    renderer.setClearColor(colour.lerpColors(bottom, top, band < 0 ? 0 : (band + 0.5) / BANDS));
    renderer.clear(true, false, false);
  }
  renderer.setScissorTest(false);
  renderer.clear(false, true, false);
}

// opaque in the middle, nothing at the rim
function vignette(): THREE.Texture {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 256;
  const context = canvas.getContext("2d")!;
  const fill = context.createRadialGradient(128, 128, 0, 128, 128, 128);
  fill.addColorStop(0, "#ffffff");
  fill.addColorStop(0.35, "#ffffff");
  fill.addColorStop(0.7, "#606060");
  fill.addColorStop(1, "#000000");
  context.fillStyle = fill;
  context.fillRect(0, 0, 256, 256);
  return new THREE.CanvasTexture(canvas);
}

// lines one grid cell apart, thin at any distance, gone towards the rim
const GRID_VERTEX = `varying vec2 at; void main() { at = position.xy; gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); }`;
const GRID_FRAGMENT = `varying vec2 at; uniform vec3 colour; uniform float cell, radius, strength;
float line(float size) { vec2 c = at / size, w = fwidth(c), d = abs(fract(c - 0.5) - 0.5) / max(w, vec2(1e-6));
  return (1.0 - min(min(d.x, d.y), 1.0)) * (1.0 - smoothstep(0.15, 0.6, max(w.x, w.y))); }
void main() { float fade = 1.0 - smoothstep(0.05, 0.5, length(at) / radius);
  gl_FragColor = vec4(colour, strength * fade * max(0.45 * line(cell), line(5.0 * cell))); }`;

function clear(group: THREE.Group): void {
  group.traverse((part) => {
    if (!(part instanceof THREE.Mesh || part instanceof THREE.LineSegments)) return;
    part.geometry.dispose();
    part.material.dispose();
  });
  group.clear();
}

function niceCell(size: number): number {
  const decade = 10 ** Math.floor(Math.log10(size));
  const rest = size / decade;
  return decade * (rest >= 5 ? 5 : rest >= 2 ? 2 : 1);
}

export class Stage {
  readonly renderer: THREE.WebGLRenderer;
  readonly scene = new THREE.Scene();
  readonly extent: Extent;
  readonly up: THREE.Vector3;
  camera: THREE.PerspectiveCamera | THREE.OrthographicCamera;
  controls: OrbitControls;
  private readonly hemisphere = new THREE.HemisphereLight();
  private readonly key = new THREE.DirectionalLight("#fff4e2");
  private readonly fill = new THREE.DirectionalLight("#9fc2ff");
  readonly lights = new Lights();
  beforePicture: (camera: THREE.Camera, height: number) => void = () => {};
  private paints: ((look: Look) => void)[] = []; // of the grounds
  private readonly groundRoots: { body: number; root: THREE.Group; local: THREE.Matrix4 }[] = [];
  private readonly sheet = new THREE.Group();
  private quality: Quality;
  private theme: Theme = "light";
  private resolution = 1; // of pictures that move
  private moving = false;
  private dirty = true;

  constructor(readonly canvas: HTMLCanvasElement, private readonly run: Run, level: Level) {
    this.quality = level.quality;
    try {
      this.renderer = new THREE.WebGLRenderer({ canvas, antialias: level.quality === "fine" });
    } catch {
      throw new Error(
        "This browser offers no WebGL, which draws the bodies. Switch on its hardware acceleration or use another browser. " +
          "Without it, asperity info RESULT.h5 shows the certificate, asperity convert RESULT.h5 -o plots.svg the plots.",
      );
    }
    this.renderer.autoClear = false;
    this.renderer.toneMapping = THREE.NeutralToneMapping;
    this.renderer.toneMappingExposure = 1.0;
    this.renderer.shadowMap.autoUpdate = false; // drawn anew when something moves, not when the camera does
    this.extent = extentOf(run);
    const g = new THREE.Vector3(...run.header.gravity);
    this.up = run.plane ? new THREE.Vector3(0, 1, 0) : new THREE.Vector3(0, 0, 1);
    // up is against gravity, along the axis that is nearest to it
    if (!run.plane && g.length() > 0) {
      const a = g.toArray().map(Math.abs);
      const i = a.indexOf(Math.max(...a));
      this.up.set(0, 0, 0).setComponent(i, g.getComponent(i) < 0 ? 1 : -1);
    }
    this.camera = run.plane ? new THREE.OrthographicCamera() : new THREE.PerspectiveCamera(34, 1, 0.01, 1000);
    this.camera.up.copy(this.up);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.12;
    this.controls.addEventListener("change", () => (this.dirty = true));
    if (run.plane) {
      this.controls.enableRotate = false;
      this.controls.mouseButtons.LEFT = THREE.MOUSE.PAN;
      this.controls.touches.ONE = THREE.TOUCH.PAN;
    }
    this.controls.addEventListener("start", () => this.setMoving(true));
    this.controls.addEventListener("end", () => this.setMoving(false));
    this.scene.add(this.hemisphere, this.key, this.key.target, this.fill, this.sheet);
    this.setUpLight();
    this.addGrounds();
    this.setLevel(level);
    this.resetCamera();
  }

  private setUpLight(): void {
    const { centre, radius } = this.extent;
    const side = new THREE.Vector3(1, 0, 0).applyQuaternion(new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 0, 1), this.up));
    const depth = new THREE.Vector3().crossVectors(this.up, side);
    const far = 4 * radius;
    const from = this.run.plane
      ? new THREE.Vector3(-0.35, 0.55, 1.5)
      : this.up.clone().multiplyScalar(1.25).addScaledVector(side, 0.75).addScaledVector(depth, -0.55);
    this.key.position.copy(centre).addScaledVector(from.normalize(), far);
    this.key.target.position.copy(centre);
    this.key.castShadow = true;
    const r = 1.6 * radius;
    const shadow = this.key.shadow;
    Object.assign(shadow.camera, { left: -r, right: r, top: r, bottom: -r, near: far - 2.6 * radius, far: far + 3 * radius });
    shadow.bias = -0.0004;
    shadow.normalBias = 0.004 * radius;
    shadow.radius = 5;
    this.fill.position.copy(centre).addScaledVector(this.up, radius).addScaledVector(side, -2 * radius).addScaledVector(depth, -radius);
    this.hemisphere.position.copy(this.up);
  }

  // half-spaces and half-planes: as far as one looks
  private addGrounds(): void {
    const { run } = this;
    const index = run.section("shapeIndex");
    const poses = run.section("shapePose");
    for (let s = 0; s < run.section("shapeKind").length; s++) {
      if (!isUnbounded(run, s)) continue;
      const local = new THREE.Matrix4().compose(
        new THREE.Vector3(poses[7 * s], poses[7 * s + 1], poses[7 * s + 2]),
        new THREE.Quaternion(poses[7 * s + 4], poses[7 * s + 5], poses[7 * s + 6], poses[7 * s + 3]),
        new THREE.Vector3(1, 1, 1),
      );
      const root = new THREE.Group();
      root.matrixAutoUpdate = false;
      this.scene.add(root);
      this.groundRoots.push({ body: index[6 * s], root, local });
    }
    this.sheet.position.copy(this.extent.centre).setZ(-0.6 * run.header.steps.reach);
  }

  // what is drawn of the grounds; in the plane also a sheet behind everything, for shadows
  private fillGrounds(): void {
    const size = (this.run.plane ? 6 : 9) * this.extent.radius;
    const cell = niceCell(this.extent.radius / 4);
    const disc = (radius: number) => (this.quality === "fast" ? this.simpleDisc(radius, cell) : this.disc(radius, cell));
    this.paints = [];
    for (const { root } of this.groundRoots) {
      clear(root);
      root.add(this.run.plane ? this.plate(size) : disc(size));
    }
    clear(this.sheet);
    if (this.run.plane) this.sheet.add(disc(1.2 * size));
  }

  private disc(size: number, cell: number): THREE.Group {
    const material = new THREE.MeshLambertMaterial({ transparent: true, alphaMap: vignette() });
    const ground = new THREE.Mesh(new THREE.CircleGeometry(size, 96), material);
    ground.receiveShadow = true;
    ground.renderOrder = -2;
    const lines = new THREE.ShaderMaterial({
      transparent: true,
      depthWrite: false,
      polygonOffset: true,
      polygonOffsetFactor: -1,
      polygonOffsetUnits: -1,
      uniforms: { colour: { value: new THREE.Color() }, cell: { value: cell }, radius: { value: size }, strength: { value: 0.32 } },
      vertexShader: GRID_VERTEX,
      fragmentShader: GRID_FRAGMENT,
    });
    const grid = new THREE.Mesh(ground.geometry, lines);
    grid.renderOrder = -1;
    this.paints.push((look) => {
      material.color.set(look.ground);
      lines.uniforms.colour.value.set(look.grid);
    });
    return new THREE.Group().add(ground, grid);
  }

  private simpleDisc(size: number, cell: number): THREE.Group {
    const back = { polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 }; // behind the lines
    const middle = Object.assign(surfaceMaterial(this.lights, { side: THREE.DoubleSide }), back);
    const rim = Object.assign(surfaceMaterial(this.lights, { fades: true, side: THREE.DoubleSide }), back);
    const plain = new THREE.Mesh(fadingRing(size, FADE.slice(0, 2)), middle);
    const fading = new THREE.Mesh(fadingRing(size, FADE.slice(1)), rim);
    fading.renderOrder = -2;
    const ink = new THREE.LineBasicMaterial({ vertexColors: true, transparent: true, depthWrite: false, toneMapped: false });
    const lines = new THREE.LineSegments(fadingLines(size, 5 * cell), ink);
    lines.renderOrder = -1;
    this.paints.push((look) => {
      middle.uniforms.tint.value.set(look.ground);
      rim.uniforms.tint.value.set(look.ground);
      ink.color.set(look.grid);
    });
    return new THREE.Group().add(plain, fading, lines);
  }

  private plate(size: number): THREE.Mesh {
    const depth = plateDepth(this.run);
    const fast = this.quality === "fast";
    const material = fast ? surfaceMaterial(this.lights) : new THREE.MeshLambertMaterial();
    const plate = new THREE.Mesh(new THREE.BoxGeometry(2 * size, size, depth), material);
    plate.position.y = -0.5 * size;
    plate.castShadow = plate.receiveShadow = true;
    this.paints.push((look) => (material instanceof THREE.ShaderMaterial ? material.uniforms.tint.value : material.color).set(look.fixed));
    return plate;
  }

  setTheme(theme: Theme): void {
    this.theme = theme;
    const look = LOOKS[theme];
    const [sky, earth, strength] = look.hemisphere;
    this.hemisphere.color.set(sky);
    this.hemisphere.groundColor.set(earth);
    this.hemisphere.intensity = strength;
    this.key.intensity = look.key;
    this.fill.intensity = look.fill;
    this.lights.set(this.hemisphere, this.key, this.fill, this.extent.centre);
    for (const paint of this.paints) paint(look);
    this.dirty = true;
  }

  /** How pictures are drawn from now on. */
  setLevel(level: Level): void {
    const { renderer, key } = this;
    this.quality = level.quality;
    this.resolution = level.resolution;
    key.castShadow = renderer.shadowMap.enabled = level.quality !== "fast" && !this.run.plane; // a plane scene is a drawing
    renderer.shadowMap.type = level.quality === "fine" ? THREE.PCFSoftShadowMap : THREE.BasicShadowMap;
    renderer.shadowMap.needsUpdate = true;
    key.shadow.mapSize.setScalar(level.quality === "fine" ? 2048 : 1024);
    key.shadow.map?.dispose();
    key.shadow.map = null;
    this.fillGrounds();
    this.setTheme(this.theme);
    this.resize();
  }

  /** Pictures that move may have fewer pixels; one that stands still has all. */
  setMoving(moving: boolean): void {
    if (moving === this.moving) return;
    this.moving = moving;
    if (this.resolution < 1) this.resize();
  }

  /** Grounds belong to bodies, which may move or be hidden. */
  placeGrounds(frame: number, part: number, visible: Uint8Array): void {
    const pose: Pose = { x: 0, y: 0, z: 0, qx: 0, qy: 0, qz: 0, qw: 1 };
    const unit = new THREE.Vector3(1, 1, 1);
    for (const { body, root, local } of this.groundRoots) {
      this.run.pose(frame, part, body, pose);
      root.matrix.compose(new THREE.Vector3(pose.x, pose.y, pose.z), new THREE.Quaternion(pose.qx, pose.qy, pose.qz, pose.qw), unit);
      root.matrix.multiply(local);
      // the disc follows the scene along its own plane, so that the scene stays in its middle
      const centre = this.extent.centre.clone().applyMatrix4(root.matrix.clone().invert());
      const child = root.children[0];
      if (this.run.plane) child.position.x = centre.x;
      else child.position.set(centre.x, centre.y, 0);
      root.matrixWorldNeedsUpdate = true;
      root.visible = visible[body] === 1;
    }
    this.renderer.shadowMap.needsUpdate = true;
    this.dirty = true;
  }

  /** azimuth and elevation in degrees, distance in units of the default one. */
  resetCamera(azimuth = -58, elevation = 17, distance = 1): void {
    const { centre, radius, low, high } = this.extent;
    this.controls.target.copy(centre);
    if (this.camera instanceof THREE.OrthographicCamera) {
      this.camera.position.copy(centre).setZ(10 * radius);
      this.camera.near = 0;
      this.camera.far = 20 * radius;
      this.camera.zoom = 1 / distance;
    } else {
      const turn = new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 0, 1), this.up);
      const a = THREE.MathUtils.degToRad(azimuth);
      const e = THREE.MathUtils.degToRad(elevation);
      const direction = new THREE.Vector3(Math.cos(a) * Math.cos(e), Math.sin(a) * Math.cos(e), Math.sin(e)).applyQuaternion(turn);
      this.camera.position.copy(centre).addScaledVector(direction, this.fitDistance(direction, low, high) * distance);
      this.camera.near = radius / 100;
      this.camera.far = radius * 60;
    }
    this.resize();
    this.controls.update();
    this.dirty = true;
  }

  // the nearest distance from which all corners of the box are in view
  private fitDistance(direction: THREE.Vector3, low: THREE.Vector3, high: THREE.Vector3): number {
    const camera = this.camera as THREE.PerspectiveCamera;
    const vertical = Math.tan(THREE.MathUtils.degToRad(camera.fov / 2)) * 0.9;
    const horizontal = vertical * Math.max(0.3, this.canvas.clientWidth / Math.max(1, this.canvas.clientHeight));
    const right = new THREE.Vector3().crossVectors(this.up, direction).normalize();
    const above = new THREE.Vector3().crossVectors(direction, right);
    let distance = 0;
    for (let corner = 0; corner < 8; corner++) {
      const at = new THREE.Vector3(corner & 1 ? low.x : high.x, corner & 2 ? low.y : high.y, corner & 4 ? low.z : high.z).sub(this.extent.centre);
      const size = Math.max(Math.abs(at.dot(right)) / horizontal, Math.abs(at.dot(above)) / vertical);
      distance = Math.max(distance, size + at.dot(direction));
    }
    return distance;
  }

  resize(): void {
    const width = Math.max(1, this.canvas.clientWidth);
    const height = Math.max(1, this.canvas.clientHeight);
    const least = this.moving ? this.resolution : Math.max(1, this.resolution);
    this.renderer.setPixelRatio(Math.min(least, Math.max(1, window.devicePixelRatio)));
    this.renderer.setSize(width, height, false);
    const aspect = width / height;
    if (this.camera instanceof THREE.OrthographicCamera) {
      const size = this.extent.high.clone().sub(this.extent.low);
      const half = 0.58 * Math.max(size.y, size.x / aspect);
      Object.assign(this.camera, { left: -half * aspect, right: half * aspect, top: half, bottom: -half });
    } else this.camera.aspect = aspect;
    this.camera.updateProjectionMatrix();
    this.dirty = true;
  }

  touch(): void {
    this.dirty = true;
  }

  /** Draws when something changed; tells whether it did. */
  render(): boolean {
    this.controls.update();
    if (!this.dirty) return false;
    this.dirty = false;
    this.camera.updateMatrixWorld();
    this.beforePicture(this.camera, this.renderer.domElement.height);
    clearToGradient(this.renderer, LOOKS[this.theme]);
    this.renderer.render(this.scene, this.camera);
    return true;
  }

  /** Length of a pixel of the picture in the middle of the scene, m. */
  get pixel(): number {
    const height = this.canvas.clientHeight || 1;
    if (this.camera instanceof THREE.OrthographicCamera) return (this.camera.top - this.camera.bottom) / this.camera.zoom / height;
    return (2 * Math.tan(THREE.MathUtils.degToRad(this.camera.fov / 2)) * this.camera.position.distanceTo(this.controls.target)) / height;
  }

  ray(x: number, y: number): THREE.Raycaster {
    const box = this.canvas.getBoundingClientRect();
    const ray = new THREE.Raycaster();
    ray.setFromCamera(new THREE.Vector2(((x - box.left) / box.width) * 2 - 1, 1 - ((y - box.top) / box.height) * 2), this.camera);
    return ray;
  }

  dispose(): void {
    this.controls.dispose();
    this.renderer.dispose();
  }
}

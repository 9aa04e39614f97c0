// The stage: renderer, lights, grounds and background around the bodies, and the camera that looks at them.
import * as THREE from "three";
import { type Extent, extentOf } from "../camera/extent";
import { View } from "../camera/view";
import { LOOKS, type Theme } from "../colours";
import type { Run } from "../data/run";
import type { Level } from "../quality";
import { clearToGradient } from "./background";
import { Grounds } from "./grounds";
import { setPictureSize } from "./ink";
import { Lights } from "./lights";
import { Refinement } from "./refinement";

const FINEST = 2; // pixels drawn per pixel shown at most, in each direction, where the screen has them
const REST = 250; // ms without a change before the picture is drawn finely

export class Stage {
  readonly renderer: THREE.WebGLRenderer;
  readonly scene = new THREE.Scene();
  readonly extent: Extent;
  readonly view: View;
  readonly lights = new Lights();
  /** What is drawn over the bodies: left out where surfaces are asked for their shape. */
  readonly overlays = new THREE.Group();
  beforePicture: (camera: THREE.Camera, height: number) => void = () => {};
  refines = true;
  private readonly hemisphere = new THREE.HemisphereLight();
  private readonly key = new THREE.DirectionalLight("#fff4e2");
  private readonly fill = new THREE.DirectionalLight("#9fc2ff");
  private readonly grounds: Grounds;
  private readonly refinement: Refinement;
  private theme: Theme = "light";
  private resolution = 1; // of pictures that move
  private moving = false;
  private dirty = true;
  private drawnAt = 0; // when the picture changed last, ms

  constructor(readonly canvas: HTMLCanvasElement, private readonly run: Run, level: Level) {
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
    this.view = new View(canvas, run, this.extent);
    const { controls } = this.view;
    controls.addEventListener("change", () => (this.dirty = true));
    controls.addEventListener("start", () => this.setMoving(true));
    controls.addEventListener("end", () => this.setMoving(false));
    this.grounds = new Grounds(run, this.extent, this.lights);
    this.refinement = new Refinement(this.renderer, this.scene, this.overlays, this.key);
    this.scene.add(this.hemisphere, this.key, this.key.target, this.fill, this.grounds.root, this.overlays);
    this.setUpLight();
    this.setLevel(level);
    this.resetCamera();
  }

  get up(): THREE.Vector3 {
    return this.view.up;
  }

  get camera(): THREE.PerspectiveCamera | THREE.OrthographicCamera {
    return this.view.camera;
  }

  get pixel(): number {
    return this.view.pixel;
  }

  ray(x: number, y: number): THREE.Raycaster {
    return this.view.ray(x, y);
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
    this.grounds.paint(look);
    this.refinement.setTheme(theme);
    this.dirty = true;
  }

  /** How pictures are drawn from now on. */
  setLevel(level: Level): void {
    const { renderer, key } = this;
    this.resolution = level.resolution;
    key.castShadow = renderer.shadowMap.enabled = level.quality !== "fast" && !this.run.plane; // a plane scene is a drawing
    renderer.shadowMap.type = level.quality === "fine" ? THREE.PCFSoftShadowMap : THREE.BasicShadowMap;
    renderer.shadowMap.needsUpdate = true;
    key.shadow.mapSize.setScalar(level.quality === "fine" ? 2048 : 1024);
    key.shadow.map?.dispose();
    key.shadow.map = null;
    this.refinement.setQuality(level.quality);
    this.grounds.build(level.quality);
    this.setTheme(this.theme);
    this.resize();
  }

  /** Pictures that move may have fewer pixels; one that stands still has all. */
  setMoving(moving: boolean): void {
    if (moving === this.moving) return;
    this.moving = moving;
    this.drawnAt = performance.now();
    if (this.resolution < Math.min(FINEST, Math.max(1, window.devicePixelRatio))) this.resize();
  }

  get moves(): boolean {
    return this.moving;
  }

  placeGrounds(frame: number, part: number, visible: Uint8Array): void {
    this.grounds.place(frame, part, visible);
    this.renderer.shadowMap.needsUpdate = true;
    this.dirty = true;
  }

  resetCamera(azimuth?: number, elevation?: number, distance?: number, at?: THREE.Vector3): void {
    this.view.reset(azimuth, elevation, distance, at);
    this.dirty = true;
  }

  /** Camera, light and ground go along by parts of half a picture, to the right and upwards. */
  goAlong(right: number, above: number): void {
    const [across, upwards] = this.view.halves;
    this.goBy(across.multiplyScalar(right).addScaledVector(upwards, above));
  }

  /** The same by a way in the world, m. */
  goBy(way: THREE.Vector3): void {
    for (const point of [this.extent.centre, this.extent.low, this.extent.high, this.camera.position, this.view.controls.target]) point.add(way);
    this.setUpLight();
    this.dirty = true;
  }

  resize(): void {
    const width = Math.max(1, this.canvas.clientWidth);
    const height = Math.max(1, this.canvas.clientHeight);
    const least = this.moving ? this.resolution : FINEST;
    this.renderer.setPixelRatio(Math.min(least, Math.max(1, window.devicePixelRatio)));
    this.renderer.setSize(width, height, false);
    setPictureSize(width, height);
    this.view.resize();
    this.dirty = true;
  }

  touch(): void {
    this.dirty = true;
  }

  private draw(): void {
    this.camera.updateMatrixWorld();
    this.beforePicture(this.camera, this.renderer.domElement.height);
    this.drawPlain();
  }

  private drawPlain(): void {
    clearToGradient(this.renderer, LOOKS[this.theme], this.run.plane);
    this.renderer.render(this.scene, this.camera);
  }

  /** Draws when something changed; tells whether it did. At rest the picture gets finer, a pass at a time. */
  render(): boolean {
    this.view.controls.update();
    const now = performance.now();
    if (this.dirty) {
      this.dirty = false;
      this.drawnAt = now;
      this.refinement.restart();
      this.draw();
      return true;
    }
    if (this.refines && !this.moving && now - this.drawnAt > REST && !this.refinement.done) this.refinement.pass(this.camera, this.run.plane, () => this.drawPlain());
    return false;
  }

  /** The fine picture at once; for pictures and films. */
  finish(): void {
    this.dirty = false;
    this.draw();
    this.refinement.restart();
    while (!this.refinement.done) this.refinement.pass(this.camera, this.run.plane, () => this.drawPlain());
  }

  dispose(): void {
    this.view.controls.dispose();
    this.refinement.dispose();
    this.renderer.dispose();
  }
}

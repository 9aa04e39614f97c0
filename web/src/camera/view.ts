// The camera: what it frames, how far it may go, what it follows.
import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import type { Run } from "../data/run";
import type { Extent } from "./extent";

const FARTHEST = 5; // times the default distance
const NEAREST = 0.002;
const AROUND_FOCUS = 3.5; // radii of a body in view around it
const ABOVE = 1.08; // height of the picture of a drawing, in heights of it
const ASIDE = 1.14; // width: the ends of a beam count for little in the box
const MOST_FOR_TEXTS = 0.2; // of the picture's height, above and below

/** A view as the address of the page says it: angles in degrees, zoom against the default, the point looked at. */
export interface ViewSays {
  az: number;
  el: number;
  zoom: number;
  at: [number, number, number];
}

export class View {
  camera: THREE.PerspectiveCamera | THREE.OrthographicCamera;
  readonly controls: OrbitControls;
  readonly up: THREE.Vector3;
  private height = 1; // of the picture, pixels; asked of the page only when it changes, since that costs a layout
  private default = 1; // distance of the default view, m
  private followed: THREE.Vector3 | null = null;

  constructor(readonly canvas: HTMLCanvasElement, run: Run, private readonly extent: Extent) {
    this.up = run.plane ? new THREE.Vector3(0, 1, 0) : new THREE.Vector3(0, 0, 1);
    const g = new THREE.Vector3(...run.header.gravity);
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
    this.controls.zoomToCursor = true;
    if (run.plane) {
      this.controls.enableRotate = false;
      this.controls.mouseButtons.LEFT = THREE.MOUSE.PAN;
      this.controls.touches.ONE = THREE.TOUCH.PAN;
    }
  }

  /** Another direction is up in the picture; what is looked at stays. */
  setUp(up: THREE.Vector3): void {
    const { camera, controls } = this;
    const { az, el, zoom, at } = this.says;
    this.up.copy(up);
    camera.up.copy(up);
    const turns = controls as unknown as { _quat: THREE.Quaternion; _quatInverse: THREE.Quaternion }; // of up to the controls' own axis
    turns._quat.setFromUnitVectors(up, new THREE.Vector3(0, 1, 0));
    turns._quatInverse.copy(turns._quat).invert();
    this.again(az, el, zoom, new THREE.Vector3(...at));
  }

  // as `reset`, but what is followed stays followed
  private again(az: number, el: number, zoom: number, at: THREE.Vector3): void {
    const { followed } = this;
    this.reset(az, el, 1 / zoom, at);
    this.followed = followed;
  }

  /** By so many degrees around what is looked at, and so many times as near; in the plane by steps aside. */
  turn(azimuth: number, elevation: number, nearer: number): void {
    const { az, el, zoom, at } = this.says;
    const to = new THREE.Vector3(...at);
    if (this.camera instanceof THREE.OrthographicCamera) {
      const [across, upwards] = this.halves;
      to.addScaledVector(across, azimuth / 60).addScaledVector(upwards, elevation / 60);
    }
    this.again(az + azimuth, Math.max(-89, Math.min(89, el + elevation)), Math.max(1 / FARTHEST, zoom * nearer), to);
  }

  /** azimuth and elevation in degrees, distance in units of the default one, the point in the middle of the picture. */
  reset(azimuth = -58, elevation = 17, distance = 1, at: THREE.Vector3 = this.extent.centre): void {
    const { radius } = this.extent;
    this.followed = null;
    this.controls.target.copy(at);
    if (this.camera instanceof THREE.OrthographicCamera) {
      this.camera.position.copy(at).setZ(10 * radius);
      this.camera.near = 0;
      this.camera.far = 20 * radius;
      this.camera.zoom = 1 / distance;
      this.controls.minZoom = 1 / FARTHEST;
      this.controls.maxZoom = 1 / NEAREST;
    } else {
      const direction = this.direction(azimuth, elevation);
      this.default = this.fitDistance(direction);
      this.camera.position.copy(at).addScaledVector(direction, this.default * distance);
      this.camera.near = radius / 100;
      this.camera.far = radius * 60;
      this.controls.maxDistance = FARTHEST * this.default;
      this.controls.minDistance = NEAREST * this.default;
    }
    this.resize();
    this.controls.update();
  }

  private direction(azimuth: number, elevation: number): THREE.Vector3 {
    const turn = new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 0, 1), this.up);
    const a = THREE.MathUtils.degToRad(azimuth);
    const e = THREE.MathUtils.degToRad(elevation);
    return new THREE.Vector3(Math.cos(a) * Math.cos(e), Math.sin(a) * Math.cos(e), Math.sin(e)).applyQuaternion(turn);
  }

  /** What `reset` would need for this view. */
  get says(): ViewSays {
    const { camera, controls } = this;
    const at = controls.target.toArray();
    if (camera instanceof THREE.OrthographicCamera) return { az: 0, el: 0, zoom: camera.zoom, at };
    const back = new THREE.Quaternion().setFromUnitVectors(this.up, new THREE.Vector3(0, 0, 1));
    const from = camera.position.clone().sub(controls.target).applyQuaternion(back);
    const distance = from.length();
    const degrees = THREE.MathUtils.radToDeg;
    const el = degrees(Math.asin(from.z / distance));
    const az = degrees(Math.atan2(from.y, from.x));
    return { az, el, zoom: this.fitDistance(this.direction(az, el)) / distance, at };
  }

  // the nearest distance from which all corners of the box are in view
  private fitDistance(direction: THREE.Vector3): number {
    const { low, high, centre } = this.extent;
    const camera = this.camera as THREE.PerspectiveCamera;
    const vertical = Math.tan(THREE.MathUtils.degToRad(camera.fov / 2)) * 0.9;
    const horizontal = vertical * Math.max(0.3, this.canvas.clientWidth / Math.max(1, this.canvas.clientHeight));
    const right = new THREE.Vector3().crossVectors(this.up, direction).normalize();
    const above = new THREE.Vector3().crossVectors(direction, right);
    let distance = 0;
    for (let corner = 0; corner < 8; corner++) {
      const at = new THREE.Vector3(corner & 1 ? low.x : high.x, corner & 2 ? low.y : high.y, corner & 4 ? low.z : high.z).sub(centre);
      const size = Math.max(Math.abs(at.dot(right)) / horizontal, Math.abs(at.dot(above)) / vertical);
      distance = Math.max(distance, size + at.dot(direction));
    }
    return distance;
  }

  /** A body in the middle, so near that it fills a good part of the picture. */
  focus(at: THREE.Vector3, reach: number): void {
    const { camera, controls } = this;
    if (camera instanceof THREE.OrthographicCamera) {
      camera.zoom = Math.min(controls.maxZoom, (camera.top - camera.bottom) / (2 * AROUND_FOCUS * reach));
      camera.position.set(at.x, at.y, camera.position.z);
      camera.updateProjectionMatrix();
    } else {
      const direction = camera.position.clone().sub(controls.target).normalize();
      const distance = (AROUND_FOCUS * reach) / Math.tan(THREE.MathUtils.degToRad(camera.fov / 2));
      camera.position.copy(at).addScaledVector(direction, distance);
      camera.near = Math.min(camera.near, 0.01 * distance);
      camera.updateProjectionMatrix();
    }
    controls.target.copy(at);
    if (this.followed) this.followed.copy(at);
    controls.update();
  }

  /** So many times as far from the point that it looks at. */
  goBack(times: number): void {
    const { camera, controls } = this;
    if (camera instanceof THREE.OrthographicCamera) {
      camera.zoom /= times;
      camera.updateProjectionMatrix();
    } else camera.position.sub(controls.target).multiplyScalar(times).add(controls.target);
  }

  /** Half a picture to the right and half a picture upwards, m, at the point looked at. */
  get halves(): [THREE.Vector3, THREE.Vector3] {
    const { camera, controls, pixel, height } = this;
    const half = 0.5 * pixel * height;
    const aspect = camera instanceof THREE.OrthographicCamera ? camera.right / camera.top : camera.aspect;
    camera.lookAt(controls.target);
    camera.updateMatrixWorld();
    const [right, above] = [new THREE.Vector3(), new THREE.Vector3()];
    camera.matrixWorld.extractBasis(right, above, new THREE.Vector3());
    return [right.multiplyScalar(half * aspect), above.multiplyScalar(half)];
  }

  /** The camera goes along with a point; null: it stays where it is. */
  follow(at: THREE.Vector3 | null): void {
    if (at && this.followed) {
      const moved = at.clone().sub(this.followed);
      this.camera.position.add(moved);
      this.controls.target.add(moved);
    }
    this.followed = at ? at.clone() : null;
  }

  /** How far the title reaches into the picture, pixels; as much is left free below, where the legend is. */
  private get forTexts(): number {
    const title = this.canvas.parentElement?.querySelector<HTMLElement>("#title");
    return title?.offsetHeight ? title.offsetTop + title.offsetHeight : 0;
  }

  resize(): void {
    const width = Math.max(1, this.canvas.clientWidth);
    const height = Math.max(1, this.canvas.clientHeight);
    const aspect = width / height;
    this.height = height;
    if (this.camera instanceof THREE.OrthographicCamera) {
      const size = this.extent.high.clone().sub(this.extent.low);
      const half = 0.5 * Math.max((ABOVE * size.y) / (1 - 2 * Math.min(MOST_FOR_TEXTS, this.forTexts / height)), (ASIDE * size.x) / aspect, 1e-9);
      Object.assign(this.camera, { left: -half * aspect, right: half * aspect, top: half, bottom: -half });
    } else this.camera.aspect = aspect;
    this.camera.updateProjectionMatrix();
  }

  /** Length of a pixel of the picture in the middle of the scene, m. */
  get pixel(): number {
    const { height } = this;
    if (this.camera instanceof THREE.OrthographicCamera) return (this.camera.top - this.camera.bottom) / this.camera.zoom / height;
    return (2 * Math.tan(THREE.MathUtils.degToRad(this.camera.fov / 2)) * this.camera.position.distanceTo(this.controls.target)) / height;
  }

  ray(x: number, y: number): THREE.Raycaster {
    const box = this.canvas.getBoundingClientRect();
    const ray = new THREE.Raycaster();
    ray.setFromCamera(new THREE.Vector2(((x - box.left) / box.width) * 2 - 1, 1 - ((y - box.top) / box.height) * 2), this.camera);
    return ray;
  }

  /** Where a point is on the page, in pixels. */
  screen(point: THREE.Vector3): [number, number] {
    const at = point.clone().project(this.camera);
    const box = this.canvas.getBoundingClientRect();
    return [box.left + ((at.x + 1) / 2) * box.width, box.top + ((1 - at.y) / 2) * box.height];
  }
}

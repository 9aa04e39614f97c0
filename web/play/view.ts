// The picture of a world under simulation: the viewer's own parts, drawn at the newest frame, and the pull by the pointer.
import * as THREE from "three";
import type { Pull } from "../live/module";
import { Beams } from "../src/scene/beams";
import { Bodies } from "../src/scene/bodies";
import { ACCENT, type Theme } from "../src/colours";
import { Contacts } from "../src/overlays/contacts";
import { Elements } from "../src/overlays/elements";
import { Joints } from "../src/overlays/joints";
import { BODY_DYNAMIC } from "../src/data/header";
import { newPose, type Pose } from "../src/data/run";
import { showLegend } from "../src/panels/legend";
import { firstLevel, LEVELS, Pace } from "../src/quality";
import { Stage } from "../src/scene/stage";
import { InView } from "./in_view";
import { Lines, type Path, Paths, thrustOf } from "./lines";
import type { LiveRun } from "./live_run";

export interface Grab {
  body: number;
  point: [number, number, number]; // in the body's frame
  target: THREE.Vector3;
}

const LEGEND_PAUSE = 500; // ms between changes of the legend
const HERTZ = 2; // of the pulled body on its spring
const DAMPING = 0.7; // of the critical one

/** What a lesson wants to see beside bodies and forces. */
export interface Shows {
  thrust?: boolean; // the thrust line
  paths?: boolean; // of bodies
  tilted?: boolean; // gravity is downwards in the picture
  before?: Path[]; // those of the run before
}

export class LiveView {
  readonly stage: Stage;
  readonly bodies: Bodies;
  readonly contacts: Contacts;
  grab: Grab | null = null;
  shown = -1; // frame
  private level: number;
  private legendAt = 0;
  private readonly pace = new Pace();
  private readonly beams: Beams;
  private readonly joints: Joints;
  private readonly elements: Elements;
  private readonly line: THREE.Line;
  private readonly thrust: Lines;
  private readonly paths: Paths | null;
  private readonly plane = new THREE.Plane();
  private readonly inView: InView;
  private readonly stopped = new AbortController();

  constructor(canvas: HTMLCanvasElement, readonly run: LiveRun, theme: Theme, private readonly shows: Shows, onGrab: (grab: Grab | null) => void) {
    this.level = firstLevel(new URLSearchParams(location.hash.slice(1)).get("quality"), run.bodies, true);
    this.stage = new Stage(canvas, run, LEVELS[this.level]);
    this.bodies = new Bodies(run, this.stage.lights);
    this.beams = new Beams(run, this.stage.lights, this.stage.extent.radius);
    for (const part of [this.bodies, this.beams]) part.build(LEVELS[this.level].quality);
    this.stage.beforePicture = (camera, height) => {
      this.bodies.beforePicture(camera, height);
      if (this.contacts.fit(this.stage.pixel)) this.showLegend();
    };
    this.contacts = new Contacts(run, this.stage.extent.radius, this.stage.up);
    this.contacts.root.visible = run.bodies <= 150;
    this.joints = new Joints(run, this.stage.extent.radius);
    this.elements = new Elements(run, this.contacts.longest, this.stage.extent.radius);
    const material = new THREE.LineBasicMaterial({ color: ACCENT, depthTest: false, transparent: true });
    this.line = new THREE.Line(new THREE.BufferGeometry().setFromPoints([new THREE.Vector3(), new THREE.Vector3()]), material);
    this.line.visible = this.line.frustumCulled = false;
    this.line.renderOrder = 20;
    this.thrust = new Lines(ACCENT, 4, 19);
    this.paths = shows.paths ? new Paths(run, shows.before ?? []) : null;
    this.stage.scene.add(this.bodies.root, this.beams.root);
    this.stage.overlays.add(this.contacts.root, this.joints.root, this.elements.root, this.line, this.thrust.mesh);
    if (this.paths) this.stage.overlays.add(this.paths.root);
    this.setTheme(theme);
    this.stage.resetCamera();
    this.tilt(run.header.gravity);
    if (shows.tilted) this.stage.resetCamera(-76, 12);
    this.inView = new InView(this.stage, run);
    this.listen(canvas, onGrab);
    this.show(run.frames - 1);
  }

  setTheme(theme: Theme): void {
    this.stage.setTheme(theme);
    for (const part of [this.bodies, this.beams, this.joints, this.elements]) part.setTheme(theme);
  }

  /** Pictures that take too long are made simpler, as in the viewer. */
  keepPace(passed: number): void {
    if (this.level === LEVELS.length - 1 || !this.pace.isTooSlow(passed)) return;
    const before = LEVELS[this.level++].quality;
    this.stage.setLevel(LEVELS[this.level]);
    if (before !== LEVELS[this.level].quality) for (const part of [this.bodies, this.beams]) part.build(LEVELS[this.level].quality);
    this.show(this.shown);
  }

  show(frame: number): void {
    this.shown = frame;
    this.bodies.update(frame, 0);
    this.beams.update(frame, 0);
    if (!this.grab) this.inView.update(frame); // the pointer holds a place of the picture
    this.stage.placeGrounds(frame, 0, this.bodies.visible);
    if (this.contacts.root.visible) {
      this.measureForces(frame);
      this.contacts.update(frame, this.bodies.visible);
    }
    this.joints.update(frame, 0);
    this.elements.update(frame, 0);
    if (this.shows.thrust) this.thrust.show(thrustOf(this.run, frame, (k, i, out) => this.contacts.pointOf(k, i, out)));
    this.paths?.update(frame);
    this.drawPull();
    this.stage.touch();
  }

  /** The paths so far, where they are drawn. */
  get trodden(): Path[] {
    return this.paths?.now ?? [];
  }

  toggleContacts(cones = false): void {
    const { contacts } = this;
    if (cones) contacts.showsCones = !contacts.showsCones;
    else contacts.root.visible = !contacts.root.visible;
    this.show(this.shown);
    this.showLegend();
  }

  /** By the keyboard; from then on the camera stays where it is put. */
  turn(azimuth: number, elevation: number, nearer: number): void {
    this.inView.stop();
    this.stage.view.turn(azimuth, elevation, nearer);
    this.stage.touch();
  }

  /** As at the start, and along with the bodies again. */
  resetView(): void {
    this.inView.restart(this.shown);
    this.show(this.shown);
  }

  /** What is against gravity is up in the picture: a ground stands as the slope that it is. */
  tilt(gravity: number[]): void {
    if (this.shows.tilted && Math.hypot(...gravity) > 0) this.stage.view.setUp(new THREE.Vector3(...gravity).normalize().negate());
    this.stage.touch();
  }

  /** The longest arrows stand for the largest forces of the last moments. */
  private measureForces(frame: number): void {
    const force = this.run.reals("contactForce");
    let largest = 0;
    for (let i = this.run.contactStart[frame]; i < this.run.contactStart[frame + 1]; i++) largest = Math.max(largest, Math.hypot(force[3 * i], force[3 * i + 1], force[3 * i + 2]));
    if (largest > 0) this.contacts.reference = this.contacts.reference === 1 ? largest : Math.max(largest, 0.98 * this.contacts.reference);
  }

  showLegend(): void {
    const { contacts } = this;
    showLegend(contacts.root.visible && this.run.contactStart[this.run.frames] > 0, contacts.scaleArrow);
    this.legendAt = performance.now();
  }

  render(): void {
    if (performance.now() - this.legendAt > LEGEND_PAUSE) this.showLegend();
    this.stage.render();
  }

  // ---- pulling ----

  private listen(canvas: HTMLCanvasElement, onGrab: (grab: Grab | null) => void): void {
    const { signal } = this.stopped;
    const options = { signal, capture: true }; // before the camera's own handlers
    canvas.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      const ray = this.stage.ray(event.clientX, event.clientY);
      const body = this.bodies.hit(ray);
      if (body < 0 || this.run.bodyKind(body) !== BODY_DYNAMIC) return;
      event.stopImmediatePropagation();
      canvas.setPointerCapture(event.pointerId);
      this.grab = this.take(body, ray);
      onGrab(this.grab);
    }, options);
    canvas.addEventListener("pointermove", (event) => {
      if (!this.grab) return;
      event.stopImmediatePropagation();
      this.stage.ray(event.clientX, event.clientY).ray.intersectPlane(this.plane, this.grab.target);
      this.drawPull();
      this.stage.touch();
      onGrab(this.grab);
    }, options);
    for (const type of ["pointerup", "pointercancel"] as const)
      canvas.addEventListener(type, (event) => {
        if (!this.grab) return;
        event.stopImmediatePropagation();
        this.grab = null;
        this.line.visible = false;
        this.stage.touch();
        onGrab(null);
      }, options);
  }

  private poseOf(body: number): Pose {
    const pose = newPose();
    this.run.pose(this.run.frames - 1, 0, body, pose);
    return pose;
  }

  // where the ray meets the plane through the body's centre that faces the camera
  private take(body: number, ray: THREE.Raycaster): Grab {
    const pose = this.poseOf(body);
    const centre = new THREE.Vector3(pose.x, pose.y, pose.z);
    const facing = this.run.plane ? new THREE.Vector3(0, 0, 1) : this.stage.camera.getWorldDirection(new THREE.Vector3());
    this.plane.setFromNormalAndCoplanarPoint(facing, centre);
    const target = ray.ray.intersectPlane(this.plane, new THREE.Vector3()) ?? centre.clone();
    const local = target.clone().sub(centre).applyQuaternion(new THREE.Quaternion(pose.qx, pose.qy, pose.qz, pose.qw).invert());
    return { body, point: [local.x, local.y, local.z], target };
  }

  private drawPull(): void {
    const { grab, line } = this;
    line.visible = grab !== null;
    if (!grab) return;
    const pose = this.poseOf(grab.body);
    const at = new THREE.Vector3(...grab.point).applyQuaternion(new THREE.Quaternion(pose.qx, pose.qy, pose.qz, pose.qw)).add(new THREE.Vector3(pose.x, pose.y, pose.z));
    line.geometry.setFromPoints([at, grab.target]);
  }

  /** The spring of a grab: 2 Hz with the body's own mass, at most `most` N. */
  pullOf(grab: Grab, most: number): Pull {
    const mass = this.run.header.bodies.mass[grab.body] || 1;
    const stiffness = mass * (2 * Math.PI * HERTZ) ** 2;
    return { body: grab.body, point: grab.point, target: [grab.target.x, grab.target.y, grab.target.z], stiffness, damping: 2 * DAMPING * Math.sqrt(stiffness * mass), most };
  }

  /** Where a body's centre is on the page, in pixels. */
  screen(body: number): [number, number] {
    const pose = this.poseOf(body);
    const at = new THREE.Vector3(pose.x, pose.y, pose.z).project(this.stage.camera);
    const box = this.stage.canvas.getBoundingClientRect();
    return [box.left + ((at.x + 1) / 2) * box.width, box.top + ((1 - at.y) / 2) * box.height];
  }

  close(): void {
    this.stopped.abort();
    this.bodies.dispose();
    this.beams.dispose();
    this.contacts.dispose();
    this.thrust.dispose();
    this.paths?.dispose();
    this.stage.dispose();
  }
}

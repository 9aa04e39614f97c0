// The picture of a run: the stage, the bodies on it and what is drawn over them; beside them the bodies of another run, if there is one.
import * as THREE from "three";
import type { Theme } from "./colours";
import { BODY_FIXED } from "./data/header";
import { reaches } from "./data/reach";
import { newPose, type Run } from "./data/run";
import { Contacts } from "./overlays/contacts";
import { Elements } from "./overlays/elements";
import { Joints } from "./overlays/joints";
import { Trails } from "./overlays/trails";
import type { Level } from "./quality";
import { Beams } from "./scene/beams";
import { Belts } from "./scene/belts";
import { Bodies } from "./scene/bodies";
import { Stage } from "./scene/stage";
import type { Switch, Switches } from "./switches";

const TRAILS_MAX = 200;
const LOOKED_FOR = 12; // free bodies that fixed ones may not hide
const FADE_PAUSE = 100; // ms between looks at what hides them while it plays
const OTHER = new THREE.Color("#3aa0a8"); // of another run

export class Picture {
  readonly stage: Stage;
  readonly bodies: Bodies;
  readonly beams: Beams;
  readonly belts: Belts;
  readonly contacts: Contacts;
  readonly elements: Elements;
  readonly trails: Trails;
  readonly joints: Joints;
  readonly other: Bodies | null = null;
  readonly faded = new Set<number>(); // fixed bodies that would hide free ones
  /** Called when lengths in the picture have changed. */
  changed: () => void = () => {};
  private readonly free: number[] = [];
  private readonly reach: Float32Array;
  private fadedAt = -Infinity; // ms

  constructor(canvas: HTMLCanvasElement, private readonly run: Run, level: Level, private readonly otherRun: Run | null) {
    this.stage = new Stage(canvas, run, level);
    const { extent, lights, up, overlays, scene } = this.stage;
    this.bodies = new Bodies(run, lights);
    this.beams = new Beams(run, lights, extent.radius);
    if (otherRun && otherRun.plane === run.plane) this.other = new Bodies(otherRun, lights);
    this.build(level);
    this.belts = new Belts(run, extent);
    this.contacts = new Contacts(run, extent.radius, up);
    this.elements = new Elements(run, this.contacts.longest, extent.radius);
    this.trails = new Trails(run);
    this.joints = new Joints(run, extent.radius);
    this.reach = reaches(run);
    for (let b = 0; b < run.bodies; b++) if (run.bodyKind(b) !== BODY_FIXED) this.free.push(b);
    scene.add(this.bodies.root, this.beams.root, this.belts.root);
    if (this.other) scene.add(this.other.root);
    overlays.add(this.contacts.root, this.trails.root, this.joints.root, this.elements.root);
    this.stage.beforePicture = (camera, height) => this.beforePicture(camera, height);
  }

  private build({ quality }: Level): void {
    for (const part of [this.bodies, this.beams]) part.build(quality);
    if (!this.other) return;
    this.other.build(quality);
    this.other.setTint(OTHER);
    this.other.setGhost(true);
    this.other.visible.forEach((_, b) => this.other!.isFixed(b) && (this.other!.visible[b] = 0));
  }

  private beforePicture(camera: THREE.Camera, height: number): void {
    this.bodies.beforePicture(camera, height);
    this.other?.beforePicture(camera, height);
    if (this.contacts.fit(this.stage.pixel)) this.changed();
  }

  /** How far bodies go, against the size of the largest. */
  get way(): number {
    return this.stage.extent.radius / this.stage.extent.size;
  }

  /** Whether a switch has anything to switch here. */
  offers(name: Switch): boolean {
    const { header } = this.run;
    if (name === "other") return this.other !== null;
    if (name === "shapes") return this.bodies.hasDrawings;
    if (name === "joints") return header.joints.length > 0;
    return name !== "elements" || (header.forces ?? []).length > 0;
  }

  /** Switches as they are now; returns what the user should know. */
  apply(switches: Switches, picked: number): string {
    this.contacts.root.visible = switches.contacts || switches.cones;
    this.contacts.showsCones = switches.cones;
    this.joints.root.visible = switches.joints;
    this.elements.root.visible = switches.elements;
    this.bodies.setContactShapes(switches.shapes);
    if (this.other) this.other.root.visible = switches.other;
    for (const part of [this.bodies, this.beams]) part.setGhost(switches.ghost);
    if (!switches.follow) this.stage.view.follow(null);
    const wanted = !switches.trails ? [] : picked >= 0 ? [picked] : this.free.length <= TRAILS_MAX ? this.free : [];
    this.trails.show(wanted, this.bodies.colours);
    return switches.trails && !wanted.length ? "pick a body to see its trail" : "";
  }

  draw(time: number, frame: number, part: number, switches: Switches, picked: number): void {
    this.bodies.update(frame, part);
    this.beams.update(frame, part);
    this.belts.update(frame, part, this.bodies.visible);
    this.stage.placeGrounds(frame, part, this.bodies.visible);
    if (switches.contacts || switches.cones) this.contacts.update(frame, this.bodies.visible);
    this.elements.update(frame, part);
    this.trails.update(frame);
    this.joints.update(frame, part);
    if (this.other && this.otherRun) {
      const at = this.otherRun.frameAt(time);
      const next = Math.min(at + 1, this.otherRun.frames - 1);
      const span = this.otherRun.time[next] - this.otherRun.time[at];
      this.other.update(at, span > 0 ? Math.min(1, Math.max(0, (time - this.otherRun.time[at]) / span)) : 0);
    }
    if (switches.follow) this.stage.view.follow(this.middle(frame, part, picked));
    this.fade(frame);
    this.stage.touch();
  }

  private at(body: number, frame: number, part = 0): THREE.Vector3 {
    const pose = newPose();
    this.run.pose(frame, part, body, pose);
    return new THREE.Vector3(pose.x, pose.y, pose.z);
  }

  // the picked body, or the middle of all that move
  private middle(frame: number, part: number, picked: number): THREE.Vector3 {
    if (picked >= 0) return this.at(picked, frame, part);
    const sum = new THREE.Vector3();
    for (const body of this.free) sum.add(this.at(body, frame, part));
    return sum.divideScalar(Math.max(1, this.free.length));
  }

  focus(body: number, frame: number): void {
    this.stage.view.focus(this.at(body, frame), this.reach[body] || this.run.header.steps.reach);
    this.stage.touch();
  }

  // fixed bodies between the eye and the middle of a free one fade; looked at anew where the run or the camera stands elsewhere
  private fade(frame: number): void {
    if (this.run.plane || !this.free.length || !this.bodies.canFade) return;
    if (this.stage.moves && performance.now() - this.fadedAt < FADE_PAUSE) return;
    this.fadedAt = performance.now();
    this.stage.camera.updateMatrixWorld();
    const fixed = new Set<number>();
    const stride = Math.max(1, Math.ceil(this.free.length / LOOKED_FOR));
    const ray = new THREE.Raycaster();
    const eye = this.stage.camera.position;
    for (let i = 0; i < this.free.length; i += stride) {
      const to = this.at(this.free[i], frame).sub(eye);
      ray.set(eye, to.clone().normalize());
      ray.far = to.length() - (this.reach[this.free[i]] || 0);
      if (ray.far > 0) for (const hit of this.bodies.hitFixed(ray)) fixed.add(hit);
    }
    if (!this.bodies.fade(fixed)) return;
    this.faded.clear();
    for (const body of fixed) this.faded.add(body);
  }

  setTheme(theme: Theme): void {
    this.stage.setTheme(theme);
    for (const part of [this.bodies, this.beams, this.belts, this.joints, this.elements]) part.setTheme(theme);
    this.other?.setTheme(theme);
  }

  setLevel(level: Level, rebuilt: boolean): void {
    this.stage.setLevel(level);
    if (rebuilt) this.build(level);
  }

  dispose(): void {
    this.bodies.dispose();
    this.other?.dispose();
    this.beams.dispose();
    this.contacts.dispose();
    this.stage.dispose();
  }
}

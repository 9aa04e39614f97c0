// Contact points, force arrows and friction cones of one frame, coloured by mode. Where a frame has many contacts, those of a
// pair of bodies are one arrow: their resultant, at the centre of their forces.
import * as THREE from "three";
import { MODE_COLOURS } from "../colours";
import { BODY_FIXED } from "../data/header";
import { newPose, type Run } from "../data/run";
import { ARROW, Glyphs, ROUND_DOT } from "./glyphs";

const CAP = 3; // arrows are at most this many times as long as the reference
const MANY = 30; // contacts in a frame above which pairs have one arrow each, and arrows are shorter the more there are

/** What is drawn of one contact, or of all contacts of a pair. */
interface Drawn {
  contact: number; // the first of them
  at: THREE.Vector3;
  force: THREE.Vector3; // on the body that moves; of two, on the one that is carried
  normal: THREE.Vector3;
  mode: number;
  mu: number;
}

export function overlay(colour: string, opacity: number): THREE.MeshBasicMaterial {
  return new THREE.MeshBasicMaterial({ color: colour, transparent: true, opacity, depthTest: false, depthWrite: false, toneMapped: false });
}

/** 1, 2 or 5 times a power of ten, at most `size`. */
export function nice(size: number): number {
  const decade = 10 ** Math.floor(Math.log10(size));
  const rest = size / decade;
  return decade * (rest >= 5 ? 5 : rest >= 2 ? 2 : 1);
}

export class Contacts {
  readonly root = new THREE.Group();
  reference: number; // N: what an arrow's length means; 95 of 100 contacts that carry load are below it
  readonly longest: number; // length of the reference arrow where there are few, m
  scale = 1;
  private crowd = MANY; // the most contacts that a frame had so far
  private pixel = 0; // length of a pixel of the picture in the scene, m; 0: not known yet
  private readonly points: Glyphs;
  private readonly arrows: Glyphs;
  private readonly cones: THREE.InstancedMesh;
  private shown: Drawn[] = [];

  constructor(private readonly run: Run, radius: number, private readonly up: THREE.Vector3) {
    this.reference = run.header.contacts.reference;
    this.longest = Math.min(0.5 * radius, Math.max(1.6 * run.header.steps.reach, 0.08 * radius));
    for (let k = 0; k < run.frames; k++) this.crowd = Math.max(this.crowd, run.contactStart[k + 1] - run.contactStart[k]);
    const most = Math.max(1, run.header.contacts.limit);
    const cone = new THREE.ConeGeometry(1, 1, 24, 1, true).rotateX(-Math.PI / 2).translate(0, 0, 0.5); // apex at 0, opens along z
    this.cones = new THREE.InstancedMesh(cone, Object.assign(overlay("#ffffff", 0.22), { side: THREE.DoubleSide }), most);
    this.cones.frustumCulled = false;
    this.cones.renderOrder = 8;
    this.cones.count = 0;
    this.cones.visible = false;
    this.arrows = new Glyphs(ARROW, 10);
    this.points = new Glyphs(ROUND_DOT, 12);
    this.root.add(this.cones, this.arrows.root, this.points.root);
  }

  /** Length of the reference arrow, m: n of them in a volume lie as n^(-1/3) apart, on a surface as n^(-1/2). */
  get unit(): number {
    return this.longest * Math.sqrt(MANY / this.crowd);
  }

  get showsCones(): boolean {
    return this.cones.visible;
  }

  set showsCones(on: boolean) {
    this.cones.visible = on;
  }

  /** World position of contact i of frame k. */
  pointOf(k: number, i: number, out: THREE.Vector3): THREE.Vector3 {
    const pose = newPose();
    const step = 16 * this.run.header.steps.position;
    const at = this.run.section("contactPoint");
    this.run.pose(k, 0, this.run.section("contactBodies")[2 * i + 1], pose);
    return out.set(pose.x + at[3 * i] * step, pose.y + at[3 * i + 1] * step, pose.z + at[3 * i + 2] * step);
  }

  /** What a pixel is in the scene now, m. True where the arrow of the legend has changed. */
  fit(pixel: number): boolean {
    if (!this.root.visible || Math.abs(pixel - this.pixel) < 0.03 * this.pixel) return false;
    this.pixel = pixel;
    return true;
  }

  /** A force that reads well and the length of its arrow in the picture, pixels. */
  get scaleArrow(): { force: number; pixels: number } {
    const perNewton = ((this.scale / this.reference) * this.unit) / (this.pixel || this.unit / 50);
    const force = nice(90 / perNewton);
    return { force, pixels: force * perNewton };
  }

  private one(frame: number, i: number): Drawn {
    const { run } = this;
    const [a, b] = run.section("contactBodies").subarray(2 * i, 2 * i + 2);
    const force = new THREE.Vector3().fromArray(run.reals("contactForce"), 3 * i);
    const normal = run.section("contactNormal");
    const onA = run.bodyKind(b) === BODY_FIXED || (run.bodyKind(a) !== BODY_FIXED && force.dot(this.up) < 0);
    const sign = onA ? -1 : 1;
    const n = new THREE.Vector3(normal[3 * i] - 128, normal[3 * i + 1] - 128, normal[3 * i + 2] - 128).multiplyScalar(sign);
    return { contact: i, at: this.pointOf(frame, i, new THREE.Vector3()), force: force.multiplyScalar(sign), normal: n.normalize(), mode: run.section("contactMode")[i], mu: run.reals("contactSlipGapMu")[3 * i + 2] };
  }

  /** The contacts of each pair as one: forces added up, the point their centre, the mode that of the largest share. */
  private resultants(all: Drawn[]): Drawn[] {
    const bodies = this.run.section("contactBodies");
    const pairs = new Map<number, Drawn[]>();
    for (const one of all) {
      const key = bodies[2 * one.contact] * this.run.bodies + bodies[2 * one.contact + 1];
      const list = pairs.get(key);
      if (list) list.push(one);
      else pairs.set(key, [one]);
    }
    return Array.from(pairs.values(), (list) => {
      if (list.length === 1) return list[0];
      const first = list[0];
      const load = [0, 0, 0];
      const sum: Drawn = { ...first, at: new THREE.Vector3(), force: new THREE.Vector3(), normal: new THREE.Vector3() };
      let weight = 0;
      for (const { at, force, normal, mode } of list) {
        const size = force.length();
        const sign = force.dot(first.force) < 0 && normal.dot(first.normal) < 0 ? -1 : 1; // all on the same body
        sum.force.addScaledVector(force, sign);
        sum.normal.addScaledVector(normal, sign * size);
        sum.at.addScaledVector(at, size || 1e-12);
        weight += size || 1e-12;
        load[mode] += size;
      }
      sum.at.divideScalar(weight);
      sum.normal.normalize();
      sum.mode = load.indexOf(Math.max(...load));
      return sum;
    });
  }

  update(frame: number, visible: Uint8Array): void {
    const { run } = this;
    this.crowd = Math.max(this.crowd, run.contactStart[frame + 1] - run.contactStart[frame]);
    const { unit } = this;
    const bodies = run.section("contactBodies");
    const colours = MODE_COLOURS.map((colour) => new THREE.Color(colour));
    const m = new THREE.Matrix4();
    const turn = new THREE.Quaternion();
    const z = new THREE.Vector3(0, 0, 1);
    const size = new THREE.Vector3();
    const lift = run.plane ? 0.4 * run.header.steps.reach : 0;
    let all: Drawn[] = [];
    for (let i = run.contactStart[frame]; i < run.contactStart[frame + 1]; i++) if (visible[bodies[2 * i]] && visible[bodies[2 * i + 1]]) all.push(this.one(frame, i));
    if (all.length > MANY) all = this.resultants(all);
    this.shown = all;
    let cones = 0;
    const end = new THREE.Vector3();
    this.arrows.start();
    this.points.start();
    all.forEach(({ at, force, normal, mode, mu }) => {
      at.z += lift;
      const colour = colours[mode];
      this.points.add(at, at, colour);
      const length = Math.min(CAP, (this.scale * force.length()) / this.reference) * unit;
      if (length > 0.02 * unit) this.arrows.add(at, end.copy(force).setLength(length).add(at), colour);
      if (!this.cones.visible || normal.lengthSq() === 0) return;
      turn.setFromUnitVectors(z, normal);
      const height = Math.max(0.35 * unit, Math.min(length, 1.2 * unit)) / Math.hypot(1, mu);
      this.cones.setMatrixAt(cones, m.compose(at, turn, size.set(mu * height, mu * height, height)));
      this.cones.setColorAt(cones++, colour);
    });
    this.arrows.finish();
    this.points.finish();
    this.cones.count = cones;
    this.cones.instanceMatrix.needsUpdate = true;
    if (this.cones.instanceColor) this.cones.instanceColor.needsUpdate = true;
  }

  /** How many points the picture shows. */
  get count(): number {
    return this.shown.length;
  }

  /** The contact nearest to the ray, where it passes close to its point; -1: none. */
  hit(ray: THREE.Raycaster): number {
    if (!this.root.visible) return -1;
    let best = Math.min(0.12 * this.unit, 8 * (this.pixel || Infinity));
    let found = -1;
    for (const { contact, at } of this.shown) {
      const distance = ray.ray.distanceToPoint(at);
      if (distance < best) {
        best = distance;
        found = contact;
      }
    }
    return found;
  }

  dispose(): void {
    for (const part of [this.arrows, this.points, this.cones.geometry, this.cones]) part.dispose();
  }
}

// Springs and applied forces. A spring is a zigzag between its points in the plane, a coil in space; a force is an arrow at its
// point, a torque an arc round its direction.
import * as THREE from "three";
import { LOOKS, type Theme } from "../colours";
import type { ForceElement } from "../data/header";
import { newPose, type Run } from "../data/run";
import { inkGeometry, inkMaterial, type Segment, setInk } from "../scene/ink";
import { ARROW, Glyphs } from "./glyphs";

const TURNS = 7;
const PER_TURN = 14; // segments of a coil
const COLOUR = new THREE.Color("#8a4fd0"); // of applied forces

interface Spring {
  element: ForceElement;
  mesh: THREE.Mesh;
  width: number; // m
}

export class Elements {
  readonly root = new THREE.Group();
  private readonly springs: Spring[] = [];
  private readonly arrows: Glyphs;
  private readonly ink = inkMaterial({ width: 1.6, lift: 0.065 });
  private readonly local: [THREE.Vector3, THREE.Vector3][] = []; // points in the frames of their bodies
  private readonly longest: number; // arrow, m
  private largest = 0; // N or N m, of the frames seen so far

  constructor(private readonly run: Run, unit: number, radius: number) {
    this.longest = Math.min(1.6 * unit, 0.5 * radius);
    const all = this.all;
    const values = run.reals("elementForce");
    this.arrows = new Glyphs(ARROW, 14);
    this.root.add(this.arrows.root);
    this.measure(values);
    for (const element of all) {
      this.local.push([this.into(element.bodies[0], element.points[0]), this.into(element.bodies[1], element.points[1])]);
      if (element.kind !== "spring") continue;
      const mesh = new THREE.Mesh(new THREE.BufferGeometry(), this.ink);
      mesh.frustumCulled = false;
      this.root.add(mesh);
      this.springs.push({ element, mesh, width: Math.min(0.06 * radius, 0.45 * run.header.steps.reach) });
    }
    this.setTheme("light");
  }

  private get all(): ForceElement[] {
    return this.run.header.forces ?? [];
  }

  // what an arrow of full length stands for; a run that grows may bring larger forces
  private measure(values: ArrayLike<number>): void {
    const { all } = this;
    for (let i = 0; i + 2 < values.length; i += 3) if (all[(i / 3) % all.length]?.kind !== "spring") this.largest = Math.max(this.largest, Math.hypot(values[i], values[i + 1], values[i + 2]) || 0);
  }

  private into(body: number, point: [number, number, number]): THREE.Vector3 {
    const at = new THREE.Vector3(...point);
    if (body < 0) return at;
    const pose = newPose();
    this.run.pose(0, 0, body, pose);
    return at.sub(new THREE.Vector3(pose.x, pose.y, pose.z)).applyQuaternion(new THREE.Quaternion(pose.qx, pose.qy, pose.qz, pose.qw).invert());
  }

  private place(frame: number, part: number, body: number, local: THREE.Vector3): THREE.Vector3 {
    if (body < 0) return local.clone();
    const pose = newPose();
    this.run.pose(frame, part, body, pose);
    return local.clone().applyQuaternion(new THREE.Quaternion(pose.qx, pose.qy, pose.qz, pose.qw)).add(new THREE.Vector3(pose.x, pose.y, pose.z));
  }

  setTheme(theme: Theme): void {
    setInk(this.ink, LOOKS[theme].line);
  }

  // straight ends, between them a zigzag or a coil
  private winding(from: THREE.Vector3, to: THREE.Vector3, width: number): Segment[] {
    const along = to.clone().sub(from);
    const length = along.length();
    if (!(length > 0)) return [];
    along.divideScalar(length);
    const side = this.run.plane ? new THREE.Vector3(-along.y, along.x, 0) : new THREE.Vector3(Math.abs(along.z) < 0.9 ? 0 : 1, 0, Math.abs(along.z) < 0.9 ? 1 : 0).cross(along).normalize();
    const other = along.clone().cross(side);
    const points = [from.clone()];
    const count = this.run.plane ? 4 * TURNS : TURNS * PER_TURN;
    for (let i = 0; i <= count; i++) {
      const angle = (2 * Math.PI * TURNS * i) / count;
      const at = from.clone().addScaledVector(along, length * (0.15 + (0.7 * i) / count));
      at.addScaledVector(side, width * Math.sin(angle));
      if (!this.run.plane) at.addScaledVector(other, width * (1 - Math.cos(angle)) - width);
      points.push(at);
    }
    points.push(to.clone());
    return points.slice(1).map((end, i): Segment => [points[i], end]);
  }

  update(frame: number, part: number): void {
    if (!this.root.visible || !this.all.length) return;
    const values = this.run.reals("elementForce");
    this.measure(values.subarray(3 * frame * this.all.length, 3 * (frame + 1) * this.all.length));
    this.arrows.start();
    this.all.forEach(({ kind, bodies }, e) => {
      if (kind === "spring") return;
      const force = new THREE.Vector3().fromArray(values, 3 * (frame * this.all.length + e));
      const size = force.length();
      if (!(size > 1e-9 * this.largest)) return;
      const at = this.place(frame, part, bodies[0], this.local[e][0]);
      const length = (this.longest * size) / this.largest;
      if (this.run.plane) at.z += 0.45 * this.run.header.steps.reach;
      if (kind === "force") this.arrows.add(at.clone().addScaledVector(force, -length / size), at, COLOUR); // it ends where it acts
      else {
        const way = (this.run.plane ? new THREE.Vector3(0, Math.sign(force.z), 0) : force.clone()).setLength(length);
        for (const more of [1, 0.8]) this.arrows.add(at, at.clone().addScaledVector(way, more), COLOUR);
      }
    });
    this.arrows.finish();
    this.springs.forEach(({ element, mesh, width }) => {
      const e = this.all.indexOf(element);
      const ends = element.bodies.map((body, i) => this.place(frame, part, body, this.local[e][i]));
      inkGeometry(this.winding(ends[0], ends[1], width), mesh.geometry);
    });
  }
}

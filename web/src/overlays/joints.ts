// Joints as small signs at their points on body A: in space solids along their axes, in the plane the symbols of drawings (a pin,
// a support, a guide). A joint far outside a body's shapes, as that of a ball on a string, is tied to it by a line. A motor is an
// arc with an arrow, as long as its effort is large.
import * as THREE from "three";
import { ACCENT, LOOKS, MODE_COLOURS, type Theme } from "../colours";
import { BODY_FIXED, type Joint } from "../data/header";
import { reaches } from "../data/reach";
import { newPose, type Run } from "../data/run";
import { inkLines, inkMaterial, type Segment, setInk } from "../scene/ink";
import { overlay } from "./contacts";

const ARC = 48; // segments of a motor's arc at full effort

const at = (x: number, y: number) => new THREE.Vector3(x, y, 0);
const loop = (points: THREE.Vector3[]): Segment[] => points.map((point, i) => [point, points[(i + 1) % points.length]]);
const round = (radius: number, count = 20) => loop(Array.from({ length: count }, (_, i) => at(radius * Math.cos((2 * Math.PI * i) / count), radius * Math.sin((2 * Math.PI * i) / count))));

/** A triangle that stands on hatched ground, its tip at the pin. */
function support(size: number): Segment[] {
  const [half, low] = [0.9 * size, -1.7 * size];
  const base: Segment[] = [...loop([at(0, 0), at(-half, low), at(half, low)]), [at(-1.4 * half, low), at(1.4 * half, low)]];
  for (let i = -2; i <= 3; i++) base.push([at(0.5 * i * half, low), at(0.5 * i * half - 0.45 * size, low - 0.45 * size)]);
  return base;
}

export class Joints {
  readonly root = new THREE.Group();
  private readonly placed: { body: number; local: THREE.Matrix4; sign: THREE.Object3D }[] = [];
  private readonly motors: { joint: number; arc: THREE.Line; size: number }[] = [];
  private readonly ink = inkMaterial({ width: 1.6, over: true });
  private readonly paper = new THREE.MeshBasicMaterial({ transparent: true, depthTest: false, depthWrite: false, toneMapped: false });
  private readonly size: number;

  constructor(private readonly run: Run, radius: number) {
    this.size = Math.min(0.05 * radius, Math.max(0.25 * run.header.steps.reach, 0.02 * radius));
    run.header.joints.forEach((joint, j) => {
      const local = this.placeOf(joint);
      const sign = run.plane ? this.symbol(joint) : new THREE.Mesh(this.solid(joint.kind), overlay(ACCENT, 0.9));
      this.put(joint.bodies[0], local, sign);
      const arc = new THREE.Line(new THREE.BufferGeometry().setFromPoints(Array.from({ length: ARC + 4 }, () => new THREE.Vector3())), new THREE.LineBasicMaterial({ color: "#c43b8e", transparent: true, depthTest: false, toneMapped: false }));
      arc.renderOrder = 12;
      arc.frustumCulled = false;
      this.put(joint.bodies[0], local, arc);
      this.motors.push({ joint: j, arc, size: this.size });
    });
    this.addTies(0.12 * this.size);
    this.setTheme("light");
  }

  private put(body: number, local: THREE.Matrix4, sign: THREE.Object3D): void {
    sign.matrixAutoUpdate = false;
    if (!sign.renderOrder) sign.renderOrder = 9;
    this.root.add(sign);
    this.placed.push({ body, local, sign });
  }

  // the joint's axis is z of its sign; in the plane the sign of a guide lies along the guide
  private placeOf(joint: Joint): THREE.Matrix4 {
    const { run } = this;
    const pose = newPose();
    run.pose(0, 0, joint.bodies[0], pose);
    const body = new THREE.Matrix4().compose(new THREE.Vector3(pose.x, pose.y, pose.z), new THREE.Quaternion(pose.qx, pose.qy, pose.qz, pose.qw), new THREE.Vector3(1, 1, 1));
    const axis = new THREE.Vector3(...joint.axis);
    const point = new THREE.Vector3(...joint.point);
    let turn: THREE.Quaternion;
    if (run.plane) {
      point.z = 0.4 * run.header.steps.reach;
      turn = new THREE.Quaternion().setFromAxisAngle(new THREE.Vector3(0, 0, 1), joint.kind === "prismatic" ? Math.atan2(axis.y, axis.x) : 0);
    } else {
      if (axis.lengthSq() === 0) axis.set(0, 0, 1);
      turn = new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 0, 1), axis.normalize());
    }
    return body.invert().multiply(new THREE.Matrix4().compose(point, turn, new THREE.Vector3(1, 1, 1)));
  }

  private symbol({ kind, bodies }: Joint): THREE.Group {
    const { size } = this;
    const fixed = bodies.some((body) => this.run.bodyKind(body) === BODY_FIXED);
    const radius = 0.45 * size;
    const group = new THREE.Group();
    const fill = new THREE.Mesh(kind === "prismatic" ? new THREE.PlaneGeometry(2.4 * size, 0.8 * size) : new THREE.CircleGeometry(radius, 24), this.paper);
    fill.renderOrder = 10;
    const rim = kind === "prismatic" ? loop([at(-1.2 * size, -0.4 * size), at(1.2 * size, -0.4 * size), at(1.2 * size, 0.4 * size), at(-1.2 * size, 0.4 * size)]) : round(radius);
    const guide: Segment[] = kind === "prismatic" ? [[at(-2.6 * size, 0), at(2.6 * size, 0)]] : [];
    const under = inkLines(fixed && kind === "revolute" ? support(size) : guide, this.ink);
    under.renderOrder = 9;
    const edge = inkLines(rim, this.ink);
    edge.renderOrder = 11;
    return group.add(under, fill, edge);
  }

  private addTies(thick: number): void {
    const { run } = this;
    const reach = reaches(run);
    const pose = newPose();
    const form = new THREE.CylinderGeometry(1, 1, 1, 8).rotateX(Math.PI / 2).translate(0, 0, 0.5); // from 0 to z = 1
    const material = new THREE.MeshBasicMaterial({ color: MODE_COLOURS[0], toneMapped: false });
    for (const joint of run.header.joints)
      for (const body of joint.bodies) {
        if (reach[body] === 0 || run.bodyKind(body) === BODY_FIXED) continue;
        run.pose(0, 0, body, pose);
        const along = new THREE.Vector3(...joint.point).sub(new THREE.Vector3(pose.x, pose.y, pose.z));
        const length = along.length();
        if (length < 1.5 * reach[body]) continue;
        along.applyQuaternion(new THREE.Quaternion(pose.qx, pose.qy, pose.qz, pose.qw).invert()).normalize();
        const turn = new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 0, 1), along);
        this.put(body, new THREE.Matrix4().compose(new THREE.Vector3(), turn, new THREE.Vector3(thick, thick, length)), new THREE.Mesh(form, material));
      }
  }

  private solid(kind: string): THREE.BufferGeometry {
    const { size } = this;
    switch (kind) {
      case "revolute":
      case "cylindrical":
      case "universal":
        return new THREE.CylinderGeometry(0.35 * size, 0.35 * size, kind === "cylindrical" ? 3 * size : 1.6 * size, 20).rotateX(Math.PI / 2);
      case "screw": {
        const turns = Array.from({ length: 49 }, (_, i) => {
          const a = (i * Math.PI) / 8;
          return new THREE.Vector3(0.5 * size * Math.cos(a), 0.5 * size * Math.sin(a), size * (i / 12 - 2));
        });
        return new THREE.TubeGeometry(new THREE.CatmullRomCurve3(turns), 96, 0.12 * size, 6);
      }
      case "coupling":
        return new THREE.TorusGeometry(size, 0.15 * size, 8, 32);
      case "prismatic":
        return new THREE.BoxGeometry(0.3 * size, 0.3 * size, 4 * size);
      case "planar":
        return new THREE.BoxGeometry(2 * size, 2 * size, 0.1 * size);
      case "spherical":
        return new THREE.SphereGeometry(0.6 * size, 20, 12);
      default:
        return new THREE.BoxGeometry(0.7 * size, 0.7 * size, 0.7 * size);
    }
  }

  setTheme(theme: Theme): void {
    setInk(this.ink, LOOKS[theme].line);
    this.paper.color.set(LOOKS[theme].sheet);
  }

  update(frame: number, part: number): void {
    const pose = newPose();
    const unit = new THREE.Vector3(1, 1, 1);
    for (const { body, local, sign } of this.placed) {
      this.run.pose(frame, part, body, pose);
      sign.matrix.compose(new THREE.Vector3(pose.x, pose.y, pose.z), new THREE.Quaternion(pose.qx, pose.qy, pose.qz, pose.qw), unit);
      sign.matrix.multiply(local);
      sign.matrixWorldNeedsUpdate = true;
    }
    this.updateMotors(frame);
  }

  // an arc round the axis, of a guide an arrow along it; full length: the largest effort of the run
  private updateMotors(frame: number): void {
    const effort = this.run.reals("jointMotor");
    const joints = this.run.header.joints;
    if (!this.largest) for (const value of effort) this.largest = Math.max(this.largest, Math.abs(value));
    for (const { joint, arc, size } of this.motors) {
      const value = effort[frame * joints.length + joint] ?? 0;
      arc.visible = this.largest > 0 && Math.abs(value) > 0.02 * this.largest;
      if (!arc.visible) continue;
      const share = value / this.largest;
      const position = arc.geometry.getAttribute("position");
      const straight = joints[joint].kind === "prismatic";
      const point = (s: number, off: number) => {
        const angle = 1.7 * Math.PI * s * share;
        const radius = (1.9 + off) * size;
        if (!straight) return [radius * Math.cos(angle), radius * Math.sin(angle), 0];
        return this.run.plane ? [5 * size * s * share, (0.9 + off) * size, 0] : [(0.9 + off) * size, 0, 5 * size * s * share];
      };
      for (let i = 0; i <= ARC; i++) position.setXYZ(i, ...(point(i / ARC, 0) as [number, number, number]));
      const back = 1 - Math.min(0.4, 0.12 / Math.abs(share));
      [point(back, 0.35), point(1, 0), point(back, -0.35)].forEach((p, i) => position.setXYZ(ARC + 1 + i, ...(p as [number, number, number])));
      position.needsUpdate = true;
    }
  }

  private largest = 0;
}

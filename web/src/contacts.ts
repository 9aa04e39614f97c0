// Contact points, force arrows and friction cones of one frame, coloured by mode; paths and joints.
import * as THREE from "three";
import { ACCENT, MODE_COLOURS } from "./colours";
import { BODY_FIXED, type Pose, type Run } from "./data";

const SHAFT = 1.25; // radius of an arrow's shaft, in pixels
const HEAD = 9; // length of its head and radius of its point, in radii of the shaft
const POINT = 2.2;
const CAP = 3; // arrows are at most this many times as long as the reference

export interface PickedContact {
  frame: number;
  index: number;
  bodies: [number, number];
}

/** What an arrow's length means: 95 of 100 contacts that carry load are below it. */
function referenceForce(run: Run): number {
  const force = run.reals("contactForce");
  const sizes: number[] = [];
  const stride = Math.max(1, Math.floor(force.length / 3 / 20000));
  for (let i = 0; i < force.length / 3; i += stride) {
    const size = Math.hypot(force[3 * i], force[3 * i + 1], force[3 * i + 2]);
    if (size > 0) sizes.push(size);
  }
  sizes.sort((a, b) => a - b);
  return sizes[Math.floor(0.95 * (sizes.length - 1))] ?? 1;
}

function overlay(colour: string, opacity: number): THREE.MeshBasicMaterial {
  return new THREE.MeshBasicMaterial({ color: colour, transparent: true, opacity, depthTest: false, depthWrite: false, toneMapped: false });
}

export class Contacts {
  readonly root = new THREE.Group();
  reference: number; // N
  readonly unit: number; // length of the reference arrow, m
  scale = 1;
  private pixel = 0; // length of a pixel of the picture in the scene, m; 0: not known yet
  private readonly points: THREE.InstancedMesh;
  private readonly shafts: THREE.InstancedMesh;
  private readonly heads: THREE.InstancedMesh;
  private readonly cones: THREE.InstancedMesh;
  private shown: number[] = []; // contact of each point instance

  constructor(private readonly run: Run, radius: number, private readonly up: THREE.Vector3) {
    this.reference = referenceForce(run);
    this.unit = Math.min(0.5 * radius, Math.max(1.6 * run.header.steps.reach, 0.08 * radius));
    const most = Math.max(1, run.header.contacts.limit);
    const make = (geometry: THREE.BufferGeometry, material: THREE.Material, order: number) => {
      const mesh = new THREE.InstancedMesh(geometry, material, most);
      mesh.frustumCulled = false;
      mesh.renderOrder = order;
      mesh.count = 0;
      this.root.add(mesh);
      return mesh;
    };
    const cone = new THREE.ConeGeometry(1, 1, 24, 1, true).rotateX(-Math.PI / 2).translate(0, 0, 0.5); // apex at 0, opens along z
    this.cones = make(
      cone,
      new THREE.MeshBasicMaterial({ transparent: true, opacity: 0.22, depthTest: false, depthWrite: false, side: THREE.DoubleSide, toneMapped: false }),
      8,
    );
    this.shafts = make(new THREE.CylinderGeometry(1, 1, 1, 10).rotateX(Math.PI / 2).translate(0, 0, 0.5), overlay("#ffffff", 0.95), 10);
    this.heads = make(new THREE.ConeGeometry(1, 1, 16).rotateX(Math.PI / 2).translate(0, 0, 0.5), overlay("#ffffff", 0.95), 11);
    this.points = make(new THREE.SphereGeometry(1, 12, 8), overlay("#ffffff", 0.95), 12);
    this.cones.visible = false;
  }

  get showsCones(): boolean {
    return this.cones.visible;
  }

  set showsCones(on: boolean) {
    this.cones.visible = on;
  }

  /** World position of contact i of frame k. */
  pointOf(k: number, i: number, out: THREE.Vector3): THREE.Vector3 {
    const pose: Pose = { x: 0, y: 0, z: 0, qx: 0, qy: 0, qz: 0, qw: 1 };
    const step = 16 * this.run.header.steps.position;
    const at = this.run.section("contactPoint");
    this.run.pose(k, 0, this.run.section("contactBodies")[2 * i + 1], pose);
    return out.set(pose.x + at[3 * i] * step, pose.y + at[3 * i + 1] * step, pose.z + at[3 * i + 2] * step);
  }

  /** Arrows are as thick in the picture whatever the zoom. */
  fit(pixel: number, frame: number, visible: Uint8Array): void {
    if (!this.root.visible || Math.abs(pixel - this.pixel) < 0.03 * this.pixel) return;
    this.pixel = pixel;
    this.update(frame, visible);
  }

  update(frame: number, visible: Uint8Array): void {
    const { run, unit } = this;
    const force = run.reals("contactForce");
    const normal = run.section("contactNormal");
    const about = run.reals("contactSlipGapMu");
    const mode = run.section("contactMode");
    const bodies = run.section("contactBodies");
    const colours = MODE_COLOURS.map((colour) => new THREE.Color(colour));
    const m = new THREE.Matrix4();
    const turn = new THREE.Quaternion();
    const z = new THREE.Vector3(0, 0, 1);
    const at = new THREE.Vector3();
    const along = new THREE.Vector3();
    const size = new THREE.Vector3();
    const thick = this.pixel > 0 ? SHAFT * this.pixel : 0.028 * unit; // radius
    const lift = run.plane ? 0.4 * run.header.steps.reach : 0;
    let arrows = 0;
    let cones = 0;
    this.shown = [];
    for (let i = run.contactStart[frame]; i < run.contactStart[frame + 1]; i++) {
      const a = bodies[2 * i];
      const b = bodies[2 * i + 1];
      if (!visible[a] || !visible[b]) continue;
      this.pointOf(frame, i, at).z += lift;
      const colour = colours[mode[i]];
      const n = this.shown.push(i) - 1;
      this.points.setMatrixAt(n, m.compose(at, turn.identity(), size.setScalar(POINT * thick)));
      this.points.setColorAt(n, colour);
      // the force on the body that moves; of two, on the one that is carried
      along.set(force[3 * i], force[3 * i + 1], force[3 * i + 2]);
      const onA = run.bodyKind(b) === BODY_FIXED || (run.bodyKind(a) !== BODY_FIXED && along.dot(this.up) < 0);
      const sign = onA ? -1 : 1;
      along.multiplyScalar(sign);
      const strength = along.length();
      const length = Math.min(CAP, (this.scale * strength) / this.reference) * unit;
      if (length > 0.02 * unit) {
        turn.setFromUnitVectors(z, along.normalize());
        const head = Math.min(0.4 * length, HEAD * thick);
        const width = thick;
        this.shafts.setMatrixAt(arrows, m.compose(at, turn, size.set(width, width, length - head)));
        this.shafts.setColorAt(arrows, colour);
        at.addScaledVector(along, length - head);
        this.heads.setMatrixAt(arrows, m.compose(at, turn, size.set(2.6 * width, 2.6 * width, head)));
        this.heads.setColorAt(arrows, colour);
        at.addScaledVector(along, head - length);
        arrows++;
      }
      if (!this.cones.visible) continue;
      along.set(normal[3 * i] - 128, normal[3 * i + 1] - 128, normal[3 * i + 2] - 128).multiplyScalar(sign);
      if (along.lengthSq() === 0) continue;
      turn.setFromUnitVectors(z, along.normalize());
      const mu = about[3 * i + 2];
      const height = Math.max(0.35 * unit, Math.min(length, 1.2 * unit)) / Math.hypot(1, mu);
      this.cones.setMatrixAt(cones, m.compose(at, turn, size.set(mu * height, mu * height, height)));
      this.cones.setColorAt(cones, colour);
      cones++;
    }
    this.points.count = this.shown.length;
    this.shafts.count = this.heads.count = arrows;
    this.cones.count = cones;
    for (const mesh of [this.points, this.shafts, this.heads, this.cones]) {
      mesh.instanceMatrix.needsUpdate = true;
      if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
      mesh.boundingSphere = null;
    }
  }

  /** The contact nearest to the ray, where it passes close to its point; -1: none. */
  hit(frame: number, ray: THREE.Raycaster): number {
    if (!this.root.visible) return -1;
    const at = new THREE.Vector3();
    let best = 0.12 * this.unit;
    let found = -1;
    for (const i of this.shown) {
      const distance = ray.ray.distanceToPoint(this.pointOf(frame, i, at));
      if (distance < best) {
        best = distance;
        found = i;
      }
    }
    return found;
  }

  dispose(): void {
    for (const child of this.root.children as THREE.InstancedMesh[]) {
      child.geometry.dispose();
      child.dispose();
    }
  }
}

/** The paths that bodies' centres of mass have taken. */
export class Trails {
  readonly root = new THREE.Group();
  private frames = -1;

  constructor(private readonly run: Run) {}

  show(bodies: number[], colours: THREE.Color[]): void {
    for (const child of this.root.children as THREE.Line[]) child.geometry.dispose();
    this.root.clear();
    const pose: Pose = { x: 0, y: 0, z: 0, qx: 0, qy: 0, qz: 0, qw: 1 };
    for (const body of bodies) {
      const points = new Float32Array(3 * this.run.frames);
      for (let k = 0; k < this.run.frames; k++) {
        this.run.pose(k, 0, body, pose);
        points.set([pose.x, pose.y, this.run.plane ? 0.45 * this.run.header.steps.reach : pose.z], 3 * k);
      }
      const geometry = new THREE.BufferGeometry();
      geometry.setAttribute("position", new THREE.BufferAttribute(points, 3));
      const line = new THREE.Line(geometry, new THREE.LineBasicMaterial({ color: colours[body], transparent: true, opacity: 0.85 }));
      line.frustumCulled = false;
      this.root.add(line);
    }
    this.update(this.frames);
  }

  update(frame: number): void {
    this.frames = frame;
    for (const child of this.root.children as THREE.Line[]) child.geometry.setDrawRange(0, frame + 1);
  }
}

/** How far each body's shapes reach from its centre of mass, about; 0 for one without shapes. */
function reaches(run: Run): Float32Array {
  const index = run.section("shapeIndex");
  const size = run.section("shapeSize");
  const pose = run.section("shapePose");
  const vertices = run.section("vertices");
  const reach = new Float32Array(run.bodies);
  for (let s = 0; s < run.section("shapeKind").length; s++) {
    const [radius, half, hx, hy, hz] = size.subarray(5 * s, 5 * s + 5);
    const [body, , first, count] = index.subarray(6 * s, 6 * s + 4);
    let own = radius + half + Math.hypot(hx, hy, hz);
    for (let v = first; v < first + count; v++) own = Math.max(own, Math.hypot(...vertices.subarray(3 * v, 3 * v + 3)));
    reach[body] = Math.max(reach[body], own + Math.hypot(...pose.subarray(7 * s, 7 * s + 3)));
  }
  return reach;
}

/** Joints as small signs at their points on body A; a joint far outside a body's shapes, as that of a ball on a string, is tied
 * to it by a line. */
export class Joints {
  readonly root = new THREE.Group();
  private readonly placed: { body: number; local: THREE.Matrix4; sign: THREE.Object3D }[] = [];

  constructor(private readonly run: Run, radius: number) {
    const size = Math.min(0.05 * radius, Math.max(0.25 * run.header.steps.reach, 0.02 * radius));
    const pose: Pose = { x: 0, y: 0, z: 0, qx: 0, qy: 0, qz: 0, qw: 1 };
    for (const joint of run.header.joints) {
      run.pose(0, 0, joint.bodies[0], pose);
      const body = new THREE.Matrix4().compose(
        new THREE.Vector3(pose.x, pose.y, pose.z),
        new THREE.Quaternion(pose.qx, pose.qy, pose.qz, pose.qw),
        new THREE.Vector3(1, 1, 1),
      );
      const axis = new THREE.Vector3(...joint.axis);
      if (axis.lengthSq() === 0 || (run.plane && joint.kind === "revolute")) axis.set(0, 0, 1);
      const turn = new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 0, 1), axis.normalize());
      const point = new THREE.Vector3(...joint.point);
      if (run.plane) point.z = 0.4 * run.header.steps.reach;
      const local = body.invert().multiply(new THREE.Matrix4().compose(point, turn, new THREE.Vector3(1, 1, 1)));
      const sign = new THREE.Mesh(this.form(joint.kind, size), overlay(ACCENT, 0.9));
      sign.matrixAutoUpdate = false;
      sign.renderOrder = 9;
      this.root.add(sign);
      this.placed.push({ body: joint.bodies[0], local, sign });
    }
    this.addTies(0.12 * size);
  }

  private addTies(thick: number): void {
    const { run } = this;
    const reach = reaches(run);
    const pose: Pose = { x: 0, y: 0, z: 0, qx: 0, qy: 0, qz: 0, qw: 1 };
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
        const sign = new THREE.Mesh(form, material);
        sign.matrixAutoUpdate = false;
        this.root.add(sign);
        const local = new THREE.Matrix4().compose(new THREE.Vector3(), turn, new THREE.Vector3(thick, thick, length));
        this.placed.push({ body, local, sign });
      }
  }

  private form(kind: string, size: number): THREE.BufferGeometry {
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

  update(frame: number, part: number): void {
    const pose: Pose = { x: 0, y: 0, z: 0, qx: 0, qy: 0, qz: 0, qw: 1 };
    const unit = new THREE.Vector3(1, 1, 1);
    for (const { body, local, sign } of this.placed) {
      this.run.pose(frame, part, body, pose);
      sign.matrix.compose(new THREE.Vector3(pose.x, pose.y, pose.z), new THREE.Quaternion(pose.qx, pose.qy, pose.qz, pose.qw), unit);
      sign.matrix.multiply(local);
      sign.matrixWorldNeedsUpdate = true;
    }
  }
}

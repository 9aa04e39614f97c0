// A run that grows while it is simulated, as the drawing parts of the viewer want it: frames are appended, and when there
// are too many the older half goes.
import { CONTACT, CONTACT_WIDTH, type Description, type Frame, JOINT_WIDTH } from "../live/module";
import { BODY_FIXED, type Header, type Numbers } from "../src/data/header";
import { Run } from "../src/data/run";

const POSES_MOST = 400000; // bodies x frames kept
const CONTACTS_MOST = 400000; // in all frames kept
const FRAMES_MOST = 6000;

/** Numbers that grow; the first ones can be dropped. */
class Column {
  private data = new Float64Array(64);
  length = 0;

  push(values: ArrayLike<number>): void {
    if (this.length + values.length > this.data.length) {
      const more = new Float64Array(Math.max(2 * this.data.length, this.length + values.length));
      more.set(this.data.subarray(0, this.length));
      this.data = more;
    }
    this.data.set(values, this.length);
    this.length += values.length;
  }

  drop(count: number): void {
    this.data.copyWithin(0, count, this.length);
    this.length -= count;
  }

  get view(): Float64Array {
    return this.data.subarray(0, this.length);
  }
}

/** Half the size of the median body that moves; without one 1 m. */
function medianReach({ bodyKind, shapeIndex, shapeSize, shapePose, shapeKind, shapeKinds, vertices, joints }: Description, q: Float64Array, plane: boolean): number {
  const reach = new Map<number, number>();
  const add = (body: number, size: number) => {
    if (bodyKind[body] !== BODY_FIXED && Number.isFinite(size)) reach.set(body, Math.max(reach.get(body) ?? 0, size));
  };
  shapeKind.forEach((kind, s) => {
    if (/half-/.test(shapeKinds[kind])) return;
    const [radius, half, ...extents] = shapeSize.slice(5 * s, 5 * s + 5);
    const [, , first, count] = shapeIndex.slice(6 * s + 0, 6 * s + 4);
    let size = Math.max(radius + half, Math.hypot(...extents));
    for (let i = first; i < first + count; i++) size = Math.max(size, Math.hypot(vertices[3 * i], vertices[3 * i + 1], vertices[3 * i + 2]));
    add(shapeIndex[6 * s], size + Math.hypot(shapePose[7 * s], shapePose[7 * s + 1], shapePose[7 * s + 2]));
  });
  for (const { bodies, point } of joints)
    for (const body of bodies)
      if (!reach.has(body)) {
        const at = q.subarray((plane ? 3 : 7) * body);
        add(body, Math.hypot(point[0] - at[0], point[1] - at[1], plane ? 0 : point[2] - at[2]));
      }
  const sizes = [...reach.values()].filter((size) => size > 0).sort((a, b) => a - b);
  return sizes[sizes.length >> 1] ?? 1;
}

function headerOf(about: Description, first: Frame): Header {
  const none = { value: null, step: 0, time: 0 };
  return {
    format: "asperity live",
    program: about.program,
    name: about.name,
    dimension: about.dimension,
    complete: false,
    gravity: about.gravity,
    run: { scheme: about.run.scheme, dt: String(about.run.dt), "friction.model": about.run.exact ? "exact" : "polygon" },
    bodies: about.bodies,
    joints: about.joints,
    beams: about.beams,
    forces: about.forces,
    shapeKinds: about.shapeKinds,
    materials: about.materials,
    warnings: [],
    probes: about.probes,
    framesStored: 1,
    every: 1,
    part: 1,
    steps: { position: 1, quaternion: 1, velocity: 1, reach: medianReach(about, first.q, about.dimension === 2) },
    contacts: { total: 1, kept: 1, limit: Math.max(256, 48 * about.bodies.name.length), slipScale: 1, gapScale: 1, reference: 1 },
    certificate: { tolerance: about.run.tolerance, steps: 0, group: 1, uncertified: 0, uncertifiedTimes: [], residual: none, exact: none, penetration: none, drift: none, contactsMost: none, iterationsMost: none },
    sections: [],
  };
}

const fixedSections = (about: Description): [string, Numbers][] => [
  ["bodyKind", Uint8Array.from(about.bodyKind)],
  ["shapeIndex", Int32Array.from(about.shapeIndex)],
  ["shapeKind", Uint8Array.from(about.shapeKind)],
  ["shapeDrawn", Uint8Array.from(about.shapeDrawn)],
  ["shapeSize", Float32Array.from(about.shapeSize)],
  ["shapePose", Float32Array.from(about.shapePose)],
  ["vertices", Float32Array.from(about.vertices)],
];

/** Where things are at the start. */
function placedSections({ bodyKind, dimension }: Description, { q, beams }: Frame): [string, Numbers][] {
  const all = bodyKind.map((_, b) => b);
  const moving = all.filter((b) => bodyKind[b] !== BODY_FIXED);
  const bodies = moving.length ? moving : all;
  const at = dimension === 2 ? (b: number) => [q[3 * b], q[3 * b + 1], 0] : (b: number) => Array.from(q.subarray(7 * b, 7 * b + 3));
  return [["placedBody", Int32Array.from(bodies)], ["placed", Float64Array.from([...bodies.flatMap(at), ...beams])]];
}

// columns with a fixed number of values in every frame, and those of contacts
const PER_FRAME = ["time", "q", "v", "contactModes", "energyKinetic", "energyGravitational", "energyElastic", "stepResidual", "stepExact", "stepDrift", "jointCoordinate", "jointDrift", "jointForce", "jointMotor", "elementForce", "beamPoint", "probeValue"];
const PER_CONTACT = ["contactBodies", "contactPoint", "contactNormal", "contactForce", "contactSlipGapMu", "contactMode"];

export class LiveRun extends Run {
  override readonly rounded = false;
  private readonly columns = new Map<string, Column>();
  private readonly counts: number[] = []; // contacts of each frame
  private readonly map: Map<string, Numbers>;

  constructor(readonly about: Description, first: Frame) {
    const map = new Map<string, Numbers>([...fixedSections(about), ...placedSections(about, first)]);
    map.set("time", Float64Array.of(first.t));
    super(headerOf(about, first), map);
    this.map = map;
    for (const name of [...PER_FRAME, ...PER_CONTACT]) this.columns.set(name, new Column());
    this.frames = 0;
    this.append(first);
  }

  private column(name: string): Column {
    return this.columns.get(name)!;
  }

  append(frame: Frame): void {
    const { info, contacts, joints } = frame;
    const plane = this.plane;
    const modes = [0, 0, 0];
    const most = Math.min(contacts.length / CONTACT_WIDTH, this.header.contacts.limit);
    for (let i = 0; i < most; i++) {
      const c = contacts.subarray(CONTACT_WIDTH * i, CONTACT_WIDTH * (i + 1));
      const b = c[CONTACT.b];
      const at = frame.q.subarray(b * (plane ? 3 : 7));
      modes[c[CONTACT.mode]]++;
      this.column("contactBodies").push([c[CONTACT.a], b]);
      this.column("contactPoint").push([(c[3] - at[0]) / 16, (c[4] - at[1]) / 16, plane ? 0 : (c[5] - at[2]) / 16]);
      this.column("contactNormal").push([128 + 127 * c[6], 128 + 127 * c[7], 128 + 127 * c[8]]);
      this.column("contactForce").push(c.subarray(9, 12));
      this.column("contactSlipGapMu").push([Math.hypot(c[13], c[14]), c[15], c[16]]);
      this.column("contactMode").push([c[CONTACT.mode]]);
    }
    this.counts.push(most);
    const ofJoints = (first: number, count: number) => Array.from({ length: joints.length / JOINT_WIDTH }, (_, j) => Array.from(joints.subarray(JOINT_WIDTH * j + first, JOINT_WIDTH * j + first + count))).flat();
    const values: Record<string, ArrayLike<number>> = {
      time: [frame.t],
      q: frame.q,
      v: frame.v,
      contactModes: modes,
      energyKinetic: [info.kinetic],
      energyGravitational: [info.gravitational],
      energyElastic: [info.elastic],
      stepResidual: [info.residual],
      stepExact: [info.exact],
      stepDrift: [info.jointDrift],
      jointCoordinate: ofJoints(0, 1),
      jointDrift: ofJoints(1, 1),
      jointForce: ofJoints(2, 3),
      jointMotor: ofJoints(5, 1),
      elementForce: frame.forces,
      beamPoint: frame.beams,
      probeValue: frame.probes,
    };
    for (const name of PER_FRAME) this.column(name).push(values[name]);
    this.frames++;
    const kept = this.counts.reduce((sum, count) => sum + count, 0);
    if (this.frames > 2 && (this.frames > FRAMES_MOST || this.frames * this.bodies > POSES_MOST || kept > CONTACTS_MOST)) this.forget(this.frames >> 1);
    this.publish();
  }

  /** The first frames go. */
  private forget(frames: number): void {
    const contacts = this.counts.splice(0, frames).reduce((sum, count) => sum + count, 0);
    for (const name of PER_FRAME) this.column(name).drop((this.column(name).length / this.frames) * frames);
    const width = { contactBodies: 2, contactMode: 1 } as Record<string, number>;
    for (const name of PER_CONTACT) this.column(name).drop((width[name] ?? 3) * contacts);
    this.frames -= frames;
  }

  private publish(): void {
    for (const [name, column] of this.columns) this.map.set(name, column.view);
    const time = this.column("time").view;
    for (const name of ["energyTime", "stepTime", "probeTime"]) this.map.set(name, time);
    this.time = time;
    this.q = this.column("q").view;
    this.v = this.column("v").view;
    this.contactStart = new Int32Array(this.frames + 1);
    for (let k = 0; k < this.frames; k++) this.contactStart[k + 1] = this.contactStart[k] + this.counts[k];
  }
}

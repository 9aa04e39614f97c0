// A whole run: poses, velocities and sections of numbers by frame.
import type { Beam, Header, Numbers } from "./header";

/** A pose as plain numbers: position and unit quaternion x, y, z, w. */
export interface Pose {
  x: number;
  y: number;
  z: number;
  qx: number;
  qy: number;
  qz: number;
  qw: number;
}

export const newPose = (): Pose => ({ x: 0, y: 0, z: 0, qx: 0, qy: 0, qz: 0, qw: 1 });

/** A whole run. Frames are what the file stored (or every n-th); steps have their own curves. */
export class Run {
  readonly bodies: number;
  readonly plane: boolean;
  frames: number; // these grow where a run is simulated in the page
  readonly rounded: boolean = true; // positions and velocities are those of a report
  ready = Infinity; // frames that are unpacked; others come in a moment
  time: Float64Array;
  q: Numbers;
  v: Numbers;
  contactStart: Int32Array;
  private readonly qWidth: number;
  private readonly vWidth: number;

  constructor(readonly header: Header, private readonly sections: Map<string, Numbers>) {
    this.bodies = header.bodies.name.length;
    this.plane = header.dimension === 2;
    this.time = this.reals("time") as Float64Array;
    this.frames = this.time.length;
    this.q = this.section("q");
    this.v = this.section("v");
    this.qWidth = this.plane ? 3 : 7;
    this.vWidth = this.plane ? 3 : 6;
    const counts = this.section("contactCount");
    this.contactStart = new Int32Array(this.frames + 1);
    for (let k = 0; k < this.frames; k++) this.contactStart[k + 1] = this.contactStart[k] + counts[k];
  }

  section(name: string): Numbers {
    return this.sections.get(name) ?? new Float32Array(0);
  }

  reals(name: string): Float32Array | Float64Array {
    return this.section(name) as Float32Array | Float64Array;
  }

  get beams(): Beam[] {
    return this.header.beams ?? [];
  }

  get end(): number {
    return this.time[this.frames - 1];
  }

  /** Positions, m, of bodies (their numbers; -1: a point of a beam) at a few times of the run. */
  places(): { body: number; at: [number, number, number] }[] {
    const bodies = this.section("placedBody");
    const all = this.section("placed");
    const width = 3 * bodies.length + this.beams.reduce((sum, { points }) => sum + 3 * points, 0);
    const step = this.header.steps.position;
    return Array.from({ length: all.length / 3 }, (_, n) => ({
      body: bodies[n % (width / 3)] ?? -1,
      at: [all[3 * n] * step, all[3 * n + 1] * step, all[3 * n + 2] * step],
    }));
  }

  /** The last frame at or before t. */
  frameAt(t: number): number {
    let low = 0;
    let high = this.frames - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.time[middle] <= t + 1e-12 * Math.max(1, Math.abs(t))) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** Between frame k and the next, by `part` in [0, 1): positions on a line, orientations on the sphere. */
  pose(k: number, part: number, body: number, out: Pose): void {
    const w = this.qWidth;
    const step = this.header.steps.position;
    const a = (k * this.bodies + body) * w;
    const b = k + 1 < this.frames ? a + this.bodies * w : a;
    const q = this.q;
    const mix = (i: number) => q[a + i] + part * (q[b + i] - q[a + i]);
    out.x = mix(0) * step;
    out.y = mix(1) * step;
    if (this.plane) {
      const half = 0.5 * mix(2) * step;
      out.z = out.qx = out.qy = 0;
      out.qz = Math.sin(half);
      out.qw = Math.cos(half);
      return;
    }
    out.z = mix(2) * step;
    const qw = mix(3);
    const qx = mix(4);
    const qy = mix(5);
    const qz = mix(6);
    const norm = 1 / (Math.sqrt(qw * qw + qx * qx + qy * qy + qz * qz) || 1);
    out.qw = qw * norm;
    out.qx = qx * norm;
    out.qy = qy * norm;
    out.qz = qz * norm;
  }

  /** All bodies: rotation by columns and position, 12 numbers each; a body that is not visible gets the rotation 0. */
  poses(k: number, part: number, visible: Uint8Array, out: Float32Array): void {
    const { q, plane, qWidth: w } = this;
    const step = this.header.steps.position;
    const first = k * this.bodies * w;
    const ahead = k + 1 < this.frames ? this.bodies * w : 0;
    for (let body = 0, a = first, o = 0; body < this.bodies; body++, a += w, o += 12) {
      const b = a + ahead;
      out[o + 9] = (q[a] + part * (q[b] - q[a])) * step;
      out[o + 10] = (q[a + 1] + part * (q[b + 1] - q[a + 1])) * step;
      const third = (q[a + 2] + part * (q[b + 2] - q[a + 2])) * step;
      out[o + 11] = plane ? 0 : third;
      if (!visible[body]) {
        for (let i = 0; i < 9; i++) out[o + i] = 0;
      } else if (plane) {
        out[o] = out[o + 4] = Math.cos(third);
        out[o + 1] = Math.sin(third);
        out[o + 3] = -out[o + 1];
        out[o + 2] = out[o + 5] = out[o + 6] = out[o + 7] = 0;
        out[o + 8] = 1;
      } else {
        const qw = q[a + 3] + part * (q[b + 3] - q[a + 3]);
        const qx = q[a + 4] + part * (q[b + 4] - q[a + 4]);
        const qy = q[a + 5] + part * (q[b + 5] - q[a + 5]);
        const qz = q[a + 6] + part * (q[b + 6] - q[a + 6]);
        const s = 2 / (qw * qw + qx * qx + qy * qy + qz * qz || 2);
        out[o] = 1 - s * (qy * qy + qz * qz);
        out[o + 1] = s * (qx * qy + qw * qz);
        out[o + 2] = s * (qx * qz - qw * qy);
        out[o + 3] = s * (qx * qy - qw * qz);
        out[o + 4] = 1 - s * (qx * qx + qz * qz);
        out[o + 5] = s * (qy * qz + qw * qx);
        out[o + 6] = s * (qx * qz + qw * qy);
        out[o + 7] = s * (qy * qz - qw * qx);
        out[o + 8] = 1 - s * (qx * qx + qy * qy);
      }
    }
  }

  /** Names and units of what can be plotted of a body. */
  coordinates(): { name: string; unit: string }[] {
    const list = (names: string[], unit: string) => names.map((name) => ({ name, unit }));
    return this.plane
      ? [...list(["x", "y"], "m"), ...list(["angle"], "rad"), ...list(["vx", "vy"], "m/s"), ...list(["ω"], "rad/s")]
      : [
          ...list(["x", "y", "z"], "m"),
          ...list(["qw", "qx", "qy", "qz"], "1"),
          ...list(["vx", "vy", "vz"], "m/s"),
          ...list(["ωx", "ωy", "ωz"], "rad/s"),
        ];
  }

  /** Coordinate i (of the list above) of a body in frame k. */
  coordinate(k: number, body: number, i: number): number {
    const { position, quaternion, velocity } = this.header.steps;
    if (i < this.qWidth) {
      const value = this.q[(k * this.bodies + body) * this.qWidth + i];
      return value * (!this.plane && i >= 3 ? quaternion : position);
    }
    return this.v[(k * this.bodies + body) * this.vWidth + i - this.qWidth] * velocity;
  }

  bodyKind(body: number): number {
    return this.section("bodyKind")[body];
  }
}

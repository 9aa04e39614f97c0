// The data of a result as the program packs them: a JSON header and deflated sections of numbers
// (docs/reference/view-data.md).

export type Numbers = Int32Array | Float32Array | Float64Array | Uint8Array;

interface SectionEntry {
  name: string;
  type: "u8" | "f16" | "i32" | "f32" | "f64";
  rows: number;
  width: number;
  order: number;
  scale: number;
  start: number;
  bytes: number;
}

export interface Worst {
  value: number | null;
  step: number;
  time: number;
}

/** What steps say about themselves in integers: the values that occur, how often, and when first. */
export interface Count {
  name: string;
  text: string;
  values: { value: number; steps: number; time: number }[];
}

export interface Joint {
  name: string;
  kind: string;
  bodies: [number, number];
  point: [number, number, number];
  axis: [number, number, number];
}

export interface Beam {
  name: string;
  points: number; // of its centreline in every frame
  radius: number; // m
  bodies: number[]; // its stations
}

/** A measure of resolution over the run. */
export interface Measure {
  name: string;
  text: string;
  remedy: string;
  where: string;
  threshold: number;
  worst: number | null;
  time: number;
  steps: number;
}

export interface Header {
  format: string;
  program: string;
  name: string;
  dimension: 2 | 3;
  complete: boolean;
  gravity: [number, number, number];
  run: Record<string, string>;
  bodies: { name: string[]; mass: number[] };
  joints: Joint[];
  beams?: Beam[];
  shapeKinds: string[];
  materials: string[];
  warnings: string[];
  probes?: { name: string; unit: string }[];
  parameters?: { name: string; value: number; unit: string; text: string; set: boolean }[];
  files?: { path: string; hash: string }[]; // tables and meshes that the scene names
  findings?: Record<string, { steps: number; times: number[] }>; // what was found about steps, and when first
  framesStored: number;
  every: number;
  steps: { position: number; quaternion: number; velocity: number; reach: number };
  contacts: { total: number; kept: number; limit: number; slipScale: number; gapScale: number };
  resolution?: {
    // absent: a result of a version that did not judge
    unresolved: number;
    unresolvedTimes: number[];
    measures: Measure[];
  };
  certificate: {
    tolerance: number | null;
    steps: number;
    group: number;
    uncertified: number;
    uncertifiedTimes: number[];
    residual: Worst;
    exact: Worst;
    penetration: Worst;
    drift: Worst;
    contactsMost: Worst;
    iterationsMost: Worst;
    counts?: Count[];
  };
  sections: SectionEntry[];
}

export const BODY_DYNAMIC = 0;
export const BODY_FIXED = 1;
export const BODY_STATION = 3; // a cross-section of a beam
export const MODE_NAMES = ["open", "stick", "slide"] as const;

async function inflate(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

const typeBytes = { u8: 1, f16: 2, i32: 4, f32: 4, f64: 8 };

// planes of bytes back into numbers, in the order of this machine (all browsers run little-endian)
function interleave(planes: Uint8Array, count: number, bytes: number): ArrayBuffer {
  const out = new Uint8Array(count * bytes);
  for (let b = 0; b < bytes; b++) for (let i = 0, p = b * count, o = b; i < count; i++, p++, o += bytes) out[o] = planes[p];
  return out.buffer;
}

// differences from the extrapolation of the rows before, back into values (modulo 2^32)
function integrate(z: Int32Array, width: number, order: number): Int32Array {
  for (let i = 0; i < z.length; i++) {
    const difference = (z[i] >>> 1) ^ -(z[i] & 1);
    if (order === 0 || i < width) z[i] = difference;
    else if (order === 1 || i < 2 * width) z[i] = (difference + z[i - width]) | 0;
    else z[i] = (difference + 2 * z[i - width] - z[i - 2 * width]) | 0;
  }
  return z;
}

function halves(words: Uint16Array, scale: number): Float32Array {
  const out = new Float32Array(words.length);
  for (let i = 0; i < words.length; i++) {
    const exponent = (words[i] >> 10) & 31;
    const steps = words[i] & 1023;
    const size = exponent === 0 ? steps * 2 ** -24 : (1024 + steps) * 2 ** (exponent - 25);
    out[i] = (words[i] & 0x8000 ? -size : size) * scale;
  }
  return out;
}

function numbers(entry: SectionEntry, planes: Uint8Array): Numbers {
  const count = entry.rows * entry.width;
  const buffer = interleave(planes, count, typeBytes[entry.type]);
  switch (entry.type) {
    case "u8":
      return new Uint8Array(buffer);
    case "f16":
      return halves(new Uint16Array(buffer), entry.scale);
    case "i32":
      return integrate(new Int32Array(buffer), entry.width, entry.order);
    case "f32":
      return new Float32Array(buffer);
    case "f64":
      return new Float64Array(buffer);
  }
}

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

/** A whole run. Frames are what the file stored (or every n-th); steps have their own curves. */
export class Run {
  readonly bodies: number;
  readonly plane: boolean;
  frames: number; // these grow where a run is simulated in the page
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

export async function decode(bytes: Uint8Array<ArrayBuffer>): Promise<Run> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 16 || new TextDecoder().decode(bytes.subarray(0, 8)) !== "ASPVIEW1")
    throw new Error("the data are not of a result of asperity");
  const packed = view.getUint32(12, true);
  const header = JSON.parse(new TextDecoder().decode(await inflate(bytes.subarray(16, 16 + packed)))) as Header;
  const base = 16 + packed;
  const sections = new Map<string, Numbers>();
  const parts = await Promise.all(
    header.sections.map((entry) => inflate(bytes.subarray(base + entry.start, base + entry.start + entry.bytes))),
  );
  header.sections.forEach((entry, i) => sections.set(entry.name, numbers(entry, parts[i])));
  return new Run(header, sections);
}

/** The bytes embedded in this page; null when it is served by `asperity view`. */
export function embedded(): Uint8Array<ArrayBuffer> | null {
  const element = document.getElementById("asperity-data");
  if (!element?.textContent) return null;
  const text = atob(element.textContent);
  element.remove();
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

// What the header of the data says (docs/reference/view-data.md). Joints, beams and measures are described as by asperity.wasm.
import type { Beam, ForceElement, Joint, Measure } from "../../live/types";

export type { Beam, ForceElement, Joint, Measure };
export type Numbers = Int32Array | Float32Array | Float64Array | Uint8Array;

/** A section, or a part of it. */
export interface SectionEntry {
  name: string;
  type: "u8" | "f16" | "i32" | "f32" | "f64";
  first: number; // row
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
  forces?: ForceElement[]; // absent in results of earlier versions
  shapeKinds: string[];
  materials: string[];
  warnings: string[];
  probes?: { name: string; unit: string }[];
  parameters?: { name: string; value: number; unit: string; text: string; set: boolean }[];
  files?: { path: string; hash: string }[]; // tables and meshes that the scene names
  findings?: Record<string, { steps: number; times: number[] }>; // what was found about steps, and when first
  framesStored: number;
  every: number;
  part: number; // frames in a part of the sections that come in parts; the first has as many as the first picture needs
  steps: { position: number; quaternion: number; velocity: number; reach: number };
  contacts: { total: number; kept: number; limit: number; slipScale: number; gapScale: number; reference: number };
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

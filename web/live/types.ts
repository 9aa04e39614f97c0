// What goes into asperity.wasm and comes out of it; the data of a result speak of joints, beams and measures in the same words.

/** What is wrong with a scene, what was done otherwise than written, what is worth knowing. */
export interface Messages {
  mistakes: string[];
  warnings: string[];
  notes: string[];
}

export interface Parameter {
  name: string;
  unit: string;
  text: string;
  value: number;
  low: number | null;
  high: number | null;
  set: boolean;
}

export interface Joint {
  name: string;
  kind: string;
  bodies: [number, number];
  point: [number, number, number]; // world, at t = 0
  axis: [number, number, number];
}

export interface Beam {
  name: string;
  points: number; // of its centreline in every frame
  radius: number; // m
  bodies: number[]; // its stations
}

/** A force, a torque or a spring of the scene. */
export interface ForceElement {
  name: string;
  kind: "force" | "torque" | "spring";
  bodies: [number, number]; // the second: of a spring, else -1
  points: [[number, number, number], [number, number, number]]; // world, at t = 0
}

/** A model as the page draws it; arrays as in docs/reference/view-data.md. */
export interface Description {
  name: string;
  program: string;
  dimension: 2 | 3;
  gravity: [number, number, number];
  run: { scheme: string; dt: number; until: number; tolerance: number; exact: boolean };
  bodies: { name: string[]; mass: number[] };
  bodyKind: number[];
  joints: Joint[];
  beams: Beam[];
  forces: ForceElement[];
  shapeIndex: number[];
  shapeKind: number[];
  shapeDrawn: number[];
  shapeSize: number[];
  shapePose: number[];
  vertices: number[];
  shapeKinds: string[];
  materials: string[];
  parameters: Parameter[];
  inputs: { name: string; value: number }[];
  probes: { name: string; unit: string }[];
}

/** The last step. Energies in J, lengths in m, times in s. */
export interface StepInfo {
  step: number;
  t: number;
  dt: number;
  certified: boolean;
  resolved: boolean;
  iterations: number;
  attempts: number;
  parts: number;
  residual: number;
  exact: number;
  contacts: number;
  alternatives: number;
  instantSolutions: number;
  impulse: boolean;
  penetration: number;
  jointDrift: number;
  kinetic: number;
  gravitational: number;
  elastic: number;
  flow: { motors: number; forces: number; friction: number; impacts: number; joints: number; damping: number; unaccounted: number };
  uncertified: number; // steps since the start
  unresolved: number;
  seconds: { collide: number; assemble: number; solve: number; judge: number; record: number };
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

export interface Verdict {
  measures: Measure[];
  warnings: string[];
  stopped?: string;
}

/** Numbers of one contact in Frame.contacts. */
export const CONTACT_WIDTH = 18;
export const CONTACT = { a: 0, b: 1, mode: 2, point: 3, normal: 6, force: 9, slip: 12, gap: 15, mu: 16, feature: 17 } as const;

/** Numbers of one joint in Frame.joints. */
export const JOINT_WIDTH = 6;

/** All that changes from step to step, copied out of the module. */
export interface Frame {
  t: number;
  q: Float64Array; // 7 (3D) or 3 (2D) numbers of each body
  v: Float64Array; // 6 or 3
  contacts: Float64Array; // CONTACT_WIDTH numbers each
  joints: Float64Array; // coordinate, drift, force (3), motor of each
  forces: Float64Array; // forces (N) and torques (N m), three numbers each, world axes; springs: 0
  beams: Float64Array; // points of the centrelines
  probes: Float64Array;
  pull: Float64Array; // force (3) and where it acts (3) of the pull
  info: StepInfo;
}

export interface Solution {
  modes: string[];
  r: number[];
  u: number[];
  x: number[];
  low: (number | null)[];
  high: (number | null)[];
  residual: number;
  motionDimension: number;
  reactionDimension: number;
}

export interface Analysis {
  level: string;
  approaching: number;
  exists: boolean;
  unique: boolean;
  uniqueMotion: boolean;
  complete: boolean;
  incomplete?: string;
  provedNone: boolean;
  blocks: { first: number; size: number; a?: string; b?: string; joint?: string; point?: number[]; normal?: number[] }[];
  solutions: Solution[];
  A: number[] | null;
  b: number[] | null;
}

export const LEVELS = { acceleration: 0, impulse: 1, step: 2, static: 3 } as const;
export type Level = keyof typeof LEVELS;

/** Spring from a point of a body (its frame) to a point of the world. */
export interface Pull {
  body: number;
  point: [number, number, number];
  target: [number, number, number];
  stiffness: number; // N/m
  damping: number; // N s/m
  most: number; // N
}

export type Settings = Record<string, number | string>;

// What can be plotted of a run, as numbers over time.
import { MODE_COLOURS } from "../colours";
import { MODE_NAMES, type Numbers } from "../data/header";
import type { Run } from "../data/run";

export interface Series {
  label: string;
  colour: string;
  y: ArrayLike<number | null>;
  dash?: number[];
}

export interface Curves {
  x: ArrayLike<number>;
  unit: string;
  log?: boolean;
  series: Series[];
  note?: string;
}

const COLOURS = ["#2f86eb", "#ff6b1a", "#2aa876", "#b26bd6", "#e0a100", "#d64f7b", "#17a2b8", "#7a8ba3"];

export function energies(run: Run): Curves {
  const kinetic = run.reals("energyKinetic");
  const gravity = run.reals("energyGravitational");
  const elastic = run.reals("energyElastic");
  const total = Float64Array.from(kinetic, (value, i) => value + gravity[i] + elastic[i]);
  const series = [
    { label: "kinetic", colour: COLOURS[1], y: kinetic },
    { label: "of gravity", colour: COLOURS[0], y: gravity },
    { label: "total", colour: COLOURS[7], y: total, dash: [6, 3] },
  ];
  if (elastic.some((value) => value !== 0)) series.splice(2, 0, { label: "elastic", colour: COLOURS[2], y: elastic });
  return { x: run.reals("energyTime"), unit: "J", series };
}

/** The lowest end of logarithmic axes; zero and what is less is drawn there. */
export const LEAST_OF_LOG = 1e-16;

const positive = (values: ArrayLike<number>): (number | null)[] =>
  Array.from(values, (value) => (value >= 0 ? Math.max(value, LEAST_OF_LOG) : null));

export function residuals(run: Run): Curves {
  const x = run.reals("stepTime");
  const own = run.reals("stepResidual");
  const exact = run.reals("stepExact");
  const { tolerance, group } = run.header.certificate;
  const series: Series[] = [{ label: "residual E2", colour: COLOURS[0], y: positive(own) }];
  if ((run.header.run["friction.model"] ?? "exact") !== "exact")
    series.push({ label: "against the exact cone", colour: COLOURS[3], y: positive(exact) });
  if (tolerance !== null)
    series.push({ label: "tolerance", colour: "#d6423b", y: Array.from(x, () => tolerance), dash: [6, 4] });
  const note = group > 1 ? `largest of every ${group} steps` : undefined;
  return { x, unit: "", log: true, series, note };
}

export function contactCounts(run: Run): Curves {
  const counts = run.section("contactModes");
  const series = MODE_NAMES.map((label, mode) => ({
    label,
    colour: MODE_COLOURS[mode],
    y: Array.from({ length: run.frames }, (_, k) => counts[3 * k + mode]),
  }));
  return { x: run.time, unit: "contacts", series };
}

/** The coordinates of a body whose names match, with what rounding took from them. */
export function coordinates(run: Run, body: number, names: RegExp): Curves {
  const { position, quaternion, velocity } = run.header.steps;
  const found = run.coordinates().flatMap((one, index) => (names.test(one.name) ? [{ ...one, index }] : []));
  const unit = found[0]?.unit ?? "";
  const step = unit === "1" ? quaternion : unit.endsWith("/s") ? velocity : position;
  const series = found.map(({ name, index }, i) => ({ label: name, colour: COLOURS[i], y: Array.from({ length: run.frames }, (_, k) => run.coordinate(k, body, index)) }));
  return { x: run.time, unit: unit === "1" ? "" : unit, series, note: run.rounded ? `rounded to ±${(step / 2).toPrecision(2)}` : undefined };
}

/** Sum of the forces of all its contacts on a body. */
export function bodyForces(run: Run, body: number): Curves {
  const bodies = run.section("contactBodies");
  const force = run.reals("contactForce");
  const sums = Array.from({ length: run.plane ? 2 : 3 }, () => new Float64Array(run.frames));
  for (let k = 0; k < run.frames; k++)
    for (let i = run.contactStart[k]; i < run.contactStart[k + 1]; i++) {
      const sign = bodies[2 * i + 1] === body ? 1 : bodies[2 * i] === body ? -1 : 0;
      if (sign) sums.forEach((sum, axis) => (sum[k] += sign * force[3 * i + axis]));
    }
  return { x: run.time, unit: "N", series: sums.map((y, i) => ({ label: "xyz"[i], colour: COLOURS[i], y })), note: strongest(run) };
}

const strongest = ({ header: { contacts } }: Run) => (contacts.kept < contacts.total ? "strongest contacts only" : undefined);

/** Numbers of one joint, as many of each frame as there are labels; sections have three where vectors are meant. */
export function jointValues(run: Run, joint: number, section: string, unit: string, labels: string[]): Curves {
  const values = run.reals(section);
  const width = section === "jointForce" ? 3 : 1;
  const row = width * run.header.joints.length;
  const series = labels.map((label, i) => ({ label, colour: COLOURS[i], y: Array.from({ length: run.frames }, (_, k) => values[k * row + width * joint + i] ?? null) }));
  return { x: run.time, unit, series };
}

const between = (bodies: Numbers, i: number, a: number, b: number) => (bodies[2 * i] === a && bodies[2 * i + 1] === b) || (bodies[2 * i] === b && bodies[2 * i + 1] === a);

/** The smallest gap and the largest slip of all contacts between two bodies; none: a gap in the curve. */
export function pairGaps(run: Run, a: number, b: number): Curves {
  const bodies = run.section("contactBodies");
  const about = run.reals("contactSlipGapMu");
  const { slipScale, gapScale } = run.header.contacts;
  const gap = new Array<number | null>(run.frames).fill(null);
  const slip = new Array<number | null>(run.frames).fill(null);
  for (let k = 0; k < run.frames; k++)
    for (let i = run.contactStart[k]; i < run.contactStart[k + 1]; i++) {
      if (!between(bodies, i, a, b)) continue;
      slip[k] = Math.max(slip[k] ?? 0, about[3 * i] * slipScale);
      gap[k] = Math.min(gap[k] ?? Infinity, about[3 * i + 1] * gapScale);
    }
  return { x: run.time, unit: "m, m/s", series: [{ label: "gap, m", colour: COLOURS[0], y: gap }, { label: "slip, m/s", colour: COLOURS[1], y: slip }] };
}

/** Sums over all contacts between two bodies. */
export function pairForces(run: Run, a: number, b: number): Curves {
  const bodies = run.section("contactBodies");
  const force = run.reals("contactForce");
  const normal = run.section("contactNormal");
  const pressing = new Array<number>(run.frames).fill(0);
  const rubbing = new Array<number>(run.frames).fill(0);
  for (let k = 0; k < run.frames; k++)
    for (let i = run.contactStart[k]; i < run.contactStart[k + 1]; i++) {
      if (!between(bodies, i, a, b)) continue;
      const n = [normal[3 * i] - 128, normal[3 * i + 1] - 128, normal[3 * i + 2] - 128];
      const length = Math.hypot(...n) || 1;
      const f = [force[3 * i], force[3 * i + 1], force[3 * i + 2]];
      const along = (f[0] * n[0] + f[1] * n[1] + f[2] * n[2]) / length;
      pressing[k] += along;
      rubbing[k] += Math.sqrt(Math.max(0, f[0] ** 2 + f[1] ** 2 + f[2] ** 2 - along ** 2));
    }
  return {
    x: run.time,
    unit: "N",
    series: [
      { label: "normal", colour: COLOURS[0], y: pressing },
      { label: "friction", colour: COLOURS[1], y: rubbing },
    ],
    note: strongest(run),
  };
}

/** The probes of one unit, those sampled at other times left out row by row. */
export function probes(run: Run, unit: string): Curves {
  const all = run.header.probes ?? [];
  const values = run.reals("probeValue");
  const time = run.reals("probeTime");
  const series = all.flatMap((probe, i) =>
    probe.unit === unit
      ? [{ label: probe.name, colour: COLOURS[i % COLOURS.length], y: Array.from(time, (_, k) => (Number.isFinite(values[k * all.length + i]) ? values[k * all.length + i] : null)) }]
      : [],
  );
  return { x: time, unit, series };
}

export function drift(run: Run): Curves {
  const joints = run.header.joints;
  if (joints.length > 0 && joints.length <= COLOURS.length) {
    const values = run.reals("jointDrift");
    const series = joints.map((joint, j) => ({
      label: joint.name,
      colour: COLOURS[j],
      y: positive(Array.from({ length: run.frames }, (_, k) => Math.abs(values[k * joints.length + j]))),
    }));
    return { x: run.time, unit: "m or rad", log: true, series };
  }
  return {
    x: run.reals("stepTime"),
    unit: "m or rad",
    log: true,
    series: [{ label: "largest of all joints", colour: COLOURS[0], y: positive(run.reals("stepDrift")) }],
  };
}

// What can be plotted: subjects (the run, a body, a joint, a pair of bodies in contact, a probe) and the quantities of each.
import type { Run } from "../data/run";
import { bodyForces, contactCounts, coordinates, type Curves, drift, energies, jointValues, pairForces, pairGaps, probes, residuals } from "./curves";

export type Subject =
  | { kind: "run" }
  | { kind: "body"; body: number }
  | { kind: "joint"; joint: number }
  | { kind: "pair"; bodies: [number, number] }
  | { kind: "probe"; unit: string };

export interface Quantity {
  id: string;
  title: string;
  curves(run: Run): Curves;
}

export const subjectKey = (subject: Subject): string =>
  subject.kind === "body" ? `body ${subject.body}` : subject.kind === "joint" ? `joint ${subject.joint}` : subject.kind === "pair" ? `pair ${subject.bodies.join(" ")}` : subject.kind === "probe" ? `probe ${subject.unit}` : "run";

export function subjectName(run: Run, subject: Subject): string {
  const names = run.header.bodies.name;
  switch (subject.kind) {
    case "run":
      return "whole run";
    case "body":
      return names[subject.body];
    case "joint":
      return `joint ${run.header.joints[subject.joint].name}`;
    case "pair":
      return `${names[subject.bodies[0]]} and ${names[subject.bodies[1]]}`;
    case "probe":
      return subject.unit ? `probes, ${subject.unit}` : "probes";
  }
}

export function quantitiesOf(run: Run, subject: Subject): Quantity[] {
  switch (subject.kind) {
    case "run": {
      const all: Quantity[] = [{ id: "energy", title: "energy", curves: energies }];
      if (run.header.contacts.total) all.push({ id: "contacts", title: "contacts by mode", curves: contactCounts });
      all.push({ id: "residual", title: "residual of every step", curves: residuals });
      if (run.header.joints.length) all.push({ id: "drift", title: "drift of joints", curves: drift });
      return all;
    }
    case "body": {
      const { body } = subject;
      const parts: [string, string, RegExp][] = [
        ["position", "position", /^[xyz]$/],
        ["angle", run.plane ? "angle" : "orientation", /^(angle|q[wxyz])$/],
        ["velocity", "velocity", /^v[xyz]$/],
        ["spin", "angular velocity", /^ω/],
      ];
      const all = parts.map(([id, title, names]): Quantity => ({ id, title, curves: (of) => coordinates(of, body, names) }));
      if (run.header.contacts.total) all.push({ id: "load", title: "force of its contacts", curves: (of) => bodyForces(of, body) });
      return all;
    }
    case "joint": {
      const { joint } = subject;
      const of = (id: string, title: string, section: string, unit: string, labels: string[]): Quantity => ({ id, title, curves: (run) => jointValues(run, joint, section, unit, labels) });
      const slides = run.header.joints[joint].kind === "prismatic";
      return [
        of("coordinate", "coordinate", "jointCoordinate", slides ? "m" : "rad", ["coordinate"]),
        of("force", "force", "jointForce", "N", run.plane ? ["x", "y"] : ["x", "y", "z"]),
        of("motor", "effort of its motor", "jointMotor", slides ? "N" : "N m", ["motor"]),
        of("drift", "drift", "jointDrift", "m or rad", ["drift"]),
      ];
    }
    case "pair":
      return [
        { id: "pair", title: "contact force", curves: (of) => pairForces(of, ...subject.bodies) },
        { id: "gap", title: "gap and slip", curves: (of) => pairGaps(of, ...subject.bodies) },
      ];
    case "probe":
      return [{ id: "probes", title: "values", curves: (of) => probes(of, subject.unit) }];
  }
}

export const probeUnits = (run: Run): string[] => [...new Set((run.header.probes ?? []).map(({ unit }) => unit))];

const LISTED = 400; // bodies in the list of subjects; others come into it when they are picked

/** All that can be chosen. */
export function subjectsOf(run: Run): Subject[] {
  const bodies = Math.min(LISTED, run.bodies);
  return [
    { kind: "run" },
    ...probeUnits(run).map((unit): Subject => ({ kind: "probe", unit })),
    ...Array.from({ length: bodies }, (_, body): Subject => ({ kind: "body", body })),
    ...run.header.joints.map((_, joint): Subject => ({ kind: "joint", joint })),
  ];
}

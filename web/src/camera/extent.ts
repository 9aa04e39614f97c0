// Where a run takes place: a box around the bodies that move, over the middle of their motion, and what stands next to them.
import * as THREE from "three";
import { BODY_FIXED } from "../data/header";
import { fixedBoxes, reaches } from "../data/reach";
import { newPose, type Run } from "../data/run";

export interface Extent {
  centre: THREE.Vector3;
  radius: number; // of what moves, m
  low: THREE.Vector3;
  high: THREE.Vector3;
  size: number; // of the largest free body, m
}

const FEW = 40; // bodies that all count
const SAMPLES = 40; // of the run, at equal times
const CUT = [0.03, 0.06]; // share of all positions left out at either end: few bodies, many
const BESIDE = 0.8; // fixed bodies count as far as this from the free ones, in radii of their motion

/** The frames at equal times. */
function samples(run: Run): number[] {
  const count = Math.min(SAMPLES, run.frames);
  const span = run.end - run.time[0];
  return [...new Set(Array.from({ length: count }, (_, i) => run.frameAt(run.time[0] + (span * i) / Math.max(1, count - 1))))];
}

/** What flies away for a moment does not count: of all places of all times the middle ones. */
export function extentOf(run: Run): Extent {
  const pose = newPose();
  const reach = reaches(run);
  const median = run.header.steps.reach;
  const moving: number[] = [];
  for (let b = 0; b < run.bodies; b++) if (run.bodyKind(b) !== BODY_FIXED) moving.push(b);
  if (!moving.length) for (let b = 0; b < run.bodies; b++) moving.push(b);
  const skip = Math.max(1, Math.floor(moving.length / 3000));
  const lows: [number[], number[], number[]] = [[], [], []];
  const highs: [number[], number[], number[]] = [[], [], []];
  const put = (at: [number, number, number], size: number) =>
    at.forEach((x, i) => {
      lows[i].push(x - size);
      highs[i].push(x + size);
    });
  const frames = samples(run);
  let size = 0;
  for (const k of frames)
    for (let i = 0; i < moving.length; i += skip) {
      run.pose(k, 0, moving[i], pose);
      const own = reach[moving[i]] || median;
      size = Math.max(size, own);
      put([pose.x, pose.y, pose.z], own);
    }
  for (const { point } of moving.length <= FEW ? run.header.joints : []) for (let k = 0; k < frames.length; k++) put(point, 0);
  const beamPoints = run.section("beamPoint");
  const perFrame = beamPoints.length / run.frames;
  const step = run.header.steps.position;
  for (const k of frames)
    for (let i = k * perFrame; i + 2 < (k + 1) * perFrame; i += 3) put([beamPoints[i] * step, beamPoints[i + 1] * step, beamPoints[i + 2] * step], 0);
  const box = new THREE.Box3(new THREE.Vector3(), new THREE.Vector3());
  const cut = CUT[moving.length > FEW ? 1 : 0];
  const quantile = (values: number[], share: number) => values.sort((a, b) => a - b)[Math.round(share * (values.length - 1))] ?? 0;
  for (let i = 0; i < 3; i++) {
    box.min.setComponent(i, quantile(lows[i], cut));
    box.max.setComponent(i, quantile(highs[i], 1 - cut));
  }
  const near = box.clone().expandByScalar((BESIDE * box.getSize(new THREE.Vector3()).length()) / 2);
  for (const fixed of fixedBoxes(run)) if (fixed.intersectsBox(near)) box.union(fixed.intersect(near));
  if (run.plane) box.min.z = box.max.z = 0;
  const centre = box.getCenter(new THREE.Vector3());
  return { centre, radius: Math.max(0.5 * box.max.distanceTo(box.min), 1e-6), low: box.min, high: box.max, size: size || median };
}

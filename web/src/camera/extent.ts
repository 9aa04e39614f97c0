// Where a run takes place: a box around the bodies that move, over the middle of their motion, and what stands next to them.
import * as THREE from "three";
import { fixedBoxes, reaches } from "../data/reach";
import type { Run } from "../data/run";

export interface Extent {
  centre: THREE.Vector3;
  radius: number; // of what moves, m
  low: THREE.Vector3;
  high: THREE.Vector3;
  size: number; // of the largest free body, m
}

const FEW = 40; // bodies that all count
const CUT = [0.03, 0.06]; // share of all positions left out at either end: few bodies, many
const START = 1.5; // how much farther the box may reach so that a body is in it at the start
const BESIDE = 0.8; // fixed bodies count as far as this from the free ones, in radii of their motion

/** What flies away for a moment does not count: of all places of all times the middle ones. Of few bodies the places at the start count, too. */
export function extentOf(run: Run): Extent {
  const reach = reaches(run);
  const median = run.header.steps.reach;
  const lows: number[][] = [[], [], []];
  const highs: number[][] = [[], [], []];
  const put = (at: number[], size: number) => {
    for (let i = 0; i < 3; i++) {
      lows[i].push(at[i] - size);
      highs[i].push(at[i] + size);
    }
  };
  const moving = new Set<number>();
  const starts: THREE.Box3[] = []; // of each body
  let size = 0;
  let times = 0;
  for (const { body, at } of run.places()) {
    const own = body < 0 ? 0 : reach[body] || median;
    size = Math.max(size, own);
    put(at, own);
    if (body >= 0 && !moving.has(body)) starts.push(new THREE.Box3().setFromCenterAndSize(new THREE.Vector3(...at), new THREE.Vector3(2 * own, 2 * own, 2 * own)));
    if (body >= 0) moving.add(body);
    if (moving.values().next().value === body) times++;
  }
  const springs = (run.header.forces ?? []).filter(({ kind }) => kind === "spring");
  const ends = moving.size <= FEW ? [...run.header.joints.map(({ point }) => point), ...springs.flatMap(({ points }) => points)] : [];
  for (const point of ends) for (let k = 0; k < times; k++) put(point, 0);
  const box = new THREE.Box3(new THREE.Vector3(), new THREE.Vector3());
  const cut = CUT[moving.size > FEW ? 1 : 0];
  const quantile = (values: number[], share: number) => Float64Array.from(values).sort()[Math.round(share * (values.length - 1))] ?? 0;
  for (let i = 0; i < 3; i++) {
    box.min.setComponent(i, quantile(lows[i], cut));
    box.max.setComponent(i, quantile(highs[i], 1 - cut));
  }
  const most = START * box.getSize(new THREE.Vector3()).length();
  if (moving.size <= FEW)
    for (const start of starts) {
      const more = box.clone().union(start);
      if (more.getSize(new THREE.Vector3()).length() <= most) box.copy(more);
    }
  const near = box.clone().expandByScalar((BESIDE * box.getSize(new THREE.Vector3()).length()) / 2);
  for (const fixed of fixedBoxes(run)) if (fixed.intersectsBox(near)) box.union(fixed.intersect(near));
  if (run.plane) box.min.z = box.max.z = 0;
  const centre = box.getCenter(new THREE.Vector3());
  return { centre, radius: Math.max(0.5 * box.max.distanceTo(box.min), 1e-6), low: box.min, high: box.max, size: size || median };
}

// Keeps the bodies that move in the picture: the camera goes along with them, and back where they spread, until the user takes
// it in hand. Positions count as places in the picture, from -1 to 1 in each direction.
import * as THREE from "three";
import { BODY_DYNAMIC } from "../src/data/header";
import { reaches } from "../src/data/reach";
import { newPose } from "../src/data/run";
import type { Stage } from "../src/scene/stage";
import type { LiveRun } from "./live_run";

const EDGE = 0.88; // how far from the middle bodies may reach, at least
const FARTHEST = 2.5; // times as far from them as at the start
const MANY = 40; // bodies above which a few may leave the picture
const LOST = 0.06; // share of many bodies at either end that do not count

export class InView {
  private free = true; // the user has not moved the camera
  private edge: [number, number] | null = null; // as at the start, where bodies stood farther out
  private back = 1;
  private readonly bodies: number[] = [];
  private readonly reach: Float32Array;
  private readonly beside: THREE.Vector3; // from the middle of the bodies to what is looked at, at the start

  constructor(private readonly stage: Stage, private readonly run: LiveRun) {
    for (let body = 0; body < run.bodies; body++) if (run.bodyKind(body) === BODY_DYNAMIC) this.bodies.push(body);
    this.reach = reaches(run);
    this.beside = stage.extent.centre.clone().sub(this.middle(run.frames - 1));
    stage.view.controls.addEventListener("start", () => this.stop());
  }

  /** The user has the camera. */
  stop(): void {
    this.free = false;
  }

  /** The default view of where the bodies are now. */
  restart(frame: number): void {
    this.free = true;
    this.back = 1;
    this.stage.goBy(this.middle(frame).add(this.beside).sub(this.stage.extent.centre));
    this.stage.resetCamera();
  }

  /** The median of all bodies in each direction. */
  private middle(frame: number): THREE.Vector3 {
    const pose = newPose();
    const all = this.bodies.map((body) => (this.run.pose(frame, 0, body, pose), [pose.x, pose.y, pose.z]));
    const median = (axis: number) => all.map((at) => at[axis]).sort((a, b) => a - b)[all.length >> 1] ?? 0;
    return new THREE.Vector3(median(0), median(1), median(2));
  }

  /** From and to in each direction; null: nothing to look at. */
  private places(frame: number): [number, number][] | null {
    const { camera } = this.stage;
    camera.updateMatrixWorld();
    const pose = newPose();
    const at = new THREE.Vector3();
    const corner = new THREE.Vector3();
    const found = [0, 1].map(() => ({ low: [] as number[], high: [] as number[] }));
    for (const body of this.bodies) {
      this.run.pose(frame, 0, body, pose);
      at.set(pose.x, pose.y, pose.z).applyMatrix4(camera.matrixWorldInverse);
      if (at.z >= 0) continue; // behind the camera
      const size = this.reach[body];
      for (const [side, sign] of [["low", -1], ["high", 1]] as const) {
        corner.set(at.x + sign * size, at.y + sign * size, at.z).applyMatrix4(camera.projectionMatrix);
        found[0][side].push(corner.x);
        found[1][side].push(corner.y);
      }
    }
    const count = found[0].low.length;
    if (!count) return null;
    const out = count > MANY ? Math.round(LOST * count) : 0;
    const sorted = (values: number[]) => Float64Array.from(values).sort();
    return found.map(({ low, high }): [number, number] => [sorted(low)[out], sorted(high)[count - 1 - out]]);
  }

  /** The camera where this frame wants it. */
  update(frame: number): void {
    if (!this.free || !this.bodies.length) return;
    const places = this.places(frame);
    if (!places) this.restart(frame);
    else this.follow(places);
  }

  private follow(places: [number, number][]): void {
    if (!places.flat().every(Number.isFinite)) return;
    const edge = (this.edge ??= places.map(([low, high]) => Math.max(EDGE, -low, high)) as [number, number]);
    const spread = Math.max(...places.map(([low, high], i) => (high - low) / (2 * edge[i])));
    const farther = Math.min(spread, FARTHEST / this.back);
    if (farther > 1.001) {
      this.back *= farther;
      this.stage.view.goBack(farther);
    }
    const off = places.map(([low, high], i) => {
      if (high - low > 2 * edge[i]) return (low + high) / 2;
      return Math.max(0, high - edge[i]) + Math.min(0, low + edge[i]);
    });
    if (Math.hypot(...off) > 1e-3) this.stage.goAlong(off[0], off[1]);
  }
}

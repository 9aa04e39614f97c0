// Lines over the picture: thrust lines of arches, and the paths of bodies beside those of the run before.
import * as THREE from "three";
import { ACCENT } from "../src/colours";
import { BODY_DYNAMIC } from "../src/data/header";
import { newPose } from "../src/data/run";
import { inkGeometry, inkMaterial, type Segment, setInk } from "../src/scene/ink";
import type { LiveRun } from "./live_run";

const POINTS_MOST = 400; // of a path
const PATHS_MOST = 20; // bodies whose paths are drawn
const BEFORE = "#8f99a8"; // colour of the paths of the run before

export type Path = THREE.Vector3[];

/** Segments of a few pixels' width in one colour. */
export class Lines {
  readonly mesh: THREE.Mesh;

  constructor(colour: string, width: number, order: number) {
    const material = inkMaterial({ width, over: true });
    setInk(material, colour);
    this.mesh = new THREE.Mesh(new THREE.BufferGeometry(), material);
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = order;
    this.show([]);
  }

  show(segments: Segment[]): void {
    this.mesh.geometry.dispose();
    this.mesh.geometry = inkGeometry(segments);
    this.mesh.visible = segments.length > 0;
  }

  dispose(): void {
    this.mesh.geometry.dispose();
    (this.mesh.material as THREE.Material).dispose();
  }
}

const alongPath = (path: Path): Segment[] => path.slice(1).map((end, i): Segment => [path[i], end]);

/** Through every body with two loaded joints: from the centre of pressure of the one to that of the other. */
export function thrustOf(run: LiveRun, frame: number, pointOf: (frame: number, contact: number, out: THREE.Vector3) => THREE.Vector3): Segment[] {
  const bodies = run.section("contactBodies");
  const force = run.reals("contactForce");
  const pairs = new Map<string, { bodies: number[]; sum: THREE.Vector3; weight: number }>();
  for (let i = run.contactStart[frame]; i < run.contactStart[frame + 1]; i++) {
    const [a, b] = [bodies[2 * i], bodies[2 * i + 1]];
    const weight = Math.hypot(force[3 * i], force[3 * i + 1], force[3 * i + 2]);
    const pair = pairs.get(`${a} ${b}`) ?? { bodies: [a, b], sum: new THREE.Vector3(), weight: 0 };
    pair.sum.addScaledVector(pointOf(frame, i, new THREE.Vector3()), weight);
    pair.weight += weight;
    pairs.set(`${a} ${b}`, pair);
  }
  const of = new Map<number, Path>();
  for (const { bodies: two, sum, weight } of pairs.values())
    if (weight > 0) for (const body of two) of.set(body, [...(of.get(body) ?? []), sum.clone().divideScalar(weight)]);
  return [...of].flatMap(([body, centres]) => (run.bodyKind(body) === BODY_DYNAMIC && centres.length === 2 ? [centres as unknown as Segment] : []));
}

/** The paths of the bodies' centres since the start, over those of the run before. */
export class Paths {
  readonly root = new THREE.Group();
  readonly now: Path[] = [];
  private readonly lines = new Lines(ACCENT, 2.5, 19);
  private readonly older = new Lines(BEFORE, 2, 18);
  private readonly bodies: number[] = [];
  private taken = -1; // time of the last point, s

  constructor(private readonly run: LiveRun, before: Path[]) {
    for (let body = 0; body < run.bodies && this.bodies.length < PATHS_MOST; body++) if (run.bodyKind(body) === BODY_DYNAMIC) this.bodies.push(body);
    this.older.show(before.flatMap(alongPath));
    this.root.add(this.lines.mesh, this.older.mesh);
  }

  update(frame: number): void {
    const t = this.run.time[frame];
    if (t <= this.taken) return;
    this.taken = t;
    const pose = newPose();
    this.bodies.forEach((body, i) => {
      const path = (this.now[i] ??= []);
      this.run.pose(frame, 0, body, pose);
      path.push(new THREE.Vector3(pose.x, pose.y, pose.z));
      if (path.length > POINTS_MOST) this.now[i] = path.filter((_, k) => k % 2 === 0 || k === path.length - 1);
    });
    this.lines.show(this.now.flatMap(alongPath));
  }

  dispose(): void {
    this.lines.dispose();
    this.older.dispose();
  }
}

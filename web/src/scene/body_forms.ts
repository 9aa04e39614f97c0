// Which forms a run's bodies have: shapes of equal form share a geometry, bodies without a mesh get bars between their contact
// points or, as links of a mechanism, between their joints.
import * as THREE from "three";
import { RoundedBoxGeometry } from "three/examples/jsm/geometries/RoundedBoxGeometry.js";
import { BODY_FIXED, BODY_STATION } from "../data/header";
import { newPose, type Run } from "../data/run";
import { isDrawn, isUnbounded, type Outline, shapeForm } from "./geometry";

export interface Placed {
  body: number;
  local: THREE.Matrix4; // shape's frame in the body's, with its scale
}

export interface Form {
  make: (detail: number) => THREE.BufferGeometry;
  outline?: () => Outline; // in the plane
  placed: Placed[];
}

export interface Forms {
  forms: Map<string, Form>;
  material: string[]; // of each body: of its first shape
}

const APART = 60; // fixed bodies that are drawn each by itself, so that each can fade

type Add = (key: string, form: Omit<Form, "placed">, item: Placed) => void;

/** Balls at the stations of a beam that are no larger than its tube are within it. */
export function inTubes(run: Run): Set<number> {
  const radius = new Map(run.beams.flatMap((beam) => beam.bodies.map((body): [number, number] => [body, beam.radius])));
  const size = run.section("shapeSize");
  const found = new Set<number>();
  for (let s = 0; s < run.section("shapeKind").length; s++) {
    const [ball, ...others] = size.subarray(5 * s, 5 * s + 5);
    if (ball > 0 && others.every((one) => one === 0) && ball <= 1.001 * (radius.get(run.section("shapeIndex")[6 * s]) ?? 0)) found.add(s);
  }
  return found;
}

/** `shapes`: contact shapes in place of drawings; `drawings`: bodies that have any. */
export function formsOf(run: Run, shapes: boolean, drawings: Uint8Array): Forms {
  const forms = new Map<string, Form>();
  const index = run.section("shapeIndex");
  const poses = run.section("shapePose");
  let fixed = 0;
  for (let b = 0; b < run.bodies; b++) fixed += Number(run.bodyKind(b) === BODY_FIXED);
  const add: Add = (key, form, item) => {
    const own = fixed <= APART && run.bodyKind(item.body) === BODY_FIXED ? `${key}#${item.body}` : key;
    const known = forms.get(own);
    if (known) known.placed.push(item);
    else forms.set(own, { ...form, placed: [item] });
  };
  const hidden = inTubes(run);
  const drawn = new Uint8Array(run.bodies);
  const material = new Array<string>(run.bodies).fill("");
  const points = new Map<number, THREE.Vector3[]>();
  for (let s = 0; s < run.section("shapeKind").length; s++) {
    const body = index[6 * s];
    const at = new THREE.Vector3(poses[7 * s], poses[7 * s + 1], poses[7 * s + 2]);
    material[body] ||= run.header.materials[index[6 * s + 1]] ?? "";
    if (drawings[body] && isDrawn(run, s) === shapes) continue;
    if (!shapes && hidden.has(s)) continue;
    if (isUnbounded(run, s)) {
      drawn[body] = 1;
      continue;
    }
    const form = shapeForm(run, s);
    if (!form) {
      points.set(body, [...(points.get(body) ?? []), at]);
      continue;
    }
    drawn[body] = 1;
    const turn = new THREE.Quaternion(poses[7 * s + 4], poses[7 * s + 5], poses[7 * s + 6], poses[7 * s + 3]);
    add(form.key, form, { body, local: new THREE.Matrix4().compose(at, turn, new THREE.Vector3(...form.scale)) });
  }
  addBars(run, drawn, points, add);
  return { forms, material };
}

// points of links that have no shape: their joints
function addJointPoints(run: Run, drawn: Uint8Array, points: Map<number, THREE.Vector3[]>): void {
  const pose = newPose();
  for (const joint of run.header.joints)
    for (const body of joint.bodies) {
      if (drawn[body] || run.bodyKind(body) === BODY_FIXED || run.bodyKind(body) === BODY_STATION) continue;
      run.pose(0, 0, body, pose);
      const back = new THREE.Quaternion(pose.qx, pose.qy, pose.qz, pose.qw).invert();
      const at = new THREE.Vector3(...joint.point).sub(new THREE.Vector3(pose.x, pose.y, pose.z)).applyQuaternion(back);
      points.set(body, [...(points.get(body) ?? []), at]);
    }
}

/** A capsule along z as an outline in the plane of z and x, for bars. */
const barOutline = (long: number) => (): Outline => ({
  curves: [new THREE.Path().absarc(0, long / 2, 1, 0, Math.PI).absarc(0, -long / 2, 1, Math.PI, 2 * Math.PI).closePath().getPoints(16)],
  turn: new THREE.Matrix4().makeBasis(new THREE.Vector3(1, 0, 0), new THREE.Vector3(0, 0, 1), new THREE.Vector3(0, -1, 0)),
});

function addBars(run: Run, drawn: Uint8Array, points: Map<number, THREE.Vector3[]>, add: Add): void {
  addJointPoints(run, drawn, points);
  const near = 1e-3 * run.header.steps.reach; // positions are rounded
  const thick = 0.07 * run.header.steps.reach;
  for (const [body, ends] of points) {
    if (drawn[body]) continue;
    const corners = ends.filter((end, i) => ends.findIndex((other) => other.distanceTo(end) < near) === i);
    if (corners.length === 1 && corners[0].length() > near) corners.push(new THREE.Vector3());
    if (corners.length === 1) {
      const size = new THREE.Vector3(5 * thick, 3 * thick, 3 * thick);
      const square = () => ({ curves: [[[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5], [-0.5, -0.5]].map(([x, y]) => new THREE.Vector2(x, y))] });
      add("block", { make: () => new RoundedBoxGeometry(1, 1, 1, 3, 0.12), outline: square }, { body, local: new THREE.Matrix4().scale(size) });
    }
    for (let i = 0; i + 1 < corners.length || (i + 1 === corners.length && i > 1); i++) {
      const from = corners[i];
      const to = corners[(i + 1) % corners.length];
      const along = to.clone().sub(from);
      const length = along.length();
      if (length < 1e-9) continue;
      along.normalize();
      // in the plane the bar's axis x stays in the plane, so that its outline does
      const turn = run.plane
        ? new THREE.Quaternion().setFromRotationMatrix(new THREE.Matrix4().makeBasis(new THREE.Vector3(-along.y, along.x, 0), new THREE.Vector3(0, 0, 1), along))
        : new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 0, 1), along);
      const middle = from.clone().add(to).multiplyScalar(0.5);
      const make = () => new THREE.CapsuleGeometry(1, length / thick, 6, 16).rotateX(Math.PI / 2);
      const local = new THREE.Matrix4().compose(middle, turn, new THREE.Vector3(thick, thick, thick));
      add(`bar:${(length / thick).toFixed(2)}`, { make, outline: barOutline(length / thick) }, { body, local });
    }
  }
}

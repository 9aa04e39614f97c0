// Sizes and places of bodies, from their shapes.
import * as THREE from "three";
import { BODY_FIXED } from "./header";
import { newPose, type Run } from "./run";

interface Bounds {
  body: number;
  centre: THREE.Vector3; // in the body's frame
  half: THREE.Vector3; // along the shape's axes
  turn: THREE.Quaternion; // of the shape in the body's frame
}

/** A box around a shape; null: unbounded. */
function boundsOf(run: Run, s: number): Bounds | null {
  const kind = run.header.shapeKinds[run.section("shapeKind")[s]];
  if (kind === "half-space" || kind === "half-plane") return null;
  const [radius, along, hx, hy, hz] = run.section("shapeSize").subarray(5 * s, 5 * s + 5);
  const pose = run.section("shapePose").subarray(7 * s, 7 * s + 7);
  const [body, , first, count] = run.section("shapeIndex").subarray(6 * s, 6 * s + 4);
  const vertices = run.section("vertices");
  const box = new THREE.Box3(new THREE.Vector3(-hx, -hy, -hz), new THREE.Vector3(hx, hy, hz)).expandByScalar(radius);
  if (along > 0) box.expandByVector(run.plane ? new THREE.Vector3(along, 0, 0) : new THREE.Vector3(0, 0, along));
  for (let v = first; v < first + count; v++) box.expandByPoint(new THREE.Vector3().fromArray(vertices, 3 * v));
  const turn = new THREE.Quaternion(pose[4], pose[5], pose[6], pose[3]);
  const centre = box.getCenter(new THREE.Vector3()).applyQuaternion(turn).add(new THREE.Vector3(pose[0], pose[1], pose[2]));
  return { body, centre, half: box.getSize(new THREE.Vector3()).multiplyScalar(0.5), turn };
}

/** How far each body's shapes reach from its centre of mass, about; 0 for one without bounded shapes. */
export function reaches(run: Run): Float32Array {
  const reach = new Float32Array(run.bodies);
  for (let s = 0; s < run.section("shapeKind").length; s++) {
    const bounds = boundsOf(run, s);
    if (bounds) reach[bounds.body] = Math.max(reach[bounds.body], bounds.centre.length() + bounds.half.length());
  }
  return reach;
}

/** Boxes in the world around the bounded shapes of fixed bodies. */
export function fixedBoxes(run: Run): THREE.Box3[] {
  const boxes: THREE.Box3[] = [];
  const pose = newPose();
  for (let s = 0; s < run.section("shapeKind").length; s++) {
    const bounds = boundsOf(run, s);
    if (!bounds || run.bodyKind(bounds.body) !== BODY_FIXED) continue;
    run.pose(0, 0, bounds.body, pose);
    const turn = new THREE.Quaternion(pose.qx, pose.qy, pose.qz, pose.qw);
    const place = new THREE.Matrix4().compose(
      bounds.centre.clone().applyQuaternion(turn).add(new THREE.Vector3(pose.x, pose.y, pose.z)),
      turn.multiply(bounds.turn),
      new THREE.Vector3(1, 1, 1),
    );
    boxes.push(new THREE.Box3(bounds.half.clone().negate(), bounds.half).applyMatrix4(place));
  }
  return boxes;
}

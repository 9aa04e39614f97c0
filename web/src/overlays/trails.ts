// The paths that centres of mass have taken.
import * as THREE from "three";
import { newPose, type Run } from "../data/run";

/** The paths that bodies' centres of mass have taken. */
export class Trails {
  readonly root = new THREE.Group();
  private frames = -1;

  constructor(private readonly run: Run) {}

  show(bodies: number[], colours: THREE.Color[]): void {
    for (const child of this.root.children as THREE.Line[]) child.geometry.dispose();
    this.root.clear();
    const pose = newPose();
    for (const body of bodies) {
      const points = new Float32Array(3 * this.run.frames);
      for (let k = 0; k < this.run.frames; k++) {
        this.run.pose(k, 0, body, pose);
        points.set([pose.x, pose.y, this.run.plane ? 0.45 * this.run.header.steps.reach : pose.z], 3 * k);
      }
      const geometry = new THREE.BufferGeometry();
      geometry.setAttribute("position", new THREE.BufferAttribute(points, 3));
      const line = new THREE.Line(geometry, new THREE.LineBasicMaterial({ color: colours[body], transparent: true, opacity: 0.85 }));
      line.frustumCulled = false;
      this.root.add(line);
    }
    this.update(this.frames);
  }

  update(frame: number): void {
    this.frames = frame;
    for (const child of this.root.children as THREE.Line[]) child.geometry.setDrawRange(0, frame + 1);
  }
}

// Surfaces that move while their shapes stay: belts, rollers, turntables. Chevrons spread over the surface point along its
// motion and travel with it; their size says how fast a place is, against the fastest of the run. In the plane they lie on
// the front face, along the rim.
import * as THREE from "three";
import type { Theme } from "../colours";
import { LOOKS } from "../colours";
import { newPose, type Run } from "../data/run";
import { isUnbounded, plateDepth, shapeDepth, shapeForm } from "./geometry";

interface Spot {
  at: THREE.Vector3; // in the shape's frame, m
  normal: THREE.Vector3;
}

interface Facet {
  a: THREE.Vector3;
  b: THREE.Vector3;
  c: THREE.Vector3;
  normal: THREE.Vector3;
}

interface Scatter {
  spots: Spot[];
  gap: number; // between spots, m
  facets: Facet[]; // of the shape; none: unbounded, or in the plane
}

interface Belt extends Scatter {
  surface: number; // row of the sections
  body: number;
  local: THREE.Matrix4; // shape's frame in the body's
  first: number; // instance of its first spot
}

const SPOTS = 140; // of a shape, about
const ACROSS = 9; // spots across an unbounded surface, each way

// a fixed sequence of numbers in [0, 1): the same picture every time
function dice(): () => number {
  let state = 20;
  return () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
}

function chevron(): THREE.BufferGeometry {
  const outline = [[-0.5, -0.5], [-0.1, -0.5], [0.5, 0], [-0.1, 0.5], [-0.5, 0.5], [0.1, 0]];
  return new THREE.ShapeGeometry(new THREE.Shape(outline.map(([x, y]) => new THREE.Vector2(x, y))));
}

/** Points of triangles, none nearer to another than `gap`: darts by area, which is much the same everywhere. */
function scatter(geometry: THREE.BufferGeometry, scale: THREE.Vector3, plane: boolean): Scatter {
  const flat = geometry.index ? geometry.toNonIndexed() : geometry;
  const points = flat.getAttribute("position");
  const corners = Array.from({ length: points.count }, (_, i) => new THREE.Vector3().fromBufferAttribute(points, i).multiply(scale));
  const triangles: (Facet & { upTo: number })[] = [];
  let area = 0;
  for (let i = 0; i + 2 < corners.length; i += 3) {
    const [a, b, c] = corners.slice(i, i + 3);
    const normal = b.clone().sub(a).cross(c.clone().sub(a));
    const size = 0.5 * normal.length();
    normal.normalize();
    if (!(size > 0) || (plane && Math.abs(normal.z) > 0.2)) continue; // in the plane: the rim
    triangles.push({ a, b, c, normal, upTo: (area += size) });
  }
  const length = plane ? area / Math.max(1e-12, shapeExtent(corners)) : area;
  const gap = plane ? length / 24 : 1.2 * Math.sqrt(area / SPOTS);
  const spots: Spot[] = [];
  const draw = dice();
  for (let dart = 0; dart < 30 * SPOTS && triangles.length; dart++) {
    const level = draw() * area;
    const { a, b, c, normal } = triangles.find(({ upTo }) => level < upTo) ?? triangles[0];
    const [u, v] = [Math.sqrt(draw()), draw()];
    const at = a.clone().multiplyScalar(1 - u).addScaledVector(b, u * (1 - v)).addScaledVector(c, u * v);
    if (plane) at.z = 0;
    if (spots.every((other) => other.at.distanceTo(at) >= 0.85 * gap)) spots.push({ at, normal });
  }
  return { spots, gap, facets: plane ? [] : triangles };
}

const triangle = new THREE.Triangle();
const nearest = new THREE.Vector3();

/** The point is on the part of the surface that faces this way: what travels over an edge is not drawn beyond it. */
function isOn({ facets, gap }: Scatter, at: THREE.Vector3, normal: THREE.Vector3): boolean {
  return (
    facets.length === 0 ||
    facets.some((facet) => {
      if (facet.normal.dot(normal) < 0.8) return false;
      triangle.set(facet.a, facet.b, facet.c).closestPointToPoint(at, nearest);
      const off = nearest.sub(at);
      const across = off.dot(facet.normal);
      return Math.abs(across) < 0.3 * gap && off.addScaledVector(facet.normal, -across).length() < 0.01 * gap;
    })
  );
}

// thickness of a plane shape
const shapeExtent = (corners: THREE.Vector3[]): number =>
  Math.max(...corners.map((p) => p.z)) - Math.min(...corners.map((p) => p.z));

export class Belts {
  readonly root = new THREE.Group();
  private readonly belts: Belt[] = [];
  private readonly mesh: THREE.InstancedMesh | null = null;
  private readonly material = new THREE.MeshBasicMaterial({ side: THREE.DoubleSide, transparent: true, opacity: 0.75, depthWrite: false });
  private readonly way: Float64Array; // per frame and surface: lengths and angles gone so far, 2 each
  private readonly fastest: number;

  constructor(private readonly run: Run, extent: { centre: THREE.Vector3; radius: number }) {
    const shapes = run.section("surfaceShape");
    let instances = 0;
    for (let i = 0; i < shapes.length; i++) {
      const belt = this.belt(i, shapes[i], extent);
      belt.first = instances;
      instances += belt.spots.length;
      this.belts.push(belt);
    }
    this.way = this.ways();
    this.fastest = this.findFastest();
    if (!instances) return;
    this.mesh = new THREE.InstancedMesh(chevron(), this.material, instances);
    this.mesh.instanceMatrix.setUsage(THREE.DynamicDrawUsage);
    this.mesh.frustumCulled = false;
    this.root.add(this.mesh);
  }

  get count(): number {
    return this.belts.length;
  }

  private belt(surface: number, shape: number, extent: { centre: THREE.Vector3; radius: number }): Belt {
    const { run } = this;
    const p = run.section("shapePose").subarray(7 * shape, 7 * shape + 7);
    const local = new THREE.Matrix4().compose(
      new THREE.Vector3(p[0], p[1], p[2]),
      new THREE.Quaternion(p[4], p[5], p[6], p[3]),
      new THREE.Vector3(1, 1, 1),
    );
    const body = run.section("shapeIndex")[6 * shape];
    const form = shapeForm(run, shape);
    const found = form
      ? scatter(form.make(2), new THREE.Vector3(...form.scale), run.plane)
      : isUnbounded(run, shape)
        ? this.lattice(body, local, extent)
        : { spots: [], gap: 1, facets: [] };
    return { surface, body, local, first: 0, ...found };
  }

  // an unbounded surface: spots in the middle of the scene
  private lattice(body: number, local: THREE.Matrix4, extent: { centre: THREE.Vector3; radius: number }): Scatter {
    const pose = newPose();
    this.run.pose(0, 0, body, pose);
    const place = new THREE.Matrix4().compose(
      new THREE.Vector3(pose.x, pose.y, pose.z),
      new THREE.Quaternion(pose.qx, pose.qy, pose.qz, pose.qw),
      new THREE.Vector3(1, 1, 1),
    );
    const centre = extent.centre.clone().applyMatrix4(place.multiply(local).invert());
    const gap = (2 * extent.radius) / ACROSS;
    const spots: Spot[] = [];
    const rows = this.run.plane ? [0] : Array.from({ length: ACROSS }, (_, i) => (i - (ACROSS - 1) / 2) * gap);
    for (const y of rows)
      for (let i = 0; i < ACROSS; i++) {
        const x = centre.x + (i - (ACROSS - 1) / 2) * gap;
        const at = this.run.plane ? new THREE.Vector3(x, 0, 0) : new THREE.Vector3(x, centre.y + y, 0);
        spots.push({ at, normal: this.run.plane ? new THREE.Vector3(0, 1, 0) : new THREE.Vector3(0, 0, 1) });
      }
    return { spots, gap, facets: [] };
  }

  private vector(section: string, frame: number, surface: number): THREE.Vector3 {
    const at = 3 * (frame * this.belts.length + surface);
    const all = this.run.reals(section);
    return new THREE.Vector3(all[at], all[at + 1], all[at + 2]);
  }

  private ways(): Float64Array {
    const { run, belts } = this;
    const way = new Float64Array(2 * run.frames * belts.length);
    for (let k = 1; k < run.frames; k++)
      for (let i = 0; i < belts.length; i++)
        ["surfaceVelocity", "surfaceSpin"].forEach((name, part) => {
          const mean = 0.5 * (this.vector(name, k - 1, i).length() + this.vector(name, k, i).length());
          const at = 2 * (k * belts.length + i) + part;
          way[at] = way[at - 2 * belts.length] + mean * (run.time[k] - run.time[k - 1]);
        });
    return way;
  }

  private findFastest(): number {
    let fastest = 0;
    for (let k = 0; k < this.run.frames; k++)
      for (const { surface, spots } of this.belts) {
        const arm = Math.max(0, ...spots.map(({ at }) => at.length()));
        const speed = this.vector("surfaceVelocity", k, surface).length() + arm * this.vector("surfaceSpin", k, surface).length();
        fastest = Math.max(fastest, speed);
      }
    return fastest;
  }

  setTheme(theme: Theme): void {
    this.material.color.set(LOOKS[theme].belt);
  }

  update(frame: number, part: number, visible: Uint8Array): void {
    if (!this.mesh) return;
    const pose = newPose();
    for (const belt of this.belts) {
      this.run.pose(frame, part, belt.body, pose);
      const place = new THREE.Matrix4().compose(
        new THREE.Vector3(pose.x, pose.y, pose.z),
        new THREE.Quaternion(pose.qx, pose.qy, pose.qz, pose.qw),
        new THREE.Vector3(1, 1, 1),
      );
      this.place(belt, frame, part, place.multiply(belt.local), visible[belt.body] === 1);
    }
    this.mesh.instanceMatrix.needsUpdate = true;
  }

  /** How the surface moves at a spot, in the shape's frame, m/s: along the surface. */
  private motion({ at, normal }: Spot, velocity: THREE.Vector3, spin: THREE.Vector3): THREE.Vector3 {
    const along = this.run.plane ? new THREE.Vector3(normal.y, -normal.x, 0).multiplyScalar(velocity.x) : velocity.clone();
    along.add(spin.clone().cross(at));
    return along.addScaledVector(normal, -along.dot(normal));
  }

  private place(belt: Belt, frame: number, part: number, place: THREE.Matrix4, shown: boolean): void {
    const { run, mesh, way } = this;
    const back = new THREE.Quaternion().setFromRotationMatrix(belt.local).invert(); // sections are in the body's frame
    const spin = this.vector("surfaceSpin", frame, belt.surface).applyQuaternion(back);
    let velocity = this.vector("surfaceVelocity", frame, belt.surface);
    if (!run.plane) velocity = velocity.applyQuaternion(back);
    const next = Math.min(frame + 1, run.frames - 1);
    const gone = [0, 1].map((k) => {
      const of = (f: number) => way[2 * (f * this.belts.length + belt.surface) + k];
      return of(frame) + part * (of(next) - of(frame));
    });
    const lift = 0.004 * belt.gap;
    belt.spots.forEach((spot, i) => {
      const motion = this.motion(spot, velocity, spin);
      const speed = motion.length();
      const matrix = new THREE.Matrix4();
      if (!shown || !(speed > 1e-6 * this.fastest)) {
        mesh!.setMatrixAt(belt.first + i, matrix.makeScale(0, 0, 0));
        return;
      }
      const x = motion.divideScalar(speed);
      // gone by this spot: a share of the lengths and of the angles times its arm
      const arm = spin.lengthSq() > 0 ? spin.clone().normalize().cross(spot.at).length() : 0;
      const phase = ((gone[0] + arm * gone[1]) / belt.gap) % 1;
      const up = run.plane ? new THREE.Vector3(0, 0, 1) : spot.normal;
      const size = 0.6 * belt.gap * (0.35 + (0.65 * speed) / this.fastest) * Math.sin(Math.PI * (0.15 + 0.7 * phase));
      const at = spot.at.clone().addScaledVector(x, (phase - 0.5) * belt.gap);
      const ends = [-0.5 * size, 0.5 * size].map((way) => at.clone().addScaledVector(x, way));
      if (!ends.every((end) => isOn(belt, end, spot.normal))) {
        mesh!.setMatrixAt(belt.first + i, matrix.makeScale(0, 0, 0));
        return;
      }
      if (run.plane) at.addScaledVector(spot.normal, -0.6 * size).setZ(0.5 * this.depth(belt) + lift);
      else at.addScaledVector(up, lift + 0.002 * belt.gap);
      matrix.makeBasis(x, up.clone().cross(x), up).scale(new THREE.Vector3(size, size, size)).setPosition(at);
      mesh!.setMatrixAt(belt.first + i, matrix.premultiply(place));
    });
  }

  // of the plane shape as it is drawn
  private depth({ surface }: Belt): number {
    const shape = this.run.section("surfaceShape")[surface];
    return isUnbounded(this.run, shape) ? plateDepth(this.run) : shapeDepth(this.run);
  }
}

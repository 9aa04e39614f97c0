// Shapes as triangle meshes. A geometry is shared by all shapes of equal form; what differs by scale alone is scaled.
import * as THREE from "three";
import { ConvexGeometry } from "three/examples/jsm/geometries/ConvexGeometry.js";
import { RoundedBoxGeometry } from "three/examples/jsm/geometries/RoundedBoxGeometry.js";
import type { Run } from "../data/run";

/** Closed curves around a plane shape, in its frame or in one that `turn` turns into it. */
export interface Outline {
  curves: THREE.Vector2[][];
  turn?: THREE.Matrix4;
}

export interface ShapeForm {
  key: string; // equal keys share a geometry
  outline?: () => Outline; // in the plane
  scale: [number, number, number];
  make(detail: number): THREE.BufferGeometry;
}

/** Thickness of plane shapes as they are drawn, and of half-planes, m. */
export const shapeDepth = (run: Run): number => 0.5 * run.header.steps.reach;
export const plateDepth = (run: Run): number => 0.6 * run.header.steps.reach;

function extruded(outline: THREE.Shape, depth: number, holes = 24): THREE.BufferGeometry {
  const geometry = new THREE.ExtrudeGeometry(outline, {
    depth,
    bevelEnabled: true,
    bevelSize: 0.04 * depth,
    bevelOffset: -0.04 * depth,
    bevelThickness: 0.04 * depth,
    bevelSegments: 2,
    curveSegments: holes,
  });
  geometry.translate(0, 0, -0.5 * depth);
  return geometry;
}

function heightField(points: Float32Array, columns: number, rows: number): THREE.BufferGeometry {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(points, 3));
  const index: number[] = [];
  for (let r = 0; r + 1 < rows; r++)
    for (let c = 0; c + 1 < columns; c++) {
      const a = r * columns + c;
      index.push(a, a + 1, a + columns + 1, a, a + columns + 1, a + columns);
    }
  geometry.setIndex(index);
  geometry.computeVertexNormals();
  return geometry;
}

function fingerprint(points: Float32Array): string {
  let h = 2166136261;
  const words = new Uint32Array(points.buffer, points.byteOffset, points.length);
  for (const word of words) h = Math.imul(h ^ word, 16777619);
  return `${points.length}:${h}`;
}

function convex(points: Float32Array): THREE.BufferGeometry {
  const corners: THREE.Vector3[] = [];
  for (let i = 0; i < points.length; i += 3) corners.push(new THREE.Vector3(points[i], points[i + 1], points[i + 2]));
  return new ConvexGeometry(corners);
}

// corners in threes
function triangles(points: Float32Array): THREE.BufferGeometry {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(points, 3));
  geometry.computeVertexNormals();
  return geometry;
}

// detail 0: few bodies, fine meshes ... 3: a hundred thousand bodies, the fewest triangles that still read as the shape
const ROUND = [40, 24, 14, 8];

// from three's axis y to the axis z of our shapes
const upright = (geometry: THREE.BufferGeometry) => geometry.rotateX(Math.PI / 2);

function box(x: number, y: number, z: number, detail: number): THREE.BufferGeometry {
  if (detail > 1) return new THREE.BoxGeometry(2 * x, 2 * y, 2 * z);
  return new RoundedBoxGeometry(2 * x, 2 * y, 2 * z, detail === 0 ? 3 : 1, 0.06 * Math.min(x, y, z));
}

/** The rim of a plane shape; null: it has none. */
function planeCurve(kind: string, [radius, half, hx, hy]: ArrayLike<number> & Iterable<number>, points: () => Float32Array): (() => THREE.Shape) | null {
  const through = (corners: number[][]) => new THREE.Shape(corners.map(([x, y]) => new THREE.Vector2(x, y)));
  switch (kind) {
    case "disk":
      return () => new THREE.Shape().absarc(0, 0, radius, 0, 2 * Math.PI);
    case "box":
      return () => through([[-hx, -hy], [hx, -hy], [hx, hy], [-hx, hy]]);
    case "capsule":
      return () => new THREE.Shape().absarc(half, 0, radius, -Math.PI / 2, Math.PI / 2).absarc(-half, 0, radius, Math.PI / 2, (3 * Math.PI) / 2);
    case "polygon":
      return () => {
        const at = points();
        return through(Array.from({ length: at.length / 3 }, (_, i) => [at[3 * i], at[3 * i + 1]]));
      };
    default:
      return null;
  }
}

/** null: a shape without a mesh of its own (points, unbounded shapes). */
export function shapeForm(run: Run, shape: number): ShapeForm | null {
  const kind = run.header.shapeKinds[run.section("shapeKind")[shape]];
  const size = run.section("shapeSize").subarray(5 * shape, 5 * shape + 5) as Float32Array;
  const [radius, half, hx, hy, hz] = size;
  const index = run.section("shapeIndex").subarray(6 * shape, 6 * shape + 6);
  const points = () => run.section("vertices").slice(3 * index[2], 3 * (index[2] + index[3])) as Float32Array;
  const depth = shapeDepth(run);
  const one: [number, number, number] = [1, 1, 1];
  const same = `${kind}:${Array.from(size, (x) => x.toPrecision(5)).join()}`;
  if (run.plane) {
    const curve = planeCurve(kind, size, points);
    if (!curve) return null;
    const key = kind === "polygon" ? `polygon:${fingerprint(points())}` : same;
    const outline = () => {
      const around = curve().getPoints(ROUND[0] / 2);
      return { curves: [[...around, around[0]]] };
    };
    return { key, scale: one, outline, make: (d) => extruded(curve(), depth, kind === "disk" || kind === "capsule" ? ROUND[d] : undefined) };
  }
  switch (kind) {
    case "sphere":
      return { key: kind, scale: [radius, radius, radius], make: (d) => upright(new THREE.SphereGeometry(1, ROUND[d], ROUND[d] / 2)) };
    case "ellipsoid":
      return { key: "sphere", scale: [hx, hy, hz], make: (d) => upright(new THREE.SphereGeometry(1, ROUND[d], ROUND[d] / 2)) };
    case "box":
      return { key: same, scale: one, make: (d) => box(hx, hy, hz, d) };
    case "capsule":
      return { key: same, scale: one, make: (d) => upright(new THREE.CapsuleGeometry(radius, 2 * half, ROUND[d] / 4, ROUND[d])) };
    case "cylinder":
      return { key: kind, scale: [radius, radius, half], make: (d) => upright(new THREE.CylinderGeometry(1, 1, 2, ROUND[d])) };
    case "cone":
      return { key: kind, scale: [radius, radius, half], make: (d) => upright(new THREE.ConeGeometry(1, 2, ROUND[d])) };
    case "convex": {
      const corners = points();
      if (isDrawn(run, shape)) return { key: `mesh:${fingerprint(corners)}`, scale: one, make: () => triangles(corners) };
      return { key: `convex:${fingerprint(corners)}`, scale: one, make: () => convex(corners) };
    }
    case "height-field": {
      const corners = points();
      return { key: `field:${shape}`, scale: one, make: () => heightField(corners, index[4], index[5]) };
    }
    default:
      return null;
  }
}

/** A shape that is drawn only: no contact, no mass. */
export const isDrawn = (run: Run, shape: number): boolean => run.section("shapeDrawn")[shape] === 1;

export function isUnbounded(run: Run, shape: number): boolean {
  const kind = run.header.shapeKinds[run.section("shapeKind")[shape]];
  return kind === "half-space" || kind === "half-plane";
}

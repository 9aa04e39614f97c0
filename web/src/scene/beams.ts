// Flexible beams as tubes along their centrelines, in space as in the plane. A tube's corners are placed anew for every picture:
// beams are few, and every point moves by itself. In the plane a tube has an outline, like every body.
import * as THREE from "three";
import { bodyColour, LOOKS, type Theme } from "../colours";
import type { Run } from "../data/run";
import { inkGeometry, inkMaterial, type Segment, setInk } from "./ink";
import { type Lights, surfaceMaterial } from "./lights";
import type { Quality } from "../quality";

const AROUND = 10; // corners of a cross-section
const THINNEST = 0.003; // of the scene's radius: thinner ones could not be seen

interface Tube {
  first: number; // of its points among all
  points: number;
  radius: number;
  mesh: THREE.Mesh<THREE.BufferGeometry, THREE.MeshStandardMaterial | THREE.MeshLambertMaterial | THREE.ShaderMaterial>;
  outline: THREE.Mesh | null; // in the plane
}

// rings of corners, closed by a fan at either end
function tubeGeometry(points: number): THREE.BufferGeometry {
  const corners = points * AROUND + 2;
  const index: number[] = [];
  for (let p = 0; p + 1 < points; p++)
    for (let i = 0; i < AROUND; i++) {
      const [a, b] = [p * AROUND + i, p * AROUND + ((i + 1) % AROUND)];
      index.push(a, b, b + AROUND, a, b + AROUND, a + AROUND);
    }
  const last = (points - 1) * AROUND;
  for (let i = 0; i < AROUND; i++) {
    const next = (i + 1) % AROUND;
    index.push(corners - 2, next, i, corners - 1, last + i, last + next);
  }
  const geometry = new THREE.BufferGeometry();
  for (const name of ["position", "normal"])
    geometry.setAttribute(name, new THREE.BufferAttribute(new Float32Array(3 * corners), 3).setUsage(THREE.DynamicDrawUsage));
  geometry.setIndex(index);
  return geometry;
}

export class Beams {
  readonly root = new THREE.Group();
  private tubes: Tube[] = [];
  private quality: Quality = "fine";
  private ghost = false;
  private readonly ink = inkMaterial({ width: 1.6, lift: 0.05 });
  private readonly width: number; // numbers of a frame

  constructor(private readonly run: Run, private readonly lights: Lights, private readonly extent: number) {
    this.width = 3 * run.beams.reduce((sum, beam) => sum + beam.points, 0);
  }

  static colour(index: number, name: string): THREE.Color {
    return bodyColour(index + 2, "", name);
  }

  /** Makes what is drawn, anew when the quality changes. */
  build(quality: Quality): void {
    this.dispose();
    this.quality = quality;
    let first = 0;
    for (const [b, { name, points, radius }] of this.run.beams.entries()) {
      const mesh = new THREE.Mesh(tubeGeometry(points), this.material());
      mesh.castShadow = mesh.receiveShadow = true;
      mesh.frustumCulled = false;
      const { material } = mesh;
      (material instanceof THREE.ShaderMaterial ? material.uniforms.tint.value : material.color).copy(Beams.colour(b, name));
      const outline = this.run.plane ? new THREE.Mesh(new THREE.BufferGeometry(), this.ink) : null;
      if (outline) outline.frustumCulled = false;
      this.tubes.push({ first, points, radius: Math.max(radius, THINNEST * this.extent), mesh, outline });
      this.root.add(mesh);
      if (outline) this.root.add(outline);
      first += points;
    }
    this.setGhost(this.ghost);
  }

  private material(): Tube["mesh"]["material"] {
    if (this.quality === "fast") return surfaceMaterial(this.lights, { varies: true });
    return this.quality === "fine" ? new THREE.MeshStandardMaterial({ roughness: 0.45, metalness: 0.05 }) : new THREE.MeshLambertMaterial();
  }

  setTheme(theme: Theme): void {
    setInk(this.ink, LOOKS[theme].line);
  }

  setGhost(ghost: boolean): void {
    this.ghost = ghost;
    for (const { mesh } of this.tubes) {
      mesh.material.transparent = ghost;
      mesh.material.opacity = ghost ? 0.28 : 1;
      mesh.material.needsUpdate = true;
    }
  }

  update(frame: number, part: number): void {
    const points = this.run.section("beamPoint");
    const step = this.run.header.steps.position;
    const ahead = frame + 1 < this.run.frames ? this.width : 0;
    const at = (tube: Tube, p: number, out: THREE.Vector3) => {
      const i = frame * this.width + 3 * (tube.first + p);
      const mix = (k: number) => (points[i + k] + part * (points[i + ahead + k] - points[i + k])) * step;
      return out.set(mix(0), mix(1), mix(2));
    };
    for (const tube of this.tubes) this.place(tube, (p, out) => at(tube, p, out));
  }

  // cross-sections carried along the curve without twist
  private place({ points, radius, mesh, outline }: Tube, at: (p: number, out: THREE.Vector3) => THREE.Vector3): void {
    const position = mesh.geometry.getAttribute("position");
    const normal = mesh.geometry.getAttribute("normal");
    const [here, before, after] = [new THREE.Vector3(), new THREE.Vector3(), new THREE.Vector3()];
    const [along, side, other, out] = [new THREE.Vector3(), new THREE.Vector3(), new THREE.Vector3(), new THREE.Vector3()];
    const sides: [THREE.Vector3[], THREE.Vector3[]] = [[], []];
    for (let p = 0; p < points; p++) {
      at(p, here);
      at(Math.max(0, p - 1), before);
      at(Math.min(points - 1, p + 1), after);
      along.subVectors(after, before).normalize();
      if (p === 0) side.set(Math.abs(along.z) < 0.9 ? 0 : 1, 0, Math.abs(along.z) < 0.9 ? 1 : 0);
      side.addScaledVector(along, -side.dot(along)).normalize();
      other.crossVectors(along, side);
      if (outline) sides.forEach((points, i) => points.push(here.clone().addScaledVector(other, i ? -radius : radius)));
      for (let i = 0; i < AROUND; i++) {
        const angle = (2 * Math.PI * i) / AROUND;
        out.copy(side).multiplyScalar(Math.cos(angle)).addScaledVector(other, Math.sin(angle));
        normal.setXYZ(p * AROUND + i, out.x, out.y, out.z);
        out.multiplyScalar(radius).add(here);
        position.setXYZ(p * AROUND + i, out.x, out.y, out.z);
      }
      if (p !== 0 && p !== points - 1) continue;
      const cap = points * AROUND + (p === 0 ? 0 : 1);
      if (p === 0) along.negate();
      position.setXYZ(cap, here.x, here.y, here.z);
      normal.setXYZ(cap, along.x, along.y, along.z);
      if (p === 0) along.negate();
    }
    position.needsUpdate = normal.needsUpdate = true;
    if (!outline) return;
    const round = [...sides[0], ...sides[1].reverse()];
    inkGeometry(round.map((from, i): Segment => [from, round[(i + 1) % round.length]]), outline.geometry);
  }

  dispose(): void {
    for (const { mesh, outline } of this.tubes) {
      outline?.geometry.dispose();
      mesh.geometry.dispose();
      mesh.material.dispose();
    }
    this.root.clear();
    this.tubes = [];
  }
}

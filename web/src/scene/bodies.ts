// The bodies of a run as instanced meshes: one draw call per form, whatever the number of bodies; in the fast picture as a
// swarm (swarm.ts). A new frame costs no allocation: poses go from the run's integers straight into the arrays drawn.
// In the plane bodies are drawn flat with their outlines. What is picked has a rim (rim.ts).
import * as THREE from "three";
import { bodyColour, LOOKS, type Theme } from "../colours";
import { BODY_DYNAMIC, BODY_FIXED, BODY_STATION } from "../data/header";
import type { Run } from "../data/run";
import type { Quality } from "../quality";
import { Beams } from "./beams";
import { type Form, formsOf, inTubes, type Placed } from "./body_forms";
import { inkMaterial, placedLines, type Segment, setInk } from "./ink";
import type { Lights } from "./lights";
import { Rim } from "./rim";
import { sectors } from "./sectors";
import { type Crowd, Swarm } from "./swarm";

export interface Group extends Crowd {
  mesh: THREE.InstancedMesh | null; // null: part of the swarm
  outline: THREE.Mesh | null;
  local: Float32Array; // 12 per instance: three columns and the origin
}

type BodyMaterial = THREE.MeshStandardMaterial | THREE.MeshLambertMaterial | THREE.MeshBasicMaterial;

const LEVELS = [400, 4000, 30000]; // bodies up to which details 0, 1, 2 are used
const FEW = 300; // bodies that do not need the coarsest meshes in the plain and the fast picture
const SEEN_THROUGH = 0.28;
const FADED = 0.18; // fixed bodies in front of free ones

const ROUND_KINDS = /^(sphere|ellipsoid|cylinder|cone|capsule)/;

function detailFor(bodies: number, quality: Quality): number {
  if (quality !== "fine" && bodies > FEW) return 3;
  const level = LEVELS.findIndex((most) => bodies <= most);
  return Math.min(3, (level < 0 ? 3 : level) + (quality === "fine" ? 0 : 1));
}

export class Bodies {
  readonly root = new THREE.Group();
  readonly rim: Rim;
  readonly colours: THREE.Color[] = [];
  readonly visible: Uint8Array;
  detail = 0;
  private forms = new Map<string, Form>();
  private groups: Group[] = [];
  private swarm: Swarm | null = null;
  private materials: BodyMaterial[] = [];
  private fading: THREE.InstancedMesh[] = []; // those that hold nothing but fixed bodies: others never fade
  private readonly ink = inkMaterial({ width: 1.4, lift: 0.06, placed: true });
  private readonly poses: Float32Array; // 12 per body: rotation by columns, position
  private quality: Quality = "fine";
  private theme: Theme = "light";
  private ghost = false;
  private tint: THREE.Color | null = null; // of all bodies: another run's
  private readonly faded = new Set<number>();
  private contactShapes = false; // also of bodies that have drawings
  private readonly drawings: Uint8Array; // bodies: 1 where there are any

  constructor(private readonly run: Run, private readonly lights: Lights) {
    this.visible = new Uint8Array(run.bodies).fill(1);
    this.poses = new Float32Array(12 * run.bodies);
    this.drawings = new Uint8Array(run.bodies);
    this.rim = new Rim(run.plane);
    run.section("shapeDrawn").forEach((drawn, s) => (this.drawings[run.section("shapeIndex")[6 * s]] |= drawn));
    this.collect();
  }

  private collect(): void {
    const { run } = this;
    const { forms, material } = formsOf(run, this.contactShapes, this.drawings);
    this.forms = forms;
    for (let b = 0; b < run.bodies; b++) this.colours[b] = bodyColour(b, material[b], run.header.bodies.name[b]);
    run.beams.forEach(({ name, bodies }, beam) => bodies.forEach((b) => this.colours[b].copy(Beams.colour(beam, name))));
  }

  /** Makes what is drawn, anew when the quality changes. */
  build(quality: Quality): void {
    this.dispose();
    this.quality = quality;
    this.detail = detailFor(this.run.bodies, quality);
    for (const [key, form] of this.forms) this.addGroup(key, form);
    if (quality === "fast") {
      this.swarm = new Swarm(this.groups, this.lights, this.run.bodies);
      this.root.add(this.swarm.root);
    }
    this.fading = this.groups.flatMap(({ mesh, body }) => (mesh && body.every((b) => this.run.bodyKind(b) === BODY_FIXED) ? [mesh] : []));
    this.root.add(this.rim.root);
    this.rim.show(this.groups, this.rim.body);
    this.paint();
    this.setGhost(this.ghost);
  }

  private addGroup(key: string, { make, outline, placed }: Form): void {
    const geometry = make(this.detail);
    const local = new Float32Array(12 * placed.length);
    const part = [0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14];
    placed.forEach((item, i) => part.forEach((e, k) => (local[12 * i + k] = item.local.elements[e])));
    const mesh = this.quality === "fast" ? null : this.mesh(key, geometry, placed.length);
    const matrices = mesh ? (mesh.instanceMatrix.array as Float32Array) : new Float32Array(16 * placed.length);
    for (let i = 0; i < placed.length; i++) matrices.fill(0, 16 * i, 16 * i + 15)[16 * i + 15] = 1;
    geometry.computeBoundingSphere();
    const { center, radius } = geometry.boundingSphere!;
    const ball = key.startsWith("sphere");
    const reach = Float32Array.from(placed, (item: Placed) => (ball ? 1 : center.length() + radius) * item.local.getMaxScaleOnAxis());
    const body = Int32Array.from(placed, (item: Placed) => item.body);
    this.groups.push({ mesh, outline: this.run.plane && outline ? this.outline(outline(), matrices) : null, geometry, ball, reach, matrices, body, local });
  }

  private outline({ curves, turn }: ReturnType<NonNullable<Form["outline"]>>, matrices: Float32Array): THREE.Mesh {
    const segments = curves.flatMap((curve) =>
      curve.slice(1).map((end, i): Segment => {
        const [a, b] = [curve[i], end].map(({ x, y }) => new THREE.Vector3(x, y, 0));
        return turn ? [a.applyMatrix4(turn), b.applyMatrix4(turn)] : [a, b];
      }),
    );
    const mesh = placedLines(segments, matrices, this.ink);
    this.root.add(mesh);
    return mesh;
  }

  private mesh(key: string, geometry: THREE.BufferGeometry, count: number): THREE.InstancedMesh {
    const { plane } = this.run;
    const round = ROUND_KINDS.test(key) && this.detail < 3 && !plane;
    const look = {
      map: round ? sectors() : null,
      flatShading: /^(convex|mesh)/.test(key),
      side: /^(field|mesh)/.test(key) ? THREE.DoubleSide : THREE.FrontSide,
    };
    const material = plane
      ? new THREE.MeshBasicMaterial({ toneMapped: false })
      : this.quality === "fine"
        ? new THREE.MeshStandardMaterial({ ...look, roughness: 0.52, metalness: 0.02 })
        : new THREE.MeshLambertMaterial(look);
    const mesh = new THREE.InstancedMesh(geometry, material, count);
    mesh.instanceMatrix.setUsage(THREE.DynamicDrawUsage);
    mesh.castShadow = mesh.receiveShadow = true;
    mesh.frustumCulled = false;
    this.materials.push(material);
    this.root.add(mesh);
    return mesh;
  }

  /** A moving body, or one with a mesh: what a list shows. */
  isFixed(body: number): boolean {
    const kind = this.run.bodyKind(body);
    return kind !== BODY_DYNAMIC && kind !== BODY_STATION;
  }

  setTheme(theme: Theme): void {
    this.theme = theme;
    setInk(this.ink, LOOKS[theme].line);
    this.paint();
  }

  /** All bodies in one colour, as those of another run; null: in their own. */
  setTint(tint: THREE.Color | null): void {
    this.tint = tint;
    this.paint();
  }

  paint(): void {
    const fixed = new THREE.Color(LOOKS[this.theme].fixed);
    const colourOf = (body: number) => this.tint ?? (this.isFixed(body) ? fixed : this.colours[body]);
    for (const { mesh, body } of this.groups) {
      if (!mesh) continue;
      body.forEach((b, i) => mesh.setColorAt(i, colourOf(b)));
      if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
    }
    for (let b = 0; this.swarm && b < this.run.bodies; b++) this.swarm.setColour(b, colourOf(b));
  }

  /** The body that has a rim; -1: none. */
  set picked(body: number) {
    this.rim.show(this.groups, body);
  }

  get hasDrawings(): boolean {
    return this.drawings.includes(1) || inTubes(this.run).size > 0;
  }

  /** Contact shapes in place of drawings. */
  setContactShapes(shown: boolean): void {
    if (shown === this.contactShapes) return;
    this.contactShapes = shown;
    this.collect();
    this.build(this.quality);
  }

  setGhost(ghost: boolean): void {
    this.ghost = ghost;
    this.applyOpacity();
    this.swarm?.setOpacity(ghost ? SEEN_THROUGH : 1);
  }

  /** Whether there are any that can. */
  get canFade(): boolean {
    return this.fading.length > 0;
  }

  /** Of those that can fade the bodies that a ray passes. */
  hitFixed(ray: THREE.Raycaster): number[] {
    return ray.intersectObjects(this.fading, false).flatMap(({ object, instanceId }) => {
      const group = this.groups.find(({ mesh }) => mesh === object);
      return group && instanceId !== undefined ? [group.body[instanceId]] : [];
    });
  }

  /** Fixed bodies that hide others fade; where there are too many fixed bodies, and in the fast picture, none does. */
  fade(bodies: Set<number>): boolean {
    if (bodies.size === this.faded.size && [...bodies].every((body) => this.faded.has(body))) return false;
    this.faded.clear();
    for (const body of bodies) this.faded.add(body);
    this.applyOpacity();
    return true;
  }

  private applyOpacity(): void {
    for (const { mesh, body } of this.groups) {
      if (!mesh) continue;
      const faded = body.every((b) => this.faded.has(b));
      const opacity = this.ghost ? SEEN_THROUGH : faded ? FADED : 1;
      const material = mesh.material as BodyMaterial;
      material.needsUpdate ||= material.transparent !== opacity < 1;
      material.transparent = opacity < 1;
      material.opacity = opacity;
      material.depthWrite = opacity === 1;
      mesh.castShadow = !faded;
    }
  }

  update(frame: number, part: number): void {
    this.run.poses(frame, part, this.visible, this.poses);
    for (const group of this.groups) this.place(group);
    this.rim.update();
  }

  /** To be called before every picture. */
  beforePicture(camera: THREE.Camera, height: number): void {
    this.swarm?.arrange(camera, height);
  }

  // instance = pose of its body times its place in it
  private place({ mesh, outline, matrices: out, body, local }: Group): void {
    const poses = this.poses;
    for (let i = 0; i < body.length; i++) {
      const p = 12 * body[i];
      for (let column = 0, l = 12 * i, o = 16 * i; column < 4; column++, l += 3, o += 4) {
        const x = local[l];
        const y = local[l + 1];
        const z = local[l + 2];
        out[o] = poses[p] * x + poses[p + 3] * y + poses[p + 6] * z;
        out[o + 1] = poses[p + 1] * x + poses[p + 4] * y + poses[p + 7] * z;
        out[o + 2] = poses[p + 2] * x + poses[p + 5] * y + poses[p + 8] * z;
      }
      out[16 * i + 12] += poses[p + 9];
      out[16 * i + 13] += poses[p + 10];
      out[16 * i + 14] += poses[p + 11];
    }
    if (outline) outline.geometry.getAttribute("place").needsUpdate = true;
    if (!mesh) return;
    mesh.instanceMatrix.needsUpdate = true;
    mesh.boundingSphere = null; // recomputed by the next ray
  }

  /** The body under a ray; -1: none. `passing`: bodies that the ray goes through. */
  hit(ray: THREE.Raycaster, passing?: Set<number>): number {
    if (this.swarm) return this.swarm.hit(ray);
    const meshes = this.groups.flatMap(({ mesh }) => (mesh ? [mesh] : []));
    for (const found of ray.intersectObjects(meshes, false)) {
      const group = this.groups.find(({ mesh }) => mesh === found.object);
      const body = group && found.instanceId !== undefined ? group.body[found.instanceId] : -1;
      if (!passing?.has(body)) return body;
    }
    return -1;
  }

  dispose(): void {
    for (const { mesh, outline, geometry } of this.groups) {
      geometry.dispose();
      outline?.geometry.dispose();
      mesh?.dispose();
    }
    for (const material of this.materials) {
      if ("map" in material) material.map?.dispose();
      material.dispose();
    }
    this.swarm?.dispose();
    this.root.clear();
    this.groups = [];
    this.materials = [];
    this.swarm = null;
  }
}

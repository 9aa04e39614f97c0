// The bodies of a run as instanced meshes: one draw call per form, whatever the number of bodies; in the fast picture as a
// swarm (fast.ts). A new frame costs no allocation: poses go from the run's integers straight into the arrays drawn.
import * as THREE from "three";
import { RoundedBoxGeometry } from "three/examples/jsm/geometries/RoundedBoxGeometry.js";
import { Beams } from "./beams";
import { ACCENT, bodyColour, LOOKS, type Theme } from "./colours";
import { BODY_DYNAMIC, BODY_FIXED, BODY_STATION, type Pose, type Run } from "./data";
import { type Crowd, type Lights, Swarm } from "./fast";
import { isDrawn, isUnbounded, shapeForm } from "./geometry";
import type { Quality } from "./quality";

interface Placed {
  body: number;
  local: THREE.Matrix4; // shape's frame in the body's, with its scale
}

interface Form {
  make: (detail: number) => THREE.BufferGeometry;
  placed: Placed[];
}

interface Group extends Crowd {
  mesh: THREE.InstancedMesh | null; // null: part of the swarm
  local: Float32Array; // 12 per instance: three columns and the origin
}

const LEVELS = [400, 4000, 30000]; // bodies up to which details 0, 1, 2 are used
const FEW = 300; // bodies that do not need the coarsest meshes in the plain and the fast picture

// darker sectors, so that one sees round things turn
function sectors(): THREE.Texture {
  const canvas = document.createElement("canvas");
  canvas.width = 256;
  canvas.height = 2;
  const context = canvas.getContext("2d")!;
  for (let i = 0; i < 4; i++) {
    context.fillStyle = i % 2 ? "#ffffff" : "#c9c9c9";
    context.fillRect(64 * i, 0, 64, 2);
  }
  const texture = new THREE.CanvasTexture(canvas);
  texture.colorSpace = THREE.SRGBColorSpace;
  texture.anisotropy = 4;
  return texture;
}

const ROUND_KINDS = /^(sphere|ellipsoid|cylinder|cone|capsule)/;

function detailFor(bodies: number, quality: Quality): number {
  if (quality !== "fine" && bodies > FEW) return 3;
  const level = LEVELS.findIndex((most) => bodies <= most);
  return Math.min(3, (level < 0 ? 3 : level) + (quality === "fine" ? 0 : 1));
}

export class Bodies {
  readonly root = new THREE.Group();
  readonly colours: THREE.Color[] = [];
  readonly visible: Uint8Array;
  detail = 0;
  picked = -1;
  private readonly forms = new Map<string, Form>();
  private groups: Group[] = [];
  private swarm: Swarm | null = null;
  private materials: (THREE.MeshStandardMaterial | THREE.MeshLambertMaterial)[] = [];
  private readonly poses: Float32Array; // 12 per body: rotation by columns, position
  private quality: Quality = "fine";
  private theme: Theme = "light";
  private ghost = false;
  private contactShapes = false; // also of bodies that have drawings
  private readonly drawings: Uint8Array; // bodies: 1 where there are any

  constructor(private readonly run: Run, private readonly lights: Lights) {
    this.visible = new Uint8Array(run.bodies).fill(1);
    this.poses = new Float32Array(12 * run.bodies);
    this.drawings = new Uint8Array(run.bodies);
    run.section("shapeDrawn").forEach((drawn, s) => (this.drawings[run.section("shapeIndex")[6 * s]] |= drawn));
    this.collect();
  }

  private collect(): void {
    const { run, forms } = this;
    const index = run.section("shapeIndex");
    const poses = run.section("shapePose");
    const shapes = run.section("shapeKind").length;
    const add = (key: string, make: (detail: number) => THREE.BufferGeometry, item: Placed) => {
      const form = forms.get(key);
      if (form) form.placed.push(item);
      else forms.set(key, { make, placed: [item] });
    };
    const drawn = new Uint8Array(run.bodies);
    const material = new Array<string>(run.bodies).fill("");
    const points = new Map<number, THREE.Vector3[]>();
    for (let s = 0; s < shapes; s++) {
      const body = index[6 * s];
      const at = new THREE.Vector3(poses[7 * s], poses[7 * s + 1], poses[7 * s + 2]);
      material[body] ||= run.header.materials[index[6 * s + 1]] ?? "";
      if (this.drawings[body] && isDrawn(run, s) === this.contactShapes) continue;
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
      add(form.key, form.make, { body, local: new THREE.Matrix4().compose(at, turn, new THREE.Vector3(...form.scale)) });
    }
    this.collectBars(drawn, points, add);
    for (let b = 0; b < run.bodies; b++) this.colours[b] = bodyColour(b, material[b], run.header.bodies.name[b]);
    run.beams.forEach(({ name, bodies }, beam) => bodies.forEach((b) => this.colours[b].copy(Beams.colour(beam, name))));
  }

  // bodies without a mesh: bars between their contact points or, for links of a mechanism, between their joints
  private collectBars(
    drawn: Uint8Array,
    points: Map<number, THREE.Vector3[]>,
    add: (key: string, make: () => THREE.BufferGeometry, item: Placed) => void,
  ): void {
    const { run } = this;
    const pose: Pose = { x: 0, y: 0, z: 0, qx: 0, qy: 0, qz: 0, qw: 1 };
    for (const joint of run.header.joints)
      for (const body of joint.bodies) {
        if (drawn[body] || run.bodyKind(body) === BODY_FIXED || run.bodyKind(body) === BODY_STATION) continue;
        run.pose(0, 0, body, pose);
        const back = new THREE.Quaternion(pose.qx, pose.qy, pose.qz, pose.qw).invert();
        const at = new THREE.Vector3(...joint.point).sub(new THREE.Vector3(pose.x, pose.y, pose.z)).applyQuaternion(back);
        points.set(body, [...(points.get(body) ?? []), at]);
      }
    const near = 1e-3 * run.header.steps.reach; // positions are rounded
    for (const [body, ends] of points) {
      if (drawn[body]) continue;
      const corners = ends.filter((end, i) => ends.findIndex((other) => other.distanceTo(end) < near) === i);
      const thick = 0.07 * run.header.steps.reach;
      if (corners.length === 1 && corners[0].length() > near) corners.push(new THREE.Vector3());
      if (corners.length === 1) {
        const size = new THREE.Vector3(5 * thick, 3 * thick, 3 * thick);
        add("block", () => new RoundedBoxGeometry(1, 1, 1, 3, 0.12), { body, local: new THREE.Matrix4().scale(size) });
      }
      for (let i = 0; i + 1 < corners.length || (i + 1 === corners.length && i > 1); i++) {
        const from = corners[i];
        const to = corners[(i + 1) % corners.length];
        const along = to.clone().sub(from);
        const length = along.length();
        if (length < 1e-9) continue;
        const turn = new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 0, 1), along.normalize());
        const middle = from.clone().add(to).multiplyScalar(0.5);
        const key = `bar:${(length / thick).toFixed(2)}`;
        const make = () => new THREE.CapsuleGeometry(1, length / thick, 6, 16).rotateX(Math.PI / 2);
        add(key, make, { body, local: new THREE.Matrix4().compose(middle, turn, new THREE.Vector3(thick, thick, thick)) });
      }
    }
  }

  /** Makes what is drawn, anew when the quality changes. */
  build(quality: Quality): void {
    this.dispose();
    this.quality = quality;
    this.detail = detailFor(this.run.bodies, quality);
    for (const [key, { make, placed }] of this.forms) this.addGroup(key, make(this.detail), placed);
    if (quality === "fast") {
      this.swarm = new Swarm(this.groups, this.lights, this.run.bodies);
      this.root.add(this.swarm.root);
    }
    this.paint();
    this.setGhost(this.ghost);
  }

  private addGroup(key: string, geometry: THREE.BufferGeometry, placed: Placed[]): void {
    const local = new Float32Array(12 * placed.length);
    const part = [0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14];
    placed.forEach((item, i) => part.forEach((e, k) => (local[12 * i + k] = item.local.elements[e])));
    const mesh = this.quality === "fast" ? null : this.mesh(key, geometry, placed.length);
    const matrices = mesh ? (mesh.instanceMatrix.array as Float32Array) : new Float32Array(16 * placed.length);
    for (let i = 0; i < placed.length; i++) matrices.fill(0, 16 * i, 16 * i + 15)[16 * i + 15] = 1;
    geometry.computeBoundingSphere();
    const { center, radius } = geometry.boundingSphere!;
    const ball = key === "sphere";
    const reach = Float32Array.from(placed, (item) => (ball ? 1 : center.length() + radius) * item.local.getMaxScaleOnAxis());
    this.groups.push({ mesh, geometry, ball, reach, matrices, body: Int32Array.from(placed, ({ body }) => body), local });
  }

  private mesh(key: string, geometry: THREE.BufferGeometry, count: number): THREE.InstancedMesh {
    const round = ROUND_KINDS.test(key) && this.detail < 3 && !this.run.plane;
    const look = {
      map: round ? sectors() : null,
      flatShading: /^(convex|mesh)/.test(key),
      side: /^(field|mesh)/.test(key) ? THREE.DoubleSide : THREE.FrontSide,
    };
    const material =
      this.quality === "fine"
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
    this.paint();
  }

  paint(): void {
    const fixed = new THREE.Color(LOOKS[this.theme].fixed);
    const accent = new THREE.Color(ACCENT);
    const colourOf = (body: number) => (body === this.picked ? accent : this.isFixed(body) ? fixed : this.colours[body]);
    for (const { mesh, body } of this.groups) {
      if (!mesh) continue;
      body.forEach((b, i) => mesh.setColorAt(i, colourOf(b)));
      if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
    }
    for (let b = 0; this.swarm && b < this.run.bodies; b++) this.swarm.setColour(b, colourOf(b));
  }

  get hasDrawings(): boolean {
    return this.drawings.includes(1);
  }

  /** Contact shapes in place of drawings. */
  setContactShapes(shown: boolean): void {
    if (shown === this.contactShapes) return;
    this.contactShapes = shown;
    this.forms.clear();
    this.collect();
    this.build(this.quality);
  }

  setGhost(ghost: boolean): void {
    this.ghost = ghost;
    const opacity = ghost ? 0.28 : 1;
    for (const material of this.materials) {
      material.transparent = ghost;
      material.opacity = opacity;
      material.depthWrite = !ghost;
      material.needsUpdate = true;
    }
    this.swarm?.setOpacity(opacity);
  }

  update(frame: number, part: number): void {
    this.run.poses(frame, part, this.visible, this.poses);
    for (const group of this.groups) this.place(group);
  }

  /** To be called before every picture. */
  beforePicture(camera: THREE.Camera, height: number): void {
    this.swarm?.arrange(camera, height);
  }

  // instance = pose of its body times its place in it
  private place({ mesh, matrices: out, body, local }: Group): void {
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
    if (!mesh) return;
    mesh.instanceMatrix.needsUpdate = true;
    mesh.boundingSphere = null; // recomputed by the next ray
  }

  /** The body under a ray; -1: none. */
  hit(ray: THREE.Raycaster): number {
    if (this.swarm) return this.swarm.hit(ray);
    const found = ray.intersectObjects(this.root.children, false)[0];
    const group = found && this.groups.find(({ mesh }) => mesh === found.object);
    return group && found.instanceId !== undefined ? group.body[found.instanceId] : -1;
  }

  dispose(): void {
    for (const { mesh, geometry } of this.groups) {
      geometry.dispose();
      mesh?.dispose();
    }
    for (const material of this.materials) {
      material.map?.dispose();
      material.dispose();
    }
    this.swarm?.dispose();
    this.root.clear();
    this.groups = [];
    this.materials = [];
    this.swarm = null;
  }
}

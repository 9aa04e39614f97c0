// The bodies of a run as instanced meshes: one draw call per form, whatever the number of bodies.
import * as THREE from "three";
import { RoundedBoxGeometry } from "three/examples/jsm/geometries/RoundedBoxGeometry.js";
import { ACCENT, bodyColour, LOOKS, type Theme } from "./colours";
import { BODY_DYNAMIC, BODY_FIXED, type Pose, type Run } from "./data";
import { isUnbounded, shapeForm } from "./geometry";
import type { Quality } from "./stage";

interface Placed {
  body: number;
  local: THREE.Matrix4; // shape's frame in the body's, with its scale
}

interface Group {
  mesh: THREE.InstancedMesh;
  placed: Placed[];
}

const LEVELS = [400, 4000, 30000]; // bodies up to which details 0, 1, 2 are used

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

const ROUND_KINDS = /^(sphere|cylinder|cone|capsule)/;

export class Bodies {
  readonly root = new THREE.Group();
  readonly colours: THREE.Color[] = [];
  readonly visible: Uint8Array;
  readonly detail: number;
  picked = -1;
  private readonly groups: Group[] = [];
  private readonly materials: (THREE.MeshStandardMaterial | THREE.MeshLambertMaterial)[] = [];
  private readonly matrices: Float32Array; // 16 per body
  private theme: Theme = "light";

  constructor(private readonly run: Run, private readonly quality: Quality) {
    this.visible = new Uint8Array(run.bodies).fill(1);
    this.matrices = new Float32Array(16 * run.bodies);
    this.detail = LEVELS.findIndex((most) => run.bodies <= most);
    if (this.detail < 0) this.detail = 3;
    if (quality === "fast") this.detail = run.bodies > 300 ? 3 : this.detail + 1;
    this.collect();
  }

  private collect(): void {
    const { run } = this;
    const index = run.section("shapeIndex");
    const poses = run.section("shapePose");
    const shapes = run.section("shapeKind").length;
    const forms = new Map<string, { make: (detail: number) => THREE.BufferGeometry; placed: Placed[] }>();
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
    for (const [key, form] of forms) this.addGroup(key, form.make(this.detail), form.placed);
    for (let b = 0; b < run.bodies; b++) this.colours.push(bodyColour(b, material[b], run.header.bodies.name[b]));
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
        if (drawn[body] || run.bodyKind(body) === BODY_FIXED) continue;
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

  private addGroup(key: string, geometry: THREE.BufferGeometry, placed: Placed[]): void {
    const round = ROUND_KINDS.test(key) && this.detail < 3 && !this.run.plane;
    const look = {
      map: round ? sectors() : null,
      flatShading: key.startsWith("convex"),
      side: key.startsWith("field") ? THREE.DoubleSide : THREE.FrontSide,
    };
    const material =
      this.quality === "fine"
        ? new THREE.MeshStandardMaterial({ ...look, roughness: 0.52, metalness: 0.02 })
        : new THREE.MeshLambertMaterial(look);
    const mesh = new THREE.InstancedMesh(geometry, material, placed.length);
    mesh.instanceMatrix.setUsage(THREE.DynamicDrawUsage);
    mesh.castShadow = mesh.receiveShadow = true;
    mesh.frustumCulled = false;
    this.materials.push(material);
    this.groups.push({ mesh, placed });
    this.root.add(mesh);
  }

  /** A moving body, or one with a mesh: what a list shows. */
  isFixed(body: number): boolean {
    return this.run.bodyKind(body) !== BODY_DYNAMIC;
  }

  setTheme(theme: Theme): void {
    this.theme = theme;
    this.paint();
  }

  paint(): void {
    const fixed = new THREE.Color(LOOKS[this.theme].fixed);
    const accent = new THREE.Color(ACCENT);
    for (const { mesh, placed } of this.groups) {
      placed.forEach(({ body }, i) => {
        const colour = body === this.picked ? accent : this.isFixed(body) ? fixed : this.colours[body];
        mesh.setColorAt(i, colour);
      });
      if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
    }
  }

  setGhost(ghost: boolean): void {
    for (const material of this.materials) {
      material.transparent = ghost;
      material.opacity = ghost ? 0.28 : 1;
      material.depthWrite = !ghost;
      material.needsUpdate = true;
    }
  }

  update(frame: number, part: number): void {
    const pose: Pose = { x: 0, y: 0, z: 0, qx: 0, qy: 0, qz: 0, qw: 1 };
    const m = new THREE.Matrix4();
    const place = new THREE.Vector3();
    const turn = new THREE.Quaternion();
    const unit = new THREE.Vector3(1, 1, 1);
    const none = new THREE.Vector3();
    for (let b = 0; b < this.run.bodies; b++) {
      this.run.pose(frame, part, b, pose);
      m.compose(place.set(pose.x, pose.y, pose.z), turn.set(pose.qx, pose.qy, pose.qz, pose.qw), this.visible[b] ? unit : none);
      m.toArray(this.matrices, 16 * b);
    }
    const whole = new THREE.Matrix4();
    for (const { mesh, placed } of this.groups) {
      const array = mesh.instanceMatrix.array as Float32Array;
      for (let i = 0; i < placed.length; i++) {
        m.fromArray(this.matrices, 16 * placed[i].body);
        whole.multiplyMatrices(m, placed[i].local).toArray(array, 16 * i);
      }
      mesh.instanceMatrix.needsUpdate = true;
      mesh.boundingSphere = null; // recomputed by the next ray
    }
  }

  /** The body under a ray; -1: none. */
  hit(ray: THREE.Raycaster): number {
    const found = ray.intersectObjects(this.root.children, false)[0];
    if (!found || found.instanceId === undefined) return -1;
    const group = this.groups.find(({ mesh }) => mesh === found.object);
    return group ? group.placed[found.instanceId].body : -1;
  }

  castShadows(on: boolean): void {
    for (const { mesh } of this.groups) mesh.castShadow = on;
  }

  dispose(): void {
    for (const { mesh } of this.groups) {
      mesh.geometry.dispose();
      mesh.dispose();
    }
    for (const material of this.materials) {
      material.map?.dispose();
      material.dispose();
    }
  }
}

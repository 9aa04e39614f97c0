// Half-spaces and half-planes, as far as one looks: in space a disc with a grid that fades towards its rim, in the plane a line
// with hatching below, as in a drawing.
import * as THREE from "three";
import type { Extent } from "../camera/extent";
import type { Look } from "../colours";
import { newPose, type Run } from "../data/run";
import type { Quality } from "../quality";
import { FADE, fadingLines, fadingRing } from "./fading";
import { isUnbounded } from "./geometry";
import { inkLines, inkMaterial, type Segment, setInk } from "./ink";
import { type Lights, surfaceMaterial } from "./lights";

// opaque in the middle, nothing at the rim
function vignette(): THREE.Texture {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 256;
  const context = canvas.getContext("2d")!;
  const fill = context.createRadialGradient(128, 128, 0, 128, 128, 128);
  fill.addColorStop(0, "#ffffff");
  fill.addColorStop(0.35, "#ffffff");
  fill.addColorStop(0.7, "#606060");
  fill.addColorStop(1, "#000000");
  context.fillStyle = fill;
  context.fillRect(0, 0, 256, 256);
  return new THREE.CanvasTexture(canvas);
}

// lines one grid cell apart, thin at any distance, gone towards the rim
const GRID_VERTEX = `varying vec2 at; void main() { at = position.xy; gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); }`;
const GRID_FRAGMENT = `varying vec2 at; uniform vec3 colour; uniform float cell, radius, strength;
float line(float size) { vec2 c = at / size, w = fwidth(c), d = abs(fract(c - 0.5) - 0.5) / max(w, vec2(1e-6));
  return (1.0 - min(min(d.x, d.y), 1.0)) * (1.0 - smoothstep(0.15, 0.6, max(w.x, w.y))); }
void main() { float fade = 1.0 - smoothstep(0.05, 0.5, length(at) / radius);
  gl_FragColor = vec4(colour, strength * fade * max(0.45 * line(cell), line(5.0 * cell))); }`;

// normals of a ground, for the picture at rest; no body (0 in the fourth place), so that no line is drawn where it ends
const FLAT_VERTEX = `varying vec3 upwards; void main() { upwards = normalMatrix * vec3(0.0, 0.0, 1.0); gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); }`;
const FLAT_FRAGMENT = `varying vec3 upwards; void main() { gl_FragColor = vec4(0.5 * normalize(gl_FrontFacing ? upwards : -upwards) + 0.5, 0.0); }`;

function clear(group: THREE.Group): void {
  group.traverse((part) => {
    if (!(part instanceof THREE.Mesh || part instanceof THREE.LineSegments)) return;
    part.geometry.dispose();
    part.material.dispose();
  });
  group.clear();
}

function niceCell(size: number): number {
  const decade = 10 ** Math.floor(Math.log10(size));
  const rest = size / decade;
  return decade * (rest >= 5 ? 5 : rest >= 2 ? 2 : 1);
}

const HATCHES = 60; // of a half-plane, over the width of the scene

export class Grounds {
  readonly root = new THREE.Group();
  private paints: ((look: Look) => void)[] = [];
  private period = 1; // m after which the drawing repeats
  private readonly placed: { body: number; root: THREE.Group; local: THREE.Matrix4 }[] = [];

  constructor(private readonly run: Run, private readonly extent: Extent, private readonly lights: Lights) {
    const index = run.section("shapeIndex");
    const poses = run.section("shapePose");
    for (let s = 0; s < run.section("shapeKind").length; s++) {
      if (!isUnbounded(run, s)) continue;
      const local = new THREE.Matrix4().compose(
        new THREE.Vector3(poses[7 * s], poses[7 * s + 1], poses[7 * s + 2]),
        new THREE.Quaternion(poses[7 * s + 4], poses[7 * s + 5], poses[7 * s + 6], poses[7 * s + 3]),
        new THREE.Vector3(1, 1, 1),
      );
      const root = new THREE.Group();
      root.matrixAutoUpdate = false;
      this.root.add(root);
      this.placed.push({ body: index[6 * s], root, local });
    }
  }

  /** What is drawn, anew when the quality changes. */
  build(quality: Quality): void {
    const size = (this.run.plane ? 6 : 9) * this.extent.radius;
    const cell = niceCell(this.extent.radius / 4);
    this.period = this.run.plane ? (2 * this.extent.radius) / HATCHES : 5 * cell;
    this.paints = [];
    for (const { root } of this.placed) {
      clear(root);
      root.add(this.run.plane ? this.hatched(size) : quality === "fast" ? this.simpleDisc(size, cell) : this.disc(size, cell));
    }
  }

  private disc(size: number, cell: number): THREE.Group {
    const material = new THREE.MeshLambertMaterial({ transparent: true, alphaMap: vignette() });
    const ground = new THREE.Mesh(new THREE.CircleGeometry(size, 96), material);
    ground.receiveShadow = true;
    ground.renderOrder = -2;
    const lines = new THREE.ShaderMaterial({
      transparent: true,
      depthWrite: false,
      polygonOffset: true,
      polygonOffsetFactor: -1,
      polygonOffsetUnits: -1,
      uniforms: { colour: { value: new THREE.Color() }, cell: { value: cell }, radius: { value: size }, strength: { value: 0.32 } },
      vertexShader: GRID_VERTEX,
      fragmentShader: GRID_FRAGMENT,
    });
    const grid = new THREE.Mesh(ground.geometry, lines);
    grid.renderOrder = -1;
    this.paints.push((look) => {
      material.color.set(look.ground);
      lines.uniforms.colour.value.set(look.grid);
    });
    return new THREE.Group().add(ground, grid);
  }

  private simpleDisc(size: number, cell: number): THREE.Group {
    const back = { polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 }; // behind the lines
    const middle = Object.assign(surfaceMaterial(this.lights, { side: THREE.DoubleSide }), back);
    const rim = Object.assign(surfaceMaterial(this.lights, { fades: true, side: THREE.DoubleSide }), back);
    const plain = new THREE.Mesh(fadingRing(size, FADE.slice(0, 2)), middle);
    plain.userData.surface = new THREE.ShaderMaterial({ vertexShader: FLAT_VERTEX, fragmentShader: FLAT_FRAGMENT, side: THREE.DoubleSide });
    const fading = new THREE.Mesh(fadingRing(size, FADE.slice(1)), rim);
    fading.renderOrder = -2;
    const ink = new THREE.LineBasicMaterial({ vertexColors: true, transparent: true, depthWrite: false, toneMapped: false });
    const lines = new THREE.LineSegments(fadingLines(size, 5 * cell), ink);
    lines.renderOrder = -1;
    this.paints.push((look) => {
      middle.uniforms.tint.value.set(look.ground);
      rim.uniforms.tint.value.set(look.ground);
      ink.color.set(look.grid);
    });
    return new THREE.Group().add(plain, fading, lines);
  }

  // the surface is the axis x of the half-plane, the inside below
  private hatched(size: number): THREE.Group {
    const gap = this.period;
    const depth = 1.2 * gap;
    const at = (x: number, y: number) => new THREE.Vector3(x, y, 0);
    const strokes: Segment[] = [];
    for (let i = -Math.ceil(size / gap); i <= size / gap; i++) strokes.push([at(i * gap, 0), at(i * gap - depth, -depth)]);
    const thin = inkMaterial({ width: 1 });
    const thick = inkMaterial({ width: 2 });
    const fill = new THREE.MeshBasicMaterial({ toneMapped: false, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 });
    const sheet = new THREE.Mesh(new THREE.PlaneGeometry(2 * size, size), fill);
    sheet.position.y = -0.5 * size;
    sheet.position.z = -0.01 * this.extent.radius;
    this.paints.push((look) => {
      setInk(thin, look.line).lerp(new THREE.Color(look.fixed).convertLinearToSRGB(), 0.45);
      setInk(thick, look.line);
      fill.color.set(look.sheet);
    });
    return new THREE.Group().add(sheet, inkLines(strokes, thin), inkLines([[at(-size, 0), at(size, 0)]], thick));
  }

  paint(look: Look): void {
    for (const paint of this.paints) paint(look);
  }

  /** Grounds belong to bodies, which may move or be hidden. */
  place(frame: number, part: number, visible: Uint8Array): void {
    const pose = newPose();
    const unit = new THREE.Vector3(1, 1, 1);
    for (const { body, root, local } of this.placed) {
      this.run.pose(frame, part, body, pose);
      root.matrix.compose(new THREE.Vector3(pose.x, pose.y, pose.z), new THREE.Quaternion(pose.qx, pose.qy, pose.qz, pose.qw), unit);
      root.matrix.multiply(local);
      // what is drawn follows the scene along its own plane by whole cells: the scene stays in its middle, and lines stay with the body
      const centre = this.extent.centre.clone().applyMatrix4(root.matrix.clone().invert());
      const child = root.children[0];
      const whole = (x: number) => this.period * Math.round(x / this.period);
      if (this.run.plane) child.position.x = whole(centre.x);
      else child.position.set(whole(centre.x), whole(centre.y), 0);
      root.matrixWorldNeedsUpdate = true;
      root.visible = visible[body] === 1;
    }
  }
}

// Arrows and dots of so many pixels, over everything else. All of them are one geometry with corners placed on the screen, not
// instances: without a graphics card every instance costs as much as a draw call, and there may be a thousand arrows.
import * as THREE from "three";
import { pictureSize } from "../scene/ink";

const SHAFT = 1.25; // half the width of a shaft, pixels
const HEAD = 11; // length of a head, pixels
const WIDE = 2.8; // half its width, in those of the shaft
const DOT = 2.75; // radius of a dot, pixels
const ROUND = 8; // corners of a dot

// each corner: how far it lies to the side (in half widths of the shaft), and along: 0 start, 1 neck, 2 tip; or an angle, and 3: on a dot's rim
export interface Glyph {
  corners: [number, number][];
  faces: number[];
}

export const ARROW: Glyph = { corners: [[-1, 0], [1, 0], [-1, 1], [1, 1], [-WIDE, 1], [WIDE, 1], [0, 2]], faces: [0, 1, 3, 0, 3, 2, 4, 5, 6] };

const angles = Array.from({ length: ROUND }, (_, i) => (2 * Math.PI * i) / ROUND);
export const ROUND_DOT: Glyph = { corners: angles.map((angle) => [angle, 3]), faces: angles.slice(2).flatMap((_, i) => [0, i + 1, i + 2]) };

const VERTEX = `attribute vec3 end, tint; attribute vec2 corner; uniform vec2 size; varying vec3 shown;
void main() {
  shown = tint;
  vec4 a = projectionMatrix * (modelViewMatrix * vec4(position, 1.0));
  vec4 b = projectionMatrix * (modelViewMatrix * vec4(end, 1.0));
  vec2 from = a.xy / a.w * size, to = b.xy / b.w * size, along = to - from;
  float far = length(along), head = min(0.5 * far, ${HEAD.toFixed(1)}), width = min(${SHAFT}, head / 3.0);
  vec2 unit = along / max(far, 1e-6), side = vec2(-unit.y, unit.x) * corner.x * width, at;
  if (corner.y < 0.5) at = from + side;
  else if (corner.y < 1.5) at = to - unit * head + side;
  else if (corner.y < 2.5) at = to;
  else at = from + vec2(cos(corner.x), sin(corner.x)) * ${DOT};
  gl_Position = a.w > 0.0 && b.w > 0.0 ? vec4(at / size, 0.0, 1.0) : vec4(2.0, 2.0, 2.0, 1.0); // none behind the eye
}`;
const FRAGMENT = `varying vec3 shown; void main() { gl_FragColor = vec4(shown, 0.95); }`;

/** Glyphs of one kind, any number. */
export class Glyphs {
  readonly root: THREE.Mesh;
  count = 0;
  private room = 0;
  private readonly shown = new THREE.Color();

  constructor(private readonly glyph: Glyph, order: number) {
    const look = { transparent: true, depthTest: false, depthWrite: false, toneMapped: false, side: THREE.DoubleSide };
    this.root = new THREE.Mesh(new THREE.BufferGeometry(), new THREE.ShaderMaterial({ ...look, uniforms: { size: pictureSize }, vertexShader: VERTEX, fragmentShader: FRAGMENT }));
    this.root.frustumCulled = false;
    this.root.renderOrder = order;
    this.grow(32);
  }

  private get attributes(): THREE.BufferAttribute[] {
    return ["position", "end", "tint"].map((name) => this.root.geometry.getAttribute(name) as THREE.BufferAttribute);
  }

  // a new geometry with more room; what was added stays
  private grow(room: number): void {
    const { corners, faces } = this.glyph;
    const geometry = new THREE.BufferGeometry();
    for (const name of ["position", "end", "tint"]) {
      const numbers = new Float32Array(3 * corners.length * room);
      if (this.room) numbers.set(this.root.geometry.getAttribute(name).array);
      geometry.setAttribute(name, new THREE.BufferAttribute(numbers, 3).setUsage(THREE.DynamicDrawUsage));
    }
    const flat = corners.flat();
    geometry.setAttribute("corner", new THREE.BufferAttribute(Float32Array.from({ length: flat.length * room }, (_, i) => flat[i % flat.length]), 2));
    geometry.setIndex(new THREE.BufferAttribute(Uint32Array.from({ length: faces.length * room }, (_, i) => corners.length * Math.floor(i / faces.length) + faces[i % faces.length]), 1));
    this.root.geometry.dispose();
    this.root.geometry = geometry;
    this.room = room;
  }

  start(): void {
    this.count = 0;
  }

  /** From one point to another. */
  add(from: THREE.Vector3, to: THREE.Vector3, colour: THREE.Color): void {
    if (this.count === this.room) this.grow(2 * this.room);
    const { length } = this.glyph.corners;
    const { r, g, b } = this.shown.copy(colour).convertLinearToSRGB(); // the shader writes it unchanged
    const [starts, ends, tints] = this.attributes;
    for (let i = length * this.count; i < length * (this.count + 1); i++) {
      starts.setXYZ(i, from.x, from.y, from.z);
      ends.setXYZ(i, to.x, to.y, to.z);
      tints.setXYZ(i, r, g, b);
    }
    this.count++;
  }

  finish(): void {
    for (const attribute of this.attributes) {
      attribute.clearUpdateRanges();
      attribute.addUpdateRange(0, 3 * this.glyph.corners.length * this.count);
      attribute.needsUpdate = true;
    }
    this.root.geometry.setDrawRange(0, this.glyph.faces.length * this.count);
    this.root.visible = this.count > 0;
  }

  dispose(): void {
    this.root.geometry.dispose();
    (this.root.material as THREE.Material).dispose();
  }
}

// The rim of a picked body: its own forms drawn once more in the accent's colour, back faces only, some pixels larger all round.
import * as THREE from "three";
import { ACCENT } from "../colours";
import type { Crowd } from "./swarm";

const PIXELS = 3;

const VERTEX = `attribute vec3 away; uniform vec2 size; uniform float pixels, lift;
void main() {
  gl_Position = projectionMatrix * (modelViewMatrix * vec4(position, 1.0));
  vec4 off = projectionMatrix * (modelViewMatrix * vec4(position + away, 1.0));
  vec2 along = (off.xy / off.w - gl_Position.xy / gl_Position.w) * size;
  gl_Position.xy += normalize(along + vec2(1e-9)) * pixels / size * gl_Position.w;
  gl_Position.z += lift * gl_Position.w;
}`;
const FRAGMENT = `uniform vec3 colour; void main() { gl_FragColor = vec4(colour, 1.0); }`;

/** Away from the body at each corner: the mean normal of all faces that meet there. */
function addAway(geometry: THREE.BufferGeometry): void {
  if (geometry.hasAttribute("away")) return;
  const position = geometry.getAttribute("position");
  const normal = geometry.getAttribute("normal");
  const sums = new Map<string, THREE.Vector3>();
  geometry.computeBoundingSphere();
  const cell = 1e-5 * (geometry.boundingSphere!.radius || 1);
  const keys: string[] = [];
  const n = new THREE.Vector3();
  for (let i = 0; i < position.count; i++) {
    const key = [position.getX(i), position.getY(i), position.getZ(i)].map((x) => Math.round(x / cell)).join();
    keys.push(key);
    const sum = sums.get(key) ?? new THREE.Vector3();
    sums.set(key, sum.add(n.fromBufferAttribute(normal, i)));
  }
  const away = new Float32Array(3 * position.count);
  const scale = 0.01 * (geometry.boundingSphere!.radius || 1);
  keys.forEach((key, i) => n.copy(sums.get(key)!).normalize().multiplyScalar(scale).toArray(away, 3 * i));
  geometry.setAttribute("away", new THREE.BufferAttribute(away, 3));
}

export class Rim {
  readonly root = new THREE.Group();
  body = -1;
  private parts: { mesh: THREE.Mesh; matrices: Float32Array; at: number }[] = [];
  private readonly size = new THREE.Vector2(1, 1);
  private readonly material = new THREE.ShaderMaterial({
    uniforms: { size: { value: this.size }, pixels: { value: PIXELS }, lift: { value: 0 }, colour: { value: new THREE.Color(ACCENT).convertLinearToSRGB() } },
    vertexShader: VERTEX,
    fragmentShader: FRAGMENT,
    side: THREE.BackSide,
  });

  constructor(plane: boolean) {
    if (plane) this.material.side = THREE.DoubleSide;
    this.material.uniforms.lift.value = plane ? 0.08 : 0; // behind the body, which is as flat as the rim
  }

  show(crowds: Crowd[], body: number): void {
    this.body = body;
    this.root.clear();
    this.parts = [];
    if (body < 0) return;
    for (const { geometry, matrices, body: bodies } of crowds)
      bodies.forEach((b, i) => {
        if (b !== body) return;
        addAway(geometry);
        const mesh = new THREE.Mesh(geometry, this.material);
        mesh.matrixAutoUpdate = false;
        mesh.frustumCulled = false;
        mesh.onBeforeRender = (renderer) => void renderer.getSize(this.size).multiplyScalar(0.5);
        this.root.add(mesh);
        this.parts.push({ mesh, matrices, at: 16 * i });
      });
    this.update();
  }

  update(): void {
    for (const { mesh, matrices, at } of this.parts) {
      mesh.matrix.fromArray(matrices, at);
      mesh.matrixWorldNeedsUpdate = true;
      mesh.visible = matrices[at] !== 0 || matrices[at + 1] !== 0 || matrices[at + 2] !== 0; // hidden bodies have none
    }
  }
}

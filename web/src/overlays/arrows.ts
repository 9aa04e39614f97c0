// Arrows of so many pixels' thickness, over everything else.
import * as THREE from "three";

const HEAD = 9; // length of a head, in radii of the shaft
const WIDE = 2.8; // its radius

export class Arrows {
  static readonly SHAFT = 1.25; // radius of a shaft, pixels
  readonly root = new THREE.Group();
  private readonly shafts: THREE.InstancedMesh;
  private readonly heads: THREE.InstancedMesh;
  private thick = 0;
  private count = 0;

  constructor(private readonly most: number, order: number) {
    const make = (geometry: THREE.BufferGeometry, renderOrder: number) => {
      const material = new THREE.MeshBasicMaterial({ transparent: true, opacity: 0.95, depthTest: false, depthWrite: false, toneMapped: false });
      const mesh = new THREE.InstancedMesh(geometry.rotateX(Math.PI / 2).translate(0, 0, 0.5), material, most);
      mesh.frustumCulled = false;
      mesh.renderOrder = renderOrder;
      mesh.count = 0;
      this.root.add(mesh);
      return mesh;
    };
    this.shafts = make(new THREE.CylinderGeometry(1, 1, 1, 10), order);
    this.heads = make(new THREE.ConeGeometry(1, 1, 16), order + 1);
  }

  /** `pixel`: its length in the scene, m. */
  start(pixel: number): void {
    this.thick = Arrows.SHAFT * pixel;
    this.count = 0;
  }

  /** From `at` along `direction` (of any length), `length` m long; nothing where there is no more room. */
  add(at: THREE.Vector3, direction: THREE.Vector3, length: number, colour: THREE.Color): void {
    if (this.count >= this.most || !(length > 0)) return;
    const m = new THREE.Matrix4();
    const along = direction.clone().normalize();
    const turn = new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 0, 1), along);
    const head = Math.min(0.5 * length, HEAD * this.thick);
    const width = Math.min(this.thick, head / 3);
    this.shafts.setMatrixAt(this.count, m.compose(at, turn, new THREE.Vector3(width, width, length - head)));
    this.shafts.setColorAt(this.count, colour);
    const neck = at.clone().addScaledVector(along, length - head);
    this.heads.setMatrixAt(this.count, m.compose(neck, turn, new THREE.Vector3(WIDE * width, WIDE * width, head)));
    this.heads.setColorAt(this.count, colour);
    this.count++;
  }

  finish(): void {
    for (const mesh of [this.shafts, this.heads]) {
      mesh.count = this.count;
      mesh.instanceMatrix.needsUpdate = true;
      if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
    }
  }

  dispose(): void {
    for (const mesh of [this.shafts, this.heads]) {
      mesh.geometry.dispose();
      mesh.dispose();
    }
  }
}

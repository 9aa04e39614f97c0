// Grounds that fade towards their rim, as rings of corners.
import * as THREE from "three";

/** Radius (of 1) and opacity of a ground that fades towards its rim, as the textured one of the fine picture does. */
export const FADE: [radius: number, strength: number][] = [[0, 1], [0.35, 1], [0.7, 0.4], [1, 0]];

/** The part of a disc between the first and the last of these radii. */
export function fadingRing(size: number, rings: typeof FADE): THREE.BufferGeometry {
  const around = 48;
  const position: number[] = [];
  const strength: number[] = [];
  const index: number[] = [];
  rings.forEach(([radius, opacity], r) => {
    for (let i = 0; i < around; i++) {
      const angle = (2 * Math.PI * i) / around;
      position.push(size * radius * Math.cos(angle), size * radius * Math.sin(angle), 0);
      strength.push(opacity);
      if (r === 0) continue;
      const [a, b] = [around * (r - 1) + i, around * (r - 1) + ((i + 1) % around)];
      index.push(a, a + around, b + around, a, b + around, b);
    }
  });
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.Float32BufferAttribute(position, 3));
  geometry.setAttribute("normal", new THREE.Float32BufferAttribute(position.map((_, i) => (i % 3 === 2 ? 1 : 0)), 3));
  geometry.setAttribute("strength", new THREE.Float32BufferAttribute(strength, 1));
  geometry.setIndex(index);
  return geometry;
}

/** Lines `cell` apart on a disc, gone at half its size; for a material with vertex colours and opacities. */
export function fadingLines(size: number, cell: number): THREE.BufferGeometry {
  const far = 0.5 * size;
  const parts = 6;
  const position: number[] = [];
  const colour: number[] = [];
  const put = (x: number, y: number) => {
    position.push(x, y, 0);
    colour.push(1, 1, 1, 0.3 * (1 - THREE.MathUtils.smoothstep(Math.hypot(x, y) / size, 0.05, 0.5)));
  };
  for (let k = -Math.floor(far / cell); k <= far / cell; k++) {
    const half = Math.sqrt(Math.max(0, far * far - (k * cell) ** 2));
    for (let i = 0; i < parts; i++)
      for (const turned of [false, true])
        for (const end of [i, i + 1]) {
          const along = half * ((2 * end) / parts - 1);
          if (turned) put(along, k * cell);
          else put(k * cell, along);
        }
  }
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.Float32BufferAttribute(position, 3));
  geometry.setAttribute("color", new THREE.Float32BufferAttribute(colour, 4));
  return geometry;
}

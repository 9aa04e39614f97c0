// Lines of so many pixels, whatever the zoom: outlines of plane bodies, hatching, springs. A segment is four corners that the
// shader moves apart across the line; with instances, every instance draws all segments at its own place.
import * as THREE from "three";

const VERTEX = `attribute vec3 other; attribute float side;
#ifdef PLACED
attribute mat4 place;
#endif
uniform vec2 size; uniform float width, lift;
void main() {
#ifdef PLACED
  mat4 view = modelViewMatrix * place;
#else
  mat4 view = modelViewMatrix;
#endif
  vec4 a = projectionMatrix * (view * vec4(position, 1.0));
  vec4 b = projectionMatrix * (view * vec4(other, 1.0));
  vec2 along = (b.xy / b.w - a.xy / a.w) * size;
  float length = max(length(along), 1e-6);
  vec2 unit = along / length;
  vec2 off = (vec2(-unit.y, unit.x) * side - unit * 0.5) * width;
  gl_Position = a;
  gl_Position.xy += off / size * a.w;
  gl_Position.z -= lift * a.w;
}`;
const FRAGMENT = `uniform vec3 colour; uniform float alpha; void main() { gl_FragColor = vec4(colour, alpha); }`;

export type Segment = [THREE.Vector3, THREE.Vector3];

/** Corners of the segments: position, the other end, and on which side of the line. */
export function inkGeometry(segments: Segment[], geometry: THREE.BufferGeometry = new THREE.BufferGeometry()): THREE.BufferGeometry {
  const position = new Float32Array(12 * segments.length);
  const other = new Float32Array(12 * segments.length);
  const side = new Float32Array(4 * segments.length);
  const index: number[] = [];
  segments.forEach(([a, b], s) => {
    const [corner, end] = [4 * s, [a, a, b, b]];
    end.forEach((at, i) => {
      at.toArray(position, 3 * (corner + i));
      (i < 2 ? b : a).toArray(other, 3 * (corner + i));
      side[corner + i] = (i % 2 ? -0.5 : 0.5) * (i < 2 ? 1 : -1);
    });
    index.push(corner, corner + 1, corner + 3, corner, corner + 3, corner + 2);
  });
  geometry.setAttribute("position", new THREE.BufferAttribute(position, 3));
  geometry.setAttribute("other", new THREE.BufferAttribute(other, 3));
  geometry.setAttribute("side", new THREE.BufferAttribute(side, 1));
  geometry.setIndex(index);
  return geometry;
}

/** Half the picture in pixels, for shaders that place corners on the screen. */
export const pictureSize = { value: new THREE.Vector2(1, 1) };

/** To be called when the size of the picture changes. */
export const setPictureSize = (width: number, height: number): unknown => pictureSize.value.set(width / 2, height / 2);

/** `width` in pixels of the page; `lift`: towards the eye, in the depth of the picture, so that a line lies on its surface. */
export function inkMaterial({ width = 1.5, lift = 0, placed = false, over = false } = {}): THREE.ShaderMaterial {
  return new THREE.ShaderMaterial({
    defines: placed ? { PLACED: "" } : {},
    uniforms: { size: pictureSize, width: { value: width }, lift: { value: lift }, colour: { value: new THREE.Color("#000000") }, alpha: { value: 1 } },
    vertexShader: VERTEX,
    fragmentShader: FRAGMENT,
    side: THREE.DoubleSide,
    transparent: over,
    depthTest: !over,
    depthWrite: !over,
  });
}

/** The colour as it is shown: the shader writes it unchanged. */
export const setInk = (material: THREE.ShaderMaterial, colour: THREE.ColorRepresentation): THREE.Color =>
  material.uniforms.colour.value.set(colour).convertLinearToSRGB();

/** Lines that stand where they are. */
export function inkLines(segments: Segment[], material: THREE.ShaderMaterial): THREE.Mesh {
  const mesh = new THREE.Mesh(inkGeometry(segments), material);
  mesh.frustumCulled = false;
  return mesh;
}

/** The same lines at every place of `matrices` (16 numbers each, which may change: mark the attribute `place`). */
export function placedLines(segments: Segment[], matrices: Float32Array, material: THREE.ShaderMaterial): THREE.Mesh {
  const geometry = new THREE.InstancedBufferGeometry();
  inkGeometry(segments, geometry);
  geometry.setAttribute("place", new THREE.InstancedBufferAttribute(matrices, 16).setUsage(THREE.DynamicDrawUsage));
  geometry.instanceCount = matrices.length / 16;
  const mesh = new THREE.Mesh(geometry, material);
  mesh.frustumCulled = false;
  return mesh;
}

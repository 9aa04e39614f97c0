// The stage's lights as numbers: for shaders, and for corners that are lit here.
//
// A surface of colour c lit by L shows c L in linear light; the eye gets (c L)^(1/2.2), here sqrt(c) sqrt(L).
import * as THREE from "three";

/** The same lights as the stage's, as numbers for the shaders; directions are unit vectors in the world. */
export class Lights {
  readonly uniforms = {
    up: { value: new THREE.Vector3(0, 0, 1) },
    sky: { value: new THREE.Color() },
    earth: { value: new THREE.Color() },
    keyFrom: { value: new THREE.Vector3() },
    key: { value: new THREE.Color() },
    fillFrom: { value: new THREE.Vector3() },
    fill: { value: new THREE.Color() },
  };

  /** The same for what is lit here. */
  private readonly numbers = { up: [0, 0, 1], sky: [0, 0, 0], earth: [0, 0, 0], keyFrom: [0, 0, 0], key: [0, 0, 0], fillFrom: [0, 0, 0], fill: [0, 0, 0] };

  set(hemisphere: THREE.HemisphereLight, key: THREE.DirectionalLight, fill: THREE.DirectionalLight, target: THREE.Vector3): void {
    const u = this.uniforms;
    const share = 1 / Math.PI; // three's lights are irradiances; a matt surface gives back 1/pi of them
    u.up.value.copy(hemisphere.position).normalize();
    u.sky.value.copy(hemisphere.color).multiplyScalar(hemisphere.intensity * share);
    u.earth.value.copy(hemisphere.groundColor).multiplyScalar(hemisphere.intensity * share);
    u.keyFrom.value.copy(key.position).sub(target).normalize();
    u.key.value.copy(key.color).multiplyScalar(key.intensity * share);
    u.fillFrom.value.copy(fill.position).sub(target).normalize();
    u.fill.value.copy(fill.color).multiplyScalar(fill.intensity * share);
    for (const name of Object.keys(u) as (keyof typeof u)[]) this.numbers[name] = u[name].value.toArray();
  }

  /** sqrt(L) on a surface with this unit normal. */
  at(nx: number, ny: number, nz: number, out: THREE.Vector3): THREE.Vector3 {
    const { up, sky, earth, keyFrom, key, fillFrom, fill } = this.numbers;
    const above = 0.5 + 0.5 * (nx * up[0] + ny * up[1] + nz * up[2]);
    const main = Math.max(0, nx * keyFrom[0] + ny * keyFrom[1] + nz * keyFrom[2]);
    const side = Math.max(0, nx * fillFrom[0] + ny * fillFrom[1] + nz * fillFrom[2]);
    const of = (k: number) => Math.sqrt(earth[k] + above * (sky[k] - earth[k]) + main * key[k] + side * fill[k]);
    return out.set(of(0), of(1), of(2));
  }
}

const LIT = `uniform vec3 up, sky, earth, keyFrom, key, fillFrom, fill;
vec3 lit(vec3 n) {
  return sqrt(mix(earth, sky, 0.5 + 0.5 * dot(n, up)) + key * max(dot(n, keyFrom), 0.0) + fill * max(dot(n, fillFrom), 0.0));
}`;

const SURFACE_VERTEX = `${LIT}
uniform vec3 tint;
SHADING varying vec4 shade;
#ifdef FADES
attribute float strength;
#else
const float strength = 1.0;
#endif
void main() {
  shade = vec4(sqrt(tint) * lit(normalize(mat3(modelMatrix) * normal)), strength);
  gl_Position = projectionMatrix * (modelViewMatrix * vec4(position, 1.0));
}`;
export const SHADED_FRAGMENT = `SHADING varying vec4 shade; void main() { gl_FragColor = shade; }`;

/** One lit surface of one colour, flat (every face is lit alike) unless it `varies`. fades: the geometry has an attribute
 * `strength`, the opacity of each corner. */
export function surfaceMaterial(
  lights: Lights,
  { fades = false, varies = false, side = THREE.FrontSide as THREE.Side } = {},
): THREE.ShaderMaterial {
  return new THREE.ShaderMaterial({
    defines: { ...(fades ? { FADES: "" } : {}), SHADING: varies || fades ? "smooth" : "flat" },
    uniforms: { ...lights.uniforms, tint: { value: new THREE.Color() } },
    vertexShader: SURFACE_VERTEX,
    fragmentShader: SHADED_FRAGMENT,
    transparent: fades,
    side,
  });
}

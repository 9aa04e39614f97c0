// The background of a picture.
import * as THREE from "three";
import type { Look } from "../colours";

const BANDS = 40; // of the background: about one step of the screen's colours each, so that no edge is seen

/** Clears the picture to a gradient from the top to three quarters down. Cleared, a pixel costs nothing; drawn, as much as a body's. A drawing has
 * plain paper. */
export function clearToGradient(renderer: THREE.WebGLRenderer, look: Look, plain = false): void {
  if (plain) {
    renderer.setClearColor(look.sheet);
    renderer.clear();
    return;
  }
  const top = new THREE.Color(look.top);
  const colour = new THREE.Color();
  const bottom = new THREE.Color(look.bottom);
  const size = renderer.getSize(new THREE.Vector2());
  const line = (band: number) => Math.round(size.y * (band < 0 ? 0 : 0.25 + (0.75 * band) / BANDS));
  renderer.setScissorTest(true);
  for (let band = -1; band < BANDS; band++) {
    renderer.setScissor(0, line(band), size.x, line(band + 1) - line(band)); // lines count from the bottom
    renderer.setClearColor(colour.lerpColors(bottom, top, band < 0 ? 0 : (band + 0.5) / BANDS));
    renderer.clear(true, false, false);
  }
  renderer.setScissorTest(false);
  renderer.clear(false, true, false);
}

// The texture of round bodies.
import * as THREE from "three";

/** Darker sectors, so that one sees round things turn. */
export function sectors(): THREE.Texture {
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

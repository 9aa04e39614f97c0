// The data of a result as the program packs them: a JSON header and deflated sections of numbers
// (docs/reference/view-data.md).
import type { Header, Numbers, SectionEntry } from "./header";
import { Run } from "./run";

async function inflate(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

const typeBytes = { u8: 1, f16: 2, i32: 4, f32: 4, f64: 8 };

// planes of bytes back into numbers, in the order of this machine (all browsers run little-endian)
function interleave(planes: Uint8Array, count: number, bytes: number): ArrayBuffer {
  const out = new Uint8Array(count * bytes);
  for (let b = 0; b < bytes; b++) for (let i = 0, p = b * count, o = b; i < count; i++, p++, o += bytes) out[o] = planes[p];
  return out.buffer;
}

// differences from the extrapolation of the rows before, back into values (modulo 2^32)
function integrate(z: Int32Array, width: number, order: number): Int32Array {
  for (let i = 0; i < z.length; i++) {
    const difference = (z[i] >>> 1) ^ -(z[i] & 1);
    if (order === 0 || i < width) z[i] = difference;
    else if (order === 1 || i < 2 * width) z[i] = (difference + z[i - width]) | 0;
    else z[i] = (difference + 2 * z[i - width] - z[i - 2 * width]) | 0;
  }
  return z;
}

function halves(words: Uint16Array, scale: number): Float32Array {
  const out = new Float32Array(words.length);
  for (let i = 0; i < words.length; i++) {
    const exponent = (words[i] >> 10) & 31;
    const steps = words[i] & 1023;
    const size = exponent === 0 ? steps * 2 ** -24 : (1024 + steps) * 2 ** (exponent - 25);
    out[i] = (words[i] & 0x8000 ? -size : size) * scale;
  }
  return out;
}

function numbers(entry: SectionEntry, planes: Uint8Array): Numbers {
  const count = entry.rows * entry.width;
  const buffer = interleave(planes, count, typeBytes[entry.type]);
  switch (entry.type) {
    case "u8":
      return new Uint8Array(buffer);
    case "f16":
      return halves(new Uint16Array(buffer), entry.scale);
    case "i32":
      return integrate(new Int32Array(buffer), entry.width, entry.order);
    case "f32":
      return new Float32Array(buffer);
    case "f64":
      return new Float64Array(buffer);
  }
}

export async function decode(bytes: Uint8Array<ArrayBuffer>): Promise<Run> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 16 || new TextDecoder().decode(bytes.subarray(0, 8)) !== "ASPVIEW1")
    throw new Error("the data are not of a result of asperity");
  const packed = view.getUint32(12, true);
  const header = JSON.parse(new TextDecoder().decode(await inflate(bytes.subarray(16, 16 + packed)))) as Header;
  const base = 16 + packed;
  const sections = new Map<string, Numbers>();
  const parts = await Promise.all(
    header.sections.map((entry) => inflate(bytes.subarray(base + entry.start, base + entry.start + entry.bytes))),
  );
  header.sections.forEach((entry, i) => sections.set(entry.name, numbers(entry, parts[i])));
  return new Run(header, sections);
}

/** The bytes that the element of this id holds in this page; null: there are none, as when it is served by `asperity view`. */
export function embedded(id: string): Uint8Array<ArrayBuffer> | null {
  const element = document.getElementById(id);
  if (!element?.textContent) return null;
  const text = atob(element.textContent);
  element.remove();
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

// Deflated parts of sections as numbers (docs/reference/view-data.md). Runs in the page and in the worker beside it.
import type { Numbers, SectionEntry } from "./header";

export const arrays = { u8: Uint8Array, f16: Float32Array, i32: Int32Array, f32: Float32Array, f64: Float64Array };

export async function inflate(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const stream = new DecompressionStream("deflate");
  const writer = stream.writable.getWriter();
  const fed = writer.write(bytes).then(() => writer.close());
  try {
    const [plain] = await Promise.all([new Response(stream.readable).arrayBuffer(), fed]);
    return new Uint8Array(plain);
  } catch {
    throw new Error("The data of the run are damaged or cut short. Make the page again: asperity report RESULT.h5");
  }
}

// Numbers come as planes of bytes: all lowest ones, all second ones and so on. `first`: where they go in `out`.

// differences from the extrapolation of the rows before, zigzag-coded, back into values (modulo 2^32)
function integers(planes: Uint8Array, out: Int32Array, first: number, count: number, width: number, order: number): void {
  const [second, third, fourth] = [count, 2 * count, 3 * count];
  for (let i = 0, o = first; i < count; i++, o++) {
    const word = planes[i] | (planes[second + i] << 8) | (planes[third + i] << 16) | (planes[fourth + i] << 24);
    const difference = (word >>> 1) ^ -(word & 1);
    if (order === 0 || o < width) out[o] = difference;
    else if (order === 1 || o < 2 * width) out[o] = (difference + out[o - width]) | 0;
    else out[o] = ((((difference + (out[o - width] << 1)) | 0) - out[o - 2 * width]) | 0);
  }
}

/** What a half float with each exponent has as the size of a step. */
const HALF_STEPS = Float64Array.from({ length: 32 }, (_, exponent) => 2 ** (exponent === 0 ? -24 : exponent - 25));

function reals(planes: Uint8Array, out: Float32Array, count: number, scale: number): void {
  for (let i = 0; i < count; i++) {
    const word = planes[i] | (planes[count + i] << 8);
    const exponent = (word >> 10) & 31;
    const steps = exponent === 0 ? word & 1023 : 1024 + (word & 1023);
    const size = steps * HALF_STEPS[exponent] * scale;
    out[i] = word & 0x8000 ? -size : size;
  }
}

// bytes in the order of this machine (all browsers run little-endian)
function bytesOf(planes: Uint8Array, out: Numbers, count: number): void {
  const size = out.BYTES_PER_ELEMENT;
  const bytes = new Uint8Array(out.buffer);
  for (let b = 0; b < size; b++) for (let i = 0, p = b * count, o = b; i < count; i++, p++, o += size) bytes[o] = planes[p];
}

/** Numbers of one part of a section; the first `skip` of them belong to the part before. */
export interface Unpacked {
  values: Numbers;
  skip: number;
}

/** The same part of several sections; `bytes` begins at `start` of all sections of the file. */
export interface Part {
  entries: SectionEntry[];
  bytes: Uint8Array<ArrayBuffer>;
  start: number;
}

/** Unpacks the parts of sections in their order: integers are predicted from the rows before. */
export class Unpacker {
  private readonly before = new Map<string, Numbers>(); // the last rows of each section, as many as its predictions need

  private one({ name, type, first, rows, width, order, scale }: SectionEntry, planes: Uint8Array): Unpacked {
    const count = rows * width;
    const skip = Math.min(first, order) * width;
    const values: Numbers = new arrays[type](skip + count);
    if (skip) values.set(this.before.get(name)!);
    if (values instanceof Int32Array) integers(planes, values, skip, count, width, order);
    else if (type === "f16") reals(planes, values as Float32Array, count, scale);
    else bytesOf(planes, values, count);
    if (order) this.before.set(name, values.slice(Math.max(0, values.length - order * width)));
    return { values, skip };
  }

  async part({ entries, bytes, start }: Part): Promise<Unpacked[]> {
    const planes = await Promise.all(entries.map((entry) => inflate(bytes.subarray(entry.start - start, entry.start - start + entry.bytes))));
    return entries.map((entry, i) => this.one(entry, planes[i]));
  }
}

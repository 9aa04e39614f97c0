// The data of a result as the program packs them: a JSON header and deflated sections of numbers, large ones in parts of so many
// frames (docs/reference/view-data.md). A run can be shown as soon as its first part is here.
import type { Header, Numbers, SectionEntry } from "./header";
import { Run } from "./run";

async function inflate(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
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

/** What each half float stands for. */
const halves = (): Float32Array =>
  Float32Array.from({ length: 65536 }, (_, word) => {
    const exponent = (word >> 10) & 31;
    const steps = word & 1023;
    const size = exponent === 0 ? steps * 2 ** -24 : (1024 + steps) * 2 ** (exponent - 25);
    return word & 0x8000 ? -size : size;
  });
let halfTable: Float32Array | null = null;

function reals(planes: Uint8Array, out: Float32Array, first: number, count: number, scale: number): void {
  const table = (halfTable ??= halves());
  for (let i = 0; i < count; i++) out[first + i] = table[planes[i] | (planes[count + i] << 8)] * scale;
}

// bytes in the order of this machine (all browsers run little-endian)
function bytesOf(planes: Uint8Array, out: Numbers, first: number, count: number): void {
  const size = out.BYTES_PER_ELEMENT;
  const bytes = new Uint8Array(out.buffer);
  for (let b = 0; b < size; b++) for (let i = 0, p = b * count, o = first * size + b; i < count; i++, p++, o += size) bytes[o] = planes[p];
}

function unpack({ type, first, rows, width, order, scale }: SectionEntry, planes: Uint8Array, out: Numbers): void {
  const count = rows * width;
  if (out instanceof Int32Array) integers(planes, out, first * width, count, width, order);
  else if (type === "f16") reals(planes, out as Float32Array, first * width, count, scale);
  else bytesOf(planes, out, first * width, count);
}

const arrays = { u8: Uint8Array, f16: Float32Array, i32: Int32Array, f32: Float32Array, f64: Float64Array };

/** A run that comes part by part. */
export class PackedRun {
  private parts: SectionEntry[][] = []; // of each part of the run
  private next = 0;
  private readonly sections = new Map<string, Numbers>();
  private opened: Run | null = null;

  private constructor(private readonly bytes: Uint8Array<ArrayBuffer>, private readonly base: number, private readonly header: Header) {
    const lengths = new Map<string, number>();
    const counts = new Map<string, number>();
    for (const entry of header.sections) {
      const part = counts.get(entry.name) ?? 0;
      counts.set(entry.name, part + 1);
      lengths.set(entry.name, (entry.first + entry.rows) * entry.width);
      (this.parts[part] ??= []).push(entry);
    }
    for (const { name, type } of header.sections) if (!this.sections.has(name)) this.sections.set(name, new arrays[type](lengths.get(name)!));
  }

  /** With its first part. */
  static async open(bytes: Uint8Array<ArrayBuffer>): Promise<PackedRun> {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const magic = bytes.length < 16 ? "" : new TextDecoder().decode(bytes.subarray(0, 8));
    if (magic !== "ASPVIEW2") throw new Error("the data are not of a result of asperity, or of another version of it than the page");
    const packed = view.getUint32(12, true);
    const header = JSON.parse(new TextDecoder().decode(await inflate(bytes.subarray(16, 16 + packed)))) as Header;
    const own = new PackedRun(bytes, 16 + packed, header);
    await own.more();
    return own;
  }

  get run(): Run {
    return this.opened!;
  }

  get complete(): boolean {
    return this.next >= this.parts.length;
  }

  /** Unpacks the next part. */
  async more(): Promise<void> {
    const entries = this.parts[this.next++] ?? [];
    const planes = await Promise.all(entries.map(({ start, bytes }) => inflate(this.bytes.subarray(this.base + start, this.base + start + bytes))));
    entries.forEach((entry, i) => unpack(entry, planes[i], this.sections.get(entry.name)!));
    this.opened ??= new Run(this.header, this.sections);
    this.opened.ready = this.complete ? this.opened.frames : Math.min(this.opened.frames, this.next * this.header.part);
  }
}

/** A whole run. */
export async function decode(bytes: Uint8Array<ArrayBuffer>): Promise<Run> {
  const packed = await PackedRun.open(bytes);
  while (!packed.complete) await packed.more();
  return packed.run;
}

/** Text of base64 as bytes; by the browser where it can. */
function bytesOfText(text: string): Uint8Array<ArrayBuffer> {
  const own = Uint8Array as unknown as { fromBase64?: (text: string) => Uint8Array<ArrayBuffer> };
  if (own.fromBase64) return own.fromBase64(text);
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i);
  return bytes;
}

/** The bytes that the element of this id holds in this page; null: there are none, as when it is served by `asperity view`. */
export function embedded(id: string): Uint8Array<ArrayBuffer> | null {
  const element = document.getElementById(id);
  if (!element?.textContent) return null;
  const bytes = bytesOfText(element.textContent);
  element.remove();
  return bytes;
}

// The data of a result as the program packs them: a JSON header and deflated sections of numbers, large ones in parts of so many
// frames (docs/reference/view-data.md). A run can be shown as soon as its first part is here; the others are unpacked in a worker.
import type { Header, Numbers, SectionEntry } from "./header";
import { Pieces } from "./pieces";
import { Run } from "./run";
import { arrays, inflate, type Part, type Unpacked, Unpacker } from "./unpack";
import UnpackWorker from "./unpack_worker?worker&inline";

const HEAD = 16; // bytes before the header
const AHEAD = 2; // parts that the worker has at a time

interface Asked {
  part: Part;
  resolve: (unpacked: Unpacked[]) => void;
  reject: (reason: Error) => void;
}

/** Parts in their order, unpacked by a worker; where the browser allows none, here. */
class Beside {
  private readonly worker = new UnpackWorker();
  private readonly asked: Asked[] = [];
  private own: Unpacker | null = null;

  constructor() {
    this.worker.onmessage = ({ data }: MessageEvent<{ unpacked?: Unpacked[]; fault?: string }>) => {
      const { resolve, reject } = this.asked.shift()!;
      if (data.unpacked) resolve(data.unpacked);
      else reject(new Error(data.fault));
    };
    this.worker.onerror = () => {
      this.own ??= new Unpacker();
      void this.unpackHere();
    };
  }

  private async unpackHere(): Promise<void> {
    for (let one = this.asked.shift(); one; one = this.asked.shift()) await this.own!.part(one.part).then(one.resolve, one.reject);
  }

  part(part: Part): Promise<Unpacked[]> {
    return new Promise((resolve, reject) => {
      this.asked.push({ part, resolve, reject });
      if (!this.own) this.worker.postMessage(part);
      else if (this.asked.length === 1) void this.unpackHere();
    });
  }

  close(): void {
    this.worker.terminate();
  }
}

/** A run that comes part by part. */
export class PackedRun {
  private readonly parts: SectionEntry[][] = []; // of each part of the run
  private next = 0;
  private readonly sections = new Map<string, Numbers>();
  private readonly coming: Promise<Unpacked[]>[] = []; // parts that were asked for, from `next` on
  private fed: Promise<unknown> = Promise.resolve(); // what the worker gets comes in order
  private beside: Beside | null = null;
  private opened: Run | null = null;

  private constructor(private readonly pieces: Pieces, private readonly base: number, private readonly header: Header) {
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
  static async open(pieces: Pieces): Promise<PackedRun> {
    const head = await pieces.slice(0, HEAD);
    const magic = head.length < HEAD ? "" : new TextDecoder().decode(head.subarray(0, 8));
    if (magic !== "ASPVIEW2") throw new Error("the data are not of a result of asperity, or of another version of it than the page");
    const packed = new DataView(head.buffer).getUint32(12, true);
    const header = JSON.parse(new TextDecoder().decode(await inflate(await pieces.slice(HEAD, HEAD + packed)))) as Header;
    const own = new PackedRun(pieces, HEAD + packed, header);
    const entries = own.parts[0];
    own.take(await new Unpacker().part(await own.packed(entries)));
    return own;
  }

  get run(): Run {
    return this.opened!;
  }

  get complete(): boolean {
    return this.next >= this.parts.length;
  }

  /** Entries with their bytes, which lie one after another in the file. */
  private async packed(entries: SectionEntry[]): Promise<Part> {
    const start = Math.min(...entries.map((entry) => entry.start));
    const end = Math.max(...entries.map((entry) => entry.start + entry.bytes));
    return { entries, bytes: await this.pieces.slice(this.base + start, this.base + end), start };
  }

  /** The next part is here. */
  private take(unpacked: Unpacked[]): void {
    const entries = this.parts[this.next++];
    entries.forEach(({ name, first, width }, i) => {
      const { values, skip } = unpacked[i];
      this.sections.get(name)!.set(values.subarray(skip), first * width);
    });
    this.opened ??= new Run(this.header, this.sections);
    const poses = entries.find(({ name }) => name === "q");
    this.opened.ready = this.complete || !poses ? this.opened.frames : poses.first + poses.rows;
  }

  private ask(part: number): Promise<Unpacked[]> {
    const packed = this.fed.then(() => this.packed(this.parts[part]));
    this.fed = packed;
    return packed.then((one) => this.beside!.part(one));
  }

  /** Unpacks the next part. */
  async more(): Promise<void> {
    if (!this.beside) {
      this.beside = new Beside();
      void this.ask(0); // others are predicted from it
    }
    while (this.coming.length < AHEAD && this.next + this.coming.length < this.parts.length) this.coming.push(this.ask(this.next + this.coming.length));
    this.take(await this.coming[0]);
    this.coming.shift();
    if (this.complete) this.beside.close();
  }
}

/** A whole run. */
export async function decode(bytes: Uint8Array<ArrayBuffer>): Promise<Run> {
  return whole(new Pieces(null, bytes));
}

export async function whole(pieces: Pieces): Promise<Run> {
  const packed = await PackedRun.open(pieces);
  while (!packed.complete) await packed.more();
  return packed.run;
}

// asperity.wasm behind classes: an Engine is one instance of the module, a World one scene in motion. Everything here is
// synchronous and runs where it is called; client.ts has the same in a worker. docs/reference/web-api.md

import { type Analysis, CONTACT_WIDTH, JOINT_WIDTH, type Description, type Frame, type Level, LEVELS, type Messages, type Pull, type Settings, type StepInfo, type Verdict } from "./types";

export * from "./types";

/** An error of the library, or messages about a scene. */
export class AsperityError extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly messages: Messages | null = null,
  ) {
    super(message);
  }
}

type Exports = Record<string, (...values: number[]) => number> & { memory: WebAssembly.Memory; _initialize(): void };

const INTERRUPTED = 76; // wasi: the module has no files, no environment, nothing to wait for
const BAD_FILE = 8;

/** What wasi-libc asks of its host: a clock. Files do not exist. */
function host(memory: () => DataView): WebAssembly.ModuleImports {
  const refused = () => BAD_FILE;
  return {
    clock_time_get: (_clock: number, _precision: bigint, at: number) => {
      memory().setBigUint64(at, BigInt(Math.round(performance.now() * 1e6)), true);
      return 0;
    },
    proc_exit: (code: number) => {
      throw new Error(`the module ended with ${code}`);
    },
    fd_write: (_file: number, list: number, count: number, written: number) => {
      let bytes = 0;
      for (let i = 0; i < count; i++) bytes += memory().getUint32(list + 8 * i + 4, true);
      memory().setUint32(written, bytes, true); // the library prints nothing
      return 0;
    },
    sched_yield: () => 0,
    poll_oneoff: () => INTERRUPTED,
    fd_close: refused,
    fd_fdstat_get: refused,
    fd_fdstat_set_flags: refused,
    fd_prestat_get: refused,
    fd_prestat_dir_name: refused,
    fd_read: refused,
    fd_seek: refused,
    path_filestat_get: refused,
    path_open: refused,
  };
}

export class Engine {
  private constructor(private readonly wasm: Exports) {}

  static async create(module: BufferSource | WebAssembly.Module): Promise<Engine> {
    let wasm: Exports | null = null;
    const imports = { wasi_snapshot_preview1: host(() => new DataView(wasm!.memory.buffer)) };
    const compiled = module instanceof WebAssembly.Module ? module : await WebAssembly.compile(module);
    const instance = await WebAssembly.instantiate(compiled, imports);
    wasm = instance.exports as unknown as Exports;
    wasm._initialize();
    return new Engine(wasm);
  }

  get version(): string {
    return this.read(this.wasm.live_version());
  }

  /** Bytes that the module occupies. */
  get memory(): number {
    return this.wasm.memory.buffer.byteLength;
  }

  world(): World {
    const handle = this.wasm.live_create();
    if (!handle) throw new AsperityError(1, "out of memory");
    return new World(this, handle);
  }

  call(name: string, ...values: number[]): number {
    return this.wasm[name](...values);
  }

  read(at: number): string {
    const bytes = new Uint8Array(this.wasm.memory.buffer);
    return new TextDecoder().decode(bytes.subarray(at, bytes.indexOf(0, at)).slice());
  }

  numbers(at: number, count: number): Float64Array {
    return new Float64Array(this.wasm.memory.buffer, at, count).slice();
  }

  integer(at: number): number {
    return new DataView(this.wasm.memory.buffer).getInt32(at, true);
  }

  /** Texts in the module's memory while `use` runs: address and length of each. */
  withTexts<T>(texts: string[], use: (...places: number[]) => T): T {
    const made = texts.map((text) => new TextEncoder().encode(text));
    const places: number[] = [];
    for (const bytes of made) {
      const at = this.wasm.live_allocate(bytes.length + 1);
      if (!at) throw new AsperityError(1, "out of memory");
      const room = new Uint8Array(this.wasm.memory.buffer, at, bytes.length + 1);
      room.set(bytes);
      room[bytes.length] = 0;
      places.push(at, bytes.length);
    }
    try {
      return use(...places);
    } finally {
      for (let i = 0; i < places.length; i += 2) this.wasm.live_free(places[i]);
    }
  }
}

const lines = (settings: Settings) => Object.entries(settings).map(([name, value]) => `${name}=${value}`).join("\n");

export class World {
  private about: Description | null = null;

  constructor(
    private readonly engine: Engine,
    private readonly handle: number,
  ) {}

  destroy(): void {
    this.engine.call("live_destroy", this.handle);
  }

  private get text(): string {
    return this.engine.read(this.engine.call("live_text", this.handle));
  }

  private check(code: number): void {
    if (code !== 0) throw new AsperityError(code, JSON.parse(this.text || '"out of memory"') as string);
  }

  private messages(): Messages {
    return { mistakes: [], warnings: [], notes: [], ...(JSON.parse(this.text) as Partial<Messages>) };
  }

  /** What `asperity validate` says; never throws for a mistake in the scene. */
  validate(scene: string, settings: Settings = {}): Messages {
    this.engine.withTexts([scene, lines(settings)], (text, length, set) => this.engine.call("live_validate", this.handle, text, length, set));
    return this.messages();
  }

  /** A scene in place of the one before, at its start; keep: bodies go on from where they are now. Throws with messages. */
  load(scene: string, settings: Settings = {}, keep = false): Messages {
    const code = this.engine.withTexts([scene, lines(settings)], (text, length, set) =>
      this.engine.call("live_load", this.handle, text, length, set, keep ? 1 : 0),
    );
    const messages = this.messages();
    if (code !== 0) throw new AsperityError(code, messages.mistakes[0] ?? "the scene cannot be loaded", messages);
    this.engine.call("live_describe", this.handle);
    this.about = JSON.parse(this.text) as Description;
    return messages;
  }

  get description(): Description {
    if (!this.about) throw new AsperityError(2, "no scene is loaded");
    return this.about;
  }

  /** JSON Schema of scenes. */
  schema(): string {
    this.check(this.engine.call("live_schema", this.handle));
    return this.text;
  }

  /** Up to `count` steps, until time `until` or a stop condition of the scene; how many were made. */
  step(count = 1, until = Infinity): number {
    const at = this.engine.call("live_allocate", 8);
    const code = this.engine.call("live_step", this.handle, count, until, at);
    const made = this.engine.integer(at);
    this.engine.call("live_free", at);
    this.check(code);
    return made;
  }

  get time(): number {
    return this.engine.call("live_time", this.handle);
  }

  get q(): Float64Array {
    return this.engine.numbers(this.engine.call("live_q", this.handle), this.engine.call("live_q_size", this.handle));
  }

  get v(): Float64Array {
    return this.engine.numbers(this.engine.call("live_v", this.handle), this.engine.call("live_v_size", this.handle));
  }

  /** Hash of time, q and v, as 16 hexadecimal digits. */
  get hash(): string {
    const half = (high: number) => this.engine.call("live_hash", this.handle, high).toString(16).padStart(8, "0");
    return half(1) + half(0);
  }

  get contacts(): Float64Array {
    const count = this.engine.call("live_contact_count", this.handle);
    return this.engine.numbers(this.engine.call("live_contacts", this.handle), CONTACT_WIDTH * count);
  }

  get info(): StepInfo {
    const x = this.engine.numbers(this.engine.call("live_info", this.handle), 43);
    return {
      step: x[0],
      t: x[1],
      dt: x[2],
      certified: x[3] === 1,
      resolved: x[4] === 1,
      iterations: x[5],
      attempts: x[6],
      parts: x[7],
      residual: x[8],
      exact: x[9],
      contacts: x[10],
      alternatives: x[11],
      instantSolutions: x[12],
      impulse: x[13] === 1,
      penetration: x[14],
      jointDrift: x[15],
      kinetic: x[16],
      gravitational: x[17],
      elastic: x[18],
      flow: { motors: x[19], forces: x[20], friction: x[21], impacts: x[22], joints: x[23], damping: x[24], unaccounted: x[25] },
      uncertified: x[26],
      unresolved: x[27],
      seconds: { collide: x[28], assemble: x[29], solve: x[30], judge: x[31], record: x[32] },
    };
  }

  frame(): Frame {
    const { joints, beams, forces, probes, bodies, dimension } = this.description;
    const part = (name: string, count: number) => (count ? this.engine.numbers(this.engine.call(name, this.handle), count) : new Float64Array(0));
    const n = bodies.name.length;
    return {
      t: this.time,
      q: this.q.slice(0, n * (dimension === 2 ? 3 : 7)),
      v: this.v.slice(0, n * (dimension === 2 ? 3 : 6)),
      contacts: this.contacts,
      joints: part("live_joints", JOINT_WIDTH * joints.length),
      forces: part("live_forces", 3 * forces.length),
      beams: part("live_beam_points", beams.reduce((sum, beam) => sum + 3 * beam.points, 0)),
      probes: part("live_probe_values", probes.length),
      pull: part("live_pulled", 6),
      info: this.info,
    };
  }

  verdict(): Verdict {
    this.check(this.engine.call("live_verdict", this.handle));
    return JSON.parse(this.text) as Verdict;
  }

  setInput(name: string, value: number): void {
    this.check(this.engine.withTexts([name], (at) => this.engine.call("live_set_input", this.handle, at, value)));
  }

  /** Until the next call; null lets go. */
  pull(pull: Pull | null): void {
    const { body, point, target, stiffness, damping, most } = pull ?? { body: -1, point: [0, 0, 0], target: [0, 0, 0], stiffness: 0, damping: 0, most: 0 };
    const code = this.engine.call("live_pull", this.handle, body, ...point, ...target, stiffness, damping, most);
    if (code !== 0) throw new AsperityError(code, "this body cannot be pulled: it is fixed or moves by a rule");
  }

  /** All solutions of the contact problem at the present state. The contacts of the last step are gone afterwards. */
  analyze(level: Level = "acceleration", seconds = 5): Analysis {
    this.check(this.engine.call("live_analyze", this.handle, LEVELS[level], seconds));
    return JSON.parse(this.text) as Analysis;
  }
}

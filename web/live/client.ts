// A world in a worker: the calls of module.ts as promises, so that the page stays responsive while steps are made.
import { type Analysis, AsperityError, type Description, type Frame, type Level, type Messages, type Pull, type Settings, type Verdict } from "./module";

export class LiveWorld {
  private next = 1;
  private readonly waiting = new Map<number, { resolve(value: never): void; reject(reason: Error): void }>();

  private constructor(private readonly worker: Worker) {
    worker.onmessage = ({ data: { id, result, fault } }) => {
      const wait = this.waiting.get(id);
      this.waiting.delete(id);
      if (fault) wait?.reject(new AsperityError(fault.code, fault.message, fault.messages));
      else wait?.resolve(result as never);
    };
    worker.onerror = (event) => {
      for (const { reject } of this.waiting.values()) reject(new Error(event.message || "the worker failed"));
      this.waiting.clear();
    };
  }

  /** `worker`: of worker.js; `wasm`: the bytes of asperity.wasm. */
  static async open(worker: Worker, wasm: ArrayBuffer): Promise<LiveWorld> {
    const live = new LiveWorld(worker);
    await live.ask<null>("open", wasm);
    return live;
  }

  private ask<T>(call: string, ...values: unknown[]): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const id = this.next++;
      this.waiting.set(id, { resolve, reject });
      this.worker.postMessage({ id, call, values });
    });
  }

  close(): void {
    this.worker.terminate();
  }

  load(scene: string, settings: Settings = {}, keep = false): Promise<{ messages: Messages; description: Description; frame: Frame }> {
    return this.ask("load", scene, settings, keep);
  }

  validate(scene: string, settings: Settings = {}): Promise<Messages> {
    return this.ask("validate", scene, settings);
  }

  schema(): Promise<string> {
    return this.ask("schema");
  }

  /** Steps until time `until` (s), at most `most` of them and for `budget` ms at most. */
  advance(until: number, most: number, budget: number): Promise<{ made: number; frame: Frame }> {
    return this.ask("advance", until, most, budget);
  }

  pull(pull: Pull | null): Promise<void> {
    return this.ask("pull", pull);
  }

  setInput(name: string, value: number): Promise<void> {
    return this.ask("setInput", name, value);
  }

  verdict(): Promise<Verdict> {
    return this.ask("verdict");
  }

  analyze(level: Level = "acceleration", seconds = 5): Promise<Analysis> {
    return this.ask("analyze", level, seconds);
  }
}

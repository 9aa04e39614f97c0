// The worker: one world, commands in, answers out. See client.ts.
import { AsperityError, Engine, type Frame, type World } from "./module";

let world: World | null = null;

/** Steps until time `until`, at most `most` of them, the last of which begins within `budget` ms; the frame then. At least one, where there is one: none made means the end. */
function advance(world: World, until: number, most: number, budget: number): { made: number; frame: Frame } {
  const end = performance.now() + budget;
  let made = 0;
  while (made < most) {
    const now = world.step(1, until);
    made += now;
    if (now === 0 || performance.now() >= end) break;
  }
  return { made, frame: world.frame() };
}

async function answer(call: string, values: unknown[]): Promise<unknown> {
  if (call === "open") {
    world = (await Engine.create(values[0] as ArrayBuffer)).world();
    return null;
  }
  if (!world) throw new Error("the worker is not open");
  if (call === "advance") return advance(world, ...(values as [number, number, number]));
  if (call === "load") {
    const messages = world.load(...(values as [string]));
    return { messages, description: world.description, frame: world.frame() };
  }
  const method = (world as unknown as Record<string, (...values: unknown[]) => unknown>)[call];
  return method.apply(world, values);
}

self.onmessage = async ({ data: { id, call, values } }: MessageEvent<{ id: number; call: string; values: unknown[] }>) => {
  try {
    self.postMessage({ id, result: await answer(call, values) });
  } catch (error) {
    const { message } = error as Error;
    const known = error instanceof AsperityError ? { code: error.code, messages: error.messages } : { code: 9, messages: null };
    self.postMessage({ id, fault: { message, ...known } });
  }
};

// A world to be made: of a scene, with what sliders say in place of what is written.
import type { LiveWorld } from "../live/client";
import { applied, type Values } from "./controls";
import type { Lesson } from "./course";

export interface Plan {
  text: string;
  values: Values;
  keep: boolean; // bodies go on from where they are
}

/** Throws where the scene or a value is refused; the world before stays then. */
export async function carryOut(world: LiveWorld, { text, values, keep }: Plan): ReturnType<LiveWorld["load"]> {
  const { text: patched, settings } = applied(text, values);
  const loaded = await world.load(patched, settings, keep);
  for (const [key, value] of Object.entries(values)) if (key.startsWith("input:")) await world.setInput(key.slice(6), value);
  return loaded;
}

/** Whether these sliders set how a lesson begins, not how it goes on. */
export const setsBeginning = (lesson: Lesson | undefined, moved: Values): boolean =>
  lesson !== undefined && lesson.restart && Object.keys(moved).some((key) => key !== "dt" && key !== "tolerance");

// What the address of the page asks for, after its # (see main.ts), and the address that asks for what is shown.
import type { Theme } from "../src/colours";
import { by } from "../src/panels/dom";
import { type Values, valuesOf } from "./controls";
import { type Lesson, lessonOf } from "./course";
import { FIRST, SCENES } from "./scenes";
import { decode, encode, type Shared } from "./share";

export interface Wish {
  text: string; // of the scene
  values: Values;
  lesson?: Lesson;
  tab: string | null;
  run: boolean;
  complaint?: string;
}

function complaintOf(wish: URLSearchParams, damaged: boolean): string | undefined {
  const [scene, course] = [wish.get("scene") ?? "", wish.get("course") ?? ""];
  if (damaged) return "the link is damaged: it holds no scene";
  if ((scene && !SCENES.has(scene)) || (course && !lessonOf(course))) return `the link names nothing that is here: ${scene || course}`;
}

export async function wishOfAddress(): Promise<Wish> {
  const wish = new URLSearchParams(location.hash.slice(1));
  const shared = wish.has("s") ? await decode(wish.get("s")!) : null;
  const lesson = lessonOf(shared?.course ?? wish.get("course"));
  const given = by("asperity-scene")?.textContent;
  const text = shared?.scene ?? SCENES.get(lesson?.scene ?? wish.get("scene") ?? "") ?? given ?? FIRST;
  return { text, values: valuesOf(shared?.settings ?? {}, text), lesson, tab: wish.get("tab"), run: wish.get("run") === "1", complaint: complaintOf(wish, wish.has("s") && !shared) };
}

/** The theme that the address asks for, else that of the system. */
export function firstTheme(): Theme {
  const wish = new URLSearchParams(location.hash.slice(1)).get("theme");
  if (wish === "dark" || wish === "light") return wish;
  return window.matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

export const linkTo = async (shared: Shared): Promise<string> => `${location.href.split("#")[0]}#s=${await encode(shared)}`;

/** Makes it the address of the page, and copies it; what was done, in words. */
export async function copyLink(link: string): Promise<string> {
  const copied = (await navigator.clipboard?.writeText(link).then(() => true, () => false)) ?? false;
  try {
    history.replaceState(null, "", link);
  } catch {
    return copied ? "link copied; it is too long for the address of this page" : "this scene is too long for a link: export it";
  }
  return copied ? "link copied: it holds the scene and the sliders" : "the address of this page now holds the scene and the sliders";
}

// Sliders of a scene: its parameters, its inputs, friction of every pair of materials, cone or polygon, step and tolerance. What a slider changes is
// the text of the scene as the world gets it, not the text in the editor.
import type { Description } from "../live/module";

export type Values = Record<string, number>;

interface SceneJson {
  materials?: { pair?: string[]; friction?: unknown }[];
  run?: { friction?: { model?: string; directions?: unknown } } & Record<string, unknown>;
}

export interface Slider {
  key: string; // "parameter:mu", "input:push", "friction:0", "directions", "dt", "tolerance"
  label: string;
  unit: string;
  about: string;
  value: number;
  low: number;
  high: number;
  log: boolean;
  choices?: [value: number, text: string][]; // in place of a range
}

/** A range for a number that has none: from 0 to three times it, or around 0. */
function rangeOf(value: number, low: number | null, high: number | null): [number, number] {
  const span = Math.abs(value) || 1;
  return [low ?? (value >= 0 ? 0 : 3 * value), high ?? (value > 0 ? 3 * span : value < 0 ? 0 : span)];
}

const POLYGONS = [4, 6, 8, 16, 32, 64];

/** Friction by the exact cone, or by a polygon of so many directions. */
function frictionChoice({ run }: SceneJson, about: Description): Slider {
  const given = run?.friction?.directions;
  const value = about.run.exact ? 0 : typeof given === "number" ? given : 8;
  const counts = [...new Set([...POLYGONS, value])].filter((count) => count > 0).sort((a, b) => a - b);
  const choices = [[0, "exact cone"], ...counts.map((count) => [count, `polygon of ${count} directions`])] as Slider["choices"];
  return { key: "directions", label: "friction", unit: "", about: "the exact cone, or a polygon in its place", value, low: 0, high: 0, log: false, choices };
}

/** A polygon keeps its kind where the scene has one. */
function withDirections(run: SceneJson["run"], directions: number): SceneJson["run"] {
  const { friction, ...others } = run ?? {};
  if (directions === 0) return others;
  const model = !friction?.model || friction.model === "exact" ? "inscribed" : friction.model;
  return { ...others, friction: { ...friction, model, directions } };
}

export function slidersOf(text: string, about: Description, values: Values): Slider[] {
  const scene = JSON.parse(text) as SceneJson;
  const sliders: Slider[] = about.parameters.map(({ name, unit, text: said, value, low, high }) => {
    const [from, to] = rangeOf(value, low, high);
    return { key: `parameter:${name}`, label: name, unit, about: said, value, low: from, high: to, log: false };
  });
  for (const { name, value } of about.inputs) {
    const [from, to] = rangeOf(value, null, null);
    sliders.push({ key: `input:${name}`, label: name, unit: "", about: "input", value, low: Math.min(from, -to), high: to, log: false });
  }
  (scene.materials ?? []).forEach(({ pair, friction }, i) => {
    if (typeof friction !== "number") return;
    const named = [...new Set(pair ?? [])].filter((name) => name !== "*");
    const names = named.length === 1 ? `of ${named[0]}` : named.join(" on ");
    sliders.push({ key: `friction:${i}`, label: `μ ${names}`, unit: "", about: "coefficient of friction", value: friction, low: 0, high: Math.max(1, 2 * friction), log: false });
  });
  if (about.dimension === 3) sliders.push(frictionChoice(scene, about));
  const dt = about.run.dt;
  sliders.push({ key: "dt", label: "dt", unit: "s", about: "time step", value: dt, low: dt / 10, high: 4 * dt, log: true });
  sliders.push({ key: "tolerance", label: "tolerance", unit: "", about: "residual up to which a step counts as solved: finer takes longer", value: about.run.tolerance, low: 1e-10, high: 1e-3, log: true });
  return sliders.map((slider) => (slider.key in values ? { ...slider, value: values[slider.key] } : slider));
}

/** The scene with what sliders say in place of what is written, and the settings of its parameters. */
export function applied(text: string, values: Values): { text: string; settings: Record<string, number> } {
  const settings: Record<string, number> = {};
  let scene: SceneJson | null = null;
  for (const [key, value] of Object.entries(values)) {
    const [kind, name] = key.split(":");
    if (kind === "parameter") settings[name] = value;
    if (!["friction", "dt", "tolerance", "directions"].includes(kind)) continue;
    scene ??= JSON.parse(text) as SceneJson;
    if (kind === "directions") scene.run = withDirections(scene.run, value);
    else if (kind === "dt" || kind === "tolerance") scene.run = { ...scene.run, [kind]: value };
    else if (scene.materials?.[Number(name)]) scene.materials[Number(name)].friction = value;
  }
  return { text: scene ? JSON.stringify(scene) : text, settings };
}

/** What a text says of the thing that a slider acts on; undefined where it has none. */
function written(scene: Record<string, Record<string, unknown> | undefined>, key: string): unknown {
  const [kind, name] = key.split(/:(.*)/);
  const places: Record<string, unknown> = { parameter: scene.parameters?.[name], input: scene.inputs?.[name], friction: scene.materials?.[name], dt: scene.run?.dt ?? "", tolerance: scene.run?.tolerance ?? "", directions: scene.run?.friction ?? "" };
  return places[kind];
}

/** The values of sliders that an edit leaves as they are: what was rewritten or taken away is as the new text says. */
export function stillMeant(values: Values, before: string, after: string): Values {
  const [old, now] = [before, after].map((text) => JSON.parse(text) as Parameters<typeof written>[0]);
  return Object.fromEntries(Object.entries(values).filter(([key]) => JSON.stringify(written(old, key)) === JSON.stringify(written(now, key))));
}

/** Of the values in a link those that can be meant: finite numbers of what the scene has. */
export function valuesOf(settings: Record<string, unknown>, text: string): Values {
  let scene: Parameters<typeof written>[0] | null;
  try {
    scene = JSON.parse(text) as Parameters<typeof written>[0] | null;
  } catch {
    return {}; // the scene is refused with its mistake
  }
  return Object.fromEntries(Object.entries(settings).filter(([key, value]) => Number.isFinite(value) && written(scene ?? {}, key) !== undefined)) as Values;
}

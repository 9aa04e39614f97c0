// Sliders of a scene: its parameters, its inputs, friction of every pair of materials, step and tolerance. What a slider changes is
// the text of the scene as the world gets it, not the text in the editor.
import type { Description } from "../live/module";
import { element, format } from "../src/panels/dom";

export type Values = Record<string, number>;

interface SceneJson {
  materials?: { pair?: string[]; friction?: unknown }[];
  run?: Record<string, unknown>;
}

export interface Slider {
  key: string; // "parameter:mu", "input:push", "friction:0", "dt", "tolerance"
  label: string;
  unit: string;
  about: string;
  value: number;
  low: number;
  high: number;
  log: boolean;
}

/** A range for a number that has none: from 0 to three times it, or around 0. */
function rangeOf(value: number, low: number | null, high: number | null): [number, number] {
  const span = Math.abs(value) || 1;
  return [low ?? (value >= 0 ? 0 : 3 * value), high ?? (value > 0 ? 3 * span : value < 0 ? 0 : span)];
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
    if (kind !== "friction" && kind !== "dt" && kind !== "tolerance") continue;
    scene ??= JSON.parse(text) as SceneJson;
    if (kind === "dt" || kind === "tolerance") scene.run = { ...scene.run, [kind]: value };
    else if (scene.materials?.[Number(name)]) scene.materials[Number(name)].friction = value;
  }
  return { text: scene ? JSON.stringify(scene) : text, settings };
}

export function sliderRow(slider: Slider, changed: (value: number) => void): HTMLElement {
  const { key, label, unit, about, low, high, log } = slider;
  const to = (x: number) => (log ? low * (high / low) ** x : low + (high - low) * x);
  const from = (value: number) => (log ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low || 1));
  const range = element("input", { type: "range", min: "0", max: "1", step: "any", class: "wide", "data-slider": key, "aria-label": `${label}, ${about}` });
  const number = element("input", { type: "number", step: "any", class: "number", "data-number": key, "aria-label": `${label} as a number` });
  const show = (value: number) => {
    range.value = String(from(value));
    number.value = String(Number(value.toPrecision(6)));
  };
  range.addEventListener("input", () => {
    const value = Number(to(Number(range.value)).toPrecision(4));
    number.value = String(value);
    changed(value);
  });
  number.addEventListener("change", () => {
    const value = Number(number.value);
    if (!Number.isFinite(value)) return;
    range.value = String(from(value));
    changed(value);
  });
  show(slider.value);
  return element("div", { class: "slider", title: `${about} (${format(low)} to ${format(high)})` }, element("label", {}, label), range, number, element("small", {}, unit));
}

/** All sliders of a scene, and the one of the largest force of a pull, in weights of the pulled body. */
export function sliderRows(text: string, about: Description, values: Values, set: (slider: Slider, value: number) => void, pull: { value: number; set(most: number): void }): HTMLElement[] {
  const most: Slider = { key: "pull", label: "pull, at most", unit: "× m g", about: "largest force of a pull, in weights of the pulled body", value: pull.value, low: 1, high: 300, log: true };
  return [...slidersOf(text, about, values).map((slider) => sliderRow(slider, (value) => set(slider, value))), sliderRow(most, (value) => pull.set(value))];
}

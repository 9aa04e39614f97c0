// Sliders on the page. A row stays the same element as long as its scene is shown, so that a drag goes on while the world is made
// anew; a value that the world refuses goes back to the one before.
import { element, format } from "../src/panels/dom";
import type { Slider } from "./controls";

const PULL: Slider = { key: "pull", label: "pull", unit: "× weight", about: "largest force of a pull, in weights of the pulled body", value: 20, low: 1, high: 300, log: true };

/** Of a slider or a choice. */
interface Row {
  readonly root: HTMLElement;
  readonly held: boolean; // has the focus
  show(value: number): void;
}

/** A number as a field holds it: short where it is small. */
const written = (value: number): string => {
  const short = Number(value.toPrecision(6));
  return short !== 0 && Math.abs(short) < 1e-3 ? short.toExponential() : String(short);
};

const named = ({ label, unit }: Slider): string => (unit ? `${label}, ${unit}` : label);

class Choice implements Row {
  readonly root: HTMLElement;
  private readonly list: HTMLSelectElement;

  constructor(slider: Slider, changed: (value: number) => void) {
    const options = slider.choices!.map(([value, text]) => element("option", { value: String(value) }, text));
    this.list = element("select", { "data-choice": slider.key, "aria-label": `${slider.label}: ${slider.about}` }, ...options);
    this.list.addEventListener("change", () => changed(Number(this.list.value)));
    this.show(slider.value);
    this.root = element("div", { class: "slider choice", title: slider.about }, element("label", {}, slider.label), this.list);
  }

  get held(): boolean {
    return document.activeElement === this.list;
  }

  show(value: number): void {
    this.list.value = String(value);
  }
}

class Range implements Row {
  readonly root: HTMLElement;
  private readonly range: HTMLInputElement;
  private readonly number: HTMLInputElement;

  constructor(private readonly slider: Slider, changed: (value: number) => void) {
    const { key, label, about, low, high, log } = slider;
    this.range = element("input", { type: "range", min: "0", max: "1", step: "any", class: "wide", "data-slider": key, "aria-label": `${label}, ${about}` });
    this.number = element("input", { type: "number", step: "any", class: "number", "data-number": key, "aria-label": `${label} as a number` });
    const to = (x: number) => (log ? low * (high / low) ** x : low + (high - low) * x);
    const take = (value: number) => {
      this.slider.value = value;
      changed(value);
    };
    this.range.addEventListener("input", () => {
      const value = Number(to(Number(this.range.value)).toPrecision(4));
      this.number.value = written(value);
      take(value);
    });
    this.number.addEventListener("change", () => {
      const value = this.number.valueAsNumber;
      if (!Number.isFinite(value) || (key === PULL.key && value <= 0)) return this.show(this.slider.value);
      if (value === this.slider.value) return;
      this.range.value = String(this.from(value));
      take(value);
    });
    this.show(slider.value);
    this.root = element("div", { class: "slider", title: `${about} (${format(low)} to ${format(high)})` }, element("label", {}, named(slider)), this.range, this.number);
  }

  private from(value: number): number {
    const { low, high, log } = this.slider;
    return log ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low || 1);
  }

  get held(): boolean {
    return document.activeElement === this.range || document.activeElement === this.number;
  }

  show(value: number): void {
    this.slider.value = value;
    this.range.value = String(this.from(value));
    this.number.value = written(value);
  }
}

export class Sliders {
  readonly root = element("div", { id: "sliders" });
  private readonly rows = new Map<string, Row>();
  private text = ""; // scene of the rows

  constructor(private readonly set: (key: string, value: number) => void) {}

  /** `refused`: the value of the slider in use was not taken. */
  show(text: string, sliders: Slider[], refused = false): void {
    if (text === this.text && sliders.every(({ key }) => this.rows.has(key))) {
      for (const { key, value } of sliders) if (refused || !this.rows.get(key)!.held) this.rows.get(key)!.show(value);
      return;
    }
    this.text = text;
    const pull = this.rows.get(PULL.key) ?? new Range({ ...PULL }, (value) => this.set(PULL.key, value));
    this.rows.clear();
    for (const slider of sliders) this.rows.set(slider.key, new (slider.choices ? Choice : Range)(slider, (value) => this.set(slider.key, value)));
    this.rows.set(PULL.key, pull);
    this.root.replaceChildren(...[...this.rows.values()].map(({ root }) => root));
  }
}

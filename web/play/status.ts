// What the page says of the run as it goes on: its time, steps a second, whether it is certified.
import type { Frame } from "../live/module";
import { by } from "../src/panels/dom";
import { badges } from "./certificate";

const PAUSE = 120; // ms between changes: text costs more than a picture
const COUNTED = 900; // ms over which steps a second are counted, at least

export class Status {
  rate = 0; // steps a second of the last second
  private counted = { at: 0, steps: 0 };
  private shownAt = 0;

  /** A run from its start. */
  restart(): void {
    this.counted = { at: performance.now(), steps: 0 };
  }

  /** False where it was shown a moment ago. */
  show(frame: Frame, steps: number, tolerance: number, running: boolean, now: boolean): boolean {
    const at = performance.now();
    if (!now && at - this.shownAt < PAUSE) return false;
    this.shownAt = at;
    if (at - this.counted.at > COUNTED) {
      this.rate = ((steps - this.counted.steps) * 1000) / (at - this.counted.at);
      this.counted = { at, steps };
    }
    by("clock").textContent = `${frame.t.toFixed(3)} s · step ${steps}${running ? ` · ${Math.round(this.rate)}/s` : ""}`;
    by("subtitle").replaceChildren(...badges(frame.info, tolerance));
    return true;
  }
}

/** The button that runs and pauses. */
export function showRunning(on: boolean): void {
  const button = by("play");
  button.textContent = on ? "❚❚" : "▶";
  button.setAttribute("aria-label", on ? "pause" : "run");
}

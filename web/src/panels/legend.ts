// The legend: what colours of contacts mean, and an arrow as long as that of so many newtons.
import { MODE_COLOURS } from "../colours";
import { MODE_NAMES } from "../data/header";
import { by, element, format } from "./dom";

const PHONE = "(max-width: 820px)";

export function showLegend(shown: boolean, arrow: { force: number; pixels: number }): void {
  const legend = by<HTMLDetailsElement>("legend");
  legend.hidden = !shown;
  if (!shown) return;
  const modes = MODE_NAMES.map((name, mode) => {
    const dot = element("i");
    dot.style.background = MODE_COLOURS[mode];
    return element("span", {}, dot, name);
  });
  const length = Math.round(arrow.pixels);
  const line = `<svg width="${length + 2}" height="10" viewBox="0 0 ${length + 2} 10" aria-hidden="true"><path d="M0 5H${length - 8}" stroke="currentColor" stroke-width="2.5"/><path d="M${length - 10} 1.5L${length} 5L${length - 10} 8.5z" fill="currentColor"/></svg>`;
  const scale = element("span", { class: "scale", "data-force": String(arrow.force), "data-pixels": String(length), title: "an arrow of this length is a contact force of this size" });
  scale.innerHTML = line;
  scale.append(`${format(arrow.force, 2)} N`);
  if (!legend.firstChild) {
    legend.append(element("summary", { "aria-label": "legend" }, "forces"), element("div"));
    legend.open = !window.matchMedia(PHONE).matches;
  }
  legend.lastElementChild!.replaceChildren(...modes, scale);
}

// The page of switches: what is shown, lengths of arrows, views, quality of the picture.
import { LEVELS } from "../quality";
import { type Switch, SWITCHES, type Switches } from "../switches";
import { by, element } from "./dom";

export interface DisplayActions {
  set(name: Switch, on: boolean): void;
  setScale(scale: number): void;
  view(az?: number, el?: number): void;
  chooseQuality(wish: string): void;
}

export function displayPage(switches: Switches, offered: (name: Switch) => boolean, plane: boolean, actions: DisplayActions): HTMLElement {
  const page = element("div");
  for (const name of Object.keys(SWITCHES) as Switch[]) {
    if (!offered(name)) continue;
    const box = element("input", { type: "checkbox", id: `switch-${name}` });
    box.checked = switches[name];
    box.addEventListener("change", () => actions.set(name, box.checked));
    page.append(element("label", { class: "line" }, box, SWITCHES[name].text, element("kbd", {}, SWITCHES[name].key.toUpperCase())));
  }
  const length = element("input", { type: "range", class: "wide", min: "-1.5", max: "1.5", step: "0.05", value: "0", "aria-label": "length of arrows" });
  length.addEventListener("input", () => actions.setScale(10 ** Number(length.value)));
  page.append(element("h2", {}, "Length of arrows"), length, element("h2", {}, "View"));
  const view = element("p");
  const views: [string, number?, number?][] = plane ? [["default view"]] : [["default view"], ["front", -90, 0], ["side", 0, 0], ["top", -90, 89.9]];
  for (const [label, az, el] of views) {
    const button = element("button", { class: "jump" }, label);
    button.addEventListener("click", () => actions.view(az, el));
    view.append(button, " ");
  }
  const quality = element("select", { id: "quality", "aria-label": "quality of the picture" });
  for (const [value, label] of [["", "automatic: keeps pace"], ["fine", "fine"], ["plain", "plain"], ["fast", "fast"]]) quality.append(element("option", { value }, label));
  quality.addEventListener("change", () => actions.chooseQuality(quality.value));
  page.append(view, element("h2", {}, "Picture"), quality, element("p", { class: "muted", id: "level" }));
  page.append(element("p", { class: "muted" }, "Drag to turn, right drag or two fingers to move, wheel or pinch to zoom, double click to look at a body. Keys: ?"));
  return page;
}

export function showLevel(level: number, automatic: boolean): void {
  by<HTMLSelectElement>("quality").value = automatic ? "" : LEVELS[level].quality;
  by("level").textContent = `Now: ${LEVELS[level].says}.`;
}

export function showSwitches(switches: Switches): void {
  for (const name of Object.keys(switches) as Switch[]) {
    const box = document.getElementById(`switch-${name}`) as HTMLInputElement | null;
    if (box) box.checked = switches[name];
  }
}

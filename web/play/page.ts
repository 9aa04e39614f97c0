// The page around the simulation: transport, tabs, keys. What they do is in playground.ts.
import { by, element } from "../src/panels/dom";
import { showKeys, VIEW_KEYS } from "../src/panels/keys";
import { buildTabs, selectTab as chooseTab } from "../src/panels/tabs";
import { sceneList } from "./scene_list";

export interface Actions {
  toggleRunning(): void;
  step(): void;
  reset(): void;
  setSpeed(speed: number): void;
  toggleContacts(cones?: boolean): void;
  toggleTheme(): void;
  share(): void;
  export(): void;
  openTab(id: string): void;
  openAddress(): void;
  turn(azimuth: number, elevation: number, nearer: number): void;
  resetView(): void;
  next(by: number): void; // body
}

const SPEEDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 4];
const TABS = ["scene", "editor", "plots", "certificate"];

export function toast(text: string): void {
  const box = by("toast");
  box.textContent = text;
  box.hidden = false;
  window.setTimeout(() => box.textContent === text && (box.hidden = true), 4000);
}

/** False where there is no such tab. */
export function selectTab(id: string): boolean {
  if (!TABS.includes(id)) return false;
  chooseTab(id);
  by("app").dataset.tab = id; // the editor gets more room
  return true;
}

function buildTransport(actions: Actions): void {
  const clicks: Record<string, () => void> = {
    play: actions.toggleRunning,
    step: actions.step,
    reset: actions.reset,
    theme: actions.toggleTheme,
    contacts: () => actions.toggleContacts(),
    share: actions.share,
    export: actions.export,
    help: () => showKeys(KEYS),
  };
  for (const [id, action] of Object.entries(clicks)) by(id).addEventListener("click", action);
  const speed = by<HTMLSelectElement>("speed");
  speed.replaceChildren(...SPEEDS.map((value) => element("option", { value: String(value) }, `× ${value}`)));
  speed.value = "1";
  speed.addEventListener("change", () => actions.setSpeed(Number(speed.value)));
}

interface Key {
  key: string; // as KeyboardEvent.key, lower case
  shown: string;
  text: string;
  does(actions: Actions, event: KeyboardEvent): void;
}

const KEYS: Key[] = [
  { key: " ", shown: "space", text: "run or pause", does: (to) => to.toggleRunning() },
  { key: "s", shown: "S", text: "one step", does: (to) => to.step() },
  { key: "r", shown: "R", text: "back to the start", does: (to) => to.reset() },
  { key: "c", shown: "C", text: "contact forces", does: (to) => to.toggleContacts() },
  { key: "f", shown: "F", text: "cones of friction", does: (to) => to.toggleContacts(true) },
  { key: "n", shown: "N", text: "plot the next body (with shift: the one before)", does: (to, { shiftKey }) => to.next(shiftKey ? -1 : 1) },
  ...VIEW_KEYS.flatMap(({ keys, shown, text, way }) => keys.map((key): Key => ({ key, shown, text, does: (to) => to.turn(...way) }))),
  { key: "v", shown: "V", text: "default view, which goes along with the bodies", does: (to) => to.resetView() },
  { key: "d", shown: "D", text: "light or dark", does: (to) => to.toggleTheme() },
  ...TABS.map((tab, i): Key => ({ key: String(i + 1), shown: String(i + 1), text: tab, does: (to) => to.openTab(tab) })),
  { key: "?", shown: "?", text: "this list", does: () => showKeys(KEYS) },
];

function listenToKeys(actions: Actions): void {
  window.addEventListener("keydown", (event) => {
    const target = event.target as HTMLElement;
    if (event.ctrlKey || event.metaKey || event.altKey || target.matches("textarea, select, input[type=number]") || target.closest("dialog")) return;
    if (event.key === " " && target.matches("button, summary")) return; // it presses that
    if (event.key.startsWith("Page") && target.matches("input")) return; // it moves that
    const key = KEYS.find(({ key }) => key === event.key.toLowerCase());
    if (!key) return;
    event.preventDefault();
    key.does(actions, event);
  });
}

const NARROW = window.matchMedia("(max-width: 820px)");

/** On a phone what the bar has no room for stands below the sliders. */
function placeControls(more: HTMLElement): void {
  const place = () => {
    for (const id of ["speed", "contacts", "export"]) (NARROW.matches ? more : by("transport")).append(by(id));
    if (!NARROW.matches) by("transport").append(by("share"), by("export"), by("theme"), by("help"));
  };
  NARROW.addEventListener("change", place);
  place();
}

export function buildPage(actions: Actions, parts: { editor: HTMLElement; plots: HTMLElement; sliders: HTMLElement }): void {
  buildTransport(actions);
  const more = element("div", { class: "more" });
  const scene = [
    sceneList(actions.openAddress),
    parts.sliders,
    element("div", { id: "lesson", hidden: "" }),
    more,
    element("p", { class: "muted" }, "Drag a body to pull it; drag beside bodies to turn the picture."),
  ];
  const pages: Record<string, HTMLElement> = { scene: element("div", {}, ...scene), editor: parts.editor, plots: parts.plots, certificate: element("div", { id: "certificate" }) };
  buildTabs(TABS.map((id) => [id, id[0].toUpperCase() + id.slice(1), pages[id]]), actions.openTab);
  placeControls(more);
  selectTab("scene");
  listenToKeys(actions);
}

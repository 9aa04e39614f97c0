// The page around the simulation: transport, tabs, keys. What they do is in main.ts.
import { by, element } from "../src/panels/dom";
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
  for (const page of by("pages").children as HTMLCollectionOf<HTMLElement>) page.hidden = page.id !== `page-${id}`;
  for (const tab of by("tabs").children) tab.setAttribute("aria-selected", String(tab.id === `tab-${id}`));
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
  };
  for (const [id, action] of Object.entries(clicks)) by(id).addEventListener("click", action);
  const speed = by<HTMLSelectElement>("speed");
  speed.replaceChildren(...SPEEDS.map((value) => element("option", { value: String(value) }, `× ${value}`)));
  speed.value = "1";
  speed.addEventListener("change", () => actions.setSpeed(Number(speed.value)));
}

function listenToKeys(actions: Actions): void {
  const keys: Record<string, () => void> = {
    " ": actions.toggleRunning,
    s: actions.step,
    r: actions.reset,
    c: () => actions.toggleContacts(),
    f: () => actions.toggleContacts(true),
    d: actions.toggleTheme,
  };
  TABS.forEach((tab, i) => (keys[String(i + 1)] = () => actions.openTab(tab)));
  window.addEventListener("keydown", (event) => {
    const target = event.target as HTMLElement;
    const action = keys[event.key.toLowerCase()];
    if (!action || event.ctrlKey || event.metaKey || event.altKey || target.matches("textarea, select, input[type=number]")) return;
    if (event.key === " " && target.matches("button, summary")) return; // it presses that
    event.preventDefault();
    action();
  });
}

export function buildPage(actions: Actions, parts: { editor: HTMLElement; plots: HTMLElement; sliders: HTMLElement }): void {
  buildTransport(actions);
  const pages: Record<string, HTMLElement[]> = {
    scene: [sceneList(actions.openAddress), parts.sliders, element("p", { class: "muted" }, "Drag a body to pull it; drag beside bodies to turn the picture."), element("div", { id: "lesson", hidden: "" })],
    editor: [parts.editor],
    plots: [parts.plots],
    certificate: [],
  };
  for (const id of TABS) {
    const tab = element("button", { role: "tab", id: `tab-${id}`, "aria-controls": `page-${id}` }, id[0].toUpperCase() + id.slice(1));
    tab.addEventListener("click", () => actions.openTab(id));
    by("tabs").append(tab);
    by("pages").append(element("div", { class: "page", role: "tabpanel", id: `page-${id}`, hidden: "" }, ...pages[id]));
  }
  selectTab("scene");
  listenToKeys(actions);
}

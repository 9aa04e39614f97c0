// The keys: one list for what they do and for the dialog that shows them.
import { type Switch, SWITCHES } from "../switches";
import { by, element } from "./dom";

export interface KeyActions {
  toggle(name: Switch): void;
  play(): void;
  step(frames: number): void;
  ends(end: boolean): void;
  speed(by: number): void;
  loop(): void;
  theme(): void;
  view(): void;
  focus(): void;
  hide(): void;
  pick(body: number): void;
  next(by: number): void;
  open(page: string): void;
  link(): void;
  turn(azimuth: number, elevation: number, nearer: number): void;
}

export const PAGES = ["certificate", "plots", "bodies", "display"];

interface Key {
  keys: string[]; // as KeyboardEvent.key, lower case
  shown: string;
  text: string;
  does(actions: KeyActions, event: KeyboardEvent): void;
}

/** Keys that turn the picture: degrees to the right and upwards, and how many times as near. In the plane it goes aside. */
export const VIEW_KEYS: { keys: string[]; shown: string; text: string; way: [number, number, number] }[] = [
  { keys: [","], shown: ",", text: "turn the picture to the left", way: [-10, 0, 1] },
  { keys: ["."], shown: ".", text: "turn it to the right", way: [10, 0, 1] },
  { keys: ["pageup"], shown: "PgUp", text: "look from higher up", way: [0, 8, 1] },
  { keys: ["pagedown"], shown: "PgDn", text: "look from further down", way: [0, -8, 1] },
  { keys: ["i"], shown: "I", text: "nearer", way: [0, 0, 1.2] },
  { keys: ["u"], shown: "U", text: "farther", way: [0, 0, 1 / 1.2] },
];

const KEYS: Key[] = [
  { keys: [" "], shown: "space", text: "play or pause", does: (to) => to.play() },
  { keys: ["arrowleft"], shown: "←", text: "a frame back (with shift: ten)", does: (to, { shiftKey }) => to.step(shiftKey ? -10 : -1) },
  { keys: ["arrowright"], shown: "→", text: "a frame forward (with shift: ten)", does: (to, { shiftKey }) => to.step(shiftKey ? 10 : 1) },
  { keys: ["home"], shown: "Home", text: "first frame", does: (to) => to.ends(false) },
  { keys: ["end"], shown: "End", text: "last frame", does: (to) => to.ends(true) },
  { keys: ["+", "="], shown: "+", text: "faster", does: (to) => to.speed(1) },
  { keys: ["-"], shown: "−", text: "slower", does: (to) => to.speed(-1) },
  { keys: ["l"], shown: "L", text: "loop", does: (to) => to.loop() },
  { keys: ["n"], shown: "N", text: "pick the next body (with shift: the one before)", does: (to, { shiftKey }) => to.next(shiftKey ? -1 : 1) },
  { keys: ["v"], shown: "V", text: "look at the picked body", does: (to) => to.focus() },
  { keys: ["h"], shown: "H", text: "hide or show the picked body", does: (to) => to.hide() },
  { keys: ["escape"], shown: "Esc", text: "pick nothing", does: (to) => to.pick(-1) },
  { keys: ["r"], shown: "R", text: "default view", does: (to) => to.view() },
  ...VIEW_KEYS.map(({ keys, shown, text, way }): Key => ({ keys, shown, text, does: (to) => to.turn(...way) })),
  { keys: ["d"], shown: "D", text: "light or dark", does: (to) => to.theme() },
  { keys: ["k"], shown: "K", text: "copy a link to this time and view", does: (to) => to.link() },
  ...(Object.keys(SWITCHES) as Switch[]).map((name): Key => ({ keys: [SWITCHES[name].key], shown: SWITCHES[name].key.toUpperCase(), text: SWITCHES[name].text, does: (to) => to.toggle(name) })),
  ...PAGES.map((page, i): Key => ({ keys: [String(i + 1)], shown: String(i + 1), text: page, does: (to) => to.open(page) })),
  { keys: ["?"], shown: "?", text: "this list", does: () => showKeys() },
];

export function showKeys(all: { shown: string; text: string }[] = KEYS): void {
  const dialog = by<HTMLDialogElement>("keys");
  const list = element("div", { class: "keys" });
  for (const { shown, text } of all) list.append(element("kbd", {}, shown), element("span", {}, text));
  const close = element("button", { autofocus: "" }, "close");
  close.addEventListener("click", () => dialog.close());
  dialog.replaceChildren(list, close);
  dialog.showModal();
}

/** Keys act wherever the focus is, but not where they mean something else: in fields, and space on buttons. */
export function act(event: KeyboardEvent, actions: KeyActions): void {
  const target = event.target as HTMLElement;
  if (event.ctrlKey || event.metaKey || event.altKey || target.matches("select, input[type=search]")) return;
  const pressed = event.key.toLowerCase();
  if (pressed === " " && target.matches("button, summary, input[type=checkbox]")) return;
  if (/^(arrow|home|end)/.test(pressed) && target.closest('[role="tablist"], [role="listbox"], input[type=range].wide')) return;
  if (target.closest("dialog")) return;
  const key = KEYS.find(({ keys }) => keys.includes(pressed));
  if (!key) return;
  event.preventDefault();
  key.does(actions, event);
}

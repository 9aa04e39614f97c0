// What the user does to the viewer: buttons, time line, pointer, keys, and the window's size.
import type { Viewer } from "../viewer";
import { by } from "./dom";
import { act, type KeyActions, showKeys } from "./keys";
import { copyLink } from "./link";

function actionsOf(viewer: Viewer): KeyActions {
  const { run, picture, tray } = viewer;
  return {
    toggle: (name) => picture.offers(name) && viewer.set(name, !viewer.switches[name]),
    play: () => viewer.setPlaying(!viewer.playing),
    step: (frames) => viewer.step(frames),
    ends: (end) => viewer.goTo(end ? run.end : run.time[0]),
    speed: (by) => viewer.shiftSpeed(by),
    loop: () => viewer.setLoop(!viewer.loop),
    theme: () => viewer.setTheme(viewer.theme === "light" ? "dark" : "light"),
    view: () => picture.stage.resetCamera(),
    focus: () => viewer.focus(),
    hide: () => viewer.hidePicked(),
    pick: (body) => viewer.pick(body),
    next: (by) => viewer.pick((Math.max(viewer.picked, by > 0 ? -1 : 0) + by + run.bodies) % run.bodies),
    open: (page) => (page === "plots" ? (tray.open = !tray.open) : viewer.openPage(page)),
    link: () => void copyLink(viewer),
    turn: (azimuth, elevation, nearer) => {
      picture.stage.view.turn(azimuth, elevation, nearer);
      viewer.redraw();
    },
  };
}

/** Until the signal. */
export function listenTo(viewer: Viewer, signal: AbortSignal): void {
  const actions = actionsOf(viewer);
  const on = (target: EventTarget, type: string, handler: (event: Event) => void) => target.addEventListener(type, handler, { signal });
  const clicks: Record<string, () => void> = {
    start: () => viewer.setPlaying(true),
    play: actions.play,
    back: () => viewer.step(-1),
    forward: () => viewer.step(1),
    loop: actions.loop,
    theme: actions.theme,
    link: actions.link,
    "plots-toggle": () => actions.open("plots"),
    help: () => showKeys(),
  };
  for (const [id, action] of Object.entries(clicks)) on(by(id), "click", action);
  on(by("speed"), "change", () => viewer.setSpeed(Number(by<HTMLSelectElement>("speed").value)));
  on(by("scrub"), "input", () => {
    viewer.setPlaying(false);
    viewer.goTo(Number(by<HTMLInputElement>("scrub").value));
  });
  const canvas = by("canvas");
  let down: [number, number] = [0, 0];
  on(canvas, "pointerdown", (event) => (down = [(event as PointerEvent).clientX, (event as PointerEvent).clientY]));
  on(canvas, "pointerup", (event) => {
    const { clientX, clientY, button } = event as PointerEvent;
    if (button === 0 && Math.hypot(clientX - down[0], clientY - down[1]) < 4) viewer.pickAt(clientX, clientY);
  });
  on(canvas, "dblclick", () => viewer.focus());
  on(window, "keydown", (event) => act(event as KeyboardEvent, actions));
  const observer = new ResizeObserver(() => {
    viewer.picture.stage.resize();
    viewer.tray.resize();
  });
  for (const id of ["stage", "tray-place"]) observer.observe(by(id));
  signal.addEventListener("abort", () => observer.disconnect());
}

// Play, frames, time line, speed: the bar below the picture, and the large button over it before the first play.
import type { Run } from "../data/run";
import { warningTime } from "./certificate";
import { by, element, format } from "./dom";

const ICONS = {
  play: "M7 4v16l13-8z",
  pause: "M6 4h4v16H6zM14 4h4v16h-4z",
  back: "M18 4v16l-9-8zM5 4h3v16H5z",
  forward: "M6 4v16l9-8zM16 4h3v16h-3z",
  loop: "M17 3l5 4-5 4V8H8a3 3 0 0 0-3 3v1H3v-1a5 5 0 0 1 5-5h9zM7 21l-5-4 5-4v3h9a3 3 0 0 0 3-3v-1h2v1a5 5 0 0 1-5 5H7z",
  theme: "M12 3a9 9 0 1 0 9 9 7 7 0 0 1-9-9z",
  link: "M10.6 13.4a4 4 0 0 0 5.7 0l3.5-3.5a4 4 0 0 0-5.7-5.7l-1.4 1.4 1.4 1.4 1.4-1.4a2 2 0 0 1 2.9 2.9l-3.6 3.5a2 2 0 0 1-2.8 0zM13.4 10.6a4 4 0 0 0-5.7 0l-3.5 3.5a4 4 0 0 0 5.7 5.7l1.4-1.4-1.4-1.4-1.4 1.4a2 2 0 0 1-2.9-2.9l3.6-3.5a2 2 0 0 1 2.8 0z",
  plots: "M3 3h2v16h16v2H3zM7 15l4-6 4 3 4-7 1.8 1-5.2 9-4-3-3 4.6z",
};
export const SPEEDS = [0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8];

const icon = (button: HTMLElement, path: string) => (button.innerHTML = `<svg viewBox="0 0 24 24" aria-hidden="true"><path d="${path}"/></svg>`);

/** Real time, unless the whole would be over in less than 2 s or last longer than 30 s. */
export function naturalSpeed(run: Run): number {
  const length = run.end - run.time[0];
  if (length > 30) return SPEEDS.findLast((speed) => length / speed >= 15) ?? 1;
  return length < 2 ? (SPEEDS.findLast((speed) => length / speed >= 3) ?? 0.01) : 1;
}

export function buildTransport(run: Run): void {
  for (const id of ["back", "forward", "loop", "theme", "link", "plots-toggle"] as const) icon(by(id), ICONS[id === "plots-toggle" ? "plots" : id]);
  icon(by("start"), ICONS.play);
  const scrub = by<HTMLInputElement>("scrub");
  scrub.min = String(run.time[0]);
  scrub.max = String(run.end);
  by("speed").replaceChildren(...SPEEDS.map((speed) => element("option", { value: String(speed) }, `× ${speed}`)));
  const span = run.end - run.time[0] || 1;
  const mark = (t: number, kind: string) => {
    const made = element("i", { class: kind, title: `t = ${t}` });
    made.style.left = `${(100 * (t - run.time[0])) / span}%`;
    return made;
  };
  const found = Object.values(run.header.findings ?? {}).flatMap(({ times }) => times);
  const warned = [...run.header.warnings.map(warningTime).filter((t) => t !== null), ...found];
  const missed = run.header.certificate.uncertifiedTimes.map((t) => mark(t, "missed"));
  const unresolved = (run.header.resolution?.unresolvedTimes ?? []).map((t) => mark(t, "unresolved"));
  by("marks").replaceChildren(...missed, ...unresolved, ...warned.map((t) => mark(t, "warned")));
}

export function showPlaying(on: boolean): void {
  icon(by("play"), on ? ICONS.pause : ICONS.play);
  by("play").setAttribute("aria-label", on ? "pause" : "play");
  if (on) by("start").hidden = true;
}

export function showTime(run: Run, time: number): void {
  const scrub = by<HTMLInputElement>("scrub");
  scrub.value = String(time);
  scrub.setAttribute("aria-valuetext", `${time.toFixed(3)} of ${format(run.end, 4)} seconds`);
  by("clock").textContent = `${time.toFixed(3)} / ${format(run.end, 4)} s`;
}

export function toast(text: string): void {
  const box = by("toast");
  box.textContent = text;
  box.hidden = false;
  window.setTimeout(() => box.textContent === text && (box.hidden = true), 2500);
}

// A scene and its motion as files.
import type { Run } from "../src/data/run";
import { save } from "../src/plots/files";
import { applied, type Values } from "./controls";

/** The scene with what the sliders say written into it. */
function sceneText(text: string, values: Values): string {
  const { text: patched, settings } = applied(text, values);
  const scene = JSON.parse(patched) as { parameters?: Record<string, unknown> };
  const { parameters } = scene;
  for (const [key, value] of Object.entries(settings)) {
    const now = parameters?.[key];
    if (parameters && now !== undefined) parameters[key] = typeof now === "object" ? { ...now, value } : value;
  }
  return `${JSON.stringify(scene, null, 2)}\n`;
}

/** The frames that are kept as CSV: time, then the coordinates of every body. */
function motionText(run: Run): string {
  const coordinates = run.coordinates();
  const head = run.header.bodies.name.flatMap((body) => coordinates.map(({ name, unit }) => `"${body.replaceAll('"', '""')}.${name} [${unit}]"`));
  const lines = [['"time [s]"', ...head].join()];
  for (let k = 0; k < run.frames; k++) {
    const row: number[] = [run.time[k]];
    for (let body = 0; body < run.bodies; body++) coordinates.forEach((_, i) => row.push(run.coordinate(k, body, i)));
    lines.push(row.join());
  }
  return `${lines.join("\n")}\n`;
}

export function saveFiles(run: Run, text: string, values: Values): void {
  const name = run.header.name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
  save(`${name}.json`, sceneText(text, values), "application/json");
  save(`${name}.csv`, motionText(run), "text/csv");
}

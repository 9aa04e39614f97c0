// A run that `asperity view` serves: it may still be going on; when it has grown, it is loaded again. The page stays at its end
// as long as the user does not go elsewhere.
import { decode } from "./data/decode";
import type { Run } from "./data/run";
import { showLive } from "./panels/title";
import { Viewer } from "./viewer";

const PAUSE = 1500; // ms between questions

/** 202 means that the result is being written this very moment: asked again. */
async function get(route: string): Promise<Response> {
  for (let attempt = 0; ; attempt++) {
    const answer = await fetch(route, { cache: "no-store" });
    if (answer.ok && answer.status !== 202) return answer;
    if (answer.status !== 202 || attempt === 20) throw new Error(`${route}: ${answer.status} ${await answer.text()}`);
    await new Promise((wake) => setTimeout(wake, 300));
  }
}

export const load = async (): Promise<Run> => decode(new Uint8Array(await (await get("data")).arrayBuffer()));

export async function follow(viewer: Viewer): Promise<void> {
  let shown = viewer;
  let known = viewer.run.header.framesStored;
  let following = !new URLSearchParams(location.hash.slice(1)).has("t");
  const show = () => {
    shown.left = () => set(false);
    if (!shown.run.header.complete) showLive(following, () => set(!following));
  };
  const set = (on: boolean) => {
    following = on;
    show();
    if (on) shown.seek(shown.run.end);
  };
  show();
  if (following && !shown.run.header.complete) shown.seek(shown.run.end);
  while (!shown.run.header.complete) {
    await new Promise((wake) => setTimeout(wake, PAUSE));
    const status = (await (await get("status")).json()) as { frames: number; complete: boolean };
    if (status.frames === known && !status.complete) continue;
    const run = await load();
    known = status.frames;
    const { time, playing, picked, theme, speed } = shown;
    shown.close();
    const wish = new URLSearchParams(location.hash.slice(1));
    wish.set("theme", theme);
    shown = window.asperity = new Viewer(run, wish);
    shown.setSpeed(speed);
    if (picked >= 0) shown.pick(picked);
    shown.seek(following ? run.end : time);
    if (playing) shown.setPlaying(true);
    show();
  }
}

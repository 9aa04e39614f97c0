// The time at which a page opens.
import type { Run } from "./run";

const FIRST_PART = 0.25; // of the frames: where a page may open
const STRONG = 0.2; // of the reference force: an arrow that is seen

/** The largest force of a frame, N. */
function strongest(run: Run, frame: number): number {
  const force = run.reals("contactForce");
  let most = 0;
  for (let i = run.contactStart[frame]; i < run.contactStart[frame + 1]; i++) most = Math.max(most, Math.hypot(force[3 * i], force[3 * i + 1], force[3 * i + 2]));
  return most;
}

/**
 * What is shown first, where the address says nothing: the first frame with forces that are seen, so that there is something to be
 * seen of what was computed. Frames that are not unpacked yet are not waited for: then the first frame with any contact.
 */
export function firstTime(run: Run, wish: URLSearchParams): number {
  if (wish.has("t")) return Number(wish.get("t"));
  const most = Math.min(run.frames - 1, Math.ceil(FIRST_PART * run.frames));
  let first = 0;
  while (first <= most && run.contactStart[first + 1] === run.contactStart[first]) first++;
  if (first > most) return run.time[0];
  for (let k = first; k <= most && k + 1 < run.ready; k++) if (strongest(run, k) >= STRONG * run.header.contacts.reference) return run.time[k];
  return run.time[first];
}

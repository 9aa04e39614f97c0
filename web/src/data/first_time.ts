// The time at which a page opens.
import type { Run } from "./run";

/** What is shown first, where the address says nothing: the first frame with forces, so that there is something to be seen of what was computed. */
export function firstTime(run: Run, wish: URLSearchParams): number {
  if (wish.has("t")) return Number(wish.get("t"));
  const most = Math.min(run.frames - 1, Math.ceil(0.25 * run.frames));
  for (let k = 0; k <= most; k++) if (run.contactStart[k + 1] > run.contactStart[k]) return run.time[k];
  return run.time[0];
}

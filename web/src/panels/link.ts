// The address of what is shown: time, view, theme, switches that differ from their defaults, the picked body.
import * as THREE from "three";
import { firstSwitches, type Switch } from "../switches";
import type { Viewer } from "../viewer";
import { toast } from "./transport";

const FARTHEST = 1e15; // m: scenes go no farther

const short = (value: number): string => String(Number(value.toPrecision(5)));

export function addressOf({ run, time, theme, switches, picked, picture, tray }: Viewer): string {
  const { az, el, zoom, at } = picture.stage.view.says;
  const wish = new URLSearchParams({ t: String(Number(time.toPrecision(12))), theme });
  if (!run.plane) {
    wish.set("az", short(az));
    wish.set("el", short(el));
  }
  wish.set("zoom", short(zoom));
  wish.set("at", at.map(short).join());
  wish.set("plots", tray.open ? "1" : "0");
  const usual = firstSwitches(run, new URLSearchParams(), picture.way);
  for (const name of Object.keys(switches) as Switch[]) if (switches[name] !== usual[name]) wish.set(name, switches[name] ? "1" : "0");
  if (picked >= 0) wish.set("pick", run.header.bodies.name[picked]);
  return `#${wish.toString().replaceAll("%2C", ",")}`;
}

/** Azimuth, elevation, distance and point of a view, as for `resetCamera`; what an address says in vain is left to the default. */
export function viewOf(wish: URLSearchParams): [number?, number?, number?, THREE.Vector3?] {
  const number = (name: string) => (Number.isFinite(parseFloat(wish.get(name) ?? "")) ? parseFloat(wish.get(name)!) : undefined);
  const zoom = number("zoom") ?? 1;
  const at = wish.get("at")?.split(",").map(Number);
  const known = at?.length === 3 && at.every((x) => Math.abs(x) <= FARTHEST);
  return [number("az"), number("el"), zoom > 0 ? 1 / zoom : 1, known ? new THREE.Vector3(...at) : undefined];
}

/** Into the address of the page, and where the browser allows it into the clipboard. */
export async function copyLink(viewer: Viewer): Promise<void> {
  history.replaceState(null, "", addressOf(viewer));
  const copied = await navigator.clipboard?.writeText(location.href).then(() => true, () => false);
  toast(copied ? "link copied: this time and view" : "the address now leads to this time and view");
}

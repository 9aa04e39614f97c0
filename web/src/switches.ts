// What can be switched on and off in the picture.
import type { Run } from "./data/run";

export const SWITCHES = {
  contacts: { text: "contacts and forces", key: "c" },
  cones: { text: "friction cones", key: "f" },
  elements: { text: "springs and applied forces", key: "e" },
  joints: { text: "joints and motors", key: "j" },
  trails: { text: "trails", key: "t" },
  follow: { text: "follow what moves, or the picked body", key: "o" },
  ghost: { text: "see through bodies", key: "g" },
  other: { text: "the other run", key: "b" },
  shapes: { text: "contact shapes in place of drawings", key: "s" },
} as const;

export type Switch = keyof typeof SWITCHES;
export type Switches = Record<Switch, boolean>;

const MANY = 3000; // bodies: beyond, arrows hide more than they show
const FAR = 30; // sizes of the largest body: what goes farther is followed

/** As the page's address says, otherwise as suits the run. */
export function firstSwitches(run: Run, wish: URLSearchParams, way: number): Switches {
  const initial: Partial<Switches> = { contacts: run.bodies <= MANY, elements: true, joints: true, other: true, follow: way > FAR && run.bodies <= 4 };
  const all = {} as Switches;
  for (const name of Object.keys(SWITCHES) as Switch[]) all[name] = wish.has(name) ? wish.get(name) !== "0" : (initial[name] ?? false);
  return all;
}

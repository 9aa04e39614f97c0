// How much a picture may cost. The page measures how long pictures take and goes down this list until it keeps pace; what it
// gave up is said in the page. Without a graphics card everything is drawn by the processor, and it starts further down.

export type Quality = "fine" | "plain" | "fast";

export interface Level {
  quality: Quality;
  resolution: number; // pixels drawn per pixel shown, in each direction, while something moves
  says: string;
}

// fine: soft shadows, smooth edges; plain: hard shadows, no smoothing; fast: see fast.ts
export const LEVELS: Level[] = [
  { quality: "fine", resolution: 2, says: "fine" },
  { quality: "plain", resolution: 1, says: "plain: hard shadows" },
  { quality: "fast", resolution: 1, says: "fast: no shadows, simple light, balls and tiny bodies as discs" },
  { quality: "fast", resolution: 0.7, says: "fast, 70 % resolution while it moves" },
  { quality: "fast", resolution: 0.5, says: "fast, 50 % resolution while it moves" },
];

const MANY = 30000; // bodies that a graphics card can draw with shadows
const MANY_IN_SOFTWARE = 300;
const MANY_BESIDE_STEPS = 60; // of a run that is simulated beside its pictures: 200 balls with shadows take a second of processor time

function drawsInSoftware(): boolean {
  const gl = document.createElement("canvas").getContext("webgl2");
  const about = gl?.getExtension("WEBGL_debug_renderer_info");
  const name = gl && about ? String(gl.getParameter(about.UNMASKED_RENDERER_WEBGL)) : "";
  gl?.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|software|basic render/i.test(name);
}

export const levelOf = (quality: Quality) => LEVELS.findIndex((level) => level.quality === quality);

/** Where to start: what is asked for, else what the number of bodies suggests. */
export function firstLevel(wish: string | null, bodies: number, simulated = false): number {
  if (wish === "fine" || wish === "plain" || wish === "fast") return levelOf(wish);
  const software = drawsInSoftware();
  if (bodies > (!software ? MANY : simulated ? MANY_BESIDE_STEPS : MANY_IN_SOFTWARE)) return levelOf("fast");
  return levelOf(software ? "plain" : "fine");
}

const WANTED = 1 / 30; // s per picture
const WATCHED = 20; // pictures, about as many as it takes to see that it stutters
const LONGEST = 1.2; // s: slower than that it does not wait for so many

/** Watches how long pictures take while a run plays. */
export class Pace {
  private pictures = 0;
  private spent = 0;

  /** True when pictures took too long for a while: then the next level is due. */
  isTooSlow(seconds: number): boolean {
    this.pictures++;
    this.spent += seconds;
    if (this.pictures < WATCHED && this.spent < LONGEST) return false;
    const slow = this.spent > 1.1 * WANTED * this.pictures;
    this.restart();
    return slow;
  }

  restart(): void {
    this.pictures = 0;
    this.spent = 0;
  }
}

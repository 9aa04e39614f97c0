// The hour on Painlevé's rod: A over the angle, and tasks that set the sliders. What they claim is checked against `asperity analyze`
// by tests/web/playground.test.mjs.
import { format } from "../src/panels/dom";

/** Something to do in a lesson. */
export interface Task {
  title: string;
  set: Record<string, number>; // parameters
  ask: string;
  answer: string;
}

export const PAINLEVE_TASKS: Task[] = [
  {
    title: "Little friction",
    set: { phi: 60, mu: 0.5, omega: 0 },
    ask: "How many solutions are listed? Move φ through its whole range: does that change?",
    answer: "One, at every angle. A is positive everywhere, so A N + b with b < 0 is zero at exactly one N > 0: the tip slides on.",
  },
  {
    title: "On the edge",
    set: { phi: 63.43, mu: 1.33, omega: 0 },
    ask: "The curve nearly touches zero. How hard does the ground press, in weights of the rod? Raise μ by hand beyond 4/3.",
    answer: "N = g/A is 2452 N, 250 times the weight, and grows without bound as A goes to zero. The least A is 1/m + l²/(2J) (1 − √(1 + μ²)), where tan 2φ = −μ; with J = m l²/3 it is zero at μ = 4/3, φ = arctan 2 = 63.4°.",
  },
  {
    title: "No solution",
    set: { phi: 60, mu: 1.5, omega: 0 },
    ask: "Rule out every N by hand, as the list claims. What happens at the next step? (Press step, then look at the energy in the plots.)",
    answer: "N = 0 would let the tip accelerate into the ground, b < 0. Any N > 0 makes A N + b more negative still. No finite force is left, so an impulse acts although nothing struck: the second of the list, 0.325 N s, stops the tip, and kinetic energy falls from 0.5 to 0.28 J.",
  },
  {
    title: "Two solutions",
    set: { phi: 60, mu: 1.5, omega: 5 },
    ask: "Now b > 0. Which two motions are there, and what would choose between them?",
    answer: "The tip leaves (N = 0), or it slides on with N = −b/A = 59.6 N. Rigid bodies and Coulomb's law do not choose. With a little elasticity in the tip the second is unstable: a force slightly larger presses the tip further down. With \"select\": \"energy\" under run, in the editor, a step names the rule that it takes.",
  },
  {
    title: "The same friction, another angle",
    set: { phi: 30, mu: 1.5, omega: 0 },
    ask: "μ is as before. Is there a paradox? At which angles does it begin and end?",
    answer: "One solution, N = 7.54 N. The paradox lies between the zeros of A, at μ = 1.5 between 50.6° and 73.0°: it is a matter of angle and friction together.",
  },
  {
    title: "No friction",
    set: { phi: 75, mu: 0, omega: 5 },
    ask: "Can there be a paradox without friction?",
    answer: "No: A = 1/m + l²/J cos² φ is positive. Here b > 0, so that the tip leaves, the only solution.",
  },
];

/** A of the sliding tip of the rod, 1/kg. */
const rodA = (degrees: number, mu: number): number => {
  const phi = (degrees * Math.PI) / 180;
  return 1 + 3 * (Math.cos(phi) ** 2 - mu * Math.sin(phi) * Math.cos(phi));
};

/** A over the angle, the present angle marked. */
export function painleveDrawing(phi: number, mu: number): SVGElement {
  const [width, height, left, top, bottom] = [340, 170, 34, 12, 140];
  const low = -3;
  const high = 4;
  const x = (degrees: number) => left + ((width - left - 16) * degrees) / 90;
  const y = (a: number) => top + ((bottom - top) * (high - Math.max(low, Math.min(high, a)))) / (high - low);
  const path = Array.from({ length: 91 }, (_, d) => `${d ? "L" : "M"}${x(d).toFixed(1)} ${y(rodA(d, mu)).toFixed(1)}`).join("");
  const ticks = [0, 30, 60, 90].map((d) => `<text x="${x(d)}" y="${bottom + 16}" text-anchor="middle">${d}°</text>`).join("");
  const numbers = [-2, 0, 2, 4].map((a) => `<text x="${left - 6}" y="${y(a) + 4}" text-anchor="end">${a}</text>`).join("");
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.setAttribute("class", "curve");
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", `A over the angle at mu ${mu}; ${format(rodA(phi, mu))} at ${phi} degrees`);
  svg.innerHTML = `<rect x="${left}" y="${y(0)}" width="${width - left - 8}" height="${bottom - y(0)}" class="forbidden"/>
    <line x1="${left}" x2="${width - 8}" y1="${y(0)}" y2="${y(0)}" class="axis"/><path d="${path}" class="line"/>
    <circle cx="${x(phi)}" cy="${y(rodA(phi, mu))}" r="5" class="now"/>${ticks}${numbers}
    <text x="${width - 12}" y="${top + 10}" text-anchor="end">A(φ) in 1/kg at μ = ${format(mu)}</text><text x="${width - 12}" y="${bottom - 8}" text-anchor="end">paradox: A &lt; 0</text>`;
  return svg;
}


// Course pages: a scene, what to look at, and for some a drawing that follows the sliders. The scenes are scenes/course.
import type { Analysis, Description } from "../live/module";
import { by, element, format } from "../src/panels/dom";
import type { Values } from "./controls";
import type { Shows } from "./view";

export interface Lesson {
  id: string;
  title: string;
  scene: string; // name of a scene in scenes.ts
  text: string[];
  restart: boolean; // sliders set the beginning, not what goes on
  levels?: ("acceleration" | "impulse" | "step" | "static")[];
  painleve?: boolean;
  shows?: Shows;
}

export const LESSONS: Lesson[] = [
  {
    id: "painleve",
    title: "Painlevé's paradox",
    scene: "course/painleve",
    restart: true,
    painleve: true,
    levels: ["acceleration", "impulse"],
    text: [
      "A rod slides to the left on its tip. How the tip accelerates away from the ground is A N + b, with the force N ≥ 0 and A = 1/m + l²/J (cos² φ − μ sin φ cos φ).",
      "As long as A > 0, pressing harder lifts the tip: there is exactly one N. Raise μ to 4/3 or more: between two angles A is negative, and a force that presses makes the tip press harder still.",
      "Then, with b < 0, no force obeys the laws, and with b > 0 (a rod that turns fast enough) two do. The list below is a proof, not a simulation: all modes of the contact are tried. An impulse always exists; that is how the simulation goes on.",
    ],
  },
  {
    id: "slope",
    title: "Stick or slip",
    scene: "course/slope",
    restart: false,
    shows: { tilted: true },
    text: ["The block slips when tan(angle) > μ. Move the angle while it runs: at μ = 0.5 it lets go at 26.57°. Then lower μ instead.", "The arrows show the force of each corner: blue sticks, orange slides, and sliding forces lie on the cone (key F)."],
  },
  {
    id: "stick-slip",
    title: "Stick-slip",
    scene: "course/stick-slip",
    restart: false,
    text: ["Set μ_static to μ: the mass comes to rest on the belt. Raise it again: stick-slip comes back. The plots show a saw tooth whose rising edge is the belt's speed."],
  },
  {
    id: "jamming",
    title: "Jamming",
    scene: "course/jamming",
    restart: false,
    text: [
      "A wedge of 20° is driven in, and let go after 1.5 s. It holds by friction alone, and how hard it presses depends on how it came to rest: drive it harder and look at the arrows after the force has gone.",
      "Lower μ while it stands: below tan 10° = 0.176 it is squeezed out. Pull at it: the force that moves it is not the one that holds it.",
    ],
  },
  {
    id: "four-legs",
    title: "Four legs",
    scene: "course/four-legs",
    restart: true,
    levels: ["acceleration"],
    text: [
      "Three legs would be determined. With four, equilibrium leaves a whole interval for the load of each leg: the list says from where to where. The motion, rest, is unique; what is simulated is one choice among the loads.",
      "Make the weight (the arrow) 50 kg and move it towards x = 0.6: the legs on the other side carry less and less, the intervals shrink, and just before the table tips nothing is left to choose.",
    ],
  },
  {
    id: "billiards",
    title: "Billiards",
    scene: "gallery/billiard-break",
    restart: true,
    shows: { paths: true },
    text: ["Impacts of many balls at once: watch the energy, which falls at every hit by what restitution does not give back. Change dt and restart: after a few collisions the balls are elsewhere; the paths of the run before stay in grey. Chaos amplifies what no step size removes."],
  },
  {
    id: "pile",
    title: "A pile in real time",
    scene: "course/pile",
    restart: false,
    text: [
      "Two hundred balls, certified to a residual of 1e-4: Gauss-Seidel sweeps reach that in a few milliseconds. Pull a ball out of the pile and watch what the others do.",
      "Then move the slider of the tolerance to 1e-8 while the pile creeps to rest: sweeps alone no longer get there, the step goes on with interior point and Newton steps, and the clock falls behind. What was certified to which tolerance stands beside the title.",
    ],
  },
  {
    id: "arch",
    title: "An arch and its thrust line",
    scene: "gallery/arch",
    restart: false,
    shows: { thrust: true },
    text: ["The yellow line through the centres of pressure of the joints is the thrust line (C hides the forces). The arch stands as long as the line stays within the stones and within the cones. Pull a stone, or lower μ: a joint opens where the line touches an edge."],
  },
  {
    id: "cone",
    title: "Cone against polygons",
    scene: "course/cone",
    restart: true,
    shows: { paths: true },
    text: ["Friction acts along four directions here, a polygon in place of the cone's circle: the puck does not go where it is pushed, it turns. Choose \"exact cone\": it runs straight, and the path before stays in grey. How many directions does it take until the difference is gone? The certificate names the residual against the exact cone."],
  },
];

/** A of the sliding tip of the rod, 1/kg. */
export const rodA = (degrees: number, mu: number): number => {
  const phi = (degrees * Math.PI) / 180;
  return 1 + 3 * (Math.cos(phi) ** 2 - mu * Math.sin(phi) * Math.cos(phi));
};

/** A over the angle, the present angle marked. */
function painleveDrawing(phi: number, mu: number): SVGElement {
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

/** What was proved about the present state: solutions with modes and forces, intervals where loads are not determined. */
function analysisList(found: Analysis, dimension: number): HTMLElement {
  const count = found.solutions.length;
  const title = !found.exists
    ? found.provedNone ? "no solution: proved" : "no solution found"
    : `${count} ${count === 1 ? "solution" : "solutions"}${!found.complete ? "" : count === 1 ? ", no other" : ", all of them"}`;
  const box = element("div", { class: "analysis", "data-level": found.level, "data-count": String(count) }, element("h3", {}, `${found.level}: ${title}`));
  if (found.A && found.A.length === 1) box.append(element("p", { class: "muted", "data-a": String(found.A[0]) }, `A = ${format(found.A[0], 4)} 1/kg, b = ${format(found.b![0], 4)} m/s²`));
  found.solutions.slice(0, 6).forEach((solution, s) => {
    const several = (a?: string, b?: string) => found.blocks.filter((block) => block.a === a && block.b === b).length > 1;
    const rows = found.blocks.map(({ first, a, b, joint, point }, i) => {
      const [low, high] = [solution.low[i], solution.high[i]];
      const between = solution.reactionDimension > 0 && low !== null && (high === null || high - low > 1e-9 * (1 + Math.abs(high)));
      const force = between ? `${format(low)} … ${high === null ? "∞" : format(high)}` : format(solution.r[first], 4);
      return element("tr", {}, element("td", {}, joint ?? `${a} / ${b}${several(a, b) && point ? ` at ${point.slice(0, dimension).map((x) => format(x, 2)).join(", ")}` : ""}`), element("td", {}, solution.modes[i]), element("td", {}, force));
    });
    const loose = solution.reactionDimension > 0 ? `, loads not unique (${solution.reactionDimension} free)` : "";
    const head = element("tr", {}, element("th", {}, `solution ${s + 1}${loose}`), element("th", {}, "mode"), element("th", {}, found.level === "impulse" ? "N s" : "N"));
    box.append(element("table", { class: "measures" }, head, ...rows));
  });
  return box;
}

export const lessonOf = (id: string | null): Lesson | undefined => LESSONS.find((lesson) => lesson.id === id);

export function showLesson(lesson: Lesson | undefined): void {
  by("lesson").hidden = !lesson;
  if (lesson) by("lesson").replaceChildren(element("h2", {}, lesson.title), element("div", { id: "drawing" }), element("div", { id: "solutions" }), ...lesson.text.map((one) => element("p", {}, one)));
}

/** The drawing of a lesson that has one, as the sliders are. */
export function drawLesson({ painleve }: Lesson, values: Values, { parameters }: Description): void {
  const parameter = (name: string) => values[`parameter:${name}`] ?? parameters.find((one) => one.name === name)?.value ?? 0;
  if (painleve) by("drawing").replaceChildren(painleveDrawing(parameter("phi"), parameter("mu")));
}

export const showSolutions = (found: Analysis[], dimension: number): void => by("solutions")?.replaceChildren(...found.map((one) => analysisList(one, dimension)));

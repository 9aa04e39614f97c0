// Course pages: a scene, what to look at, and for some a drawing that follows the sliders. The scenes are scenes/course.
import type { Analysis, Description } from "../live/module";
import { by, element, format } from "../src/panels/dom";
import type { Values } from "./controls";
import { PAINLEVE_TASKS, painleveDrawing, type Task } from "./painleve";
import type { Shows } from "./view";

export interface Lesson {
  id: string;
  title: string;
  scene: string; // name of a scene in scenes.ts
  text: string[];
  restart: boolean; // sliders set the beginning, not what goes on
  levels?: ("acceleration" | "impulse" | "step" | "static")[];
  painleve?: boolean;
  tasks?: Task[];
  shows?: Shows;
}

export const LESSONS: Lesson[] = [
  {
    id: "painleve",
    title: "Painlevé's paradox",
    scene: "course/painleve",
    restart: true,
    painleve: true,
    tasks: PAINLEVE_TASKS,
    levels: ["acceleration", "impulse"],
    text: [
      "A slender rod (mass m = 1 kg, length 2 l = 2 m, J = m l²/3) slides to the left on its tip, at the angle φ. The ground presses with N and rubs with μ N. How the tip accelerates away from the ground is A N + b, with A = 1/m + l²/J (cos² φ − μ sin φ cos φ) and b = −g + l ω² sin φ. The laws of contact: N ≥ 0, A N + b ≥ 0, and one of them is zero.",
      "As long as A > 0, pressing harder lifts the tip: there is exactly one N. Raise μ to 4/3 or more: between two angles A is negative, and a force that presses makes the tip press harder still.",
      "Then, with b < 0, no force obeys the laws, and with b > 0 (a rod that turns fast enough) two do. The list above is a proof, not a simulation: all modes of the contact are tried. An impulse always exists; that is how the simulation goes on.",
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

/** What was proved about the present state: solutions with modes and forces, intervals where loads are not determined. */
function analysisList(found: Analysis, dimension: number): HTMLElement {
  const count = found.solutions.length;
  const motion = count === 1 && found.solutions[0].reactionDimension > 0;
  const title = !found.exists
    ? found.provedNone ? "no solution: proved" : "no solution found"
    : motion
      ? `one motion${found.complete ? ", no other" : ""}; its loads are not unique`
      : `${count} ${count === 1 ? "solution" : "solutions"}${!found.complete ? "" : count === 1 ? ", no other" : ", all of them"}`;
  const box = element("div", { class: "analysis", "data-level": found.level, "data-count": String(count) }, element("h3", {}, `${found.level}: ${title}`));
  if (found.A && found.A.length === 1) box.append(element("p", { class: "muted", "data-a": String(found.A[0]) }, `A = ${format(found.A[0], 4)} 1/kg, b = ${format(found.b![0], 4)} ${found.level === "impulse" ? "m/s" : "m/s²"}`));
  found.solutions.slice(0, 6).forEach((solution, s) => {
    const several = (a?: string, b?: string) => found.blocks.filter((block) => block.a === a && block.b === b).length > 1;
    const rows = found.blocks.map(({ first, a, b, joint, point }, i) => {
      const [low, high] = [solution.low[i], solution.high[i]];
      const between = solution.reactionDimension > 0 && low !== null && (high === null || high - low > 1e-9 * (1 + Math.abs(high)));
      const force = between ? `${format(low)} … ${high === null ? "∞" : format(high)}` : format(solution.r[first], 4);
      return element("tr", {}, element("td", {}, joint ?? `${a} / ${b}${several(a, b) && point ? ` at ${point.slice(0, dimension).map((x) => format(x, 2)).join(", ")}` : ""}`), element("td", {}, solution.modes[i]), element("td", { class: "force" }, force));
    });
    const loose = solution.reactionDimension > 0 ? `${solution.reactionDimension} numbers of the loads are free` : `solution ${s + 1}`;
    const head = element("tr", {}, element("th", {}, loose), element("th", {}, "mode"), element("th", {}, found.level === "impulse" ? "N s" : "N"));
    box.append(element("table", { class: "measures" }, head, ...rows));
  });
  return box;
}

export const lessonOf = (id: string | null): Lesson | undefined => LESSONS.find((lesson) => lesson.id === id);

/** What to do, with the answer folded. */
const taskText = ({ ask, answer }: Task): HTMLElement[] => [element("p", {}, ask), element("details", {}, element("summary", {}, "answer"), element("p", {}, answer))];

/** A task with a button that sets its sliders and puts the task above the drawing. */
function taskItem(task: Task, apply: (values: Values) => void): HTMLElement {
  const { title, set } = task;
  const said = Object.entries(set).map(([name, value]) => `${name} = ${value}`).join(", ");
  const button = element("button", { class: "set", title: said, "aria-label": `${title}: set ${said}` }, "set");
  button.addEventListener("click", () => {
    apply(Object.fromEntries(Object.entries(set).map(([name, value]) => [`parameter:${name}`, value])));
    by("task").replaceChildren(element("b", {}, title), ...taskText(task));
    by("task").scrollIntoView({ block: "start" });
  });
  return element("li", {}, element("div", { class: "task" }, element("b", {}, title), button), ...taskText(task));
}

/** `apply`: sets sliders. */
export function showLesson(lesson: Lesson | undefined, apply: (values: Values) => void): void {
  by("lesson").hidden = !lesson;
  if (!lesson) return;
  const tasks = (lesson.tasks ?? []).map((task) => taskItem(task, apply));
  const parts: HTMLElement[] = [element("h2", {}, lesson.title), element("div", { id: "task", class: "tasks" }), element("div", { id: "drawing" }), element("div", { id: "solutions" }), ...lesson.text.map((one) => element("p", {}, one))];
  if (tasks.length) parts.push(element("h3", {}, "Tasks"), element("ol", { class: "tasks" }, ...tasks));
  by("lesson").replaceChildren(...parts);
}

/** The drawing of a lesson that has one, as the sliders are. */
export function drawLesson({ painleve }: Lesson, values: Values, { parameters }: Description): void {
  const parameter = (name: string) => values[`parameter:${name}`] ?? parameters.find((one) => one.name === name)?.value ?? 0;
  if (painleve) by("drawing").replaceChildren(painleveDrawing(parameter("phi"), parameter("mu")));
}

export const showSolutions = (found: Analysis[], dimension: number): void => by("solutions")?.replaceChildren(...found.map((one) => analysisList(one, dimension)));

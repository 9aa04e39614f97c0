// The certificate of a world under simulation: three lines, details below.
import type { Description, StepInfo, Verdict } from "../live/module";
import { element, format } from "../src/panels/dom";

function line(good: boolean, text: string, about: string, id: string): HTMLElement {
  return element("div", { class: good ? "verdict" : "verdict bad", id }, element("b", {}, good ? "✓" : "!"), element("p", {}, text, element("br"), element("small", {}, about)));
}

let unfolded: boolean | null = null; // as the user left the details; null: as the run asks for

/** Folded, unless something asks for attention. */
function details(attention: boolean, ...parts: HTMLElement[]): HTMLElement {
  const made = element("details", { id: "details" }, element("summary", {}, "details"), ...parts);
  made.open = unfolded ?? attention;
  made.querySelector("summary")!.addEventListener("click", () => (unfolded = !made.open));
  return made;
}

/** `steps` since the start; `tolerance`: the coarsest that one of them was certified to. */
export function certificateRows(info: StepInfo, steps: number, verdict: Verdict, about: Description, tolerance: number): HTMLElement[] {
  if (steps === 0) return [element("p", { class: "muted" }, "No step so far: press run or step.")];
  const rows = [
    line(info.uncertified === 0, info.uncertified === 0 ? `All ${steps} steps certified` : `${info.uncertified} of ${steps} steps missed the tolerance`, `residual ${format(info.residual, 2)}, tolerance ${format(tolerance, 2)}`, "verdict"),
    line(info.unresolved === 0, info.unresolved === 0 ? "All steps resolved" : `${info.unresolved} of ${steps} steps are not resolved`, "were steps short enough, and was the model met?", "resolved"),
  ];
  const share = ({ worst, threshold }: { worst: number | null; threshold: number }) => (worst ?? Infinity) / threshold; // null: not finite
  const judged = verdict.measures.filter(({ threshold }) => threshold > 0).sort((a, b) => share(b) - share(a));
  if (judged.length) {
    const { name, worst, threshold, text } = judged[0];
    rows.push(line(share(judged[0]) <= 1, `Worst: ${name.replaceAll("_", " ")}, ${format(worst, 2)} of ${format(threshold, 2)}`, text, "worst"));
  }
  const table = element("table", { class: "measures" }, element("tr", {}, ...["measure", "worst", "threshold"].map((text) => element("th", {}, text))));
  for (const { name, text, remedy, where, threshold, worst, steps } of verdict.measures) {
    table.append(element("tr", { class: steps > 0 ? "exceeded" : "", title: text }, element("td", {}, name.replaceAll("_", " ")), element("td", {}, format(worst, 2)), element("td", {}, threshold > 0 ? format(threshold, 2) : "not judged")));
    if (steps > 0) table.append(element("tr", { class: "remedy" }, element("td", { colspan: "3" }, `${where}, ${steps} steps: ${text}. What helps: ${remedy}`)));
  }
  const list = element("dl");
  const add = (name: string, value: string) => list.append(element("dt", {}, name), element("dd", {}, value));
  add("contacts", String(info.contacts));
  add("iterations, attempts", `${info.iterations}, ${info.attempts}`);
  if (!about.run.exact) add("against the exact cone", format(info.exact, 2));
  add("solutions of the step", info.alternatives > 0 ? String(info.alternatives) : "not decided");
  add("solutions in accelerations", info.instantSolutions < 0 ? "not checked" : String(info.instantSolutions));
  add("penetration", `${format(info.penetration, 2)} m`);
  add("joint drift", `${format(info.jointDrift, 2)} m or rad`);
  const warnings = verdict.warnings.map((text) => element("div", { class: "warning" }, text));
  return [...rows, details(info.uncertified + info.unresolved > 0, table, list), ...warnings];
}

/** Certified and resolved so far, beside the title. */
export function badges(info: StepInfo, tolerance: number): HTMLElement[] {
  const good = info.uncertified === 0;
  const resolved = info.unresolved === 0;
  const said = info.step === 0 ? "not started" : good ? `certified to ${format(tolerance, 2)}, residual ${format(info.residual, 2)}` : `${info.uncertified} steps missed the tolerance`;
  const certified = element("span", { class: info.step === 0 ? "badge open" : good ? "badge" : "badge bad", id: "certified" }, said);
  if (info.step === 0) return [certified];
  return [certified, element("span", { class: resolved ? "badge" : "badge bad", id: "resolution" }, resolved ? "resolved" : `${info.unresolved} steps not resolved`)];
}

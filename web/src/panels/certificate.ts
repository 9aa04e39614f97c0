// The certificate: verdicts, and the way to the steps they speak of.
import type { Worst } from "../data/header";
import type { Run } from "../data/run";
import { element, format, row } from "./dom";

/** A button that moves the replay to a time. */
function jump(t: number, seek: (t: number) => void, label = `t = ${format(t, 4)} s`): HTMLButtonElement {
  const button = element("button", { class: "jump", "data-time": String(t) }, label);
  button.addEventListener("click", () => seek(t));
  return button;
}

/** The time that a warning speaks of, if it does. */
export function warningTime(text: string): number | null {
  const found = /t = ([-+0-9.e]+) ?s/.exec(text);
  return found ? Number(found[1]) : null;
}

function worstRow(list: HTMLElement, name: string, worst: Worst, unit: string, seek: (t: number) => void): void {
  const value = `${format(worst.value)} ${unit} `;
  if (worst.step > 0 && worst.value) row(list, name, value, jump(worst.time, seek, `step ${worst.step}`));
  else row(list, name, value);
}

// what the keys of the findings mean; other keys are shown as they are
const FINDINGS: Record<string, string> = {
  withoutSolution: "began without any acceleration that obeys the laws (Painlevé)",
  severalSolutions: "began with several possible accelerations (Painlevé)",
  alternatives: "had several solutions of their own",
  impulses: "answered with an impulse without collision",
};

/** Steps about which something was found: how many, and the way to the first of them. */
function findingsList(run: Run, seek: (t: number) => void): HTMLElement[] {
  const found = Object.entries(run.header.findings ?? {}).filter(([, { steps }]) => steps > 0);
  const entries = found.map(([key, { steps, times }]) => {
    const text = FINDINGS[key] ?? key.replaceAll(/([A-Z])/g, " $1").toLowerCase();
    const entry = element("div", { class: "warning", "data-finding": key }, `${steps.toLocaleString("en")} ${steps === 1 ? "step" : "steps"} ${text}: `);
    for (const t of times.slice(0, 6)) entry.append(jump(t, seek), " ");
    if (steps > 6) entry.append(`and ${(steps - 6).toLocaleString("en")} more`);
    return entry;
  });
  return entries.length ? [element("h2", {}, "Found"), ...entries] : [];
}

/** The measures of resolution, those exceeded first. */
function measuresTable({ header: { resolution, certificate } }: Run, seek: (t: number) => void): HTMLElement[] {
  if (!resolution || certificate.steps === 0) return [];
  const sorted = [...resolution.measures].sort((a, b) => Number(b.steps > 0) - Number(a.steps > 0));
  const table = element("table", { class: "measures" }, element("tr", {}, ...["measure", "worst", "threshold", "at"].map((text) => element("th", {}, text))));
  for (const { name, text, remedy, where, threshold, worst, time, steps } of sorted) {
    const title = `${text}${steps > 0 ? `; ${remedy}` : ""}`;
    table.append(
      element(
        "tr",
        { class: steps > 0 ? "exceeded" : "", title },
        element("td", {}, name.replaceAll("_", " ")),
        element("td", {}, worst === null ? "not finite" : format(worst, 2)),
        element("td", {}, threshold > 0 ? format(threshold, 2) : "not judged"),
        element("td", {}, worst === 0 ? "" : jump(time, seek)),
      ),
    );
    if (steps > 0)
      table.append(element("tr", { class: "remedy" }, element("td", { colspan: "4" }, `${where}, ${steps.toLocaleString("en")} steps: ${text}. What helps: ${remedy}`)));
  }
  return [table];
}

// what steps say about themselves in numbers: a title, and the numbers in words; others are shown as they are
const COUNTS: Record<string, { title: string; words: (value: number) => string }> = {
  alternatives: {
    title: "uniqueness of the steps",
    words: (n) => (n <= 0 ? "not decided" : n === 1 ? "one solution" : `${n} solutions`),
  },
  instant_solutions: {
    title: "uniqueness of accelerations",
    words: (n) => (n < 0 ? "not checked" : n === 0 ? "no solution" : n === 1 ? "unique" : `${n} solutions`),
  },
  load_sharing: {
    title: "load of redundant contacts",
    words: (n) => (n < 0 ? "as the solver left it" : n === 0 ? "none that slide" : "shared by the rule"),
  },
};

/** Values of a count, each with its share of the steps and the way to the first of them. */
function countList(run: Run, seek: (t: number) => void): HTMLElement[] {
  const { counts, steps: all } = run.header.certificate;
  return (counts ?? []).flatMap(({ name, text, values }) => {
    const { title, words } = COUNTS[name] ?? { title: name.replaceAll("_", " "), words: String };
    const list = element("dl", { class: "counts", "data-count": name });
    for (const { value, steps, time } of values)
      row(list, words(value), `${steps.toLocaleString("en")} of ${all.toLocaleString("en")} steps, first `, jump(time, seek));
    return [element("h2", {}, title), element("p", { class: "muted" }, text), list];
  });
}

type Tone = "" | "bad" | "open";

function verdict(tone: Tone, id: string, text: string, ...about: (Node | string)[]): HTMLElement {
  const sign = { "": "✓", bad: "!", open: "?" }[tone];
  return element("div", { class: tone ? `verdict ${tone}` : "verdict", id }, element("b", { "aria-hidden": "true" }, sign), element("p", {}, text, element("br"), element("small", {}, ...about)));
}

const count = (n: number) => n.toLocaleString("en");

function certified({ header: { certificate } }: Run): HTMLElement {
  const { steps, uncertified } = certificate;
  const text = steps === 0 ? "No step yet" : uncertified === 0 ? `All ${count(steps)} steps certified` : `${count(uncertified)} of ${count(steps)} steps missed the tolerance`;
  return verdict(uncertified === 0 ? "" : "bad", "verdict", text, "each step's laws of contact, recomputed apart from the solver");
}

function resolved({ header: { certificate, resolution } }: Run): HTMLElement | null {
  if (certificate.steps === 0) return null;
  if (!resolution) return verdict("open", "resolved", "Resolution not judged", "the result is from an older version");
  const text = resolution.unresolved === 0 ? "All steps resolved" : `${count(resolution.unresolved)} of ${count(certificate.steps)} steps are not resolved`;
  return verdict(resolution.unresolved === 0 ? "" : "bad", "resolved", text, "were steps short enough, and was the model met?");
}

/** What came nearest to its limit: the residual against the tolerance, or a measure of resolution against its threshold. */
function worst({ header: { certificate, resolution } }: Run, seek: (t: number) => void): HTMLElement | null {
  if (certificate.steps === 0) return null;
  const measured = (resolution?.measures ?? []).filter(({ threshold }) => threshold > 0).map(({ name, worst, threshold, time, where }) => ({ name: name.replaceAll("_", " "), value: worst, limit: threshold, time, where: `${where}, ` }));
  const all = [{ name: "residual", value: certificate.residual.value, limit: certificate.tolerance ?? Infinity, time: certificate.residual.time, where: "" }, ...measured];
  const share = ({ value, limit }: (typeof all)[0]) => (value === null ? Infinity : value / limit);
  const one = all.reduce((a, b) => (share(b) > share(a) ? b : a));
  const tone = share(one) > 1 ? "bad" : "";
  return verdict(tone, "worst", `Worst: ${one.name} ${one.value === null ? "not finite" : format(one.value, 2)} of ${format(one.limit, 2)}`, one.where, jump(one.time, seek));
}

/** Numbers of the whole run. */
function numbers(run: Run, seek: (t: number) => void): HTMLElement[] {
  const { header } = run;
  const { certificate } = header;
  const list = element("dl");
  row(list, "tolerance", format(certificate.tolerance));
  worstRow(list, "largest residual", certificate.residual, "", seek);
  if ((header.run["friction.model"] ?? "exact") !== "exact") worstRow(list, "against the exact cone", certificate.exact, "", seek);
  worstRow(list, "deepest penetration", certificate.penetration, "m", seek);
  if (header.joints.length) worstRow(list, "largest joint drift", certificate.drift, "m or rad", seek);
  worstRow(list, "most contacts", certificate.contactsMost, "", seek);
  worstRow(list, "most iterations", certificate.iterationsMost, "", seek);
  if (certificate.uncertified === 0) return [list];
  const missed = element("p");
  for (const t of certificate.uncertifiedTimes.slice(0, 30)) missed.append(jump(t, seek), " ");
  if (certificate.uncertified > 30) missed.append(`and ${count(certificate.uncertified - 30)} more`);
  return [list, element("h2", {}, "Steps that missed"), missed];
}

function warningList({ header: { warnings } }: Run, seek: (t: number) => void): HTMLElement[] {
  if (!warnings.length) return [];
  const entries = warnings.map((text) => {
    const entry = element("div", { class: "warning" }, text, " ");
    const t = warningTime(text);
    if (t !== null) entry.append(jump(t, seek));
    return entry;
  });
  return [element("h2", {}, "Warnings"), ...entries];
}

/** Parameters, files and options of the run. */
function origins(run: Run): HTMLElement[] {
  const { header } = run;
  const parts: HTMLElement[] = [];
  const parameters = element("dl");
  for (const { name, value, unit, text, set } of header.parameters ?? [])
    row(parameters, name, `${format(value, 6)} ${unit}`, ...(set ? [element("small", {}, " set")] : []), ...(text ? [element("small", { class: "muted" }, ` ${text}`)] : []));
  if (parameters.firstChild) parts.push(element("h2", {}, "Parameters"), parameters);
  const files = element("dl");
  for (const { path, hash } of header.files ?? []) row(files, path, element("small", { class: "muted" }, `hash ${hash}`));
  if (files.firstChild) parts.push(element("h2", {}, "Files"), files);
  const options = element("dl");
  for (const key of ["scheme", "friction.model", "friction.directions", "solver", "dt", "until", "threads"])
    if (header.run[key] && !(key === "friction.directions" && header.run["friction.model"] === "exact")) row(options, key.replace(".", " "), header.run[key]);
  row(options, "bodies", count(run.bodies));
  if (run.beams.length) row(options, "beams", count(run.beams.length));
  row(options, "program", `asperity ${header.program}`);
  const all = element("dl");
  for (const [key, value] of Object.entries(header.run)) row(all, key.replaceAll(/[._]/g, " "), value);
  return [...parts, element("h2", {}, "Run"), options, element("details", {}, element("summary", {}, "all options"), all), aboutData(run)];
}

/** Three lines, and details below: folded where there is nothing that asks for attention. */
export function certificatePage(run: Run, seek: (t: number) => void): HTMLElement {
  const { header } = run;
  const found = findingsList(run, seek);
  const asks = header.certificate.uncertified > 0 || (header.resolution?.unresolved ?? 0) > 0 || header.warnings.length > 0 || found.length > 0;
  const details = element("details", { id: "details", ...(asks ? { open: "" } : {}) }, element("summary", {}, "details"));
  details.append(...found, ...warningList(run, seek), ...measuresTable(run, seek), ...numbers(run, seek), ...countList(run, seek), ...origins(run));
  const lines = [certified(run), resolved(run), worst(run, seek)].filter((line) => line !== null);
  return element("div", {}, ...lines, details);
}

function aboutData(run: Run): HTMLElement {
  const { steps, every, framesStored, contacts, complete } = run.header;
  const parts = [
    `positions ±${format(steps.position / 2, 2)} m, orientations ±${format(steps.quaternion / 2, 2)}, velocities ±${format(steps.velocity / 2, 2)}`,
    every > 1 ? `every ${every}th of ${framesStored} frames` : `all ${framesStored} frames`,
  ];
  if (contacts.kept < contacts.total) parts.push(`the strongest ${contacts.limit} contacts of each frame (counts are of all)`);
  if (!complete) parts.push("the run has not ended, or was cut off");
  return element("p", { class: "muted" }, `This page holds ${parts.join("; ")}. The result file has every digit.`);
}

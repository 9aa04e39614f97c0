// The panel beside the picture: certificate, bodies, plots, display.
import type { Run, Worst } from "./data";

export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Partial<Record<string, string>> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) if (value !== undefined) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** A number for people: 0.00012 as 1.2e-4. */
export function format(value: number | null | undefined, digits = 3): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  const rounded = Number(value.toPrecision(digits));
  return size > 0 && size < 1e-3 ? String(rounded.toExponential()) : String(rounded);
}

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

function row(list: HTMLElement, name: string, ...values: (Node | string)[]): void {
  list.append(element("dt", {}, name), element("dd", {}, ...values));
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

/** Whether steps were short enough and met the model: a verdict, and the measures, those exceeded first. */
function resolutionList(run: Run, seek: (t: number) => void): HTMLElement[] {
  const { resolution, certificate } = run.header;
  const good = resolution?.unresolved === 0;
  const said = !resolution
    ? "Resolution not judged"
    : good
      ? "All steps resolved"
      : `${resolution.unresolved.toLocaleString("en")} of ${certificate.steps.toLocaleString("en")} steps are not resolved`;
  const why = !resolution ? "the result is from an older version" : "were steps short enough, and was the model met?";
  const verdict = element(
    "div",
    { class: good ? "verdict" : resolution ? "verdict bad" : "verdict open", id: "resolved" },
    element("b", {}, good ? "✓" : resolution ? "!" : "?"),
    element("p", {}, said, element("br"), element("small", {}, why)),
  );
  if (!resolution || certificate.steps === 0) return certificate.steps === 0 ? [] : [verdict];
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
  return [verdict, table];
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

export function certificatePage(run: Run, seek: (t: number) => void): HTMLElement {
  const { header } = run;
  const { certificate } = header;
  const page = element("div");
  const good = certificate.uncertified === 0;
  const verdict = element(
    "div",
    { class: good ? "verdict" : "verdict bad", id: "verdict" },
    element("b", {}, good ? "✓" : "!"),
    element(
      "p",
      {},
      certificate.steps === 0
        ? "No step yet"
        : good
          ? `All ${certificate.steps.toLocaleString("en")} steps certified`
          : `${certificate.uncertified.toLocaleString("en")} of ${certificate.steps.toLocaleString("en")} steps missed the tolerance`,
      element("br"),
      element("small", {}, "each step's laws of contact, recomputed apart from the solver"),
    ),
  );
  page.append(verdict, ...resolutionList(run, seek));
  const list = element("dl");
  row(list, "tolerance", format(certificate.tolerance));
  worstRow(list, "largest residual", certificate.residual, "", seek);
  if ((header.run["friction.model"] ?? "exact") !== "exact") worstRow(list, "against the exact cone", certificate.exact, "", seek);
  worstRow(list, "deepest penetration", certificate.penetration, "m", seek);
  if (header.joints.length) worstRow(list, "largest joint drift", certificate.drift, "m or rad", seek);
  worstRow(list, "most contacts", certificate.contactsMost, "", seek);
  worstRow(list, "most iterations", certificate.iterationsMost, "", seek);
  page.append(list);
  if (certificate.uncertified > 0) {
    page.append(element("h2", {}, "Steps that missed"));
    const missed = element("p");
    for (const t of certificate.uncertifiedTimes.slice(0, 30)) missed.append(jump(t, seek), " ");
    if (certificate.uncertified > 30) missed.append(`and ${certificate.uncertified - 30} more`);
    page.append(missed);
  }
  page.append(...findingsList(run, seek), ...countList(run, seek));
  if (header.warnings.length) {
    page.append(element("h2", {}, "Warnings"));
    for (const text of header.warnings) {
      const entry = element("div", { class: "warning" }, text, " ");
      const t = warningTime(text);
      if (t !== null) entry.append(jump(t, seek));
      page.append(entry);
    }
  }
  const parameters = header.parameters ?? [];
  if (parameters.length) {
    page.append(element("h2", {}, "Parameters"));
    const list = element("dl");
    for (const { name, value, unit, text, set } of parameters)
      row(list, name, `${format(value, 6)} ${unit}`, ...(set ? [element("small", {}, " set")] : []), ...(text ? [element("small", { class: "muted" }, ` ${text}`)] : []));
    page.append(list);
  }
  const files = header.files ?? [];
  if (files.length) {
    page.append(element("h2", {}, "Files"));
    const list = element("dl");
    for (const { path, hash } of files) row(list, path, element("small", { class: "muted" }, `hash ${hash}`));
    page.append(list);
  }
  page.append(element("h2", {}, "Run"));
  const options = element("dl");
  for (const key of ["scheme", "friction.model", "friction.directions", "solver", "dt", "until", "threads"])
    if (header.run[key] && !(key === "friction.directions" && header.run["friction.model"] === "exact")) row(options, key.replace(".", " "), header.run[key]);
  row(options, "bodies", run.bodies.toLocaleString("en"));
  if (run.beams.length) row(options, "beams", run.beams.length.toLocaleString("en"));
  row(options, "program", `asperity ${header.program}`);
  const all = element("dl");
  for (const [key, value] of Object.entries(header.run)) row(all, key.replaceAll(/[._]/g, " "), value);
  page.append(options, element("details", {}, element("summary", {}, "all options"), all), aboutData(run));
  return page;
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

/** A list of any length: only the rows in view exist. */
export class BodyList {
  readonly root = element("div");
  private readonly list = element("div", { id: "list", tabindex: "0" });
  private readonly space = element("div");
  private readonly state = element("div", { id: "state" });
  private shown: number[] = [];
  private static readonly ROW = 30;

  constructor(
    private readonly run: Run,
    private readonly visible: Uint8Array,
    private readonly colour: (body: number) => string,
    private readonly actions: { pick(body: number): void; changed(): void },
  ) {
    const filter = element("input", { id: "filter", type: "search", placeholder: `find among ${run.bodies} bodies`, "aria-label": "find bodies" });
    filter.addEventListener("input", () => this.filter(filter.value));
    const all = element("p", { class: "muted" });
    for (const [label, value] of [["show all", 1], ["hide all", 0]] as const) {
      const button = element("button", { class: "jump" }, label);
      button.addEventListener("click", () => {
        for (const body of this.shown) visible[body] = value;
        this.draw();
        actions.changed();
      });
      all.append(button, " ");
    }
    this.list.append(this.space);
    this.list.addEventListener("scroll", () => this.draw());
    this.root.append(filter, this.list, all, this.state);
    this.filter("");
  }

  private filter(text: string): void {
    const wanted = text.trim().toLowerCase();
    this.shown = this.run.header.bodies.name.flatMap((name, body) => (name.toLowerCase().includes(wanted) ? [body] : []));
    this.space.style.height = `${this.shown.length * BodyList.ROW}px`;
    this.draw();
  }

  private picked = -1;

  draw(): void {
    const first = Math.floor(this.list.scrollTop / BodyList.ROW);
    const rows: Node[] = [this.space];
    for (let i = first; i < Math.min(this.shown.length, first + 40); i++) rows.push(this.rowOf(this.shown[i], i));
    this.list.replaceChildren(...rows);
  }

  private rowOf(body: number, i: number): HTMLElement {
    const { header } = this.run;
    const box = element("input", { type: "checkbox", "aria-label": `show ${header.bodies.name[body]}` });
    box.checked = this.visible[body] === 1;
    box.addEventListener("click", (event) => event.stopPropagation());
    box.addEventListener("change", () => {
      this.visible[body] = box.checked ? 1 : 0;
      this.actions.changed();
    });
    const swatch = element("i");
    swatch.style.background = this.colour(body);
    const kind = ["", "fixed", "moved", "of a beam"][this.run.bodyKind(body)];
    const row = element("div", { class: body === this.picked ? "row picked" : "row", "data-body": String(body) }, box, swatch, header.bodies.name[body]);
    row.append(element("small", {}, kind || `${format(header.bodies.mass[body])} kg`));
    row.style.top = `${i * BodyList.ROW}px`;
    row.addEventListener("click", () => this.actions.pick(body));
    return row;
  }

  pick(body: number): void {
    this.picked = body;
    const at = this.shown.indexOf(body);
    const top = at * BodyList.ROW;
    if (at >= 0 && (top < this.list.scrollTop || top > this.list.scrollTop + this.list.clientHeight - BodyList.ROW))
      this.list.scrollTop = Math.max(0, top - 100);
    this.draw();
  }

  /** Position, orientation, velocities of the picked body in this frame. */
  showState(frame: number): void {
    if (this.picked < 0) {
      this.state.replaceChildren(element("p", { class: "muted" }, "Click a body in the picture or in the list."));
      return;
    }
    const list = element("dl");
    this.run.coordinates().forEach(({ name, unit }, i) =>
      row(list, name, `${format(this.run.coordinate(frame, this.picked, i), 5)} ${unit === "1" ? "" : unit}`),
    );
    this.state.replaceChildren(element("h2", { id: "picked-name" }, this.run.header.bodies.name[this.picked]), list);
  }
}

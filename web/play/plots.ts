// Plots of a world under simulation: the viewer's, refreshed now and then. The first ones are of the run and of its probes; one more
// shows any quantity of any body, joint or pair in contact.
import { element } from "../src/panels/dom";
import { contactCounts, type Curves, energies, probes, residuals } from "../src/plots/curves";
import { Plot } from "../src/plots/plot";
import { quantitiesOf, type Subject, subjectName, subjectsOf } from "../src/plots/subjects";
import { BODY_DYNAMIC } from "../src/data/header";
import type { LiveRun } from "./live_run";

const PAUSE = 250; // ms between drawings: they cost more than a picture

export class LivePlots {
  readonly root = element("div");
  private run: LiveRun | null = null;
  private plots: { plot: Plot; curves(run: LiveRun): Curves | null }[] = [];
  private drawn = 0;
  private later = 0; // a drawing that waits for the end of the pause: the last state is drawn, too
  private subjects: Subject[] = [];
  private readonly subject = element("select", { id: "subject", "aria-label": "body or joint to plot" });
  private readonly quantity = element("select", { id: "quantity", "aria-label": "what to plot of it" });

  constructor() {
    this.subject.onchange = () => this.offer();
    this.quantity.onchange = () => this.draw(true);
  }

  start(run: LiveRun): void {
    this.run = run;
    const add = (id: string, title: string, curves: (run: LiveRun) => Curves | null) => {
      const plot = new Plot(() => {}).name(id, title);
      this.plots.push({ plot, curves });
      return plot;
    };
    const titled = (id: string, title: string, curves: (run: LiveRun) => Curves | null) => add(id, title, curves).head.prepend(element("h3", {}, title));
    this.plots = [];
    for (const unit of new Set(run.about.probes.map((probe) => probe.unit))) titled(`probes-${unit}`, unit ? `Probes, ${unit}` : "Probes", (of) => probes(of, unit));
    titled("energy", "Energy", energies);
    add("chosen", "body", (of) => this.choices.find(({ id }) => id === this.quantity.value)?.curves(of) ?? null).head.prepend(this.subject, this.quantity);
    titled("contacts", "Contacts by mode", (of) => (of.contactStart[of.frames] > 0 ? contactCounts(of) : null));
    titled("residual", "Residual of every step", residuals);
    this.root.replaceChildren(...this.plots.map(({ plot }) => plot.root));
    this.subjects = subjectsOf(run).filter(({ kind }) => kind === "body" || kind === "joint");
    this.subject.replaceChildren(...this.subjects.map((one, i) => element("option", { value: String(i) }, subjectName(run, one))));
    const first = this.subjects.findIndex((one) => one.kind === "body" && run.bodyKind(one.body) === BODY_DYNAMIC);
    this.subject.value = String(Math.max(0, first));
    this.offer();
  }

  private get choices() {
    const chosen = this.subjects[Number(this.subject.value)];
    return this.run && chosen ? quantitiesOf(this.run, chosen) : [];
  }

  /** The quantities of what is chosen; the one before stays where it has it. */
  private offer(): void {
    const { value } = this.quantity;
    this.quantity.replaceChildren(...this.choices.map(({ id, title }) => element("option", { value: id }, title)));
    if (this.choices.some(({ id }) => id === value)) this.quantity.value = value;
    this.draw(true);
  }

  /** A body of the picture; those far down a long list come into it. */
  pick(body: number): void {
    let at = this.subjects.findIndex((one) => one.kind === "body" && one.body === body);
    if (at < 0 && this.run) {
      at = this.subjects.push({ kind: "body", body }) - 1;
      this.subject.append(element("option", { value: String(at) }, subjectName(this.run, this.subjects[at])));
    }
    this.subject.value = String(at);
    this.offer();
  }

  /** The next body or joint of the list, or the one before. */
  next(by: number): void {
    const count = this.subjects.length;
    if (!count) return;
    this.subject.value = String((Number(this.subject.value) + by + count) % count);
    this.offer();
  }

  draw(now = false): void {
    if (!this.run || this.root.closest("[hidden]")) return;
    const wait = this.drawn + PAUSE - performance.now();
    if (!now && wait > 0) {
      this.later ||= window.setTimeout(() => this.draw(true), wait);
      return;
    }
    window.clearTimeout(this.later);
    this.later = 0;
    this.drawn = performance.now();
    for (const { plot, curves } of this.plots) {
      const [found, begun] = [curves(this.run), this.run.frames > 1];
      plot.root.hidden = !found; // nothing of its kind so far
      plot.show(begun ? found : null);
      plot.cursor(this.run.end);
    }
  }

  resize(): void {
    for (const { plot } of this.plots) plot.resize();
  }
}

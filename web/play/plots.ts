// Plots of a world under simulation: the viewer's, refreshed now and then.
import { element } from "../src/panels/dom";
import { contactCounts, coordinates, type Curves, energies, probes, residuals } from "../src/plots/curves";
import { Plot } from "../src/plots/plot";
import type { LiveRun } from "./live_run";

const PAUSE = 250; // ms between drawings: they cost more than a picture

export class LivePlots {
  readonly root = element("div");
  private run: LiveRun | null = null;
  private plots: { plot: Plot; curves(run: LiveRun): Curves | null; empty: string }[] = [];
  private drawn = 0;
  private picked = -1;
  private readonly choice = element("select", { id: "coordinate", "aria-label": "coordinate" });

  start(run: LiveRun): void {
    this.run = run;
    this.picked = -1;
    const add = (id: string, title: string, curves: (run: LiveRun) => Curves | null, empty = "") => {
      const plot = new Plot(() => {}).name(id, title);
      plot.head.prepend(element("h3", {}, title));
      this.plots.push({ plot, curves, empty });
      return plot;
    };
    this.plots = [];
    for (const unit of new Set(run.about.probes.map((probe) => probe.unit))) add(`probes-${unit}`, unit ? `Probes, ${unit}` : "Probes", (of) => probes(of, unit));
    add("energy", "Energy", energies);
    const body = add("coordinate", "Coordinate of the picked body", (of) => (this.picked < 0 ? null : coordinates(of, this.picked, new RegExp(`^${this.choice.value}$`))), "Click a body in the picture.");
    this.choice.replaceChildren(...run.coordinates().map(({ name }) => element("option", { value: name }, name)));
    this.choice.onchange = () => this.draw(true);
    body.extra.append(this.choice);
    add("contacts", "Contacts by mode", (of) => (of.contactStart[of.frames] > 0 ? contactCounts(of) : null));
    add("residual", "Residual of every step", residuals);
    this.root.replaceChildren(...this.plots.map(({ plot }) => plot.root));
    this.draw(true);
  }

  pick(body: number): void {
    this.picked = body;
    this.draw(true);
  }

  draw(now = false): void {
    if (!this.run || this.root.closest("[hidden]") || (!now && performance.now() - this.drawn < PAUSE)) return;
    this.drawn = performance.now();
    for (const { plot, curves, empty } of this.plots) {
      const [found, begun] = [curves(this.run), this.run.frames > 1];
      plot.root.hidden = !found && !empty; // nothing of its kind so far
      plot.show(begun ? found : null, begun ? empty : "");
      plot.cursor(this.run.end);
    }
  }

  resize(): void {
    for (const { plot } of this.plots) plot.resize();
  }
}

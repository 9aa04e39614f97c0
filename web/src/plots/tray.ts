// The tray of plots below the picture: any number of them side by side, each with its subject and quantity. It can be resized
// by its upper edge, with the pointer or with the arrow keys.
import type { Run } from "../data/run";
import { element } from "../panels/dom";
import { Plot } from "./plot";
import { probeUnits, quantitiesOf, type Subject, subjectKey, subjectName, subjectsOf } from "./subjects";

const LEAST = 120; // px
const FIRST = 218;

interface Slot {
  plot: Plot;
  subject: Subject;
  quantity: string;
  subjects: HTMLSelectElement;
  quantities: HTMLSelectElement;
  fresh: boolean; // drawn as it is
}

export class Tray {
  readonly root = element("section", { id: "tray", "aria-label": "plots" });
  private readonly list = element("div", { id: "plots" });
  private readonly slots: Slot[] = [];
  private readonly known: Subject[];
  private time = 0;

  constructor(private readonly run: Run, private readonly seek: (t: number) => void, private readonly resized: () => void) {
    this.known = subjectsOf(run);
    const handle = element("div", { id: "tray-edge", role: "separator", tabindex: "0", "aria-orientation": "horizontal", "aria-label": "height of the plots" });
    const add = element("button", { id: "add-plot", title: "one more plot", "aria-label": "add a plot" }, "+");
    add.addEventListener("click", () => this.reveal(this.add({ kind: "run" }, "energy")));
    this.root.append(handle, this.list, add);
    this.listen(handle);
    this.setHeight(FIRST);
    const [first, ...others] = quantitiesOf(run, { kind: "run" });
    this.add({ kind: "run" }, first.id);
    for (const unit of probeUnits(run)) this.add({ kind: "probe", unit }, "probes");
    for (const { id } of others) this.add({ kind: "run" }, id);
  }

  private setHeight(pixels: number): void {
    const height = Math.max(LEAST, Math.min(pixels, 0.7 * window.innerHeight));
    this.root.style.height = `${height}px`;
    this.root.querySelector("#tray-edge")!.setAttribute("aria-valuenow", String(Math.round(height)));
    this.resized();
  }

  private listen(handle: HTMLElement): void {
    let from: [number, number] | null = null;
    handle.addEventListener("pointerdown", (event) => {
      handle.setPointerCapture(event.pointerId);
      from = [event.clientY, this.root.clientHeight];
    });
    handle.addEventListener("pointermove", (event) => from && this.setHeight(from[1] + from[0] - event.clientY));
    handle.addEventListener("pointerup", () => (from = null));
    handle.addEventListener("keydown", (event) => {
      const step = { ArrowUp: 24, ArrowDown: -24 }[event.key];
      if (!step) return;
      event.preventDefault();
      event.stopPropagation();
      this.setHeight(this.root.clientHeight + step);
    });
  }

  get open(): boolean {
    return !this.root.hidden;
  }

  set open(on: boolean) {
    this.root.hidden = !on;
    this.resized();
    this.draw();
  }

  private add(subject: Subject, quantity: string): Slot {
    const subjects = element("select", { "aria-label": "subject of the plot" });
    const quantities = element("select", { "aria-label": "quantity of the plot" });
    const slot: Slot = { plot: new Plot(this.seek), subject, quantity, subjects, quantities, fresh: false };
    const remove = element("button", { title: "take this plot away", "aria-label": "remove this plot" }, "×");
    remove.addEventListener("click", () => this.remove(slot));
    slot.plot.head.prepend(subjects, quantities);
    slot.plot.head.append(remove);
    subjects.addEventListener("change", () => this.set(slot, this.known[Number(subjects.value)]));
    quantities.addEventListener("change", () => this.set(slot, slot.subject, quantities.value));
    this.slots.push(slot);
    this.list.append(slot.plot.root);
    this.set(slot, subject, quantity);
    return slot;
  }

  private remove(slot: Slot): void {
    this.slots.splice(this.slots.indexOf(slot), 1);
    slot.plot.root.remove();
  }

  private set(slot: Slot, subject: Subject, wish?: string): void {
    const { run } = this;
    if (!this.known.some((one) => subjectKey(one) === subjectKey(subject))) this.known.push(subject);
    const choices = quantitiesOf(run, subject);
    const quantity = choices.find(({ id }) => id === wish) ?? choices.find(({ id }) => id === slot.quantity) ?? choices[0];
    slot.subject = subject;
    slot.quantity = quantity.id;
    slot.fresh = false;
    slot.plot.name(subject.kind === "run" || subject.kind === "pair" || subject.kind === "probe" ? quantity.id : `${subject.kind}-${quantity.id}`, `${subjectName(run, subject)}: ${quantity.title}`);
    this.draw();
  }

  /** The plot of a subject, in view: the one that has its kind of subject already, else a new one. */
  show(subject: Subject): void {
    const slot = this.slots.find((one) => one.subject.kind === subject.kind);
    if (slot && subjectKey(slot.subject) !== subjectKey(subject)) this.set(slot, subject);
    this.reveal(slot ?? this.add(subject, ""));
  }

  private reveal({ plot }: Slot): void {
    if (this.open) plot.root.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  /** Colours have changed. */
  stale(): void {
    for (const slot of this.slots) slot.fresh = false;
    this.draw();
  }

  private fillChoices({ subject, subjects, quantity, quantities }: Slot): void {
    const { run } = this;
    const option = (value: string, text: string) => element("option", { value }, text);
    subjects.replaceChildren(...this.known.map((one, i) => option(String(i), subjectName(run, one))));
    subjects.value = String(this.known.findIndex((one) => subjectKey(one) === subjectKey(subject)));
    quantities.replaceChildren(...quantitiesOf(run, subject).map(({ id, title }) => option(id, title)));
    quantities.value = quantity;
  }

  /** What is not drawn as it is; nothing before the whole run is there. */
  draw(): void {
    if (!this.open || !this.root.isConnected || this.run.ready < this.run.frames) return;
    for (const slot of this.slots) {
      if (slot.fresh) continue;
      slot.fresh = true;
      this.fillChoices(slot);
      const quantity = quantitiesOf(this.run, slot.subject).find(({ id }) => id === slot.quantity)!;
      slot.plot.show(quantity.curves(this.run));
      slot.plot.cursor(this.time);
    }
  }

  cursor(t: number): void {
    this.time = t;
    if (this.open) for (const { plot } of this.slots) plot.cursor(t);
  }

  resize(): void {
    if (!this.open) return;
    this.draw();
    for (const { plot } of this.slots) plot.resize();
  }
}

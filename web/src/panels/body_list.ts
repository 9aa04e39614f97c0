// The list of bodies and the state of the picked one.
import type { Run } from "../data/run";
import { element, format, row } from "./dom";

/** A list of any length: only the rows in view exist. */
export class BodyList {
  readonly root = element("div");
  private readonly list = element("div", { id: "list", tabindex: "0", role: "listbox", "aria-label": "bodies" });
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
    this.list.addEventListener("keydown", (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1, Home: -Infinity, End: Infinity }[event.key];
      if (step === undefined || !this.shown.length) return;
      event.preventDefault();
      const at = this.shown.indexOf(this.picked);
      actions.pick(this.shown[Math.min(this.shown.length - 1, Math.max(0, at + step))]);
    });
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

  // asked for its size, what is not shown would be laid out for nothing
  private get hidden(): boolean {
    return this.list.closest("[hidden]") !== null;
  }

  /** The rows in view; to be called when the list comes into view, too. */
  draw(): void {
    if (this.hidden) return;
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
    const row = element("div", { class: body === this.picked ? "row picked" : "row", role: "option", "aria-selected": String(body === this.picked), "data-body": String(body) }, box, swatch, header.bodies.name[body]);
    row.append(element("small", {}, kind || `${format(header.bodies.mass[body])} kg`));
    row.style.top = `${i * BodyList.ROW}px`;
    row.addEventListener("click", () => this.actions.pick(body));
    return row;
  }

  pick(body: number): void {
    this.picked = body;
    if (this.hidden) return;
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

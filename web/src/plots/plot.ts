// One plot over time, with a cursor at the time of the replay. It can be saved as PNG, SVG or CSV.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { type Curves, LEAST_OF_LOG } from "./curves";
import { csvOf, save, svgOf } from "./files";

const short = (value: number): string => {
  const size = Math.abs(value);
  return size !== 0 && (size < 1e-3 || size >= 1e5) ? value.toExponential(1).replace("e+", "e") : String(Number(value.toPrecision(4)));
};

/** Ends of a logarithmic axis: whole powers of ten. Below 1e-16 uPlot's own lines never come to an end. */
function wholeDecades(_: uPlot, least: number | null, most: number | null): [number, number] {
  const low = Math.max(Math.floor(Math.log10(least ?? LEAST_OF_LOG)), Math.log10(LEAST_OF_LOG));
  return [10 ** low, 10 ** Math.max(Math.ceil(Math.log10(most ?? 1)), low + 1)];
}

/** Of the lines of a logarithmic axis: whole powers of ten, at most six of them. */
function decades(_: uPlot, splits: number[]): number[] {
  const powers = splits.map((y) => (y > 0 ? Number(Math.log10(y).toFixed(9)) : NaN));
  const every = Math.ceil(powers.filter(Number.isInteger).length / 6);
  return splits.map((y, i) => (Number.isInteger(powers[i]) && powers[i] % every === 0 ? y : null)) as number[];
}

/** One plot: title or choices, buttons, drawing, cursor. */
export class Plot {
  readonly root = document.createElement("section");
  readonly head = document.createElement("header");
  readonly extra = document.createElement("div");
  private readonly box = document.createElement("div");
  private readonly note = document.createElement("p");
  private readonly line = document.createElement("div");
  private drawing: uPlot | null = null;
  private curves: Curves | null = null;
  private at = 0; // time of the cursor
  private title = "";

  constructor(private readonly seek: (t: number) => void) {
    this.root.className = "plot";
    const menu = document.createElement("details");
    menu.className = "save";
    const summary = document.createElement("summary");
    summary.textContent = "save";
    const buttons = document.createElement("div");
    menu.append(summary, buttons);
    for (const format of ["png", "svg", "csv"] as const) {
      const button = document.createElement("button");
      button.textContent = format.toUpperCase();
      button.title = `save as ${format.toUpperCase()}`;
      button.addEventListener("click", () => {
        this.export(format);
        menu.open = false;
      });
      buttons.append(button);
    }
    menu.addEventListener("focusout", ({ relatedTarget }) => !menu.contains(relatedTarget as Node | null) && (menu.open = false));
    this.head.append(menu);
    this.line.className = "now";
    this.note.className = "note";
    this.box.className = "drawing";
    this.root.append(this.head, this.extra, this.box, this.note);
  }

  /** `id`: for styles and tests; `title`: of its files and for screen readers. */
  name(id: string, title: string): this {
    this.root.id = `plot-${id}`;
    this.title = title;
    this.root.setAttribute("aria-label", `plot of ${title}`);
    return this;
  }

  show(curves: Curves | null, empty = ""): void {
    this.curves = curves;
    this.drawing?.destroy();
    this.drawing = null;
    this.note.textContent = curves ? (curves.note ?? "") : empty;
    this.root.classList.toggle("empty", !curves);
    if (!curves) return;
    const style = getComputedStyle(document.documentElement);
    const ink = style.getPropertyValue("--ink-soft").trim();
    const rule = style.getPropertyValue("--rule").trim();
    const axis = { stroke: ink, grid: { stroke: rule, width: 1 }, ticks: { stroke: rule, width: 1 }, font: "11px system-ui, sans-serif" };
    const powers = curves.log ? { filter: decades, grid: { ...axis.grid, filter: decades }, ticks: { ...axis.ticks, filter: decades } } : {};
    const options: uPlot.Options = {
      ...this.size,
      cursor: { sync: { key: "time" }, drag: { x: true, y: false }, points: { size: 5 } },
      hooks: { draw: [() => this.cursor(this.at)] }, // the first drawing comes after this function
      scales: { x: { time: false }, y: curves.log ? { distr: 3, range: wholeDecades } : {} },
      axes: [
        { ...axis, size: 28, label: "time, s", labelSize: 16, labelFont: axis.font },
        { ...axis, size: 58, label: curves.unit || "no unit", labelSize: 16, labelFont: axis.font, ...powers, values: (_, values) => values.map((v) => (v === null ? "" : short(v))) },
      ],
      series: [
        { label: "t", value: (_, t) => (t === null || t === undefined ? "" : `${short(t)} s`) },
        ...curves.series.map((series) => ({
          label: series.label,
          stroke: series.colour,
          width: 1.5,
          dash: series.dash,
          points: { show: curves.x.length < 3 },
          value: (_: uPlot, y: number | null) => (y === null || y === undefined ? "" : `${short(y)} ${curves.unit}`),
        })),
      ],
    };
    const data = [Array.from(curves.x), ...curves.series.map((series) => Array.from(series.y))] as uPlot.AlignedData;
    this.drawing = new uPlot(options, data, this.box);
    this.drawing.over.append(this.line);
    this.drawing.over.addEventListener("click", (event) => {
      const t = this.drawing?.posToVal(event.offsetX, "x");
      if (t !== undefined && Number.isFinite(t)) this.seek(t);
    });
  }

  /** The time cursor; its place is what a test reads. */
  cursor(t: number): void {
    this.at = t;
    if (!this.drawing) return;
    const x = this.drawing.valToPos(t, "x");
    this.line.style.display = Number.isFinite(x) ? "" : "none";
    this.line.style.transform = `translateX(${x.toFixed(1)}px)`;
    this.line.dataset.time = String(t);
  }

  // as wide as its box, as high as the box lets it with the legend below
  private get size(): { width: number; height: number } {
    return { width: Math.max(200, this.box.clientWidth || 320), height: Math.max(90, this.box.clientHeight > 60 ? this.box.clientHeight - 22 : 150) };
  }

  resize(): void {
    const { width, height } = this.size;
    if (this.drawing && this.box.clientWidth > 0 && Math.abs(width - this.drawing.width) + Math.abs(height - this.drawing.height) > 1) this.drawing.setSize({ width, height });
  }

  private export(format: "png" | "svg" | "csv"): void {
    if (!this.curves) return;
    const name = `${this.title.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-")}.${format}`;
    if (format === "csv") save(name, csvOf(this.curves), "text/csv");
    else if (format === "svg") save(name, svgOf(this.title, this.curves), "image/svg+xml");
    else this.picture().toBlob((blob) => blob && save(name, blob, "image/png"));
  }

  // the drawing on the page's background
  private picture(): HTMLCanvasElement {
    const canvas = document.createElement("canvas");
    const source = this.drawing!.ctx.canvas;
    canvas.width = source.width;
    canvas.height = source.height;
    const context = canvas.getContext("2d")!;
    context.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--paper");
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(source, 0, 0);
    return canvas;
  }
}

// Plots over time, with a cursor at the time of the replay. Each can be saved as PNG, SVG or CSV.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { MODE_COLOURS } from "./colours";
import { MODE_NAMES, type Run } from "./data";

export interface Series {
  label: string;
  colour: string;
  y: ArrayLike<number | null>;
  dash?: number[];
}

export interface Curves {
  x: ArrayLike<number>;
  unit: string;
  log?: boolean;
  series: Series[];
  note?: string;
}

const COLOURS = ["#2f86eb", "#ff6b1a", "#2aa876", "#b26bd6", "#e0a100", "#d64f7b", "#17a2b8", "#7a8ba3"];

export function energies(run: Run): Curves {
  const kinetic = run.reals("energyKinetic");
  const gravity = run.reals("energyGravitational");
  const elastic = run.reals("energyElastic");
  const total = Float64Array.from(kinetic, (value, i) => value + gravity[i] + elastic[i]);
  const series = [
    { label: "kinetic", colour: COLOURS[1], y: kinetic },
    { label: "of gravity", colour: COLOURS[0], y: gravity },
    { label: "total", colour: COLOURS[7], y: total, dash: [6, 3] },
  ];
  if (elastic.some((value) => value !== 0)) series.splice(2, 0, { label: "elastic", colour: COLOURS[2], y: elastic });
  return { x: run.reals("energyTime"), unit: "J", series };
}

const positive = (values: ArrayLike<number>): (number | null)[] =>
  Array.from(values, (value) => (value > 0 ? value : value === 0 ? 1e-18 : null));

export function residuals(run: Run): Curves {
  const x = run.reals("stepTime");
  const own = run.reals("stepResidual");
  const exact = run.reals("stepExact");
  const { tolerance, group } = run.header.certificate;
  const series: Series[] = [{ label: "residual E2", colour: COLOURS[0], y: positive(own) }];
  if ((run.header.run["friction.model"] ?? "exact") !== "exact")
    series.push({ label: "against the exact cone", colour: COLOURS[3], y: positive(exact) });
  if (tolerance !== null)
    series.push({ label: "tolerance", colour: "#d6423b", y: Array.from(x, () => tolerance), dash: [6, 4] });
  const note = group > 1 ? `largest of every ${group} steps` : undefined;
  return { x, unit: "", log: true, series, note };
}

export function contactCounts(run: Run): Curves {
  const counts = run.section("contactModes");
  const series = MODE_NAMES.map((label, mode) => ({
    label,
    colour: MODE_COLOURS[mode],
    y: Array.from(run.time, (_, k) => counts[3 * k + mode]),
  }));
  return { x: run.time, unit: "contacts", series };
}

export function coordinate(run: Run, body: number, index: number): Curves {
  const { name, unit } = run.coordinates()[index];
  const y = Array.from(run.time, (_, k) => run.coordinate(k, body, index));
  const { position, quaternion, velocity } = run.header.steps;
  const step = unit === "1" ? quaternion : unit.endsWith("/s") ? velocity : position;
  return {
    x: run.time,
    unit: unit === "1" ? "" : unit,
    series: [{ label: `${run.header.bodies.name[body]}: ${name}`, colour: COLOURS[0], y }],
    note: `rounded to ±${(step / 2).toPrecision(2)}`,
  };
}

/** Sums over all contacts between two bodies. */
export function pairForces(run: Run, a: number, b: number): Curves {
  const bodies = run.section("contactBodies");
  const force = run.reals("contactForce");
  const normal = run.section("contactNormal");
  const pressing = new Array<number>(run.frames).fill(0);
  const rubbing = new Array<number>(run.frames).fill(0);
  for (let k = 0; k < run.frames; k++)
    for (let i = run.contactStart[k]; i < run.contactStart[k + 1]; i++) {
      if (!((bodies[2 * i] === a && bodies[2 * i + 1] === b) || (bodies[2 * i] === b && bodies[2 * i + 1] === a))) continue;
      const n = [normal[3 * i] - 128, normal[3 * i + 1] - 128, normal[3 * i + 2] - 128];
      const length = Math.hypot(...n) || 1;
      const f = [force[3 * i], force[3 * i + 1], force[3 * i + 2]];
      const along = (f[0] * n[0] + f[1] * n[1] + f[2] * n[2]) / length;
      pressing[k] += along;
      rubbing[k] += Math.sqrt(Math.max(0, f[0] ** 2 + f[1] ** 2 + f[2] ** 2 - along ** 2));
    }
  const { total, kept } = run.header.contacts;
  return {
    x: run.time,
    unit: "N",
    series: [
      { label: "normal", colour: COLOURS[0], y: pressing },
      { label: "friction", colour: COLOURS[1], y: rubbing },
    ],
    note: kept < total ? "strongest contacts only" : undefined,
  };
}

/** The probes of one unit, those sampled at other times left out row by row. */
export function probes(run: Run, unit: string): Curves {
  const all = run.header.probes ?? [];
  const values = run.reals("probeValue");
  const time = run.reals("probeTime");
  const series = all.flatMap((probe, i) =>
    probe.unit === unit
      ? [{ label: probe.name, colour: COLOURS[i % COLOURS.length], y: Array.from(time, (_, k) => (Number.isFinite(values[k * all.length + i]) ? values[k * all.length + i] : null)) }]
      : [],
  );
  return { x: time, unit, series };
}

export function drift(run: Run): Curves {
  const joints = run.header.joints;
  if (joints.length > 0 && joints.length <= COLOURS.length) {
    const values = run.reals("jointDrift");
    const series = joints.map((joint, j) => ({
      label: joint.name,
      colour: COLOURS[j],
      y: positive(Array.from(run.time, (_, k) => Math.abs(values[k * joints.length + j]))),
    }));
    return { x: run.time, unit: "m or rad", log: true, series };
  }
  return {
    x: run.reals("stepTime"),
    unit: "m or rad",
    log: true,
    series: [{ label: "largest of all joints", colour: COLOURS[0], y: positive(run.reals("stepDrift")) }],
  };
}

// ---- drawing ----

export function save(name: string, content: Blob | string, type: string): void {
  const blob = content instanceof Blob ? content : new Blob([content], { type });
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

export function csvOf(curves: Curves): string {
  const quote = (text: string) => `"${text.replaceAll('"', '""')}"`;
  const unit = curves.unit ? ` [${curves.unit}]` : "";
  const lines = [[quote("time [s]"), ...curves.series.map((s) => quote(s.label + unit))].join()];
  for (let i = 0; i < curves.x.length; i++) lines.push([curves.x[i], ...curves.series.map((s) => s.y[i] ?? "")].join());
  return lines.join("\n") + "\n";
}

const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

export function svgOf(title: string, curves: Curves): string {
  const [width, height, left, right, top, bottom] = [720, 320, 78, 700, 44, 280];
  const value = (y: number) => (curves.log ? Math.log10(y) : y);
  const all = curves.series.flatMap((s) => Array.from(s.y)).filter((y): y is number => y !== null && Number.isFinite(value(y)));
  let low = Math.min(...all.map(value));
  let high = Math.max(...all.map(value));
  if (!(high > low)) [low, high] = [low - 1, high + 1];
  const first = curves.x[0] ?? 0;
  const last = Math.max(curves.x[curves.x.length - 1] ?? 1, first + 1e-12);
  const px = (x: number) => left + ((right - left) * (x - first)) / (last - first);
  const py = (y: number) => bottom - ((bottom - top) * (value(y) - low)) / (high - low);
  const ticks = Array.from({ length: 5 }, (_, i) => low + ((high - low) * i) / 4);
  const text = (y: number) => (curves.log ? 10 ** y : y).toPrecision(3);
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">`,
    `<rect width="100%" height="100%" fill="white"/><text x="${left}" y="20" font-size="14">${escaped(title)} ${escaped(curves.unit && `[${curves.unit}]`)}</text>`,
  ];
  for (const y of ticks) {
    const at = bottom - ((bottom - top) * (y - low)) / (high - low);
    parts.push(`<line x1="${left}" x2="${right}" y1="${at}" y2="${at}" stroke="#ddd"/><text x="${left - 6}" y="${at + 4}" text-anchor="end">${text(y)}</text>`);
  }
  for (let i = 0; i <= 4; i++) {
    const x = first + ((last - first) * i) / 4;
    parts.push(`<text x="${px(x)}" y="${bottom + 18}" text-anchor="middle">${Number(x.toPrecision(4))}</text>`);
  }
  parts.push(`<text x="${(left + right) / 2}" y="${bottom + 36}" text-anchor="middle">time [s]</text>`);
  curves.series.forEach((series, s) => {
    let path = "";
    let pen = false;
    for (let i = 0; i < curves.x.length; i++) {
      const y = series.y[i];
      if (y === null || y === undefined || !Number.isFinite(value(y))) pen = false;
      else {
        path += `${pen ? "L" : "M"}${px(curves.x[i]).toFixed(1)} ${py(y).toFixed(1)}`;
        pen = true;
      }
    }
    const at = left + 150 * s;
    parts.push(`<path d="${path}" fill="none" stroke="${series.colour}" stroke-width="1.5" stroke-dasharray="${series.dash?.join(" ") ?? "none"}"/>`);
    parts.push(`<line x1="${at}" x2="${at + 18}" y1="32" y2="32" stroke="${series.colour}" stroke-width="2"/><text x="${at + 22}" y="36">${escaped(series.label)}</text>`);
  });
  return parts.join("\n") + "\n</svg>\n";
}

const short = (value: number): string => {
  const size = Math.abs(value);
  return size !== 0 && (size < 1e-3 || size >= 1e5) ? value.toExponential(1).replace("e+", "e") : String(Number(value.toPrecision(4)));
};

/** One plot in the panel: title, buttons, drawing, cursor. */
export class Plot {
  readonly root = document.createElement("section");
  readonly extra = document.createElement("div");
  private readonly box = document.createElement("div");
  private readonly note = document.createElement("p");
  private readonly line = document.createElement("div");
  private drawing: uPlot | null = null;
  private curves: Curves | null = null;
  private at = 0; // time of the cursor

  constructor(readonly id: string, readonly title: string, private readonly seek: (t: number) => void) {
    this.root.className = "plot";
    this.root.id = `plot-${id}`;
    const head = document.createElement("header");
    const name = document.createElement("h3");
    name.textContent = title;
    const buttons = document.createElement("span");
    for (const format of ["png", "svg", "csv"] as const) {
      const button = document.createElement("button");
      button.textContent = format.toUpperCase();
      button.title = `save as ${format.toUpperCase()}`;
      button.addEventListener("click", () => this.export(format));
      buttons.append(button);
    }
    head.append(name, buttons);
    this.line.className = "now";
    this.note.className = "note";
    this.root.append(head, this.extra, this.box, this.note);
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
    const options: uPlot.Options = {
      width: Math.max(200, this.box.clientWidth || 320),
      height: 150,
      cursor: { sync: { key: "time" }, drag: { x: true, y: false }, points: { size: 5 } },
      hooks: { draw: [() => this.cursor(this.at)] }, // the first drawing comes after this function
      scales: { x: { time: false }, y: curves.log ? { distr: 3 } : {} },
      axes: [
        { ...axis, size: 26 },
        { ...axis, size: 62, values: (_, values) => values.map((v) => (v === null ? "" : short(v))) },
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

  resize(): void {
    const width = this.box.clientWidth;
    if (this.drawing && width > 0 && Math.abs(width - this.drawing.width) > 1) this.drawing.setSize({ width, height: 150 });
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

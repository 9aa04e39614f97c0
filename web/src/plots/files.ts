// Curves as files: CSV, SVG.
import type { Curves } from "./curves";

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

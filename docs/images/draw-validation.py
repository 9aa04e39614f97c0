#!/usr/bin/env python3
"""Draws the plots of docs/validation.md from kept results: draw-validation.py [--check]

  orders.svg   bench/results/orders.txt: errors of every scheme over dt, one panel for each scene
  peers.svg    bench/results/peers.csv: errors of Asperity and other engines, one line for each quantity

--check: exit 1 when a picture is not up to date."""

import csv
import html
import math
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
RESULTS = os.path.join(HERE, "..", "..", "bench", "results")
COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#999999", "#e69f00", "#56b4e9"]
LEAST = 1e-16  # smaller errors are drawn here


def svg(width, height, parts):
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
            f'font-family="DejaVu Sans, Arial, sans-serif" font-size="12">\n<rect width="{width}" height="{height}" fill="white"/>\n' + "\n".join(parts) + "\n</svg>\n")


def text(x, y, words, anchor="start", size=12, colour="#222"):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" fill="{colour}">{html.escape(words)}</text>'


def line(points, colour, width=1.0, dash=""):
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="{width}"' + (f' stroke-dasharray="{dash}"' if dash else "") + "/>"


def key(names, x, y):
    out = []
    for i, name in enumerate(names):
        out += [f'<circle cx="{x}" cy="{y - 4}" r="4.5" fill="{COLOURS[i]}"/>', text(x + 9, y, name)]
        x += 26 + 7.2 * len(name)
    return out


# ---- orders ----

def read_orders():
    """[(scene, unit, dt in ms, {scheme: errors})]"""
    panels = []
    with open(os.path.join(RESULTS, "orders.txt"), encoding="utf-8") as file:
        for row in file:
            head = re.match(r"(.*): errors \((.*?)\) at dt = ([\d.]+) ms", row)
            if head:
                panels.append((head[1], head[2], float(head[3]), {}))
            elif panels and "order" in row:
                name, *values = row.split(" order ")[0].replace("!", "").split()
                panels[-1][3][name] = [float(value) for value in values]
    return panels


def draw_orders():
    panels = read_orders()
    schemes = list(dict.fromkeys(name for panel in panels for name in panel[3]))
    width, height, left, top = 205, 190, 46, 50
    rows = (len(panels) + 3) // 4
    out = key(schemes, 20, 24)
    for i, (scene, unit, dt, errors) in enumerate(panels):
        x0, y0 = left + (i % 4) * (width + 12), top + (i // 4) * (height + 52)

        def at(k, value):
            low, high = math.log10(LEAST), 1.0
            y = y0 + height - (min(max(math.log10(max(value, LEAST)), low), high) - low) / (high - low) * height
            return x0 + width - 20 - k * (width - 40) / 3, y

        out.append(f'<rect x="{x0}" y="{y0}" width="{width}" height="{height}" fill="none" stroke="#bbb"/>')
        out.append(text(x0 + 4, y0 - 5, f"{scene} ({unit})"))
        for power in range(-16, 2, 4):
            y = at(0, 10.0**power)[1]
            out.append(line([(x0, y), (x0 + width, y)], "#eee"))
            if i % 4 == 0:
                out.append(text(x0 - 4, y + 4, f"1e{power}", "end", 11))
        for k in range(4):
            out.append(text(at(k, 1)[0], y0 + height + 14, f"{dt / 2**k:.4g}", "middle", 11))
        for name, values in errors.items():
            points = [at(k, value) for k, value in enumerate(values)]
            colour = COLOURS[schemes.index(name)]
            out += [line(points, colour, 1.6)] + [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in points]
    bottom = top + rows * (height + 52)
    out.append(text(left, bottom - 8, "error at the end over the length of the step, ms; lines that stay level are at the accuracy of the reference"))
    return svg(left + 4 * (width + 12), bottom + 6, out)


# ---- other engines ----

def draw_peers():
    with open(os.path.join(RESULTS, "peers.csv"), encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    engines = list(dict.fromkeys(row["engine"] for row in rows))
    lines = list(dict.fromkeys((row["scene"], row["quantity"], row["unit"]) for row in rows))
    left, right, top, step = 400, 880, 62, 19
    low, high = math.log10(LEAST), 1.0

    def at(value):
        return left + (min(max(math.log10(max(abs(value), LEAST)), low), high) - low) / (high - low) * (right - left)

    out = key(engines, 20, 24)
    bottom = top + step * len(lines)
    for power in range(-16, 2, 2):
        out += [line([(at(10.0**power), top - 8), (at(10.0**power), bottom)], "#ddd"), text(at(10.0**power), top - 12, f"1e{power}", "middle", 11)]
    for i, name in enumerate(lines):
        y = top + step * i + 8
        out.append(text(left - 8, y + 4, f"{name[0].replace('_', ' ')}: {name[1]} [{name[2]}]", "end", 11))
        for row in rows:
            if (row["scene"], row["quantity"], row["unit"]) != name:
                continue
            try:
                value, asked = float(row["value"]), float(row["asked"])
            except ValueError:
                continue
            if row["engine"] == engines[0]:
                out.append(line([(at(asked), y - 7), (at(asked), y + 7)], "#222", 1.4))
            out.append(f'<circle cx="{at(value):.1f}" cy="{y:.1f}" r="4" fill="{COLOURS[engines.index(row["engine"])]}" fill-opacity="0.85"/>')
    out.append(text(20, bottom + 20, "bar: what is asked; errors below 1e-16 are drawn there, above 10 at the right edge (fell, or did not fall)"))
    return svg(right + 30, bottom + 32, out)


def main():
    stale = []
    for name, picture in (("orders.svg", draw_orders()), ("peers.svg", draw_peers())):
        path = os.path.join(HERE, name)
        if sys.argv[1:] == ["--check"]:
            if not os.path.exists(path) or open(path, encoding="utf-8").read() != picture:
                stale.append(name)
        else:
            with open(path, "w", encoding="utf-8") as file:
                file.write(picture)
    if stale:
        print(f"not up to date: {', '.join(stale)}; run docs/images/draw-validation.py")
    return bool(stale)


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Draws docs/images/architecture.svg: the layers of src/ as rooms of a house, each standing on those it uses.

    docs/images/draw-architecture.py           writes the picture
    docs/images/draw-architecture.py --check   ends with 1 when the picture is not up to date or its rooms are not the folders of src/
"""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
OUT = os.path.join(HERE, "architecture.svg")
W, ROW, GAP, LEFT, TOP = 860, 62, 6, 20, 96

# layer, row from the ground, left and right edge in twelfths, what it holds
ROOMS = [
    ("base", 0, 0, 12, "context, errors, memory, threads, options"),
    ("linalg", 1, 0, 12, "vectors and rotations, dense and sparse matrices, factorisations"),
    ("problem", 2, 0, 5, "the contact problem, its judge, its verdict"),
    ("shape", 2, 5, 9.6, "geometry, mass properties"),
    ("flex", 2, 9.6, 12, "beams and rods"),
    ("solver", 3, 0, 5, "one file per method, policy of auto"),
    ("collide", 3, 5, 8.5, "poses in, contacts out"),
    ("model", 3, 8.5, 12, "bodies, joints, forces"),
    ("formulate", 4, 5, 12, "model + contacts → contact problem"),
    ("analyze", 4, 0, 5, "all solutions, certificates, statics"),
    ("scheme", 5, 0, 12, "one time-stepping scheme per file, one table of them"),
    ("world", 6, 0, 12, "one step: search contacts, step, judge, record, warm start"),
    ("compare", 7, 0, 4.6, "shorter steps, other schemes"),
    ("io", 7, 4.6, 12, "scene/  result/  export/  view/  fclib/  mesh/  file/"),
]
FILL = {"problem": "#cfe3f5", "solver": "#cfe3f5", "analyze": "#cfe3f5", "shape": "#f7e0c4", "flex": "#f7e0c4", "collide": "#f7e0c4",
        "model": "#f7e0c4", "formulate": "#d9ecd0", "scheme": "#d9ecd0", "world": "#d9ecd0", "compare": "#d9ecd0", "io": "#eadcf0"}


def room(name, row, left, right, text):
    rows = 1 + max(r[1] for r in ROOMS)
    unit = (W - 2 * LEFT) / 12
    x, width = LEFT + left * unit + GAP / 2, (right - left) * unit - GAP
    y, height = TOP + (rows - 1 - row) * ROW + GAP / 2, ROW - GAP
    middle = x + width / 2
    return (f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height}" rx="3" fill="{FILL.get(name, "#e8e8e8")}" stroke="#555"/>\n'
            f'<text x="{middle:.1f}" y="{y + 23:.1f}" font-size="16" font-weight="bold">{name}</text>\n'
            f'<text x="{middle:.1f}" y="{y + 43:.1f}" font-size="13" fill="#333">{text}</text>\n')


def picture():
    rows = 1 + max(r[1] for r in ROOMS)
    height = TOP + rows * ROW + 46
    roof = f'<path d="M{LEFT - 10},{TOP} L{W / 2},14 L{W - LEFT + 10},{TOP} Z" fill="#f2f2f2" stroke="#555"/>\n'
    key = ""
    for i, (colour, text) in enumerate([("#cfe3f5", "mathematics: knows no bodies"), ("#f7e0c4", "mechanics: knows no solver"),
                                        ("#d9ecd0", "where they meet"), ("#eadcf0", "files: public headers only")]):
        x = LEFT + 212 * i
        key += (f'<rect x="{x + 3}" y="{height - 32}" width="14" height="14" fill="{colour}" stroke="#555"/>\n'
                f'<text x="{x + 23}" y="{height - 20}" font-size="12" text-anchor="start">{text}</text>\n')
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {W} {height}" width="{W}" height="{height}" '
            f'font-family="DejaVu Sans, Arial, sans-serif" text-anchor="middle">\n'
            f'<rect width="{W}" height="{height}" fill="white"/>\n' + roof +
            f'<text x="{W / 2}" y="56" font-size="16" font-weight="bold">cli, web, your program</text>\n'
            f'<text x="{W / 2}" y="80" font-size="13" fill="#333">public headers only: include/asperity/</text>\n' +
            "".join(room(*r) for r in ROOMS) + key + "</svg>\n")


def main():
    text = picture()
    if sys.argv[1:] != ["--check"]:
        with open(OUT, "w", encoding="utf-8") as file:
            file.write(text)
        return 0
    layers = sorted(f for f in os.listdir(os.path.join(HERE, "../../src")) if os.path.isdir(os.path.join(HERE, "../../src", f)))
    if layers != sorted(r[0] for r in ROOMS):
        print("rooms of draw-architecture.py are not the folders of src/:", " ".join(layers), file=sys.stderr)
        return 1
    with open(OUT, encoding="utf-8") as file:
        if file.read() != text:
            print("architecture.svg is not what draw-architecture.py draws: run it", file=sys.stderr)
            return 1
    return 0


sys.exit(main())

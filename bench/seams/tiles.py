#!/usr/bin/env python3
"""Bodies that slide or roll, without friction, over 40 flush tiles: their speed must stay what it was.

Every row is a run: how the floor is made (shapes of one body, bodies of their own, free bodies on a table, mesh pieces,
height field), the shape, plane or space, the scheme. The whole scene is turned by a random rotation (plane: angle) about
the origin, gravity with it. Random tilings have tiles of random width in rows that do not line up, and a random heading.

  bench/seams/tiles.py --asperity build/release/cli/asperity --out bench/results/seams_tiles.csv [--part K/N] [--random M]
"""
import argparse
import csv
import json
import math
import os
import random
import resource
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from quaternion import axis_angle, drawn, product, turn  # noqa: E402

SCHEMES = ["moreau-jean", "stewart-trinkle", "generalized-alpha", "event-driven"]
TILES = 40
LENGTH = 0.25  # m, of a tile
R = 0.1  # m, half size of the body
LONGEST = 60  # s of processor time


HULL = [[x, y, z] for x in (-R, R) for y in (-0.7 * R, 0.7 * R) for z in (-R,)] + \
       [[0.5 * x, 0.4 * y, R] for x in (-R, R) for y in (-R, R)]
POLYGON = [[-R, -R], [R, -R], [0.6 * R, 0.8 * R], [-0.4 * R, R]]

# name: (shape, orientation, spin about y per m/s of speed, height of the origin over its lowest point)
ACROSS = axis_angle([1, 0, 0], math.pi / 2)  # axis z -> -y
ALONG = axis_angle([0, 1, 0], math.pi / 2)  # axis z -> x
UP = [1, 0, 0, 0]
SPACE = {
    "sphere rolls": ({"type": "sphere", "radius": R}, UP, 1 / R, R),
    "capsule rolls": ({"type": "capsule", "radius": R, "length": 2 * R}, ACROSS, 1 / R, R),
    "capsule slides": ({"type": "capsule", "radius": R, "length": 2 * R}, ALONG, 0, R),
    "cylinder rolls": ({"type": "cylinder", "radius": R, "length": 2 * R}, ACROSS, 1 / R, R),
    "cylinder slides lying": ({"type": "cylinder", "radius": R, "length": 2 * R}, ALONG, 0, R),
    "cylinder slides": ({"type": "cylinder", "radius": R, "length": 2 * R}, UP, 0, R),
    "cone slides": ({"type": "cone", "radius": R, "length": 2 * R}, UP, 0, R),
    "box slides": ({"type": "box", "size": [2 * R, 2 * R, 2 * R]}, UP, 0, R),
    "hull slides": ({"type": "convex", "points": HULL}, UP, 0, R),
    "ellipsoid slides": ({"type": "ellipsoid", "radii": [1.5 * R, 1.2 * R, R]}, UP, 0, R),
    "ellipsoid rolls": ({"type": "ellipsoid", "radii": [R, R, 1.5 * R]}, ACROSS, 1 / R, R),
}
PLANE = {
    "disk rolls": ({"type": "disk", "radius": R}, 0, -1 / R, R),
    "capsule slides": ({"type": "capsule", "radius": R, "length": 2 * R}, 0, 0, R),
    "box slides": ({"type": "box", "size": [2 * R, 2 * R]}, 0, 0, R),
    "polygon slides": ({"type": "polygon", "points": POLYGON}, 0, 0, R),
}


def write_mesh(path, boxes):
    """OBJ file, one object per tile: a box cut into triangles."""
    with open(path, "w") as f:
        first = 1
        for n, (lo, hi) in enumerate(boxes):
            f.write("o tile%d\n" % n)
            for k in range(8):
                f.write("v %.17g %.17g %.17g\n" % tuple((hi if k >> i & 1 else lo)[i] for i in range(3)))
            for a, b, c, d in ((0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)):
                f.write("f %d %d %d\nf %d %d %d\n" % (first + a, first + b, first + c, first + a, first + c, first + d))
            first += 8


def rows_of_tiles(rng, plane):
    """Boxes (low corner, high corner) with their tops at 0."""
    if rng is None:
        return [([LENGTH * (k - 2), -0.5, -0.1], [LENGTH * (k - 1), 0.5, 0]) for k in range(TILES)]
    boxes = []
    y, rows = -1.2, 1 if plane else 4
    for _ in range(rows):
        width = 3 if plane else rng.uniform(0.3, 0.9)
        x = -1.5 - rng.random()
        while x < LENGTH * TILES:
            length = rng.uniform(0.08, 0.9)
            boxes.append(([x, y, -rng.uniform(0.05, 0.3)], [x + length, y + width, 0]))
            x += length
        y += width
    return boxes


def floor_shapes(boxes, plane):
    shapes = []
    for lo, hi in boxes:
        size = [hi[i] - lo[i] for i in range(3)]
        middle = [(hi[i] + lo[i]) / 2 for i in range(3)]
        if plane:
            shapes.append({"type": "box", "size": [size[0], size[2]], "position": [middle[0], middle[2]]})
        else:
            shapes.append({"type": "box", "size": size, "position": middle})
    return shapes


def place(body, Q, plane):
    """Turn a body's pose and velocities by the rotation of the scene."""
    if plane:
        c, s = math.cos(Q), math.sin(Q)
        for key in ("position", "velocity"):
            if key in body:
                x, y = body[key]
                body[key] = [c * x - s * y, s * x + c * y]
        body["angle"] = body.get("angle", 0) + Q
        return body
    for key in ("position", "velocity", "angular_velocity"):
        if key in body:
            body[key] = turn(Q, body[key])
    body["orientation"] = product(Q, body.get("orientation", UP))
    return body


def make(case, folder):
    rng, plane = random.Random(case["seed"]), case["dimension"] == 2
    Q = (rng.uniform(-3, 3) if plane else drawn(rng)) if case["turned"] else (0 if plane else UP)
    shape, orientation, spin, height = (PLANE if plane else SPACE)[case["shape"]]
    boxes = rows_of_tiles(rng if case["random"] else None, plane)
    tiles = floor_shapes(boxes, plane)
    bodies = []
    if case["floor"] == "shapes":
        bodies.append(place({"name": "floor", "fixed": True, "shapes": tiles}, Q, plane))
    elif case["floor"] in ("bodies", "free"):
        for k, tile in enumerate(tiles):
            body = {"name": "tile%d" % k, "position": tile.pop("position"), "shapes": [tile]}
            body.update({"fixed": True} if case["floor"] == "bodies" else {"mass": 20})
            bodies.append(place(body, Q, plane))
        if case["floor"] == "free":
            table = {"name": "table", "fixed": True, "position": [0, -0.1] if plane else [0, 0, -0.1]}
            table["shapes"] = [{"type": "half-plane" if plane else "half-space"}]
            bodies.append(place(table, Q, plane))
    elif case["floor"] == "mesh":
        write_mesh(os.path.join(folder, "tiles.obj"), boxes)
        pieces = [{"type": "convex", "file": "tiles.obj", "object": "tile%d" % k} for k in range(len(boxes))]
        bodies.append(place({"name": "floor", "fixed": True, "shapes": pieces}, Q, plane))
    elif case["floor"] == "half-space":
        bodies.append(place({"name": "floor", "fixed": True, "shapes": [{"type": "half-plane" if plane else "half-space"}]},
                            Q, plane))
    else:
        heights = [[0.0] * (TILES + 1)] * 5
        field = {"type": "height-field", "spacing": [LENGTH, 0.25], "heights": heights, "position": [-2 * LENGTH, -0.5, 0]}
        bodies.append(place({"name": "floor", "fixed": True, "shapes": [field]}, Q, plane))
    v = case["speed"]
    heading = rng.uniform(-0.05, 0.05) if case["random"] and not plane else 0
    offset = rng.uniform(0, LENGTH)
    body = {"name": "b", "mass": 1, "shapes": [shape]}
    if plane:
        body.update(position=[offset, height], velocity=[v, 0], angle=orientation, angular_velocity=spin * v)
        gravity = [-9.81 * -math.sin(Q), -9.81 * math.cos(Q)]
        direction = [math.cos(Q), math.sin(Q)]
    else:
        yaw = axis_angle([0, 0, 1], heading)
        direction = turn(yaw, [1, 0, 0])
        body.update(position=[offset, 0.013, height], velocity=[v * c for c in direction],
                    orientation=product(yaw, orientation), angular_velocity=turn(yaw, [0, spin * v, 0]))
        gravity = turn(Q, [0, 0, -9.81])
        direction = turn(Q, direction)
    bodies.append(place(body, Q, plane))
    scene = {"name": "tiles", "gravity": gravity, "materials": [{"pair": ["*", "*"], "friction": 0, "restitution": 0}],
             "bodies": bodies, "run": {"dt": case["dt"], "until": case["until"], "scheme": case["scheme"]}}
    if plane:
        scene["dimension"] = 2
    path = os.path.join(folder, "scene.json")
    with open(path, "w") as f:
        json.dump(scene, f)
    return path, direction, v


def measure(case, asperity):
    with tempfile.TemporaryDirectory() as folder:
        path, direction, v = make(case, folder)
        done = subprocess.run([asperity, "run", path, "--json", "--quiet", "--out", "none"], capture_output=True, text=True,
                              cwd=folder, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (LONGEST, LONGEST)))
        try:
            result = json.loads(done.stdout)
        except ValueError:
            return dict(case, error=done.stderr.strip()[:200] or "no end within %d s" % LONGEST)
        if "final" not in result:
            return dict(case, error=str(result)[:200])
        got = [b for b in result["final"]["bodies"] if b["name"] == "b"][0]["velocity"]
        error = math.sqrt(sum((got[i] - v * direction[i])**2 for i in range(len(direction)))) / v
        return dict(case, error="%.3g" % error, penetration="%.3g" % result["penetration_max"],
                    uncertified=result["steps_uncertified"], contacts=result["contacts_max"],
                    wall_s="%.3g" % result["wall_s"])


def cases(args):
    out = []
    for dimension, table in ((3, SPACE), (2, PLANE)):
        for floor in ("shapes", "bodies", "free", "mesh", "height-field"):
            if dimension == 2 and floor in ("mesh", "height-field"):
                continue
            for shape in table:
                for scheme in SCHEMES:
                    for speed, dt in ((2, 0.01), (20, 0.002), (100, 0.01)):
                        if floor == "free" and speed > 2:
                            continue
                        # within the tiles: the start is within the third one
                        until = min(1.0, 8.5 / speed)
                        until = max(1, int(until / dt)) * dt
                        out.append(dict(dimension=dimension, floor=floor, shape=shape, scheme=scheme, speed=speed, dt=dt,
                                        until=until, turned=len(out) % 3 == 1, random=False, seed=len(out)))
    rng = random.Random(5)
    for k in range(args.random):
        dimension = rng.choice([3, 3, 3, 2])
        speed, dt = rng.choice([(1.3, 0.01), (2, 0.005), (7, 0.003), (40, 0.01)])
        out.append(dict(dimension=dimension, floor=rng.choice(["shapes", "bodies", "half-space"]),
                        shape=rng.choice(list(SPACE if dimension == 3 else PLANE)), scheme=rng.choice(SCHEMES),
                        speed=speed, dt=dt, until=max(1, int(min(1.0, 8.5 / speed) / dt)) * dt, turned=k % 2 == 1,
                        random=True, seed=1000 + k))
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--asperity", default="build/release/cli/asperity")
    parser.add_argument("--out", help="CSV file")
    parser.add_argument("--part", default="1/1", help="K/N: every N-th case from the K-th on")
    parser.add_argument("--random", type=int, default=90, help="number of random tilings")
    parser.add_argument("--only", default="", help="key=value,...: the cases that have these")
    parser.add_argument("--limit", type=float, default=1e-6, help="largest change of the velocity, relative")
    args = parser.parse_args()
    args.asperity = os.path.abspath(args.asperity)
    part, parts = (int(n) for n in args.part.split("/"))
    wanted = dict(p.split("=") for p in args.only.split(",") if p)
    chosen = [c for c in cases(args) if all(str(c[k]) == w for k, w in wanted.items())][part - 1::parts]
    rows, wrong = [], 0
    for case in chosen:
        row = measure(case, args.asperity)
        rows.append(row)
        try:
            good = float(row["error"]) <= args.limit
        except ValueError:
            good = False
        wrong += not good
        if not good:
            print("WRONG", row, flush=True)
    print("%d runs, %d change the velocity by more than %g" % (len(rows), wrong, args.limit))
    if args.out:
        names = ["dimension", "floor", "shape", "scheme", "speed", "dt", "until", "turned", "random", "seed", "error",
                 "penetration", "uncertified", "contacts", "wall_s"]
        with open(args.out, "w", newline="") as f:
            writer = csv.DictWriter(f, names, restval="")
            writer.writeheader()
            writer.writerows(rows)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

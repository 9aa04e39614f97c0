#!/usr/bin/env python3
"""Shots at a plate of 5 mm: none may pass.

Every scene has some targets far apart, each a plate of 5 mm made of four flush tiles (shapes of one body), or of one
piece, and one projectile per target: any shape, spinning, at 3 to 300 m/s, up to 60 degrees from the normal, at the
middle of the plate (where four tiles meet), at a seam or at a face. No gravity; restitution 0 to 0.8, dt 1 to 10 ms. In
every second scene events inside the step are not located (`locate` 0), as in scenes of many bodies. A shot has passed
when the body ends below the plate and went there through it, not beside it. Runs are independent and drawn by number: parts can be run apart. A run that takes
more than 120 s of processor time counts as not run.

  bench/seams/shots.py --asperity build/release/cli/asperity --shots 10000 --out bench/results/seams_shots.csv [--part K/N]
"""
import argparse
import collections
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
from quaternion import drawn  # noqa: E402

SCHEMES = ["moreau-jean", "stewart-trinkle", "generalized-alpha", "event-driven"]
COUNT = {"moreau-jean": 20, "stewart-trinkle": 20, "generalized-alpha": 5, "event-driven": 5}  # shots of a scene
PLATE = 0.005  # m
APART = 400  # m, between targets
HALF = 4  # m, of its sides
STEPS = 8
LONGEST = 120  # s of processor time


def draw_shape(rng, r):
    kind = rng.choice(["sphere", "capsule", "cylinder", "cone", "box", "convex", "ellipsoid"])
    if kind == "sphere":
        return kind, {"type": kind, "radius": r}
    if kind in ("capsule", "cylinder", "cone"):
        return kind, {"type": kind, "radius": r, "length": r * rng.uniform(0.5, 4)}
    if kind == "ellipsoid":
        return kind, {"type": kind, "radii": [r * rng.uniform(0.4, 2) for _ in range(3)]}
    if kind == "box":
        return kind, {"type": kind, "size": [2 * r * rng.uniform(0.4, 2) for _ in range(3)]}
    return kind, {"type": kind, "points": [[r * rng.gauss(0, 0.7) for _ in range(3)] for _ in range(12)]}


def plate(pieces):
    boxes = [(0, 0, 2 * HALF, 2 * HALF)] if not pieces else [(sx * HALF / 2, sy * HALF / 2, HALF, HALF)
                                                            for sx in (-1, 1) for sy in (-1, 1)]
    return [{"type": "box", "size": [w, d, PLATE], "position": [cx, cy, -PLATE / 2]} for cx, cy, w, d in boxes]


def draw_scene(number, count, scheme):
    rng = random.Random(number)
    dt = rng.choice([0.001, 0.002, 0.005, 0.01])
    bodies, shots = [], []
    for k in range(count):
        speed = math.exp(rng.uniform(math.log(3), math.log(300)))
        kind, shape = draw_shape(rng, rng.uniform(0.004, 0.05))
        tilt, turn = rng.uniform(0, math.pi / 3), rng.uniform(0, 2 * math.pi)
        d = [math.sin(tilt) * math.cos(turn), math.sin(tilt) * math.sin(turn), -math.cos(tilt)]
        pieces = rng.random() < 0.7
        at = rng.choice([(0, 0), (0, rng.uniform(-1, 1)), (rng.uniform(-1, 1), rng.uniform(-1, 1))])
        # beyond its own size, then up to three steps
        start = (0.3 + speed * dt * rng.uniform(0, 3)) / math.cos(tilt)
        x = APART * k
        bodies.append({"name": "plate%d" % k, "fixed": True, "position": [x, 0, 0], "shapes": plate(pieces)})
        spin = rng.choice([0, 30, 300])
        bodies.append({"name": "b%d" % k, "mass": 0.1, "position": [x + at[0] - d[0] * start, at[1] - d[1] * start,
                                                                     -d[2] * start],
                       "velocity": [speed * c for c in d], "orientation": drawn(rng),
                       "angular_velocity": [spin * rng.uniform(-1, 1) for _ in range(3)], "shapes": [shape]})
        shots.append((kind, speed, spin, pieces))
    slowest = min(s[1] for s in shots)
    until = dt * max(STEPS, int(math.ceil(0.9 / (slowest * dt))) + 4)
    scene = {"name": "shots", "gravity": [0, 0, 0],
             "materials": [{"pair": ["*", "*"], "friction": rng.choice([0, 0.3]), "restitution": 0 if scheme == "stewart-trinkle" else rng.choice([0, 0.3, 0.8])}],
             "bodies": bodies, "run": {"dt": dt, "until": until, "scheme": scheme}}
    if number // len(SCHEMES) % 2:
        scene["run"]["locate"] = 0
    return scene, shots, dt


def has_passed(body, x):
    """Is it below the plate at x, and did its straight way there lead through the plate?"""
    p, v = body["position"], body["velocity"]
    if p[2] > -PLATE / 2:
        return False
    back = (p[2] + PLATE / 2) / v[2] if v[2] < 0 else 0
    return not any(abs(p[i] - v[i] * back - (x if i == 0 else 0)) > HALF for i in (0, 1))


def shoot(number, count, scheme, asperity):
    scene, shots, dt = draw_scene(number, count, scheme)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "shots.json")
        with open(path, "w") as f:
            json.dump(scene, f)
        try:
            done = subprocess.run([asperity, "run", path, "--json", "--quiet", "--out", "none"], capture_output=True, text=True, cwd=folder,
                                  preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (LONGEST, LONGEST)))
            result = json.loads(done.stdout)
            final = {b["name"]: b for b in result["final"]["bodies"]}
        except (ValueError, KeyError) as problem:
            print("NOT RUN", number, scheme, type(problem).__name__, flush=True)
            return [dict(scene=number, scheme=scheme, dt=dt, shape="", speed="", spin="", seams="", passed="",
                         note=type(problem).__name__) for _ in shots]
        for k, (kind, speed, spin, pieces) in enumerate(shots):
            passed = has_passed(final["b%d" % k], APART * k)
            rows.append(dict(scene=number, scheme=scheme, dt=dt, shape=kind, speed="%.4g" % speed, spin=spin,
                             seams=int(pieces), passed=int(passed), note="b%d" % k if passed else ""))
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--asperity", default="build/release/cli/asperity")
    parser.add_argument("--shots", type=int, default=10000, help="of all schemes together")
    parser.add_argument("--part", default="1/1", help="K/N: every N-th scene from the K-th on")
    parser.add_argument("--scheme", help="one scheme only")
    parser.add_argument("--out", help="CSV file: one row per scheme, shape, speed range")
    parser.add_argument("--dump", help="scene number: write that scene to standard output")
    args = parser.parse_args()
    args.asperity = os.path.abspath(args.asperity)
    if args.dump:
        scheme = SCHEMES[int(args.dump) % len(SCHEMES)]
        json.dump(draw_scene(int(args.dump), COUNT[scheme], scheme)[0], sys.stdout, indent=1)
        return 0
    part, parts = (int(n) for n in args.part.split("/"))
    rows = []
    numbers, drawn = [], 0
    while drawn < args.shots:
        numbers.append(len(numbers))
        drawn += COUNT[SCHEMES[numbers[-1] % len(SCHEMES)]]
    for number in numbers[part - 1::parts]:
        scheme = SCHEMES[number % len(SCHEMES)]
        if args.scheme and scheme != args.scheme:
            continue
        new = shoot(number, COUNT[scheme], scheme, args.asperity)
        for row in new:
            if row["passed"] == 1:
                print("PASSED", row, flush=True)
        rows += new
    passed = sum(1 for r in rows if r["passed"] == 1)
    lost = sum(1 for r in rows if r["passed"] == "")
    print("%d shots, %d passed, %d not run" % (len(rows), passed, lost))
    if args.out:
        tally = collections.OrderedDict()
        for r in rows:
            if r["passed"] == "":
                continue
            fast = "3 to 30" if float(r["speed"]) < 30 else "30 to 300"
            key = (r["scheme"], r["shape"], fast, r["seams"])
            n = tally.setdefault(key, [0, 0])
            n[0] += 1
            n[1] += r["passed"]
        with open(args.out, "w", newline="") as f:
            writer = csv.writer(f)
            writer.writerow(["scheme", "shape", "speed_m_s", "tiles", "shots", "passed"])
            for key in sorted(tally, key=str):
                writer.writerow(list(key) + tally[key])
    return 1 if passed or lost else 0


if __name__ == "__main__":
    sys.exit(main())

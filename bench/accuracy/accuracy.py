#!/usr/bin/env python3
"""Error control against references: is the asked accuracy met, and what does it cost beside fixed steps?

    python3 bench/accuracy/accuracy.py [--asperity build/release/cli/asperity] [--out bench/results/accuracy.csv] [NAME ...]

Each case is a scene of the gallery (or beside it) with an asked accuracy of positions. Its run with --accuracy is compared with a
reference at all output times: the largest distance of a body's centre of mass, and of points on two axes at its reach (that of its
shapes, else the radius of gyration), which is what `accuracy` promises. Reference:
the event-driven scheme where it takes the scene, else fixed steps of dt/64; the column `reference_error` is the distance of another
reference from it (closed form, or fixed steps of dt/32). Beside it the longest fixed step dt/2^k that reaches the same accuracy: its
steps and time. Wall-clock times are of this machine; a run of more than 60 s of processor time is too long.
"""
import argparse
import csv
import json
import math
import os
import resource
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
SCENES = os.path.join(ROOT, "scenes")

# scene, scheme, dt (output grid and longest step), until, accuracy
EXTRA = {"tippe-top": ["--tol", "1e-10"]}  # its many steps would add up what 1e-8 leaves of each
CASES = {
    "bouncing-ball": ("peers/bouncing_ball", "moreau-jean", 0.05, 5, 1e-4),
    "bouncing-ball-alpha": ("peers/bouncing_ball", "generalized-alpha", 0.05, 5, 1e-3),
    "painleve-rod": ("peers/painleve_rod", "generalized-alpha", 0.01, 0.2, 1e-4),
    "sphere-rolls": ("peers/sphere_rolls_dir30", "moreau-jean", 0.05, 0.6, 1e-4),
    "box-stops": ("peers/box_stops_dir30", "moreau-jean", 0.05, 1.5, 1e-4),
    "stick-slip": ("stick-slip-on-belt", "moreau-jean", 0.02, 4, 1e-3),
    "double-pendulum": ("double-pendulum-hits-wall", "generalized-alpha", 0.02, 1.5, 1e-3),
    "oscillator": ("dry-friction-oscillator", "moreau-jean", 0.02, 4, 1e-3),
    "slider-crank": ("slider-crank", "moreau-jean", 0.005, 0.5, 1e-3),
    "wedge-jam": ("gallery/wedge-jam", "moreau-jean", 0.02, 1, 1e-3),
    "gripper": ("gallery/gripper", "moreau-jean", 0.02, 1, 1e-3),
    "parts-feeder": ("gallery/parts-feeder", "moreau-jean", 0.005, 0.3, 1e-3),
    "ladder": ("gallery/ladder", "moreau-jean", 0.02, 1, 1e-3),
    "tippe-top": ("gallery/tippe-top", "moreau-jean", 0.002, 0.5, 1e-3),
    "newtons-cradle": ("gallery/newtons-cradle", "moreau-jean", 0.005, 0.8, 1e-3),
    "hopper": ("gallery/guided-hopper", "generalized-alpha", 0.01, 0.1, 1e-3),
    "arch": ("gallery/arch", "moreau-jean", 0.02, 0.2, 1e-3),
    "card-house": ("gallery/card-house", "moreau-jean", 0.02, 0.2, 1e-3),
    "kapla-tower": ("gallery/kapla-tower", "moreau-jean", 0.01, 0.1, 1e-3),
    "woodpecker": ("gallery/woodpecker", "moreau-jean", 0.005, 0.1, 1e-3),
    "jam": ("painleve-slides-into-paradox", "generalized-alpha", 0.005, 0.9, 1e-2),
}
FIXED_MOST = 12  # halvings of dt at most
TIMEOUT = 60  # s of processor time per run


def run(program, scene, folder, tag, options, grid, until, every=1):
    """Summary and the track [(time, {body: numbers})] at the output times; None: it failed or took too long."""
    result = os.path.join(folder, tag + ".h5")
    words = [program, "run", "--json", "--quiet", "--watch", "false", "--until", str(until), "--out", result]
    words += ["--output-every", str(every)] + options + [os.path.join(SCENES, scene + ".json")]
    done = subprocess.run(words, capture_output=True, text=True,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (TIMEOUT, TIMEOUT)))
    if done.returncode not in (0, 1):
        return None
    summary = json.loads(done.stdout)
    table = os.path.join(folder, tag + ".csv")
    subprocess.run([program, "convert", "--quiet", result, "--out", table], check=True)
    with open(table, newline="") as file:
        rows = list(csv.reader(file))
    return summary, track_of(rows, grid, reaches_of(scene))


def reach_of_shape(shape):
    """Farthest point from the body's origin, m."""
    at = math.hypot(*shape.get("position", [0]))
    if "points" in shape:
        return at + max(math.hypot(*point) for point in shape["points"])
    size = math.hypot(*shape.get("size", [0])) / 2
    return at + max(size, shape.get("radius", 0) + shape.get("length", 0) / 2)


def reaches_of(scene):
    with open(os.path.join(SCENES, scene + ".json")) as file:
        bodies = json.load(file)["bodies"]
    reaches = {}
    for body in bodies:
        reach = max([reach_of_shape(shape) for shape in body.get("shapes", [])] or [0])
        inertia = body.get("inertia", 0)
        largest = max(inertia) if isinstance(inertia, list) else inertia
        reaches[body["name"]] = reach or math.sqrt(largest / body.get("mass", 1))
    return reaches


def track_of(rows, grid, reaches):
    columns = {}
    for i, name in enumerate(rows[0]):
        head = name.rsplit(" [", 1)[0]
        body, _, part = head.rpartition(".")
        columns.setdefault(body, {})[part] = i
    track = {}
    for row in rows[1:]:
        time = float(row[0])
        k = round(time / grid)
        if k == 0 or abs(time - k * grid) > 1e-6 * grid:
            continue
        track[k] = {body: points_of(row, parts, reaches.get(body, 0)) for body, parts in columns.items()
                    if "x" in parts and "y" in parts}
    return track


def points_of(row, parts, reach):
    def number(part):
        return float(row[parts[part]]) if part in parts else 0.0

    x, y, z = number("x"), number("y"), number("z")
    if "qw" in parts:
        w, a, b, c = number("qw"), number("qx"), number("qy"), number("qz")
        first = (1 - 2 * (b * b + c * c), 2 * (a * b + w * c), 2 * (a * c - w * b))
        second = (2 * (a * b - w * c), 1 - 2 * (a * a + c * c), 2 * (b * c + w * a))
    else:
        angle = number("angle")
        first, second = (math.cos(angle), math.sin(angle), 0.0), (0.0, 0.0, 0.0)
    return [(x, y, z)] + [(x + reach * d[0], y + reach * d[1], z + reach * d[2]) for d in (first, second)]


def distance(one, other):
    worst = 0.0
    for k in set(one) & set(other):
        for body in one[k]:
            for a, b in zip(one[k][body], other[k][body]):
                worst = max(worst, math.dist(a, b))
    return worst


def fixed_run(program, case, folder, k):
    scene, scheme, dt, until, _ = case
    return run(program, scene, folder, f"fixed{k}", ["--scheme", scheme, "--dt", repr(dt / 2**k)], dt, until, 2**k)


def measure(program, name):
    scene, scheme, dt, until, accuracy = case = CASES[name]
    row = {"case": name, "scene": scene, "scheme": scheme, "until_s": until, "accuracy_m": accuracy}
    with tempfile.TemporaryDirectory() as folder:
        options = ["--scheme", scheme, "--dt", repr(dt), "--accuracy", repr(accuracy)] + EXTRA.get(name, [])
        controlled = run(program, scene, folder, "controlled", options, dt, until)
        if not controlled:
            return dict(row, met="too long")
        summary, track = controlled
        told = summary["accuracy"]
        row.update(steps=summary["steps"], rejected=told["steps_rejected"], dt_min_s=told["dt_min"],
                   dt_max_s=told["dt_max"], estimated_m=told["estimated"], wall_s=summary["wall_s"])
        if told["lost_at"] is not None:
            return dict(row, met=f"no limit beyond {told['lost_at']:.6g} s")
        sharp = run(program, scene, folder, "event", ["--scheme", "event-driven", "--dt", repr(dt)], dt, until)
        fine = fixed_run(program, case, folder, 5)
        row["reference"] = "event-driven" if sharp else "dt/64"
        reference = sharp or fixed_run(program, case, folder, 6)
        if not reference:
            return dict(row, met="no reference")
        row["reference_error_m"] = distance(reference[1], fine[1]) if fine else ""
        row["error_m"] = distance(reference[1], track)
        row["met"] = "yes" if row["error_m"] <= accuracy else "no"
        for k in range(FIXED_MOST + 1):
            fixed = fixed_run(program, case, folder, k)
            if not fixed:
                break
            error = distance(reference[1], fixed[1])
            if error <= accuracy:
                row.update(fixed_dt_s=dt / 2**k, fixed_steps=fixed[0]["steps"], fixed_wall_s=fixed[0]["wall_s"],
                           fixed_error_m=error)
                break
    return row


COLUMNS = ["case", "scene", "scheme", "until_s", "accuracy_m", "met", "error_m", "estimated_m", "reference",
           "reference_error_m", "steps", "rejected", "dt_min_s", "dt_max_s", "wall_s", "fixed_dt_s", "fixed_steps",
           "fixed_wall_s", "fixed_error_m"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--asperity", default=os.path.join(ROOT, "build/release/cli/asperity"))
    parser.add_argument("--out", help="CSV file; default: printed only")
    parser.add_argument("names", nargs="*", help="cases; default: all")
    arguments = parser.parse_args()
    rows = []
    for name in arguments.names or CASES:
        if name not in CASES:
            sys.exit(f"there is no case {name}; there are {', '.join(CASES)}")
        row = measure(arguments.asperity, name)
        row = {key: f"{value:.3g}" if isinstance(value, float) else value for key, value in row.items()}
        rows.append(row)
        print(" ".join(f"{key}={row[key]}" for key in COLUMNS if key in row), flush=True)
    if arguments.out:
        with open(arguments.out, "w", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS)
            writer.writeheader()
            writer.writerows(rows)
    missed = [row["case"] for row in rows if row.get("met") == "no"]
    print(f"{len(rows)} cases, {len(missed)} missed: {', '.join(missed)}" if missed else f"{len(rows)} cases, none missed")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())

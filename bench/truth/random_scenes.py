#!/usr/bin/env python3
"""Random small scenes against references with shorter steps: does "certified and resolved" mean right?

    random_scenes.py [PROGRAM] [--count N] [--seed S] [--jobs J] [--csv FILE] [--scheme NAME] [--locate X] [--keep FOLDER] [--wide]

Draws scenes of one to five bodies with joints, motors, limits, contacts, springs, friction and prescribed motion, in the plane and in space;
with --wide what the rest of the scene format has, too (random_wide.py).
Each is run at its own dt, at dt/16 and at dt/32. Centres of mass are compared at every frame until the two references differ by a
tenth of the allowed error (beyond that the scene is chaotic, not unique, or not converged, and nothing is compared).

    allowed error of a body at time t = 1 % of (its size + the length of its path up to t)

The bound is fixed here and not an option. Printed: of the runs that the program vouches for (exit code 0: certified and resolved), how many
are right; each wrong one; and how many right ones were called unresolved, by which measures. A run that is right as far as it is compared, and called
unresolved only later, is not decided. Exit code 1 if fewer than 99 % of the vouched ones are right. Ctrl-C ends the run and tells what is done.
"""
import argparse
import collections
import concurrent.futures
import csv
import json
import math
import os
import random
import sys

import numpy

from harness import Run, scaled_dt
from random_wide import widened

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
ALLOWED = 0.01


# ---- drawing ----


def unit(draw, dimension):
    while True:
        v = [draw.gauss(0, 1) for _ in range(dimension)]
        length = math.sqrt(sum(x * x for x in v))
        if length > 0.1:
            return [x / length for x in v]


def shape_of(draw, dimension, size):
    """A shape of about this size, and the size."""
    kinds = ["disk", "box", "capsule", "polygon"] if dimension == 2 else ["sphere", "box", "capsule", "cylinder"]
    kind = draw.choice(kinds)
    if kind in ("disk", "sphere"):
        return {"type": kind, "radius": size / 2}
    if kind == "box":
        return {"type": "box", "size": [size * draw.uniform(0.4, 1) for _ in range(dimension)]}
    if kind == "polygon":
        corners = draw.randint(3, 6)
        angles = [2 * math.pi * (k + draw.uniform(-0.2, 0.2)) / corners for k in range(corners)]
        return {"type": "polygon", "points": [[size / 2 * math.cos(a), size / 2 * math.sin(a)] for a in angles]}
    radius = size * draw.uniform(0.15, 0.3)
    return {"type": kind, "radius": radius, "length": size - (2 * radius if kind == "capsule" else 0)}


def free_body(draw, dimension, name, size, position):
    body = {"name": name, "mass": round(10 ** draw.uniform(-1, 1), 4), "position": position, "shapes": [shape_of(draw, dimension, size)]}
    if dimension == 2:
        body["angle"] = draw.uniform(-3, 3)
        body["angular_velocity"] = draw.gauss(0, 3)
    else:
        body["orientation"] = {"axis": unit(draw, 3), "angle": draw.uniform(0, 3)}
        body["angular_velocity"] = [draw.gauss(0, 2) for _ in range(3)]
    body["velocity"] = [draw.gauss(0, 1) for _ in range(dimension)]
    return body


def coordinate_extras(draw, joint, turning, weight):
    """Motor, limits, friction, spring on a coordinate; efforts in proportion to the weight that it carries."""
    extra = draw.random()
    if extra < 0.25:
        joint["limits"] = [-draw.uniform(0.05, 0.8), draw.uniform(0.05, 0.8)]
        if draw.random() < 0.3:
            joint["limit_restitution"] = draw.choice([0.3, 0.7])
    elif extra < 0.4:
        joint["motor"] = {"velocity": draw.choice([1.5, -2.0, "3*sin(6*t)"]), "effort": weight * draw.uniform(0.3, 3)}
    elif extra < 0.5:
        joint["motor"] = {"velocity": draw.uniform(-3, 3), "effort": weight * draw.uniform(0.5, 2)}
        joint["limits"] = [-draw.uniform(0.1, 0.6), draw.uniform(0.1, 0.6)]
    elif extra < 0.65:
        joint["friction"] = weight * draw.uniform(0.01, 0.3)
    elif extra < 0.8:
        joint["spring"] = {"stiffness": weight * draw.uniform(1, 50), "damping": weight * draw.uniform(0, 0.5)}
    elif extra < 0.88:
        key = "angle" if turning else "displacement"
        joint[key] = f"{draw.uniform(0.1, 0.5):.3f}*sin({draw.uniform(2, 10):.3f}*t)"


def chain(draw, dimension, count, start, scene):
    """Links one behind the other from a point of the world (or from the first link), joined at their ends."""
    direction = unit(draw, dimension)
    at, before = list(start), "world" if draw.random() < 0.8 else None
    length = draw.uniform(0.15, 0.5)
    masses = [round(10 ** draw.uniform(-0.7, 0.7), 3) for _ in range(count)]
    for k in range(count):
        name = f"link{k}"
        centre = [a + d * length / 2 for a, d in zip(at, direction)]
        width = 0.15 * length
        body = {"name": name, "mass": masses[k], "position": centre}
        if dimension == 2:
            body["angle"] = math.atan2(direction[1], direction[0])
            body["shapes"] = [{"type": "box", "size": [0.8 * length, width]}]
        else:
            body["orientation"] = turning_onto(direction)
            body["shapes"] = [{"type": "capsule", "radius": width / 2, "length": 0.65 * length}]
        scene["bodies"].append(body)
        if before:
            weight = 9.81 * sum(masses[k:])
            joint = {"type": "revolute" if dimension == 2 else draw.choice(["revolute", "revolute", "spherical", "universal"]),
                     "bodies": [before, name], "point": list(at)}
            if draw.random() < 0.15 and before == "world":
                joint = {"type": "prismatic", "bodies": [before, name], "point": list(centre), "axis": unit(draw, dimension)}
            if joint["type"] in ("revolute", "universal") and dimension == 3:
                side = perpendicular(direction)
                joint["axis"] = side
                if joint["type"] == "universal":
                    joint["axis_b"] = list(numpy.cross(direction, side))
            if joint["type"] in ("revolute", "prismatic"):
                coordinate_extras(draw, joint, joint["type"] == "revolute", weight * (length if joint["type"] == "revolute" else 1))
            joint["contact"] = True
            scene["joints"].append(joint)
        at = [a + d * length for a, d in zip(at, direction)]
        before = name


def perpendicular(direction):
    d = numpy.array(direction)
    side = numpy.cross(d, [1, 0, 0] if abs(d[0]) < 0.7 else [0, 1, 0])
    return list(side / numpy.linalg.norm(side))


def turning_onto(direction):
    """Turns z onto the direction."""
    d = numpy.array(direction)
    axis = numpy.cross([0, 0, 1], d)
    if numpy.linalg.norm(axis) < 1e-9:
        return {"axis": [1, 0, 0], "angle": 0.0 if d[2] > 0 else math.pi}
    return {"axis": list(axis / numpy.linalg.norm(axis)), "angle": math.acos(max(-1.0, min(1.0, d[2])))}


def drawn_scene(seed):
    draw = random.Random(seed)
    dimension = draw.choice([2, 3])
    up = dimension - 1
    gravity = [0.0] * dimension
    if draw.random() < 0.85:
        gravity[up] = -9.81
    scene = {"name": f"random {seed}", "dimension": dimension, "gravity": gravity, "bodies": [], "joints": [], "forces": [],
             "materials": [{"pair": ["*", "*"], "friction": draw.choice([0, 0.2, 0.5, 0.9]), "restitution": draw.choice([0, 0, 0.3, 0.7])}]}
    if draw.random() < 0.7:
        scene["bodies"].append({"name": "ground", "fixed": True, "shapes": [{"type": "half-plane" if dimension == 2 else "half-space"}]})
    if draw.random() < 0.2:
        centre = [0.0] * dimension
        centre[up] = -0.1 if len(scene["bodies"]) == 0 else 0.1
        moving = [f"{draw.uniform(0.02, 0.2):.3f}*sin({draw.uniform(3, 15):.3f}*t)"] + [str(x) for x in centre[1:]]
        size = [1.5] * dimension
        size[up] = 0.1
        scene["bodies"].append({"name": "table", "motion": {"position": moving}, "shapes": [{"type": "box", "size": size}]})
    if draw.random() < 0.6:
        start = [0.0] * dimension
        start[up] = draw.uniform(0.8, 1.5)
        chain(draw, dimension, draw.randint(1, 3), start, scene)
    free = draw.randint(0 if scene["joints"] else 1, 3)
    for k in range(free):
        position = [draw.uniform(0.9, 1.4) * (1 if k % 2 else -1)] + [0.0] * (dimension - 1)
        position[up] = 0.4 + 0.6 * k + draw.uniform(0, 0.2)
        scene["bodies"].append(free_body(draw, dimension, f"body{k}", draw.uniform(0.1, 0.4), position))
    loose = [b for b in scene["bodies"] if "mass" in b]
    if draw.random() < 0.3:
        b = draw.choice(loose)
        load = b["mass"] * draw.uniform(2, 30)
        scene["forces"].append({"type": "force", "body": b["name"], "force": [load * x for x in unit(draw, dimension)]})
    if draw.random() < 0.3 and len(loose) > 1:
        a, b = draw.sample(loose, 2)
        scene["forces"].append({"type": "spring", "bodies": [a["name"], b["name"]], "points": [a["position"], b["position"]],
                                "stiffness": 10 ** draw.uniform(1, 3), "damping": draw.choice([0, 1, 5])})
    step = draw.choice([0.002, 0.005, 0.01])
    scene["run"] = {"dt": step, "until": round(step * draw.choice([60, 120]), 6)}
    return scene


# ---- comparing ----


def size_of(body):
    """Extent of a body's shapes, m."""
    def extent(s):
        if "size" in s:
            return math.sqrt(sum(x * x for x in s["size"]))
        if "points" in s:
            return 2 * max(math.hypot(*v) for v in s["points"])
        if "radii" in s:
            return 2 * max(s["radii"])
        return 2 * s.get("radius", 0) + s.get("length", 0)
    return max((extent(s) for s in body.get("shapes", [])), default=0.0)


def positions(run, dimension, names):
    q = run.read("frames/q")
    rows = [run.names("bodies").index(name) for name in names]
    return q[:, rows, : 2 if dimension == 2 else 3]


def compare(scene, run, coarse_reference, reference):
    """(right, compared frames, of how many, worst error over allowed, end of the comparison in s)"""
    free = [b for b in scene["bodies"] if "mass" in b]
    names = [b["name"] for b in free]
    times = [x.time() for x in (run, coarse_reference, reference)]
    common = [t for t in times[2] if all(abs(other - t).min() < 1e-6 * scene["run"]["dt"] for other in times[:2])]
    p, c, r = (positions(x, scene["dimension"], names)[[int(abs(t - u).argmin()) for u in common]]
               for x, t in zip((run, coarse_reference, reference), times))
    frames = len(common)
    path = numpy.concatenate([numpy.zeros((1, len(names))), numpy.cumsum(numpy.linalg.norm(numpy.diff(r, axis=0), axis=2), axis=0)])
    allowed = ALLOWED * (numpy.array([size_of(b) for b in free]) + path[:frames])
    known = numpy.all(numpy.linalg.norm(c[:frames] - r[:frames], axis=2) <= 0.1 * allowed, axis=1)
    until = frames if known.all() else int(numpy.argmin(known))
    if times[0][-1] < 0.999 * times[2][-1]:
        return False, until, frames, math.inf, 0.0
    error = numpy.linalg.norm(p[:until] - r[:until], axis=2) / allowed[:until]
    worst = float(error.max()) if until else 0.0
    return not worst > 1.0 and not math.isnan(worst), until, frames, worst, common[until - 1] if until else 0.0


def exceeded(run, end):
    """Measures beyond their thresholds up to a time; "certificate" for steps that are not certified at any time."""
    names, time = run.names("resolution"), run.read("energy/time", "energy")[1:]
    values = run.read("resolution/measures", "steps")[: len(time)]
    early = time <= end * (1 + 1e-9)
    limits = [run.summary["resolution"][name].get("threshold") or math.inf for name in names]
    found = [name for k, name in enumerate(names) if numpy.any(values[early, k] > limits[k])]
    return found + (["certificate"] if run.summary.get("steps_uncertified") else [])


def study(program, seed, flags, keep, wide):
    scene = widened(drawn_scene(seed), seed) if wide else drawn_scene(seed)
    runs = []
    try:
        for factor in (1, 1 / 16, 1 / 32):
            runs.append(Run(program, scaled_dt(scene, factor), [*flags], limit=120))
        row = {"seed": seed, "dt": scene["run"]["dt"], "code": runs[0].code, "uncertified": runs[0].summary.get("steps_uncertified"),
               "unresolved": runs[0].summary.get("steps_unresolved"), "seconds": round(runs[0].seconds, 3),
               "reference_code": runs[2].code, "said": (runs[0].warnings() or runs[0].message)[:300]}
        if "is not possible with the scheme" in runs[0].message:
            return {**row, "verdict": "refused"}
        if any(r.code is None or r.code > 1 for r in runs):
            return {**row, "verdict": "failed", "said": " / ".join(str(r.message)[-200:] for r in runs if r.message)}
        right, compared, frames, worst, end = compare(scene, *runs)
        vouched = runs[0].code == 0
        by = exceeded(runs[0], end)
        verdict = ("vouched, " if vouched else "flagged, ") + ("right" if right else "wrong")
        if verdict == "flagged, right" and not by:
            verdict = "flagged later"
        if not right and keep:
            os.makedirs(keep, exist_ok=True)
            with open(os.path.join(keep, f"random-{seed}.json"), "w", encoding="utf-8") as out:
                json.dump(scene, out, indent=1)
        return {**row, "verdict": verdict, "by": " ".join(by), "compared": compared, "frames": frames, "worst": round(worst, 4)}
    finally:
        for r in runs:
            r.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", nargs="?", default=os.path.join(TOP, "build", "release", "cli", "asperity"))
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1, help="the first one; scenes have the seeds S, S + 1, ...")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--csv", default="")
    parser.add_argument("--scheme", default="")
    parser.add_argument("--locate", default="", help="option of the run at the scene's own dt, and of the references")
    parser.add_argument("--keep", default="", help="folder for the scenes of wrong runs")
    parser.add_argument("--wide", action="store_true", help="draw the rest of the scene format, too (random_wide.py)")
    options = parser.parse_args()
    flags = (["--scheme", options.scheme] if options.scheme else []) + (["--locate", options.locate] if options.locate else [])
    rows = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        work = [pool.submit(study, options.program, s, flags, options.keep, options.wide) for s in range(options.seed, options.seed + options.count)]
        try:
            for done in concurrent.futures.as_completed(work):
                rows.append(done.result())
                print(f"\r{len(rows)} of {options.count}", end="", file=sys.stderr, flush=True)
        except KeyboardInterrupt:  # what is done is told
            pool.shutdown(wait=False, cancel_futures=True)
    print(file=sys.stderr)
    rows.sort(key=lambda row: row["seed"])
    if options.csv:
        with open(options.csv, "w", newline="", encoding="utf-8") as out:
            keys = ["seed", "dt", "verdict", "by", "code", "uncertified", "unresolved", "compared", "frames", "worst", "seconds", "reference_code", "said"]
            table = csv.DictWriter(out, keys)
            table.writeheader()
            table.writerows(rows)
    return summary(rows)


def summary(rows):
    def of(verdict):
        return [row for row in rows if row["verdict"] == verdict]
    for row in of("vouched, wrong") + of("failed"):
        print(f"{row['verdict']}: seed {row['seed']}, dt {row['dt']:g} s, error {row.get('worst', '?')} of what is allowed, "
              f"compared {row.get('compared', 0)} of {row.get('frames', 0)} frames; {row['said'][:160]}")
    right, wrong = len(of("vouched, right")), len(of("vouched, wrong"))
    alarms, found, failed = len(of("flagged, right")), len(of("flagged, wrong")), len(of("failed"))
    short = sum(1 for row in rows if row.get("compared", 0) < row.get("frames", 0))
    print(f"{len(rows)} scenes: vouched {right + wrong}, of them right {right} ({right / max(1, right + wrong):.1%}); flagged and wrong {found}; "
          f"right but flagged {alarms} ({alarms / max(1, right + alarms):.1%} of the right ones); failed {failed}; "
          f"refused by the scheme {len(of('refused'))}; flagged only after the comparison ends {len(of('flagged later'))}; references part before the end in {short}")
    causes = collections.Counter(name for row in of("flagged, right") for name in row["by"].split())
    if causes:
        print("right but flagged, by measure: " + ", ".join(f"{name} {count}" for name, count in causes.most_common()))
    return 1 if failed or right < 0.99 * (right + wrong) else 0


if __name__ == "__main__":
    sys.exit(main())

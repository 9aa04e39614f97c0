#!/usr/bin/env python3
"""Symmetry of motions: random scenes against their mirrored, turned, renumbered and rescaled copies.

Scenes are drawn by seed: boxes, balls and cylinders that slide, spin and fall on a floor, some on top of others; every
fourth one has joints and motors (a cart with a driven arm, a hanging chain), every fourth one is plane. Copies are the same
mechanics written down otherwise: mirrored, turned by a random rotation (gravity and floor, too), with bodies and joints in
another order, with all lengths times 1e3 or 1e-3 (and masses times 1e-3 or 1e3), and by another solver. The final
positions, carried back, must be those of the scene itself up to

    difference <= GROWTH * tolerance * (size + path)

GROWTH was fixed before the first run. What exceeds it, and every tenth scene, is run again with the tolerance 1e-12: a
difference that shrinks with the tolerance is the growth of errors in the motion (impacts on edges). Where it does not
shrink, the scene itself, same axes, order, units and solver, is run again with all velocities at the start times 1 + 1e-13: where
that moves the end by a tenth of the difference or more, the motion is sensitive, and no way of writing it down
could keep it; else it is a defect.

    python3 bench/symmetry/symmetry.py [--scenes 200] [--seed 1] [--locate 0] [--program build/release/cli/asperity]
"""
import argparse
import math
import os
import random
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from quaternion import drawn, product, turn  # noqa: E402
from truth.harness import Run  # noqa: E402

GROWTH = 1e4
LONGEST = 600  # s of a run, by the clock
TOLERANCE, SHARP = 1e-8, 1e-12
SHARP_EVERY = 10
PERTURBED = 1e-13  # of the velocities at the start


# ---- scenes: positions, velocities, axes are vectors; spins and poses depend on the dimension ----

def random_shape(draw, plane):
    """A shape and half its height."""
    kind = draw.choice(["box", "box", "round", "cylinder"])
    if kind == "box" or (plane and kind == "cylinder"):
        size = [draw.uniform(0.1, 0.5) for _ in range(2 if plane else 3)]
        return {"type": "box", "size": size}, 0.5 * size[-1]
    radius = draw.uniform(0.05, 0.2)
    if kind == "round":
        return {"type": "disk" if plane else "sphere", "radius": radius}, radius
    length = draw.uniform(0.05, 0.3)
    return {"type": "cylinder", "radius": radius, "length": length}, 0.5 * length


def body(name, mass, shape, position, velocity, pose, spin):
    return {"name": name, "mass": mass, "shapes": [shape], "position": position, "velocity": velocity, "pose": pose, "spin": spin}


def yawed(angle):
    return [math.cos(angle / 2), 0.0, 0.0, math.sin(angle / 2)]


def make_columns(draw, plane, layers):
    """Bodies beside each other, some with a second one on top where layers = 2; all flat at the start."""
    bodies = []
    for column in range(draw.randint(1, 3)):
        height, yaw = 0.0, draw.uniform(-math.pi, math.pi)
        v = [draw.uniform(-2, 2), 0.0] if plane else [draw.uniform(-2, 2), draw.uniform(-2, 2), 0.0]
        for _ in range(min(draw.choice([1, 1, 2]), layers)):
            shape, half = random_shape(draw, plane)
            spin = draw.uniform(-10, 10)
            round_one = shape["type"] in ("sphere", "disk")
            bodies.append(body("b%d" % len(bodies), draw.uniform(0.5, 2), shape,
                               [1.5 * column] + ([] if plane else [0.0]) + [height + half], list(v), 0.0 if plane else yawed(yaw),
                               (spin if round_one else 0.0) if plane else [0.0, 0.0, spin]))
            height += 2 * half
            if round_one:
                break
    return bodies, []


def make_mechanism(draw, plane):
    """A cart that slides on the floor with an arm driven by a motor, and a chain of two links that hangs in the air."""
    def up(x, z):
        return [x, z] if plane else [x, 0.0, z]

    def axis():
        angle = draw.uniform(-math.pi, math.pi)
        return {} if plane else {"axis": [math.cos(angle), math.sin(angle), 0.0]}

    def box(x, z):
        return {"type": "box", "size": [x, z] if plane else [x, x, z]}

    still = 0.0 if plane else [1.0, 0.0, 0.0, 0.0]
    high, arm, link = draw.uniform(0.2, 0.4), draw.uniform(0.2, 0.5), draw.uniform(0.3, 0.6)
    none = 0.0 if plane else [0.0, 0.0, 0.0]
    push = [draw.uniform(-2, 2), 0.0] if plane else [draw.uniform(-2, 2), draw.uniform(-2, 2), 0.0]
    swing = draw.uniform(-3, 3)
    bodies = [body("cart", draw.uniform(1, 3), box(draw.uniform(0.3, 0.6), high), up(0, high / 2), push, still, none),
              body("arm", draw.uniform(0.2, 1), box(0.06, arm), up(0, high + 0.02 + arm / 2), list(push), still, none),
              body("link a", draw.uniform(0.5, 1), box(0.06, link), up(3, 2 - link / 2), up(0, 0), still,
                   swing if plane else [draw.uniform(-3, 3), swing, draw.uniform(-3, 3)]),
              body("link b", draw.uniform(0.5, 1), box(0.06, link), up(3, 2 - 1.5 * link), up(0, 0), still, none)]
    joints = [dict({"type": "revolute", "bodies": ["cart", "arm"], "point": up(0, high + 0.01),
                    "motor": {"velocity": draw.uniform(-5, 5), "effort": draw.uniform(0.2, 2)}}, **axis()),
              {"type": "revolute" if plane else "spherical", "bodies": ["world", "link a"], "point": up(3, 2)},
              dict({"type": "revolute", "bodies": ["link a", "link b"], "point": up(3, 2 - link)}, **axis())]
    return bodies, joints


def make_scene(draw, number, layers):
    plane = number % 4 == 3
    linked = number % 4 == 2 or number % 8 == 7
    bodies, joints = make_mechanism(draw, plane) if linked else make_columns(draw, plane, layers)
    down = [0.0, -9.81] if plane else [0.0, 0.0, -9.81]
    return {"plane": plane, "gravity": down, "normal": [-x / 9.81 for x in down], "friction": draw.choice([0.0, 0.2, 0.3, 0.6]),
            "bodies": bodies, "joints": joints, "kind": ("plane" if plane else "space") + (", joints" if linked else "")}


# ---- copies ----

class Copy:
    """How a scene is written down otherwise: vectors, spins (axes of rotation too) and poses mapped; units; order; solver."""

    def __init__(self, name, vector=None, spin=None, pose=None, back=None, size=1.0, mass=1.0, shuffle=None, solver="auto"):
        def same(x):
            return x
        self.name, self.solver, self.size, self.mass, self.shuffle = name, solver, size, mass, shuffle
        self.vector, self.spin, self.pose, self.back = vector or same, spin or same, pose or same, back or same

    def carried_back(self, position):
        return self.back([x / self.size for x in position])

    def text(self, scene, tolerance):
        """The scene of the program."""
        plane, long = scene["plane"], self.size

        def lengths(v):
            return [long * x for x in self.vector(v)]

        def shape(s):
            return {k: (v if k == "type" else [long * x for x in v] if isinstance(v, list) else long * v) for k, v in s.items()}

        def motor(m):
            return {"velocity": self.spin(m["velocity"]) if plane else m["velocity"], "effort": self.mass * long * long * m["effort"]}

        bodies = [{"name": b["name"], "mass": self.mass * b["mass"], "shapes": [shape(s) for s in b["shapes"]],
                   "position": lengths(b["position"]), "velocity": lengths(b["velocity"]),
                   "angle" if plane else "orientation": self.pose(b["pose"]), "angular_velocity": self.spin(b["spin"])}
                  for b in scene["bodies"]]
        joints = [{"type": j["type"], "bodies": j["bodies"], "point": lengths(j["point"]),
                   **({"axis": self.spin(j["axis"])} if "axis" in j else {}), **({"motor": motor(j["motor"])} if "motor" in j else {})}
                  for j in scene["joints"]]
        if self.shuffle:
            bodies = random.Random(7).sample(bodies, len(bodies))
            joints = random.Random(8).sample(joints, len(joints))
        floor = {"name": "floor", "fixed": True, "shapes": [{"type": "half-plane" if plane else "half-space", "normal": self.vector(scene["normal"])}]}
        return {"dimension": 2 if plane else 3, "gravity": lengths(scene["gravity"]), "bodies": [floor] + bodies, "joints": joints,
                "materials": [{"pair": ["*", "*"], "friction": scene["friction"], "restitution": 0}],
                "run": {"dt": 0.005, "until": 0.2, "tolerance": tolerance, "solver": self.solver}}


def copies(scene, draw):
    units = [Copy("lengths x 1e3", size=1e3, mass=1e-3), Copy("lengths x 1e-3", size=1e-3, mass=1e3)]
    others = [Copy("order", shuffle=draw)] + units + [Copy("solver nsgs", solver="nsgs")]
    if scene["plane"]:
        angle = draw.uniform(-math.pi, math.pi)

        def flip(v):
            return [-v[0], v[1]]

        def turned(v, by=angle):
            return [math.cos(by) * v[0] - math.sin(by) * v[1], math.sin(by) * v[0] + math.cos(by) * v[1]]
        return [Copy("mirror", flip, lambda w: -w, lambda a: -a, flip),
                Copy("rotation", turned, None, lambda a: a + angle, lambda v: turned(v, -angle))] + others
    q = drawn(draw)
    back = [q[0], -q[1], -q[2], -q[3]]

    def across(v):
        return [v[0], -v[1], v[2]]
    return [Copy("mirror", across, lambda w: [-w[0], w[1], -w[2]], lambda o: [o[0], -o[1], o[2], -o[3]], across),
            Copy("rotation", lambda v: turn(q, v), lambda w: turn(q, w), lambda o: product(q, o), lambda v: turn(back, v))] + others


# ---- comparison ----

def final(program, copy, scene, tolerance, flags):
    """Positions by name, and the summary of the run."""
    run = Run(program, copy.text(scene, tolerance), flags, limit=LONGEST)
    run.close()
    bodies = run.summary.get("final", {}).get("bodies", [])
    return {b["name"]: copy.carried_back(b["position"][:len(scene["gravity"])]) for b in bodies}, run.summary


def perturbed(scene):
    """The scene with slightly other velocities at the start."""
    def more(v):
        return [x * (1 + PERTURBED) for x in v] if isinstance(v, list) else v * (1 + PERTURBED)
    return dict(scene, bodies=[dict(b, velocity=more(b["velocity"]), spin=more(b["spin"])) for b in scene["bodies"]])


def shrinks(worst, sharp):
    return sharp <= GROWTH * SHARP or (math.isfinite(sharp) and sharp <= 1e-2 * worst)


def difference(scene, here, there):
    """Largest over all bodies, over size + path."""
    if not here or not there:
        return math.inf
    return max(math.dist(here[b["name"]], there[b["name"]]) / (0.2 + math.dist(here[b["name"]], b["position"])) for b in scene["bodies"])


def judge(options, number):
    """Rows: scene, kind, copy, difference, that at the sharp tolerance, that of the perturbed scene there, steps that share
    loads, steps where none was chosen."""
    draw = random.Random(options.seed * 1000003 + number)
    scene = make_scene(draw, number, options.layers)
    itself = Copy("itself")
    here, answer = final(options.program, itself, scene, TOLERANCE, options.flags)
    sharp_here = grown = None
    rows = []
    for copy in copies(scene, draw):
        worst = difference(scene, here, final(options.program, copy, scene, TOLERANCE, options.flags)[0])
        sharp = ""
        if not worst <= GROWTH * TOLERANCE or number % SHARP_EVERY == 0:
            sharp_here = sharp_here or final(options.program, itself, scene, SHARP, options.flags)[0]
            sharp = difference(scene, sharp_here, final(options.program, copy, scene, SHARP, options.flags)[0])
        if not worst <= GROWTH * TOLERANCE and not shrinks(worst, sharp) and grown is None:
            grown = difference(scene, sharp_here, final(options.program, itself, perturbed(scene), SHARP, options.flags)[0])
        rows.append((number, scene["kind"], copy.name, worst, sharp, "" if grown is None else grown, answer.get("steps_with_load_sharing", ""),
                     answer.get("steps_with_load_sharing_not_chosen", "")))
    return rows


def summary_of(values):
    values = sorted(values)
    return "median %.1e, largest %.1e" % (values[len(values) // 2], values[-1]) if values else "none"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--scenes", type=int, default=200)
    parser.add_argument("--first", type=int, default=0, help="number of the first scene")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--program", default="build/release/cli/asperity")
    parser.add_argument("--layers", type=int, default=2, help="1: no body on another one")
    parser.add_argument("--csv", help="write the rows here")
    parser.add_argument("--locate", help="option of the runs (0: steps of equal length)")
    options = parser.parse_args()
    options.flags = ["--locate", options.locate] if options.locate else []
    rows, beyond, sensitive, defects = [], 0, 0, 0
    out = open(options.csv, "w", encoding="utf-8") if options.csv else None
    if out:
        out.write("scene,kind,copy,difference,difference_sharp,difference_perturbed,steps_with_load_sharing,steps_with_load_sharing_not_chosen\n")
    for number in range(options.first, options.first + options.scenes):
        for row in judge(options, number):
            worst, sharp, grown = row[3:6]
            rows.append(row)
            if out:
                out.write('%d,"%s",%s,%.3g,%s,%s,%s,%s\n' %
                          (*row[:4], *("%.3g" % x if x != "" else "" for x in (sharp, grown)), *row[6:]))
                out.flush()
            if worst <= GROWTH * TOLERANCE:
                continue
            beyond += 1
            verdict = "shrinks with it"
            if not shrinks(worst, sharp):
                grows = grown >= 0.1 * sharp
                sensitive, defects = sensitive + grows, defects + (not grows)
                verdict = "velocities off by %g lead to %.2g: %s" % (PERTURBED, grown, "sensitive" if grows else "DOES NOT SHRINK")
            print("scene %d (%s), %s: %.2g of size and path at tolerance %g, %.2g at %g: %s" %
                  (*row[:3], worst, TOLERANCE, sharp, SHARP, verdict), flush=True)
    print("%d scenes, allowed %g of size and path" % (options.scenes, GROWTH * TOLERANCE))
    for kind in sorted({row[2] for row in rows}):
        some = [row for row in rows if row[2] == kind]
        sampled = [row for row in some if row[0] % SHARP_EVERY == 0 and row[4] != ""]
        print("  %-15s %s; scenes run at both: %s at %g, %s at %g" %
              (kind, summary_of([row[3] for row in some]), summary_of([row[3] for row in sampled]), TOLERANCE,
               summary_of([row[4] for row in sampled]), SHARP))
    print("beyond: %d of %d; of these sensitive to %g of the velocities: %d; neither so nor shrinking with the tolerance: %d" %
          (beyond, len(rows), PERTURBED, sensitive, defects))
    return 1 if defects else 0


if __name__ == "__main__":
    sys.exit(main())

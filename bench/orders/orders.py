#!/usr/bin/env python3
"""Order tables: at which order do the rigid schemes converge, scene by scene?

    orders.py [PROGRAM] [--only NAME] [--scheme NAME]

Each scene is run with four steps, each half of the one before, by every scheme that accepts it, and its answer compared with a closed form, an
integration of high order made here; the rolling disk with its energy. Printed: the errors, and the order between the last two of them, log2 of their quotient. Event-driven controls its own error: its errors do not depend on the step.
The kept table is bench/results/orders.txt; docs/theory/time-stepping.md states what it says.
"""
import argparse
import math
import os
import sys

import numpy

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(TOP, "bench", "truth"))
from harness import Run  # noqa: E402
from scenes_known import top_reference  # noqa: E402

SCHEMES = ["moreau-jean", "stewart-trinkle", "generalized-alpha", "event-driven"]


# ---- scenes ----


def top(inertia):
    angle, spin, arm = 0.6, 50.0, 0.1
    s, c = math.sin(angle), math.cos(angle)
    body = {"name": "a", "mass": 0.5, "inertia": [0.002, 0.002, inertia], "position": [0, -arm * s, arm * c],
            "orientation": {"axis": [1, 0, 0], "angle": angle}, "angular_velocity": [0, -spin * s, spin * c]}
    return {"gravity": [0, 0, -9.81], "bodies": [body], "joints": [{"type": "spherical", "bodies": ["world", "a"], "point": [0, 0, 0]}],
            "run": {"dt": 0.0025, "until": 0.5}}


def top_error(scene, run, known={}):
    q, key = run.body("a")[-1, :3], scene["bodies"][0]["inertia"][2]
    if key not in known:
        known[key] = top_reference(scene, scene["run"]["until"])
    return float(numpy.linalg.norm(q / numpy.linalg.norm(q) - known[key]))


def turntable():
    """A ball rolls on a table that turns: its centre goes round a circle with 2/7 of the table's rate (J = 2/5 m r^2)."""
    rate, radius, x, v = 4.0, 0.05, 0.3, 0.2
    ball = {"name": "ball", "mass": 1, "inertia": [0.4 * radius**2] * 3, "position": [x, 0, radius], "velocity": [0, v, 0],
            "angular_velocity": [-(v - rate * x) / radius, 0, 0], "shapes": [{"type": "sphere", "radius": radius, "material": "ball"}]}
    table = {"name": "table", "motion": {"position": [0, 0, 0], "rotation": f"{rate}*t", "axis": [0, 0, 1]},
             "shapes": [{"type": "half-space", "material": "table"}]}
    return {"gravity": [0, 0, -9.81], "materials": [{"pair": ["ball", "table"], "friction": 0.8, "restitution": 0}], "bodies": [table, ball],
            "run": {"dt": 0.02, "until": 2.0}}


def turntable_error(scene, run):
    w, t = 2 / 7 * 4.0, scene["run"]["until"]
    exact = numpy.array([0.3 - 0.2 / w + 0.2 / w * math.cos(w * t), 0.2 / w * math.sin(w * t)])
    return float(numpy.linalg.norm(run.body("ball")[-1, :2] - exact))


CAM = {"rate": 146.60765716333333, "throw": 0.008, "stiffness": 2000.0, "damping": 2.0, "rest": -0.03, "mass": 0.3}


def cam():
    return {"dimension": 2, "gravity": [0, -9.81], "materials": [{"pair": ["cam", "follower"], "friction": 0, "restitution": 0}],
            "bodies": [{"name": "cam", "motion": {"position": [0, 0], "rotation": f"{CAM['rate']}*t"},
                        "shapes": [{"type": "disk", "radius": 0.025, "position": [CAM["throw"], 0], "material": "cam"}]},
                       {"name": "follower", "mass": CAM["mass"], "position": [0, 0.035],
                        "velocity": [0, CAM["rate"] * CAM["throw"]], "shapes": [{"type": "box", "size": [0.06, 0.02], "material": "follower"}]}],
            "joints": [{"type": "prismatic", "bodies": ["world", "follower"], "axis": [0, 1],
                        "spring": {"stiffness": CAM["stiffness"], "damping": CAM["damping"], "rest": CAM["rest"]}}],
            "run": {"dt": 0.0004, "until": 0.1}}


def cam_error(scene, run):
    """Largest error of the mean force of a step, N, after the first tenth."""
    force, t = run.normal_force(("cam", "follower")), run.time()
    dt = scene["run"]["dt"]
    w, a = CAM["rate"], CAM["throw"]
    middle = t - dt / 2
    # the mean over the step of m (y'' + g) + k (y - rest) + d y', y = a sin(w t)
    mean_sin = numpy.sin(w * middle) * math.sin(w * dt / 2) / (w * dt / 2)
    mean_cos = numpy.cos(w * middle) * math.sin(w * dt / 2) / (w * dt / 2)
    exact = CAM["mass"] * 9.81 - CAM["stiffness"] * CAM["rest"] + (CAM["stiffness"] - CAM["mass"] * w * w) * a * mean_sin + CAM["damping"] * a * w * mean_cos
    return float(abs(force - exact)[t > 0.01].max())


def crank():
    """Slider-crank without friction, started with 30 rad/s."""
    angle, r, l, rate = 0.3, 0.2, 0.5, 30.0
    b = -math.asin(r * math.sin(angle) / l)
    turn = -r * math.cos(angle) * rate / (l * math.cos(b))
    pin = [r * math.cos(angle), r * math.sin(angle)]
    slider = pin[0] + l * math.cos(b)
    speed = -r * math.sin(angle) * rate - l * math.sin(b) * turn
    pin_speed = [-r * math.sin(angle) * rate, r * math.cos(angle) * rate]
    bodies = [{"name": "c", "mass": 1, "inertia": 0.0033333, "position": [pin[0] / 2, pin[1] / 2], "angle": angle,
               "velocity": [pin_speed[0] / 2, pin_speed[1] / 2], "angular_velocity": rate},
              {"name": "r", "mass": 0.5, "inertia": 0.0104167, "position": [(pin[0] + slider) / 2, pin[1] / 2], "angle": b,
               "velocity": [(pin_speed[0] + speed) / 2, pin_speed[1] / 2], "angular_velocity": turn},
              {"name": "s", "mass": 1.5, "inertia": 1, "position": [slider, 0], "velocity": [speed, 0]}]
    joints = [{"type": "revolute", "bodies": ["world", "c"], "point": [0, 0]}, {"type": "revolute", "bodies": ["c", "r"], "point": pin},
              {"type": "revolute", "bodies": ["r", "s"], "point": [slider, 0]},
              {"type": "prismatic", "bodies": ["world", "s"], "point": [slider, 0], "axis": [1, 0]}]
    return {"dimension": 2, "gravity": [0, -9.81], "bodies": bodies, "joints": joints, "run": {"dt": 0.002, "until": 0.5}}


def crank_reference():
    """The crank's angle: Lagrange's equation of one coordinate by Runge-Kutta 4."""
    r, l, g = 0.2, 0.5, 9.81

    def place(a):
        b = -math.asin(r * math.sin(a) / l)
        k = -r * math.cos(a) / (l * math.cos(b))  # db/da
        # centres: c, r, s; derivatives with respect to a
        jac = [(-r / 2 * math.sin(a), r / 2 * math.cos(a), 1.0), (-r * math.sin(a) - l / 2 * math.sin(b) * k, r / 2 * math.cos(a), k),
               (-r * math.sin(a) - l * math.sin(b) * k, 0.0, 0.0)]
        inertia = sum(m * (x * x + y * y) + j * t * t for (x, y, t), m, j in zip(jac, (1, 0.5, 1.5), (0.0033333, 0.0104167, 1)))
        return inertia, -g * (jac[0][1] + 0.5 * jac[1][1])

    def rate(a, w):
        e = 1e-6
        slope = (place(a + e)[0] - place(a - e)[0]) / (2 * e)
        inertia, moment = place(a)
        return w, (moment - 0.5 * slope * w * w) / inertia

    a, w, n = 0.3, 30.0, 20000
    h = 0.5 / n
    for _ in range(n):
        k1 = rate(a, w)
        k2 = rate(a + h / 2 * k1[0], w + h / 2 * k1[1])
        k3 = rate(a + h / 2 * k2[0], w + h / 2 * k2[1])
        k4 = rate(a + h * k3[0], w + h * k3[1])
        a += h / 6 * (k1[0] + 2 * k2[0] + 2 * k3[0] + k4[0])
        w += h / 6 * (k1[1] + 2 * k2[1] + 2 * k3[1] + k4[1])
    return a


def crank_error(_, run, known={}):
    if "angle" not in known:
        known["angle"] = crank_reference()
    return float(abs(run.body("c")[-1, 2] - known["angle"]))


def disk():
    s = 0.15
    return {"gravity": [0, 0, -9.81], "materials": [{"pair": ["*", "*"], "friction": 1.0, "restitution": 0}],
            "bodies": [{"name": "ground", "fixed": True, "shapes": [{"type": "half-space", "material": "floor"}]},
                       {"name": "d", "mass": 1, "inertia": [0.125, 0.125, 0.125], "position": [0, 0, 0.08460677701616003],
                        "orientation": {"axis": [0, 1, 0], "angle": s}, "angular_velocity": [2.3871309185124074, 0.0, -0.4097607558972042],
                        "shapes": [{"type": "cylinder", "radius": 0.5, "length": 0.02}]}], "run": {"dt": 0.008, "until": 0.4}}


def disk_error(_, run):
    """Energy lost, of the energy of motion."""
    energy = run.energy()
    return float(abs(energy[-1] - energy[0]) / run.read("energy/kinetic", "energy").max())


def pendulum():
    a = [1.2, 0.5]
    bodies, joints, x, last = [], [], numpy.zeros(2), "world"
    for k in range(2):
        d = numpy.array([math.sin(a[k]), -math.cos(a[k])])
        bodies.append({"name": f"b{k}", "mass": 1.0, "inertia": 1 / 12, "position": list(x + d / 2), "angle": a[k]})
        joints.append({"type": "revolute", "bodies": [last, f"b{k}"], "point": list(x)})
        x, last = x + d, f"b{k}"
    return {"dimension": 2, "gravity": [0, -9.81], "bodies": bodies, "joints": joints, "run": {"dt": 0.01, "until": 2.0}}


def pendulum_reference():
    """Two rods of 1 m and 1 kg by Runge-Kutta 4 in their two angles."""
    g = 9.81

    def rate(y):
        a, b, u, v = y
        c, s = math.cos(a - b), math.sin(a - b)
        matrix = numpy.array([[4 / 3, c / 2], [c / 2, 1 / 3]])
        right = numpy.array([-s / 2 * v * v - 1.5 * g * math.sin(a), s / 2 * u * u - 0.5 * g * math.sin(b)])
        return numpy.concatenate(([u, v], numpy.linalg.solve(matrix, right)))

    y, n = numpy.array([1.2, 0.5, 0.0, 0.0]), 8000
    h = 2.0 / n
    for _ in range(n):
        k1 = rate(y)
        k2 = rate(y + h / 2 * k1)
        k3 = rate(y + h / 2 * k2)
        k4 = rate(y + h * k3)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return y[:2]


def pendulum_error(_, run, known={}):
    if "angles" not in known:
        known["angles"] = pendulum_reference()
    return float(max(abs(run.body(f"b{k}")[-1, 2] - known["angles"][k]) for k in range(2)))


def block():
    """A block falls flat from 0.5 m with restitution 0.7 and bounces three times within 1.2 s."""
    return {"dimension": 2, "gravity": [0, -9.81], "materials": [{"pair": ["*", "*"], "friction": 0.3, "restitution": 0.7}],
            "bodies": [{"name": "ground", "fixed": True, "shapes": [{"type": "half-plane", "material": "a"}]},
                       {"name": "block", "mass": 1, "inertia": 0.01, "position": [0, 0.55], "shapes": [{"type": "box", "size": [0.2, 0.1], "material": "a"}]}],
            "run": {"dt": 0.004, "until": 1.2}}


def block_error(scene, run):
    """Largest error of the height at the end of steps, m."""
    g, e = 9.81, 0.7
    hit = math.sqrt(2 * 0.5 / g)
    hits, speed = [(0.0, 0.0, 0.5), (hit, e * g * hit, 0.0)], e * g * hit
    while hits[-1][0] < scene["run"]["until"]:
        hits.append((hits[-1][0] + 2 * speed / g, e * speed, 0.0))
        speed *= e
    t = run.time()
    exact = numpy.array([next(z + v * (x - s) - g / 2 * (x - s) ** 2 for s, v, z in reversed(hits) if s <= x) for x in t])
    return float(abs(run.body("block")[:, 1] - 0.05 - exact).max())


SCENES = {
    "heavy top, thin": (lambda: top(0.001), top_error, "axis"),
    "heavy top, thick": (lambda: top(0.0035), top_error, "axis"),
    "turntable": (turntable, turntable_error, "m"),
    "cam": (cam, cam_error, "N"),
    "slider-crank": (crank, crank_error, "rad"),
    "rolling disk": (disk, disk_error, "energy"),
    "double pendulum": (pendulum, pendulum_error, "rad"),
    "bouncing block": (block, block_error, "m"),
}


# ---- table ----


def errors_of(program, make, error, scheme):
    found = []
    for k in range(4):
        scene = make()
        scene["run"]["scheme"] = scheme
        scene["run"]["dt"] /= 2**k
        run = Run(program, scene, ("--locate", "0"), limit=60)
        try:
            if run.code is None or run.code > 1:
                return found, run.message.splitlines()[-1] if run.message else "no result"
            found.append((error(scene, run), run.certified()))
        finally:
            run.close()
    return found, ""


def line_of(found, message):
    if message:
        return "– (" + message[:90] + ")"
    text = "  ".join(f"{value:8.2e}{'' if certified else '!'}" for value, certified in found)
    last, before = found[-1][0], found[-2][0]
    return f"{text}   order {math.log2(before / last):5.2f}" if last > 0 and before > 0 else text


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", nargs="?", default=os.path.join(TOP, "build", "release", "cli", "asperity"))
    parser.add_argument("--only", default="")
    parser.add_argument("--scheme", default="")
    options = parser.parse_args()
    for name, (make, error, unit) in SCENES.items():
        if options.only not in name:
            continue
        print(f"{name}: errors ({unit}) at dt = {make()['run']['dt'] * 1e3:g} ms and its half, quarter, eighth; !: not certified")
        for scheme in SCHEMES:
            if options.scheme in scheme:
                print(f"  {scheme:18s} {line_of(*errors_of(options.program, make, error, scheme))}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

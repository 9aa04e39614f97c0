#!/usr/bin/env python3
"""Everyday mechanisms against their closed forms: belt, brake, ladder, wedge, screw, turntable, rope, gears, clamp, toggle, bounces; impacts in a row and on moving walls (impacts_known.py); loads that jump, faces that end (loads_known.py), laws of friction (laws_known.py), bodies exactly flush (aligned_known.py); billiards, vehicles, linkages, fluids, beams (machines_known.py).

Each scene has one number that mechanics gives on paper, or that a small integration with 10^5 steps gives. It is run with the four rigid
schemes at two steps. `right`: within 1 % of body size plus way (of the force, where a force is asked); otherwise `flagged` where
the program said that the run is not to be trusted (exit code 1), and WRONG where it vouched for it. Exit code 1 where one is WRONG.
Needs python3-h5py and python3-numpy.

  bench/truth/closed_forms.py build/release/cli/asperity [--only NAME ...] [--dt 0.01 0.002] [--schemes moreau-jean ...]
"""
import argparse
import fnmatch
import math
import sys

import numpy

from harness import Run
import aligned_known
import impacts_known
import laws_known
import loads_known
import machines_known

G = 9.81
DOWN = [0, -G]
SCHEMES = ["moreau-jean", "stewart-trinkle", "generalized-alpha", "event-driven"]
ALLOWED = 0.01
LIMIT = 120  # s, of a run
GROUND = {"name": "ground", "fixed": True, "shapes": [{"type": "half-plane"}]}


def plane(bodies, gravity=DOWN, friction=0.0, restitution=0.0, **rest):
    law = [{"pair": ["*", "*"], "friction": friction, "restitution": restitution}]
    return {"dimension": 2, "gravity": gravity, "materials": law, "bodies": bodies, **rest}


def box(name, mass, position, size, **rest):
    return {"name": name, "mass": mass, "position": position, "shapes": [{"type": "box", "size": size}], **rest}


def position(name, axis):
    return lambda run: next(b for b in run["final"]["bodies"] if b["name"] == name)["position"][axis]


def probe(name, sign=1):
    return lambda run: sign * run["probes"][name]["final"]


# Every function returns: scene, end (s), what is read from the JSON, what it should be, the scale of the error.


def box_reaches_the_speed_of_its_belt():
    v, mu, end = 1.3, 0.4, 0.6
    belt = {"name": "belt", "fixed": True, "shapes": [{"type": "box", "size": [20, 1], "position": [0, -0.5], "surface_velocity": v}]}
    slid = v / (mu * G)
    way = 0.5 * v * slid + v * (end - slid)
    return plane([belt, box("box", 2, [0, 0.1], [0.4, 0.2])], friction=mu), end, position("box", 0), way, 0.4 + way


def brake_shoe_strengthens_itself():
    mu, arm, force = 0.4, 0.1, 20.0
    drum = {"name": "drum", "motion": {"position": [0, 0], "rotation": "10*t"}, "shapes": [{"type": "disk", "radius": 0.3}]}
    shoe = {"name": "shoe", "mass": 1, "inertia": 0.1, "position": [0, 0.3 + arm],
            "shapes": [{"type": "box", "size": [0.06, 0.02], "position": [0, 0.01 - arm]}]}
    scene = plane([drum, shoe], [0, 0], mu,
                  joints=[{"type": "revolute", "bodies": ["world", "shoe"], "point": [-0.4, 0.3 + arm]}],
                  forces=[{"type": "force", "body": "shoe", "point": [0.6, 0.3 + arm], "force": [0, -force]}],
                  probes=[{"name": "press", "type": "contact", "bodies": ["shoe", "drum"]}])
    normal = force / (0.4 - mu * arm)
    return scene, 0.05, probe("press.fy"), normal, normal


FLOOR, WALL, LADDER = 0.5, 0.3, 4.0


def ladder(factor):
    """Leaning at `factor` of the angle below which it slips: tan a = (1 - mu_floor mu_wall) / (2 mu_floor)."""
    a = math.atan((1 - FLOOR * WALL) / (2 * FLOOR)) * factor
    h = LADDER / 2
    room = {"name": "room", "fixed": True, "shapes": [{"type": "half-plane", "material": "floor"},
                                                      {"type": "half-plane", "material": "wall", "normal": [-1, 0]}]}
    body = {"name": "ladder", "mass": 10, "inertia": 10 * LADDER**2 / 12, "position": [-h * math.cos(a), h * math.sin(a)], "angle": a,
            "shapes": [{"type": "point", "position": [x, 0], "material": "wood"} for x in (-h, h)]}
    scene = plane([room, body])
    scene["materials"] = [{"pair": ["wood", "floor"], "friction": FLOOR}, {"pair": ["wood", "wall"], "friction": WALL}]
    return scene, a


def ladder_stands():
    scene, a = ladder(1.003)
    return scene, 2.0, position("ladder", 1), LADDER / 2 * math.sin(a), LADDER


def ladder_slips():
    scene, a = ladder(0.9)
    m, inertia, h, end, count = 10, 10 * LADDER**2 / 12, LADDER / 2, 0.6, 20000

    def turn(q, w):
        c, s = math.cos(q), math.sin(q)
        rows = [[m * h * s, -FLOOR, 1], [m * h * c, -1, -WALL], [inertia, h * c - h * s * FLOOR, -h * c * WALL - h * s]]
        return numpy.linalg.solve(rows, [-m * h * c * w * w, m * h * s * w * w - m * G, 0])[0]

    q, w, dt = a, 0.0, end / count
    for _ in range(count):
        half = w + dt / 2 * turn(q, w)
        w += dt * turn(q + dt / 2 * w, half)
        q += dt * half
    return scene, end, position("ladder", 1), h * math.sin(q), LADDER


def wedge_lifts_a_load():
    mu, slope, m = 0.2, 0.2, 5.0
    wedge = {"name": "wedge", "mass": 0.001, "inertia": 0.001, "shapes": [{"type": "polygon", "points": [[0, 0], [1, 0], [1, math.tan(slope)]]}]}
    load = {"name": "load", "mass": m, "inertia": 1, "position": [0.5, 0.5 * math.tan(slope) + 0.2], "shapes": [{"type": "point", "position": [0, -0.2]}]}
    scene = plane([wedge, load], friction=mu,
                  joints=[{"type": "prismatic", "bodies": ["world", "load"], "axis": [0, 1]},
                          {"name": "push", "type": "prismatic", "bodies": ["world", "wedge"], "axis": [-1, 0], "motor": {"velocity": 0.05}}],
                  probes=[{"name": "force", "value": "push.motor"}])
    force = m * G * math.tan(slope + math.atan(mu))
    return scene, 1.0, probe("force"), force, force


def nut_on_a_screw(friction, pitch, end):
    m, inertia, turn = 10, 0.02, pitch / (2 * math.pi)
    scene = {"gravity": [0, 0, -G], "bodies": [{"name": "nut", "mass": m, "inertia": [inertia] * 3, "position": [0, 0, 1]}],
             "joints": [{"type": "screw", "bodies": ["world", "nut"], "point": [0, 0, 1], "axis": [0, 0, 1], "pitch": pitch,
                         "friction": friction * m * G * turn}]}
    way = 0.5 * end**2 * m * G * turn * max(0, 1 - friction) / (inertia + m * turn**2) * turn
    return scene, end, position("nut", 2), 1 - way, way if way else 1


def screw_locks():
    return nut_on_a_screw(1.001, 0.01, 2.0)


def screw_runs():
    return nut_on_a_screw(0.5, 0.1, 1.0)


def box_rides_on_a_turntable():
    mu, r, w, end = 0.3, 0.5, 2.3, 1.0  # 90 % of the friction
    table = {"name": "table", "motion": {"position": [0, 0, 0], "rotation": f"{w}*t"},
             "shapes": [{"type": "cylinder", "radius": 1, "length": 0.1, "position": [0, 0, -0.05]}]}
    rider = box("box", 0.1, [r, 0, 0.02], [0.04] * 3, velocity=[0, w * r, 0], angular_velocity=[0, 0, w])
    scene = {"gravity": [0, 0, -G], "materials": [{"pair": ["*", "*"], "friction": mu}], "bodies": [table, rider]}
    return scene, end, position("box", 0), r * math.cos(w * end), 0.04 + r * w * end


def lower_of_two_boxes_is_pulled_away():
    mu, low, up, force, end = 0.2, 2, 1, 20, 0.4
    scene = plane([GROUND, box("low", low, [0, 0.1], [2, 0.2]), box("up", up, [0, 0.3], [0.2, 0.2])], friction=mu,
                  forces=[{"type": "force", "body": "low", "point": [0, 0], "force": [force, 0]}])
    way = 0.5 * (force - mu * G * (2 * up + low)) / low * end**2
    return scene, end, position("low", 0), way, 2 + way


def weights_on_a_rope_over_a_drum():
    heavy, light, end = 3, 2, 0.8
    scene = plane([{"name": "heavy", "mass": heavy, "inertia": 1, "position": [-0.5, -1]}, {"name": "light", "mass": light, "inertia": 1, "position": [0.5, -1]}],
                  joints=[{"type": "tendon", "path": [{"body": "heavy", "point": [-0.5, -1]},
                                                      {"body": "world", "point": [0, 0], "around": "sphere", "radius": 0.5, "side": [0, 1]},
                                                      {"body": "light", "point": [0.5, -1]}]}])
    way = 0.5 * (heavy - light) / (heavy + light) * G * end**2
    return scene, end, position("heavy", 1), -1 - way, 1 + way


def torque_on_a_pair_of_gears():
    first, second, ratio, torque, end = 0.1, 0.4, -3.0, 1.0, 1.0
    scene = plane([{"name": "a", "mass": 1, "inertia": first}, {"name": "b", "mass": 1, "inertia": second, "position": [1, 0]}], [0, 0],
                  joints=[{"name": "ja", "type": "revolute", "bodies": ["world", "a"], "point": [0, 0]},
                          {"name": "jb", "type": "revolute", "bodies": ["world", "b"], "point": [1, 0]},
                          {"type": "gear", "joints": ["ja", "jb"], "ratio": ratio}],
                  forces=[{"type": "torque", "body": "a", "torque": torque}], probes=[{"name": "angle", "value": "ja.coordinate"}])
    angle = 0.5 * torque / (first + second / ratio**2) * end**2
    return scene, end, probe("angle"), angle, 1 + angle


def pendulum_comes_back():
    length, a = 1.0, 0.5
    start = [length * math.sin(a), -length * math.cos(a)]
    scene = plane([{"name": "bob", "mass": 1, "inertia": 0.001, "position": start}],
                  joints=[{"type": "distance", "bodies": ["world", "bob"], "point": [0, 0], "point_b": start}])
    x, y = 1.0, math.cos(a / 2)  # the arithmetic-geometric mean gives the period
    for _ in range(40):
        x, y = (x + y) / 2, math.sqrt(x * y)
    return scene, 2 * 2 * math.pi * math.sqrt(length / G) / x, position("bob", 0), start[0], 8 * a * length


def pair_on_a_spring_bounces_without_gravity():
    wall = {"name": "wall", "fixed": True, "shapes": [{"type": "half-plane", "normal": [1, 0]}]}
    disks = [{"name": name, "mass": m, "inertia": 1, "position": [x, 0], "velocity": [-1, 0], "shapes": [{"type": "disk", "radius": 0.1}]}
             for name, m, x in (("near", 1, 0.5), ("far", 3, 1.5))]
    scene = plane([wall, *disks], [0, 0], 0, 1.0, forces=[{"type": "spring", "bodies": ["near", "far"], "points": [[0.5, 0], [1.5, 0]], "stiffness": 50}])
    a, b, va, vb, end, count = 0.5, 1.5, -1.0, -1.0, 1.2, 400000
    h = end / count
    for _ in range(count):
        f = 50 * (b - a - 1)
        va, vb = va + h * f, vb - h * f / 3
        a, b = a + h * va, b + h * vb
        if a < 0.1 and va < 0:
            a, va = 0.2 - a, -va
    return scene, end, position("far", 0), b, 0.2 + 1.2


def clamped_plate(force, end):
    press = 100
    scene = plane([{"name": "base", "fixed": True, "shapes": [{"type": "half-plane"}]}, box("plate", 1, [0, 0.05], [0.4, 0.1]), box("jaw", 0.5, [0, 0.15], [0.1, 0.1])],
                  [0, 0], 0.3, joints=[{"type": "prismatic", "bodies": ["world", "jaw"], "axis": [0, -1], "motor": {"velocity": 1, "effort": press}}],
                  forces=[{"type": "force", "body": "plate", "force": [force, 0]}])
    way = 0.5 * max(0, force - 2 * 0.3 * press) * end**2
    return scene, end, position("plate", 0), way, 0.4 + way


def clamp_holds():
    return clamped_plate(59.5, 1.0)


def clamp_slips():
    return clamped_plate(64.0, 0.3)


def cylinder_rolls_down():
    slope, r, end = 0.3, 0.1, 0.8
    roller = {"name": "roller", "mass": 1, "position": [0, 0, r], "orientation": {"axis": [1, 0, 0], "angle_deg": 90}, "shapes": [{"type": "cylinder", "radius": r, "length": 0.3}]}
    scene = {"gravity": [G * math.sin(slope), 0, -G * math.cos(slope)], "materials": [{"pair": ["*", "*"], "friction": 0.3}],
             "bodies": [{"name": "plane", "fixed": True, "shapes": [{"type": "half-space"}]}, roller]}
    way = G * math.sin(slope) * end**2 / 3
    return scene, end, position("roller", 0), way, 0.3 + way


def wall_pushes_two_boxes():
    mu = 0.4
    wall = {"name": "wall", "motion": {"position": ["0.2*t", 0.1]}, "shapes": [{"type": "box", "size": [0.1, 0.19], "material": "ice"}]}
    scene = plane([GROUND, wall, box("a", 1, [0.15, 0.1], [0.2, 0.2]), box("b", 2, [0.35, 0.1], [0.2, 0.2])], probes=[{"name": "push", "type": "contact", "bodies": ["a", "wall"]}])
    for body in scene["bodies"][2:]:
        body["shapes"][0]["material"] = "ice"
    scene["materials"] = [{"pair": ["ice", "default"], "friction": mu}, {"pair": ["ice", "ice"], "friction": 0}]
    return scene, 1.0, probe("push.fx"), mu * 3 * G, mu * 3 * G


def toggle_presses_on_a_stop():
    a, force = 0.15, 10.0
    c, s = math.cos(a), math.sin(a)
    links = [{"name": n, "mass": 0.1, "inertia": 0.01, "position": [x * c, s / 2], "angle": t} for n, x, t in (("left", 0.5, a), ("right", 1.5, -a))]
    slide = {"name": "slide", "mass": 0.1, "inertia": 0.01, "position": [2 * c, 0], "shapes": [{"type": "disk", "radius": 0.05}]}
    stop = {"name": "stop", "fixed": True, "shapes": [{"type": "half-plane", "normal": [-1, 0], "position": [2 * c + 0.05, 0]}]}
    scene = plane([*links, slide, stop], [0, 0],
                  joints=[{"type": "revolute", "bodies": ["world", "left"], "point": [0, 0]}, {"type": "revolute", "bodies": ["left", "right"], "point": [c, s]},
                          {"type": "revolute", "bodies": ["right", "slide"], "point": [2 * c, 0]}, {"type": "prismatic", "bodies": ["world", "slide"], "axis": [1, 0]}],
                  forces=[{"type": "force", "body": "left", "point": [c, s], "force": [0, -force]}], probes=[{"name": "press", "type": "contact", "bodies": ["slide", "stop"]}])
    normal = force / 2 / math.tan(a)
    return scene, 0.3, probe("press.fx", -1), normal, normal


def ball_bounces_lower_and_lower():
    e, height, end = 0.7, 1.0, 1.5
    ball = {"name": "ball", "mass": 1, "inertia": 1, "position": [0, height + 0.1], "shapes": [{"type": "disk", "radius": 0.1}]}
    t, v, way = math.sqrt(2 * height / G), math.sqrt(2 * G * height) * e, height
    while t + 2 * v / G < end:
        way += v * v / G
        t, v = t + 2 * v / G, v * e
    y = v * (end - t) - 0.5 * G * (end - t) ** 2
    return plane([GROUND, ball], restitution=e), end, position("ball", 1), 0.1 + y, 0.2 + way


def rod_falls_on_its_limit():
    e, end, count = 0.5, 1.2, 400000
    scene = plane([{"name": "rod", "mass": 1, "inertia": 1 / 12, "position": [0.5, 0]}],
                  joints=[{"name": "hinge", "type": "revolute", "bodies": ["world", "rod"], "point": [0, 0], "limits_deg": [-90, None], "limit_restitution": e}],
                  probes=[{"name": "angle", "value": "hinge.coordinate"}])
    q, w, h, way = 0.0, 0.0, end / count, 0.0
    for _ in range(count):
        w -= h / 2 * 1.5 * G * math.cos(q)
        q, way = q + h * w, way + h * abs(w)
        w -= h / 2 * 1.5 * G * math.cos(q)
        if q < -math.pi / 2 and w < 0:
            q, w = -math.pi - q, -e * w
    return scene, end, probe("angle"), q, 1 + way


def ball_strikes_the_floor_at_a_slant():
    e, end = 0.8, 0.5
    ball = {"name": "ball", "mass": 1, "position": [0, 0, 0.4], "velocity": [1, 0, -3], "shapes": [{"type": "sphere", "radius": 0.1}]}
    scene = {"gravity": [0, 0, 0], "materials": [{"pair": ["*", "*"], "friction": 0.6, "restitution": e}],
             "bodies": [{"name": "floor", "fixed": True, "shapes": [{"type": "half-space"}]}, ball]}
    x = 0.1 + 5 / 7 * (end - 0.1)  # it leaves rolling
    return scene, end, position("ball", 0), x, 0.2 + x


SCENES = [box_reaches_the_speed_of_its_belt, brake_shoe_strengthens_itself, ladder_stands, ladder_slips, wedge_lifts_a_load, screw_locks, screw_runs,
          box_rides_on_a_turntable, lower_of_two_boxes_is_pulled_away, weights_on_a_rope_over_a_drum, torque_on_a_pair_of_gears, pendulum_comes_back,
          pair_on_a_spring_bounces_without_gravity, clamp_holds, clamp_slips, cylinder_rolls_down, wall_pushes_two_boxes, toggle_presses_on_a_stop,
          ball_bounces_lower_and_lower, rod_falls_on_its_limit, ball_strikes_the_floor_at_a_slant]


def bounces(scene):
    return any(law.get("restitution") for law in scene.get("materials", [])) or any("limit_restitution" in joint for joint in scene.get("joints", []))


def judge(name, scheme, dt, code, message, error):
    if error is None:
        verdict = "not run"
    elif error <= ALLOWED:
        verdict = "right" if code == 0 else "right, flagged"
    else:
        verdict = "flagged" if code == 1 else "WRONG"
    shown = "" if error is None else f"{error:.1e}"
    print(f"{name:42s} {scheme:18s} {dt:7g} {shown:>8s}  {verdict:15s} {message[:100] if verdict != 'right' else ''}", flush=True)
    return verdict


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--only", nargs="+", metavar="NAME")
    parser.add_argument("--dt", nargs="+", type=float, default=[0.01, 0.002])
    parser.add_argument("--schemes", nargs="+", default=SCHEMES)
    args = parser.parse_args()
    count = {}
    for name, make in [(make.__name__, make) for make in SCENES] + impacts_known.cases() + loads_known.cases() + laws_known.cases() + aligned_known.cases() + machines_known.cases():
        if args.only and not any(fnmatch.fnmatch(name, only) for only in args.only):
            continue
        scene, end, read, wanted, scale = make()
        for scheme in args.schemes:
            if scheme == "stewart-trinkle" and bounces(scene):
                continue  # it has no restitution
            if scheme == "event-driven" and "beams" in scene:
                continue  # it has no flexible bodies
            for dt in args.dt:
                run = Run(args.program, {**scene, "run": {"scheme": scheme, "dt": dt, "until": end}}, limit=LIMIT)
                run.close()
                error = abs(read(run.summary) - wanted) / scale if run.summary.get("final") else None
                verdict = judge(name, scheme, dt, run.code, run.message.replace("asperity run: ", ""), error)
                count[verdict] = count.get(verdict, 0) + 1
    print(", ".join(f"{number} {verdict}" for verdict, number in sorted(count.items())))
    return 1 if "WRONG" in count or "not run" in count else 0


if __name__ == "__main__":
    sys.exit(main())

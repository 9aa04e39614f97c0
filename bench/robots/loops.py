"""Mechanisms with closed loops, and the same cut open at one joint, as scenes."""
import math


def bar(name, a, b, mass=1.0):
    """A slender bar from a to b, its frame along the world's axes: inertia of a ball of the same size suffices here."""
    length = math.dist(a, b)
    moment = mass * length * length / 12
    return {"name": name, "mass": mass, "inertia": [moment] * 3, "position": [(x + y) / 2 for x, y in zip(a, b)]}


def hinge(a, b, point, axis=(0, 1, 0), name=None):
    return {"name": name or f"{a}-{b}", "type": "revolute", "bodies": [a, b], "point": list(point), "axis": list(axis)}


def four_bar():
    """Crank, coupler and rocker, all hinges about y: in space three of the four hinges' conditions are redundant."""
    at = [[0, 0, 0], [0, 0, 0.2], [0.5, 0, 0.4], [0.4, 0, 0]]
    bodies = [bar("crank", at[0], at[1]), bar("coupler", at[1], at[2]), bar("rocker", at[2], at[3])]
    return bodies, [hinge("world", "crank", at[0]), hinge("crank", "coupler", at[1]), hinge("coupler", "rocker", at[2]),
                    hinge("world", "rocker", at[3])]


def slider_crank():
    at = [[0, 0, 0], [0.1, 0, 0.2], [0.7, 0, 0]]
    bodies = [bar("crank", at[0], at[1]), bar("rod", at[1], at[2]),
              {"name": "slider", "mass": 2.0, "inertia": [0.01] * 3, "position": at[2]}]
    return bodies, [hinge("world", "crank", at[0]), hinge("crank", "rod", at[1]), hinge("rod", "slider", at[2]),
                    {"name": "guide", "type": "prismatic", "bodies": ["world", "slider"], "point": at[2], "axis": [1, 0, 0]}]


def stewart():
    """Six legs of two parts each: a ball joint below, a guide along the leg with spring and damper, a ball joint above."""
    bodies, joints = [{"name": "platform", "mass": 10.0, "inertia": [0.5, 0.5, 0.9], "position": [0, 0, 1]}], []
    for leg in range(6):
        low, high = 2 * math.pi * (leg // 2) / 3 + (0.2 if leg % 2 else -0.2), 2 * math.pi * (leg // 2) / 3 + (0.85 if leg % 2 else -0.85)
        a, b = [math.cos(low), math.sin(low), 0], [0.5 * math.cos(high), 0.5 * math.sin(high), 1]
        middle = [(x + y) / 2 for x, y in zip(a, b)]
        bodies += [bar(f"tube{leg}", a, middle, 0.5), bar(f"rod{leg}", middle, b, 0.5)]
        along = [(y - x) / math.dist(a, b) for x, y in zip(a, b)]
        joints += [{"name": f"foot{leg}", "type": "spherical", "bodies": ["world", f"tube{leg}"], "point": a},
                   {"name": f"guide{leg}", "type": "prismatic", "bodies": [f"tube{leg}", f"rod{leg}"], "point": middle, "axis": along,
                    "spring": {"stiffness": 5000, "damping": 50, "rest": 0}},
                   {"name": f"head{leg}", "type": "spherical", "bodies": [f"rod{leg}", "platform"], "point": b}]
    return bodies, joints


def parallel_gripper():
    """Two fingers, each on two parallel cranks that hang from a palm: four-bars side by side."""
    bodies, joints = [{"name": "palm", "mass": 1.0, "inertia": [0.01] * 3, "position": [0, 0, 0.5]}], []
    joints.append({"name": "wrist", "type": "prismatic", "bodies": ["world", "palm"], "point": [0, 0, 0.5], "axis": [0, 0, 1],
                   "spring": {"stiffness": 2000, "damping": 20, "rest": 0}})
    for side, x in (("left", -1), ("right", 1)):
        finger = {"name": f"{side}", "mass": 0.2, "inertia": [1e-3] * 3, "position": [x * 0.1, 0, 0.3]}
        bodies.append(finger)
        for part, dx in (("inner", 0.0), ("outer", 0.03)):
            top, low = [x * (0.04 + dx), 0, 0.48], [x * (0.08 + dx), 0, 0.36]
            name = f"{side}-{part}"
            bodies.append(bar(name, top, low, 0.05))
            joints += [hinge("palm", name, top, name=f"{name}-top"), hinge(name, side, low, name=f"{name}-low")]
    return bodies, joints


CUT = {"four-bar": (four_bar, ["world-rocker"]), "slider-crank": (slider_crank, ["guide"]),
       "stewart platform": (stewart, [f"head{leg}" for leg in range(1, 6)]),
       "parallel gripper": (parallel_gripper, ["left-outer-low", "right-outer-low"])}


def all_of():
    """Pairs (closed, open)."""
    for name, (draw, cut) in CUT.items():
        pair = []
        for how in ("closed", "open"):
            bodies, joints = draw()
            kept = joints if how == "closed" else [j for j in joints if j["name"] not in cut]
            pair.append({"name": f"{name} {how}", "gravity": [0, 0, -9.81], "bodies": bodies, "joints": kept, "materials": [],
                         "run": {"dt": 1e-3, "until": 10}})
        yield pair

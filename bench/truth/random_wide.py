"""What the rest of the scene format has, drawn into a scene of random_scenes.py: laws of friction that depend on the slip, rolling resistance, belts,
grounds of boxes and height fields, compounds, hulls, ellipsoids and cones, servos, armatures, efforts, couplings, ropes, screws, ball springs, joints that an event
releases. Drawn from a stream of its own: scenes without it stay as they are.
"""
import math
import random


def laws(draw, scene):
    law = scene["materials"][0]
    kind = draw.random()
    if kind < 0.25 and law["friction"] > 0:
        law["static_friction"] = round(law["friction"] * draw.uniform(1.1, 2), 3)
        if draw.random() < 0.5:
            law["stribeck_speed"] = round(10 ** draw.uniform(-1.3, 0), 3)
    elif kind < 0.4:
        law["rolling"] = round(10 ** draw.uniform(-3.5, -2.3), 5)
    elif kind < 0.5 and scene["dimension"] == 3:
        law["spinning"] = round(10 ** draw.uniform(-3.5, -2.3), 5)
    elif kind < 0.58 and scene["dimension"] == 3 and law["friction"] > 0:
        law["contact_radius"] = round(draw.uniform(0.003, 0.03), 4)
    elif kind < 0.66 and law["friction"] > 0:
        law["tangential_restitution"] = draw.choice([0.3, 0.7])


def ground(draw, scene):
    """The ground as a box, a belt or a height field."""
    flat = next((b for b in scene["bodies"] if b.get("fixed")), None)
    kind, space = draw.random(), scene["dimension"] == 3
    if not flat or kind > 0.6:
        return
    size = [8, 8, 0.5] if space else [8, 0.5]
    slab = {"type": "box", "size": size, "position": [0] * (len(size) - 1) + [-0.25]}
    if kind < 0.2:
        speed = draw.choice([0.5, -1.0, "0.8*sin(5*t)"])
        slab["surface_velocity"] = [speed, 0, 0] if space else speed
    elif kind < 0.4 and space:
        count, step = 17, 0.5
        heights = [[round(draw.uniform(0, 0.06), 3) for _ in range(count)] for _ in range(count)]
        slab = {"type": "height-field", "spacing": [step, step], "heights": heights, "position": [-4, -4, -0.06]}
    flat["shapes"] = [slab]


def shapes(draw, scene):
    space = scene["dimension"] == 3
    for body in scene["bodies"]:
        if "mass" not in body or not body["name"].startswith("body") or draw.random() > 0.4:
            continue
        size = draw.uniform(0.1, 0.3)
        if draw.random() < 0.5:  # a compound
            offset = [round(draw.uniform(-0.5, 0.5) * size, 3) for _ in range(scene["dimension"])]
            body["shapes"].append({"type": "sphere" if space else "disk", "radius": round(size * 0.35, 4), "position": offset})
        elif space:
            kind = draw.choice(["ellipsoid", "cone", "convex"])
            body["shapes"] = [{"ellipsoid": {"type": kind, "radii": [round(size * draw.uniform(0.3, 0.6), 4) for _ in range(3)]},
                               "cone": {"type": kind, "radius": round(size * 0.4, 4), "length": round(size, 4)},
                               "convex": {"type": kind, "points": [[round(draw.gauss(0, 0.4) * size, 4) for _ in range(3)] for _ in range(9)]}}[kind]]


def coordinates(draw, scene):
    """Servos, armatures and efforts on joints that have nothing else to do."""
    for number, joint in enumerate(scene["joints"]):
        joint["name"] = f"joint{number}"
        if joint["type"] == "spherical" and draw.random() < 0.4:
            joint["spring"] = {"stiffness": round(draw.uniform(0.5, 20), 3), "damping": round(draw.uniform(0, 0.2), 3)}
        if joint["type"] not in ("revolute", "prismatic") or any(key in joint for key in ("motor", "spring", "angle", "displacement", "friction")):
            continue
        kind = draw.random()
        if kind < 0.25:
            joint["servo"] = {"kp": round(10 ** draw.uniform(0.5, 2.5), 2), "kd": round(10 ** draw.uniform(-0.5, 1), 3), "target": draw.choice([0.4, "0.5*sin(4*t)"]),
                              "effort": round(10 ** draw.uniform(0, 2), 2)}
        elif kind < 0.45:
            joint["armature"] = round(10 ** draw.uniform(-2.5, 0), 4)
        elif kind < 0.65:
            joint["effort"] = draw.choice([f"{draw.uniform(0.5, 4):.3f}*sin({draw.uniform(3, 12):.3f}*t)", round(draw.uniform(-3, 3), 3)])
        elif kind < 0.75 and scene["dimension"] == 3 and joint["type"] == "revolute":
            joint.update(type="screw", pitch=round(draw.choice([-1, 1]) * draw.uniform(0.05, 0.4), 3))
        if "contact" in joint and draw.random() < 0.15:
            del joint["contact"]
            joint["active"] = True
            scene.setdefault("events", []).append({"when": f"t > {draw.uniform(0.2, 0.7) * scene['run']['until']:.5f}", "release": joint["name"]})


def ropes(draw, scene):
    """A coupling of two coordinates; a rope that may hang loose, or a stiff one."""
    turning = [j["name"] for j in scene["joints"] if j["type"] in ("revolute", "prismatic") and "active" not in j and "angle" not in j and "displacement" not in j]
    if len(turning) > 1 and draw.random() < 0.3:
        scene["joints"].append({"name": "gear", "type": "coupling", "joints": turning[:2], "factors": [1, round(draw.choice([-1, 1]) * draw.uniform(0.3, 2), 3)]})
    loose = [b for b in scene["bodies"] if "mass" in b]
    if draw.random() < 0.3:
        body = draw.choice(loose)
        peg = [round(x + d, 3) for x, d in zip(body["position"], [0.4, 0.7] if scene["dimension"] == 2 else [0.4, 0.3, 0.7])]
        length = math.dist(peg, body["position"])
        rope = {"name": "rope", "type": "tendon", "path": [{"body": "world", "point": peg}, {"body": body["name"], "point": body["position"]}]}
        if draw.random() < 0.7:
            rope["limits"] = [None, round(length * draw.uniform(1.02, 1.5), 4)]
        scene["joints"].append(rope)


def widened(scene, seed):
    draw = random.Random(f"wide {seed}")
    laws(draw, scene)
    ground(draw, scene)
    shapes(draw, scene)
    coordinates(draw, scene)
    ropes(draw, scene)
    return scene

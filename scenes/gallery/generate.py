#!/usr/bin/env python3
"""Writes the scenes of gallery and course that are too long to write by hand. Run in this folder: ./generate.py

Python's standard library alone; numbers are rounded to 12 digits so that every machine writes the same files."""
import json
import math

SCHEMA = "../../schema/scene.schema.json"
GRAVITY = [0, 0, -9.81]
FLOOR = {"name": "floor", "fixed": True, "shapes": [{"type": "half-space", "material": "floor"}]}


def tidy(value):
    """Numbers to 12 digits, -0 to 0, whole numbers without a point."""
    if isinstance(value, float):
        value = float(f"{value:.12g}") + 0.0
        return int(value) if value == int(value) and abs(value) < 1e9 else value
    if isinstance(value, dict):
        return {key: tidy(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [tidy(item) for item in value]
    return value


def write(name, description, materials, bodies, run, **more):
    """One line per body, so that a difference can be read."""
    scene = {"$schema": SCHEMA, "name": more.pop("title", name.replace("-", " ")), "description": description, "gravity": GRAVITY}
    scene.update(more)
    scene["materials"] = materials
    lines = ["{"]
    for key, value in scene.items():
        lines.append(f"  {json.dumps(key)}: {json.dumps(tidy(value))},")
    lines.append('  "bodies": [')
    lines.append(",\n".join("    " + json.dumps(tidy(body)) for body in bodies))
    lines.append("  ],")
    lines.append(f'  "run": {json.dumps(tidy(run))}')
    lines.append("}")
    with open(name + ".json", "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


def about(axis, angle):
    """Unit quaternion of a turn by `angle` about a coordinate axis."""
    half = angle / 2
    return [math.cos(half)] + [math.sin(half) if a == axis else 0 for a in "xyz"]


def arch():
    """Semicircular arch of wedge-shaped stones; thickness 0.2 of the mean radius, mu above the 0.39 that it needs."""
    stones, inner, outer, depth = 17, 0.9, 1.1, 0.3
    bodies = [FLOOR]
    for i in range(stones):
        low, high = math.pi * i / stones, math.pi * (i + 1) / stones
        middle = (low + high) / 2
        centre = [math.cos(middle), 0, math.sin(middle)]
        points = [[r * math.cos(a) - centre[0], y, r * math.sin(a) - centre[2]]
                  for a in (low, high) for r in (inner, outer) for y in (-depth / 2, depth / 2)]
        bodies.append({"name": f"stone {i + 1}", "position": centre,
                       "shapes": [{"type": "convex", "points": points, "density": 2400, "material": "stone"}]})
    write("arch", "A semicircular arch of 17 stones without mortar, 20 % of its radius thick: it stands by contact and friction alone.",
          [{"pair": ["stone", "*"], "friction": 0.7}], bodies, {"dt": 0.01, "until": 10, "tolerance": 1e-8})


def card_house():
    """Two storeys: three leaning pairs, one card across."""
    length, width, thick, lean = 0.088, 0.063, 0.002, math.radians(18)
    up, out = (math.sin(lean), math.cos(lean)), (math.cos(lean), -math.sin(lean))
    half, flat = length / 2, thick / 2
    centre_x = -(half * up[0] + flat * out[0])  # the upper inner edge at x = 0
    centre_z = half * up[1] - flat * out[1]  # the lower inner edge at z = 0
    top = centre_z + half * up[1] - flat * out[1]
    span = 2 * abs(centre_x - half * up[0] + flat * out[0])  # distance of the feet of a pair
    bodies = [FLOOR]

    def card(name, position, angle):
        bodies.append({"name": name, "mass": 0.0018, "position": position, "orientation": about("y", angle),
                       "shapes": [{"type": "box", "size": [thick, width, length], "material": "card"}]})

    def pair(number, x, z):
        card(f"card {number} left", [x + centre_x, 0, z + centre_z], lean)
        card(f"card {number} right", [x - centre_x, 0, z + centre_z], -lean)

    pair(1, -span / 2 - 0.004, 0)
    pair(2, span / 2 + 0.004, 0)
    card("card across", [0, 0, top + flat], math.pi / 2)
    pair(3, 0, top + thick)
    write("card-house", "Seven cards in two storeys: thin boxes that lean on each other and must not creep.",
          [{"pair": ["card", "*"], "friction": 0.6}], bodies, {"dt": 0.01, "until": 10, "tolerance": 1e-8})


def domino_run():
    """Dominoes along an S; the first one leans."""
    count, spacing, size = 30, 0.035, [0.012, 0.04, 0.08]
    bodies, x, y, heading = [FLOOR], 0.0, 0.0, 0.0
    for i in range(count):
        turn = about("z", heading)
        body = {"name": f"domino {i + 1}", "mass": 0.03, "position": [x, y, size[2] / 2], "orientation": turn,
                "shapes": [{"type": "box", "size": size, "material": "tile"}]}
        if i == 0:
            body["angular_velocity"] = [0, 4, 0]
            body["velocity"] = [4 * size[2] / 2, 0, 0]
        bodies.append(body)
        heading += math.radians(6) * math.cos(2 * math.pi * i / count)
        x += spacing * math.cos(heading)
        y += spacing * math.sin(heading)
    write("domino-run", "Thirty dominoes on a winding line: the first is pushed, each fells the next at a steady pace.",
          [{"pair": ["tile", "tile"], "friction": 0.3}, {"pair": ["tile", "floor"], "friction": 0.5}], bodies,
          {"dt": 0.0005, "until": 2, "output_every": 4, "tolerance": 1e-8})


def kapla_tower():
    """Square tower of planks, two a layer, crosswise."""
    layers, length, width, height = 20, 0.117, 0.0234, 0.0078
    bodies = [FLOOR]
    for layer in range(layers):
        for side in (-1, 1):
            offset = side * (length / 2 - width / 2)
            along_x = layer % 2 == 0
            bodies.append({"name": f"plank {layer + 1} {'left' if side < 0 else 'right'}", "mass": 0.013,
                           "position": [0 if along_x else offset, offset if along_x else 0, (layer + 0.5) * height],
                           "shapes": [{"type": "box", "material": "wood",
                                       "size": [length, width, height] if along_x else [width, length, height]}]})
    write("kapla-tower", "Forty wooden planks in twenty crossed layers: every plank rests on four corners, more contacts than can be told apart.",
          [{"pair": ["wood", "*"], "friction": 0.4}], bodies, {"dt": 0.01, "until": 10, "tolerance": 1e-8})


def granular_pile():
    """Balls poured into a loose column above rough ground; they come down and form a heap."""
    bodies = [{"name": "ground", "fixed": True, "shapes": [{"type": "half-space", "material": "ground"}]}]
    radius, number = 0.05, 0
    # a ring of fixed balls keeps the heap from running out
    ring = 20
    shapes = [{"type": "sphere", "radius": radius, "material": "ground",
               "position": [0.36 * math.cos(2 * math.pi * k / ring), 0.36 * math.sin(2 * math.pi * k / ring), 0]}
              for k in range(ring)]
    bodies[0]["shapes"] += shapes
    for layer in range(9):
        for i in range(3):
            for j in range(3):
                number += 1
                shift = 0.011 * math.sin(1.7 * number), 0.011 * math.cos(2.3 * number)
                bodies.append({"name": f"grain {number}", "mass": 0.2,
                               "position": [(i - 1) * 0.13 + shift[0], (j - 1) * 0.13 + shift[1], 0.06 + 0.12 * layer],
                               "shapes": [{"type": "sphere", "radius": radius, "material": "grain"}]})
    write("granular-pile", "Eighty-one balls fall onto rough ground and come to rest as a heap. Steps of 5 ms: at 10 ms balls overlap by 4 % of their radius.",
          [{"pair": ["grain", "grain"], "friction": 0.5}, {"pair": ["grain", "ground"], "friction": 0.8}], bodies,
          {"dt": 0.005, "until": 3, "tolerance": 1e-8})


def course_pile():
    """Balls that fall into a tray: a pile to play with. A coarser tolerance than elsewhere, so that it runs in real time in a browser."""
    walls = [[0.55, 0, 0.1, 1.2], [-0.55, 0, 0.1, 1.2], [0, 0.55, 1.2, 0.1], [0, -0.55, 1.2, 0.1]]
    tray = [{"type": "half-space", "material": "tray"}]
    tray += [{"type": "box", "size": [a, b, 0.4], "position": [x, y, 0.2], "material": "tray"} for x, y, a, b in walls]
    bodies = [{"name": "tray", "fixed": True, "shapes": tray}]
    for k in range(200):
        place = [-0.4 + 0.155 * (k % 6) + 0.005 * (k % 7), -0.4 + 0.155 * (k // 6 % 6) + 0.005 * (k % 5), 0.1 + 0.14 * (k // 36)]
        bodies.append({"name": f"ball {k + 1}", "position": place,
                       "shapes": [{"type": "sphere", "radius": 0.06, "density": 1000, "material": "ball"}]})
    write("../course/pile", "Two hundred balls fall into a tray and come to rest. Every step is certified to a residual of 1e-4, not 1e-8: that takes sweeps alone.",
          [{"pair": ["ball", "*"], "friction": 0.4}], bodies,
          {"scheme": "stewart-trinkle", "dt": 0.005, "until": 20, "tolerance": 1e-4}, title="pile of 200 balls")


def billiard_break():
    """Fifteen balls in the triangle, the cue ball at 7 m/s; ball 57.2 mm, 170 g; cushions."""
    radius, gap = 0.0286, 0.0002
    half = [1.27, 0.635]
    walls = [{"type": "half-space", "material": "cloth"}]
    for axis in (0, 1):
        for side in (-1, 1):
            position, normal = [0, 0, 0], [0, 0, 0]
            position[axis], normal[axis] = side * half[axis], -side
            walls.append({"type": "half-space", "material": "cushion", "position": position, "normal": normal})
    bodies = [{"name": "table", "fixed": True, "shapes": walls},
              {"name": "cue ball", "mass": 0.17, "position": [-0.635, 0.004, radius], "velocity": [7, 0, 0],
               "shapes": [{"type": "sphere", "radius": radius, "material": "ball"}]}]
    number, pitch = 0, 2 * radius + gap
    for row in range(5):
        for k in range(row + 1):
            number += 1
            bodies.append({"name": f"ball {number}", "mass": 0.17,
                           "position": [0.635 + row * pitch * math.sqrt(3) / 2, (k - row / 2) * pitch, radius],
                           "shapes": [{"type": "sphere", "radius": radius, "material": "ball"}]})
    write("billiard-break", "The break: sixteen balls, of which the struck one spreads its momentum over the whole rack.",
          [{"pair": ["ball", "ball"], "friction": 0.06, "restitution": 0.95},
           {"pair": ["ball", "cloth"], "friction": 0.2, "restitution": 0.5},
           {"pair": ["ball", "cushion"], "friction": 0.14, "restitution": 0.85}],
          bodies, {"dt": 0.00005, "until": 1.5, "impact": "poisson", "output_every": 20, "tolerance": 1e-8})


def brick_wall():
    """Running bond, half bricks at the ends; a steel ball comes flying."""
    brick, rows, columns = [0.24, 0.115, 0.071], 6, 4
    bodies = [FLOOR]
    for row in range(rows):
        z = (row + 0.5) * brick[2]
        pieces = []
        if row % 2 == 0:
            pieces = [(-(columns - 1) / 2 + k, 1.0) for k in range(columns)]
        else:
            pieces = [(-(columns - 1) / 2 - 0.25, 0.5)] + [(-(columns - 1) / 2 + 0.5 + k, 1.0) for k in range(columns - 1)]
            pieces += [((columns - 1) / 2 + 0.25, 0.5)]
        for k, (place, share) in enumerate(pieces):
            bodies.append({"name": f"brick {row + 1}.{k + 1}", "mass": 3.5 * share,
                           "position": [place * brick[0], 0, z],
                           "shapes": [{"type": "box", "size": [brick[0] * share, brick[1], brick[2]], "material": "brick"}]})
    bodies.append({"name": "ball", "mass": 15, "position": [0.1, -0.5, 0.3], "velocity": [0, 8, 1],
                   "shapes": [{"type": "sphere", "radius": 0.08, "material": "steel"}]})
    write("brick-wall", "A wall of bricks without mortar, hit by a steel ball of 15 kg at 8 m/s.",
          [{"pair": ["brick", "*"], "friction": 0.6}, {"pair": ["steel", "*"], "friction": 0.3},
           {"pair": ["brick", "steel"], "friction": 0.3}], bodies,
          {"dt": 0.004, "until": 0.8, "tolerance": 1e-8})


def parts_feeder():
    """Trinkle's cup: a pin across the chute turns those that come with the open end below."""
    radius, wall, side, facets = 0.02, 0.004, 0.034, 12
    round_end = [[radius * math.cos(math.pi + math.pi * k / facets), radius * math.sin(math.pi + math.pi * k / facets)]
                 for k in range(facets + 1)]

    def cup(name, x, angle):
        sides = [{"type": "box", "size": [wall, side], "position": [place, side / 2], "density": 1000, "material": "cup"}
                 for place in (wall / 2 - radius, radius - wall / 2)]
        return {"name": name, "position": [x, 0.2], "angle_deg": angle,
                "shapes": [{"type": "polygon", "points": round_end, "density": 1000, "material": "cup"}] + sides}

    def chute(x):
        # from the top down: a straight shaft, a chamber in which a cup can turn, a funnel, a shaft with a bottom
        left = [(-0.024, 0.3), (-0.024, 0.05), (-0.054, 0), (-0.054, -0.01), (-0.006, -0.16), (-0.006, -0.32)]
        right = [(0.024, 0.3), (0.024, 0.07), (0.07, 0.02), (0.07, -0.02), (0.044, -0.16), (0.044, -0.32)]
        shapes = [{"type": "disk", "radius": 0.0025, "position": [x - 0.013, 0], "material": "chute"},
                  {"type": "box", "size": [0.062, 0.01], "position": [x + 0.019, -0.325], "material": "chute"}]
        for line, out in ((left, -0.006), (right, 0.006)):
            shapes += [{"type": "polygon", "material": "chute",
                        "points": [[x + a[0], a[1]], [x + a[0] + out, a[1]], [x + b[0] + out, b[1]], [x + b[0], b[1]]]}
                       for a, b in zip(line, line[1:])]
        return shapes

    write("parts-feeder", "Trinkle's cups in two chutes: whichever end comes first, a pin sees to it that they leave with the round end below.",
          [{"pair": ["cup", "*"], "friction": 0.02}],
          [{"name": "chutes", "fixed": True, "shapes": chute(0) + chute(0.2)}, cup("cup open below", 0, 180), cup("cup open above", 0.2, 0)],
          {"dt": 0.001, "until": 1.5}, dimension=2, gravity=[0, -9.81])


if __name__ == "__main__":
    for make in (arch, card_house, domino_run, kapla_tower, granular_pile, course_pile, billiard_break, brick_wall, parts_feeder):
        make()

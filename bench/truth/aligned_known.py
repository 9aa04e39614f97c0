"""Bodies exactly flush, in line, or without clearance, as a drawing has them: rows, columns, tiles, slots, shafts, walls.

Every function gives bodies, forces, gravity or not, friction, the end, and where bodies are then; cases() makes of each a scene in the plane and
one in space, as it is and turned with other bodies first. Nothing bounces.
"""
import copy
import math
import os
import random
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from quaternion import drawn, turn  # noqa: E402

G = 9.81


class Kind:
    """Vectors x, z of the plane or of space."""

    def __init__(self, dimension):
        self.dimension = dimension

    def at(self, x, z):
        return [x, z] if self.dimension == 2 else [x, 0.0, z]

    def box(self, name, mass, x, z, width, height, v=None, depth=0.3):
        size = [width, height] if self.dimension == 2 else [width, depth, height]
        body = {"name": name, "position": self.at(x, z), "shapes": [{"type": "box", "size": size}]}
        body.update({"mass": mass} if mass else {"fixed": True})
        return {**body, **({"velocity": self.at(*v)} if v else {})}

    def fixed(self, name, x, z, width, height):
        return self.box(name, 0, x, z, width, height, depth=1.0)

    def ground(self):
        return {"name": "ground", "fixed": True, "shapes": [{"type": "half-plane" if self.dimension == 2 else "half-space"}]}

    def push(self, body, x, z):
        return {"type": "force", "body": body, "force": self.at(x, z)}

    def row(self, count, mass=1.0, z=0.1, name="b"):
        return [self.box(f"{name}{i}", mass, 0.2 * i, z, 0.2, 0.2) for i in range(count)]


def row_is_hit(k):
    """A fifth box hits a row of four: all go on together."""
    end, v = 0.5, 2 / 5
    bodies = [k.ground(), *k.row(4), k.box("h", 1, -0.5, 0.1, 0.2, 0.2, (2, 0))]
    return bodies, [], True, 0.0, end, {f"b{i}": (0.2 * i + v * (end - 0.15), 0.1) for i in range(4)}


def row_is_pushed(k):
    end = 0.5
    return [k.ground(), *k.row(4)], [k.push("b0", 4, 0)], True, 0.0, end, {f"b{i}": (0.2 * i + end**2 / 2, 0.1) for i in range(4)}


def columns_lose_their_feet(k):
    """The lower row of three columns is pushed, the upper one stays."""
    end = 0.4
    places = {f"b{i}": (0.2 * i + end**2 / 2, 0.1) for i in range(3)} | {f"c{i}": (0.2 * i, 0.3) for i in range(3)}
    return [k.ground(), *k.row(3), *k.row(3, z=0.3, name="c")], [k.push("b0", 3, 0)], True, 0.0, end, places


def pair_slides_over_loose_boxes(k):
    end = 0.6
    bodies = [k.ground(), *k.row(6, 5), k.box("p", 1, 0, 0.25, 0.2, 0.1, (1, 0)), k.box("q", 1, 0.2, 0.25, 0.2, 0.1, (1, 0))]
    return bodies, [], True, 0.0, end, {"p": (end, 0.25), "q": (0.2 + end, 0.25), "b3": (0.6, 0.1)}


def edge_starts_beyond_a_seam(k, ahead):
    """Over loose boxes, its front edge a little beyond a seam."""
    bodies = [k.ground(), *k.row(6, 5), k.box("p", 1, 0.4 + ahead, 0.3, 0.2, 0.2, (1, 0))]
    return bodies, [], True, 0.0, 0.3, {"p": (0.7 + ahead, 0.3), "b3": (0.6, 0.1)}


def shaft(k, blocks):
    """A box falls between two walls that leave it no clearance."""
    end, length = 0.5, 4.0 / blocks
    walls = [k.fixed(f"{side}{i}", x, -2 + length * (i + 0.5), 0.2, length) for side, x in (("l", -0.2), ("r", 0.2)) for i in range(blocks)]
    return [*walls, k.box("p", 1, 0, 1, 0.2, 0.3)], [], True, 0.0, end, {"p": (0, 1 - G * end**2 / 2)}


def pulled_out_of_a_corner(k):
    end = 0.5
    return [k.ground(), k.fixed("w", -0.2, 0.5, 0.2, 1), k.box("p", 1, 0, 0.1, 0.2, 0.2)], [k.push("p", 2, 0)], True, 0.0, end, {"p": (end**2, 0.1)}


def pushed_up_a_wall(k, loose):
    """Along one wall, or along four loose boxes that a wall holds."""
    end = 0.4
    wall = [k.box(f"w{i}", 5, -0.2, 0.1 + 0.2 * i, 0.2, 0.2) for i in range(4)] if loose else [k.fixed("w", -0.2, 0.5, 0.2, 1)]
    bodies = [k.ground(), k.fixed("back", -0.4, 0.5, 0.2, 2), *wall, k.box("p", 1, 0, 0.1, 0.2, 0.2)]
    places = {"p": (0, 0.1 + (15 - G) * end**2 / 2)} | ({"w1": (-0.2, 0.3)} if loose else {})
    return bodies, [k.push("p", -2, 15)], True, 0.0, end, places


def stands_at_the_end_of_a_table(k):
    return [k.fixed("t", -0.5, -0.1, 1, 0.2), k.box("p", 1, -0.1, 0.1, 0.2, 0.2)], [], True, 0.0, 0.5, {"p": (-0.1, 0.1)}


def slides_over_a_gap(k):
    bodies = [k.fixed("t", -0.5, -0.1, 1, 0.2), k.fixed("u", 0.55, -0.1, 1, 0.2), k.box("p", 1, -0.5, 0.1, 0.2, 0.2, (1.5, 0))]
    return bodies, [], True, 0.0, 0.6, {"p": (0.4, 0.1)}


def dropped_on_a_seam(k):
    bodies = [k.ground(), k.box("l", 5, -0.1, 0.1, 0.2, 0.2), k.box("r", 5, 0.1, 0.1, 0.2, 0.2), k.box("p", 1, 0, 0.4, 0.2, 0.2)]
    return bodies, [], True, 0.0, 0.5, {"p": (0, 0.3), "l": (-0.1, 0.1)}


def stack_stands(k):
    bodies = [k.ground()] + [k.box(f"b{i}", 1, 0, 0.1 + 0.2 * i, 0.2, 0.2) for i in range(6)]
    return bodies, [], True, 0.3, 0.5, {"b5": (0, 1.1)}


def pulled_from_under_two(k):
    """A wall holds both."""
    end = 0.3
    bodies = [k.ground(), k.fixed("w", 0.4, 0.5, 0.2, 1), k.box("l", 2, 0.1, 0.1, 0.4, 0.2), k.box("p", 1, 0, 0.3, 0.2, 0.2), k.box("q", 1, 0.2, 0.3, 0.2, 0.2)]
    return bodies, [k.push("l", -2, 0)], True, 0.0, end, {"l": (0.1 - end**2 / 2, 0.1), "p": (0, 0.3), "q": (0.2, 0.3)}


def from_a_table_to_a_loose_one(k):
    bodies = [k.ground(), k.fixed("t", -0.5, 0.1, 1, 0.2), k.box("l", 5, 0.5, 0.1, 1, 0.2), k.box("p", 1, -0.4, 0.3, 0.2, 0.2, (2, 0))]
    return bodies, [], True, 0.0, 0.4, {"p": (0.4, 0.3), "l": (0.5, 0.1)}


def into_a_slot(k, ceiling):
    """Into a slot that is just as high, or over a slab whose top is as high as its bottom."""
    bodies = [k.fixed("lo", 0.5, -0.1, 1, 0.2), *([k.fixed("hi", 0.5, 0.3, 1, 0.2)] if ceiling else []), k.box("p", 1, -0.3, 0.1, 0.2, 0.2, (2, 0))]
    return bodies, [], False, 0.0, 0.5, {"p": (0.7, 0.1)}


def under_a_ceiling(k):
    """Along the floor into a tunnel that is just as high."""
    bodies = [k.fixed("lo", 0, -0.1, 4, 0.2), k.fixed("hi", 0.5, 0.3, 1, 0.2), k.box("p", 1, -0.3, 0.1, 0.2, 0.2, (2, 0))]
    return bodies, [], True, 0.0, 0.5, {"p": (0.7, 0.1)}


def falls_beside_a_table(k, tables):
    """Its side in line with the table's, or between two tables that leave it no clearance."""
    end = 0.5
    bodies = [k.fixed("l", -0.5, -0.1, 1, 0.2), *([k.fixed("r", 0.7, -0.1, 1, 0.2)] if tables > 1 else []), k.box("p", 1, 0.1, 0.4, 0.2, 0.2)]
    return bodies, [], True, 0.0, end, {"p": (0.1, 0.4 - G * end**2 / 2)}


MAKERS = [row_is_hit, row_is_pushed, columns_lose_their_feet, pair_slides_over_loose_boxes, pulled_out_of_a_corner, stands_at_the_end_of_a_table,
          slides_over_a_gap, dropped_on_a_seam, stack_stands, under_a_ceiling, pulled_from_under_two, from_a_table_to_a_loose_one]
VARIANTS = [("edge_beyond_a_seam", edge_starts_beyond_a_seam, (0.0, 1e-9, -1e-9, 1e-8)), ("shaft", shaft, (1, 10)), ("up_a_wall", pushed_up_a_wall, (False, True)),
            ("into_a_slot", into_a_slot, (False, True)), ("beside_tables", falls_beside_a_table, (1, 2))]


def turned(rng, dimension):
    if dimension == 2:
        angle = rng.uniform(-math.pi, math.pi)
        c, s = math.cos(angle), math.sin(angle)
        return {"angle": angle}, lambda v: [c * v[0] - s * v[1], s * v[0] + c * v[1]]
    q = drawn(rng)
    return {"orientation": q}, lambda v: turn(q, v)


def scene_of(make, dimension, seed):
    """seed 0: as it is; others: turned, bodies in another order."""
    kind = Kind(dimension)
    bodies, forces, falls, friction, end, places = make(kind)
    bodies, forces, rng = copy.deepcopy(bodies), copy.deepcopy(forces), random.Random(seed)
    pose, about = turned(rng, dimension) if seed else ({}, list)
    for body in bodies:
        body.update({key: about(body[key]) for key in ("position", "velocity") if key in body}, **pose)
    for force in forces:
        force["force"] = about(force["force"])
    if seed:
        rng.shuffle(bodies)
    wanted = {name: about(kind.at(*place)) for name, place in places.items()}
    way = max(math.dist(body["position"], wanted[body["name"]]) for body in bodies if body["name"] in wanted)
    scene = {"dimension": dimension, "gravity": about(kind.at(0, -G if falls else 0)), "bodies": bodies, "forces": forces,
             "materials": [{"pair": ["*", "*"], "friction": friction, "restitution": 0}]}

    def farthest(run):
        final = {b["name"]: b["position"][:dimension] for b in run["final"]["bodies"]}
        return max(math.dist(final[name], place) for name, place in wanted.items())

    return scene, end, farthest, 0, 0.2 + way


def cases():
    """Name and function of every scene."""
    makers = [(make.__name__, make) for make in MAKERS]
    makers += [(f"{name}_{value:g}", lambda k, make=make, value=value: make(k, value)) for name, make, values in VARIANTS for value in values]
    return [(f"flush_{name}_{'plane' if dimension == 2 else 'space'}{'_turned' if seed else ''}", lambda make=make, dimension=dimension, seed=seed: scene_of(make, dimension, seed))
            for name, make in makers for dimension in (2, 3) for seed in (0, 1)]

"""A scene of Asperity as a model of MuJoCo (MJCF), so that both run the same mechanism.

Bodies are hung up as a tree along the joints, from what is fixed or from the first body of a mechanism that floats; the
origin of a body is its centre of mass, as in scenes with given inertia. What has no equal there is refused by name
(Refused): scenes in the plane, joints that close a loop, bodies with initial velocities, friction of a pair that follows
by no rule from those of its two materials.

  text = mjcf.write(scene, integrator="RK4", noslip=0)
"""
import math

JOINTS = {"revolute": "hinge", "prismatic": "slide", "spherical": "ball", "fixed": None}
BODY_KEYS = {"name", "mass", "inertia", "position", "orientation", "shapes", "fixed"}
JOINT_KEYS = {"name", "type", "bodies", "point", "axis", "initial", "limits", "friction", "spring"}
SHAPE_KEYS = {"type", "material", "group", "mask", "position", "orientation", "normal", "radius", "length", "size"}
UNIT = [1.0, 0.0, 0.0, 0.0]


class Refused(Exception):
    """What of the scene MuJoCo has no equal for."""


def product(a, b):
    return [a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3], a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
            a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1], a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]]


def turned(q, v):
    return product(product(q, [0.0, *v]), inverse(q))[1:]


def inverse(q):
    return [q[0], -q[1], -q[2], -q[3]]


def minus(a, b):
    return [x - y for x, y in zip(a, b)]


def numbers(values):
    return " ".join(repr(float(x)) for x in values)


def only(what, given, known):
    if set(given) - known:
        raise Refused(f"{what}: {', '.join(sorted(set(given) - known))}")


def pair_law(scene, a, b):
    """The law of two materials: the pair that names both, else one that names one, else one for all."""
    best, found = -1, {}
    for law in scene.get("materials", []):
        for x, y in (law["pair"], law["pair"][::-1]):
            if x in (a, "*") and y in (b, "*") and (x != "*") + (y != "*") > best:
                best, found = (x != "*") + (y != "*"), law
    return found


def frictions(scene, materials):
    """By material: sliding, spinning, rolling and priority. Of two geoms MuJoCo takes the larger friction, or that of the
    one with the higher priority."""
    laws = {(a, b): [pair_law(scene, a, b).get(key, 0) for key in ("friction", "spinning", "rolling", "restitution")]
            for a in materials for b in materials}
    priority = {m: 0 for m in materials}
    for (a, b), law in laws.items():
        if law != [max(x) for x in zip(laws[a, a], laws[b, b])] and law == laws[b, b]:
            priority[b] = 1
    for (a, b), law in laws.items():
        first = a if priority[a] > priority[b] else b
        taken = laws[first, first] if priority[a] != priority[b] else [max(x) for x in zip(laws[a, a], laws[b, b])]
        if law != taken or law[3]:
            raise Refused(f"law of {a} and {b}: restitution, or no rule that gives it from those of {a} and of {b}")
    return {m: (*laws[m, m][:3], priority[m]) for m in materials}


def bits(groups):
    return sum(1 << g for g in groups) if groups is not None else 0x7FFFFFFF


def align_z(normal):
    """The turn that takes z to a direction."""
    x, y, z = (c / math.hypot(*normal) for c in normal)
    if z < -1 + 1e-12:
        return [0.0, 1.0, 0.0, 0.0]
    w = math.sqrt((1 + z) / 2)
    return [w, -y / (2 * w), x / (2 * w), 0.0]


def geom(shape, pose, friction):
    only("shape", shape, SHAPE_KEYS)
    place, turn = shape.get("position", [0, 0, 0]), shape.get("orientation", UNIT)
    if shape["type"] == "half-space":
        turn = align_z(shape.get("normal", [0, 0, 1]))
        kind, size = "plane", [0, 0, 1]
    elif shape["type"] == "sphere":
        kind, size = "sphere", [shape["radius"]]
    elif shape["type"] in ("capsule", "cylinder"):
        kind, size = shape["type"], [shape["radius"], shape["length"] / 2]
    elif shape["type"] == "box":
        kind, size = "box", [s / 2 for s in shape["size"]]
    else:
        raise Refused(f"shape {shape['type']}")
    place = [p + t for p, t in zip(pose[0], turned(pose[1], place))]
    turn = product(pose[1], turn)
    condim = 6 if friction[1] or friction[2] else 3
    return (f'<geom type="{kind}" size="{numbers(size)}" pos="{numbers(place)}" quat="{numbers(turn)}" condim="{condim}" '
            f'friction="{numbers(friction[:3])}" priority="{friction[3]}" contype="{bits(shape.get("group"))}" conaffinity="{bits(shape.get("mask"))}"/>')


def joint_line(joint, child, forward):
    only(f"joint {joint.get('name', '')}", joint, JOINT_KEYS)
    if joint["type"] not in JOINTS:
        raise Refused(f"joint type {joint['type']}")
    kind = JOINTS[joint["type"]]
    if kind is None:
        return ""
    back = inverse(child.get("orientation", UNIT))
    at = turned(back, minus(joint["point"], child.get("position", [0, 0, 0])))
    line = f'<joint type="{kind}" pos="{numbers(at)}"'
    if kind != "ball":
        axis = turned(back, joint.get("axis", [0, 0, 1]))
        line += f' axis="{numbers(axis if forward else [-x for x in axis])}" ref="{joint.get("initial", 0)!r}"'
    spring = joint.get("spring")
    if spring:
        line += f' stiffness="{spring.get("stiffness", 0)!r}" damping="{spring.get("damping", 0)!r}" springref="{spring.get("rest", 0)!r}"'
    if "friction" in joint:
        line += f' frictionloss="{joint["friction"]!r}"'
    if "limits" in joint:
        line += f' limited="true" range="{numbers(joint["limits"])}"'
    return line + "/>"


def tree(scene):
    """(body, joint to what carries it or None, is it the joint's second body, its children), as a list of roots."""
    bodies = {b["name"]: b for b in scene["bodies"]}
    fixed = {name for name, b in bodies.items() if b.get("fixed")} | {"world"}
    left, placed = list(scene.get("joints", [])), set()

    def hang(name, joint, forward):
        placed.add(name)
        node = (bodies[name], joint, forward, [])
        for other in [j for j in left if name in j["bodies"]]:
            if other in left:
                left.remove(other)
                node[3].append(attach(other, name))
        return node

    def attach(joint, carrier):
        forward = joint["bodies"][0] == carrier
        name = joint["bodies"][1] if forward else joint["bodies"][0]
        if name in placed or name in fixed:
            raise Refused(f"joint {joint.get('name', '')} closes a loop")
        return hang(name, joint, forward)

    roots = []
    for joint in [j for j in left if fixed & set(j["bodies"])]:
        if joint in left:
            left.remove(joint)
            roots.append(attach(joint, next(b for b in joint["bodies"] if b in fixed)))
    for name in bodies:
        if name not in placed and name not in fixed:
            roots.append(hang(name, None, True))
    return roots


def body_lines(node, carrier, friction, out):
    body, joint, forward, children = node
    only(f"body {body['name']}", body, BODY_KEYS)
    if "mass" not in body or "inertia" not in body:
        raise Refused(f"body {body['name']}: mass and inertia from shapes")
    pose = (body.get("position", [0, 0, 0]), body.get("orientation", UNIT))
    back = inverse(carrier[1])
    out.append(f'<body name="{body["name"]}" pos="{numbers(turned(back, minus(pose[0], carrier[0])))}" '
               f'quat="{numbers(product(back, pose[1]))}">')
    out.append(joint_line(joint, body, forward) if joint else "<freejoint/>")
    full = (body["inertia"] + [0, 0, 0])[:6]
    out.append(f'<inertial pos="0 0 0" mass="{body["mass"]!r}" fullinertia="{numbers(full)}"/>')
    for shape in body.get("shapes", []):
        out.append(geom(shape, ([0, 0, 0], UNIT), friction[shape.get("material", "")]))
    for child in children:
        body_lines(child, pose, friction, out)
    out.append("</body>")


def write(scene, integrator="Euler", noslip=0, dt=None):
    if scene.get("dimension", 3) != 3:
        raise Refused("a scene in the plane")
    shapes = [(b, s) for b in scene["bodies"] for s in b.get("shapes", [])]
    friction = frictions(scene, sorted({s.get("material", "") for _, s in shapes}))
    out = ['<mujoco><compiler angle="radian" balanceinertia="true" inertiafromgeom="false"/>',
           f'<option timestep="{(dt or scene["run"]["dt"])!r}" gravity="{numbers(scene.get("gravity", [0, 0, 0]))}" '
           f'integrator="{integrator}" noslip_iterations="{noslip}"/>', "<worldbody>"]
    for body, shape in shapes:
        if body.get("fixed"):
            pose = (body.get("position", [0, 0, 0]), body.get("orientation", UNIT))
            out.append(geom(shape, pose, friction[shape.get("material", "")]))
    for root in tree(scene):
        body_lines(root, ([0, 0, 0], UNIT), friction, out)
    return "\n".join(line for line in out if line) + "\n</worldbody></mujoco>\n"

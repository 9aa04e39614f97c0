"""Billiards, vehicles, hills, gyroscopes, linkages, fluids and beams, with answers from paper or from a small integration.

Every function returns what those of closed_forms.py do; where several numbers count, the largest error is read, each over its scale, and 0
is wanted. z is up; scenes in the plane have y up.
"""
import math

from impacts_known import G
from laws_known import FLOOR, GROUND, runge_kutta, scene2, scene3, sphere


def body_of(run, name):
    return next(b for b in run["final"]["bodies"] if b["name"] == name)


def place(name, *wanted):
    """Distance of a body from where it should be; None: an axis that does not count."""
    return lambda run: math.dist([x if w is not None else 0 for x, w in zip(body_of(run, name)["position"], wanted)], [w or 0 for w in wanted])


def value(name, wanted):
    return lambda run: abs(run["probes"][name]["final"] - wanted)


def worst(*errors):
    """Of pairs: what reads an error, and its scale."""
    return lambda run: max(read(run) / scale for read, scale in errors)


def solid(name, mass, inertia, position, **rest):
    return {"name": name, "mass": mass, "inertia": inertia, "position": position, **rest}


def probe(name, expression):
    return {"name": name, "value": expression}


# ---- balls ----


def follow_shot():
    """A rolling ball stops at another one, e = 1, and follows it by its spin: 2/7 and 5/7 of the speed at the end."""
    v, r, gap, mu, end = 2.0, 0.03, 0.2, 0.2, 1.2
    balls = [{"name": name, "mass": 0.17, "position": [x, 0, r], "shapes": [{"type": "sphere", "radius": r, "material": "ball"}]} for name, x in (("cue", 0), ("other", 2 * r + gap))]
    balls[0].update(velocity=[v, 0, 0], angular_velocity=[0, v / r, 0])
    scene = scene3([FLOOR, *balls])
    scene["materials"] = [{"pair": ["ball", "ball"], "friction": 0, "restitution": 1}, {"pair": ["ball", "default"], "friction": mu}]
    left = end - gap / v

    def way(speed, rim):
        slip = speed - rim
        t, a = abs(slip) / (3.5 * mu * G), -math.copysign(mu * G, slip)
        return speed * t + a * t * t / 2 + (speed + a * t) * (left - t)

    return scene, end, worst((place("cue", gap + way(0, v)), 2.4), (place("other", 2 * r + gap + way(v, 0)), 2.4)), 0, 1


def curved_shot():
    """A ball that is struck with spin across its way goes along a parabola until it rolls."""
    v, w, mu, r, end = (1.5, 0), (30.0, 20.0), 0.25, 0.03, 1.0
    slip = v[0] - r * w[1], v[1] + r * w[0]
    t, size = math.hypot(*slip) / (3.5 * mu * G), math.hypot(*slip)
    a = [-mu * G * u / size for u in slip]
    x = [v[i] * t + a[i] * t * t / 2 + (v[i] + a[i] * t) * (end - t) for i in (0, 1)]
    ball = sphere(r, position=[0, 0, r], velocity=[*v, 0], angular_velocity=[*w, 0])
    return scene3([FLOOR, ball], law={"friction": mu}), end, place("a", *x), 0, 0.06 + math.hypot(*x)


def leaves_a_hill(space, rolls):
    """From the top of a round hill, rolling (friction 500) or sliding; it flies where the hill would have to pull: cos = 2/3, 4/7 (disk), 10/17 (ball)."""
    hill, r, start, flight = 1.0, 0.2, 0.2, 0.25
    k, d = (0.4 if space else 0.5) if rolls else 0, 1.2

    def rate(x):
        return [x[1], G * math.sin(x[0]) / ((1 + k) * d)]

    t, x = runge_kutta(rate, [start, 0.0], 5.0, until=lambda x: G * math.cos(x[0]) - d * x[1] ** 2)
    u, w = d * x[1] * math.cos(x[0]), -d * x[1] * math.sin(x[0])
    end = d * math.sin(x[0]) + u * flight, d * math.cos(x[0]) + w * flight - G * flight**2 / 2
    begin, kind, make = (d * math.sin(start), d * math.cos(start)), "sphere" if space else "disk", scene3 if space else scene2

    def at(x, y):
        return [x, 0, y] if space else [x, y]

    bodies = [{"name": "hill", "fixed": True, "shapes": [{"type": kind, "radius": hill}]}, {"name": "a", "mass": 1, "position": at(*begin), "shapes": [{"type": kind, "radius": r}]}]
    return make(bodies, law={"friction": 500 if rolls else 0}), t + flight, place("a", *at(*end)), 0, 2 * r + 1.7


def cone_rolls_about_its_apex():
    """On an incline, as a pendulum: T = 3 m h^2 (1 + 5 cos^2 a) q'^2 / 40, the centre 3/4 h from the apex."""
    a, h, slope, start, end = math.radians(20), 0.3, 0.4, 0.8, 1.3
    c, s = math.cos(a), math.sin(a)
    inertia, moment = 3 * h * h * (1 + 5 * c * c) / 20, 0.75 * G * h * c * math.sin(slope)
    q, _ = runge_kutta(lambda x: [x[1], -moment / inertia * math.sin(x[0])], [start, 0.0], end)

    def centre(q):
        return [0.75 * h * c * math.cos(q), 0.75 * h * c * math.sin(q), 0.75 * h * s]

    up = [-c * math.cos(start), -c * math.sin(start), -s]  # from the base to the apex
    cone = {"name": "a", "mass": 1, "position": centre(start), "orientation": {"axis": [-up[1], up[0], 0], "angle": math.acos(up[2])},
            "shapes": [{"type": "cone", "radius": h * math.tan(a), "length": h, "position": [0, 0, h / 4]}]}
    return scene3([FLOOR, cone], (G * math.sin(slope), 0, -G * math.cos(slope)), {"friction": 2}), end, place("a", *centre(q)), 0, 0.3 + 0.225 * c * (start - q)


def loaded_ball_rolls():
    """A disk whose centre of mass is not its middle."""
    r, c, inertia, start, end = 0.1, 0.04, 0.003, 2.5, 1.5

    def rate(x):
        return [x[1], (-G * c - r * c * x[1] ** 2) * math.sin(x[0]) / (inertia + r * r + c * c - 2 * r * c * math.cos(x[0]))]

    q, _ = runge_kutta(rate, [start, 0.0], end)
    body = solid("a", 1, inertia, [0, r], center_of_mass=[0, -c], angle=start, shapes=[{"type": "disk", "radius": r}])
    return scene2([GROUND, body], law={"friction": 5}), end, place("a", -r * (q - start) + c * math.sin(q)), 0, 0.7


def bars_cross(kind):
    """Two bars meet crosswise, e = 1: cylinders side to side, or boxes edge to edge. They exchange their velocities."""
    bars = [{"name": "a", "mass": 1, "position": [0, 0, 0.6], "velocity": [0, 0, -1]}, {"name": "b", "mass": 1, "position": [0, 0, 0]}]
    if kind == "box":
        gap, sizes, axes, angle = 0.6 - 0.1 * math.sqrt(2), ([0.6, 0.1, 0.1], [0.1, 0.6, 0.1]), ([1, 0, 0], [0, 1, 0]), 45
    else:
        gap, sizes, axes, angle = 0.5, None, ([0, 1, 0], [1, 0, 0]), 90
    for i, bar in enumerate(bars):
        bar["orientation"] = {"axis": axes[i], "angle_deg": angle}
        bar["shapes"] = [{"type": "box", "size": sizes[i]} if sizes else {"type": "cylinder", "radius": 0.05, "length": 0.6}]
    return scene3(bars, (0, 0, 0), {"restitution": 1}), 1.0, worst((place("a", 0, 0, 0.6 - gap), 1), (place("b", 0, 0, gap - 1), 1)), 0, 1


def far_from_the_origin():
    """A bounce 1,000 km from the origin."""
    e, far, end = 0.8, 1e6, 0.7
    t, v = math.sqrt(1 / G), G * math.sqrt(1 / G) * e
    z = 0.1 + v * (end - t) - G * (end - t) ** 2 / 2
    return scene3([FLOOR, sphere(position=[far, far, 0.6], velocity=[1, 0, 0])], law={"restitution": e}), end, place("a", far + end, far, z), 0, 1.0


# ---- vehicles and plates ----


def tracked_vehicle(space):
    """A box whose surface runs like a track gets going by friction, up to the speed of the track."""
    v, mu, end = 2.0, 0.3, 1.0
    shape = {"type": "box", "size": [1, 0.5, 0.2] if space else [1, 0.2], "surface_velocity": [-v, 0, 0] if space else v}
    body = {"name": "a", "mass": 5, "position": [0, 0, 0.1] if space else [0, 0.1], "shapes": [shape]}
    way = v * end - v * v / (2 * mu * G)
    return (scene3([FLOOR, body], law={"friction": mu}) if space else scene2([GROUND, body], law={"friction": mu})), end, place("a", way), 0, 1 + way


def car_climbs():
    """A car with driven rear wheels on a slope: its way, and the loads of its wheels."""
    r, wheel, turn, cart, torque, slope, end = 0.2, 2.0, 0.04, 20.0, 25.0, 0.15, 1.0
    names = (("rear", -0.5), ("front", 0.5))
    wheels = [solid(name, wheel, turn, [x, r], shapes=[{"type": "disk", "radius": r}]) for name, x in names]
    joints = [{"type": "revolute", "bodies": ["a", name], "point": [x, r]} for name, x in names]
    joints[0]["effort"] = -torque
    mass, lever = cart + 2 * wheel, 0.4 * cart + 2 * r * wheel
    a = (torque / r - mass * G * math.sin(slope)) / (mass + 2 * turn / r**2)
    load, shift = mass * G * math.cos(slope), 2 * (-lever * a - 2 * turn * a / r - lever * G * math.sin(slope))
    scene = scene2([GROUND, solid("a", cart, 1.0, [0, 0.4]), *wheels], (-G * math.sin(slope), -G * math.cos(slope)), {"friction": 0.8}, joints=joints,
                   probes=[probe("rear", "rear.ground.normal"), probe("front", "front.ground.normal")])
    way = a * end**2 / 2
    return scene, end, worst((place("a", way), 1 + way), (value("rear", (load - shift) / 2), load), (value("front", (load + shift) / 2), load)), 0, 1


def box_tips_on_a_cart():
    """The cart starts with 4 m/s^2, more than b/h g: the box turns about its rear edge."""
    b, h, a, end = 0.1, 0.4, 4.0, 0.45
    r, inertia = math.hypot(b, h) / 2, (b * b + h * h) / 3
    q, _ = runge_kutta(lambda x: [x[1], r * (a * math.sin(x[0]) - G * math.cos(x[0])) / inertia], [math.atan2(h, b), 0.0], end)
    cart = {"name": "cart", "motion": {"position": [f"{a / 2}*t^2", 0]}, "shapes": [{"type": "half-plane"}]}
    box = {"name": "a", "mass": 1, "position": [0, h / 2], "shapes": [{"type": "box", "size": [b, h]}]}
    return scene2([cart, box], law={"friction": 2}), end, place("a", a / 2 * end**2 - b / 2 + r * math.cos(q), r * math.sin(q)), 0, h + 0.6


def table_on_three_legs():
    """The load of each leg, by statics."""
    feet, centre, m = ((0, 0), (1, 0), (0.3, 0.8)), (0.5, 0.2), 5.0
    pads = [{"name": f"pad{i}", "fixed": True, "position": [x, y, 0], "shapes": [{"type": "box", "size": [0.2, 0.2, 0.1], "position": [0, 0, -0.05]}]} for i, (x, y) in enumerate(feet)]
    legs = [{"type": "sphere", "radius": 0.02, "position": [x - centre[0], y - centre[1], -0.28]} for x, y in feet]
    third = centre[1] / 0.8
    second = centre[0] - 0.3 * third
    loads = [m * G * share for share in (1 - second - third, second, third)]
    scene = scene3([*pads, solid("a", m, [0.5] * 3, [*centre, 0.3], shapes=legs)], law={"friction": 0.3}, probes=[probe(f"n{i}", f"a.pad{i}.normal") for i in range(3)])
    return scene, 0.5, worst(*((value(f"n{i}", load), m * G) for i, load in enumerate(loads))), 0, 1


# ---- mechanisms ----


def oldham_coupling():
    """Two shafts that are apart turn alike; the cross between them goes around twice as fast on a small circle."""
    d, w, end = 0.05, 6.0, 1.1
    bodies = [solid("in", 1, [0.01] * 3, [0, 0, 0]), solid("cross", 0.5, [0.002, 0.002, 0.004], [d, 0, 0]), solid("out", 1, [0.01] * 3, [d, 0, 0])]
    joints = [{"type": "revolute", "bodies": ["world", "in"], "point": [0, 0, 0], "axis": [0, 0, 1], "angle": f"{w}*t"},
              {"type": "prismatic", "bodies": ["in", "cross"], "point": [d, 0, 0], "axis": [1, 0, 0]}, {"type": "prismatic", "bodies": ["cross", "out"], "point": [d, 0, 0], "axis": [0, 1, 0]},
              {"type": "cylindrical", "bodies": ["world", "out"], "point": [d, 0, 0], "axis": [0, 0, 1]}]
    c, s = math.cos(w * end), math.sin(w * end)
    return scene3(bodies, (0, 0, 0), joints=joints), end, place("cross", d * c * c, d * c * s), 0, d * (1 + w * end)


def geneva_wheel():
    """A pin drives a wheel through a slot that it touches on either side."""
    arm, w, pin, play, start = 0.1, 2.0, 0.008, 0.0002, -math.radians(44)
    apart, end = arm * math.sqrt(2), math.radians(80) / w

    def turned(q):
        return math.atan2(arm * math.sin(q), apart - arm * math.cos(q))

    def rate(q):
        x, y = apart - arm * math.cos(q), arm * math.sin(q)
        return arm * (math.cos(q) * x - math.sin(q) * y) / (x * x + y * y)

    crank = {"name": "crank", "motion": {"position": [0, 0], "rotation": f"{start}+{w}*t"}, "shapes": [{"type": "disk", "radius": pin, "position": [arm, 0]}]}
    slot = [{"type": "box", "size": [0.09, 0.01], "position": [-0.055, side * (pin + play + 0.005)]} for side in (-1, 1)]
    wheel = solid("a", 0.2, 2e-4, [apart, 0], angle=-turned(start), angular_velocity=-rate(start) * w, shapes=slot)
    scene = scene2([crank, wheel], (0, 0), joints=[{"name": "hinge", "type": "revolute", "bodies": ["world", "a"], "point": [apart, 0], "friction": 0.01}], probes=[probe("angle", "hinge.coordinate")])
    return scene, end, value("angle", turned(start) - turned(start + w * end)), 0, 1 + turned(start + w * end) - turned(start)


def differential():
    """A torque on the cage of a differential, side gears with different inertias."""
    left, right, cage, torque, end = 0.1, 0.3, 0.2, 2.0, 0.8
    shafts = (("cage", 0, cage), ("left", -1, left), ("right", 1, right))
    bodies = [solid(name, 1, [inertia] * 3, [x, 0, 0]) for name, x, inertia in shafts]
    joints = [{"name": f"of_{name}", "type": "revolute", "bodies": ["world", name], "point": [x, 0, 0], "axis": [1, 0, 0]} for name, x, _ in shafts]
    joints[0]["effort"] = torque
    joints.append({"type": "coupling", "joints": ["of_cage", "of_left", "of_right"], "factors": [1, -0.5, -0.5]})
    det = (left + cage / 4) * (right + cage / 4) - (cage / 4) ** 2
    turns = [torque / 2 * other / det * end**2 / 2 for other in (right, left)]
    return (scene3(bodies, (0, 0, 0), joints=joints, probes=[probe("left", "of_left.coordinate"), probe("right", "of_right.coordinate")]), end,
            worst((value("left", turns[0]), 1 + turns[0]), (value("right", turns[1]), 1 + turns[1])), 0, 1)


def rope_becomes_taut():
    """A ball falls until its rope is taut, and swings on with what is left of its velocity."""
    length, x, end = 1.0, 0.6, 1.1
    fall = math.sqrt(length**2 - x**2)
    t, angle = math.sqrt(2 * fall / G), math.atan2(x, fall)
    q, _ = runge_kutta(lambda s: [s[1], -G / length * math.sin(s[0])], [angle, -G * t * math.sin(angle) / length], end - t)
    rope = {"type": "tendon", "path": [{"body": "world", "point": [0, 0]}, {"body": "a", "point": [x, 0]}], "limits": [None, length]}
    return scene2([solid("a", 1, 1e-4, [x, 0])], joints=[rope]), end, place("a", length * math.sin(q), -length * math.cos(q)), 0, 3.0


def top_in_three_hinges():
    """A heavy top as a compound joint of three turns, in steady precession."""
    across, along, arm, spin, tilt, end = 0.01, 0.02, 0.2, 60.0, 1.0, 1.0
    a, b, c = (across + arm * arm) * math.cos(tilt), along * spin, G * arm
    turns = (b - math.sqrt(b * b - 4 * a * c)) / (2 * a)
    axis, own = (math.sin(tilt), 0, math.cos(tilt)), spin - turns * math.cos(tilt)
    w = [own * axis[0], 0, turns + own * axis[2]]
    top = solid("a", 1, [across, across, along], [arm * x for x in axis], orientation={"axis": [0, 1, 0], "angle": tilt}, velocity=[0, turns * arm * axis[0], 0], angular_velocity=w)
    hinges = [{"name": name, "type": "revolute", "axis": list(line), "point": [0, 0, 0]} for name, line in (("turn", (0, 0, 1)), ("nod", (0, 1, 0)), ("own", axis))]
    scene = scene3([top], joints=[{"type": "compound", "bodies": ["world", "a"], "axes": hinges}], probes=[probe("turn", "turn.coordinate"), probe("nod", "nod.coordinate")])
    return scene, end, worst((value("turn", turns * end), 1 + turns * end), (value("nod", 0), 1)), 0, 1


# ---- fluids and thrust ----


def falls_through_a_fluid():
    """v = u tanh(g t / u), u the terminal speed."""
    m, density, end = 2.0, 400.0, 0.8
    u = math.sqrt(m * G / (0.5 * density * 0.2 * 0.3))
    fluid = {"type": "drag", "body": "a", "density": density, "size": [0.2, 0.3, 0.4]}
    return scene3([solid("a", m, [0.05] * 3, [0, 0, 0])], forces=[fluid]), end, place("a", 0, 0, -u * u / G * math.log(math.cosh(G * end / u))), 0, 1.0


def thrust_turns_with_its_body():
    """A constant thrust along the body and a constant torque: Fresnel's spiral."""
    force, torque, m, inertia, end = 6.0, 0.3, 2.0, 0.1, 1.2

    def rate(x):
        q = torque / inertia * x[4] ** 2 / 2
        return [x[2], x[3], force / m * math.cos(q), force / m * math.sin(q), 1]

    x = runge_kutta(rate, [0.0] * 5, end)
    forces = [{"type": "force", "body": "a", "frame": "body", "force": [force, 0]}, {"type": "torque", "body": "a", "torque": torque}]
    return scene2([solid("a", m, inertia, [0, 0])], (0, 0), forces=forces), end, place("a", *x[:2]), 0, 2.5


# ---- beams ----


def beam_scene(space, beam, load):
    """A beam clamped at the origin, a load on its free end; its place there."""
    zero = [0, 0, 0] if space else [0, 0]
    if space:
        beam.update(shear_stiffness=1e5, torsional_stiffness=10, rotary_inertia=1e-4)
    scene = {"dimension": 3 if space else 2, "beams": [{"name": "beam", "length": 1, "mass_per_length": 1, "axial_stiffness": 1e5, "elements": 12, **beam}],
             "joints": [{"name": "clamp", "type": "fixed", "bodies": ["world", "beam.start"], "point": zero}], "forces": [{"body": "beam.end", **load}],
             "probes": [{"name": "tip", "type": "point", "body": "beam.end"}, probe("moment", "clamp.tz")]}
    return scene


def elastica(space):
    """A cantilever with P L^2 / E I = 2: its end is 0.16064 L nearer and 0.49346 L lower (Mattiasson 1981)."""
    stiffness, end = 10.0, 4.0
    force = 2 * stiffness
    load = {"type": "force", "point": [1, 0, 0] if space else [1, 0], "force": ["0", f"-{force}*smoothstep(t, 0, 1)", "0"][: 3 if space else 2]}
    scene = beam_scene(space, {"bending_stiffness": stiffness, "damping": 0.05}, load)
    return scene, end, worst((value("tip.x", 1 - 0.16064), 1), (value("tip.y", -0.49346), 1), (value("moment", force * (1 - 0.16064)), force)), 0, 1


def strip_bent_to_a_half_circle(space):
    """By the moment pi E I / L on its end."""
    stiffness, end = 10.0, 4.0
    torque = f"{math.pi * stiffness}*smoothstep(t, 0, 1)"
    scene = beam_scene(space, {"bending_stiffness": stiffness, "damping": 0.05}, {"type": "torque", "torque": ["0", "0", torque] if space else torque})
    return scene, end, worst((value("tip.x", 0), 1), (value("tip.y", 2 / math.pi), 1), (value("moment", -math.pi * stiffness), math.pi * stiffness)), 0, 1


def column_buckles(space):
    """A column at 1.2 times Euler's load: P = (2 K(k) / pi)^2 Pc, its end off by 2 k L / K(k)."""
    stiffness, over, end = 10.0, 1.2, 12.0
    force = over * math.pi**2 * stiffness / 4

    def quarter(k):
        x, y = 1.0, math.sqrt(1 - k * k)
        for _ in range(40):
            x, y = (x + y) / 2, math.sqrt(x * y)
        return math.pi / 2 / x

    low, high = 1e-6, 1 - 1e-9
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if (2 * quarter(middle) / math.pi) ** 2 < over else (low, middle)
    load = {"type": "force", "point": [1, 0, 0] if space else [1, 0], "force": [f"-{force}*smoothstep(t, 0, 0.5)", "0.01", "0"][: 3 if space else 2]}
    scene = beam_scene(space, {"bending_stiffness": stiffness, "damping": 0.1, "elements": 8}, load)
    return scene, end, value("tip.y", 2 * low / quarter(low)), 0, 1


def cases():
    """Name and function of every scene."""
    found = [(f.__name__, f) for f in (follow_shot, curved_shot, cone_rolls_about_its_apex, loaded_ball_rolls, far_from_the_origin, car_climbs, box_tips_on_a_cart, table_on_three_legs,
                                       oldham_coupling, geneva_wheel, differential, rope_becomes_taut, top_in_three_hinges, falls_through_a_fluid, thrust_turns_with_its_body)]
    for kind in ("cylinder", "box"):
        found.append((f"bars_cross_{kind}", lambda kind=kind: bars_cross(kind)))
    for space in (False, True):
        where = "space" if space else "plane"
        for make in (tracked_vehicle, elastica, strip_bent_to_a_half_circle, column_buckles):
            found.append((f"{make.__name__}_{where}", lambda make=make, space=space: make(space)))
        for rolls in (False, True):
            found.append((f"{'rolls' if rolls else 'slides'}_off_a_hill_{where}", lambda space=space, rolls=rolls: leaves_a_hill(space, rolls)))
    return found

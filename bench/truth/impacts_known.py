"""Impacts one after the other, inside a step and on moving walls, with answers from paper or from a small exact integration.

Every function returns what those of closed_forms.py do: scene, end (s), what is read from the JSON, what it should be, the scale of the error.
Where more than one body counts, the largest error is read, and 0 wanted.
"""
import math

G = 9.81
RADIUS = 0.1


def scene_of(bodies, space, gravity=0.0, restitution=0.0, friction=0.0, **rest):
    """Bodies are given in the plane x, y; in space y is up as well."""
    scene = {"dimension": 3 if space else 2, "gravity": [0, -gravity, 0] if space else [0, -gravity],
             "materials": [{"pair": ["*", "*"], "friction": friction, "restitution": restitution}], "bodies": bodies, **rest}
    return scene


def vector(space, x, y):
    return [x, y, 0] if space else [x, y]


def ball(name, mass, x, y, space, velocity=(0, 0), radius=RADIUS):
    return {"name": name, "mass": mass, "position": vector(space, x, y), "velocity": vector(space, *velocity),
            "shapes": [{"type": "sphere" if space else "disk", "radius": radius}]}


def wall(space, normal, x, y):
    return {"name": "wall", "fixed": True, "shapes": [{"type": "half-space" if space else "half-plane", "normal": vector(space, *normal), "position": vector(space, x, y)}]}


def farthest(wanted, axis):
    """The largest distance of bodies from their places along an axis."""

    def read(run):
        return max(abs(next(b for b in run["final"]["bodies"] if b["name"] == name)["position"][axis] - place) for name, place in wanted.items())

    return read


def row_of_points(x, v, m, e, g, end, floor):
    """Points on a line that fall with g; the first may meet a floor at 0. Exact: relative motion is uniform. Returns places and ways."""
    x, v, t, way = list(x), list(v), 0.0, [0.0] * len(x)

    def go(time):
        for i in range(len(x)):
            back = v[i] / g if g > 0 and 0 < v[i] < g * time else 0.0
            way[i] += abs(v[i] * time - g * time * time / 2) + (v[i] * back - g * back * back / 2) * (2 if back else 0)
            x[i] += v[i] * time - g * time * time / 2
            v[i] -= g * time

    for _ in range(10000):
        first, pair = end - t, None
        for i in range(len(x) - 1):
            closing = v[i] - v[i + 1]
            if closing > 1e-12 and (x[i + 1] - x[i]) / closing < first:
                first, pair = max((x[i + 1] - x[i]) / closing, 0.0), i
        if floor:
            root = (v[0] + math.sqrt(max(v[0] ** 2 + 2 * g * max(x[0], 0), 0))) / g if g > 0 else (-x[0] / v[0] if v[0] < 0 else math.inf)
            if root < first and v[0] - g * root < -1e-12:
                first, pair = root, -1
        go(first)
        t += first
        if pair is None:
            return x, way
        if pair < 0:
            x[0], v[0] = 0.0, -e * v[0]
            continue
        a, b = m[pair], m[pair + 1]
        mean, closing = (a * v[pair] + b * v[pair + 1]) / (a + b), v[pair] - v[pair + 1]
        v[pair], v[pair + 1] = mean - e * b / (a + b) * closing, mean + e * a / (a + b) * closing
    raise ValueError("impacts do not end")


def cradle(gap, masses, space, e=1.0, end=0.5):
    """The first ball strikes a row of others at rest with small gaps."""
    places = [0.05]
    for i in range(1, len(masses)):
        places.append(places[-1] + 2 * RADIUS + (0.1037 if i == 1 else gap))
    bodies = [ball(f"b{i}", mass, place, 0, space, (1 if i == 0 else 0, 0)) for i, (mass, place) in enumerate(zip(masses, places))]
    gone, way = row_of_points([x - 2 * RADIUS * i for i, x in enumerate(places)], [1] + [0] * (len(masses) - 1), masses, e, 0, end, False)
    wanted = {f"b{i}": x + 2 * RADIUS * i for i, x in enumerate(gone)}
    return scene_of(bodies, space, 0, e), end, farthest(wanted, 0), 0, 2 * RADIUS + min(way)


def column(gap, masses, space, e=1.0, height=0.5, end=0.45):
    """Balls above each other, dropped on the floor together."""
    starts = [height + gap * i for i in range(len(masses))]
    bodies = [ball(f"b{i}", mass, 0, x + RADIUS * (2 * i + 1), space) for i, (mass, x) in enumerate(zip(masses, starts))]
    gone, way = row_of_points(starts, [0] * len(masses), masses, e, G, end, True)
    wanted = {f"b{i}": x + RADIUS * (2 * i + 1) for i, x in enumerate(gone)}
    return scene_of([wall(space, (0, 1), 0, 0), *bodies], space, G, e), end, farthest(wanted, 1), 0, 2 * RADIUS + min(way)


def spring_hits_a_stop(e, limit, space=False):
    """A mass on a spring (20 rad/s) that swings against a stop at half its amplitude: a wall, or the limit of its slide."""
    k, m, far, stop, end, count = 400.0, 1.0, 0.1, -0.05, 0.9, 900000
    body = ball("mass", m, far, 0, space)
    spring = {"type": "spring", "bodies": ["world", "mass"], "points": [vector(space, -1, 0), vector(space, far, 0)], "stiffness": k, "rest_length": 1.0}
    slide = {"type": "prismatic", "bodies": ["world", "mass"], "axis": vector(space, 1, 0)}
    bodies = [body]
    if limit:
        slide.update({"limits": [stop - far, None], "limit_restitution": e})
    else:
        bodies.append(wall(space, (1, 0), stop - RADIUS, 0))
    x, v, h, way = far, 0.0, end / count, 0.0
    for _ in range(count):
        v -= h / 2 * k / m * x
        x, way = x + h * v, way + h * abs(v)
        v -= h / 2 * k / m * x
        if x < stop and v < 0:
            x, v = 2 * stop - x, -e * v
    return scene_of(bodies, space, 0, e, joints=[slide], forces=[spring]), end, farthest({"mass": x}, 0), 0, 2 * RADIUS + way


def wheel_climbs_a_kerb(speed, kerb, end, space=False):
    """A wheel rolls against a kerb and turns over its edge, without a bounce: angular momentum about the edge is kept."""
    r, m = 0.3, 2.0
    inertia = 0.5 * m * r * r
    reach = math.sqrt(r * r - (r - kerb) ** 2)
    start = -0.2
    shape = {"type": "cylinder", "radius": r, "length": 0.1} if space else {"type": "disk", "radius": r}
    wheel = {"name": "wheel", "mass": m, "position": vector(space, start - reach, r), "velocity": vector(space, speed, 0), "shapes": [shape]}
    wheel["inertia"] = [inertia] * 3 if space else inertia
    wheel["angular_velocity"] = [0, 0, -speed / r] if space else -speed / r
    size = [1, kerb, 1] if space else [1, kerb]
    ground = {"name": "ground", "fixed": True, "shapes": [{"type": "half-space" if space else "half-plane", "normal": vector(space, 0, 1)},
                                                          {"type": "box", "size": size, "position": vector(space, 0.5, kerb / 2)}]}
    meets = -start / speed
    q, about = math.atan2(r - kerb, reach), inertia + m * r * r  # angle of the edge-to-centre line above the horizontal
    w = (m * speed * (r - kerb) + inertia * speed / r) / about
    count = 200000
    h = (end - meets) / count
    for _ in range(count):  # turning towards the kerb: q grows
        half = w + h / 2 * (-m * G * r * math.cos(q) / about)
        q += h * half
        w = half + h / 2 * (-m * G * r * math.cos(q) / about)
    return (scene_of([ground, wheel], space, G, 0, 5.0), end, farthest({"wheel": -r * math.cos(q)}, 0), 0, 2 * r + 0.2 + speed * (end - meets))


def brick_lands_on_an_edge(e, space, tilt, height, end):
    """A brick falls, tilted, on one of its edges without friction."""
    a, b, m = 0.4, 0.2, 1.0
    inertia = m * (a * a + b * b) / 12

    def edge(q):
        return 0.5 * (a * math.sin(q) + b * math.cos(q)), 0.5 * (a * math.cos(q) - b * math.sin(q))

    rise, lever = edge(tilt)
    brick = {"name": "brick", "mass": m, "position": vector(space, 0, rise + height), "shapes": [{"type": "box", "size": [a, b, 0.3] if space else [a, b]}]}
    if space:
        brick["inertia"], brick["orientation"] = [inertia] * 3, {"axis": [0, 0, 1], "angle": tilt}
    else:
        brick["inertia"], brick["angle"] = inertia, tilt
    t, v = math.sqrt(2 * height / G), -math.sqrt(2 * G * height)
    p = -(1 + e) * v / (1 / m + lever * lever / inertia)
    v, w, left = v + p / m, -lever * p / inertia, end - t
    y, q = rise, tilt
    if e > 0:
        y += v * left - G * left * left / 2
    else:  # the edge stays on the floor, y = rise(q), until the floor would have to pull; in small steps of the midpoint rule
        count = 200000
        h = left / count

        def turn(angle, rate):
            high, side = edge(angle)
            return (m * side * high * rate * rate - m * G * side) / (inertia + m * side * side)

        for step in range(count):
            if turn(q, w) > 0:
                break
            middle, rate = q + h / 2 * w, w + h / 2 * turn(q, w)
            q, w = q + h * rate, w + h * turn(middle, rate)
        else:
            step = count
        flight = left - step * h
        y = edge(q)[0] + edge(q)[1] * w * flight - G * flight * flight / 2
        q += w * flight
    if e == 0 and q < 0.02:
        raise ValueError("its other edge lands before the end")
    return scene_of([wall(space, (0, 1), 0, 0), brick], space, G, e), end, farthest({"brick": y}, 1), 0, a + height


def piston(motion, place, rate, space, speed=3.0, end=1.6, e=1.0):
    """A ball between a wall at 0 and a piston, whose face moves as given (Fermi's accelerator)."""
    size = [0.2, 1, 1] if space else [0.2, 1]
    head = {"name": "piston", "motion": {"position": [f"{motion} + 0.1", 0, 0] if space else [f"{motion} + 0.1", 0]}, "shapes": [{"type": "box", "size": size}]}
    x, v, t, way, h = 0.35, speed, 0.0, 0.0, 1e-5
    bodies = [wall(space, (1, 0), 0, 0), head, ball("ball", 1, x, 0, space, (v, 0))]

    def distance(at):
        return place(t + at) - RADIUS - (x + v * at)

    while t < end:
        step = min(h, end - t)
        hit = None
        if x + v * step < RADIUS and v < 0:
            step, hit = (RADIUS - x) / v, "wall"
        elif distance(step) < 0:
            low, high = 0.0, step
            for _ in range(60):
                middle = (low + high) / 2
                low, high = (middle, high) if distance(middle) > 0 else (low, middle)
            step, hit = low, "piston"
        x, t, way = x + v * step, t + step, way + abs(v) * step
        if hit == "wall":
            v = -e * v
        elif hit == "piston" and v > rate(t):
            v = rate(t) - e * (v - rate(t))
    return scene_of(bodies, space, 0, e), end, farthest({"ball": x}, 0), 0, 2 * RADIUS + way


def oscillator(omega, periods, space, heavy=0.0):
    """An undamped mass on a spring."""
    far, m = 0.1, 1.0
    end = periods * 2 * math.pi / omega
    body = ball("mass", m, far, 0, space)
    spring = {"type": "spring", "bodies": ["world", "mass"], "points": [vector(space, -1, 0), vector(space, far, 0)], "stiffness": m * omega * omega, "rest_length": 1.0}
    slide = {"type": "prismatic", "bodies": ["world", "mass"], "axis": vector(space, 1, 0)}
    return scene_of([body], space, heavy, joints=[slide], forces=[spring]), end, farthest({"mass": far * math.cos(omega * end)}, 0), 0, 2 * RADIUS + 4 * far * periods


def conical_pendulum(angle, turns):
    """A bob that goes round on a circle."""
    length = 1.0
    r = length * math.sin(angle)
    w = math.sqrt(G / (length * math.cos(angle)))
    end = turns * 2 * math.pi / w
    start = [r, -length * math.cos(angle), 0]
    bob = {"name": "bob", "mass": 1, "inertia": [0.004] * 3, "position": start, "velocity": [0, 0, -w * r], "shapes": [{"type": "sphere", "radius": RADIUS}]}
    joint = {"type": "distance", "bodies": ["world", "bob"], "point": [0, 0, 0], "point_b": start}
    goal = [r * math.cos(w * end), start[1], -r * math.sin(w * end)]

    def read(run):
        return math.dist(next(b for b in run["final"]["bodies"] if b["name"] == "bob")["position"], goal)

    return scene_of([bob], True, G, joints=[joint]), end, read, 0, 2 * RADIUS + turns * 2 * math.pi * r


def cases():
    """Name and function of every scene."""
    found = []

    def add(name, make, *args, **rest):
        found.append((name, lambda: make(*args, **rest)))

    for space in (False, True):
        where = "space" if space else "plane"
        for gap in (1e-6, 1e-5, 1e-4, 1e-3, 1e-2):
            add(f"cradle_gap_{gap:g}_{where}", cradle, gap, [1, 1, 1], space)
            add(f"unequal_row_gap_{gap:g}_{where}", cradle, gap, [1, 0.5, 2], space)
            add(f"super_ball_gap_{gap:g}_{where}", column, gap, [3, 1], space)
        add(f"inelastic_row_gap_0.001_{where}", cradle, 1e-3, [1, 1, 1], space, e=0.5)
        add(f"five_balls_gap_0.001_{where}", cradle, 1e-3, [1] * 5, space)
        for e in (0, 0.5, 1):
            add(f"spring_hits_a_wall_e_{e:g}_{where}", spring_hits_a_stop, e, False, space)
            add(f"spring_hits_a_limit_e_{e:g}_{where}", spring_hits_a_stop, e, True, space)
        add(f"wheel_climbs_a_kerb_{where}", wheel_climbs_a_kerb, 1.5, 0.06, 0.3, space)
        add(f"wheel_climbs_a_high_kerb_{where}", wheel_climbs_a_kerb, 1.5, 0.12, 0.25, space)
        for e in (0, 0.5):
            add(f"brick_lands_on_an_edge_e_{e:g}_{where}", brick_lands_on_an_edge, e, space, 0.5, 0.3, 0.29)
            add(f"steep_brick_lands_on_an_edge_e_{e:g}_{where}", brick_lands_on_an_edge, e, space, 0.7, 0.3, 0.31)
        for speed in (3.0, 7.3):
            add(f"piston_swings_at_{speed:g}_{where}", piston, "1 + 0.1*sin(8*t)", lambda t: 1 + 0.1 * math.sin(8 * t), lambda t: 0.8 * math.cos(8 * t), space, speed)
            add(f"piston_closes_in_at_{speed:g}_{where}", piston, "1 - 0.3*t", lambda t: 1 - 0.3 * t, lambda t: -0.3, space, speed)
        for omega in (5, 20, 50):
            add(f"oscillator_{omega}_{where}", oscillator, omega, 3.3, space)
            add(f"long_oscillator_{omega}_{where}", oscillator, omega, 12.3, space)
    for angle in (0.3, 0.8, 1.2):
        add(f"conical_pendulum_{angle:g}", conical_pendulum, angle, 3.2)
    return found

"""Laws of friction, moving surfaces, bearings, ropes, gears and switched joints, with answers from paper or from a small integration.

Every function returns what those of closed_forms.py do. z is up; scenes in the plane have y up. Integrations are classical Runge-Kutta of
fourth order between instants at which a law switches, which are found by bisection.
"""
import math

from impacts_known import G, farthest

ANY = ["*", "*"]


def runge_kutta(rate, state, end, count=20000, until=None):
    """state at `end`, or (time, state) where until(state) first turns negative."""
    h, t = end / count, 0.0

    def ahead(x, h):
        a = rate(x)
        b = rate([p + h / 2 * q for p, q in zip(x, a)])
        c = rate([p + h / 2 * q for p, q in zip(x, b)])
        d = rate([p + h * q for p, q in zip(x, c)])
        return [p + h / 6 * (i + 2 * j + 2 * k + m) for p, i, j, k, m in zip(x, a, b, c, d)]

    for _ in range(count):
        after = ahead(state, h)
        if until and until(after) < 0:
            low, high = 0.0, h
            for _ in range(60):
                middle = (low + high) / 2
                low, high = (low, middle) if until(ahead(state, middle)) < 0 else (middle, high)
            return t + low, ahead(state, low)
        state, t = after, t + h
    return (end, state) if until else state


def scene3(bodies, gravity=(0, 0, -G), law=None, **rest):
    return {"gravity": list(gravity), "materials": [{"pair": ANY, "friction": 0, **(law or {})}], "bodies": bodies, **rest}


def scene2(bodies, gravity=(0, -G), law=None, **rest):
    return {"dimension": 2, **scene3(bodies, gravity, law, **rest)}


FLOOR = {"name": "floor", "fixed": True, "shapes": [{"type": "half-space"}]}
GROUND = {"name": "ground", "fixed": True, "shapes": [{"type": "half-plane"}]}


def particle(**rest):
    return {"name": "a", "mass": 1, "inertia": [0.01, 0.01, 0.01], "shapes": [{"type": "point"}], **rest}


def sphere(radius=0.1, **rest):
    return {"name": "a", "mass": 1, "shapes": [{"type": "sphere", "radius": radius}], **rest}


def flat_box(**rest):
    """A box of 0.4 x 0.1 m on the line y = 0."""
    return {"name": "a", "mass": 1, "position": [0, 0.05], "shapes": [{"type": "box", "size": [0.4, 0.1]}], **rest}


def tilted(angle):
    return (G * math.sin(angle), -G * math.cos(angle))


# ---- coefficients ----


def static_friction_holds():
    """Between both angles of friction a box at rest stays."""
    return scene2([GROUND, flat_box()], tilted(math.atan(0.4)), {"friction": 0.3, "static_friction": 0.45}), 1.0, farthest({"a": 0}, 0), 0, 0.4


def static_friction_lost():
    """The same box, given a push, slides on with the lower coefficient."""
    angle, v, end = math.atan(0.4), 0.2, 1.0
    x = v * end + G * (math.sin(angle) - 0.3 * math.cos(angle)) * end**2 / 2
    return scene2([GROUND, flat_box(velocity=[v, 0])], tilted(angle), {"friction": 0.3, "static_friction": 0.45}), end, farthest({"a": x}, 0), 0, 0.4 + x


def stribeck(power):
    """A box slides to a stop while its coefficient rises."""
    low, high, speed, v = 0.1, 0.5, 0.5, 1.5

    def rate(x):
        return [x[1], -G * (low + (high - low) * math.exp(-((max(x[1], 0) / speed) ** power)))]

    _, stopped = runge_kutta(rate, [0.0, v], 5.0, until=lambda x: x[1])
    law = {"friction": low, "static_friction": high, "stribeck_speed": speed, "stribeck_exponent": power}
    return scene2([GROUND, flat_box(velocity=[v, 0])], law=law), 1.5, farthest({"a": stopped[0]}, 0), 0, 0.4 + stopped[0]


def stick_slip():
    """A block on a belt held by a spring: it sticks until the spring pulls with the static coefficient, then swings with the kinetic one."""
    m, k, kinetic, static, v, end = 1.0, 60.0, 0.2, 0.5, 0.25, 2.0
    t, x = 0.0, 0.0
    omega, centre = math.sqrt(k / m), kinetic * m * G / k
    while t < end:
        stuck = (static * m * G / k - x) / v
        if t + stuck >= end:
            x += v * (end - t)
            break
        t, x = t + stuck, static * m * G / k
        # x - centre = a cos + (v/omega) sin until the speed is v again
        a = x - centre
        slip = 2 * (math.pi - math.atan2(a * omega, v)) / omega
        slip = slip if slip > 0 else slip + 2 * math.pi / omega
        if t + slip >= end:
            s = end - t
            x = centre + a * math.cos(omega * s) + v / omega * math.sin(omega * s)
            break
        t, x = t + slip, centre + a * math.cos(omega * slip) + v / omega * math.sin(omega * slip)
    law = {"friction": kinetic, "static_friction": static}
    belt = {"type": "box", "size": [20, 1], "position": [0, -0.5], "surface_velocity": v}
    scene = scene2([{"name": "belt", "fixed": True, "shapes": [belt]}, flat_box(velocity=[v, 0])], law=law,
                   forces=[{"type": "spring", "bodies": ["world", "a"], "points": [[-5, 0.05], [0, 0.05]], "stiffness": k, "rest_length": 5}])
    return scene, end, farthest({"a": x}, 0), 0, 0.4 + v * end


def elliptic(turned):
    """A particle slides on a floor that is rougher one way than across it."""
    along, across, v, end = 0.15, 0.45, (1.2, 0.9), 0.35
    c, s = math.cos(turned), math.sin(turned)

    def rate(x):
        u, w = c * x[2] + s * x[3], -s * x[2] + c * x[3]
        size = math.hypot(along * u, across * w)
        fu, fw = -along**2 * u * G / size, -across**2 * w * G / size
        return [x[2], x[3], c * fu - s * fw, s * fu + c * fw]

    x = runge_kutta(rate, [0, 0, *v], end)
    scene = scene3([{"name": "floor", "fixed": True, "shapes": [{"type": "half-space", "material": "grooved"}]},
                    particle(velocity=[*v, 0], shapes=[{"type": "point", "material": "tip"}])])
    scene["materials"] = [{"pair": ["grooved", "tip"], "friction": along, "friction_across": across, "direction": [c, s, 0]}]

    def read(run):
        at = next(b for b in run["final"]["bodies"] if b["name"] == "a")["position"]
        return math.dist(at[:2], x[:2])

    return scene, end, read, 0, 0.02 + math.hypot(x[0], x[1])


def rolling_resistance():
    """A ball that rolls is slowed by c g / (1.4 r)."""
    r, c, v, end = 0.1, 0.004, 1.0, 1.5
    a = c * G / (1.4 * r)
    x = v * end - a * end**2 / 2
    ball = sphere(r, position=[0, 0, r], velocity=[v, 0, 0], angular_velocity=[0, v / r, 0])
    return scene3([FLOOR, ball], law={"friction": 0.5, "rolling": c}), end, farthest({"a": x}, 0), 0, 2 * r + x


def rolling_resistance_holds():
    """On a slope below c/r a ball stays."""
    r = 0.1
    scene = scene3([FLOOR, sphere(r, position=[0, 0, r])], (G * math.sin(0.03), 0, -G * math.cos(0.03)), {"friction": 0.5, "rolling": 0.004})
    return scene, 1.0, farthest({"a": 0}, 0), 0, 2 * r


def spinning_to_a_stop(key, torque):
    """A ball that spins about the normal is slowed evenly; the turn of a mark tells."""
    r, spin, inertia = 0.1, 8.0, 0.4 * 0.01
    a = torque * G / inertia
    turned = spin**2 / (2 * a)
    scene = scene3([FLOOR, sphere(r, position=[0, 0, r], angular_velocity=[0, 0, spin])], law={"friction": 0.4, **key},
                   probes=[{"name": "mark", "type": "point", "body": "a", "point": [r, 0, 0]}])

    def read(run):
        x, y = (run["probes"]["mark." + axis]["final"] for axis in "xy")
        off = (math.atan2(y, x) - turned) % (2 * math.pi)
        return min(off, 2 * math.pi - off)

    return scene, spin / a + 0.2, read, 0, 1 + turned


def patch_slides_and_spins():
    """A puck with a round patch: one limit for force and moment, both end together."""
    mu, radius, inertia, v, spin = 0.25, 0.15, 0.01, 0.8, 9.0
    k = 2 / 3 * radius

    def rate(x):
        size = math.hypot(x[1], k * x[2])
        return [x[1], -mu * G * x[1] / size, -mu * G * k * k * x[2] / size / inertia]

    end = 0.25
    x = runge_kutta(rate, [0.0, v, spin], end)[0]
    scene = scene3([FLOOR, particle(velocity=[v, 0, 0], angular_velocity=[0, 0, spin])], law={"friction": mu, "contact_radius": radius})
    return scene, end, farthest({"a": x}, 0), 0, 0.2 + x


# ---- moving surfaces ----


def ball_on_a_turntable(spin, v):
    """A ball that rolls on a turntable goes round on a circle, two sevenths of a turn for one of the table."""
    r, end, rate = 0.05, 2.0, 2 * spin / 7
    table = {"name": "table", "fixed": True, "shapes": [{"type": "cylinder", "radius": 3, "length": 0.2, "position": [0, 0, -0.1], "surface_spin": [0, 0, spin]}]}
    start = (0.4, 0.0)
    # rolling: spin of the ball from v - r w x n = table's velocity at the contact
    wx, wy = (0 - spin * start[1] - v[0], spin * start[0] - v[1])
    ball = sphere(r, position=[*start, r], velocity=[*v, 0], angular_velocity=[wy / r, -wx / r, 0])
    # v' = rate z x v: a circle about the centre start + z x v / rate
    cx, cy = start[0] - v[1] / rate, start[1] + v[0] / rate
    c, s = math.cos(rate * end), math.sin(rate * end)
    dx, dy = start[0] - cx, start[1] - cy
    place = (cx + c * dx - s * dy, cy + s * dx + c * dy)

    def read(run):
        at = next(b for b in run["final"]["bodies"] if b["name"] == "a")["position"]
        return math.dist(at[:2], place)

    return scene3([table, ball], law={"friction": 2.0}), end, read, 0, 2 * r + math.hypot(*v) * end


def ball_on_an_accelerated_belt():
    """A ball at rest on a belt that speeds up follows with two sevenths of its acceleration."""
    r, a, end = 0.1, 1.4, 1.5
    belt = {"name": "belt", "fixed": True, "shapes": [{"type": "box", "size": [20, 1, 1], "position": [0, 0, -0.5], "surface_velocity": [f"{a}*t", 0, 0]}]}
    x = 2 / 7 * a * end**2 / 2
    return scene3([belt, sphere(r, position=[0, 0, r])], law={"friction": 0.8}), end, farthest({"a": x}, 0), 0, 2 * r + x


def plank_on_two_rollers(mu):
    """Two rollers that turn towards each other: a plank swings with omega^2 = 2 mu g / distance, as long as it slips on both."""
    d, r, x0, end = 1.0, 0.1, 0.2, 3.0
    omega = math.sqrt(2 * mu * G / d)
    rollers = [{"name": name, "fixed": True, "position": [x, -r],
                "shapes": [{"type": "disk", "radius": r, "surface_velocity": speed}]} for name, x, speed in (("left", -d / 2, 9), ("right", d / 2, -9))]
    thin = 0.002
    plank = {"name": "a", "mass": 2, "position": [x0, thin / 2], "shapes": [{"type": "box", "size": [3, thin]}]}
    x = x0 * math.cos(omega * end)
    return scene2([*rollers, plank], law={"friction": mu}), end, farthest({"a": x}, 0), 0, 0.01 + 4 * x0 * omega * end / (2 * math.pi)


def box_on_a_shaken_table(mu, amplitude, omega):
    """A table swings under a box faster than friction can follow."""
    end, count = 1.0, 200000
    h, x, v = end / count, 0.0, amplitude * omega
    stuck = False
    for i in range(count):
        t = i * h
        table, pull = amplitude * omega * math.cos(omega * t), -amplitude * omega**2 * math.sin(omega * t)
        if stuck or abs(v - table) < 1e-12:
            stuck = abs(pull) <= mu * G
        if stuck:
            x, v = x + h * table + h * h / 2 * pull, amplitude * omega * math.cos(omega * (t + h))
            continue
        a = mu * G * (1 if table > v or (table == v and pull > 0) else -1)
        after = v + h * a
        x, crossed = x + h * (v + after) / 2, (v - table) * (after - amplitude * omega * math.cos(omega * (t + h))) < 0
        v, stuck = after, crossed
    table = {"name": "table", "motion": {"position": [f"{amplitude}*sin({omega}*t)", 0]}, "shapes": [{"type": "half-plane"}]}
    return scene2([table, flat_box(velocity=[amplitude * omega, 0])], law={"friction": mu}), end, farthest({"a": x}, 0), 0, 0.4 + 4 * amplitude * omega * end / (2 * math.pi)


# ---- joints ----


def pendulum_with_dry_friction():
    """Constant friction in the hinge: every half swing loses 2 torque / (m g l), here by integration."""
    m, arm, torque, start, end = 1.0, 0.5, 0.25, 1.2, 2.5
    inertia = m * arm**2 + 0.01
    q, w, t, sign = start, 0.0, 0.0, 1.0
    while t < end:
        def rate(x, sign=sign):
            return [x[1], (-m * G * arm * math.sin(x[0]) + sign * torque) / inertia]
        begin = runge_kutta(rate, [q, w], 1e-4, 4)
        dt, (q2, w2) = runge_kutta(rate, begin, end - t, 20000, until=lambda x, sign=sign: -sign * x[1])
        if t + dt >= end - 1e-9:
            q, w = runge_kutta(rate, [q, w], end - t)
            break
        q, w, t, sign = q2, 0.0, t + dt + 1e-4, -sign
        if abs(m * G * arm * math.sin(q)) <= torque:
            break
    body = {"name": "a", "mass": m, "inertia": 0.01, "position": [arm * math.sin(start), -arm * math.cos(start)]}
    scene = scene2([body], joints=[{"type": "revolute", "bodies": ["world", "a"], "point": [0, 0], "friction": torque}])
    return scene, end, farthest({"a": arm * math.sin(q)}, 0), 0, arm * 2


def wheel_in_a_bearing():
    """A wheel with a weight of its own, slowed by the load of its bearing: mu R m g."""
    mu, radius, spin, inertia, end = 0.2, 0.05, 6.0, 0.02, 1.0
    a = mu * radius * 2 * G / inertia
    turned = spin * end - a * end**2 / 2 if spin / a > end else spin**2 / (2 * a)
    body = {"name": "a", "mass": 2, "inertia": inertia, "position": [0, 0], "angular_velocity": spin}
    joint = {"name": "axle", "type": "revolute", "bodies": ["world", "a"], "point": [0, 0], "friction_coefficient": mu, "bearing_radius": radius}
    scene = scene2([body], joints=[joint], probes=[{"name": "turned", "value": "axle.coordinate"}])
    return scene, end, lambda run: run["probes"]["turned"]["final"], turned, 1 + turned


def body_on_a_stiff_ball_joint():
    """Dry friction in a ball joint stops a spin about a slanting axis."""
    inertia, torque, spin = 0.05, 0.2, 5.0
    turned = spin**2 / (2 * torque / inertia)
    axis = (0.48, 0.6, 0.64)
    body = {"name": "a", "mass": 1, "inertia": [inertia] * 3, "angular_velocity": [spin * e for e in axis]}
    scene = scene3([body], (0, 0, 0), joints=[{"type": "spherical", "bodies": ["world", "a"], "point": [0, 0, 0], "friction": torque}])
    scene["probes"] = [{"name": "mark", "type": "point", "body": "a", "point": [1, 0, 0]}]
    # a point at e_x turned about the axis by Rodrigues
    c, s, dot = math.cos(turned), math.sin(turned), axis[0]
    x = c + (1 - c) * dot * axis[0], s * axis[2] + (1 - c) * dot * axis[1], -s * axis[1] + (1 - c) * dot * axis[2]

    def read(run):
        return math.dist([run["probes"]["mark." + e]["final"] for e in "xyz"], x)

    return scene, 2.0, read, 0, 1 + turned


def weight_on_a_rope(branches):
    """Two weights on a rope over points; with a loose pulley one of them goes half as far."""
    m1, m2, end = 2.0, 3.0, 0.5
    bodies = [{"name": "a", "mass": m1, "inertia": [0.01] * 3, "position": [-1, 0, 0]}, {"name": "b", "mass": m2, "inertia": [0.01] * 3, "position": [1, 0, 0]}]
    path = [{"body": "a", "point": [-1, 0, 0]}, {"body": "world", "point": [-1, 0, 2]}, {"body": "world", "point": [1, 0, 2]}]
    factor = 1.0
    if branches:
        path += [{"body": "world", "point": [1, 0, 2], "branch": 0.5}]
        factor = 2.0
    path += [{"body": "b", "point": [1, 0, 0]}]
    # length za + factor zb is kept: a moves -factor times as far as b
    # m1 za'' = T - m1 g, m2 zb'' = factor T - m2 g, za'' = -factor zb''
    tension = G * (1 + factor) / (1 / m1 + factor**2 / m2)
    za = (tension / m1 - G) * end**2 / 2
    rope = {"type": "tendon", "path": path}
    rails = [{"type": "prismatic", "bodies": ["world", name], "point": [x, 0, 0], "axis": [0, 0, 1]} for name, x in (("a", -1), ("b", 1))]
    return scene3(bodies, joints=[*rails, rope]), end, farthest({"a": za}, 2), 0, 0.1 + abs(za)


def weight_around_a_drum(end=0.8):
    """A pendulum whose rope lays itself on a drum: integrated along the involute."""
    r, length = 0.2, 1.5
    # the rope leaves the drum at r (cos q, sin q) along (sin q, -cos q) with the free length f = length + r q; the weight has the speed f q'
    def energy(q):
        free = length + r * q
        return G * (r * math.sin(q) - free * math.cos(q))

    def place(q):
        free = length + r * q
        return r * math.cos(q) + free * math.sin(q), r * math.sin(q) - free * math.cos(q)

    v = 3.0

    def rate(x):
        free = length + r * x[0]
        slope = (energy(x[0] + 1e-6) - energy(x[0] - 1e-6)) / 2e-6
        return [x[1], (-slope / free - r * x[1] ** 2) / free]

    q, _ = runge_kutta(rate, [0.0, v / length], end)
    x = place(q)
    body = {"name": "a", "mass": 1, "inertia": 1e-6, "position": [r, -length], "velocity": [v, 0]}
    path = [{"body": "world", "point": [-r, -length]}, {"body": "world", "point": [0, 0], "around": "sphere", "radius": r, "side": [0, 1]}, {"body": "a", "point": [r, -length]}]
    scene = scene2([body], joints=[{"type": "tendon", "path": path}])

    def read(run):
        at = next(b for b in run["final"]["bodies"] if b["name"] == "a")["position"]
        return math.dist(at[:2], x)

    return scene, end, read, 0, 0.1 + v * end


def slide_by_a_polynomial():
    """A slide lifted by the square of another one's way: a weight that rolls in a parabola, without a parabola."""
    b, end = 2.0, 1.3
    bodies = [{"name": name, "mass": m, "inertia": 0.01, "position": [0, 0]} for name, m in (("a", 1.0), ("lift", 1.0))]
    bodies[0]["velocity"] = [1.0, 0]
    joints = [{"name": "along", "type": "prismatic", "bodies": ["world", "a"], "point": [0, 0], "axis": [1, 0]},
              {"name": "up", "type": "prismatic", "bodies": ["world", "lift"], "point": [0, 0], "axis": [0, 1]},
              {"type": "coupling", "joints": ["along", "up"], "factors": [[0, b], -1]}]

    def rate(x):  # (1 + (2 b q)^2) q'' + 4 b^2 q q'^2 = -2 b q g
        q, w = x
        return [w, (-2 * b * q * G - 4 * b * b * q * w * w) / (1 + 4 * b * b * q * q)]

    q, _ = runge_kutta(rate, [0.0, 1.0], end)
    return scene2(bodies, joints=joints), end, farthest({"a": q}, 0), 0, 0.1 + end


def nut_falls_on_a_steep_screw():
    """Without friction: g / (1 + I (2 pi / pitch)^2 / m)."""
    pitch, m, inertia, end = 0.3, 0.5, 0.002, 0.8
    a = G / (1 + inertia * (2 * math.pi / pitch) ** 2 / m)
    body = {"name": "a", "mass": m, "inertia": [inertia] * 3}
    z = -a * end**2 / 2
    return scene3([body], joints=[{"type": "screw", "bodies": ["world", "a"], "point": [0, 0, 0], "axis": [0, 0, 1], "pitch": pitch}]), end, farthest({"a": z}, 2), 0, 0.1 - z


def cardan_shaft(angle):
    """A universal joint between two shafts at an angle: tan out = tan in / cos(angle)."""
    rate, end = 3.0, 1.7
    out = (math.cos(angle), math.sin(angle), 0)
    bodies = [{"name": name, "mass": 1, "inertia": [0.01] * 3, "position": at} for name, at in (("in", [-0.5, 0, 0]), ("a", [0.5 * out[0], 0.5 * out[1], 0]))]
    joints = [{"name": "drive", "type": "revolute", "bodies": ["world", "in"], "point": [-0.5, 0, 0], "axis": [1, 0, 0], "angle": f"{rate}*t"},
              {"type": "universal", "bodies": ["in", "a"], "point": [0, 0, 0], "axis": [0, 0, 1], "axis_b": [-out[1], out[0], 0]},
              {"name": "out", "type": "revolute", "bodies": ["world", "a"], "point": [0.5 * out[0], 0.5 * out[1], 0], "axis": list(out)}]
    # the fork's axis z of the first shaft stays perpendicular to the second shaft's: tan(out) = tan(in) cos(angle) from z as start
    turned = rate * end
    whole = math.floor((turned + math.pi / 2) / math.pi) * math.pi
    expected = whole + math.atan(math.tan(turned - whole) * math.cos(angle))
    return (scene3(bodies, (0, 0, 0), joints=joints, probes=[{"name": "out", "value": "out.coordinate"}]), end,
            lambda run: run["probes"]["out"]["final"], expected, 1 + turned)


def servo_at_its_limit():
    """A slide follows its target with a limited force: it lags, then overshoots."""
    kp, kd, force, end = 400.0, 30.0, 20.0, 0.7

    def rate(x):
        f = kp * (1 - x[0]) - kd * x[1]
        return [x[1], max(-force, min(force, f)) / 2.0]

    x, _ = runge_kutta(rate, [0.0, 0.0], end)
    body = {"name": "a", "mass": 2, "inertia": 0.1, "position": [0, 0]}
    joint = {"type": "prismatic", "bodies": ["world", "a"], "point": [0, 0], "axis": [1, 0], "servo": {"kp": kp, "kd": kd, "target": 1, "effort": force}}
    return scene2([body], joints=[joint]), end, farthest({"a": x}, 0), 0, 0.1 + x


def armature_behind_a_gear():
    """A slide with the inertia of a motor: force / (m + armature)."""
    end = 1.0
    body = {"name": "a", "mass": 2, "inertia": 0.1, "position": [0, 0]}
    joint = {"type": "prismatic", "bodies": ["world", "a"], "point": [0, 0], "axis": [1, 0], "armature": 7, "effort": "6*sin(3*t)"}
    x = 6 / 9 * (end / 3 - math.sin(3 * end) / 9)
    return scene2([body], joints=[joint]), end, farthest({"a": x}, 0), 0, 0.1 + x


def released_at(when, end=0.6):
    """A body held by a joint that an event releases."""
    body = {"name": "a", "mass": 1, "inertia": 0.01, "position": [0, 0], "shapes": [{"type": "disk", "radius": 0.05}]}
    hold = {"name": "hold", "type": "fixed", "bodies": ["world", "a"], "point": [0, 0], "active": True}
    y = -G * (end - when) ** 2 / 2
    return scene2([body], joints=[hold], events=[{"when": f"t > {when}", "release": "hold"}]), end, farthest({"a": y}, 1), 0, 0.1 - y


def caught_by_a_joint(when=0.2537, end=0.8):
    """A body that flies past is caught by a hinge: its angular momentum about the hinge stays."""
    m, inertia, v, arm = 1.0, 0.02, 2.0, 0.5
    spin = m * v * arm / (inertia + m * arm**2)
    x = v * when
    turned = spin * (end - when)
    body = {"name": "a", "mass": m, "inertia": inertia, "position": [-x, -arm], "velocity": [v, 0], "shapes": [{"type": "disk", "radius": 0.05}]}
    hinge = {"name": "hinge", "type": "revolute", "bodies": ["world", "a"], "point": [-x, 0], "active": False}
    return scene2([body], (0, 0), joints=[hinge], events=[{"when": f"t > {when}", "activate": "hinge"}]), end, farthest({"a": arm * math.sin(turned)}, 0), 0, 0.1 + x + arm * turned


def rod_between_wall_and_floor(end=0.75):
    """A rod slides down without friction, its ends on wall and floor; it leaves the wall at two thirds of its height."""
    length, start = 2.0, math.radians(10)  # from the wall
    h, m = length / 2, 1.0
    inertia = m * length**2 / 12

    def against(x):
        return [x[1], m * G * h * math.sin(x[0]) / (inertia + m * h * h)]

    def force(x):  # of the wall, over m h
        return math.cos(x[0]) * against(x)[1] - math.sin(x[0]) * x[1] ** 2

    t, x = runge_kutta(against, [start, 0.0], 3.0, until=lambda x: force(x) if x[1] > 0 else 1)

    if t < end:
        place = h * math.sin(x[0]) + h * math.cos(x[0]) * x[1] * (end - t)
    else:
        x = runge_kutta(against, [start, 0.0], end)
        place = h * math.sin(x[0])
    room = {"name": "room", "fixed": True, "shapes": [{"type": "half-plane"}, {"type": "half-plane", "normal": [1, 0]}]}
    rod = {"name": "a", "mass": m, "inertia": inertia, "position": [h * math.sin(start), h * math.cos(start)], "angle": -start,
           "shapes": [{"type": "point", "position": [0, y]} for y in (-h, h)]}
    return scene2([room, rod]), end, farthest({"a": place}, 0), 0, length + place


def board_slides_under_a_ball():
    """A board is pulled away under a ball that rolls on it: the ball gets two sevenths of the board's acceleration."""
    m, big, force, r, end = 1.0, 3.0, 6.0, 0.1, 1.0
    # ball: a = F/m, alpha = F r / I, board: A = (force - F)/M, rolling: A = a + r alpha = 3.5 a
    a = force / (3.5 * big + m)
    bodies = [FLOOR, {"name": "board", "mass": big, "position": [0, 0, 0.05], "shapes": [{"type": "box", "size": [6, 1, 0.1], "material": "board"}]},
              {"name": "a", "mass": m, "position": [0, 0, 0.1 + r], "shapes": [{"type": "sphere", "radius": r, "material": "ball"}]}]
    scene = scene3(bodies, forces=[{"type": "force", "body": "board", "force": [force, 0, 0]}])
    scene["materials"].append({"pair": ["ball", "board"], "friction": 0.5})
    x = a * end**2 / 2
    return scene, end, farthest({"a": x}, 0), 0, 2 * r + x


def height_field_rolls(angle=0.2, end=1.0):
    """A ball rolls down a plane made of a height field: 5/7 g sin."""
    r, n, step = 0.1, 41, 0.25
    grid = [[-math.tan(angle) * step * i for i in range(n)] for _ in range(9)]
    ground = {"name": "ground", "fixed": True, "position": [-1, -1, 0], "shapes": [{"type": "height-field", "spacing": [step, step], "heights": grid}]}
    way = 5 / 7 * G * math.sin(angle) * end**2 / 2
    ball = sphere(r, position=[0, 0.03, -math.tan(angle) + r / math.cos(angle)])
    return scene3([ground, ball], law={"friction": 0.6}), end, farthest({"a": way * math.cos(angle)}, 0), 0, 2 * r + way


def cases():
    """Name and function of every scene."""
    found = [("static_friction_holds", static_friction_holds), ("static_friction_lost", static_friction_lost), ("stick_slip", stick_slip)]
    for power in (1, 2):
        found.append((f"stribeck_{power}", lambda power=power: stribeck(power)))
    for turned in (0.0, 0.7):
        found.append((f"elliptic_friction_at_{turned:g}", lambda turned=turned: elliptic(turned)))
    found += [("rolling_resistance", rolling_resistance), ("rolling_resistance_holds", rolling_resistance_holds)]
    found.append(("spinning_resistance", lambda: spinning_to_a_stop({"spinning": 0.003}, 0.003)))
    found.append(("patch_resists_spinning", lambda: spinning_to_a_stop({"contact_radius": 0.01}, 0.4 * 2 / 3 * 0.01)))
    found.append(("patch_slides_and_spins", patch_slides_and_spins))
    for spin, v in ((3.0, (0.3, 0.0)), (8.0, (0.2, 0.5))):
        found.append((f"ball_on_a_turntable_at_{spin:g}", lambda spin=spin, v=v: ball_on_a_turntable(spin, v)))
    found.append(("ball_on_an_accelerated_belt", ball_on_an_accelerated_belt))
    for mu in (0.2, 0.5):
        found.append((f"plank_on_two_rollers_{mu:g}", lambda mu=mu: plank_on_two_rollers(mu)))
    found.append(("box_on_a_shaken_table_slides", lambda: box_on_a_shaken_table(0.3, 0.02, 25)))
    found.append(("box_on_a_shaken_table_sticks_in_parts", lambda: box_on_a_shaken_table(0.3, 0.02, 14)))
    found += [(f.__name__, f) for f in (pendulum_with_dry_friction, wheel_in_a_bearing, body_on_a_stiff_ball_joint)]
    found += [("weights_on_a_rope_over_points", lambda: weight_on_a_rope(False)), ("weight_on_a_loose_pulley", lambda: weight_on_a_rope(True))]
    found += [(f.__name__, f) for f in (weight_around_a_drum, slide_by_a_polynomial, nut_falls_on_a_steep_screw)]
    for angle in (0.3, 0.8):
        found.append((f"cardan_shaft_at_{angle:g}", lambda angle=angle: cardan_shaft(angle)))
    found += [(f.__name__, f) for f in (servo_at_its_limit, armature_behind_a_gear)]
    found.append(("released_by_an_event", lambda: released_at(0.1037)))
    found += [(f.__name__, f) for f in (caught_by_a_joint, rod_between_wall_and_floor, board_slides_under_a_ball, height_field_rolls)]
    return found

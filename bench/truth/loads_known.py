"""Loads that jump or depend on velocities, switches, faces that end and cams that are left, with answers from paper.

Every function returns what those of closed_forms.py do. Some of these runs are wrong and vouched for: docs/reference/truth.md, "Known to be wrong".
"""
import math

from impacts_known import G, farthest, scene_of

START = 0.1031  # between the ends of steps


def away(x, y):
    """Distance of body `a` from a place in the plane."""

    def read(run):
        at = next(b for b in run["final"]["bodies"] if b["name"] == "a")["position"]
        return math.dist(at[:2], (x, y))

    return read


def puck(**rest):
    return {"name": "a", "mass": 1, "inertia": 0.01, "position": [0, 0], "shapes": [{"type": "disk", "radius": 0.05}], **rest}


def pulse(width, end=0.5):
    """1000 N for a short time."""
    force = f"if(t - {START}, if({START + width} - t, 1000, 0), 0)"
    scene = scene_of([puck()], False, forces=[{"type": "force", "body": "a", "force": [force, 0]}])
    x = 1000 * width * (end - START - width / 2)
    return scene, end, farthest({"a": x}, 0), 0, 0.1 + x


def half_sine_effort(width, end=0.5):
    """A short push along a slide."""
    effort = f"if(t - {START}, if({START + width} - t, 1000*sin(pi*(t - {START})/{width}), 0), 0)"
    scene = scene_of([puck()], False, joints=[{"type": "prismatic", "bodies": ["world", "a"], "point": [0, 0], "axis": [1, 0], "effort": effort}])
    x = 1000 * width * 2 / math.pi * (end - START - width / 2)
    return scene, end, farthest({"a": x}, 0), 0, 0.1 + x


def magnetic(field, end=2.0):
    """A force across the velocity: the body goes round."""
    scene = scene_of([puck(velocity=[1, 0])], False, forces=[{"type": "force", "body": "a", "force": [f"{field}*a.vy", f"-{field}*a.vx"]}])
    return scene, end, away(math.sin(field * end) / field, (math.cos(field * end) - 1) / field), 0, 0.1 + end


def controlled(k, c, end=1.1):
    """A controller written as an expression: k (1 - x) - c v."""
    scene = scene_of([puck()], False, forces=[{"type": "force", "body": "a", "force": [f"{k}*(1 - a.x) - {c}*a.vx", 0]}])
    damping, omega = c / 2, math.sqrt(k - c * c / 4) if k > c * c / 4 else 0.0
    decay = math.exp(-damping * end)
    x = 1 - decay * ((math.cos(omega * end) + damping / omega * math.sin(omega * end)) if omega else 1 + damping * end)
    return scene, end, farthest({"a": x}, 0), 0, 1.1


def drag(c, end=1.0):
    """-c v |v|"""
    scene = scene_of([puck(velocity=[5, 0])], False, forces=[{"type": "force", "body": "a", "force": [f"-{c}*a.vx*abs(a.vx)", 0]}])
    x = math.log(1 + 5 * c * end) / c
    return scene, end, farthest({"a": x}, 0), 0, 0.1 + x


def leaves_a_table(shape, end=0.6):
    """A body slides over the end of a table and falls."""
    r = 0.02 if shape == "disk" else 0.0
    table = {"name": "table", "fixed": True, "shapes": [{"type": "box", "size": [2, 0.2], "position": [-1, -0.1]}]}
    body = {"name": "a", "mass": 1, "inertia": 1e-3, "position": [-0.5, r], "velocity": [2, 0], "shapes": [{"type": shape, **({"radius": r} if r else {})}]}
    y = -G * (end - 0.25) ** 2 / 2
    return scene_of([table, body], False, G), end, away(-0.5 + 2 * end, r + y), 0, 0.08 + 2 * end


def lifts_off(amplitude, omega, end):
    """A plate that swings throws a body up and catches it, without bounce."""
    t, y, v, free, h = 0.0, 0.0, 0.0, False, 1e-6
    way = 0.0
    while t < end:  # flights are exact; instants are found to h
        height, speed, pull = amplitude * math.sin(omega * t), amplitude * omega * math.cos(omega * t), -amplitude * omega**2 * math.sin(omega * t)
        if not free and pull < -G:
            free, y, v = True, height, speed
        elif free and y <= height and v <= speed:
            free = False
        if free:
            y, v = y + h * v - G * h * h / 2, v - G * h
        way += h * abs(v if free else speed)
        t += h
    y = y if free else amplitude * math.sin(omega * end)
    plate = {"name": "plate", "motion": {"position": [0, f"{amplitude}*sin({omega}*t)"]}, "shapes": [{"type": "box", "size": [0.4, 0.02], "position": [0, -0.01]}]}
    body = {"name": "a", "mass": 1, "inertia": 1e-3, "position": [0, 0.02], "velocity": [0, amplitude * omega], "shapes": [{"type": "disk", "radius": 0.02}]}
    return scene_of([plate, body], False, G), end, farthest({"a": y + 0.02}, 1), 0, 0.04 + way


def relay(end=2.0):
    """5 N towards x = 0.5: parabolas."""
    scene = scene_of([puck()], False, forces=[{"type": "force", "body": "a", "force": ["5*sign(0.5 - a.x)", 0]}])
    quarter = math.sqrt(2 * 0.5 / 5)
    t = end % (4 * quarter)
    s = t if t < quarter else t - quarter if t < 3 * quarter else t - 3 * quarter
    x = 2.5 * s * s if t < quarter else 0.5 + (5 * quarter * s - 2.5 * s * s) * (1 if t < 3 * quarter else -1)
    return scene, end, farthest({"a": x}, 0), 0, 0.1 + end / (2 * quarter)


def region(end=2.0):
    """A force behind a line throws the puck back."""
    scene = scene_of([puck(velocity=[2, 0])], False, forces=[{"type": "force", "body": "a", "force": ["if(a.x - 1, -50, 0)", 0]}])
    return scene, end, farthest({"a": 1 - 2 * (end - 0.5 - 2 * 2 / 50)}, 0), 0, 4.1


def stopped(how, end=1.0):
    """A drive that a switch at 1.0071 m stops."""
    rail = {"name": "rail", "type": "prismatic", "bodies": ["world", "a"], "point": [0, 0], "axis": [1, 0]}
    drive = "if(a.x - 1.0071, 0, 3)" if how == "expression" else "drive"
    scene = scene_of([puck(velocity=[3, 0])], False, joints=[{**rail, "motor": {"velocity": drive, "effort": 1e5}}])
    if how == "event":
        scene.update(inputs=[{"name": "drive", "value": 3}], events=[{"name": "there", "when": "a.x > 1.0071", "set": {"drive": 0}}])
    return scene, end, farthest({"a": 1.0071}, 0), 0, 1.1071


def cases():
    """Name and function of every scene."""
    found = []
    for width in (0.001, 0.004):
        found.append((f"pulse_of_{width:g}_s", lambda width=width: pulse(width)))
    found.append(("half_sine_effort_of_0.002_s", lambda: half_sine_effort(0.002)))
    for field in (5, 20):
        found.append((f"magnetic_{field}", lambda field=field: magnetic(field)))
    for k, c in ((100, 4), (2500, 100)):
        found.append((f"controlled_by_expressions_{k}_{c}", lambda k=k, c=c: controlled(k, c)))
    found.append(("drag_by_an_expression", lambda: drag(1.0)))
    for shape in ("point", "disk"):
        found.append((f"{shape}_leaves_a_table", lambda shape=shape: leaves_a_table(shape)))
    for omega, end in ((40, 0.35), (60, 0.31)):
        found.append((f"plate_at_{omega}_throws_up", lambda omega=omega, end=end: lifts_off(0.02, omega, end)))
    found.append(("relay", relay))
    found.append(("region_throws_back", region))
    for how in ("event", "expression"):
        found.append((f"drive_stopped_by_an_{how}", lambda how=how: stopped(how)))
    return found

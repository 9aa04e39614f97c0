"""The scenes with known answers and their checks: each returns (right, what was measured).

Bounds are those of the scene's text where it has one, else 1 % of the quantity. A variant changes loads, sizes, direction of gravity and
step; its check computes the answer for these, so no number of one file is used twice.
"""
import copy
import json
import math
import os
import random

import numpy

from harness import Run


class Case:
    """A scene, what is asked of it, its check, and how variants of it are drawn."""

    def __init__(self, asked, check, vary=None, flag_expected=False, limit=60.0):
        self.asked, self.check, self.vary, self.flag_expected, self.limit = asked, check, vary, flag_expected, limit
        self.name = ""

    def load(self, folder):
        path = os.path.join(folder, self.name + ".json")
        if not os.path.exists(path):
            return None
        with open(path, encoding="utf-8") as text:
            return json.load(text)

    def variant(self, scene, seed):
        scene, draw = copy.deepcopy(scene), random.Random(seed)
        if self.vary:
            self.vary(scene, draw)
        else:
            scene["run"]["dt"] *= draw.choice([0.25, 0.5, 0.7, 1.3])
        return scene


def body_of(scene, name):
    return next(b for b in scene["bodies"] if b.get("name") == name)


def plane_angle(run, name):
    return run.body(name)[:, 2]


# ---- limits, motors, presses ----


def check_stop(_, scene, run):
    joint, force = scene["joints"][0], scene["forces"][0]
    low = math.radians(joint["limits_deg"][0])
    angle = plane_angle(run, "arm")
    lever, load = force["point"][0], -force["force"][1]
    work = load * lever * math.sin(-low)
    measured = run.summary["energy_flow"]["forces"]
    beyond = math.degrees(max(0.0, low - angle.min()))
    right = abs(angle[-1] - low) < 2e-4 and beyond < 0.05 and abs(measured - work) < 0.01 * work
    return right, f"ends at {math.degrees(angle[-1]):.4f} deg, at most {beyond:.3g} deg past, forces do {measured:.4g} J of {work:.4g}"


def vary_stop(scene, draw):
    scene["forces"][0]["force"][1] *= draw.uniform(0.2, 2)
    scene["joints"][0]["limits_deg"][0] = draw.uniform(-60, -10)
    scene["run"]["dt"] *= draw.choice([0.3, 0.5, 1, 2])


def check_motor_limit(_, scene, run):
    joint = scene["joints"][0]
    effort, high = joint["motor"]["effort"], joint["limits"][1]
    late = run.time() > 0.7
    limit, rate = run.joint(0, "limit")[late], run.joint(0, "rate")[late]
    angle = run.joint(0, "coordinate")[late]
    right = numpy.all(abs(limit + effort) < 0.01 * effort) and abs(rate).max() < 1e-6 and abs(angle - high).max() < 1e-4
    return right, f"limit {limit.min():.5g} .. {limit.max():.5g} N m, off by {abs(angle - high).max():.2g} rad"


def vary_motor_limit(scene, draw):
    joint = scene["joints"][0]
    joint["motor"] = {"velocity": draw.uniform(1, 6), "effort": draw.uniform(5, 40)}
    joint["limits"][1] = draw.uniform(0.1, 0.6)
    scene["run"]["dt"] = draw.choice([0.002, 0.005, 0.01, 0.013])


def check_press(_, __, run):
    lowest = run.body("a")[:, 1].min()
    return lowest > -1e-5, f"lowest {lowest:.3g} m"


def vary_press(scene, draw):
    scene["forces"][0]["force"][1] *= draw.uniform(0.1, 3)
    body_of(scene, "c")["mass"] = draw.choice([0.1, 1, 10])
    scene["run"]["dt"] = draw.choice([0.001, 0.005, 0.01])


def check_clamp(_, scene, run):
    force = run.normal_force(("s", "wall"))[run.time() > 0.5]
    effort = scene["joints"][0]["motor"]["effort"]
    # virtual work of the crank's torque at the closed position: crank at a, rod at b below the line
    q = {name: run.body(name)[-1] for name in ("c", "s")}
    crank, rod = 0.1, math.hypot(q["s"][0] - 0.1 * math.cos(q["c"][2]), 0.1 * math.sin(q["c"][2]))
    a, b = q["c"][2], math.asin(crank * math.sin(q["c"][2]) / rod)
    value = effort / (crank * math.sin(a + b) / math.cos(b))
    off = abs(force - value).max() if len(force) else math.inf
    return off < 0.01 * value, f"{force.min():.4g} .. {force.max():.4g} N of {value:.4g}"


def vary_clamp(scene, draw):
    scene["joints"][0]["motor"]["effort"] *= draw.uniform(0.4, 4)
    scene["run"]["dt"] = draw.choice([0.001, 0.0025, 0.005, 0.008])


def check_overshoot(_, scene, run):
    limit = scene["joints"][0]["limits"][1]
    travel = run.joint(0, "coordinate")
    beyond = max(0.0, float(travel.max()) - limit)
    return beyond < 1e-4 and abs(travel[-1] - limit) < 1e-4, f"passed by {beyond * 1e3:.3g} mm, ends {1e3 * (travel[-1] - limit):.3g} mm off"


def vary_overshoot(scene, draw):
    scene["forces"][0]["force"][0] *= draw.uniform(0.1, 2)
    scene["joints"][0]["limits"][1] = draw.uniform(0.02, 0.3)
    scene["run"]["dt"] = draw.choice([0.001, 0.004, 0.01])


# ---- contact forces ----


def cam_forces(scene, samples=4000):
    """Force on a flat follower over a disk with offset centre: m (a + g) + k (x - x0) + c x'."""
    cam, follower = body_of(scene, "cam"), body_of(scene, "follower")
    rate = float(cam["motion"]["rotation"].split("*")[0])
    radius, offset = cam["shapes"][0]["radius"], cam["shapes"][0]["position"][0]
    spring = scene["joints"][0]["spring"]
    half = follower["shapes"][0]["size"][1] / 2
    phase = numpy.linspace(0, 2 * math.pi, samples)
    rise = offset * numpy.sin(phase) + radius + half - follower["position"][1]
    speed, acceleration = offset * rate * numpy.cos(phase), -offset * rate**2 * numpy.sin(phase)
    gravity = -scene["gravity"][1]
    return follower["mass"] * (acceleration + gravity) + spring["stiffness"] * (rise - spring["rest"]) + spring["damping"] * speed


def check_cam(_, scene, run):
    theory = cam_forces(scene)
    force = run.normal_force(("cam", "follower"))[run.time() > 0.05]
    without = float((force <= 0).mean())
    right = without == 0 and abs(force.max() / theory.max() - 1) < 0.01 and abs(force.min() - theory.min()) < 0.01 * theory.max()
    return right, f"{force.min():.4g} .. {force.max():.4g} N of {theory.min():.4g} .. {theory.max():.4g}, {without:.1%} without force"


def vary_cam(scene, draw):
    cam = body_of(scene, "cam")
    cam["motion"]["rotation"] = f"{draw.uniform(60, 150)}*t"
    scene["joints"][0]["spring"]["stiffness"] *= draw.uniform(1, 2)
    scene["run"]["dt"] = draw.choice([0.0001, 0.0002, 0.0004])


def check_feeder(_, __, run):
    way = 1e3 * (run.body("part0")[-1, 0] + 0.05)
    return abs(way - 43.9) < 0.44, f"{way:.4g} mm"


def check_grip(_, __, run):
    q = run.body("o")
    moved = abs(q[:, :3] - q[0, :3]).max()
    return moved < 1e-8, f"moves {moved:.2g} m"


def vary_grip(scene, draw):
    effort, share = draw.uniform(5, 60), draw.uniform(0.3, 0.95)
    friction = draw.uniform(0.2, 1.0)
    scene["materials"][0]["friction"] = friction
    scene["joints"][0]["motor"]["effort"] = effort
    size, angle = 2 * friction * effort * share, draw.uniform(0, 2 * math.pi)
    scene["forces"][0]["force"] = [0, size * math.sin(angle), size * math.cos(angle)]
    scene["run"]["dt"] = draw.choice([0.001, 0.005, 0.01])


def check_slip_out(_, scene, run):
    friction, effort = scene["materials"][0]["friction"], scene["joints"][0]["motor"]["effort"]
    load = -scene["forces"][0]["force"][2]
    acceleration = (load - 2 * friction * effort) / body_of(scene, "o")["mass"]
    when = 0.9 * math.sqrt(2 * 0.1 / acceleration) if acceleration > 0 else 0.5
    k = int(numpy.argmin(abs(run.time() - min(when, 0.45))))
    at = run.time()[k]
    way, value = -run.body("o")[k, 2], acceleration * at**2 / 2
    return abs(way - value) < 0.01 * value + 1e-6, f"{way:.5g} m of {value:.5g} at {at:.3g} s"


def vary_slip_out(scene, draw):
    scene["forces"][0]["force"][2] = -draw.uniform(20.5, 40)
    scene["run"]["dt"] = draw.choice([0.001, 0.0025, 0.005])


# ---- seams and floors ----


def check_tiles(_, scene, run):
    start = body_of(scene, "b")["velocity"]
    v = run.body("b", "v")
    off = abs(v[-1, 0] / start[0] - 1)
    return off < 1e-6 and abs(v[-1, 2]) < 1e-6, f"speed off by {off:.2g}"


def vary_tiles(scene, draw):
    floor, b = body_of(scene, "floor"), body_of(scene, "b")
    width, count = draw.uniform(0.1, 0.6), 30
    floor["shapes"] = [{"type": "box", "size": [width, 1, 0.1], "position": [width * (k - 3), 0, -0.05]} for k in range(count)]
    if draw.random() < 0.5:
        tiles = [{"name": f"tile{k}", "fixed": True, "shapes": [shape]} for k, shape in enumerate(floor["shapes"])]
        scene["bodies"] = tiles + [b]
    shape = draw.choice(["box", "cylinder", "capsule", "sphere"])
    turn = {"axis": [0, 0, 1], "angle": draw.uniform(-3, 3)}
    if shape == "box":
        b["shapes"] = [{"type": "box", "size": [draw.uniform(0.05, 0.4), 0.2, 0.2]}]
        b["orientation"] = turn
    elif shape == "cylinder":
        b["shapes"] = [{"type": "cylinder", "radius": draw.uniform(0.05, 0.3), "length": 0.2}]
    elif shape == "capsule":
        b["shapes"] = [{"type": "capsule", "radius": 0.1, "length": 0.3, "orientation": {"axis": [0, 1, 0], "angle": math.pi / 2}}]
        b["orientation"] = turn
    else:
        b["shapes"] = [{"type": "sphere", "radius": 0.1}]
    b["velocity"] = [draw.uniform(0.5, 5), 0, 0]
    scene["run"]["dt"] = draw.choice([0.002, 0.005, 0.01])


def check_field(_, __, run):
    q = run.body([n for n in run.names("bodies") if n not in ("floor", "world")][0])
    dip = abs(q[:, 2] - q[0, 2]).max()
    return dip < 1e-6, f"moves {dip:.2g} m up or down"


# ---- bodies that swing and spin ----


def check_chain(_, scene, run):
    energy = run.energy()
    drift = run.summary["joint_drift_max"]
    swing = abs(energy[0] - run.read("energy/gravitational", "energy").min()) or 1.0
    gain = float((energy - energy[0]).max()) / swing
    loss = float((energy[0] - energy).max()) / swing
    # asked: no energy made. Stewart-Trinkle, of first order, may lose some: the energy of a pendulum of length L goes up and down by
    # dt sqrt(g/L) / 2 of the swing's
    first = scene["run"].get("scheme", "moreau-jean") == "stewart-trinkle"
    swings = scene["run"]["dt"] * math.sqrt(9.81 / math.hypot(*body_of(scene, "load")["position"][:2])) / 2 if first else 0.0
    return gain < 1e-3 and loss < 0.01 + 1.2 * swings and drift < 5e-5, f"gains {gain:.2g}, loses {loss:.2g} of the swing's energy, joints off by {drift:.2g} m"


def vary_chain(scene, draw):
    scene["run"]["scheme"] = draw.choice(["moreau-jean", "stewart-trinkle"])
    body_of(scene, "load")["mass"] = 10 ** draw.uniform(-1, 2)
    scene["run"]["dt"] = draw.choice([0.001, 0.0025, 0.005])


def top_reference(scene, end):
    """Axis of a top on a ball joint at the origin: Runge-Kutta 4 with small steps on (R, omega in the body)."""
    b = body_of(scene, "a")
    turn = b["orientation"]["angle"]
    axis = numpy.array(b["orientation"]["axis"], float)
    rotation = rotation_matrix(axis, turn)
    arm = rotation.T @ numpy.array(b["position"], float)
    mass, inertia = b["mass"], numpy.diag(b["inertia"]).astype(float)
    about = inertia + mass * (arm @ arm * numpy.eye(3) - numpy.outer(arm, arm))
    weight = mass * numpy.array(scene["gravity"], float)
    inverse = numpy.linalg.inv(about)
    w = rotation.T @ numpy.array(b["angular_velocity"], float)

    def rate(r, o):
        hat = numpy.array([[0, -o[2], o[1]], [o[2], 0, -o[0]], [-o[1], o[0], 0]])
        return r @ hat, inverse @ (numpy.cross(arm, r.T @ weight) - numpy.cross(o, about @ o))

    steps = 20000
    h = end / steps
    for _ in range(steps):
        k1 = rate(rotation, w)
        k2 = rate(rotation + h / 2 * k1[0], w + h / 2 * k1[1])
        k3 = rate(rotation + h / 2 * k2[0], w + h / 2 * k2[1])
        k4 = rate(rotation + h * k3[0], w + h * k3[1])
        rotation = rotation + h / 6 * (k1[0] + 2 * k2[0] + 2 * k3[0] + k4[0])
        w = w + h / 6 * (k1[1] + 2 * k2[1] + 2 * k3[1] + k4[1])
    return rotation @ arm / numpy.linalg.norm(arm)


def rotation_matrix(axis, angle):
    a = axis / numpy.linalg.norm(axis)
    hat = numpy.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])
    return numpy.eye(3) + math.sin(angle) * hat + (1 - math.cos(angle)) * hat @ hat


def check_top(_, scene, run):
    q = run.body("a")[-1, :3]
    reference = top_reference(scene, scene["run"]["until"])
    off = float(numpy.linalg.norm(q / numpy.linalg.norm(q) - reference))
    return off < 0.01, f"axis off by {off:.2g}"


def vary_top(scene, draw):
    b = body_of(scene, "a")
    thin = draw.uniform(0.2, 1.9)
    b["inertia"] = [0.002, 0.002, 0.002 * thin]
    angle = draw.uniform(0.2, 1.2)
    b["orientation"]["angle"] = angle
    b["position"] = [0, -0.1 * math.sin(angle), 0.1 * math.cos(angle)]
    spin = draw.uniform(20, 80)
    b["angular_velocity"] = [0, -spin * math.sin(angle), spin * math.cos(angle)]
    scene["run"]["dt"] = 0.06 / spin
    scene["run"]["until"] = 60 * scene["run"]["dt"] * 10


def check_spin(_, __, run):
    momentum = run.read("momentum/angular", "energy")
    off = float(numpy.linalg.norm(momentum - momentum[0], axis=1).max() / numpy.linalg.norm(momentum[0]))
    energy = run.energy()
    change = float(abs(energy / energy[0] - 1).max())
    return off < 1e-8 and change < 1e-4, f"momentum off by {off:.2g}, energy by {change:.2g}"


def vary_spin(scene, draw):
    b = scene["bodies"][0]
    b["inertia"] = [1, draw.uniform(1, 2), draw.uniform(1, 2)]
    b["angular_velocity"] = [draw.uniform(-200, 200) for _ in range(3)]
    scene["run"]["dt"] = draw.choice([0.001, 0.01, 0.03])


def check_no_gain(_, __, run):
    energy = run.energy()
    gain = float((energy - energy[0]).max())
    scale = float(energy.max() - energy.min()) or 1.0
    return gain < 0.01 * abs(run.read("energy/kinetic", "energy").max()) + 1e-12 * scale, f"gains {gain:.3g} J of {energy[0]:.3g}"


def vary_needle(scene, draw):
    b = body_of(scene, "b0")
    b["velocity"] = [draw.uniform(-2, 2), draw.uniform(-2, 2), draw.uniform(-2, 0)]
    b["angular_velocity"] = [draw.uniform(-5, 5) for _ in range(3)]
    b["shapes"][0]["size"] = [draw.uniform(0.1, 0.5), 0.004, 0.004]
    scene["run"]["dt"] = draw.choice([0.005, 0.01])


def check_rolling(_, __, run):
    energy = run.energy()
    loss = float(energy[-1] / energy[0] - 1)
    return abs(loss) < 2e-3, f"energy changes by {loss:.2%}"


def vary_rolling(scene, draw):
    d = body_of(scene, "d")
    tilt, spin, radius = draw.uniform(0.05, 0.5), draw.uniform(2, 6), 0.5
    half = draw.choice([1e-3, 0.01, 0.05])
    d["shapes"][0]["length"] = 2 * half
    # the axis leans by angle about y; the disk lies nearly flat: its edge touches below
    d["orientation"]["angle"] = tilt
    d["position"][2] = radius * math.sin(tilt) + half * math.cos(tilt)
    scene["run"]["dt"] = draw.choice([0.001, 0.002])
    turn = rotation_matrix(numpy.array([0, 1.0, 0]), tilt)
    low = min((turn @ numpy.array([s * radius, 0, -half]) for s in (-1, 1)), key=lambda p: p[2])
    direction = low / numpy.linalg.norm(low)  # rolling without slip and a point at rest: omega along the line centre - contact
    d["angular_velocity"] = list(spin * direction)


def check_crank(_, __, run):
    angle, rate = run.body("c")[-1, 2], run.body("c", "v")[-1, 2]
    return abs(angle - 77.16120) < 0.77 and abs(rate - 83.3065) < 0.83, f"{angle:.5g} rad, {rate:.5g} rad/s"


def check_rotor(_, scene, run):
    b, joint = scene["bodies"][0], scene["joints"][0]
    speed = math.sqrt(sum(x * x for x in b["angular_velocity"]))
    value = speed**2 / (2 * joint["friction"] / b["inertia"][0])
    angle = abs(run.joint(0, "coordinate")[-1])
    return abs(angle - value) < 1e-3 * value, f"{angle:.6g} rad of {value:.6g}"


# ---- what must be said ----


def check_said(words):
    def check(_, __, run):
        text = (run.warnings() + " " + run.message + " " + json.dumps(run.summary.get("resolution", ""))).lower()
        said = run.code == 1 and all(word in text for word in words)
        return said, f"exit {run.code}: {text.strip()[:160] or 'nothing said'}"
    return check


def check_mirror(program, scene, run):
    """Mirror at the plane y = 0: positions mirrored; other solvers: the same."""
    mirrored = copy.deepcopy(scene)
    b = body_of(mirrored, "b")
    b["velocity"][1] *= -1
    b["angular_velocity"][0] *= -1
    b["angular_velocity"][2] *= -1
    spread = 0.0
    q = run.body("b")[-1, :3]
    for other, solver, factor in ((mirrored, "auto", -1), (scene, "nsgs", 1), (scene, "newton", 1)):
        again = Run(program, other, ["--solver", solver])
        p = again.body("b")[-1, :3]
        again.close()
        spread = max(spread, float(numpy.linalg.norm(p * [1, factor, 1] - q)))
    return spread < 1e-5, f"spread {spread:.2g} m over mirror and solvers"


def vary_mirror(scene, draw):
    b = body_of(scene, "b")
    b["velocity"] = [draw.uniform(-3, 3), draw.uniform(-3, 3), 0]
    b["angular_velocity"] = [0, 0, draw.uniform(-12, 12)]
    b["shapes"][0]["size"] = [draw.uniform(0.2, 0.8), draw.uniform(0.2, 0.8), 0.1]
    scene["run"]["until"] = 0.8


CASES = {
    "stop-under-load": Case("rests at the stop", check_stop, vary_stop),
    "motor-on-limit": Case("rests with the motor's effort", check_motor_limit, vary_motor_limit),
    "press-through-joint": Case("stays above the floor", check_press, vary_press),
    "toggle-clamp": Case("force of the closed clamp", check_clamp, vary_clamp),
    "limit-overshoot": Case("limit kept", check_overshoot, vary_overshoot),
    "cam-1400-rpm": Case("force of the closed form", check_cam, vary_cam),
    "feeder": Case("43.9 mm", check_feeder),
    "gripper-no-gravity": Case("held", check_grip, vary_grip),
    "gripper-slips-out": Case("slides out by the closed form", check_slip_out, vary_slip_out),
    "two-tiles": Case("speed kept", check_tiles, vary_tiles),
    "box-on-flat-height-field": Case("rests", check_field),
    "chain-with-load": Case("no energy made, joints closed", check_chain, vary_chain),
    "heavy-top": Case("axis by high-order integration", check_top, vary_top),
    "fast-spin": Case("momentum and energy kept", check_spin, vary_spin),
    "needle": Case("no energy made", check_no_gain, vary_needle),
    "rolling-disk": Case("energy kept to 0.2 %", check_rolling, vary_rolling),
    "slider-crank-friction": Case("77.16120 rad, 83.3065 rad/s", check_crank),
    "rotor-event-driven": Case("certified, stops by the closed form", check_rotor),
    "box-slides-and-spins": Case("mirror and solvers agree", check_mirror, vary_mirror),
    "squeezed": Case("drive and bodies named, exit 1", check_said(["press", "wall"]), flag_expected=True, limit=30),
    "arm-into-wall": Case("drive and bodies named, exit 1", check_said(["arm", "wall"]), flag_expected=True, limit=30),
    "prescribed-jump": Case("jump named", check_said(["tab"]), flag_expected=True),
    "newton-gain": Case("gain named", check_said(["newton"]), flag_expected=True),
}
for _name, _case in CASES.items():
    _case.name = _name

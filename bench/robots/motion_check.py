#!/usr/bin/env python3
"""Imported robots beside MuJoCo in motion: accelerations at random states and controls, and free swings.

  motion_check.py ASPERITY PACKAGE/mujoco.js [--keyframe NAME] [--states N] [--swing SECONDS] MODEL ...
  motion_check.py ASPERITY own ...      own_oracle.py in MuJoCo's place: its own equations of motion

PACKAGE: where `npm install @mujoco/mujoco` put it; skipped (code 77) where it is missing. Needs the Python package
(PYTHONPATH=build/release/python). Contacts, limits, dry friction and equality constraints are left out on both sides:
they are soft there and rigid here. Accelerations: the largest difference of any body, relative to the largest of the state.
Swings: the largest distance (m) and turn (rad) of a body from Runge-Kutta's at the end, by the scheme event-driven, and by
moreau-jean at dt and dt/2 with the order that the two show.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))


def rotation(q):
    w, x, y, z = q
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def bare(scene, swing):
    """Without contacts, limits, dry friction, loops and couplings; for a swing without drives and dampers too."""
    scene.pop("probes", None)
    scene.pop("exclude", None)
    for body in scene["bodies"]:
        for key in ("shapes", "visual"):
            body.pop(key, None)
    kept = []
    for joint in scene["joints"]:
        acts = any(key in joint for key in ("spring", "servo", "effort", "motor", "armature"))
        coupled = joint["type"] in ("coupling", "tendon")
        if joint.get("contact") and joint["bodies"][0] != "world" or coupled and not acts:
            continue  # a loop or a coupling of the file
        for part in joint.get("axes", []) + [joint]:
            for key in ("limits", "friction", "angle", "displacement"):  # the last two: equalities
                part.pop(key, None)
            for key in ("servo", "effort", "motor") if swing else ():
                part.pop(key, None)
            if swing and "spring" in part:
                part["spring"].pop("damping", None)
                if "stiffness" not in part["spring"]:
                    part.pop("spring")
        if not coupled or any(key in joint for key in ("spring", "servo", "effort", "motor", "armature")):
            kept.append(joint)
    scene["joints"] = kept
    return scene


def oracle(options, model, words):
    own = [sys.executable, os.path.join(HERE, "own_oracle.py"), model, *words]
    call = own if options.package == "own" else ["node", os.path.join(HERE, "motion_oracle.mjs"), options.package, model, *words]
    done = subprocess.run(call + ([options.keyframe] if options.keyframe else []), capture_output=True, text=True, timeout=600)
    if done.returncode:
        lines = done.stderr.strip().splitlines()
        raise RuntimeError(next((line for line in lines if "rror" in line), "no answer"))
    return json.loads(done.stdout)


def read_scene(options, model, swing):
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "scene.json")
        call = [options.asperity, "import", "--anywhere", "--json", model, "-o", out]
        done = subprocess.run(call + (["--keyframe", options.keyframe] if options.keyframe else []), capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(done.stderr.strip())
        with open(out) as file:
            return bare(json.load(file), swing)


def place(world, scene, bodies):
    """The state of the oracle: q and v of all bodies that move."""
    q, v = np.array(world.q), np.array(world.v)
    for body in scene["bodies"]:
        if body.get("fixed") or "motion" in body:
            continue
        at, centre = bodies[body["name"]], np.array(body.get("center_of_mass", [0, 0, 0]), float)
        arm = rotation(at["q"]) @ centre
        k = world.model.bodies.index(body["name"])
        q.reshape(-1, 7)[k] = np.concatenate([np.array(at["p"]) + arm, at["q"]])
        v.reshape(-1, 6)[k] = np.concatenate([np.array(at["v"]) + np.cross(at["w"], arm), at["w"]])
    return q, v


def accelerations(options, model):
    import asperity
    said = oracle(options, model, ["accelerations", str(options.states)])
    scene = read_scene(options, model, False)
    world = asperity.World(asperity.Model.from_dict(scene))
    inputs = [item["name"] for item in scene.get("inputs", [])]
    worst, where = 0.0, ""
    if len(inputs) != len(said["actuators"]):
        raise RuntimeError(f"{len(said['actuators'])} actuators there, {len(inputs)} inputs here")
    for state in said["states"]:
        q, v = place(world, scene, state["bodies"])
        world.set_state(q=q, v=v)
        for name, value in zip(inputs, state["ctrl"]):
            world.set_input(name, value)
        mine = world.forward_dynamics().acceleration.reshape(-1, 6)
        largest = max(np.abs(b["a"]).max() for b in state["bodies"].values())
        for body in scene["bodies"]:
            if body.get("fixed") or "motion" in body:
                continue
            at = state["bodies"][body["name"]]
            arm = rotation(at["q"]) @ np.array(body.get("center_of_mass", [0, 0, 0]), float)
            turn, w = np.array(at["a"][:3]), np.array(at["w"])
            there = np.concatenate([np.array(at["a"][3:]) + np.cross(turn, arm) + np.cross(w, np.cross(w, arm)), turn])
            error = np.abs(mine[world.model.bodies.index(body["name"])] - there).max() / largest
            if error > worst:
                worst, where = error, body["name"]
    return f"accelerations {worst:.1e} ({where}), {len(said['states'])} states, {len(inputs)} controls"


def distance(world, scene, bodies):
    q, _ = place(world, scene, bodies)
    mine = np.array(world.q).reshape(-1, 7)
    there = q.reshape(-1, 7)
    sign = np.sign(np.sum(mine[:, 3:] * there[:, 3:], axis=1))
    return np.concatenate([mine[:, :3] - there[:, :3], 2 * (mine[:, 3:] - sign[:, None] * there[:, 3:])], axis=1)


def swing(options, model):
    import asperity
    said = oracle(options, model, ["swing", str(options.swing)])
    scene = read_scene(options, model, True)
    runs = (("event-driven", options.dt), ("moreau-jean", options.dt), ("moreau-jean", options.dt / 2))
    errors = []
    for scheme, dt in runs:
        world = asperity.World(asperity.Model.from_dict(scene), scheme=scheme, dt=dt, locate=0)
        q, v = place(world, scene, said["states"][0]["bodies"])
        world.set_state(q=q, v=v)
        for _ in range(round(options.swing / dt)):
            world.step()
        errors.append(np.abs(distance(world, scene, said["states"][1]["bodies"])).max())
    exact, coarse, fine = errors
    return (f"swing {options.swing:g} s: event-driven {exact:.1e}; moreau-jean {coarse:.1e}, {fine:.1e} "
            f"(order {np.log2(coarse / fine):.1f})")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--keyframe")
    parser.add_argument("--states", type=int, default=20)
    parser.add_argument("--swing", type=float, default=1.0)
    parser.add_argument("--dt", type=float, default=1e-3)
    parser.add_argument("--only", choices=["accelerations", "swing"])
    parser.add_argument("asperity")
    parser.add_argument("package")
    parser.add_argument("models", nargs="+")
    options = parser.parse_args()
    if options.package != "own" and not os.path.exists(options.package):
        print(f"skipped: {options.package} is missing (npm install @mujoco/mujoco)")
        sys.exit(77)
    for model in options.models:
        name = "/".join(model.split("/")[-2:])
        for task in (accelerations, swing):
            if options.only and task.__name__ != options.only:
                continue
            try:
                print(f"{name:40} {task(options, model)}", flush=True)
            except Exception as error:  # the others go on
                print(f"{name:40} {task.__name__}: {type(error).__name__}: {str(error)[:200]}", flush=True)


main()

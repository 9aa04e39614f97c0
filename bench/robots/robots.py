#!/usr/bin/env python3
"""Mechanisms and robots: processor time per step, certificates, drift, energy and speed at the end, in one table.

Chains of hinged links are drawn here; further scenes are read from a folder (--scenes), each *.json in it, and left out
with a line that says so where there is none. The time of a step is the difference of two runs of different length over
the difference of their steps, median of several, so that the start of the program does not count; results are written
once per run, at its end.

  bench/robots/robots.py --asperity build/release/cli/asperity [--scenes FOLDER] [--repeat N] [--only NAME ...]
"""
import argparse
import glob
import json
import math
import os
import resource
import statistics
import subprocess
import sys
import tempfile

LINK = 0.2  # m


def chain(links, kind):
    """Links of 0.2 m, hinged alternately about y and z. hanging: from its end, at rest and slightly bent; swinging: let go
    level; dropped: on a floor."""
    bodies, joints = [], []
    down = kind == "hanging"
    for i in range(links):
        along = LINK * (i + 0.5)
        position = [0, 0, -along] if down else [along, 0, 0.3 if kind == "dropped" else 0]
        body = {"name": f"link{i}", "mass": 0.1, "inertia": [3.5e-4, 3.5e-4, 3.5e-4], "position": position}
        if kind == "dropped":
            body["shapes"] = [{"type": "sphere", "radius": 0.05}]
        bodies.append(body)
        start = [0, 0, -LINK * i] if down else [LINK * i, 0, position[2]]
        if i > 0 or kind != "dropped":
            joints.append({"name": f"hinge{i}", "type": "revolute", "bodies": [f"link{i - 1}" if i else "ground", f"link{i}"],
                           "point": start, "axis": [0, 1, 0] if down or i % 2 == 0 else [0, 0, 1]})
    ground = {"name": "ground", "fixed": True}
    if kind == "dropped":
        ground["shapes"] = [{"type": "half-space"}]
    return {"name": f"chain {links} {kind}", "gravity": [0, 0, -9.81], "bodies": [ground] + bodies, "joints": joints,
            "materials": [{"pair": ["*", "*"], "friction": 0.5}] if kind == "dropped" else [],
            "run": {"dt": 1e-3, "until": 10}}


def run(program, path, steps, dt, folder):
    """Processor time in s, and what the run says."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([program, "run", path, "--json", "--quiet", "--until", repr(steps * dt), "--output-every", str(steps),
                           "--out", os.path.join(folder, "result.h5")], capture_output=True, text=True, timeout=600)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if not done.stdout:
        sys.exit(f"{path}: {done.stderr.strip()}")
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, json.loads(done.stdout)


def measure(program, path, scene, steps, repeat, folder):
    dt, times = scene["run"]["dt"], []
    short = max(1, steps // 10)
    for _ in range(repeat):
        few, _ = run(program, path, short, dt, folder)
        many, said = run(program, path, steps, dt, folder)
        times.append((many - few) / (steps - short))
    speed = max(math.hypot(*body["velocity"]) for body in said["final"]["bodies"])
    return [scene["name"], len(scene["bodies"]), said["contacts_max"], statistics.median(times) * 1e6,
            said["steps"], said["steps_uncertified"], said["steps_unresolved"], said["joint_drift_max"],
            said["energy_flow"]["remainder"], speed]


def main():
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("--asperity", default="build/release/cli/asperity")
    parse.add_argument("--scenes", help="folder of further scenes")
    parse.add_argument("--repeat", type=int, default=3)
    parse.add_argument("--only", nargs="*", help="names that contain one of these")
    given = parse.parse_args()
    print(f"{'scene':28} {'bodies':>6} {'contacts':>8} {'us/step':>9} {'steps':>6} {'uncert.':>7} {'unres.':>6} "
          f"{'drift':>8} {'remainder J':>11} {'end m/s':>8}")
    with tempfile.TemporaryDirectory() as folder:
        cases = []
        for kind, sizes in (("hanging", (10, 100, 1000)), ("swinging", (1, 2, 4, 8, 16, 32, 100, 1000)), ("dropped", (10, 100))):
            for links in sizes:
                path = os.path.join(folder, f"chain-{links}-{kind}.json")
                scene = chain(links, kind)
                with open(path, "w") as f:
                    json.dump(scene, f)
                cases.append((path, scene, 400 if kind == "dropped" else max(20, min(1000, 10000 // links))))
        files = sorted(glob.glob(os.path.join(given.scenes, "*.json"))) if given.scenes else []
        if not files:
            print("(no folder of further scenes: left out)")
        for path in files:
            with open(path) as f:
                scene = json.load(f)
            scene["name"] = os.path.splitext(os.path.basename(path))[0]
            cases.append((path, scene, 500))
        for path, scene, steps in cases:
            if given.only and not any(part in scene["name"] for part in given.only):
                continue
            row = measure(given.asperity, path, scene, steps, given.repeat, folder)
            print(f"{row[0]:28} {row[1]:6d} {row[2]:8d} {row[3]:9.1f} {row[4]:6d} {row[5]:7d} {row[6]:6d} {row[7]:8.1e} "
                  f"{row[8]:11.2e} {row[9]:8.1e}", flush=True)


if __name__ == "__main__":
    main()

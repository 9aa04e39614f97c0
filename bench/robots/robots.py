#!/usr/bin/env python3
"""Mechanisms and robots on Asperity and, where it is there, on MuJoCo: the same models, in turns, in one run.

Chains are drawn here (chains.py); further scenes are read from a folder (--scenes), each *.json in it. MuJoCo gets its
model from mjcf.py and runs with its defaults (Euler), with RK4 where nothing touches, and with noslip (10 iterations)
where something does; 'wasm' is the npm package of its current release in node (--wasm PACKAGE), which is not native code.
What is not there is left out with a line that says so. Every model is checked first: the same mass, and the same
accelerations of all bodies when every spring is moved by 0.1 from its rest, without contacts and dry friction.

  cmake --preset bench && cmake --build --preset bench --target steps_asperity steps_mujoco steps_batch
  bench/robots/robots.py [--build build/bench] [--scenes FOLDER] [--wasm FOLDER] [--repeat N] [--only NAME ...]

times      processor time per step, us: median over chunks of steps, median over the repeats; mean: Asperity's, with the
           rare expensive steps; ratio: to MuJoCo's RK4 where nothing touches, else to its Euler
slip       largest speed at the end at which a contact that carries load slides, m/s
creep      displacement of the body that moves most in the last second, m/s
energy     change over the whole run, of the largest kinetic energy in Asperity's run
"""
import argparse
import copy
import glob
import json
import math
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

import chains
import loops
import mjcf

CHECK_DT = 1e-8    # s
CHECK_MOST = 1e-4  # difference of accelerations, of the largest: dampers over a step are taken at its end or middle
LIMIT = 100        # s that a run may take


class Engines:
    def __init__(self, build, wasm, folder):
        self.folder = folder
        self.asperity = os.path.join(build, "bench/robots/steps_asperity")
        self.mujoco = os.path.join(build, "bench/robots/steps_mujoco")
        if not os.path.exists(self.asperity):
            sys.exit(f"{self.asperity} is not there: build the preset bench")
        if not os.path.exists(self.mujoco):
            print("(MuJoCo left out: no steps_mujoco; install libmujoco-dev and build again)")
            self.mujoco = None
        self.wasm = os.path.join(wasm, "mujoco.js") if wasm else None
        if not self.wasm or not os.path.exists(self.wasm) or not shutil.which("node"):
            print("(MuJoCo as WebAssembly left out: needs node and --wasm FOLDER of the npm package @mujoco/mujoco)")
            self.wasm = None

    def put(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w") as f:
            f.write(text)
        return path

    def run(self, command):
        """What it says; None where it takes too long or fails, with a line that says so."""
        try:
            done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=LIMIT)
        except subprocess.TimeoutExpired:
            print(f"  ({os.path.basename(command[0])}: more than {LIMIT} s)")
            return None
        if done.returncode:
            said = [line for line in done.stderr.splitlines() if "Error" in line] + [done.stderr.strip()]
            print(f"  ({os.path.basename(command[0])}: {said[0].split('=')[-1]})")
            return None
        return json.loads(done.stdout)

    def commands(self, scene, steps, tail, alone=False):
        """Name of a column and command."""
        all_of = [("asperity", [self.asperity, self.put("scene.json", json.dumps(scene)), steps, tail])]
        if alone or not self.mujoco and not self.wasm:
            return all_of
        touches = any(b.get("shapes") for b in scene["bodies"])
        try:
            euler = self.put("euler.xml", mjcf.write(scene))
            other = self.put("other.xml", mjcf.write(scene, noslip=10) if touches else mjcf.write(scene, integrator="RK4"))
        except mjcf.Refused as why:
            print(f"  ({scene['name']}: no model for MuJoCo: {why})")
            return all_of
        if self.mujoco and check(self, scene):
            all_of += [("euler", [self.mujoco, euler, steps, tail]), ("noslip" if touches else "rk4", [self.mujoco, other, steps, tail])]
        if self.wasm:
            here = os.path.dirname(os.path.abspath(__file__))
            all_of.append(("wasm", ["node", os.path.join(here, "steps_mujoco.mjs"), self.wasm, euler, steps, tail]))
        return all_of


def check(engines, scene):
    """Is it the same mechanism?"""
    bare = copy.deepcopy(scene)
    for body in bare["bodies"]:
        body.pop("shapes", None)
    for joint in bare.get("joints", []):
        joint.pop("friction", None)
        joint.pop("limits", None)
        if "spring" in joint:
            joint["spring"]["rest"] = joint["spring"].get("rest", 0) + 0.1
    ours = engines.run([engines.asperity, engines.put("bare.json", json.dumps(bare)), 1, 0, CHECK_DT])
    theirs = engines.run([engines.mujoco, engines.put("bare.xml", mjcf.write(bare, dt=CHECK_DT)), 1, 0])
    if not ours or not theirs:
        return False
    mass = sum(b.get("mass", 0) for b in scene["bodies"])
    off = max(math.dist(ours["end"][b][7:], theirs["end"][b][7:]) for b in ours["end"])
    most = max(max(math.hypot(*v[7:]) for v in ours["end"].values()), math.hypot(*scene["gravity"]) * CHECK_DT)
    if abs(theirs["mass"] - mass) > 1e-12 * mass or off > CHECK_MOST * most:
        sys.exit(f"{scene['name']}: another mechanism on MuJoCo: mass {theirs['mass']} of {mass}, accelerations off by {off / CHECK_DT:g}")
    return True


def creep(said, seconds):
    return max(math.dist(said["tail"][b][:3], said["end"][b][:3]) for b in said["end"]) / seconds


def measure(engines, scene, steps, repeat, alone=False):
    """What the engines (alone: Asperity) say, run by run, and the length of the last part, s."""
    tail = min(steps, max(1, round(1 / scene["run"]["dt"])))
    commands, runs = engines.commands(scene, steps, tail, alone), {}
    for _ in range(repeat):
        for name, command in commands:
            if runs.get(name, [1])[-1] is not None:
                runs.setdefault(name, []).append(engines.run(command))
    runs = {name: said for name, said in runs.items() if None not in said}
    return runs, tail * scene["run"]["dt"]


def number(value, form=".1f"):
    return "-" if value is None or value != value else format(value, form)


def time_row(scene, steps, runs):
    us = {name: statistics.median(s["us"] for s in said) for name, said in runs.items()}
    ours = runs.get("asperity", [{}])[-1]
    base = us.get("rk4", us.get("euler"))
    mean = statistics.median(s["mean"] for s in runs["asperity"]) if "asperity" in runs else None
    return [scene["name"], str(len(scene["bodies"])), number(ours["contacts"] / steps if ours else None),
            number(ours["iterations"] / steps if ours else None), number(us.get("asperity")), number(mean),
            number(us.get("euler")), number(us.get("rk4")), number(us.get("noslip")), number(us.get("wasm")),
            number(us["asperity"] / base if base and "asperity" in us else None)]


def motion_row(scene, runs, seconds):
    row = [scene["name"]]
    ours = runs.get("asperity", [{}])[-1]
    row += [str(ours.get("uncertified", "-")), str(ours.get("unresolved", "-")), number(ours.get("drift"), ".0e")]
    touches = any(b.get("shapes") for b in scene["bodies"])
    for name in ("asperity", "euler", "noslip" if touches else "rk4"):
        said = runs.get(name, [None])[-1]
        if not said:
            row += ["-"] * 3
        elif touches:
            row += [number(said["slip"], ".1e"), number(creep(said, seconds), ".1e"), "-"]
        else:
            change = said["energy"][1] - said["energy"][0]
            row += ["-", "-", number(change / (ours["kinetic"] or 1) if ours else None, ".1e")]
    return row


def print_row(cells, widths):
    print(" ".join(c.ljust(w) if i == 0 else c.rjust(w) for i, (c, w) in enumerate(zip(cells, widths))), flush=True)


def loop_rows(engines, repeat):
    """Time of mechanisms with loops beside the same cut open."""
    print("\nclosed loops, processor time per step, us\n" + "mechanism".ljust(28) + "   closed     open    ratio  uncert.  unres.    drift")
    for pair in loops.all_of():
        runs = [measure(engines, scene, 1000, repeat, alone=True)[0].get("asperity") for scene in pair]
        if None in runs:
            continue
        us = [statistics.median(s["us"] for s in said) for said in runs]
        last = runs[0][-1]
        print(f"{pair[0]['name'][:-7]:28}{us[0]:9.1f}{us[1]:9.1f}{us[0] / us[1]:9.2f}{last['uncertified']:9d}{last['unresolved']:8d}{last['drift']:9.0e}")


def batch_rows(engines, folder, build):
    """Many worlds of the scene humanoid, or of a chain where there is no such scene."""
    path = os.path.join(folder or "", "humanoid.json")
    path = path if os.path.exists(path) else engines.put("batch.json", json.dumps(chains.draw(10, "dropped")))
    print(f"\nbatch of 1,000 worlds of {os.path.basename(path)}\nthreads   world-steps per s and processor   kB per world   kB per thread   uncert.   allocations")
    for threads in (1, 2):
        said = engines.run([os.path.join(build, "bench/robots/steps_batch"), path, 1000, 2, threads])
        if said:
            print(f"{threads:7d}{said['rate']:35.0f}{said['mean'] / 1e3:15.1f}{said['workspaces'] / 1e3 / threads:16.0f}{said['uncertified']:10d}{said['allocations']:14d}")


def cases(folder):
    """Scenes, and how many steps of them."""
    for scene in chains.all_of():
        links = len(scene["bodies"]) - 1
        steps = max(20, min(1000, 10000 // links))
        if "dropped" in scene["name"]:
            steps = 400
        elif "swinging" in scene["name"] and links in (4, 8):
            steps = 10000  # 10 s: energy
        yield scene, steps
    for path in sorted(glob.glob(os.path.join(folder, "*.json"))) if folder else []:
        with open(path) as f:
            scene = json.load(f)
        scene["name"] = os.path.splitext(os.path.basename(path))[0]
        most = 4 if any(b.get("shapes") for b in scene["bodies"]) else 10  # s
        yield scene, round(min(most, scene["run"]["until"]) / scene["run"]["dt"])


def main():
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("--build", default="build/bench")
    parse.add_argument("--scenes", help="folder of further scenes")
    parse.add_argument("--wasm", help="folder of the npm package @mujoco/mujoco")
    parse.add_argument("--repeat", type=int, default=3)
    parse.add_argument("--only", nargs="*", help="names that contain one of these")
    given = parse.parse_args()
    sys.setrecursionlimit(10000)  # trees as deep as the longest chain
    times = ["scene", "bodies", "contacts", "iterations", "asperity", "mean", "mujoco", "RK4", "noslip", "wasm", "ratio"]
    motions = ["scene", "uncert.", "unres.", "drift"] + [f"{e} {q}" for e in ("ours", "mujoco", "better") for q in ("slip", "creep", "energy")]
    wide = [28, 6, 8, 10] + [9] * 7
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        engines = Engines(given.build, given.wasm, folder)
        if not given.scenes:
            print("(no folder of further scenes: left out)")
        print("\nprocessor time per step, us")
        print_row(times, wide)
        for scene, steps in cases(given.scenes):
            if given.only and not any(part in scene["name"] for part in given.only):
                continue
            runs, seconds = measure(engines, scene, steps, given.repeat)
            print_row(time_row(scene, steps, runs), wide)
            rows.append(motion_row(scene, runs, seconds))
        if not given.only or "loops" in given.only:
            loop_rows(engines, given.repeat)
        if not given.only or "batch" in given.only:
            batch_rows(engines, given.scenes, given.build)
    print("\nmotion (better: MuJoCo with RK4 or noslip)")
    wide = [28] + [max(9, len(m)) for m in motions[1:]]
    print_row(motions, wide)
    for row in rows:
        print_row(row, wide)


if __name__ == "__main__":
    main()

#!/usr/bin/python3
"""What Python costs and keeps: python.py [PART ...] [--build build/bench] [--scene S] [--fclib DIR]

  fclib     ten problems: r of ContactProblem.solve() against that of the program's solve --save, bit by bit
  step      World.step() in a loop against the same loop in C (bench_step_loop), CPU time per step, both to the same bits
  calls     memory of the process over a million calls of step, contacts, q, apply_wrench, reset
  rollout   64 runs on one thread and on two: wall time, and equal bits; wants a machine that does nothing else
  callback  exceptions raised inside before_step, after_step and a solver's callback

Without PART: all. Times of step are medians of pairs taken one after the other, so that what else the machine does hits both. Exit 1
where a limit of docs/validation.md is missed. Kept: bench/results/python.txt."""

import argparse
import glob
import os
import subprocess
import sys
import tempfile
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SHARED = os.path.join(os.path.dirname(TOP), "shared")
words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
words.add_argument("parts", nargs="*", metavar="PART")
words.add_argument("--build", default=os.path.join(TOP, "build/bench"))
words.add_argument("--scene", default=os.path.join(TOP, "scenes/gallery/card-house.json"))
words.add_argument("--fclib", default=os.path.join(SHARED, "data/fclib"))
words.add_argument("--steps", type=int, default=100_000)
words.add_argument("--pairs", type=int, default=1)
words.add_argument("--calls", type=int, default=1_000_000)
words.add_argument("--runs", type=int, default=64)
words.add_argument("--run-steps", type=int, default=200)
words.add_argument("--repeat", type=int, default=3, help="of rollout")
asked = words.parse_args()
sys.path.insert(0, os.path.join(asked.build, "python"))
import asperity  # noqa: E402
import numpy as np  # noqa: E402

PROGRAM = os.path.join(asked.build, "cli/asperity")
missed = []


def tell(part, text, holds=True):
    print(f"{part:9}{text}{'' if holds else '  MISSED'}", flush=True)
    if not holds:
        missed.append(part)


def fclib():
    """Spread over the folder by size: neither the smallest ones alone nor hours."""
    files = sorted(glob.glob(os.path.join(asked.fclib, "fc*/**/*.hdf5"), recursive=True), key=lambda f: (os.path.getsize(f), f))
    chosen = files[:: max(1, len(files) // 10)][:10]
    equal = 0
    for path in chosen:
        with tempfile.TemporaryDirectory() as folder:
            saved = os.path.join(folder, "saved.hdf5")
            subprocess.run([PROGRAM, "solve", "--quiet", path, "--save", saved], capture_output=True, check=False)
            r = solution_of(saved)
        here = asperity.ContactProblem.from_fclib(path).solve()
        same = r is not None and r.tobytes() == here.r.tobytes()
        equal += same
        tell("fclib", f"{os.path.relpath(path, asked.fclib)}: {here.r.size} rows, {here.status}, E2 {here.residual:.1e}, {'same bits' if same else 'OTHER BITS'}")
    tell("fclib", f"{equal} of {len(chosen)} problems: r bitwise equal to the program's", equal == len(chosen) == 10)


def solution_of(path):
    import h5py

    with h5py.File(path) as file:
        found = []
        file.visititems(lambda name, item: found.append(item[()]) if name.endswith("solution/r") else None)
        return np.asarray(found[0], float) if found else None


def step_loop(model):
    world = asperity.World(model)
    started = time.process_time()
    for _ in range(asked.steps):
        world.step()
    return 1e6 * (time.process_time() - started) / asked.steps, world.state_hash


def c_loop():
    program = os.path.join(asked.build, "bench/python/bench_step_loop")
    took, bits = subprocess.run([program, asked.scene, str(asked.steps)], capture_output=True, text=True, check=True).stdout.split()
    return float(took), int(bits, 16)


def step():
    model = asperity.Model.from_file(asked.scene)
    pairs = [(c_loop(), step_loop(model)) for _ in range(asked.pairs)]
    same = all(a[1] == b[1] for a, b in pairs)
    ratio = float(np.median([b[0] / a[0] for a, b in pairs]))
    c, python = (np.median([pair[i][0] for pair in pairs]) for i in (0, 1))
    name = os.path.basename(asked.scene)
    tell("step", f"{name}, {asked.steps} steps: C {c:.1f} us, Python {python:.1f} us of CPU per step; ratio {ratio:.3f}; {'same bits' if same else 'OTHER BITS'}", same and ratio <= 1.3)


def memory_kib():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") // 1024


def calls():
    world = asperity.World(asperity.Model.from_file(os.path.join(TOP, "scenes/sphere-slides-then-rolls.json")))
    before = 0
    for i in range(asked.calls // 5):
        world.step()
        world.contacts, world.q.sum()
        world.apply_wrench("ball", [0, 0, 1])
        world.reset()
        if i == asked.calls // 50:
            before = memory_kib()
    after = memory_kib()
    tell("calls", f"{asked.calls} calls: resident {before} KiB after the first tenth, {after} KiB after the last; grew by {after - before} KiB", after - before < 1024)


def rollout():
    model = asperity.Model.from_file(asked.scene)
    start = asperity.World(model).get_state()[None].repeat(asked.runs, axis=0)
    took, bits = {1: [], 2: []}, {}
    for _ in range(asked.repeat):
        for threads in (1, 2):
            started = time.perf_counter()
            out = asperity.rollout(model, start, steps=asked.run_steps, threads=threads)
            took[threads].append(time.perf_counter() - started)
            bits[threads] = out.states.tobytes()
    one, two = min(took[1]), min(took[2])
    same = bits[1] == bits[2]
    tell("rollout", f"{asked.runs} runs of {asked.run_steps} steps: 1 thread {one:.3f} s, 2 threads {two:.3f} s; {one / two:.2f} times; "
         f"{'same bits' if same else 'OTHER BITS'}; {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}", same and one >= 1.8 * two)


class Enough(Exception):
    pass


def fail(*_):
    raise Enough


def callback():
    world = asperity.World(asperity.Model.from_file(os.path.join(TOP, "scenes/sphere-slides-then-rolls.json")))
    problem = asperity.ContactProblem(W=np.eye(3), q=[-1, 0.2, 0.1], mu=[0.5])
    ended = 0
    for name in ("before_step", "after_step", "solve"):
        try:
            if name == "solve":
                problem.solve("nsgs", callback=fail)
            else:
                setattr(world, name, fail)
                world.run()
        except Enough:
            ended += 1
        if name != "solve":
            setattr(world, name, None)
        world.reset()
        assert world.step().certified and problem.solve().solved
    tell("callback", f"{ended} of 3 exceptions ended their call and came back; worlds and problems go on", ended == 3)


PARTS = {"fclib": fclib, "step": step, "calls": calls, "rollout": rollout, "callback": callback}
for part in asked.parts or PARTS:
    if part not in PARTS:
        words.error(f"'{part}' is no part; use {', '.join(PARTS)}")
    PARTS[part]()
sys.exit(bool(missed))

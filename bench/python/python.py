#!/usr/bin/python3
"""What Python costs: python.py [--build build/bench] [--scene S] [--steps N] [--calls N] [--runs N]

  step      World.step() in a loop against the same loop in C (bench_step_loop), CPU time per step, both to the same bits
  calls     memory of the process over many calls of step, reset, contacts, save
  rollout   64 runs on one thread and on two: wall time, and equal bits

Times are medians of pairs taken one after the other, so that what else the machine does hits both."""

import argparse
import os
import subprocess
import sys
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
words.add_argument("--build", default=os.path.join(TOP, "build/bench"))
words.add_argument("--scene", default=os.path.join(TOP, "scenes/gallery/card-house.json"))
words.add_argument("--steps", type=int, default=2000)
words.add_argument("--pairs", type=int, default=5)
words.add_argument("--calls", type=int, default=100_000)
words.add_argument("--runs", type=int, default=64)
words.add_argument("--run-steps", type=int, default=50)
asked = words.parse_args()
sys.path.insert(0, os.path.join(asked.build, "python"))
import asperity  # noqa: E402
import numpy as np  # noqa: E402

model = asperity.Model.from_file(asked.scene)


def step_loop():
    world = asperity.World(model)
    started = time.process_time()
    for _ in range(asked.steps):
        world.step()
    return 1e6 * (time.process_time() - started) / asked.steps, world.state_hash


def c_loop():
    program = os.path.join(asked.build, "bench/python/bench_step_loop")
    took, bits = subprocess.run([program, asked.scene, str(asked.steps)], capture_output=True, text=True, check=True).stdout.split()
    return float(took), int(bits, 16)


def memory_kib():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") // 1024


pairs = [(c_loop(), step_loop()) for _ in range(asked.pairs)]
assert all(a[1] == b[1] for a, b in pairs), "different bits"
ratio = np.median([b[0] / a[0] for a, b in pairs])
c, python = (np.median([pair[i][0] for pair in pairs]) for i in (0, 1))
print(f"step     C {c:.1f} us, Python {python:.1f} us of CPU per step; ratio {ratio:.3f}; same bits")

ball = asperity.Model.from_file(os.path.join(TOP, "scenes/sphere-slides-then-rolls.json"))
world = asperity.World(ball)
before = None
for i in range(asked.calls // 5):
    world.step()
    world.contacts, world.q.sum()
    world.apply_wrench("ball", [0, 0, 1])
    world.reset()
    if i == asked.calls // 50:
        before = memory_kib()
print(f"calls    {asked.calls} calls: memory grew by {memory_kib() - before} KiB after the first tenth")

took, bits = {1: [], 2: []}, {}
for _ in range(asked.pairs):
    for threads in (1, 2):
        started = time.perf_counter()
        out = asperity.rollout(model, asperity.World(model).get_state()[None].repeat(asked.runs, axis=0), steps=asked.run_steps, threads=threads)
        took[threads].append(time.perf_counter() - started)
        bits[threads] = out.states.tobytes()
assert bits[1] == bits[2], "different bits"
one, two = min(took[1]), min(took[2])
print(f"rollout  {asked.runs} runs of {asked.run_steps} steps: 1 thread {one:.3f} s, 2 threads {two:.3f} s; {one / two:.2f} times; same bits; {os.cpu_count()} cores")

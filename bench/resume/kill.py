#!/usr/bin/env python3
"""Runs that are killed (SIGKILL) at a random moment and resumed, against the same run without interruption.

    bench/resume/kill.py PROGRAM [COUNT]       default: 200

The result must hold the same numbers (h5diff, of hdf5-tools) and the summary must say the same. Where the program ended before the signal, another moment
is drawn. Moments are drawn by seed; what the machine makes of them differs from time to time. Exit code 1 where something differs.
"""
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CASES = [("double-pendulum-hits-wall", "moreau-jean", 10), ("double-pendulum-hits-wall", "generalized-alpha", 3), ("double-pendulum-hits-wall", "event-driven", 4),
         ("stick-slip-on-belt", "stewart-trinkle", 10), ("peers/bouncing_ball", "compliant", 3), ("four-bar-in-space", "moreau-jean", 2),
         ("peers/stack_of_ten", "moreau-jean", 1), ("pyramid-of-balls", "moreau-jean", 0.5)]


def run(program, words):
    done = subprocess.run([program, "run", "--json", "--quiet"] + words, capture_output=True, text=True, timeout=300)
    if not done.stdout:
        sys.exit(f"{' '.join(words)}: exit code {done.returncode}: {done.stderr}")
    summary = json.loads(done.stdout)
    for key in ("wall_s", "result"):
        summary.pop(key, None)
    return summary


def killed(words, program, delay, result):
    """True where the signal came in time."""
    process = subprocess.Popen([program, "run", "--quiet"] + words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while not os.path.exists(result + ".checkpoint") and process.poll() is None:
        time.sleep(0.001)
    time.sleep(delay)
    process.send_signal(signal.SIGKILL)
    return process.wait() == -signal.SIGKILL and os.path.exists(result + ".checkpoint")


def main():
    program, count = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 200
    draw, equal, made, whole = random.Random(20), 0, 0, {}
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for i, (scene, scheme, until) in enumerate(CASES):
            began = time.time()
            words = [f"{SOURCE}/scenes/{scene}.json", "--scheme", scheme, "--until", str(until), "--out", f"whole{i}.h5", "--checkpoint-every", "0.02"]
            whole[i] = run(program, words), time.time() - began
        while made < count:
            i = made % len(CASES)
            scene, scheme, until = CASES[i]
            words = [f"{SOURCE}/scenes/{scene}.json", "--scheme", scheme, "--until", str(until), "--out", "r.h5", "--checkpoint-every", "0.02"]
            for name in ("r.h5", "r.h5.checkpoint"):
                if os.path.exists(name):
                    os.remove(name)
            if not killed(words, program, draw.uniform(0, 0.9 * whole[i][1]), "r.h5"):
                continue
            made += 1
            summary = run(program, ["--resume", "r.h5"])
            same = summary == whole[i][0] and subprocess.run(["h5diff", f"whole{i}.h5", "r.h5"], stdout=subprocess.DEVNULL).returncode == 0
            equal += same
            if not same:
                other = sorted(key for key in whole[i][0] if summary.get(key) != whole[i][0][key])
                print(f"DIFFERS: {scene}, {scheme}: {summary.get('error') or other or 'h5diff'}", flush=True)
    print(f"{made} runs killed by SIGKILL and resumed: {equal} with the same result")
    sys.exit(0 if equal == made else 1)


main()

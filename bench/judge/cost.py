#!/usr/bin/env python3
"""What the bounds of the judge cost of a step (docs/theory/rounding.md, "Cost"): instructions counted by valgrind's callgrind,
which do not depend on what else the machine does.

    bench/judge/cost.py build/bench/bench/robots/steps_asperity SCENE.json ... [--steps 200] [--most 5]

Counted is all of asp_rounding_reset and asp_judge_certify but the residual inside the latter, over the steps alone. Exit code 1
where a scene exceeds --most percent.
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

BOUNDS, RESIDUAL, STEP = ("asp_rounding_reset", "asp_judge_certify"), "asp_judge_residual", "asp_world_step"


def calls(path):
    """{(caller, called): instructions} of a callgrind file."""
    names, cost, function, called = {}, {}, None, None

    def name(text):
        number, _, word = text.partition(" ")
        return names.setdefault(number, word) if word else names[number]

    for line in path.read_text(errors="replace").splitlines():
        if line.startswith("fn="):
            function = name(line[3:])
        elif line.startswith("cfn="):
            called = name(line[4:])
        elif called and re.match(r"[0-9+*-]", line):  # the line after calls=
            cost[function, called] = cost.get((function, called), 0) + int(line.split()[1])
            called = None
    return cost


def measure(program, scene, steps):
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "calls"
        run = subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", f"--toggle-collect={STEP}",
                              program, scene, str(steps), "1"], capture_output=True, text=True)
        if run.returncode:
            sys.exit(f"cost.py: {scene}: {run.stderr.strip().splitlines()[-1]}")
        cost = calls(out)
    into = {f: sum(n for (_, called), n in cost.items() if called == f) for f in (STEP,) + BOUNDS}
    for function, instructions in into.items():
        if not instructions:
            sys.exit(f"cost.py: {scene}: {function} was not called, or the program has it inlined")
    return into[STEP] / steps, (sum(into[f] for f in BOUNDS) - cost.get((BOUNDS[1], RESIDUAL), 0)) / steps


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("scene", nargs="+")
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--most", type=float, default=5, help="percent")
    options = parser.parse_args()
    exceeded = False
    print("scene                instructions a step   of them bounds       %")
    for scene in options.scene:
        step, bounds = measure(options.program, scene, options.steps)
        share = 100 * bounds / step
        exceeded = exceeded or share > options.most
        print(f"{pathlib.Path(scene).stem:20} {step:20,.0f} {bounds:16,.0f} {share:7.2f}", flush=True)
    sys.exit(exceeded)


if __name__ == "__main__":
    main()

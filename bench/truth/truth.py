#!/usr/bin/env python3
"""Scenes with known answers: is a run right, or does the program say that it is not?

    truth.py [PROGRAM] [--folder FOLDER] [--only NAME] [--variants N] [--seed S] [--dt-factors 1,0.5]

Every scene of FOLDER (default: scenes/truth of the shared data beside the project) is run and its answer compared with a closed form or a
high-order integration. Printed per run: right, flagged (wrong, and the program says so by exit code, verdict or warning) or WRONG (wrong and
vouched for). Variants draw parameters, orientation, mirror and step by seed. Exit code 1 if a run is WRONG.
"""
import argparse
import os
import sys

import scenes_known
from harness import Run, scaled_dt

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))


def judge(program, case, scene, flags):
    """One run: (verdict, measured, the run)."""
    run = Run(program, scene, flags, limit=case.limit)
    try:
        if run.code is None or run.code > 1:
            return "FAILED", run.message.splitlines()[-1] if run.message else "?", run
        try:
            right, measured = case.check(program, scene, run)
        except (OSError, KeyError, ValueError, IndexError) as error:
            right, measured = False, f"no answer ({error})"
        said = " ".join(part for part, on in (("uncertified", not run.certified()), ("unresolved", run.resolved() is False),
                                              ("warned", bool(run.warnings()))) if on)
        if right:
            verdict = "right" if run.vouched() or case.flag_expected else "right, flagged"
        else:
            verdict = "WRONG" if run.vouched() else "flagged"
        return verdict, measured + (f" [{said}]" if said else ""), run
    finally:
        run.close()


def report(program, name, case, scene, flags, counts):
    verdict, measured, run = judge(program, case, scene, flags)
    counts[verdict] = counts.get(verdict, 0) + 1
    step = scene["run"].get("dt", 0.01)
    print(f"{name:34s} {step * 1e3:8.4g} ms  {verdict:15s} {measured}  (asked: {case.asked}; {run.seconds:.1f} s)", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", nargs="?", default=os.path.join(TOP, "build", "release", "cli", "asperity"))
    parser.add_argument("--folder", default=os.path.join(os.path.dirname(TOP), "shared", "scenes", "truth"))
    parser.add_argument("--only", default="")
    parser.add_argument("--variants", type=int, default=0, help="variants drawn of every scene")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--dt-factors", default="1")
    parser.add_argument("--scheme", default="", help="instead of the scene's")
    options = parser.parse_args()
    flags = ["--scheme", options.scheme] if options.scheme else []
    counts = {}
    for name, case in scenes_known.CASES.items():
        if options.only and options.only not in name:
            continue
        scene = case.load(options.folder)
        if scene is None:
            print(f"{name:34s} skipped: no such file in {options.folder}")
            continue
        for factor in [float(text) for text in options.dt_factors.split(",")]:
            report(options.program, name, case, scaled_dt(scene, factor), flags, counts)
        for k in range(options.variants):
            report(options.program, f"{name} #{k}", case, case.variant(scene, options.seed * 1000 + k), flags, counts)
    print(", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items())))
    return 1 if counts.get("WRONG") or counts.get("FAILED") else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Does the program compute the same bits everywhere? Twenty scenes and a pile of 1,331 balls, by every build that is
named, under everything that chooses code by processor or number of threads: kernels, the C library's functions, the
core that a BLAS would take, threads. What `asperity run --json` prints of a run, but for the time it took, is hashed:
final positions and velocities of all bodies with all digits, energies, residuals, measures of resolution.

  everywhere.py [--steps N] [--ways WORD,...] NAME=COMMAND ...

  NAME=COMMAND  a build: gcc=build/release/cli/asperity, or emulated: "nehalem=qemu-x86_64 -cpu Nehalem build/..."
                COMMAND runs in the folder of the sources; the first one under the first way is what all are compared with
  --steps N     of dt each, 100 unless told (the pile: a third of it)
  --ways ...    only the ways whose names contain one of the words

One line per scene: its hash, or the builds and ways that differ. Exit code 1 when a scene has two hashes.
"""
import argparse
import hashlib
import json
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[2]
SCENES = sorted(str(path.relative_to(SOURCE)) for path in SOURCE.glob("scenes/gallery/*.json"))
SCENES += ["scenes/%s.json" % name for name in ("pyramid-of-balls", "four-bar-in-space", "lamp-in-ball-joints",
                                                "wall-under-quake")]
# integrated by CVODE, which calls the C library's pow
SCENES_OF_CVODE = ["scenes/double-pendulum-hits-wall.json", "scenes/stick-slip-on-belt.json"]
WITHOUT = "glibc.cpu.hwcaps=-AVX2,-AVX,-FMA,-FMA4,-AVX512F"
WAYS = [("plain", {}, []),
        ("kernels portable", {"ASPERITY_KERNELS": "portable"}, []),
        ("kernels avx2", {"ASPERITY_KERNELS": "avx2"}, []),
        ("libm without AVX2, FMA", {"GLIBC_TUNABLES": WITHOUT}, []),
        ("portable, libm without", {"ASPERITY_KERNELS": "portable", "GLIBC_TUNABLES": WITHOUT}, []),
        ("2 threads", {}, ["--threads", "2"]),
        ("8 threads", {}, ["--threads", "8"])]
WAYS += [("BLAS core " + core, {"OPENBLAS_CORETYPE": core}, [])
         for core in ("Prescott", "Nehalem", "Sandybridge", "Haswell", "SkylakeX")]
# what a run prints that is not computed
TIMES = ("wall_s", "result", "from")
# exit code 1: something missed its tolerance, as it may in so few steps
ENDED = (0, 1)


def pile():
    """Balls in a lattice that is not quite regular, above the ground: enough for several threads."""
    side, bodies = 11, [{"name": "ground", "fixed": True, "shapes": [{"type": "half-space", "material": "rock"}]}]
    for i in range(side ** 3):
        x, y, z = i % side, i // side % side, i // side ** 2
        bodies.append({"name": "ball%d" % i, "mass": 1, "position": [0.2 * x + 0.001 * (y % 3), 0.2 * y + 0.001 * (z % 3),
                                                                     0.1 + 0.199 * z + 0.0005 * (x % 2)],
                       "shapes": [{"type": "sphere", "radius": 0.1, "material": "rock"}]})
    return {"name": "pile", "gravity": [0, 0, -9.81], "materials": [{"pair": ["rock", "rock"], "friction": 0.5}],
            "bodies": bodies, "run": {"dt": 0.005, "until": 1}}


def hash_of(command, scene, until, environment, arguments):
    """Sixteen digits, or what went wrong."""
    words = [*shlex.split(command), "run", "--json", "--quiet", "--out", "none", "--until", repr(until), *arguments, scene]
    run = subprocess.run(words, cwd=SOURCE, env={**os.environ, **environment}, capture_output=True, text=True)
    if run.returncode not in ENDED:
        return "exit code %d" % run.returncode
    summary = json.loads(run.stdout)
    for key in TIMES:
        summary.pop(key, None)
    return hashlib.sha256(json.dumps(summary, sort_keys=True).encode()).hexdigest()[:16]


def duration(path, steps):
    dt = json.loads(path.read_text())["run"]["dt"]
    return steps * dt


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--ways", default="")
    parser.add_argument("builds", nargs="+", metavar="NAME=COMMAND")
    given = parser.parse_args()
    builds = [build.split("=", 1) for build in given.builds]
    ways = [way for way in WAYS if not given.ways or any(word in way[0] for word in given.ways.split(","))]
    print("%d steps; builds: %s; ways: %s" % (given.steps, ", ".join(name for name, _ in builds),
                                              "; ".join(way for way, _, _ in ways)), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        balls = pathlib.Path(folder) / "pile.json"
        balls.write_text(json.dumps(pile()))
        cases = [(name, name, duration(SOURCE / name, given.steps)) for name in SCENES + SCENES_OF_CVODE]
        cases.append(("pile of 1331 balls", str(balls), duration(balls, max(given.steps // 3, 1))))
        several = 0
        for label, scene, until in cases:
            found = {}
            for name, command in builds:
                for way, environment, arguments in ways:
                    found.setdefault(hash_of(command, scene, until, environment, arguments), []).append(name + ": " + way)
            several += len(found) > 1
            first = next(iter(found))
            print("%-45s %s%s" % (label, first, "  %d of %d" % (len(found[first]), len(builds) * len(ways))), flush=True)
            for other in list(found)[1:]:
                print("    %s %s" % (other, "; ".join(found[other])), flush=True)
    print("%d of %d scenes have one hash" % (len(cases) - several, len(cases)))
    return 1 if several else 0


sys.exit(main())

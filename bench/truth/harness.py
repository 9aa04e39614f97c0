"""Runs the program on a scene and reads what a check needs from its result.

A run is judged by its answer: `Run` holds the JSON summary, the exit code and, read from the HDF5 file, states, contacts, joints and energies.
Needs python3-h5py and python3-numpy.
"""
import json
import os
import subprocess
import tempfile
import time

import h5py
import numpy


class Run:
    """One run of the program; arrays are read on demand from its result file."""

    def __init__(self, program, scene, flags=(), limit=60.0):
        self.scene = scene
        self.folder = tempfile.TemporaryDirectory(prefix="asperity-truth-")
        path = os.path.join(self.folder.name, "scene.json")
        self.result = os.path.join(self.folder.name, "result.h5")
        with open(path, "w", encoding="utf-8") as out:
            json.dump(scene, out)
        start = time.monotonic()
        try:
            done = subprocess.run([program, "run", "--json", "--quiet", "--out", self.result, *flags, path], capture_output=True, text=True,
                                  timeout=limit, check=False)
            self.code, self.message = done.returncode, done.stderr.strip()
            self.summary = json.loads(done.stdout) if done.stdout.strip().startswith("{") else {}
        except subprocess.TimeoutExpired:
            self.code, self.message, self.summary = None, f"no end within {limit:g} s", {}
        self.seconds = time.monotonic() - start

    def close(self):
        self.folder.cleanup()

    def read(self, path, rows="frames"):
        """The committed rows of a dataset; rows: frames, contacts, steps or energy."""
        with h5py.File(self.result, "r") as f:
            return f[path][: int(f["committed"][()][rows])]

    def names(self, kind):
        with h5py.File(self.result, "r") as f:
            return [name.decode() for name in f[kind + "/name"]]

    def time(self):
        return self.read("frames/time")

    def body(self, name, what="q"):
        """Rows of q (x y z, quaternion; plane: x y angle) or v of one body."""
        return self.read("frames/" + what)[:, self.names("bodies").index(name)]

    def joint(self, index, what):
        return self.read("joints/" + what)[:, index]

    def energy(self):
        """Kinetic, gravitational and elastic energy together, one value per step."""
        return sum(self.read("energy/" + part, "energy") for part in ("kinetic", "gravitational", "elastic"))

    def normal_force(self, pair):
        """Sum of the normal forces between two bodies, one value per frame (N)."""
        with h5py.File(self.result, "r") as f:
            names = [name.decode() for name in f["bodies/name"]]
            count = int(f["committed"][()]["frames"])
            start, number = f["contacts/start"][:count], f["contacts/count"][:count]
            bodies, force, normal = f["contacts/body"][:], f["contacts/force"][:], f["contacts/normal"][:]
        wanted = {names.index(pair[0]), names.index(pair[1])}
        total = numpy.zeros(count)
        for k in range(count):
            for row in range(start[k], start[k] + number[k]):
                if {int(bodies[row][0]), int(bodies[row][1])} == wanted:
                    total[k] += float(force[row] @ normal[row])
        return total

    def warnings(self):
        return " | ".join(str(w) for w in self.summary.get("warnings", []))

    def certified(self):
        return self.summary.get("steps_uncertified") == 0

    def resolved(self):
        """None: the program does not judge it."""
        unresolved = self.summary.get("steps_unresolved")
        return None if unresolved is None else unresolved == 0

    def vouched(self):
        """The program says: trust this answer."""
        return self.code == 0 and self.certified() and self.resolved() is not False and not self.warnings()


def scaled_dt(scene, factor):
    """The same scene with another step; frames stay at the same times."""
    scene = json.loads(json.dumps(scene))
    run = scene["run"]
    run["dt"] = run["dt"] * factor
    if factor < 1:
        run["output_every"] = int(run.get("output_every", 1) * round(1 / factor))
    return scene

"""What a type checker knows of the package: its own code is consistent, and calls have types, not Any. Needs mypy."""

import os
import re
import subprocess
import sys
import tempfile
import unittest

import asperity
from common import main

PROGRAM = """
import asperity

model = asperity.Model.from_file("a.json")
world = asperity.World(model, dt=1e-3)
problem = asperity.ContactProblem.from_fclib("a.hdf5")
reveal_type(world.step())
reveal_type(world.run(until=1).steps)
reveal_type(world.step().certified)
reveal_type(world.info.residual)
reveal_type(world.joint("a").coordinate)
reveal_type(world.contacts)
reveal_type(world.save())
reveal_type(problem.solve().solved)
reveal_type(problem.rows)
reveal_type(asperity.Batch(model, 3).step())
reveal_type(asperity.Result("a.h5").bodies)
"""
KINDS = "StepInfo int bool float float ndarray bytes bool int int Table".split()


class TypesTest(unittest.TestCase):
    def setUp(self):
        if subprocess.run([sys.executable, "-c", "import mypy"], capture_output=True, check=False).returncode:
            self.skipTest("mypy is missing")

    def check(self, *words):
        package = os.path.dirname(os.path.abspath(asperity.__file__))
        command = [sys.executable, "-m", "mypy", "--ignore-missing-imports", "--cache-dir", os.devnull, *words]
        return subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, "MYPYPATH": os.path.dirname(package)})

    def test_the_package_is_consistent(self):
        self.assertRegex(self.check("-p", "asperity").stdout, "^Success")

    def test_calls_have_types(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "program.py")
            with open(path, "w", encoding="utf-8") as file:
                file.write(PROGRAM)
            told = re.findall(r'Revealed type is "(?:builtins\.)?([^"]*)"', self.check(path).stdout)
        self.assertEqual([re.sub(r"\[.*", "", kind).split(".")[-1] for kind in told], KINDS)


if __name__ == "__main__":
    main()

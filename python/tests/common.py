"""What the tests share: where the sources and the program are, small scenes."""

import os
import sys
import unittest

SOURCE = os.environ.get("SOURCE", os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
PROGRAM = os.environ.get("ASPERITY", os.path.join(SOURCE, "build/release/cli/asperity"))


def scene(name):
    return os.path.join(SOURCE, "scenes", name)


def sliding_ball(**changes):
    """A ball that slides on the floor; in place of keys: changes."""
    return {
        "name": "ball",
        "gravity": [0, 0, -9.81],
        "materials": [{"pair": ["rubber", "floor"], "friction": 0.2}],
        "bodies": [
            {"name": "ground", "fixed": True, "shapes": [{"type": "half-space", "material": "floor"}]},
            {
                "name": "ball",
                "mass": 1,
                "position": [0, 0, 1],
                "velocity": [2, 0, 0],
                "shapes": [{"type": "sphere", "radius": 1, "material": "rubber"}],
            },
        ],
        "run": {"dt": 0.01, "until": 0.5},
        **changes,
    }


def cart():
    """A cart on a rail that a force input pushes, and a pole on it."""
    return {
        "dimension": 2,
        "gravity": [0, -9.81],
        "inputs": [{"name": "push", "value": 0}],
        "bodies": [
            {"name": "cart", "mass": 1, "inertia": 1},
            {"name": "pole", "mass": 0.2, "inertia": 0.02, "position": [0, 0.5]},
        ],
        "joints": [
            {"name": "rail", "type": "prismatic", "bodies": ["world", "cart"], "axis": [1, 0]},
            {"name": "pivot", "type": "revolute", "bodies": ["cart", "pole"], "point": [0, 0]},
        ],
        "forces": [{"type": "force", "body": "cart", "force": ["push", 0]}],
        "run": {"dt": 0.001, "until": 1},
    }


def main():
    """Runs a file's tests. Skipped ones are named, since ctest shows only what is printed."""
    program = unittest.main(exit=False, verbosity=2)
    for test, reason in program.result.skipped:
        print(f"skipped: {test}: {reason}")
    sys.exit(not program.result.wasSuccessful())

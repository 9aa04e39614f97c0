"""converge and compare: the program's numbers, bit for bit; callbacks that raise, wrong values."""

import json
import math
import subprocess
import unittest

import asperity
from asperity import Model, World
from common import PROGRAM, main, scene, sliding_ball

SPHERE = scene("sphere-slides-then-rolls.json")


def program(*words):
    done = subprocess.run([PROGRAM, *words, "--json"], capture_output=True, text=True, check=False)
    return json.loads(done.stdout)


class ConvergeTest(unittest.TestCase):
    def test_rows_are_those_of_the_program_bit_for_bit(self):
        found = asperity.converge(Model.from_file(SPHERE), ["ball.position.x", "energy"], levels=3, dt=0.03)
        told = program("converge", SPHERE, "--output", "ball.position.x,energy", "--levels", "3", "--dt", "0.03")
        self.assertEqual(found.dt.tolist(), told["dt"])
        self.assertEqual(found.converged, told["converged"])
        for row, expected in zip(found.rows, told["rows"]):
            self.assertEqual((row.quantity, row.unit, row.state), (expected["quantity"], expected["unit"], expected["state"]))
            self.assertEqual(row.values.tolist(), expected["values"])
            for name in ("order", "extrapolated", "error"):
                value = getattr(row, name)
                self.assertEqual(None if math.isnan(value) else value, expected[name])
        self.assertEqual(len(found.rows), len(told["rows"]))
        self.assertEqual([level["steps"] for level in found.levels], [level["steps"] for level in told["levels"]])
        self.assertEqual(found["ball.position.x"].unit, "m")

    def test_a_jam_has_no_limit_and_says_so(self):
        found = asperity.converge(Model.from_file(scene("painleve-slides-into-paradox.json")), levels=5, dt=0.0005)
        self.assertFalse(found.converged)
        self.assertIn("there is no limit", found.reason)
        self.assertAlmostEqual(found.converges_until, 0.8145, delta=0.03)
        self.assertIn("NOT converged", repr(found))

    def test_wrong_words_and_numbers_are_named(self):
        model = Model.from_dict(sliding_ball())
        for words, pattern in (
            ({"output": "ball.positoin"}, "no quantity 'ball.positoin'"),
            ({"levels": 2}, "levels: 2 is outside 3 to 12"),
            ({"dt": float("nan")}, "dt"),
            ({"dtt": 1}, "dtt: no such option"),
            ({"until": 0}, "until"),
        ):
            with self.assertRaisesRegex(ValueError, pattern):
                asperity.converge(model, **words)
        with self.assertRaisesRegex(ValueError, "model: World is not"):
            asperity.converge(World(model))
        with self.assertRaisesRegex(ValueError, "'ball': no such quantity"):
            asperity.converge(model, levels=3, until=0.05)["ball"]

    def test_progress_is_told_and_its_exception_ends_the_call(self):
        seen = []
        asperity.converge(Model.from_dict(sliding_ball()), levels=3, until=0.1, progress=lambda done, text: seen.append(done))
        self.assertEqual(seen, sorted(seen))
        self.assertAlmostEqual(seen[-1], 1)

        def refuse(done, text):
            raise KeyError(text)

        for study in (asperity.converge, asperity.compare):
            with self.assertRaises(KeyError):
                study(Model.from_dict(sliding_ball()), progress=refuse)
            with self.assertRaisesRegex(ValueError, "progress: int is not a function"):
                study(Model.from_dict(sliding_ball()), progress=3)


class CompareTest(unittest.TestCase):
    def test_rows_are_those_of_the_program(self):
        found = asperity.compare(Model.from_file(SPHERE), row_time=60)
        told = program("compare", SPHERE, "--row-time", "60")["rows"]
        self.assertEqual(len(found.rows), len(told))
        for row, expected in zip(found.rows, told):
            with self.subTest(repr(row)):
                self.assertEqual((row.scheme, row.friction, row.solver, row.state), tuple(expected[k] for k in ("scheme", "friction", "solver", "state")))
                if row.state == "refused":
                    self.assertEqual(row.message, expected["message"])
                    continue
                self.assertEqual((row.relation, row.difference), (expected["relation"], expected["difference"]))
                for name in ("steps", "steps_uncertified", "residual_max", "energy_final"):
                    self.assertEqual(row.summary[name], expected[name])

    def test_rows_whose_time_is_up_are_cut(self):
        found = asperity.compare(Model.from_dict(sliding_ball(run={"dt": 1e-6, "until": 100})), row_time=0.001)
        self.assertIn("cut", {row.state for row in found.rows})
        for wrong in (0, -1, float("nan"), float("inf")):
            with self.assertRaisesRegex(ValueError, "row_time"):
                asperity.compare(Model.from_dict(sliding_ball()), row_time=wrong)

    def test_pandas_where_it_is_installed(self):
        try:
            import pandas  # noqa: F401
        except ImportError:
            self.skipTest("pandas is not installed")
        model = Model.from_dict(sliding_ball(run={"dt": 0.05, "until": 0.1}))
        self.assertIn("scheme", asperity.compare(model).to_pandas().columns)
        self.assertIn("extrapolated", asperity.converge(model, levels=3).to_pandas().columns)


if __name__ == "__main__":
    main()

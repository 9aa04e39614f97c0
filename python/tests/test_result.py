"""Result files: tables, facts, the page for notebooks."""

import csv
import os
import subprocess
import tempfile
import unittest

import asperity
import numpy as np
from asperity import Model, Result, World
from common import PROGRAM, main, scene, sliding_ball


class ResultTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = os.path.join(cls.folder.name, "ball.h5")
        cls.world = World(Model.from_dict(sliding_ball(run={"dt": 0.01, "until": 0.2}, probes=[{"name": "spin", "value": "ball.wy"}])))
        cls.run_of = cls.world.run(out=cls.path, record=1)
        cls.result = Result(cls.path)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_tables_hold_the_runs_bits(self):
        self.assertEqual((self.result.frames, self.result.complete), (21, True))
        np.testing.assert_array_equal(self.result.time, self.run_of.states[:, 0])
        np.testing.assert_array_equal(self.result.bodies["ball.x"], self.run_of.states[:, 1 + 7])
        self.assertEqual(self.result.bodies.units["ball.x"], "m")
        self.assertEqual(len(self.result.energies), 21)
        self.assertEqual(self.result.bodies.to_numpy(["ball.x", "ball.y"]).shape, (21, 2))
        self.assertGreater(len(self.result.contacts), 0)
        self.assertIn("ball", [self.result.contacts[name][0] for name in self.result.contacts])
        np.testing.assert_array_equal(self.result.probes["spin"][-1], self.world.body("ball").angular_velocity[1])
        with self.assertRaisesRegex(ValueError, "'ball.xx': no such column; did you mean"):
            self.result.bodies["ball.xx"]

    def test_arrays_hold_the_numbers_of_the_tables(self):
        bodies = self.result.arrays("bodies")
        self.assertEqual(bodies["q"].shape, (21, 2, 7))
        np.testing.assert_array_equal(bodies["q"][:, 1, 0], self.result.bodies["ball.x"])
        np.testing.assert_array_equal(bodies["time"], self.result.bodies["time"])
        for part in ("joints", "contacts", "energies", "probes"):
            self.assertTrue(self.result.arrays(part))
        with self.assertRaisesRegex(ValueError, "part: 'body' is not known; use bodies"):
            self.result.arrays("body")

    def test_tables_are_the_csv_files_of_the_program_bit_for_bit(self):
        cases = {"ball": self.path}
        for name in ("four-bar.json", "sorter-events.json"):
            cases[name] = os.path.join(self.folder.name, name + ".h5")
            World(Model.from_file(scene(name))).run(out=cases[name], steps=40)
        for name, path in cases.items():
            for part in ("bodies", "joints", "contacts", "energies"):
                with self.subTest(f"{name} {part}"):
                    target = os.path.join(self.folder.name, "part.csv")
                    subprocess.run([PROGRAM, "convert", "--quiet", path, "--what", part, "-o", target], check=True)
                    with open(target, newline="", encoding="utf-8") as file:
                        titles, *rows = csv.reader(file)
                    table = getattr(Result(path), part)
                    self.assertEqual([f"{n} [{table.units[n]}]" if table.units[n] else n for n in table], titles)
                    self.assertEqual(len(table), len(rows))
                    for i, column in enumerate(table):
                        np.testing.assert_array_equal(table[column], np.array([row[i] for row in rows], table[column].dtype))

    def test_facts_of_the_file(self):
        self.assertEqual(self.result.info["steps_uncertified"], 0)
        self.assertIsInstance(self.result.info["steps"], int)
        self.assertIsInstance(self.result.info["time_end"], float)

    def test_what_is_not_a_result_is_refused(self):
        with self.assertRaisesRegex(FileNotFoundError, "no-file.h5"):
            Result("no-file.h5")
        other = os.path.join(self.folder.name, "text.h5")
        with open(other, "w", encoding="utf-8") as file:
            file.write("nothing")
        with self.assertRaisesRegex(asperity.AsperityError, "text.h5"):
            Result(other)

    def test_the_page_needs_no_other_file(self):
        try:
            asperity.result.viewer_page()
        except OSError as error:
            self.skipTest(str(error))
        page = self.result.page()
        self.assertIn("<html", page[:200].lower())
        self.assertNotIn('src="http', page)
        shown = self.result._repr_html_()
        self.assertTrue(shown.startswith('<iframe srcdoc="&lt;!doctype html&gt;'))
        target = os.path.join(self.folder.name, "page.html")
        self.result.page(target)
        self.assertTrue(os.path.exists(target))

    def test_pandas_and_plots_where_they_are_installed(self):
        for module, call in (("pandas", self.result.bodies.to_pandas), ("matplotlib", self.result.plot)):
            try:
                __import__(module)
            except ImportError:
                with self.assertRaises(ImportError):
                    call()
                continue
            if module == "matplotlib":
                import matplotlib

                matplotlib.use("Agg")
                one = self.result.plot("ball.x")
                self.assertEqual([line.get_label() for line in one.get_lines()], ["ball.x [m]"])
                with self.assertRaisesRegex(ValueError, "columns: name some of the part 'joints'"):
                    self.result.plot(part="joints")
            self.assertIsNotNone(call())


if __name__ == "__main__":
    main()

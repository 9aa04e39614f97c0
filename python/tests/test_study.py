"""Studies from Python: the same rows as the program's, processes that die are rows."""

import contextlib
import os
import signal
import tempfile
import unittest

import numpy as np

import asperity
from common import SOURCE, main

SCENE = """{ "parameters": { "v": { "value": 1, "range": [0, 10] }, "end": 0.1 },
  "bodies": [ { "name": "ball", "mass": 1, "velocity": ["v", 0, 0], "shapes": [ { "type": "sphere", "radius": 0.1 } ] } ],
  "run": { "dt": 0.01, "until": "end" } }"""


class StudyTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def study(self, parameters, scene=SCENE):
        for name, content in (("scene.json", scene), ("study.json", '{"scene": "scene.json", "parameters": %s, "outputs": {"x": {"value": "ball.x", "unit": "m"}}}' % parameters)):
            with open(os.path.join(self.folder.name, name), "w", encoding="utf-8") as file:
                file.write(content)
        return asperity.Study(os.path.join(self.folder.name, "study.json"), os.path.join(self.folder.name, "rows"))

    def test_rows_are_arrays_and_failed_points_are_rows(self):
        study = self.study('{"v": {"values": [1, 2, 3, 20]}}')
        rows = study.run(cores=2)
        self.assertEqual(len(study), 4)
        np.testing.assert_allclose(rows["x"], [0.1, 0.2, 0.3, np.nan], atol=1e-12)
        self.assertEqual(list(rows.state), ["done", "done", "done", "failed"])
        self.assertEqual(list(rows.exit_code), [0, 0, 0, 2])
        self.assertIn("outside its range", rows.message[3])
        self.assertEqual(rows.units["x"], "m")
        with contextlib.suppress(ImportError):
            frame = rows.to_pandas()
            self.assertEqual((list(frame["v"]), list(frame["state"])), ([1, 2, 3, 20], list(rows.state)))
        study.collect()
        self.assertTrue(os.path.exists(os.path.join(study.folder, "index.html")))

    def test_a_second_run_does_nothing_and_retry_reopens(self):
        study = self.study('{"v": {"values": [1, 20]}}')
        study.run(cores=1)
        self.assertFalse(study.run_point(0))
        self.assertEqual(study.retry(), 1)
        self.assertEqual(list(study.rows().state), ["done", "open"])

    def test_a_process_that_dies_is_a_row(self):
        import threading

        study = self.study('{"end": {"values": [1e6]}}')

        def kill():
            import time

            for _ in range(600):
                time.sleep(0.1)
                if not os.path.exists(os.path.join(study.folder, "claims")):
                    continue
                for task in os.listdir("/proc/self/task"):
                    with open(f"/proc/self/task/{task}/children", encoding="ascii") as file:
                        for pid in file.read().split():
                            os.kill(int(pid), signal.SIGKILL)
                            return

        thread = threading.Thread(target=kill)
        thread.start()
        rows = study.run(cores=1)
        thread.join()
        self.assertEqual(rows.exit_code[0], 137)
        self.assertIn("the process died", rows.message[0])

    def test_mistakes_are_named(self):
        with self.assertRaisesRegex(asperity.InputError, "the scene has no parameter 'w'"):
            self.study('{"w": 1}')
        study = self.study('{"v": 1}')
        with self.assertRaisesRegex(asperity.ArgumentError, "points 0 to 0"):
            study.run_point(1)
        with self.assertRaisesRegex(asperity.ArgumentError, "no such column"):
            study.run()["y"]

    def test_the_ladder_of_the_repository(self):
        study = asperity.Study(os.path.join(SOURCE, "studies/ladder-friction.json"), os.path.join(self.folder.name, "ladder"))
        rows = study.run(points=range(1))
        self.assertAlmostEqual(rows["mu"][0], 0.152190912561, delta=1e-6)  # closed form: tests/cli/sweep.sh
        self.assertEqual(list(rows.state[1:]), ["open"] * 8)


if __name__ == "__main__":
    main()

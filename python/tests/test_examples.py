"""Every example NAME.py prints what NAME.out holds."""

import glob
import os
import subprocess
import sys
import unittest

from common import SOURCE, main

EXAMPLES = sorted(glob.glob(os.path.join(SOURCE, "python/examples/*.py")))


class ExamplesTest(unittest.TestCase):
    def test_examples_print_what_is_expected(self):
        self.assertGreater(len(EXAMPLES), 2)
        for path in EXAMPLES:
            with self.subTest(os.path.basename(path)):
                done = subprocess.run([sys.executable, path], capture_output=True, text=True)
                self.assertEqual(done.stderr, "")
                with open(path[:-3] + ".out", encoding="utf-8") as file:
                    self.assertEqual(done.stdout, file.read())


if __name__ == "__main__":
    main()

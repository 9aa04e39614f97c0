"""Pages with Python: every ```python block is run, in order, and prints what the ```text block behind it shows."""

import contextlib
import io
import os
import re
import tempfile
import unittest

from common import SOURCE, main

# page: the name of the file that its first ```json block is saved as
PAGES = {"docs/howto/python.md": None, "docs/howto/step-many-worlds.md": None, "docs/tutorial.md": "slide.json"}
BLOCK = re.compile(r"^```(python|text)\n(.*?)^```$", re.S | re.M)


def mask(text):
    """Residuals at the level of rounding, and wall times, are not compared."""
    return re.sub(r"residual (at most )?(0|[0-9.]+e-(09|1\d|2\d))", "residual TINY", text).replace("residual at most TINY", "residual TINY")


class PagesTest(unittest.TestCase):
    def check(self, page, scene):
        with open(os.path.join(SOURCE, page), encoding="utf-8") as file:
            text = file.read()
        blocks = BLOCK.findall(text)
        self.assertTrue(blocks)
        names = {"__name__": page}
        previous = os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(os.path.join(SOURCE, "scenes"), os.path.join(folder, "scenes"))
            os.chdir(folder)
            if scene:
                with open(scene, "w", encoding="utf-8") as file:
                    file.write(re.search(r"^```json\n(.*?)^```$", text, re.S | re.M).group(1))
            try:
                printed = ""
                for kind, body in blocks:
                    if kind == "text":
                        self.assertEqual(mask(printed).rstrip(), mask(body).rstrip())
                        printed = ""
                    else:
                        self.assertEqual(printed, "", "output that the page does not show")
                        out = io.StringIO()
                        with contextlib.redirect_stdout(out):
                            exec(compile(body, page, "exec"), names)
                        printed = out.getvalue()
                self.assertEqual(printed, "", "output that the page does not show")
            finally:
                os.chdir(previous)

    def test_pages_show_what_python_prints(self):
        for page, scene in PAGES.items():
            with self.subTest(page):
                self.check(page, scene)


if __name__ == "__main__":
    main()

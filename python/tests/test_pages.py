"""Pages with Python: every ```python block is run, in order, and prints what the ```text block behind it shows. Not where the line above the
block says <!-- not run: REASON -->. Other blocks of these pages are followed by tests/cli/docs.sh."""

import contextlib
import glob
import io
import os
import re
import tempfile
import unittest

from common import SOURCE, main

BLOCK = re.compile(r"(<!-- not run: [^\n]*-->\n)?^```(python|text)\n(.*?)^```$", re.S | re.M)
SAVED = re.compile(r"ave this as `([^`]*)`.*?^```json\n(.*?)^```$", re.S | re.M)


def read(page):
    with open(os.path.join(SOURCE, page), encoding="utf-8") as file:
        return file.read()


def pages():
    """Those with Python, by their paths in the sources."""
    found = glob.glob(os.path.join(SOURCE, "docs/**/*.md"), recursive=True) + [os.path.join(SOURCE, "README.md"), os.path.join(SOURCE, "python/README.md")]
    names = sorted(os.path.relpath(path, SOURCE) for path in found if os.path.exists(path))
    return [name for name in names if re.search("^```python$", read(name), re.M)]


def mask(text):
    """Residuals at the level of rounding, and wall times, are not compared."""
    return re.sub(r"residual (at most )?(0|[0-9.]+e-(09|1\d|2\d))", "residual TINY", text).replace("residual at most TINY", "residual TINY")


class PagesTest(unittest.TestCase):
    def follow(self, page, text):
        names, printed, behind = {"__name__": page}, "", None
        for match in BLOCK.finditer(text):
            unused, kind, body = match.groups()
            if kind == "text":
                shown = printed or (behind is not None and not text[behind : match.start()].strip())
                if shown:
                    self.assertEqual(mask(printed).rstrip(), mask(body).rstrip())
                printed, behind = "", None
            elif not unused:
                behind = match.end()
                self.assertEqual(printed, "", "output that the page does not show")
                out = io.StringIO()
                with contextlib.redirect_stdout(out):
                    exec(compile(body, page, "exec"), names)
                printed = out.getvalue()
        self.assertEqual(printed, "", "output that the page does not show")

    def check(self, page):
        text, previous = read(page), os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            for name in ("scenes", "studies"):
                os.symlink(os.path.join(SOURCE, name), os.path.join(folder, name))
            os.chdir(folder)
            try:
                for name, scene in SAVED.findall(text):
                    with open(name, "w", encoding="utf-8") as file:
                        file.write(scene)
                self.follow(page, text)
            finally:
                os.chdir(previous)

    def test_pages_show_what_python_prints(self):
        found = pages()
        self.assertIn("docs/tutorial.md", found)
        for page in found:
            with self.subTest(page):
                try:
                    self.check(page)
                except ModuleNotFoundError as error:
                    if error.name in ("asperity", "numpy"):
                        raise
                    self.skipTest(f"{page}: {error.name} is missing")

    def test_a_page_that_shows_something_else_fails(self):
        printing, silent, shown = "```python\nprint(1)\n```\n", "```python\nx = 1\n```\n", "```text\n2\n```\n"
        self.follow("page", printing + shown.replace("2", "1") + silent)
        for text in (printing + shown, silent + shown, printing, printing + silent, "```python\n1 / 0\n```\n"):
            with self.subTest(text), self.assertRaises((AssertionError, ZeroDivisionError)):
                self.follow("page", text)


if __name__ == "__main__":
    main()

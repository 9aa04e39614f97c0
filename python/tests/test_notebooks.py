"""Every notebook runs from its first cell to its last: by nbclient where it is installed, else its code cells in order."""

import contextlib
import glob
import io
import json
import os
import tempfile
import unittest

from common import SOURCE, main

NOTEBOOKS = sorted(glob.glob(os.path.join(SOURCE, "python/notebooks/*.ipynb")))


def run_cells(path):
    with open(path, encoding="utf-8") as file:
        cells = json.load(file)["cells"]
    names = {"__name__": "__main__"}
    for number, cell in enumerate(cells):
        if cell["cell_type"] == "code":
            with contextlib.redirect_stdout(io.StringIO()):
                exec(compile("".join(cell["source"]), f"{os.path.basename(path)}, cell {number}", "exec"), names)


def run_kernel(path, folder):
    import nbclient
    import nbformat

    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": folder}}).execute()


class NotebooksTest(unittest.TestCase):
    def test_notebooks_run_to_their_end(self):
        self.assertGreaterEqual(len(NOTEBOOKS), 5)
        try:
            import ipykernel  # noqa: F401
            import nbclient  # noqa: F401
        except ImportError:
            kernel = False
        else:
            kernel = True
        previous = os.getcwd()
        for path in NOTEBOOKS:
            with self.subTest(os.path.basename(path)), tempfile.TemporaryDirectory() as folder:
                for name in ("scenes", "tests"):
                    os.symlink(os.path.join(SOURCE, name), os.path.join(folder, name))
                os.chdir(folder)
                try:
                    run_kernel(path, folder) if kernel else run_cells(path)
                finally:
                    os.chdir(previous)

    def test_notebooks_are_kept_without_outputs(self):
        for path in NOTEBOOKS:
            with open(path, encoding="utf-8") as file:
                for cell in json.load(file)["cells"]:
                    self.assertEqual(cell.get("outputs", []), [], path)


if __name__ == "__main__":
    main()

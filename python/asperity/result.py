"""Result files: the tables of a run, its page, its plots. Parts are read when they are asked for, by the library."""

from __future__ import annotations

import html
import os
import tempfile
from typing import Any, Sequence

import numpy as np

from . import _callbacks  # noqa: F401
from ._core import Context, file_name
from ._native import ffi, lib
from .errors import ArgumentError, FileError
from .tables import PARTS, Table


class Result:
    """A result file (HDF5) of World.run(out=...) or of the program. bodies, joints, contacts, energies and probes are
    tables; info is what `asperity info` tells. In a notebook it shows itself as the page with the replay."""

    def __init__(self, path: str | os.PathLike[str]):
        self.path = os.fspath(path)
        file_name(path)
        self._tables: dict[str, Table] = {}
        self._arrays: dict[str, dict[str, np.ndarray]] = {}
        context = Context()
        frames, complete = ffi.new("int64_t *"), ffi.new("bool *")
        context.check(lib.asp_result_progress(context.pointer, os.fsencode(path), frames, complete))
        self.frames: int = frames[0]
        self.complete: bool = complete[0]

    def _table(self, part: str) -> Table:
        if part not in self._tables:
            arrays = [self.arrays(part)] + ([self.arrays("energies")] if part == "bodies" else [])
            self._tables[part] = Table(PARTS[part](*arrays))
        return self._tables[part]

    bodies: Table = property(lambda self: self._table("bodies"), doc="poses and velocities of every frame, energies")  # type: ignore[assignment]
    joints: Table = property(lambda self: self._table("joints"), doc="coordinates, rates, forces of every frame")  # type: ignore[assignment]
    contacts: Table = property(lambda self: self._table("contacts"), doc="one row for each contact of each frame")  # type: ignore[assignment]
    energies: Table = property(lambda self: self._table("energies"), doc="one row for each step")  # type: ignore[assignment]
    probes: Table = property(lambda self: self._table("probes"), doc="one row for each sample")  # type: ignore[assignment]

    def arrays(self, part: str = "bodies") -> dict[str, np.ndarray]:
        """A part as whole arrays: bodies have name, time, step, q (frames x bodies x 7, in the plane 3) and v. Columns of tables are
        views into them."""
        if part not in PARTS:
            raise ArgumentError(f"part: {part!r} is not known; use {', '.join(PARTS)}")
        if part not in self._arrays:
            with tempfile.TemporaryDirectory() as folder:
                target = os.path.join(folder, "part.npz")
                context = Context()
                path = os.fsencode(self.path)
                context.check(lib.asp_result_export_npz(context.pointer, path, part.encode(), os.fsencode(target)))
                with np.load(target) as file:
                    self._arrays[part] = {name: file[name] for name in file.files}
        return self._arrays[part]

    @property
    def time(self) -> np.ndarray:
        """Of the frames, s."""
        return self.arrays("bodies")["time"]

    @property
    def info(self) -> dict[str, Any]:
        """What is in the file: name, steps, steps_uncertified, ..."""
        facts: dict[str, Any] = {}
        handle = ffi.new_handle(facts)
        context = Context()
        context.check(lib.asp_file_info(context.pointer, os.fsencode(self.path), ffi.NULL, lib.aspy_python_fact, handle))
        return facts

    # ---- for the eye ----

    def page(self, path: str | os.PathLike[str] | None = None) -> str:
        """The self-contained HTML page with replay, forces, plots and certificate; written to path where one is given."""
        with open(viewer_page(), "rb") as file:
            page = file.read()
        with tempfile.TemporaryDirectory() as folder:
            target = os.fspath(path) if path is not None else os.path.join(folder, "page.html")
            context = Context()
            code = lib.asp_report_write(context.pointer, os.fsencode(self.path), ffi.NULL, page, len(page), os.fsencode(target))
            context.check(code)
            with open(target, encoding="utf-8") as file:
                return file.read()

    def _repr_html_(self) -> str:
        return self.show().data

    def show(self, width: str = "100%", height: str = "clamp(420px, 80vh, 900px)") -> Any:
        """For a notebook: the page in an iframe that needs no other file and no network. By default as wide as the cell and as
        high as the window allows; lengths of CSS."""
        page = html.escape(self.page())  # not as data: in src, where Chromium does not start the page
        style = f"display:block;box-sizing:border-box;width:{html.escape(width)};max-width:100%;height:{html.escape(height)};border:0"
        return _Html(f'<iframe srcdoc="{page}" title="{html.escape(self.path)}" style="{style}" allowfullscreen></iframe>')

    def plot(self, columns: str | Sequence[str] | None = None, part: str = "bodies", axes: Any = None) -> Any:
        """A column, or several, of a part over time, by matplotlib; default: energies. Returns the axes."""
        try:
            import matplotlib.pyplot as pyplot
        except ImportError:
            raise ImportError("plot() needs matplotlib (python3-matplotlib); Result.page() needs nothing") from None
        if part not in PARTS:
            raise ArgumentError(f"part: {part!r} is not known; use {', '.join(PARTS)}")
        table = self._table(part)
        time = table.names[0]
        if columns is None:
            columns = [name for name in table.names if name.split(".")[-1] in ("kinetic", "gravitational", "elastic")]
        if isinstance(columns, str):
            columns = [columns]
        if not columns:
            raise ArgumentError(f"columns: name some of the part {part!r}: {', '.join(table.names[1:9]) or 'it has none'}")
        if axes is None:
            _, axes = pyplot.subplots()
        for name in columns:
            axes.plot(table[time], table[name], label=f"{name} [{table.units[name]}]")
        axes.set_xlabel(f"{time} [{table.units[time]}]")
        axes.legend()
        return axes

    def __repr__(self) -> str:
        return f"<asperity.Result '{self.path}': {self.frames} frames{'' if self.complete else ', run not ended'}>"


class _Html:
    """What notebooks show."""

    def __init__(self, data: str):
        self.data = data

    def _repr_html_(self) -> str:
        return self.data


def viewer_page() -> str:
    """The file with the viewer's page: ASPERITY_VIEWER_PAGE, or the one that the package was built with."""
    for path in (os.environ.get("ASPERITY_VIEWER_PAGE", ""), os.path.join(os.path.dirname(__file__), "viewer.html")):
        if path and os.path.exists(path):
            return path
    raise FileError("the package was built without the viewer's page; set ASPERITY_VIEWER_PAGE to web/page/index.html of a build folder")

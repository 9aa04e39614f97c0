"""Tables of a result file: columns with names and units over the arrays of the library's .npz export. The same names, units and bits as
the .csv files of `asperity convert` (python/tests/test_result.py compares them)."""

from __future__ import annotations

import difflib
from typing import Any, Callable, Iterator, Mapping, Sequence

import numpy as np

from .errors import ArgumentError

Arrays = Mapping[str, np.ndarray]
Column = tuple[str, str, np.ndarray]
"""Name, unit, values."""

_Q = {3: [("x", "m"), ("y", "m"), ("angle", "rad")]}
_Q[7] = [("x", "m"), ("y", "m"), ("z", "m"), ("qw", "1"), ("qx", "1"), ("qy", "1"), ("qz", "1")]
_V = {3: [("vx", "m/s"), ("vy", "m/s"), ("w", "rad/s")]}
_V[6] = [("vx", "m/s"), ("vy", "m/s"), ("vz", "m/s"), ("wx", "rad/s"), ("wy", "rad/s"), ("wz", "rad/s")]
_ENERGIES = ("kinetic", "gravitational", "elastic")
_FLOWS = ("motors", "forces", "friction", "impacts", "joints", "damping", "remainder")
# array of the export, names of its components, unit
_JOINT = [
    ("coordinate", ("coordinate",), "rad or m"),
    ("rate", ("rate",), "rad/s or m/s"),
    ("force", ("fx", "fy", "fz"), "N"),
    ("torque", ("tx", "ty", "tz"), "N m"),
    ("friction", ("friction",), "N or N m"),
    ("motor", ("motor",), "N or N m"),
    ("limit", ("limit",), "N or N m"),
    ("drift", ("drift",), "m or rad"),
]
_CONTACT = [
    ("point", ("x", "y", "z"), "m"),
    ("normal", ("nx", "ny", "nz"), ""),
    ("gap", ("gap",), "m"),
    ("slip", ("un", "ut1", "ut2"), "m/s"),
    ("force", ("fx", "fy", "fz"), "N"),
    ("mu", ("mu",), ""),
    ("mode", ("mode",), ""),
]


class Table:
    """Columns by name, one entry per frame, step, sample or contact: table["ball.x"]. units: by name."""

    def __init__(self, columns: Iterator[Column]):
        self.units: dict[str, str] = {}
        self._columns: dict[str, np.ndarray] = {}
        for name, unit, values in columns:
            self.units[name] = unit
            self._columns[name] = values

    @property
    def names(self) -> list[str]:
        """Of the columns."""
        return list(self._columns)

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self._columns:
            close = difflib.get_close_matches(str(name), self._columns, 3)
            raise ArgumentError(f"{name!r}: no such column; " + (f"did you mean {' or '.join(close)}?" if close else "names lists them"))
        return self._columns[name]

    def __contains__(self, name: object) -> bool:
        return name in self._columns

    def __len__(self) -> int:
        return len(next(iter(self._columns.values()), ()))

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def keys(self) -> list[str]:
        """The same, as of a dict."""
        return self.names

    def to_numpy(self, names: Sequence[str] | None = None) -> np.ndarray:
        """Rows x columns; without names: all columns of numbers."""
        chosen = [name for name in self.names if self._columns[name].dtype.kind == "f"] if names is None else list(names)
        return np.column_stack([self[name] for name in chosen]) if chosen else np.empty((len(self), 0))

    def to_pandas(self) -> Any:
        """A pandas.DataFrame, where pandas is installed."""
        import pandas

        return pandas.DataFrame(self._columns)

    def __repr__(self) -> str:
        return f"<table of {len(self)} rows: {', '.join(self.names[:6])}{', ...' if len(self.names) > 6 else ''}>"


def _split(array: np.ndarray, names: Sequence[str], unit: str, prefix: str = "") -> Iterator[Column]:
    """Components of the last axis; an array without one is its only component."""
    if len(names) == 1:
        yield prefix + names[0], unit, array
        return
    for i, name in enumerate(names):
        yield prefix + name, unit, array[..., i]


def bodies(arrays: Arrays, energies: Arrays) -> Iterator[Column]:
    """Frames: time, coordinates and velocities of every body, energies then and what flowed since the start."""
    yield "time", "s", arrays["time"]
    q, v = arrays["q"], arrays["v"]
    for body, label in enumerate(arrays["name"]):
        for i, (name, unit) in enumerate(_Q[q.shape[2]]):
            yield f"{label}.{name}", unit, q[:, body, i]
        for i, (name, unit) in enumerate(_V[v.shape[2]]):
            yield f"{label}.{name}", unit, v[:, body, i]
    known = len(energies["time"])
    step = np.minimum(arrays["step"].astype(int), known - 1)
    for name in _ENERGIES + _FLOWS:
        values = energies[name] if name in _ENERGIES else np.cumsum(energies[name])
        yield f"energy.{name}", "J", values[step] if known else np.zeros(len(step))


def joints(arrays: Arrays) -> Iterator[Column]:
    """Frames: time, then what every joint does."""
    yield "time", "s", arrays["time"]
    for joint, label in enumerate(arrays["name"]):
        for key, names, unit in _JOINT:
            yield from _split(arrays[key][:, joint], names, unit, f"{label}.")


def energies(arrays: Arrays) -> Iterator[Column]:
    """Steps, the start included."""
    yield "time", "s", arrays["time"]
    for name in _ENERGIES + _FLOWS:
        yield f"energy.{name}", "J", arrays[name]


def probes(arrays: Arrays) -> Iterator[Column]:
    """Samples."""
    yield "time", "s", arrays["time"]
    for i, (name, unit) in enumerate(zip(arrays["name"], arrays["unit"])):
        yield str(name), str(unit), arrays["value"][:, i]


def contacts(arrays: Arrays) -> Iterator[Column]:
    """Contacts, frame by frame."""
    start, count = arrays["start"].astype(int), arrays["count"].astype(int)
    rows = np.repeat(start - np.concatenate(([0], np.cumsum(count)[:-1])), count) + np.arange(count.sum())
    label = np.append(arrays["name"], "")
    sides = arrays["body"].astype(int)[rows]
    sides[(sides < 0) | (sides >= len(label))] = len(label) - 1  # a body that the file does not name
    yield "time", "s", np.repeat(arrays["time"], count)
    for side, name in enumerate(("body A", "body B")):
        yield name, "", label[sides[:, side]]
    for key, names, unit in _CONTACT:
        yield from _split(arrays[key][rows], names, unit)


PARTS: dict[str, Callable[..., Iterator[Column]]] = {
    "bodies": bodies,
    "joints": joints,
    "contacts": contacts,
    "energies": energies,
    "probes": probes,
}

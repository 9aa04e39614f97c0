"""One model run in several ways: with ever shorter steps (converge), and through every scheme, friction model and solver (compare)."""

from __future__ import annotations

from typing import Any, Callable, Sequence

import numpy as np

from . import _callbacks  # noqa: F401
from ._core import Context, encoded, number, plain, text, whole
from ._native import ffi, lib
from .errors import ArgumentError
from .model import Model
from .options import set_options

Progress = Callable[[float, str], None]


class _Caller:
    def __init__(self, call: Progress | None, guard: Any):
        self.call, self.guard = call, guard


def _begin(model: Any, changes: dict[str, Any]) -> tuple[Context, Any]:
    if not isinstance(model, Model):
        raise ArgumentError(f"model: {type(model).__name__} is not an asperity.Model")
    context = Context()
    run = ffi.new("AspRunOptions *", model._native().run)
    set_options(context, run, changes)
    return context, run


def _listen(options: Any, progress: Progress | None, context: Context) -> Any:
    """Sets the callback; the handle must outlive the call."""
    if progress is not None and not callable(progress):
        raise ArgumentError(f"progress: {type(progress).__name__} is not a function of a number and a text")
    handle = ffi.new_handle(_Caller(progress, context.guard))
    if progress is not None:
        options.progress, options.progress_user = lib.aspy_python_share, handle
    return handle


class ConvergenceRow:
    """One quantity: quantity ("ball.position.x"), unit, values (longest step first), state (regular, irregular, settled, none), order
    (nan: none), extrapolated (its value for dt -> 0; nan: none), error (half width of the error bar)."""

    def __init__(self, c: Any, levels: int):
        self.quantity, self.unit = text(c.name), text(c.unit)
        self.values = np.array(ffi.unpack(c.value, levels))
        self.state = text(lib.asp_converge_state_name(c.state))
        self.order: float = c.order
        self.extrapolated: float = c.extrapolated
        self.error: float = c.error

    def __repr__(self) -> str:
        if self.state == "none":
            return f"<{self.quantity}: does not converge>"
        unit = f" {self.unit}" if self.unit else ""
        return f"<{self.quantity}: {self.extrapolated:.9g} +- {self.error:.1e}{unit}, {self.state}>"


class Convergence:
    """What converge() found. rows: a ConvergenceRow for each quantity; by name: found["ball.position.x"]. dt: lengths of step that ran
    to the end (s); levels: a dict for each that was asked for; converged: every quantity, and every step is certified;
    converges_until: positions converge up to this time (s); reason: why not, "" where all converge; steps_uncertified."""

    def __init__(self, c: Any, until: float):
        self.converged = bool(c.converged)
        self.dt = np.array(ffi.unpack(c.dt, c.levels))
        self.rows = [ConvergenceRow(c.row[i], c.levels) for i in range(c.row_count)]
        self.converges_until: float = c.until if c.motion_lost else until
        self.reason = text(c.reason)
        self.steps_uncertified: int = c.uncertified
        self.levels: list[dict[str, Any]] = []
        for i in range(c.level_count):
            level = c.level[i]
            entry = {"dt": level.dt, "done": bool(level.done), "message": text(level.message), "wall": level.wall}
            self.levels.append({**entry, **plain(level.summary)})

    def __getitem__(self, quantity: str) -> ConvergenceRow:
        for row in self.rows:
            if row.quantity == quantity:
                return row
        raise ArgumentError(f"{quantity!r}: no such quantity; there are {', '.join(row.quantity for row in self.rows[:8]) or 'none'}")

    def to_pandas(self) -> Any:
        """A pandas.DataFrame, one row for each quantity, where pandas is installed."""
        import pandas

        return pandas.DataFrame([vars(row) for row in self.rows])

    def __repr__(self) -> str:
        word = "all converge" if self.converged else f"NOT converged: {self.reason or f'{self.steps_uncertified} steps not certified'}"
        return f"<convergence of {len(self.rows)} quantities over {len(self.dt)} lengths of step: {word}>"


def converge(
    model: Model,
    output: str | Sequence[str] | None = None,
    levels: int = 4,
    progress: Progress | None = None,
    **options: Any,
) -> Convergence:
    """Run the model with steps of dt, dt/2, dt/4, ... and extrapolate: as `asperity converge`.

    output: quantities (bodies, joints, kinds, or both: "ball.position.x"), a list or a text with commas; default: position,
    orientation, energy. levels: lengths of step, 3 to 12. progress(done, text): done from 0 to 1; an exception in it ends the
    call. options: as of World; dt (s) is the longest step, until (s) the end."""
    context, run = _begin(model, options)
    asked = ffi.new("AspConvergeOptions *", lib.asp_converge_default_options())
    try:
        words = output if output is None or isinstance(output, str) else ",".join(output)
    except TypeError:
        raise ArgumentError(f"output: {output!r} is neither a text nor a list of them") from None
    kept = ffi.NULL if words is None else ffi.new("char[]", encoded("output", words))
    asked.levels, asked.output = min(whole("levels", levels), 1000), kept
    handle = _listen(asked, progress, context)  # noqa: F841 (alive as long as the call)
    found = ffi.new("AspConvergence *")
    context.watch()
    try:
        context.check(lib.asp_converge(context.pointer, model._model, run, asked, found))
        return Convergence(found, run.until)
    finally:
        lib.asp_convergence_destroy(context.pointer, found)


class ComparisonRow:
    """One combination: scheme, friction, solver; state (done, cut: its time was up, refused: `message` says why); relation to the
    first row of its scheme (reference, same, other law, branch, drift, missed), difference (m), parted (s; nan: not), rise (m);
    wall (s); summary: counts and largest residuals of its steps, energies (J)."""

    def __init__(self, c: Any):
        self.scheme = text(lib.asp_scheme_name(c.options.scheme))
        self.friction = text(lib.asp_cone_kind_name(c.options.cone))
        self.solver = text(lib.asp_method_name(c.options.method))
        self.state = text(lib.asp_compare_state_name(c.state))
        self.relation = text(lib.asp_compare_relation_name(c.relation))
        self.message = text(c.message)
        self.difference: float = c.difference
        self.parted: float = c.parted if self.relation in ("branch", "drift") else float("nan")
        self.rise: float = c.rise
        self.wall: float = c.wall
        self.summary: dict[str, Any] = plain(c.summary)

    def __repr__(self) -> str:
        told = self.message if self.state == "refused" else f"{self.relation}, {self.difference:.1e} m apart"
        return f"<{self.scheme}, {self.friction}, {self.solver}: {self.state}, {told}>"


class Comparison:
    """What compare() found: rows, in the order of `asperity compare`."""

    def __init__(self, c: Any):
        self.rows = [ComparisonRow(c.row[i]) for i in range(c.count)]

    def to_pandas(self) -> Any:
        """A pandas.DataFrame, one row for each combination, where pandas is installed."""
        import pandas

        flat = ({**{k: v for k, v in vars(row).items() if k != "summary"}, **row.summary} for row in self.rows)
        return pandas.DataFrame(list(flat)).drop(columns="flow")

    def __repr__(self) -> str:
        done = sum(row.state in ("done", "cut") for row in self.rows)
        return f"<comparison of {len(self.rows)} combinations, {done} ran>"


def compare(model: Model, row_time: float = 1.0, progress: Progress | None = None, **options: Any) -> Comparison:
    """Run the model through every scheme, friction model and solver that applies: as `asperity compare`.

    row_time: seconds of wall clock for each combination at most. progress(done, text): done from 0 to 1; an exception in it ends the
    call. options: as of World; scheme, friction model and solver are those of the rows."""
    context, run = _begin(model, options)
    asked = ffi.new("AspCompareOptions *", lib.asp_compare_default_options())
    asked.row_time = number("row_time", row_time, "s")
    handle = _listen(asked, progress, context)  # noqa: F841 (alive as long as the call)
    found = ffi.new("AspComparison *")
    context.watch()
    try:
        context.check(lib.asp_compare(context.pointer, model._model, run, asked, found))
        return Comparison(found)
    finally:
        lib.asp_comparison_destroy(context.pointer, found)

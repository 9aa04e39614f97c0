"""All solutions of a contact problem, and whether a structure can stand."""

from __future__ import annotations

from typing import Any

from ._core import INT_MOST, Context, doubles, number, numbers, plain, text, whole
from ._native import ffi, lib
from .errors import ArgumentError
from .model import Model
from .problem import ContactProblem, _vector
from .world import World


def _problem(subject: Any, level: str) -> ContactProblem:
    if isinstance(subject, ContactProblem):
        return subject
    if not isinstance(subject, (Model, World)):
        raise ArgumentError(f"subject: {type(subject).__name__} is not a Model, World or ContactProblem")
    return (World(subject) if isinstance(subject, Model) else subject).problem(level)


class PointSolution:
    """One motion with its reactions. modes: open, closed, stick, slide or held, for each block; low, high: interval of
    the normal reaction of each block over all reactions with this motion."""

    def __init__(self, c: Any, sizes: Any):
        self.modes = [text(lib.asp_block_mode_name(c.mode[i])) for i in range(sizes.blocks)]
        self.r, self.u, self.x = _vector(c.r, sizes.rows), _vector(c.u, sizes.rows), _vector(c.x, sizes.dofs)
        self.energy: float = c.energy
        self.residuals: dict[str, float] = plain(c.residual)
        self.residual: float = c.residual.E2
        self.motion_dimension: int = c.motion_dimension
        self.reaction_dimension: int = c.reaction_dimension
        self.low, self.high = _vector(c.low, sizes.blocks), _vector(c.high, sizes.blocks)

    def __repr__(self) -> str:
        return f"<solution {' '.join(self.modes)}, energy {self.energy:.6g}>"


class Analysis:
    """exists, unique, unique_motion, complete (nothing was left undecided; else `incomplete` says why), solutions (by
    Painleve's principle: fewest closed contacts first), existence_margin and small_friction (docs/theory/existence.md)."""

    def __init__(self, c: Any, problem: ContactProblem):
        self.problem = problem
        self.exists, self.unique = bool(c.exists), bool(c.unique)
        self.unique_motion, self.complete = bool(c.unique_motion), bool(c.complete)
        self.incomplete = text(c.incomplete)
        self.solutions = [PointSolution(c.solution[i], c) for i in range(c.count)]
        self.rank: int = c.rank
        self.existence_margin: float = c.existence_margin
        self.small_friction: float = c.small_friction
        self.witness_complete = bool(c.witness_complete)

    def __repr__(self) -> str:
        return f"<analysis: {len(self.solutions)} solutions, {'complete' if self.complete else 'not complete: ' + self.incomplete}>"


def analyze(
    subject: Any,
    level: str = "acceleration",
    *,
    max_time: float = 30.0,
    max_solutions: int = 1000,
    certificates: bool = True,
) -> Analysis:
    """Every solution of the contact problem of a Model (at its initial state), a World (now) or a ContactProblem. level:
    acceleration, impulse, step or static; max_time in s."""
    problem = _problem(subject, level)
    context = Context()
    options = ffi.new("AspAnalysisOptions *", lib.asp_analysis_default_options())
    options.max_time, options.certificates = number("max_time", max_time, "s"), certificates
    options.max_solutions = whole("max_solutions", max_solutions, 1, INT_MOST)
    analysis = ffi.new("AspAnalysis *")
    context.watch()
    context.check(lib.asp_analyze(context.pointer, problem._c, options, analysis))
    try:
        return Analysis(analysis, problem)
    finally:
        lib.asp_analysis_destroy(context.pointer, analysis)


class Statics:
    """stands: reactions r within their laws balance the loads (necessary, with Coulomb's friction not always sufficient).
    Where it does not stand, `mechanism` (dofs) is a motion that no reaction resists: proof that it moves."""

    def __init__(self, c: Any, problem: ContactProblem):
        self.problem = problem
        self.stands = bool(c.stands)
        self.r, self.residual = _vector(c.r, problem.rows), float(c.residual)
        self.mechanism, self.opening = _vector(c.mechanism, problem.dofs), _vector(c.opening, problem.rows)
        self.power, self.friction_factor, self.load_factor = float(c.power), float(c.friction_factor), float(c.load_factor)

    def __repr__(self) -> str:
        return f"<statics: {'stands' if self.stands else 'moves'}>"


def statics(subject: Any, load: Any = None, *, friction_factor: bool = False) -> Statics:
    """Can contacts and joints balance the loads? load (dofs, N and N m): load_factor is the largest s with loads f + s
    load balanced. friction_factor: find the least factor on all coefficients of friction with which a balance exists."""
    problem = _problem(subject, "static")
    context = Context()
    array = None if load is None else numbers("load", load, (problem.dofs,), "N, N m")
    out = ffi.new("AspStatics *")
    context.watch()
    pointer = ffi.NULL if array is None else doubles(array)
    context.check(lib.asp_statics(context.pointer, problem._c, pointer, friction_factor, out))
    try:
        return Statics(out, problem)
    finally:
        lib.asp_statics_destroy(context.pointer, out)

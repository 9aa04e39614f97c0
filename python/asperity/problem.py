"""Contact problems: matrices and laws in, reactions with a certificate out.

    M x = H r + f,   u = H^T x + w,   (u_i, r_i) obeys law_i        global form
    u = W r + q,     (u_i, r_i) obeys law_i                         local form

A contact's rows are normal, t1, t2 (in the plane normal, t); r acts on body B. docs/theory/contact-problem.md."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, Callable, NamedTuple, Sequence

import numpy as np

from . import _callbacks  # noqa: F401
from ._core import INT_MOST, Context, dtype_of, doubles, file_name, number, numbers, plain, records, text, whole
from ._native import ffi, lib
from .errors import ArgumentError

BLOCK = dtype_of("AspProblemBlock")
"""Of ContactProblem.blocks: role (block_role names it), joint, body_a, body_b, feature, point, normal, t1, t2, gap."""
_KINDS = [text(lib.asp_law_kind_name(i)) for i in range(lib.ASP_LAW_COUNT)]
_CONES = [text(lib.asp_cone_kind_name(i)) for i in range(lib.ASP_CONE_RELAXED + 1)]
_METHODS = [text(lib.asp_method_name(i)) for i in range(lib.ASP_METHOD_COUNT)]
Progress = Callable[[int, str, float], None]


def methods() -> list[str]:
    """Names of the methods that solve contact problems."""
    return list(_METHODS)


def block_role(role: int) -> str:
    """Name of ContactProblem.blocks["role"]."""
    return text(lib.asp_block_role_name(whole("role", role)))


def _choice(name: str, value: Any, names: Sequence[str]) -> int:
    if value not in names:
        raise ArgumentError(f"{name}: {value!r} is not known; use {', '.join(names)}")
    return list(names).index(value)


@dataclass(frozen=True)
class Law:
    """The law of a block: coulomb (mu), unilateral, equality (any number of rows), box (|r| <= limit), ball (the
    same of 2 or 3 rows), sliding (mu, direction). cone: exact, inscribed, circumscribed or relaxed; polygons have `directions` and `angle` (rad)."""

    kind: str = "coulomb"
    rows: int | None = None
    mu: float = 0.0
    limit: float = 0.0
    direction: tuple[float, float] = (0.0, 0.0)
    cone: str = "exact"
    directions: int = 0
    angle: float = 0.0

    def _rows(self, dimension: int, at: int) -> int:
        if self.rows is not None:
            return whole(f"laws[{at}].rows", self.rows, 1, INT_MOST)
        return dimension if self.kind in ("coulomb", "sliding", "ball") else 1

    def _write(self, c: Any, at: int) -> None:
        c.kind = _choice(f"laws[{at}].kind", self.kind, _KINDS)
        c.directions = whole(f"laws[{at}].directions", self.directions, 0, INT_MOST)
        for name in ("mu", "limit", "angle"):
            setattr(c, name, number(f"laws[{at}].{name}", getattr(self, name)))
        c.direction = [*numbers(f"laws[{at}].direction", self.direction, (2,)), 0.0]
        c.cone = _choice(f"laws[{at}].cone", self.cone, _CONES)


class Columns(NamedTuple):
    """A sparse matrix by columns, as scipy.sparse.csc_matrix((data, indices, indptr), shape) has it."""

    data: np.ndarray
    indices: np.ndarray
    indptr: np.ndarray
    shape: tuple[int, int]


_Matrix = tuple[np.ndarray, np.ndarray, np.ndarray, tuple[int, int]]


def _whole_numbers(name: str, value: Any) -> np.ndarray:
    """One-dimensional, each an int of C from 0 on, or ValueError that names it."""
    array = np.asarray(value)
    if array.ndim != 1 or (array.dtype.kind not in "iu" and array.size):
        raise ArgumentError(f"{name}: {array.dtype} of shape {array.shape} is not a row of whole numbers")
    if array.size and (array.min() < 0 or array.max() > INT_MOST):
        raise ArgumentError(f"{name}: {array.min() if array.min() < 0 else array.max()} is outside 0 to {INT_MOST}")
    return array.astype(np.intc)


def _columns(name: str, matrix: Any, shape: tuple[int | None, int | None]) -> _Matrix:
    """start, row, value of a matrix as sorted compressed columns."""
    size: Sequence[int]
    if isinstance(matrix, Columns):
        value, size = numbers(f"{name}.data", matrix.data, (None,)), [whole(f"{name}.shape", n) for n in matrix.shape]
        row, start = _whole_numbers(f"{name}.indices", matrix.indices), _whole_numbers(f"{name}.indptr", matrix.indptr)
    elif hasattr(matrix, "tocsc"):
        packed = matrix.tocsc(copy=True)
        packed.sum_duplicates()
        packed.sort_indices()
        value = numbers(name, packed.data, (None,))
        start, row, size = packed.indptr, packed.indices, packed.shape
    else:
        dense = numbers(name, matrix, (None, None))
        column, row = np.nonzero(dense.T)
        value, size = dense[row, column], dense.shape
        start = np.append(0, np.cumsum(np.bincount(column, minlength=size[1])))
    if any(want is not None and want != have for want, have in zip(shape, size)):
        raise ArgumentError(f"{name}: shape {tuple(size)} does not fit; it must be {shape}")
    if len(start) != size[1] + 1 or start[-1] != len(value) or len(row) != len(value) or max(*size, len(value)) > INT_MOST:
        raise ArgumentError(f"{name}: {len(value)} entries and {len(start)} starts of columns do not make a matrix of shape {tuple(size)}")
    return start.astype(np.intc), row.astype(np.intc), np.ascontiguousarray(value, float), (int(size[0]), int(size[1]))


def _fill(sparse: Any, columns: _Matrix) -> None:
    start, row, value, (rows, count) = columns
    sparse.rows, sparse.columns = rows, count
    ffi.memmove(sparse.start, np.ascontiguousarray(start), start.nbytes)
    ffi.memmove(sparse.row, np.ascontiguousarray(row), row.nbytes)
    ffi.memmove(sparse.value, value, value.nbytes)


def _vector(pointer: Any, count: int) -> np.ndarray:
    return np.frombuffer(ffi.buffer(pointer, 8 * count)).copy() if count and pointer else np.empty(0)


class Solution:
    """What a solve gave: reactions r, relative velocities u, velocities x. status: how the numerics went; solved: as the
    judge measured; method and path: what was tried; iterations; residuals: E1, E2, E3, ... of r; time and setup_time in s."""

    def __init__(self, r: np.ndarray, u: np.ndarray, x: np.ndarray, info: Any):
        self.r, self.u, self.x = r, u, x
        self.status = text(lib.asp_status_name(info.status))
        self.solved: bool = info.status == lib.ASP_STATUS_SOLVED
        self.method = text(lib.asp_method_name(info.method))
        self.path = text(info.path)
        self.iterations: int = info.iterations
        self.residuals: dict[str, float] = plain(info.residual)
        self.time: float = info.time
        self.setup_time: float = info.setup_time

    @property
    def residual(self) -> float:
        """E2 of r, recomputed by the judge; does not depend on units."""
        return self.residuals["E2"]

    def __repr__(self) -> str:
        return f"<{self.status} by {self.path or self.method}: E2 = {self.residual:.2g}, {self.iterations} iterations, {self.time:.3g} s>"


class ContactProblem:
    """A contact problem in global form (M, H, f, w) or local form (W, q).

    mu: coefficients of friction, one for each contact: all blocks are exact Coulomb contacts. laws: a Law for each block,
    instead. Matrices are numpy arrays, scipy's sparse ones or Columns; numbers are copied. w is zero where it is not given.
    """

    def __init__(
        self,
        *,
        M: Any = None,
        H: Any = None,
        f: Any = None,
        w: Any = None,
        W: Any = None,
        q: Any = None,
        mu: Any = None,
        laws: Sequence[Law] | None = None,
        dimension: int = 3,
    ):
        if dimension not in (2, 3):
            raise ArgumentError(f"dimension: {dimension} is neither 2 nor 3")
        if (mu is None) == (laws is None):
            raise ArgumentError("give mu (one for each contact) or laws (one for each block)")
        if mu is not None:
            laws = [Law("coulomb", mu=float(value)) for value in numbers("mu", np.atleast_1d(mu), (None,))]
        assert laws is not None
        for i, law in enumerate(laws):
            if not isinstance(law, Law):
                raise ArgumentError(f"laws[{i}]: {type(law).__name__} is not an asperity.Law")
            _choice(f"laws[{i}].kind", law.kind, _KINDS)
        offset = np.append(0, np.cumsum([law._rows(dimension, i) for i, law in enumerate(laws)]))
        rows = whole("rows of all laws", int(offset[-1]), 0, INT_MOST)
        local = W is not None
        if local == (M is not None) or (local and (q is None or H is not None)) or (not local and (H is None or f is None)):
            raise ArgumentError("give either W and q (local form) or M, H and f (global form)")
        self._make(dimension, laws, offset.astype(np.intc), (W, q) if local else None, None if local else (M, H, f, w), rows)

    def _begin(self) -> None:
        self._context = Context()
        self._c = ffi.new("AspContactProblem *")
        self.blocks = np.empty(0, BLOCK)
        """What the blocks of a world's problem are: dtype BLOCK; empty for other problems."""
        self.approaching = 0
        """Of a world's problem at acceleration level: closed contacts that approach; for them an impulse comes first."""
        self._ask_E1 = False

    def _make(self, dimension: int, laws: Sequence[Law], offset: np.ndarray, local: Any, wide: Any, rows: int) -> None:
        self._begin()
        context, c = self._context, self._c
        if local:
            W, q = _columns("W", local[0], (rows, rows)), numbers("q", local[1], (rows,))
            sizes = (0, 0, 0, W[2].size)
        else:
            M = _columns("M", wide[0], (None, None))
            dofs = M[3][0]
            if M[3][0] != M[3][1]:
                raise ArgumentError(f"M: shape {M[3]} does not fit; it must be square")
            H, f = _columns("H", wide[1], (dofs, rows)), numbers("f", wide[2], (dofs,))
            w = np.zeros(rows) if wide[3] is None else numbers("w", wide[3], (rows,))
            sizes = (dofs, M[2].size, H[2].size, 0)
        context.check(lib.asp_problem_create(context.pointer, dimension, len(laws), rows, *sizes, c))
        ffi.memmove(c.offset, offset, offset.nbytes)
        for i, law in enumerate(laws):
            law._write(c.law[i], i)
        if local:
            _fill(c.W, W)
            ffi.memmove(c.q, q, q.nbytes)
        else:
            _fill(c.M, M)
            _fill(c.H, H)
            ffi.memmove(c.f, f, f.nbytes)
            ffi.memmove(c.w, w, w.nbytes)
        context.check(lib.asp_problem_validate(context.pointer, c))

    @classmethod
    def _copy(cls, source: Any) -> ContactProblem:
        self = object.__new__(cls)
        self._begin()
        self._context.check(lib.asp_problem_copy(self._context.pointer, source, self._c))
        return self

    @classmethod
    def from_fclib(cls, path: str | os.PathLike[str]) -> ContactProblem:
        """From an FCLIB file (HDF5), local or global. solve() then asks for E1, too, as the program does."""
        self = object.__new__(cls)
        self._begin()
        context = self._context
        context.check(lib.asp_fclib_read(context.pointer, file_name(path), ffi.NULL, self._c, ffi.NULL))
        self._ask_E1 = True
        return self

    def write_fclib(self, path: str | os.PathLike[str], solution: Solution | None = None) -> None:
        """Write an FCLIB file, with a solution where one is given."""
        context = Context()
        extra = ffi.new("AspFclibExtra *")
        if solution is not None:
            if not isinstance(solution, Solution):
                raise ArgumentError(f"solution: {type(solution).__name__} is not an asperity.Solution")
            r, u = numbers("solution.r", solution.r, (self.rows,)), numbers("solution.u", solution.u, (self.rows,))
            x = numbers("solution.x", solution.x, (self.dofs,))
            extra.solution.r, extra.solution.u = doubles(r), doubles(u)
            extra.solution.x = doubles(x) if x.size else ffi.NULL
        context.check(lib.asp_fclib_write(context.pointer, file_name(path), self._c, extra))

    def __del__(self) -> None:
        if getattr(self, "_c", None) is not None:
            lib.asp_problem_destroy(self._context.pointer, self._c)

    def __reduce__(self) -> Any:
        """Copied and pickled by its numbers: for processes."""
        laws, dimension = self.laws, self.dimension
        if self.dofs:
            given: dict[str, Any] = {"M": self.sparse("M"), "H": self.sparse("H"), "f": self.f, "w": self.w}
        else:
            given = {"W": self.sparse("W"), "q": self.q}
        kept = self.blocks, self.approaching, self._ask_E1, bool(self.dofs and self._c.W.columns)
        return _again, ({**given, "laws": laws, "dimension": dimension}, *kept)

    # ---- reading ----

    dimension: int = property(lambda self: self._c.dimension, doc="2 or 3")  # type: ignore[assignment]
    rows: int = property(lambda self: self._c.rows, doc="size of r and u")  # type: ignore[assignment]
    dofs: int = property(lambda self: self._c.dofs, doc="size of x; 0: local form")  # type: ignore[assignment]

    @property
    def laws(self) -> list[Law]:
        """One for each block."""
        c, out = self._c, []
        for i in range(c.blocks):
            law = c.law[i]
            out.append(
                Law(_KINDS[law.kind], c.offset[i + 1] - c.offset[i], law.mu, law.limit, (law.direction[0], law.direction[1]),
                    _CONES[law.cone], law.directions, law.angle)
            )
        return out

    @property
    def offsets(self) -> np.ndarray:
        """Block i has the rows offsets[i] to offsets[i + 1] - 1."""
        return np.frombuffer(ffi.buffer(self._c.offset, 4 * (self._c.blocks + 1)), np.intc).copy()

    def sparse(self, name: str) -> Columns:
        """M, H or W as Columns (data, indices, indptr, shape): scipy.sparse.csc_matrix((data, indices, indptr), shape)."""
        c = getattr(self._c, name) if name in ("M", "H", "W") else None
        if c is None:
            raise ArgumentError(f"{name!r} is no matrix of a problem; use 'M', 'H' or 'W'")
        start = np.frombuffer(ffi.buffer(c.start, 4 * (c.columns + 1)), np.intc).copy() if c.start else np.zeros(1, np.intc)
        count = int(start[-1])
        row = np.frombuffer(ffi.buffer(c.row, 4 * count), np.intc).copy() if count else np.empty(0, np.intc)
        return Columns(_vector(c.value, count), row, start, (c.rows, c.columns))

    def _dense(self, name: str) -> np.ndarray:
        value, row, start, shape = self.sparse(name)
        out = np.zeros(shape)
        out[row, np.repeat(np.arange(shape[1]), np.diff(start))] = value
        return out

    M: np.ndarray = property(lambda self: self._dense("M"), doc="dofs x dofs, dense")  # type: ignore[assignment]
    H: np.ndarray = property(lambda self: self._dense("H"), doc="dofs x rows, dense")  # type: ignore[assignment]
    W: np.ndarray = property(lambda self: self._dense("W"), doc="rows x rows, dense; empty until given or reduce() made it")  # type: ignore[assignment]
    f: np.ndarray = property(lambda self: _vector(self._c.f, self._c.dofs), doc="dofs")  # type: ignore[assignment]
    w: np.ndarray = property(lambda self: _vector(self._c.w, self._c.rows if self._c.dofs else 0), doc="rows")  # type: ignore[assignment]
    q: np.ndarray = property(lambda self: _vector(self._c.q, self._c.rows if self._c.W.columns else 0), doc="rows; local form")  # type: ignore[assignment]

    def reduce(self) -> None:
        """Make the local form from the global one: W = H^T M^-1 H, q = H^T M^-1 f + w."""
        self._context.watch()
        self._context.check(lib.asp_problem_reduce(self._context.pointer, self._c))

    def __repr__(self) -> str:
        return f"<contact problem: {self._c.blocks} blocks, {self.rows} rows, {self.dofs} dofs>"

    # ---- solving ----

    def solve(
        self,
        method: str = "auto",
        tolerance: float = 1e-8,
        *,
        start: Any = None,
        ask_E1: bool | None = None,
        tolerance_contact: float = 0.0,
        max_iterations: int = 0,
        max_time: float = 0.0,
        threads: int = 1,
        polish: bool = False,
        minimum_norm: bool = False,
        callback: Progress | None = None,
    ) -> Solution:
        """Solve by a method of asperity.methods(). Not reaching the tolerance is no error: look at Solution.solved.

        tolerance: on E2. ask_E1: E1 must meet it, too (default: for problems from FCLIB files). start: r to start from.
        max_time: s, 0: no limit. callback(iteration, method, residual): whenever the method measures how
        far it is: after every outer iteration (ipm, newton, aclm, lemke), every few (admm, pgs), or when little changes any more (nsgs). An
        exception in it ends the solve and is raised again. Several threads may solve one problem at the same time.
        """
        if callback is not None and not callable(callback):
            raise ArgumentError(f"callback: {type(callback).__name__} is not a function of an iteration, a method and a residual")
        context = Context()
        options = ffi.new("AspSolverOptions *", lib.asp_solver_default_options())
        options.method = _choice("method", method, _METHODS)
        options.tolerance, options.tolerance_contact = number("tolerance", tolerance), number("tolerance_contact", tolerance_contact)
        options.ask_E1 = self._ask_E1 if ask_E1 is None else ask_E1
        options.max_iterations = whole("max_iterations", max_iterations, 0, INT_MOST)
        options.max_time, options.threads = number("max_time", max_time, "s"), whole("threads", threads, 1, INT_MOST)
        options.polish, options.minimum_norm = polish, minimum_norm
        caller = _Caller(callback, context.guard)
        handle = ffi.new_handle(caller)
        if callback is not None:
            options.progress, options.progress_user = lib.aspy_python_progress, handle
        c = self._c
        r = np.zeros(c.rows) if start is None else numbers("start", start, (c.rows,)).copy()
        u, x = np.zeros(c.rows), np.zeros(c.dofs)
        info, solver = ffi.new("AspSolverInfo *"), ffi.new("AspSolver **")
        context.watch()
        context.check(lib.asp_solver_create(context.pointer, options, solver))
        try:
            code = lib.asp_solver_solve(solver[0], c, doubles(r), doubles(u), doubles(x) if c.dofs else ffi.NULL, info)
            context.check(code)
        finally:
            lib.asp_solver_destroy(solver[0])
        return Solution(r, u, x, info)

    def judge(self, r: Any) -> dict[str, float]:
        """How well r solves the problem, recomputed from r alone: E1, E2, E3, exact, contact, worst_block, ..."""
        context = Context()
        judge, residual = ffi.new("AspJudge **"), ffi.new("AspResidual *")
        array = numbers("r", r, (self.rows,))
        context.check(lib.asp_judge_create(context.pointer, judge))
        try:
            context.check(lib.asp_judge_reset(judge[0], self._c))
            context.check(lib.asp_judge_residual(judge[0], doubles(array), residual, ffi.NULL, ffi.NULL))
        finally:
            lib.asp_judge_destroy(judge[0])
        return plain(residual)


class _Caller:
    def __init__(self, call: Progress | None, guard: Any):
        self.call, self.guard = call, guard


def _again(given: dict[str, Any], blocks: np.ndarray, approaching: int, ask_E1: bool, reduced: bool) -> ContactProblem:
    """For pickle and copy."""
    self = ContactProblem(**given)
    self.blocks, self.approaching, self._ask_E1 = blocks, approaching, ask_E1
    if reduced:
        self.reduce()
    return self


def world_problem(native: Any) -> ContactProblem:
    """A ContactProblem from an AspLevelProblem; copies."""
    self = ContactProblem._copy(ffi.addressof(native, "problem"))
    self.blocks = records(native.block, native.problem.blocks, BLOCK)
    self.approaching = native.approaching
    return self


def solve_lcp(M: Any, q: Any, method: str = "lemke", start: Any = None, tolerance: float = 1e-10) -> tuple[np.ndarray, str, float]:
    """0 <= M z + q, z >= 0, z.(M z + q) = 0. method: lemke or pgs. Returns z, the status and the residual, recomputed."""
    context = Context()
    matrix = numbers("M", M, (None, None))
    n = matrix.shape[0]
    numbers("M", matrix, (n, n))
    columns, load = np.asfortranarray(matrix), numbers("q", q, (n,))
    lcp = ffi.new("AspLcp *", {"n": n, "M": doubles(columns), "q": doubles(load)})
    options = ffi.new("AspLcpOptions *", lib.asp_lcp_default_options())
    options.tolerance = number("tolerance", tolerance)
    info, z = ffi.new("AspLcpInfo *"), np.zeros(n) if start is None else numbers("start", start, (n,)).copy()
    context.watch()
    if _choice("method", method, ("lemke", "pgs")) == 0:
        code = lib.asp_lcp_lemke(context.pointer, lcp, options, doubles(z), ffi.NULL, info)
    else:
        code = lib.asp_lcp_gauss_seidel(context.pointer, lcp, options, doubles(z), info)
    context.check(code)
    return z, text(lib.asp_status_name(info.status)), info.residual

"""Mechanics of a world's present state: mass matrix, Jacobians, forward and inverse dynamics.

The library's velocities x are those of all bodies (6 per body, in the plane 3; beams' behind), held together by joints:

    M x' = f + H r        r: forces of joints, motors, contacts;  f: gravity, springs, applied forces, gyroscopic terms

So M is block-diagonal. Fewer velocities y with x = N y, that all joints allow, are minimal coordinates; theirs is N^T M N.

All of it is computed on a second world that takes over the state: the world asked is left as it is, bit for bit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ._core import Context, exclusive, numbers, vec3
from ._native import ffi, lib
from .problem import ContactProblem, Solution, _choice, world_problem

_LEVELS = ("acceleration", "impulse", "step", "static")


@dataclass
class ForwardDynamics:
    """Accelerations that the model's forces, joints and contacts give.

    acceleration: of all bodies as in World.v (m/s^2, rad/s^2); x: of the dofs; solution: reactions r (N, N m) with their
    certificate; problem: its blocks say what each r is. approaching > 0: that many closed contacts approach, so that an
    impulse comes first and these accelerations are not the motion's.
    """

    acceleration: np.ndarray
    x: np.ndarray
    solution: Solution
    problem: ContactProblem
    approaching: int


@dataclass
class InverseDynamics:
    """Forces for given accelerations, without contacts. force: on the dofs beside the model's own (N, N m), M x' - f;
    effort: the part along each joint's coordinate (N or N m; nan: no coordinate); remainder: what joints cannot give."""

    force: np.ndarray
    effort: np.ndarray
    remainder: np.ndarray


class _Probe:
    """A second world of the same model and options."""

    def __init__(self, scene: Any, options: Any):
        self.scene, self.context = scene, Context()
        self.out = ffi.new("AspWorld **")
        self.context.watch()
        self.context.check(lib.asp_world_create(self.context.pointer, scene.pointer.model, options, self.out))

    def __del__(self) -> None:
        if getattr(self, "out", None) is not None:
            lib.asp_world_destroy(self.out[0])


class Dynamics:
    """What World has of this. Mixed into World."""

    _core: Any
    _options: Any
    _filters: dict[tuple[int, int], bool]
    _probe: _Probe | None = None
    model: Any

    def _push(self) -> Any:
        raise NotImplementedError

    @exclusive
    def problem(self, level: str = "acceleration") -> ContactProblem:
        """The contact problem of the present state: forces and accelerations now ("acceleration"), impulses and the
        velocities after them ("impulse"), the scheme's next step ("step"), or forces as if nothing moved ("static").
        Contacts count as closed up to 1e-6 of the largest body."""
        number = _choice("level", level, _LEVELS)
        native = self._push()
        if self._probe is None:
            self._probe = _Probe(self._core.scene, self._options)
        probe = self._probe
        context, world = probe.context, probe.out[0]
        context.watch()
        for (a, b), touch in self._filters.items():
            context.check(lib.asp_world_set_contact(world, a, b, touch))
        context.check(lib.asp_world_set_state(world, lib.asp_world_state(native.world)))
        found = ffi.new("AspLevelProblem *")
        context.check(lib.asp_world_problem_at(world, number, found))
        try:
            return world_problem(found)
        finally:
            lib.asp_level_problem_destroy(context.pointer, found)

    @property
    @exclusive
    def x(self) -> np.ndarray:
        """Velocities of the dofs: those of World.v without fixed and kinematic bodies and stations; a copy."""
        self._push()
        out = np.zeros(self.model.dofs)
        v = self._core.native.v
        lib.asp_state_gather(self.model._model, v, ffi.cast("double *", out.ctypes.data))
        return out

    @exclusive
    def mass_matrix(self, minimal: bool = False) -> np.ndarray:
        """dofs x dofs in kg and kg m^2; minimal: in the coordinates of minimal_coordinates()."""
        M = self.problem("acceleration").M
        if not minimal:
            return M
        _, N = self.minimal_coordinates()
        return N.T @ M @ N

    # ---- Jacobians ----

    def _body_rows(self, body: int, rows: np.ndarray) -> np.ndarray:
        """Rows over a body's velocity (n x 6, in the plane n x 3) as rows over the dofs."""
        model, out = self.model._model, np.zeros((rows.shape[0], self.model.dofs))
        dof = lib.asp_model_body_dof(model, body)
        if dof >= 0:
            out[:, dof : dof + rows.shape[1]] = rows
        elif lib.asp_model_station_beam(model, body, ffi.NULL) >= 0:
            station = ffi.new("AspStationMap *")
            lib.asp_station_map(model, lib.asp_world_state(self._core.native.world), body, station)
            size, count = rows.shape[1], station.count
            T = np.array(ffi.unpack(station.T, size * count)).reshape(count, size).T
            out[:, station.dof : station.dof + count] = rows @ T
        return out

    @exclusive
    def jacobian(self, body: int | str, point: Any = None) -> np.ndarray:
        """6 x dofs (in the plane 3 x dofs): velocity of a point of the body (world, m; None: centre of mass) and angular
        velocity, J x. A wrench there is J^T wrench on the dofs."""
        index = self.model.body_index(body)
        native = self._push()
        plane = self.model.dimension == 2
        rows = np.eye(3 if plane else 6)
        if point is not None:
            at = vec3("point", point, self.model.dimension, "m")
            x = lib.asp_state_pose(self.model._model, lib.asp_world_state(native.world), index).position
            a = np.array([at.x - x.x, at.y - x.y, at.z - x.z])
            if plane:
                rows[:2, 2] = -a[1], a[0]
            else:
                rows[:3, 3:] = [[0, a[2], -a[1]], [-a[2], 0, a[0]], [a[1], -a[0], 0]]
        return self._body_rows(index, rows)

    def _row(self, row: Any) -> np.ndarray:
        size = 3 if self.model.dimension == 2 else 6
        sides = ((row.body_a, row.ja), (row.body_b, row.jb))
        parts = [self._body_rows(body, np.array([ffi.unpack(j, size)])) for body, j in sides]
        return parts[0] + parts[1]

    @exclusive
    def joint_jacobian(self, joint: int | str) -> np.ndarray:
        """Rows x dofs: what the joint holds at zero, J x (docs/reference/joints.md lists the rows)."""
        index = self.model.joint_index(joint)
        state = lib.asp_world_state(self._push().world)
        rows = ffi.new("AspRow[]", 6)
        count = lib.asp_joint_rows(self.model._model, state, index, rows)
        return np.vstack([self._row(rows[i]) for i in range(count)]) if count else np.zeros((0, self.model.dofs))

    @exclusive
    def coordinate_jacobian(self, joint: int | str) -> np.ndarray | None:
        """The row of a joint with one coordinate: its rate is J x. None: the joint has none."""
        index = self.model.joint_index(joint)
        state = lib.asp_world_state(self._push().world)
        row = ffi.new("AspRow *")
        if not lib.asp_joint_coordinate(self.model._model, state, index, row):
            return None
        return self._row(row[0]).ravel()

    @exclusive
    def constraint_jacobian(self) -> np.ndarray:
        """The rows of all joints, one below the other: rows x dofs."""
        parts = [self.joint_jacobian(i) for i in range(len(self.model.joints))]
        return np.vstack(parts) if parts else np.zeros((0, self.model.dofs))

    @exclusive
    def minimal_coordinates(self) -> tuple[list[str], np.ndarray]:
        """Names and the matrix N, dofs x n, of velocities y with x = N y that all joints allow: rates of the joints'
        coordinates as far as they are independent, then velocities of bodies ("body.vx") as far as these are still free."""
        J = self.constraint_jacobian()
        Z = _null_space(J, self.model.dofs)
        names, chosen = [], np.zeros((0, Z.shape[1]))
        for name, row in self._candidates():
            more = np.vstack((chosen, row @ Z))
            if np.linalg.matrix_rank(more, tol=1e-8 * max(1.0, float(np.abs(more).max(initial=0)))) == len(more):
                names.append(name)
                chosen = more
            if len(names) == Z.shape[1]:
                break
        return names, Z @ np.linalg.inv(chosen) if names else np.zeros((self.model.dofs, 0))

    def _candidates(self) -> Any:
        for name in self.model.joints:
            row = self.coordinate_jacobian(name)
            if row is not None:
                yield name, row
        letters = ("vx", "vy", "w") if self.model.dimension == 2 else ("vx", "vy", "vz", "wx", "wy", "wz")
        unit = np.eye(self.model.dofs)
        taken = 0
        for index, body in enumerate(self.model.bodies):
            dof = lib.asp_model_body_dof(self.model._model, index)
            for i, letter in enumerate(letters if dof >= 0 else ()):
                taken = max(taken, dof + i + 1)
                yield f"{body}.{letter}", unit[dof + i]
        for i in range(taken, self.model.dofs):
            yield f"dof{i}", unit[i]

    # ---- dynamics ----

    @exclusive
    def forward_dynamics(self, tolerance: float = 1e-10) -> ForwardDynamics:
        """Accelerations and reactions now, contacts with exact friction included. Where several solutions exist it is the
        one that the solver finds: asperity.analyze lists all."""
        problem = self.problem("acceleration")
        solution = problem.solve(tolerance=tolerance)
        native = self._core.native
        x = solution.x if problem.rows else np.linalg.solve(problem.M, problem.f)
        out = np.zeros(native.v_size)
        pointers = [ffi.cast("double *", array.ctypes.data) for array in (x, out)]
        lib.asp_state_spread(self.model._model, lib.asp_world_state(native.world), *pointers)
        return ForwardDynamics(out, x, solution, problem, problem.approaching)

    @exclusive
    def inverse_dynamics(self, acceleration: Any) -> InverseDynamics:
        """Forces that give the dofs these accelerations (m/s^2, rad/s^2; in minimal coordinates: N @ y')."""
        problem = self.problem("acceleration")
        wanted = numbers("acceleration", acceleration, (self.model.dofs,), "m/s^2, rad/s^2")
        force = problem.M @ wanted - problem.f
        rows = [self.coordinate_jacobian(i) for i in range(len(self.model.joints))]
        effort = np.full(len(rows), np.nan)
        has = [i for i, row in enumerate(rows) if row is not None]
        J = self.constraint_jacobian()
        A = np.vstack([J, *(row for row in rows if row is not None)]).T
        found = np.linalg.lstsq(A, force, rcond=None)[0] if A.shape[1] else np.zeros(0)
        effort[has] = found[J.shape[0] :]
        return InverseDynamics(force, effort, force - A @ found)


def _null_space(J: np.ndarray, size: int) -> np.ndarray:
    if not J.shape[0]:
        return np.eye(size)
    _, s, V = np.linalg.svd(J)
    rank = int((s > 1e-10 * max(s.max(initial=0), 1e-300)).sum())
    return V[rank:].T

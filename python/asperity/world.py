"""Worlds: a model in motion, step by step, each step with its certificate."""

from __future__ import annotations

import os
import threading
import weakref
from typing import Any, Callable

import numpy as np

from . import _callbacks  # noqa: F401  (the functions that the library calls)
from ._core import Context, dtype_of, encoded, exclusive, file_name, number, numbers, pending, plain, records, text, vec3, view, whole
from ._native import ffi, lib
from .dynamics import Dynamics
from .errors import ArgumentError, BusyError, ClosedError
from .model import Model
from .options import read_options, set_options

CONTACT = dtype_of("AspContactRecord")
"""Of World.contacts. body_a, body_b, shape_a, shape_b: model indices; point (world, m); normal, t1, t2; gap (m); slip
(u_N, u_T1, u_T2, m/s); impulse (same frame, N s); force on body B (world, N, mean of the step); instant_force; moment; torque_a, torque_b (about the centres of mass, N m); mu;
mode (0 open, 1 stick, 2 slide)."""
JOINT = dtype_of("AspJointRecord")
"""Of World.joints. coordinate (m or rad), rate; force (N), torque (N m) on body B, world axes; friction, motor, limit:
along the coordinate; drift."""
EVENT = dtype_of("AspEvent")
CONTACT_MODES = ("open", "stick", "slide")


class StepInfo:
    """What a step did and how well: a copy, attributes are those of AspStepInfo."""

    __slots__ = ("_c",)

    def __init__(self, c: Any):
        self._c = c

    step: int = property(lambda self: self._c.step, doc="1 for the first")  # type: ignore[assignment]
    time: float = property(lambda self: self._c.t, doc="reached, s")  # type: ignore[assignment]
    dt: float = property(lambda self: self._c.dt, doc="taken, s; a part of the asked one where the step was halved")  # type: ignore[assignment]
    certified: bool = property(lambda self: self._c.certified, doc="the laws of contact are met within the tolerance")  # type: ignore[assignment]
    resolved: bool = property(lambda self: self._c.resolved, doc="no measure of resolution exceeds its threshold")  # type: ignore[assignment]
    residual: float = property(lambda self: self._c.residual.E2, doc="E2 of the law that scheme and friction model claim")  # type: ignore[assignment]
    residuals: dict[str, float] = property(lambda self: plain(self._c.residual), doc="all of them: E1, E2, E3, exact, contact, ...")  # type: ignore[assignment]
    status: str = property(lambda self: text(lib.asp_status_name(self._c.status)), doc="of the solver")  # type: ignore[assignment]
    method: str = property(lambda self: text(lib.asp_method_name(self._c.method)), doc="that gave the answer")  # type: ignore[assignment]
    iterations: int = property(lambda self: self._c.iterations, doc="of the solver")  # type: ignore[assignment]
    attempts: int = property(lambda self: self._c.attempts, doc="solves it took")  # type: ignore[assignment]
    contacts: int = property(lambda self: self._c.contacts, doc="contacts in the problem")  # type: ignore[assignment]
    penetration: float = property(lambda self: self._c.penetration, doc="largest overlap at the start of the step, m")  # type: ignore[assignment]
    joint_drift: float = property(lambda self: self._c.joint_drift, doc="largest error of the joints, m or rad")  # type: ignore[assignment]
    energy: dict[str, float] = property(lambda self: plain(self._c.energy), doc="kinetic, gravitational, elastic; J")  # type: ignore[assignment]
    flow: dict[str, float] = property(lambda self: plain(self._c.flow), doc="where energy went in the step, J")  # type: ignore[assignment]
    momentum: dict[str, np.ndarray] = property(lambda self: plain(self._c.momentum), doc="kg m/s, kg m^2/s")  # type: ignore[assignment]
    times: dict[str, float] = property(lambda self: plain(self._c.times), doc="wall clock of the parts of the step, s")  # type: ignore[assignment]
    alternatives: int = property(lambda self: self._c.alternatives, doc="solutions of the step's problem as far as known; 0: not decided")  # type: ignore[assignment]

    def __reduce__(self) -> Any:
        return _step_info, (bytes(ffi.buffer(self._c)),)

    @property
    def measures(self) -> dict[str, float]:
        """Of resolution, by name; nan: does not apply."""
        return {text(lib.asp_measure_name(i)): self._c.measure[i] for i in range(lib.ASP_MEASURE_COUNT)}

    def __repr__(self) -> str:
        word = ("certified" if self.certified else "NOT certified") + (", resolved" if self.resolved else ", NOT resolved")
        return f"<step {self.step} to t = {self.time:.6g} s: {word}, residual {self.residual:.2g}, {self.contacts} contacts>"


def _step_info(data: bytes) -> StepInfo:
    """For pickle and copy."""
    c = ffi.new("AspStepInfo *")
    ffi.buffer(c)[:] = data
    return StepInfo(c)


class Run:
    """What World.run did: steps, uncertified, unresolved and retried ones; the largest residual (E2), penetration (m),
    joint_drift (m or rad) and number of contacts; time (s); stop_reason; states (rows: time, q, v) where recorded; summary: all that
    is counted over the steps, energy_initial, energy_final and flow (J) among it."""

    def __init__(self, c: Any, world: World, trajectory: list[np.ndarray] | None):
        total = c.summary
        self.steps: int = c.steps
        self.uncertified: int = total.steps_uncertified
        self.unresolved: int = total.steps_unresolved
        self.retried: int = total.steps_retried
        self.residual: float = total.residual_max
        self.penetration: float = total.penetration_max
        self.joint_drift: float = total.joint_drift_max
        self.contacts: int = total.contacts_max
        self.summary: dict[str, Any] = plain(total)
        self.time: float = world.time
        self.stop_reason: str | None = world.stop_reason if c.stopped else None
        self.states: np.ndarray | None = None if trajectory is None else np.array(trajectory)

    @property
    def certified(self) -> bool:
        """Every step was."""
        return self.uncertified == 0

    @property
    def resolved(self) -> bool:
        """Every step was."""
        return self.unresolved == 0

    def __repr__(self) -> str:
        return (
            f"<run of {self.steps} steps to t = {self.time:.6g} s: {self.uncertified} not certified, "
            f"{self.unresolved} not resolved, residual at most {self.residual:.2g}>"
        )


class Body:
    """One body of a world, by views into World.q and World.v: writing moves the body with the next step."""

    def __init__(self, world: World, index: int):
        self._world = world
        self.index = index
        self.name = world.model.bodies[index]

    def _part(self, array: np.ndarray, size: int, low: int, high: int) -> np.ndarray:
        return array[self.index * size + low : self.index * size + high]

    @property
    def position(self) -> np.ndarray:
        """Of the centre of mass, m: a view."""
        plane = self._world.model.dimension == 2
        return self._part(self._world.q, 3 if plane else 7, 0, 2 if plane else 3)

    @property
    def orientation(self) -> np.ndarray:
        """Unit quaternion w x y z, in the plane one angle in rad: a view."""
        plane = self._world.model.dimension == 2
        return self._part(self._world.q, 3 if plane else 7, 2 if plane else 3, 3 if plane else 7)

    @property
    def velocity(self) -> np.ndarray:
        """Of the centre of mass, m/s: a view."""
        plane = self._world.model.dimension == 2
        return self._part(self._world.v, 3 if plane else 6, 0, 2 if plane else 3)

    @property
    def angular_velocity(self) -> np.ndarray:
        """World axes, rad/s, in the plane one number: a view."""
        plane = self._world.model.dimension == 2
        return self._part(self._world.v, 3 if plane else 6, 2 if plane else 3, 3 if plane else 6)

    @property
    def contact_wrench(self) -> np.ndarray:
        """Force (N) and torque about the centre of mass (N m) of all contacts of the last step, world axes: 6 numbers."""
        return self._world.contact_wrenches[self.index]

    def apply_wrench(self, force: Any = (0, 0, 0), torque: Any = (0, 0, 0), point: Any = None) -> None:
        """World.apply_wrench on this body."""
        self._world.apply_wrench(self.index, force, torque, point)

    def __repr__(self) -> str:
        return f"<body '{self.name}' at {np.array2string(self.position, precision=6)} m>"


class Joint:
    """One joint of a world: coordinate, rate and forces as of the last step or change."""

    def __init__(self, world: World, index: int):
        self._world = world
        self.index = index
        self.name = world.model.joints[index]

    def _record(self, field: str) -> Any:
        value = self._world.joints[field][self.index]
        return value if isinstance(value, np.ndarray) else float(value)

    coordinate: float = property(lambda self: self._record("coordinate"), doc="of a joint with one, rad or m; counts full turns")  # type: ignore[assignment]
    rate: float = property(lambda self: self._record("rate"), doc="of the coordinate, rad/s or m/s")  # type: ignore[assignment]
    force: np.ndarray = property(lambda self: self._record("force"), doc="of the constraint on body B, world axes, N")  # type: ignore[assignment]
    torque: np.ndarray = property(lambda self: self._record("torque"), doc="the same, N m")  # type: ignore[assignment]
    motor: float = property(lambda self: self._record("motor"), doc="effort of the motor along the coordinate, N or N m")  # type: ignore[assignment]
    friction: float = property(lambda self: self._record("friction"), doc="dry friction along the coordinate, N or N m")  # type: ignore[assignment]
    limit: float = property(lambda self: self._record("limit"), doc="force of the limits along the coordinate, N or N m")  # type: ignore[assignment]

    def set(self, value: float, rate: float = 0.0) -> None:
        """Set coordinate and rate; bodies behind the joint move with it, loops are closed."""
        self._world.set_joint(self.index, value, rate)

    def __repr__(self) -> str:
        return f"<joint '{self.name}'>"


class _Link:
    """What a cffi handle of a world leads to."""

    def __init__(self, world: World):
        self.world = weakref.ref(world)


class _Core:
    """The native world with what it borrows; numpy's views keep it alive."""

    def __init__(self, scene: Any):
        self.scene = scene
        self.context = Context()
        self.native = ffi.new("AspyWorld *")

    def __del__(self) -> None:
        if getattr(self, "native", None) is not None and self.native.q:
            lib.aspy_world_release(self.native)


Callback = Callable[["World"], None]


class World(Dynamics):
    """A model in motion, at first in the state that the scene describes.

    World(model, dt=1e-3, scheme="event-driven", ...): options in place of the scene's, by the keys of scenes ("_" for
    "."); asperity.option_names() lists them. A world is used by one thread at a time; different worlds of one model may
    step in different threads at once, since steps release Python's lock.

    q, v and inputs are views that stay current from step to step. Writing into them changes the world with the next
    call: what is not finite or not a rotation is refused by name (ValueError), and the state is left as it was. Arrays
    of contacts, joints and wrenches are copies.
    """

    def __init__(self, model: Model, **options: Any):
        if not isinstance(model, Model):
            raise ArgumentError(f"model: {type(model).__name__} is not an asperity.Model")
        scene = model._native()
        core = _Core(model._scene)
        self._core: _Core | None = core
        self._busy: int | None = None
        self._lock = threading.RLock()
        self._model = model._share()  # closing the caller's model leaves the world whole
        self._options = ffi.new("AspRunOptions *", scene.run)
        self._initial: bytes | None = None
        self._before: Callback | None = None
        self._after: Callback | None = None
        self._filters: dict[tuple[int, int], bool] = {}
        set_options(core.context, self._options, options)
        self._create(core)
        self._link = _Link(self)
        self._handle = ffi.new_handle(self._link)
        core.native.handle = self._handle
        native = core.native
        self._q = view(core, native.q, native.q_size)
        self._v = view(core, native.v, native.v_size)
        self._inputs = view(core, native.input, native.inputs)

    def _create(self, core: _Core) -> None:
        out = ffi.new("AspWorld **")
        context = core.context
        context.watch()
        context.check(lib.asp_world_create(context.pointer, core.scene.pointer.model, self._options, out))
        scene = core.scene.pointer
        for i in range(scene.warnings.count):
            lib.asp_world_add_warning(out[0], scene.warnings.line[i])
        if core.native.world:
            lib.asp_world_destroy(core.native.world)
            core.native.world = ffi.NULL
        code = lib.aspy_world_attach(core.native, out[0], context.pointer)
        if code != lib.ASP_OK:
            lib.asp_world_destroy(out[0])
            raise MemoryError("asperity: no memory for a world")

    # ---- the native side ----

    def _use(self) -> Any:
        """The native world, for calls that read or change it."""
        core = self._core
        if core is None:
            raise ClosedError("this world was closed")
        if self._busy is not None and self._busy != threading.get_ident():
            raise BusyError("another thread is stepping this world; a world is used by one thread at a time")
        return core.native

    def _start(self) -> Any:
        """The same for calls that step, which no callback may make."""
        native = self._use()
        if self._busy is not None:
            raise BusyError("a callback must not step, reset or restore the world that called it")
        return native

    def _check(self, code: int) -> None:
        if code == lib.ASP_OK and getattr(pending, "error", None) is None:
            return
        core = self._core
        assert core is not None
        native = core.native
        message = text(native.message)
        native.message = b""
        lib.aspy_guard_watch(ffi.addressof(native, "guard"), core.context.pointer)
        core.context.check(code, message=message)

    def _push(self) -> Any:
        """What was written into q, v and inputs reaches the world."""
        native = self._use()
        self._check(lib.aspy_world_push(native))
        return native

    def _change(self, code: int) -> None:
        """After a call that changed the world."""
        lib.aspy_world_pull(self._use())
        self._check(code)

    @exclusive
    def close(self) -> None:
        """End the world: using it afterwards raises ClosedError. Arrays taken from it stay readable."""
        if self._busy is not None:
            raise BusyError("the world is being stepped and cannot be closed now")
        self._core = None
        self._q = self._v = self._inputs = np.empty(0)

    def __enter__(self) -> World:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __reduce__(self) -> Any:
        raise TypeError("a world is neither copied nor pickled: pickle world.model and world.save(), then World(model, ...).restore(saved)")

    def __repr__(self) -> str:
        if self._core is None:
            return "<asperity.World, closed>"
        if self._busy not in (None, threading.get_ident()):
            return f"<asperity.World of '{self.model.name}', stepped by another thread>"
        return f"<asperity.World of '{self.model.name}' at t = {self.time:.6g} s>"

    # ---- stepping ----

    @exclusive
    def step(self) -> StepInfo:
        """One step. Raises what a callback raised; a step that misses its tolerance is no error: see certified."""
        native = self._start()
        self._busy = threading.get_ident()
        try:
            code = lib.aspy_world_step(native)
        finally:
            self._busy = None
        if code:
            self._check(code)
        return StepInfo(ffi.new("AspStepInfo *", native.info))

    @exclusive
    def run(
        self,
        until: float | None = None,
        steps: int | None = None,
        out: str | os.PathLike[str] | None = None,
        record: int = 0,
    ) -> Run:
        """Step until the time `until` (s; default: the scene's, where `steps` is not given), for at most `steps` steps,
        or until the world is to stop. Runs without Python's lock; Ctrl-C ends it after a whole step.

        out: write a result file (HDF5), as the program does. record: keep every n-th state, the first and the last in Run.states (rows: time, q, v).
        """
        if until is None:
            until = float("inf") if steps is not None else self._options.until
        elif not np.isfinite(number("until", until, "s")):
            raise ArgumentError(f"until: {until} is not finite")
        count = 2**62 if steps is None else whole("steps", steps)
        record = whole("record", record)
        native = self._push()
        writer = self._open(out)
        summary = ffi.new("AspyRun *")
        lib.asp_run_summary_start(ffi.addressof(summary, "summary"), native.world)
        rows: list[np.ndarray] | None = [self.get_state()] if record else None
        self._start()
        self._busy = threading.get_ident()
        try:
            assert self._core is not None
            pending.error = None
            lib.aspy_guard_watch(ffi.addressof(native, "guard"), self._core.context.pointer)
            code = lib.ASP_OK
            while True:
                made = summary.steps
                block = min(count - made, record) if record else count - made
                code = lib.aspy_world_run(native, until, block, writer, summary)
                if rows is not None and summary.steps > made:
                    rows.append(np.concatenate((np.array([native.time]), self._q, self._v)))
                if code or summary.stopped or not record or summary.steps - made < block or summary.steps >= count:
                    break
        finally:
            self._busy = None
            closed = lib.asp_result_close(writer, native.world) if writer else lib.ASP_OK
        self._check(code or closed)
        return Run(summary, self, rows)

    def _open(self, out: str | os.PathLike[str] | None) -> Any:
        if out is None:
            return ffi.NULL
        core = self._core
        assert core is not None
        writer = ffi.new("AspResultWriter **")
        context = core.context
        context.check(
            lib.asp_result_create(context.pointer, file_name(out), core.scene.pointer, core.native.world, writer)
        )
        return writer[0]

    @exclusive
    def reset(self) -> None:
        """Back to the scene's initial state, as a new world: steps count from 1 again."""
        native = self._start()
        core = self._core
        assert core is not None
        if self._initial is None:
            self._create(core)
            self._initial = self.save()
        else:
            self._restore(self._initial)
        ffi.memmove(ffi.addressof(native, "info"), ffi.new("AspStepInfo *"), ffi.sizeof("AspStepInfo"))

    @property
    def before_step(self) -> Callback | None:
        """Called with the world before every step: set inputs, wrenches, state here. An exception ends the step, the
        state is that before it, and step() or run() raises it. None: no call."""
        return self._before

    @before_step.setter
    @exclusive
    def before_step(self, function: Callback | None) -> None:
        self._use().has_before = self._callable("before_step", function)
        self._before = function

    @property
    def after_step(self) -> Callback | None:
        """The same after every step, which counts whatever the function does; World.info is that of the step."""
        return self._after

    @after_step.setter
    @exclusive
    def after_step(self, function: Callback | None) -> None:
        self._use().has_after = self._callable("after_step", function)
        self._after = function

    @staticmethod
    def _callable(name: str, function: Any) -> bool:
        if function is not None and not callable(function):
            raise ArgumentError(f"{name}: {type(function).__name__} is not a function of the world")
        return function is not None

    @exclusive
    def stop(self, reason: str | None) -> None:
        """Ask run() to end, from a callback or before; None takes it back."""
        native = self._use()
        self._check(lib.asp_world_stop(native.world, ffi.NULL if reason is None else encoded("reason", reason)))

    @property
    @exclusive
    def stop_reason(self) -> str | None:
        """Why run() is to end: World.stop, or a stop condition of the scene."""
        reason = lib.asp_world_stop_reason(self._use().world)
        return text(reason) if reason else None

    # ---- the last step ----

    @property
    def info(self) -> StepInfo:
        """Of the last step; step 0 before the first."""
        return StepInfo(ffi.new("AspStepInfo *", self._use().info))

    @property
    def certified(self) -> bool:
        """The last step met the laws of contact within the tolerance; False before the first."""
        return self._use().info.certified

    @property
    def resolved(self) -> bool:
        """The last step was short enough, and met the model; False before the first."""
        return self._use().info.resolved

    @property
    def residual(self) -> float:
        """E2 of the last step, without unit."""
        return self._use().info.residual.E2

    @property
    @exclusive
    def contacts(self) -> np.ndarray:
        """Contacts of the last step: a structured array (dtype CONTACT), a copy."""
        world = self._use().world
        return records(lib.asp_world_contacts(world), lib.asp_world_contact_count(world), CONTACT)

    @property
    @exclusive
    def joints(self) -> np.ndarray:
        """Joints, in the order of Model.joints: a structured array (dtype JOINT), a copy."""
        native = self._push()
        return records(lib.asp_world_joints(native.world), native.joints, JOINT)

    @property
    @exclusive
    def contact_wrenches(self) -> np.ndarray:
        """What all contacts of the last step do to each body: bodies x 6, mean force (N) and torque about the centre of
        mass (N m), world axes; a copy."""
        native = self._use()
        totals = lib.asp_world_contact_totals(native.world)
        return np.frombuffer(ffi.buffer(ffi.cast("char *", totals), native.bodies * 48)).reshape(native.bodies, 6).copy()

    @property
    @exclusive
    def events(self) -> np.ndarray:
        """Of the event-driven scheme since the start: a structured array, a copy; event_name(kind) names them."""
        world = self._use().world
        return records(lib.asp_world_events(world), lib.asp_world_event_count(world), EVENT)

    @property
    @exclusive
    def energy(self) -> dict[str, float]:
        """Now: kinetic, gravitational, elastic; J."""
        native = self._push()
        return plain(lib.asp_model_energy(self.model._model, lib.asp_world_state(native.world)))

    @property
    @exclusive
    def resolution(self) -> dict[str, dict[str, Any]]:
        """Measures of resolution over all steps so far, by name: worst, threshold, time, steps beyond it, where."""
        world = self._use().world
        measured = lib.asp_world_resolution(world)
        place = ffi.new("char[]", 256)
        out = {}
        for i in range(lib.ASP_MEASURE_COUNT):
            entry = measured[i]
            out[text(lib.asp_measure_name(i))] = {
                "applies": entry.applies,
                "worst": entry.worst,
                "threshold": entry.threshold,
                "time": entry.t,
                "steps": entry.steps,
                "where": text(lib.asp_world_measure_place(world, i, place, 256)),
            }
        return out

    @property
    @exclusive
    def warnings(self) -> list[str]:
        """So far, each once."""
        world = self._use().world
        return [text(lib.asp_world_warning(world, i)) for i in range(lib.asp_world_warning_count(world))]

    # ---- the state ----

    @property
    def model(self) -> Model:
        """That the world moves."""
        return self._model

    @property
    @exclusive
    def options(self) -> dict[str, Any]:
        """Of this run, keys as in scenes."""
        return read_options(lib.asp_world_options(self._use().world))

    @property
    def time(self) -> float:
        """s."""
        return self._use().time

    @time.setter
    @exclusive
    def time(self, value: float) -> None:
        self._use().time = number("time", value, "s")
        self._push()

    @property
    def q(self) -> np.ndarray:
        """Positions (Model: coordinates): a writable view that stays current."""
        self._use()
        return self._q

    @q.setter
    @exclusive
    def q(self, value: Any) -> None:
        self._use()
        self._q[:] = numbers("q", value, self._q.shape, "m and unit quaternions, rad")
        self._push()

    @property
    def v(self) -> np.ndarray:
        """Velocities, m/s and rad/s: a writable view that stays current."""
        self._use()
        return self._v

    @v.setter
    @exclusive
    def v(self, value: Any) -> None:
        self._use()
        self._v[:] = numbers("v", value, self._v.shape, "m/s, rad/s")
        self._push()

    @property
    def inputs(self) -> np.ndarray:
        """Values of the inputs now, in the order of Model.inputs: a writable view that stays current."""
        self._use()
        return self._inputs

    @inputs.setter
    @exclusive
    def inputs(self, value: Any) -> None:
        self._use()
        self._inputs[:] = numbers("inputs", value, self._inputs.shape)
        self._push()

    @exclusive
    def set_input(self, name: int | str, value: float, rate: float = 0.0, acceleration: float = 0.0) -> None:
        """From now on the input has this value, and moves at this rate (per s) and acceleration."""
        native = self._push()
        jet = {"value": number("value", value), "rate": number("rate", rate), "acceleration": number("acceleration", acceleration)}
        self._change(lib.asp_world_set_input_motion(native.world, self.model.input_index(name), jet))

    @exclusive
    def get_state(self) -> np.ndarray:
        """Time, q and v as one row of Model.state_size numbers: a copy. save() keeps more: turns of joints, warm starts."""
        native = self._push()
        return np.concatenate((np.array([native.time]), self._q, self._v))

    @exclusive
    def set_state(self, state: Any = None, *, time: float | None = None, q: Any = None, v: Any = None) -> None:
        """A row of get_state, or parts of it by name. What the row
        says of fixed and kinematic bodies is left out: these are where the model has them at that time."""
        native = self._push()
        if state is not None:
            if time is not None or q is not None or v is not None:
                raise ArgumentError("set_state: give a row, or time, q, v by name, not both")
            row = numbers("state", state, (self.model.state_size,), "time, q, v")
            time, q, v = row[0], row[1 : 1 + native.q_size], row[1 + native.q_size :]
        if time is not None:
            native.time = number("time", time, "s")
        if q is not None:
            self._spread(self._q, numbers("q", q, self._q.shape, "m and unit quaternions, rad"))
        if v is not None:
            self._spread(self._v, numbers("v", v, self._v.shape, "m/s, rad/s"))
        self._push()

    def _spread(self, target: np.ndarray, values: np.ndarray) -> None:
        """Entries of dynamic bodies and beams alone."""
        model = self.model._model
        count = lib.asp_model_body_count(model)
        each = {2: 3, 3: 7 if target is self._q else 6}[self.model.dimension]
        free = np.ones(target.size, bool)
        for i in range(count):
            free[i * each : (i + 1) * each] = lib.asp_model_body_kind(model, i) == lib.ASP_BODY_DYNAMIC
        target[free] = values[free]

    @exclusive
    def save(self) -> bytes:
        """The whole memory of the world. Restored into a world of the same model and options, also in another process,
        the run goes on to the same bits. For the same build of the library."""
        native = self._push()
        size = ffi.new("size_t *")
        self._check(lib.asp_world_save(native.world, ffi.NULL, 0, size))
        data = ffi.new("char[]", size[0])
        self._check(lib.asp_world_save(native.world, data, size[0], size))
        return bytes(ffi.buffer(data, size[0]))

    @exclusive
    def restore(self, saved: bytes) -> None:
        """What save() gave."""
        if not isinstance(saved, (bytes, bytearray, memoryview)):
            raise ArgumentError(f"saved: {type(saved).__name__} is not what World.save() returns")
        self._start()
        self._restore(bytes(saved))

    def _restore(self, saved: bytes) -> None:
        native = self._use()
        self._change(lib.asp_world_restore(native.world, saved, len(saved)))

    # ---- by name ----

    def body(self, body: int | str) -> Body:
        """A body by name or number."""
        self._use()
        return Body(self, self.model.body_index(body))

    def joint(self, joint: int | str) -> Joint:
        """A joint by name or number."""
        self._use()
        return Joint(self, self.model.joint_index(joint))

    @exclusive
    def set_joint(self, joint: int | str, value: float, rate: float = 0.0) -> None:
        """The coordinate (rad or m) and rate of a joint with one; bodies behind it move, loops are closed."""
        native = self._push()
        index = self.model.joint_index(joint)
        self._change(lib.asp_world_set_joint(native.world, index, number("value", value), number("rate", rate)))

    @exclusive
    def satisfy_joints(self) -> None:
        """Close all joints again after bodies were moved, by the smallest displacement in the metric of the mass."""
        self._change(lib.asp_world_satisfy_joints(self._push().world))

    @exclusive
    def apply_wrench(self, body: int | str, force: Any = (0, 0, 0), torque: Any = (0, 0, 0), point: Any = None) -> None:
        """A force (N) at a point (world, m; None: the centre of mass) and a torque (N m; in the plane one number), world
        axes. Acts through the next step, added to what was applied before, and is gone after it."""
        native = self._push()
        dimension = self.model.dimension
        if dimension == 2 and np.ndim(torque) == 0:
            torque = (0, 0, torque)
        wrench = ffi.new("AspWrench *")
        wrench.force = vec3("force", force, dimension, "N")[0]
        wrench.torque = vec3("torque", torque, 3, "N m")[0]
        at = ffi.NULL if point is None else vec3("point", point, dimension, "m")
        self._check(lib.asp_world_apply_wrench(native.world, self.model.body_index(body), wrench, at))

    @exclusive
    def set_contact(self, body_a: int | str, body_b: int | str, touch: bool) -> None:
        """From the next step on two bodies do not touch (False), or do as the model says (True)."""
        native = self._push()
        a, b = self.model.body_index(body_a), self.model.body_index(body_b)
        self._check(lib.asp_world_set_contact(native.world, a, b, bool(touch)))
        self._filters[min(a, b), max(a, b)] = bool(touch)

    @property
    @exclusive
    def state_hash(self) -> int:
        """Of time, q and v: equal for equal bits."""
        return lib.asp_world_state_hash(self._push().world)


def event_name(kind: int) -> str:
    """Name of World.events["kind"]."""
    return text(lib.asp_event_kind_name(int(kind)))

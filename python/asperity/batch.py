"""Worlds of one model side by side, stepped by a team of threads of the library: arrays in, arrays out."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from ._core import INT_MOST, Context, doubles, dtype_of, exclusive, numbers, plain, records, text, whole
from ._native import ffi, lib
from .errors import ArgumentError, ClosedError
from .model import Model
from .options import set_options
from .rollout import thread_count

INFO = dtype_of("AspStepInfo")


class _Core:
    """The native batch with what it borrows."""

    def __init__(self, scene: Any):
        self.scene, self.context = scene, Context()
        self.out = ffi.new("AspBatch **")

    def __del__(self) -> None:
        if getattr(self, "out", None) is not None:
            lib.asp_batch_destroy(self.out[0])


class Batch:
    """`count` worlds of a model, each with its own state and inputs; of a world only what the next step depends on is kept.
    Every world makes the steps of a World, bit for bit, at any number of threads. Keywords: options as of World.

    A world in which a step fails stays as it was, is listed in `errors`, and is left out until it is set, restored or
    reset; the others go on.
    """

    def __init__(self, model: Model, count: int, threads: int | None = None, **options: Any):
        if not isinstance(model, Model):
            raise ArgumentError(f"model: {type(model).__name__} is not an asperity.Model")
        self.model, self.threads, self.count = model._share(), thread_count(threads), whole("count", count, 1, INT_MOST)
        self._lock = threading.RLock()
        scene = model._native()
        core = _Core(model._scene)
        chosen = ffi.new("AspRunOptions *", scene.run)
        set_options(core.context, chosen, options)
        context = core.context
        context.watch()
        code = lib.asp_batch_create(context.pointer, scene.model, chosen, self.count, self.threads, core.out)
        context.check(code)
        self._core: _Core | None = core
        self._q_size, self._v_size = model.q_size, model.v_size
        names = model.inputs
        self._controls = np.array([names.index(name) for name in model.controls], int)
        self._inputs = np.array([[lib.asp_model_input_value(model._model, i) for i in range(len(names))]] * self.count)
        self._start = self.save(0)

    def _native(self) -> Any:
        if self._core is None:
            raise ClosedError("this batch was closed")
        return self._core.out[0]

    def _check(self, code: int) -> None:
        assert self._core is not None
        self._core.context.check(code)

    def _index(self, world: int) -> int:
        if not -1 < whole("world", world, -INT_MOST) < self.count:
            raise ArgumentError(f"world {world}: the batch has {self.count}, numbered from 0")
        return int(world)

    def __len__(self) -> int:
        return self.count

    def _array(self, pointer: Any, width: int) -> np.ndarray:
        return np.frombuffer(ffi.buffer(pointer, 8 * self.count * width)).reshape(self.count, width).copy()

    @property
    @exclusive
    def time(self) -> np.ndarray:
        """Of each world, s; a copy."""
        return self._array(lib.asp_batch_t(self._native()), 1).ravel()

    @property
    @exclusive
    def q(self) -> np.ndarray:
        """Positions, count x Model.q_size; a copy."""
        return self._array(lib.asp_batch_q(self._native()), self._q_size)

    @property
    @exclusive
    def v(self) -> np.ndarray:
        """Velocities, count x Model.v_size; a copy."""
        return self._array(lib.asp_batch_v(self._native()), self._v_size)

    @property
    @exclusive
    def states(self) -> np.ndarray:
        """Rows of time, q and v, count x Model.state_size; a copy."""
        return np.hstack((self.time[:, None], self.q, self.v))

    @property
    @exclusive
    def infos(self) -> np.ndarray:
        """What the last step of each world did: a structured array (fields of AspStepInfo), a copy."""
        return records(lib.asp_batch_infos(self._native()), self.count, INFO)

    @property
    def certified(self) -> np.ndarray:
        """The last step of each world was."""
        return self.infos["certified"]

    @property
    def resolved(self) -> np.ndarray:
        """The last step of each world was."""
        return self.infos["resolved"]

    @property
    def residual(self) -> np.ndarray:
        """E2 of the last step of each world."""
        return self.infos["residual"]["E2"]

    @property
    @exclusive
    def errors(self) -> dict[int, str]:
        """Worlds that are left out, and why."""
        native = self._native()
        failed = (i for i in range(self.count) if lib.asp_batch_error(native, i) != lib.ASP_OK)
        return {i: text(lib.asp_batch_message(native, i)) for i in failed}

    @property
    @exclusive
    def memory(self) -> dict[str, int]:
        """Bytes: largest_world, worlds (all together), workspaces (of the threads)."""
        return plain(lib.asp_batch_memory(self._native()))

    @exclusive
    def step(self, controls: Any = None, steps: int = 1) -> int:
        """`steps` steps of every world under constant controls (count x Model.controls; None: as they are). Returns the number
        of worlds that are left out. Without Python's lock; Ctrl-C counts after the call."""
        native = self._native()
        if controls is not None:
            table = numbers("controls", controls, (self.count, len(self._controls)))
            self._inputs[:, self._controls] = table
            self._check(lib.asp_batch_set_inputs(native, doubles(self._inputs)))
        failed = ffi.new("int *")
        assert self._core is not None
        self._core.context.watch()
        self._check(lib.asp_batch_step(native, whole("steps", steps, 1, INT_MOST), failed))
        return failed[0]

    @exclusive
    def set_state(self, world: int, q: Any = None, v: Any = None) -> None:
        """Positions and velocities of one world, at its time; None: as they are."""
        native, index = self._native(), self._index(world)
        arrays = [
            None if value is None else numbers(name, value, (size,))
            for name, value, size in (("q", q, self._q_size), ("v", v, self._v_size))
        ]
        pointers = [ffi.NULL if array is None else doubles(array) for array in arrays]
        self._check(lib.asp_batch_set_state(native, index, *pointers))

    @exclusive
    def reset(self, which: Any = None) -> None:
        """Back to the scene's start: all worlds, or those of a mask or list of numbers."""
        try:
            chosen = np.arange(self.count) if which is None else np.arange(self.count)[which if np.size(which) else []]
        except IndexError:
            raise ArgumentError(f"which: {which!r} is neither a mask of {self.count} worlds nor a list of their numbers") from None
        for i in np.atleast_1d(chosen):
            self._restore(int(i), self._start)

    @exclusive
    def save(self, world: int) -> bytes:
        """One world, as World.save() gives it; a World of the same model and options restores it."""
        native, index, size = self._native(), self._index(world), ffi.new("size_t *")
        self._check(lib.asp_batch_save(native, index, ffi.NULL, 0, size))
        data = ffi.new("char[]", size[0])
        self._check(lib.asp_batch_save(native, index, data, size[0], size))
        return bytes(ffi.buffer(data, size[0]))

    @exclusive
    def restore(self, world: int, saved: bytes) -> None:
        """One world becomes a saved one, of this batch or of a World."""
        if not isinstance(saved, (bytes, bytearray, memoryview)):
            raise ArgumentError(f"saved: {type(saved).__name__} is not what save() returns")
        self._restore(self._index(world), bytes(saved))

    def _restore(self, world: int, saved: bytes) -> None:
        self._check(lib.asp_batch_restore(self._native(), world, saved, len(saved)))

    @exclusive
    def close(self) -> None:
        """End the batch: using it afterwards raises ClosedError."""
        self._core = None

    def __enter__(self) -> Batch:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __reduce__(self) -> Any:
        raise TypeError("a batch is neither copied nor pickled: pickle batch.model and save() of its worlds")

    def __repr__(self) -> str:
        if self._core is None:
            return "<asperity.Batch, closed>"
        return f"<asperity.Batch of {self.count} worlds of '{self.model.name}', {self.threads} threads>"

"""Many runs of one model at the same time: arrays in, arrays out. Steps release Python's lock, so threads run in parallel;
what comes out does not depend on their number, bit for bit."""

from __future__ import annotations

import os
import threading
from typing import Any, Callable

import numpy as np

from ._core import INT_MOST, doubles, numbers, pending, whole
from ._native import ffi, lib
from .errors import ArgumentError, BusyError
from .model import Model
from .world import World


class Rollout:
    """states: runs x steps x Model.state_size (time, q, v after every step); certified: runs x steps; residual: E2 of
    them."""

    def __init__(self, runs: int, steps: int, size: int):
        self.states = np.zeros((runs, steps, size))
        self.certified = np.zeros((runs, steps), bool)
        self.residual = np.zeros((runs, steps))

    def __repr__(self) -> str:
        runs, steps = self.certified.shape
        return f"<rollout of {runs} runs, {steps} steps: {int((~self.certified).sum())} not certified>"


def _share(count: int, threads: int, work: Callable[[int], None], cancel: Any) -> None:
    """work(0), ..., work(count - 1) on threads. The first exception ends all by the flag `cancel`, and is raised."""
    lock, left = threading.Lock(), iter(range(count))
    first: list[BaseException] = []
    cancel[0] = 0

    def take() -> None:
        while not cancel[0]:
            with lock:
                i = next(left, None)
            if i is None:
                return
            try:
                work(i)
            except BaseException as error:
                with lock:
                    first.append(error)
                cancel[0] = 1

    if threads == 1 or count == 1:
        take()
    else:
        team = [threading.Thread(target=take, daemon=True) for _ in range(min(threads, count))]
        for thread in team:
            thread.start()
        try:
            for thread in team:
                thread.join()
        except BaseException:
            cancel[0] = 1
            for thread in team:
                thread.join()
            raise
    if first:
        raise first[0]


def thread_count(threads: int | None) -> int:
    """All cores where no number is given."""
    if threads is None:
        return os.cpu_count() or 1
    return whole("threads", threads, 1, INT_MOST)


def _run(world: World, controls: np.ndarray | None, out: Rollout, at: int) -> None:
    if not world._lock.acquire(blocking=False):
        raise BusyError("another thread is using this world")
    native = world._start()
    world._busy = threading.get_ident()
    pending.error = None
    done = ffi.new("int64_t *")
    try:
        code = lib.aspy_world_rollout(
            native,
            out.states.shape[1],
            ffi.NULL if controls is None else doubles(controls),
            doubles(out.states[at]),
            ffi.cast("bool *", out.certified[at].ctypes.data),
            doubles(out.residual[at]),
            done,
        )
        world._check(code)
    finally:
        world._busy = None
        world._lock.release()


def rollout(
    model: Model,
    states: Any = None,
    controls: Any = None,
    threads: int | None = None,
    steps: int | None = None,
    **options: Any,
) -> Rollout:
    """Runs of one model from many states, under many controls.

    states: runs x Model.state_size (World.get_state()), or one row, or None: the scene's start. controls: runs x steps x
    controls, or steps x controls for all, or None with `steps`. threads: default, all cores. options: as of World.
    """
    if not isinstance(model, Model):
        raise ArgumentError(f"model: {type(model).__name__} is not an asperity.Model")
    width = len(model.controls)
    rows = None if states is None else np.atleast_2d(numbers("states", states))
    array = None if controls is None else numbers("controls", controls)
    if array is not None and array.ndim not in (2, 3):
        raise ArgumentError(f"controls: shape {array.shape} does not fit; it must be (steps, {width}) or (runs, steps, {width})")
    if array is not None and array.ndim == 2:
        array = array[None]
    runs = max(1 if rows is None else len(rows), 1 if array is None else len(array))
    if rows is not None:
        rows = numbers("states", np.broadcast_to(rows, (runs, rows.shape[1])) if len(rows) == 1 else rows, (runs, model.state_size))
    if array is not None:
        array = numbers("controls", np.broadcast_to(array, (runs, *array.shape[1:])) if len(array) == 1 else array, (runs, steps, width))
        steps = array.shape[1]
    if steps is None:
        raise ArgumentError("give controls, or a number of steps")
    steps = whole("steps", steps)
    out, cancel, local = Rollout(runs, steps, model.state_size), ffi.new("int *"), threading.local()

    def work(i: int) -> None:
        world = getattr(local, "world", None)
        if world is None:
            world = local.world = World(model, **options)
            world._use().guard.cancelled = cancel
        world.reset()
        if rows is not None:
            world.set_state(rows[i])
        _run(world, None if array is None else array[i], out, i)

    _share(runs, thread_count(threads), work, cancel)
    return out

"""Python functions that the library calls. An exception in one of them is kept in `pending` and ends the call; the
function that began the call raises it again (Context.check)."""

from __future__ import annotations

from typing import Any

from ._core import pending, text
from ._native import ffi, lib


def keep(kind: Any, error: BaseException, trace: Any) -> None:
    """What cffi calls when a callback raised; the first error counts."""
    if getattr(pending, "error", None) is None:
        pending.error = error


@ffi.def_extern(error=1, onerror=keep)
def aspy_python_poll() -> int:
    # signals are handled by the interpreter as soon as it runs: here
    return 1 if getattr(pending, "error", None) is not None else 0


@ffi.def_extern(error=lib.ASP_ERROR_INTERRUPTED, onerror=keep)
def aspy_python_before(handle: Any) -> int:
    world = ffi.from_handle(handle).world()
    world.before_step(world)
    return lib.ASP_OK


@ffi.def_extern(error=lib.ASP_ERROR_INTERRUPTED, onerror=keep)
def aspy_python_after(handle: Any) -> int:
    world = ffi.from_handle(handle).world()
    world.after_step(world)
    return lib.ASP_OK


@ffi.def_extern(onerror=keep)
def aspy_python_progress(handle: Any, iteration: int, method: Any, residual: float) -> None:
    caller = ffi.from_handle(handle)
    try:
        caller.call(iteration, text(method), residual)
    except BaseException:
        caller.guard.cancel = 1
        raise


@ffi.def_extern(onerror=keep)
def aspy_python_share(handle: Any, done: float, what: Any) -> None:
    caller = ffi.from_handle(handle)
    try:
        caller.call(done, text(what))
    except BaseException:
        caller.guard.cancel = 1
        raise


@ffi.def_extern(onerror=keep)
def aspy_python_fact(handle: Any, fact: Any) -> None:
    value: Any = text(fact.text)
    if fact.kind != lib.ASP_FACT_TEXT:
        counts = not text(fact.unit) and float(fact.number).is_integer()
        value = bool(fact.number) if fact.kind == lib.ASP_FACT_FLAG else int(fact.number) if counts else fact.number
    ffi.from_handle(handle)[text(fact.key)] = value

"""What all parts share: contexts, checked arrays, C structs as numpy dtypes."""

from __future__ import annotations

import functools
import operator
import os
import sys
import threading
from typing import Any, Callable, TypeVar, cast

import numpy as np

from ._native import ffi, lib
from .errors import ArgumentError, BusyError, error_of

if not lib.asp_version_fits(lib.aspy_version()):
    raise ImportError(
        "asperity: the library is version %s, the package was built for another; build the package again"
        % ffi.string(lib.asp_version()).decode()
    )

os.register_at_fork(before=lib.asp_threads_release)  # threads do not live on in a child process, which would wait for them

pending = threading.local()
"""pending.error: the exception that Python code raised inside a call of the library, in this thread."""


def text(pointer: Any) -> str:
    """A C string; "" for NULL."""
    return ffi.string(pointer).decode("utf-8", "replace") if pointer else ""


class Context:
    """An AspContext with the guard that ends its long calls. One thread at a time."""

    def __init__(self) -> None:
        pointer = lib.asp_context_create(ffi.NULL)
        if not pointer:
            raise MemoryError("asperity: no memory for a context")
        self.pointer = ffi.gc(pointer, lib.asp_context_destroy)
        self.guard = ffi.new("AspyGuard *")

    def watch(self) -> None:
        """Before a long call: Ctrl-C and exceptions of callbacks end it."""
        pending.error = None
        lib.aspy_guard_watch(self.guard, self.pointer)

    def check(self, code: int, mistakes: tuple[str, ...] = (), message: str = "") -> None:
        """Raise what a call of the library, or Python code inside it, failed with."""
        error = getattr(pending, "error", None)
        if error is not None:
            pending.error = None
            raise error
        if code != lib.ASP_OK:
            raise error_of(code, message or text(lib.asp_context_message(self.pointer)), mistakes)


Method = TypeVar("Method", bound=Callable[..., Any])


def exclusive(method: Method) -> Method:
    """A method of an object with _lock (an RLock) that one thread at a time may be in; another one gets BusyError."""

    @functools.wraps(method)
    def call(self: Any, *arguments: Any, **keywords: Any) -> Any:
        if not self._lock.acquire(blocking=False):
            raise BusyError("another thread is using this world; a world is used by one thread at a time")
        try:
            return method(self, *arguments, **keywords)
        finally:
            self._lock.release()

    return cast(Method, call)


def numbers(name: str, value: Any, shape: tuple[int | None, ...] | None = None, unit: str = "") -> np.ndarray:
    """A C-contiguous array of finite float64, or ValueError that names it. None in shape: any length."""
    try:
        array = np.asarray(value)
    except Exception as error:
        raise ArgumentError(f"{name}: not an array of numbers ({error})") from None
    if array.dtype.kind not in "fiub":
        raise ArgumentError(f"{name}: dtype {array.dtype} is not real numbers; give float64")
    array = np.asarray(array, dtype=np.float64, order="C")
    if shape is not None:
        fits = array.ndim == len(shape) and all(want is None or want == have for want, have in zip(shape, array.shape))
        if not fits:
            wanted = "(" + ", ".join("any" if n is None else str(n) for n in shape) + ("," if len(shape) == 1 else "") + ")"
            raise ArgumentError(f"{name}: shape {array.shape} does not fit; it must be {wanted}" + (f", {unit}" if unit else ""))
    if not np.isfinite(array).all():
        at = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        where = f"[{', '.join(map(str, at))}]" if at else ""
        raise ArgumentError(f"{name}{where}: {array[at] if at else float(array)} is not finite")
    return array


def number(name: str, value: Any, unit: str = "") -> float:
    """A finite float, or ValueError that names it."""
    return float(numbers(name, value, (), unit))


INT_MOST = 2**31 - 1
"""The largest int of C."""


def whole(name: str, value: Any, least: int = 0, most: int = 2**62) -> int:
    """A whole number from `least` to `most`, or ValueError that names it."""
    try:
        found = operator.index(value)
    except TypeError:
        raise ArgumentError(f"{name}: {value!r} is not a whole number") from None
    if found < least or found > most:
        raise ArgumentError(f"{name}: {found} is not at least {least}" if found < least else f"{name}: {found} is more than {most}")
    return found


def encoded(name: str, value: str) -> bytes:
    """A text for C, or ValueError: texts there end at their first NUL."""
    if not isinstance(value, str):
        raise ArgumentError(f"{name}: {type(value).__name__} is not a text")
    if "\0" in value:
        raise ArgumentError(f"{name}: {value!r} has a NUL character")
    try:
        return value.encode()
    except UnicodeEncodeError as error:
        raise ArgumentError(f"{name}: {value!r} is not a text of Unicode characters ({error.reason})") from None


def file_name(path: Any) -> bytes:
    """A path for C, or ValueError."""
    name = os.fsencode(path)
    if b"\0" in name:
        raise ArgumentError(f"path: {path!r} has a NUL character")
    return name


def doubles(array: np.ndarray) -> Any:
    """A double * to a contiguous float64 array, which must outlive it."""
    return ffi.cast("double *", array.ctypes.data)


def vec3(name: str, value: Any, dimension: int = 3, unit: str = "") -> Any:
    """An AspVec3; in the plane two numbers suffice."""
    array = numbers(name, value, None, unit)
    if array.shape != (3,) and not (dimension == 2 and array.shape == (2,)):
        raise ArgumentError(f"{name}: shape {array.shape} does not fit; it must be {'(2,)' if dimension == 2 else '(3,)'}, {unit}")
    out = ffi.new("AspVec3 *")
    out.x, out.y, out.z = float(array[0]), float(array[1]), float(array[2]) if array.size == 3 else 0.0
    return out


class _View:
    """Memory of `owner` for numpy, which keeps the owner alive."""

    def __init__(self, owner: Any, pointer: Any, count: int):
        self.owner = owner
        self.__array_interface__ = {
            "data": (int(ffi.cast("uintptr_t", pointer)), False),
            "shape": (count,),
            "typestr": "<f8" if sys.byteorder == "little" else ">f8",
            "version": 3,
        }


def view(owner: Any, pointer: Any, count: int) -> np.ndarray:
    """A writable array of `count` doubles at `pointer`, which lives as long as owner."""
    return np.asarray(_View(owner, pointer, count)) if count else np.empty(0)


_VEC3 = ffi.typeof("AspVec3")
_scalars = {"double": "f8", "float": "f4", "_Bool": "?", "char": "S1"}


def _scalar(ctype: Any) -> np.dtype | None:
    if ctype.kind == "enum":
        return np.dtype("i4")
    if ctype.kind != "primitive":
        return None
    if ctype.cname in _scalars:
        return np.dtype(_scalars[ctype.cname])
    signed = int(ffi.cast(ctype, -1)) < 0
    return np.dtype(("i" if signed else "u") + str(ffi.sizeof(ctype)))


def dtype_of(struct: str) -> np.dtype:
    """The structured dtype of a C struct. Vectors are (3,), pointers are left out."""
    found = _dtype(ffi.typeof(struct))
    assert found is not None
    return found


def _dtype(ctype: Any) -> np.dtype | None:
    if ctype.kind == "array":
        inner = _dtype(ctype.item)
        return None if inner is None else np.dtype((inner, (ctype.length,)))
    if ctype.kind != "struct":
        return _scalar(ctype)
    if ctype is _VEC3:
        return np.dtype(("f8", (3,)))
    names, formats, offsets = [], [], []
    for name, field in ctype.fields:
        inner = _dtype(field.type)
        if inner is not None:
            names.append(name)
            formats.append(inner)
            offsets.append(field.offset)
    return np.dtype({"names": names, "formats": formats, "offsets": offsets, "itemsize": ffi.sizeof(ctype)})


def records(pointer: Any, count: int, dtype: np.dtype) -> np.ndarray:
    """A copy of `count` structs."""
    if not pointer or count == 0:
        return np.empty(0, dtype)
    return np.frombuffer(ffi.buffer(ffi.cast("char *", pointer), count * dtype.itemsize), dtype).copy()


def plain(struct: Any) -> Any:
    """A C struct as a dict of Python values, vectors as arrays; enums stay numbers, pointers are left out."""
    kind = ffi.typeof(struct)
    if kind.kind == "pointer":
        struct, kind = struct[0], kind.item
    out: dict[str, Any] = {}
    for name, field in kind.fields:
        value = getattr(struct, name)
        if field.type.kind in ("primitive", "enum"):
            out[name] = int(value) if field.type.kind == "enum" else value
        elif field.type.kind == "struct":
            out[name] = np.array([value.x, value.y, value.z]) if field.type is _VEC3 else plain(value)
        elif field.type.kind == "array" and field.type.item.kind == "primitive":
            out[name] = text(value) if field.type.item.cname == "char" else np.array(list(value))
    return out


def names(table: Any) -> list[str]:
    """A NULL-terminated table of names."""
    out: list[str] = []
    while table[len(out)]:
        out.append(text(table[len(out)]))
    return out

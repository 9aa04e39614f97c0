"""Exceptions of the package. Each carries the library's message: the thing, its value, what would be right."""

from __future__ import annotations

import errno
import os

from ._native import ffi, lib


class AsperityError(Exception):
    """Base of all errors of the library. `code` is its short name, `mistakes` has a line for each mistake of a scene."""

    def __init__(self, message: str, code: str = "", mistakes: tuple[str, ...] = ()):
        super().__init__(message)
        self.code = code
        self.mistakes = mistakes


class InputError(AsperityError, ValueError):
    """A scene, problem or file whose content is wrong; the message names file and key."""


class ArgumentError(AsperityError, ValueError):
    """A value that a call does not take."""


class FileError(AsperityError, OSError):
    """A file that cannot be read or written, or a full disk."""


class MissingFileError(FileError, FileNotFoundError):
    """A file or folder that is not there."""

    def __init__(self, message: str, code: str = "", mistakes: tuple[str, ...] = ()):
        super().__init__(message, code, mistakes)
        self.errno = errno.ENOENT


class UnsupportedError(AsperityError, NotImplementedError):
    """A combination that the library does not have; the message says which it has."""


class MotionError(AsperityError, ArithmeticError):
    """A motion beyond what numbers can hold, or a prescribed motion that nothing can give way to."""


class InterruptedRun(AsperityError):
    """A call that was ended from outside; states are those of the last whole step."""


class InternalError(AsperityError, RuntimeError):
    """A failure inside the library: please report it."""


class ClosedError(AsperityError, RuntimeError):
    """A world or model that was closed before."""


class BusyError(AsperityError, RuntimeError):
    """A world that another thread is stepping, or that a callback tried to step."""


_classes = {
    lib.ASP_ERROR_ARGUMENT: ArgumentError,
    lib.ASP_ERROR_INPUT: InputError,
    lib.ASP_ERROR_FILE: FileError,
    lib.ASP_ERROR_STORAGE: FileError,
    lib.ASP_ERROR_UNSUPPORTED: UnsupportedError,
    lib.ASP_ERROR_DIVERGED: MotionError,
    lib.ASP_ERROR_INTERRUPTED: InterruptedRun,
    lib.ASP_ERROR_VALUE: ArgumentError,
    lib.ASP_ERROR_IMPOSSIBLE: MotionError,
}


def error_of(code: int, message: str, mistakes: tuple[str, ...] = ()) -> BaseException:
    """The exception for a code of the library."""
    short = ffi.string(lib.asp_error_name(code)).decode()
    if code == lib.ASP_ERROR_MEMORY:
        return MemoryError(message or short)
    if mistakes and len(mistakes) > 1:
        message = "\n".join(mistakes)
    kind = _classes.get(code, InternalError)
    if kind is FileError and message.endswith(os.strerror(errno.ENOENT)):
        kind = MissingFileError
    return kind(message or short, short, mistakes)

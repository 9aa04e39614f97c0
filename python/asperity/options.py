"""Options of a run by name, from the library's field list: the same names as keys of scenes and flags of the program."""

from __future__ import annotations

import difflib
from typing import Any, Mapping

import numpy as np

from ._core import Context, encoded, text
from ._native import ffi, lib
from .errors import ArgumentError


def _fields() -> Any:
    first = lib.asp_run_fields()
    return [first + i for i in range(lib.asp_run_field_count())]


def _keyword(name: str) -> str:
    return name.replace(".", "_").replace("-", "_")


def option_names() -> dict[str, str]:
    """Every option: name as a keyword and what it means, with its unit."""
    return {
        _keyword(text(field.key)): text(field.text) + (f" ({text(field.unit)})" if text(field.unit) else "")
        for field in _fields()
    }


def read_options(options: Any) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for field in _fields():
        at = ffi.cast("char *", options) + field.offset
        if field.type == lib.ASP_FIELD_REAL:
            out[text(field.key)] = ffi.cast("double *", at)[0]
        elif field.type == lib.ASP_FIELD_INTEGER:
            out[text(field.key)] = ffi.cast("int *", at)[0]
        elif field.type == lib.ASP_FIELD_FLAG:
            out[text(field.key)] = bool(ffi.cast("bool *", at)[0])
        else:
            out[text(field.key)] = text(field.choices[ffi.cast("int *", at)[0]])
    return out


def set_options(context: Context, options: Any, values: Mapping[str, Any]) -> None:
    """values: keywords of World, such as dt=1e-3, scheme="event-driven", friction_model="inscribed"."""
    by_name = {}
    for field in _fields():
        if field.flag:
            by_name[_keyword(text(field.flag))] = field
    for field in _fields():
        by_name[_keyword(text(field.key))] = field
    for name, value in values.items():
        field = by_name.get(_keyword(name))
        if field is None:
            close = difflib.get_close_matches(name, by_name, 3)
            hint = f"did you mean {' or '.join(close)}?" if close else "asperity.option_names() lists them"
            raise ArgumentError(f"{name}: no such option of a run; {hint}")
        if isinstance(value, (bool, np.bool_)):
            value = "true" if value else "false"
        if isinstance(value, str):
            code = lib.asp_field_set_text(context.pointer, field, options, encoded(name, value))
        else:
            try:
                code = lib.asp_field_set_number(context.pointer, field, options, float(value))
            except (TypeError, ValueError, OverflowError):
                raise ArgumentError(f"{name}: {value!r} is neither a number nor a text") from None
        context.check(code)

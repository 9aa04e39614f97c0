"""docs/reference/python.md lists every public name with its docstring; ASPERITY_UPDATE=1 writes it anew. Every public name has
a docstring."""

import inspect
import os
import re
import unittest

import asperity
from common import SOURCE, main

PAGE = os.path.join(SOURCE, "docs/reference/python.md")
HEAD = """# The Python package

Every public name of `asperity`, from the docstrings (`python/tests/test_reference.py` writes this page: `ASPERITY_UPDATE=1`). A tutorial: [Use it from Python](../howto/python.md).
SI units, radians. Errors are subclasses of `AsperityError` and of the Python class that fits. Type annotations are part of the package (`py.typed`).

"""
GROUPS = (
    ("Models and worlds", ["Model", "ModelBuilder", "World", "Body", "Joint", "StepInfo", "Run", "option_names", "event_name"]),
    ("Mechanics", ["ForwardDynamics", "InverseDynamics"]),
    ("Many runs", ["rollout", "Rollout", "Batch", "Environment", "Box", "Study", "StudyRows"]),
    ("Accuracy and methods", ["converge", "Convergence", "ConvergenceRow", "compare", "Comparison", "ComparisonRow"]),
    ("Contact problems", ["ContactProblem", "Columns", "Law", "Solution", "methods", "block_role", "solve_lcp", "analyze", "Analysis", "PointSolution", "statics", "Statics"]),
    ("Results", ["Result", "Table"]),
    ("Errors", ["AsperityError", "InputError", "ArgumentError", "FileError", "MissingFileError", "UnsupportedError", "MotionError", "InterruptedRun", "InternalError", "ClosedError", "BusyError"]),
)


def words(thing):
    return re.sub(r"\s+", " ", inspect.getdoc(thing) or "").replace("|", "\\|")


def call(name, function):
    """name(a, b=...): parameters without annotations."""
    parts = []
    for parameter in inspect.signature(function).parameters.values():
        if parameter.name in ("self", "cls"):
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and "*" not in parts and not any(p.startswith("*") for p in parts):
            parts.append("*")
        star = {parameter.VAR_KEYWORD: "**", parameter.VAR_POSITIONAL: "*"}.get(parameter.kind, "")
        default = "" if parameter.default is parameter.empty or star else f"={parameter.default!r}"
        parts.append(star + parameter.name + default)
    return f"`{name}({', '.join(parts)})`"


def members(cls):
    """Public attributes and methods, those of mixed-in classes too."""
    for name, thing in inspect.getmembers_static(cls) if hasattr(inspect, "getmembers_static") else inspect.getmembers(cls):
        if name.startswith("_") or issubclass(cls, Exception):
            continue
        thing = inspect.getattr_static(cls, name)
        if isinstance(thing, property):
            yield f"`{name}`", words(thing)
        elif isinstance(thing, (classmethod, staticmethod)):
            yield call(f"{cls.__name__}.{name}", getattr(cls, name)), words(thing.__func__)
        elif inspect.isfunction(thing):
            yield call(name, thing), words(thing)


def lines():
    out = [HEAD]
    for title, names in GROUPS:
        out.append(f"## {title}\n\n")
        rows = []
        for name in names:
            thing = getattr(asperity, name)
            if inspect.isclass(thing) and not issubclass(thing, Exception):
                out.append(f"### {name}\n\n{words(thing)}\n\n")
                table = list(members(thing))
                if table:
                    out.append("| | |\n|---|---|\n" + "".join(f"| {left} | {right} |\n" for left, right in table) + "\n")
            else:
                bases = ", ".join(base.__name__ for base in thing.__mro__[1:-3]) if inspect.isclass(thing) else ""
                left = f"`{name}`" + (f" ({bases})" if bases else "") if inspect.isclass(thing) else call(name, thing)
                rows.append(f"| {left} | {words(thing)} |\n")
        if rows:
            out.append("| | |\n|---|---|\n" + "".join(rows) + "\n")
    return "".join(out).rstrip() + "\n"


class ReferenceTest(unittest.TestCase):
    def test_the_page_is_what_the_docstrings_say(self):
        page = lines()
        if os.environ.get("ASPERITY_UPDATE"):
            with open(PAGE, "w", encoding="utf-8") as file:
                file.write(page)
        with open(PAGE, encoding="utf-8") as file:
            self.assertEqual(file.read(), page, "write it anew: ASPERITY_UPDATE=1")

    def test_every_public_name_is_listed_and_explained(self):
        listed = {name for _, names in GROUPS for name in names}
        public = {name for name in asperity.__all__ if inspect.isclass(getattr(asperity, name)) or inspect.isfunction(getattr(asperity, name))}
        self.assertEqual(public - listed, set())
        for name in listed:
            thing = getattr(asperity, name)
            self.assertTrue(inspect.getdoc(thing), name)
            for left, text in members(thing) if inspect.isclass(thing) else ():
                self.assertTrue(text, f"{name}: {left}")


if __name__ == "__main__":
    main()

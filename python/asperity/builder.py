"""Scenes built in Python: a dict that grows, laid out as the JSON of scenes; the library checks it."""

from __future__ import annotations

import json
from typing import Any

from .errors import ArgumentError, InputError
from .model import Model, _plain


class ModelBuilder:
    """Keys are those of scenes (docs/reference/scene.md), SI units, radians. Every method returns the
    builder, so calls can be chained; the library checks the whole in build() and mistakes()."""

    def __init__(self, **keys: Any):
        self.scene: dict[str, Any] = dict(keys)

    def _add(self, kind: str, entry: dict[str, Any]) -> ModelBuilder:
        entries = self.scene.setdefault(kind, [])
        if not isinstance(entries, list):
            raise ArgumentError(f"{kind}: {type(entries).__name__} is not a list, nothing can be added")
        entries.append(entry)
        return self

    def material(self, a: str, b: str, **law: Any) -> ModelBuilder:
        """How two materials behave: friction, restitution, ..."""
        return self._add("materials", {"pair": [a, b], **law})

    @staticmethod
    def shape(type: str, **keys: Any) -> dict[str, Any]:
        """A shape, for body(shapes=[...])."""
        return {"type": type, **keys}

    def body(self, name: str, **keys: Any) -> ModelBuilder:
        """mass (kg), position (m), velocity (m/s), shapes, fixed, ..."""
        return self._add("bodies", {"name": name, **keys})

    def joint(self, name: str, type: str, a: str, b: str, **keys: Any) -> ModelBuilder:
        """Between bodies a and b ("world": the fixed frame): point (m), axis, limits, motor, friction, ..."""
        return self._add("joints", {"name": name, "type": type, "bodies": [a, b], **keys})

    def force(self, type: str, **keys: Any) -> ModelBuilder:
        """force (N), torque (N m) or spring."""
        return self._add("forces", {"type": type, **keys})

    def input(self, name: str, value: float = 0.0) -> ModelBuilder:
        """A number from outside, which expressions use by name."""
        return self._add("inputs", {"name": name, "value": value})

    def parameter(self, name: str, value: float, **keys: Any) -> ModelBuilder:
        """A named constant; unit, range, description."""
        self.scene.setdefault("parameters", {})[name] = {"value": value, **keys} if keys else value
        return self

    def run(self, **keys: Any) -> ModelBuilder:
        """Options of the run: dt (s), until (s), scheme, ..."""
        self.scene.setdefault("run", {}).update(keys)
        return self

    def mistakes(self) -> list[str]:
        """What the library finds wrong so far; empty: nothing."""
        try:
            self.build()
        except InputError as error:
            return list(error.mistakes) or [str(error)]
        return []

    def build(self, **keys: Any) -> Model:
        """The model; keywords as of Model.from_dict."""
        return Model.from_dict(self.scene, **keys)

    def to_json(self, indent: int = 2) -> str:
        """The scene as text, for a file that the program runs."""
        return json.dumps(_plain(self.scene, ""), indent=indent, ensure_ascii=False)

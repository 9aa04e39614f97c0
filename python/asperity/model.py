"""Models: what a scene describes, constant once read."""

from __future__ import annotations

import json
import math
import os
import tempfile
from typing import Any, Mapping, Sequence

import numpy as np

from ._core import Context, encoded, file_name, text
from ._native import ffi, lib
from .errors import ArgumentError, AsperityError, ClosedError

Parameters = Mapping[str, "float | str | Sequence[float | str]"]


class _Scene:
    """The native scene; ends with the last object that uses it."""

    def __init__(self) -> None:
        self.context = Context()
        self.pointer = ffi.new("AspScene *")

    def __del__(self) -> None:
        if getattr(self, "pointer", None) is not None:
            lib.asp_scene_destroy(self.context.pointer, self.pointer)


def _settings(parameters: Parameters | None) -> tuple[Any, list[Any]]:
    lines = []
    if parameters is not None and not isinstance(parameters, Mapping):
        raise ArgumentError(f"parameters: {type(parameters).__name__} is not a dict of names and values")
    pairs = [(n, v) for n, given in (parameters or {}).items() for v in (given if isinstance(given, (list, tuple)) else [given])]
    for name, value in pairs:
        if not isinstance(value, str):
            if isinstance(value, bool) or not isinstance(value, (int, float, np.number)):
                raise ArgumentError(f"parameters['{name}']: {value!r} is neither a number nor an expression")
            if not math.isfinite(value):
                raise ArgumentError(f"parameters['{name}']: {value!r} is not finite")
            value = repr(float(value))
        lines.append(ffi.new("char[]", encoded(f"parameters[{name!r}]", f"{name}={value}")))
    array = ffi.new("const char *[]", lines + [ffi.NULL])
    settings = ffi.new("AspSettings *")
    settings.count, settings.text = len(lines), array
    return settings, [lines, array]


def _plain(value: Any, path: str) -> Any:
    """Python and numpy values as JSON has them; what JSON cannot say is refused by its path."""
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str):
                raise ArgumentError(f"{path or '/'}: the key {key!r} is not a text")
        return {key: _plain(item, f"{path}/{key}") for key, item in value.items()}
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, (list, tuple)):
        return [_plain(item, f"{path}/{i}") for i, item in enumerate(value)]
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float):
        if math.isfinite(value):
            return value
        raise ArgumentError(f"{path}: {value} is not finite")
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    raise ArgumentError(f"{path}: a scene cannot hold {type(value).__name__}; give numbers, texts, lists or dicts")


class Model:
    """Bodies, joints, forces, materials and the options of a run, from a scene. Never changes: worlds in several threads
    may share one. SI units, radians.

    Coordinates: `q` has 7 numbers per body (position of the centre of mass in m, unit quaternion w x y z), in the plane
    3 (x, y in m, angle in rad); `v` has 6 (velocity in m/s, angular velocity in rad/s, world axes), in the plane 3.
    Fixed bodies have entries, too. Beams' coordinates follow. `dofs` counts the velocities of what can move.
    """

    _scene: _Scene | None
    _again: tuple[dict[str, Any], str]

    def __init__(self) -> None:
        raise TypeError("make models by Model.from_file, Model.from_string, Model.from_dict or ModelBuilder")

    @classmethod
    def from_file(cls, path: str | os.PathLike[str], parameters: Parameters | None = None) -> Model:
        """The scene in a JSON file, or a robot model (MJCF, URDF, SDFormat) as one. parameters: values in place of the file's,
        {"mu": 0.4}, as --set of the program; of robot models {"import.keyframe": "home"} and the
        like, {"import.control": ["shoulder=1", "elbow=2"]} for several of a kind."""
        name = file_name(path)

        def read(context: Any, settings: Any, scene: Any, mistakes: Any) -> int:
            return lib.asp_scene_read_set(context, name, settings, scene, mistakes)

        return cls._read(read, parameters, os.fspath(path))

    @classmethod
    def from_string(cls, scene: str, parameters: Parameters | None = None, label: str = "scene") -> Model:
        """The scene in a text: JSON, or a robot model (MJCF, URDF, SDFormat). label: stands for the file in messages; files that a
        scene names lie beside it (a robot model in a text names none: use from_file)."""
        if not isinstance(scene, str):
            raise ArgumentError(f"scene: {type(scene).__name__} is not a text; from_dict takes dicts, from_file paths")
        name = file_name(label)
        try:
            data = scene.encode()
        except UnicodeEncodeError as error:
            raise ArgumentError(f"scene: not a text of Unicode characters ({error})") from None
        if scene.lstrip().startswith("<"):
            return cls._from_robot(data, parameters, os.fsdecode(name))

        def read(context: Any, settings: Any, out: Any, mistakes: Any) -> int:
            return lib.asp_scene_parse_set(context, data, len(data), name, settings, out, mistakes)

        return cls._read(read, parameters, os.fsdecode(name))

    @classmethod
    def _from_robot(cls, data: bytes, parameters: Parameters | None, label: str) -> Model:
        """A robot model in a text: by a file, which messages do not name."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, os.path.basename(label) or "scene")
            path += "" if path.endswith((".xml", ".urdf", ".sdf")) else ".xml"
            with open(path, "wb") as file:
                file.write(data)
            try:
                model = cls.from_file(path, parameters)
            except AsperityError as error:
                lines = tuple(line.replace(path, label) for line in error.mistakes)
                raise type(error)(str(error).replace(path, label), error.code, lines) from None
        model._again = model._again[0], label
        return model

    @classmethod
    def from_dict(cls, scene: Mapping[str, Any], parameters: Parameters | None = None, label: str = "scene") -> Model:
        """The scene as a dict, laid out as the JSON of scenes; numpy arrays and numbers are taken."""
        if not isinstance(scene, Mapping):
            raise ArgumentError(f"scene: {type(scene).__name__} is not a dict; from_string takes texts, from_file paths")
        try:
            plain = json.dumps(_plain(scene, ""))
        except RecursionError:
            raise ArgumentError("scene: a list or dict in it contains itself, or lies too deep") from None
        return cls.from_string(plain, parameters, label)

    @classmethod
    def _read(cls, read: Any, parameters: Parameters | None, label: str) -> Model:
        scene = _Scene()
        settings, kept = _settings(parameters)
        mistakes = ffi.new("AspMistakes *")
        context = scene.context
        context.watch()
        code = read(context.pointer, settings, scene.pointer, mistakes)
        lines = tuple(text(mistakes.line[i]) for i in range(mistakes.count))
        try:
            context.check(code, lines)
        finally:
            lib.asp_mistakes_destroy(context.pointer, mistakes)
        del kept
        self = object.__new__(cls)
        self._scene = scene
        self._again = dict(parameters or {}), label
        return self

    def _share(self) -> Model:
        """The same native model, closed on its own: for worlds."""
        self._native()
        other = object.__new__(Model)
        other._scene, other._again = self._scene, self._again
        return other

    def __reduce__(self) -> Any:
        """Pickled as the scene's text with its parameters: for processes. A robot model is imported already."""
        parameters, label = self._again
        return Model.from_string, (self.scene, {k: v for k, v in parameters.items() if not k.startswith("import.")}, label)

    # ---- the native side ----

    def _native(self) -> Any:
        if self._scene is None:
            raise ClosedError("this model was closed")
        return self._scene.pointer

    @property
    def _model(self) -> Any:
        return self._native().model

    def close(self) -> None:
        """Forget the model; worlds that use it keep it. Using it afterwards raises ClosedError."""
        self._scene = None

    def __enter__(self) -> Model:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        if self._scene is None:
            return "<asperity.Model, closed>"
        return f"<asperity.Model '{self.name}': {len(self.bodies)} bodies, {len(self.joints)} joints, {self.dofs} dofs>"

    # ---- reading ----

    def _list(self, count: Any, name: Any) -> list[str]:
        return [text(name(self._model, i)) for i in range(count(self._model))]

    @property
    def name(self) -> str:
        """Of the scene."""
        return text(self._native().name)

    @property
    def scene(self) -> str:
        """The scene's text as it was read."""
        return text(self._native().text)

    @property
    def dimension(self) -> int:
        """2 or 3."""
        return lib.asp_model_dimension(self._model)

    @property
    def gravity(self) -> np.ndarray:
        """m/s^2."""
        g = lib.asp_model_gravity(self._model)
        return np.array([g.x, g.y, g.z])

    @property
    def bodies(self) -> list[str]:
        """Names, in the order of q and v."""
        return self._list(lib.asp_model_body_count, lib.asp_model_body_name)

    @property
    def joints(self) -> list[str]:
        """Names, in the order of World.joints."""
        return self._list(lib.asp_model_joint_count, lib.asp_model_joint_name)

    @property
    def inputs(self) -> list[str]:
        """Names, in the order of World.inputs; quantities of the state that expressions use are among them."""
        return self._list(lib.asp_model_input_count, lib.asp_model_input_name)

    @property
    def controls(self) -> list[str]:
        """Names of the inputs that can be set, in the order of the controls of rollout and Batch."""
        return [name for i, name in enumerate(self.inputs) if not lib.asp_model_is_sensor(self._model, i)]

    @property
    def q_size(self) -> int:
        """Numbers in q."""
        return lib.asp_model_q_size(self._model)

    @property
    def v_size(self) -> int:
        """Numbers in v."""
        return lib.asp_model_v_size(self._model)

    @property
    def dofs(self) -> int:
        """Velocities of dynamic bodies and beams."""
        return lib.asp_model_dof_count(self._model)

    @property
    def state_size(self) -> int:
        """Of a state as one row: time, q, v."""
        return 1 + self.q_size + self.v_size

    def _find(self, kind: str, key: int | str, names: Sequence[str]) -> int:
        if isinstance(key, (int, np.integer)) and not isinstance(key, bool):
            if 0 <= key < len(names):
                return int(key)
            raise ArgumentError(f"{kind} {key}: the model has {len(names)}, numbered from 0")
        if key in names:
            return names.index(key)  # type: ignore[arg-type]
        import difflib

        close = difflib.get_close_matches(str(key), names, 3)
        hint = f"did you mean {' or '.join(map(repr, close))}?" if close else f"it has {', '.join(map(repr, names[:8])) or 'none'}"
        raise ArgumentError(f"{kind} {key!r}: not in the model; {hint}")

    def body_index(self, body: int | str) -> int:
        """The number of a body; a number is checked."""
        if isinstance(body, str):
            index = lib.asp_model_find_body(self._model, encoded("body", body))
            if index >= 0:
                return index
        return self._find("body", body, self.bodies)

    def joint_index(self, joint: int | str) -> int:
        """The number of a joint; a number is checked."""
        if isinstance(joint, str):
            index = lib.asp_model_find_joint(self._model, encoded("joint", joint))
            if index >= 0:
                return index
        return self._find("joint", joint, self.joints)

    def input_index(self, name: int | str) -> int:
        """The number of an input; a number is checked."""
        return self._find("input", name, self.inputs)

    def body_kind(self, body: int | str) -> str:
        """dynamic, fixed, kinematic or station."""
        return text(lib.asp_body_kind_name(lib.asp_model_body_kind(self._model, self.body_index(body))))

    def body_mass(self, body: int | str) -> float:
        """kg."""
        return lib.asp_model_body_mass(self._model, self.body_index(body))

    def body_inertia(self, body: int | str) -> np.ndarray:
        """3 x 3 about the centre of mass, body frame, kg m^2."""
        return np.array(list(lib.asp_model_body_inertia(self._model, self.body_index(body)).m)).reshape(3, 3)

    def joint_kind(self, joint: int | str) -> str:
        """revolute, prismatic, ..."""
        return text(lib.asp_joint_kind_name(lib.asp_model_joint_kind(self._model, self.joint_index(joint))))

    @property
    def parameters(self) -> dict[str, float]:
        """Values of the scene's parameters."""
        scene = self._native()
        return {text(scene.parameter[i].name): scene.parameter[i].value for i in range(scene.parameter_count)}

    @property
    def options(self) -> dict[str, Any]:
        """Options of the run that the scene gives, defaults where it gives none; keys as in scenes ("friction.model")."""
        from .options import read_options

        return read_options(ffi.addressof(self._native(), "run"))

    @property
    def warnings(self) -> list[str]:
        """What was done otherwise than written."""
        scene = self._native()
        return [text(scene.warnings.line[i]) for i in range(scene.warnings.count)]

    @property
    def notes(self) -> list[str]:
        """What is worth knowing about the scene."""
        scene = self._native()
        return [text(scene.notes.line[i]) for i in range(scene.notes.count)]

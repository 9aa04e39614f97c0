"""A world as an environment for learning, with the calls of Gymnasium (reset, step with five values), without needing it."""

from __future__ import annotations

from typing import Any, Callable, Sequence

import numpy as np

from ._core import numbers, whole
from .errors import ArgumentError
from .model import Model
from .world import World


class Box:
    """An interval for each entry: what spaces of Gymnasium with this name offer."""

    def __init__(self, low: Any, high: Any, seed: int | None = None):
        self.low, self.high = np.asarray(low, float), np.asarray(high, float)
        self.shape, self.dtype = self.low.shape, np.dtype(float)
        self._random = np.random.default_rng(seed)

    def sample(self) -> np.ndarray:
        """Uniform; where an end is open, within 1 of the other, or of 0."""
        low = np.where(np.isfinite(self.low), self.low, np.where(np.isfinite(self.high), self.high - 1, -1))
        high = np.where(np.isfinite(self.high), self.high, low + np.where(np.isfinite(self.low), 1, 2))
        return self._random.uniform(low, high)

    def contains(self, value: Any) -> bool:
        """Shape and bounds fit."""
        value = np.asarray(value)
        return value.shape == self.shape and bool(((value >= self.low) & (value <= self.high)).all())


def _bound(name: str, value: Any, shape: tuple[int, ...]) -> np.ndarray:
    try:
        return np.broadcast_to(np.asarray(value, float), shape).copy()
    except (TypeError, ValueError):
        raise ArgumentError(f"{name}: {value!r} is neither a number nor one for each of {shape[0]} actions") from None


class Environment:
    """Actions are values of inputs, held over steps_per_action steps.

    actions: names of inputs (default: all). low, high: their bounds; actions beyond are cut off. observe(world): an
    array (default: q and v). reward(world): a number. terminated(world): the goal or a failure is reached (default: a stop
    condition of the scene holds). begin(world, random): set the state of an episode. max_steps: actions of an episode.
    info has certified, resolved and residual (the worst of the steps).
    """

    metadata: dict[str, Any] = {"render_modes": []}

    def __init__(
        self,
        model: Model,
        reward: Callable[[World], float],
        *,
        actions: Sequence[str] | None = None,
        low: Any = -np.inf,
        high: Any = np.inf,
        observe: Callable[[World], Any] | None = None,
        terminated: Callable[[World], bool] | None = None,
        begin: Callable[[World, np.random.Generator], None] | None = None,
        steps_per_action: int = 1,
        max_steps: int | None = None,
        **options: Any,
    ):
        for name, function in (("reward", reward), ("observe", observe), ("terminated", terminated), ("begin", begin)):
            if not callable(function) and not (function is None and name != "reward"):
                raise ArgumentError(f"{name}: {type(function).__name__} is not a function of the world")
        if isinstance(actions, str):
            raise ArgumentError(f"actions: give a list of names, [{actions!r}]")
        steps_per_action = whole("steps_per_action", steps_per_action, 1)
        self.world = World(model, **options)
        self._inputs = [model.input_index(name) for name in (model.controls if actions is None else actions)]
        self._reward, self._observe, self._terminated, self._begin = reward, observe, terminated, begin
        self.steps_per_action = steps_per_action
        self.max_steps = None if max_steps is None else whole("max_steps", max_steps, 1)
        self._count = 0
        self._random = np.random.default_rng()
        shape = (len(self._inputs),)
        least, most = _bound("low", low, shape), _bound("high", high, shape)
        if not (least <= most).all():
            raise ArgumentError(f"low, high: {least} to {most} are not intervals")
        self.action_space = Box(least, most)
        size = self._look().shape
        self.observation_space = Box(np.full(size, -np.inf), np.full(size, np.inf))

    def _look(self) -> np.ndarray:
        world = self.world
        if self._observe is not None:
            return np.array(self._observe(world), float)
        return np.concatenate((world.q, world.v))

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[np.ndarray, dict[str, Any]]:
        """Begin an episode: first observation, info."""
        if seed is not None:
            self._random = np.random.default_rng(seed)
            self.action_space._random = np.random.default_rng(seed)
        self.world.reset()
        self._count = 0
        if self._begin is not None:
            self._begin(self.world, self._random)
        return self._look(), {}

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Observation, reward, terminated, truncated, info."""
        world = self.world
        values = numbers("action", np.atleast_1d(action), self.action_space.shape)
        world.inputs[self._inputs] = np.clip(values, self.action_space.low, self.action_space.high)
        run = world.run(steps=self.steps_per_action)
        self._count += 1
        ended = bool(self._terminated(world)) if self._terminated is not None else run.stop_reason is not None
        truncated = self.max_steps is not None and self._count >= self.max_steps
        info = {"certified": run.certified, "resolved": run.resolved, "residual": run.residual, "time": world.time}
        return self._look(), float(self._reward(world)), ended, truncated, info

    def close(self) -> None:
        """End the world."""
        self.world.close()

    def __enter__(self) -> Environment:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def for_gymnasium(self) -> Any:
        """The same as a gymnasium.Env with gymnasium's spaces, for wrappers and learners that ask for the type. Needs gymnasium."""
        try:
            import gymnasium
        except ImportError:
            raise ImportError("for_gymnasium() needs gymnasium; the environment itself does not") from None
        inner = self

        def space(box: Box) -> Any:
            return gymnasium.spaces.Box(low=box.low, high=box.high, shape=box.shape, dtype=box.dtype.type)

        class Wrapped(gymnasium.Env):  # type: ignore[misc]
            metadata = inner.metadata
            action_space, observation_space = space(inner.action_space), space(inner.observation_space)
            world = inner.world

            def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
                super().reset(seed=seed)
                return inner.reset(seed=seed, options=options)

            def step(self, action: Any) -> Any:
                return inner.step(action)

            def close(self) -> None:
                inner.close()

        return Wrapped()

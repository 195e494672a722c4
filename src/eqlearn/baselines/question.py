"""What every method is asked and what it answers, however it learns."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from eqlearn._types import Array
from eqlearn.data.table import checked_samples
from eqlearn.errors import must
from eqlearn.problems import Learned


class NotPossible(Exception):
    """The question is one that the method cannot answer."""


@dataclass(frozen=True)
class Question:
    """A table to be explained; the noise is that of each target (M,)."""

    x: Array
    y: Array
    names: tuple[str, ...]  # of the inputs
    seed: int
    time_limit: float  # seconds
    noise: Array
    far: tuple[Array, Array] | None = None
    n_workers: int = 1  # processes, for those who can use them
    run_dir: Path | None = None  # where methods that can go on keep what is finished
    follow: Callable[[Any], None] = lambda progress: None  # of searches like ours

    def __post_init__(self) -> None:
        checked_samples(self.x, self.y)
        (_, n_inputs), (_, n_targets) = self.x.shape, self.y.shape
        if len(self.names) != n_inputs:
            raise must("names", f"one for each of {n_inputs} inputs", self.names)
        if not self.time_limit > 0:
            raise must("time_limit", "above 0, and may be infinite", self.time_limit)
        if np.shape(self.noise) != (n_targets,):
            raise must("noise", f"one for each of {n_targets} targets", self.noise)
        if self.far is not None:
            x, y = checked_samples(*self.far)
            if (x.shape[1], y.shape[1]) != (n_inputs, n_targets):
                what = f"points with {n_inputs} inputs and {n_targets} targets"
                raise must("far", what, (x.shape[1], y.shape[1]))

    @property
    def n_targets(self) -> int:
        """How many targets the table has."""
        return len(self.noise)

    def targets(self) -> "list[Question]":
        """Ask for each target alone, in its part of the time."""
        return [
            replace(
                self,
                y=self.y[:, [m]],
                noise=self.noise[[m]],
                far=None if self.far is None else (self.far[0], self.far[1][:, [m]]),
                time_limit=self.time_limit / self.n_targets,
            )
            for m in range(self.n_targets)
        ]


@dataclass(frozen=True)
class Answer:
    """What was learned for one target, and what a method has to say about it."""

    learned: Learned
    parameters: int
    restarts: int  # of networks, or generations
    remarks: dict[str, Any] = field(default_factory=dict)
    candidates: tuple[tuple[dict[str, float], Learned], ...] = ()  # it chose from


#: One answer for each target; None where nothing was found.
Method: TypeAlias = Callable[[Question], list[Answer | None]]


class Clock:
    """Counts seconds down from when it is made."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    @property
    def left(self) -> float:
        """Seconds that are left, at least 0."""
        return max(0.0, self._end - time.monotonic())


def peer(module: str) -> Any:
    """Import a module that comes with the extra `peers`."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        package = module.partition(".")[0]
        message = f'{package} is missing. Run: pip install "eqlearn[peers]"'
        raise NotPossible(message) from error

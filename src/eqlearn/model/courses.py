"""Measured and simulated courses of motion, as they are kept beside a model."""

import os
from typing import Any, NamedTuple

import numpy as np

from eqlearn._types import Array, Integers
from eqlearn.errors import malformed


class Courses(NamedTuple):
    """Rows of all trajectories that were followed, one after the other."""

    run: Integers  # (N,) number of the trajectory
    piece: Integers  # (N,) number of the piece, each followed from its own start
    t: Array  # (N,)
    measured: Array  # (N, S) of states that are measured, the first ones
    simulated: Array  # (N, S) with constants from all rows
    forecast: Array  # (N, S) with constants from earlier rows only; NaN in those

    @property
    def n_measured(self) -> int:
        """How many states are measured."""
        return int(self.measured.shape[1])


def save_courses(path: str | os.PathLike[str], courses: Courses) -> None:
    """Write courses as a file of arrays."""
    arrays: dict[str, Any] = courses._asdict()
    np.savez_compressed(path, **arrays)


def load_courses(path: str | os.PathLike[str]) -> Courses:
    """Read courses; nothing in the file is run."""
    try:
        with np.load(path, allow_pickle=False) as file:
            return Courses(**{name: file[name] for name in Courses._fields})
    except (OSError, ValueError, KeyError) as error:
        hint = "Run eqlearn dynamics again."
        what, got = "hold courses of motion", str(error)
        raise malformed(os.fspath(path), what, got, hint) from error

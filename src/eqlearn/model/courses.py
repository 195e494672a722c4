"""Measured and simulated courses of motion, as they are kept beside a model."""

import os
import zipfile
import zlib
from typing import Any, NamedTuple

import numpy as np

from eqlearn._types import Array, Integers
from eqlearn.data.table import check_memory
from eqlearn.data.write_table import beside
from eqlearn.errors import malformed, must

#: What NumPy raises when a file is not what it should be.
_UNREADABLE = (
    *(OSError, ValueError, KeyError, EOFError, TypeError, SyntaxError),
    *(zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError),
)


#: What motion has for targets: the rate of a state, or of a map its next value.
RATE, NEXT_VALUE = "d{}/dt", "{}[k+1]"


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
    """Write courses as a file of arrays, whole or not at all."""
    arrays: dict[str, Any] = courses._asdict()
    try:
        with beside(path, follow=False) as file:
            np.savez_compressed(file, **arrays)
    except OSError as error:
        reason = f"{error.strerror or error}."
        raise must("path", "a place to write", os.fspath(path), reason) from error


def load_courses(path: str | os.PathLike[str]) -> Courses:
    """Read courses; nothing in the file is run."""
    try:
        with zipfile.ZipFile(path) as archive:
            # What it says its content will take, before any of it is unpacked.
            size = sum(member.file_size for member in archive.infolist())
        check_memory(os.fspath(path), size)
        with np.load(path, allow_pickle=False) as file:
            return _checked(Courses(**{name: file[name] for name in Courses._fields}))
    except _UNREADABLE as error:
        hint = "Run eqlearn dynamics again."
        what, got = "hold courses of motion", f"{error}".partition("\n")[0]
        raise malformed(os.fspath(path), what, got, hint) from error


def _checked(courses: Courses) -> Courses:
    """Refuse arrays that do not belong together."""
    n, n_states = len(courses.t), np.shape(courses.simulated)[-1:]
    n_measured = np.shape(courses.measured)[-1:]
    shapes = [np.shape(array) for array in courses]
    expected = [(n,), (n,), (n,), (n, *n_measured), (n, *n_states), (n, *n_states)]
    if shapes != expected or not n or not 0 < n_measured[0] <= n_states[0]:
        raise ValueError(f"arrays of shapes {shapes}")
    for name, array in courses._asdict().items():
        kinds = "iu" if name in ("run", "piece") else "f"
        if array.dtype.kind not in kinds:
            raise ValueError(f"{array.dtype} for {name}")
    return courses

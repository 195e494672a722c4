"""Trajectories as they were measured, checked; gaps split them, if they are long."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from eqlearn._types import Array, Booleans, Integers
from eqlearn.errors import must, printable

#: A trajectory of fewer rows has no rates to speak of.
FEWEST_ROWS = 8
#: Times the usual step about it: a longer one is a pause, which no spline bridges.
_PAUSE = 6.0
#: Steps on either side that tell what the usual one is, and the share of them that it
#: is not shorter than: at random times, many steps are far longer than the median one.
_ABOUT, _USUAL = 5, 0.8


class TimeSeries(NamedTuple):
    """One trajectory: states and inputs at times that only grow."""

    t: Array  # (N,)
    states: Array  # (N, S)
    inputs: Array  # (N, A)


def time_series(
    states: Any,
    t: Any,
    inputs: Any = None,
    *,
    n_inputs: int | None = None,
    flows: bool = False,
) -> list[TimeSeries]:
    """Trajectories from one array or a list of them; rows with gaps split them.

    `t` is the times of each trajectory, of all if they are the same, or the step. If
    motion flows on from row to row, rows with gaps may be missing, and only a pause
    splits a trajectory.
    """
    split = _without_pauses if flows else _without_gaps
    runs = _listed("states", states)
    times = _times(t, runs)
    driven = _inputs(inputs, runs)
    found = []
    for k, (x, when, u) in enumerate(zip(runs, times, driven, strict=True)):
        found += split(_checked(k, x, when, u))
    _check_same_width("states", [one.states for one in found])
    _check_same_width("inputs", [one.inputs for one in found], n_inputs)
    if not found:
        what = f"trajectories of at least {FEWEST_ROWS} rows without gaps"
        raise must("states", what, [len(run) for run in runs])
    return found


def check_changing(runs: Sequence[TimeSeries], names: Sequence[str]) -> None:
    """Refuse a state that is the same in every row: nothing can be learned of it."""
    for k, name in enumerate(names):
        values = np.concatenate([run.states[:, k] for run in runs])
        if np.ptp(values) == 0:
            what, got = "of columns that change", f"{values[0]:g} in every row"
            hint = "Give it as an input, or leave it out."
            raise must("states", what, got, hint, where=f"of `{printable(name)}`")


def _listed(name: str, given: Any) -> list[Array]:
    """One array for each trajectory: only a list of arrays is several."""
    several = list(given) if _is_several(given) else [given]
    return [_columns(name, one) for one in several]


def _is_several(given: Any) -> bool:
    is_list = isinstance(given, list | tuple) and len(given) > 0
    return is_list and all(hasattr(one, "__array__") and np.ndim(one) for one in given)


def _columns(name: str, given: Any) -> Array:
    try:
        values = np.asarray(given, dtype=float)
    except (TypeError, ValueError) as error:
        raise must(name, "numbers", type(given).__name__) from error
    if values.ndim == 1:
        values = values[:, None]
    if values.ndim != 2 or (name == "states" and not values.shape[1]):
        raise must(name, "an array of rows and columns, or a list of such", values)
    return values


def _times(t: Any, runs: list[Array]) -> list[Array]:
    if np.ndim(t) == 0:
        step = float(t)
        if not (np.isfinite(step) and step > 0):
            raise must("t", "times, or a step above 0", t)
        return [step * np.arange(len(run), dtype=np.float64) for run in runs]
    if _is_several(t):
        times = [np.asarray(one, dtype=float) for one in t]
    else:
        times = [np.asarray(t, dtype=float)] * len(runs)
    if len(times) != len(runs):
        raise must("t", f"one for each of {len(runs)} trajectories", len(times))
    return times


def _inputs(inputs: Any, runs: list[Array]) -> list[Array]:
    if inputs is None:
        return [np.zeros((len(run), 0)) for run in runs]
    driven = _listed("inputs", inputs)
    if len(driven) != len(runs):
        raise must("inputs", f"one for each of {len(runs)} trajectories", len(driven))
    return driven


def _checked(k: int, x: Array, t: Array, u: Array) -> TimeSeries:
    where = f"in trajectory {k + 1}"
    if t.shape != (len(x),):
        raise must("t", f"one time for each of {len(x)} rows", t, where=where)
    if len(u) != len(x):
        raise must("inputs", f"of {len(x)} rows, as states", u, where=where)
    if not np.all(np.isfinite(t)):
        row = int(np.flatnonzero(~np.isfinite(t))[0]) + 1
        raise must("t", "finite", t[row - 1], where=f"{where}, row {row}")
    late = np.flatnonzero(np.diff(t) <= 0)
    if len(late):
        row = int(late[0]) + 2
        hint = "Sort the rows, and name trajectories apart."
        place = f"{where}, row {row}"
        raise must("t", "growing from row to row", float(t[row - 1]), hint, where=place)
    for name, values in (("states", x), ("inputs", u)):
        if np.any(np.isinf(values)):
            raise must(name, "finite, or NaN where missing", np.inf, where=where)
    return TimeSeries(t, x, u)


def _without_gaps(run: TimeSeries) -> list[TimeSeries]:
    """The stretches without missing values that are long enough."""
    whole = _is_whole(run)
    ends = np.flatnonzero(np.diff(np.concatenate([[0], whole.astype(int), [0]])))
    return _stretches(run, ends[::2], ends[1::2])


def _without_pauses(run: TimeSeries) -> list[TimeSeries]:
    """The rows without missing values, split where none is for long."""
    whole = _is_whole(run)
    kept = TimeSeries(*(column[whole] for column in run))
    if len(kept.t) < FEWEST_ROWS:
        return []
    steps = np.diff(kept.t)
    about = np.pad(steps, _ABOUT, mode="reflect")
    near = sliding_window_view(about, 2 * _ABOUT + 1)
    usual = np.quantile(near, _USUAL, axis=1)
    pauses = np.flatnonzero(steps > _PAUSE * usual) + 1
    ends = np.concatenate([[0], pauses, [len(kept.t)]])
    return _stretches(kept, ends[:-1], ends[1:])


def _is_whole(run: TimeSeries) -> Booleans:
    """Which rows have no missing value."""
    is_there: Booleans = np.isfinite(np.hstack([run.states, run.inputs]))
    found: Booleans = np.all(is_there, axis=1)
    return found


def _stretches(run: TimeSeries, begins: Integers, ends: Integers) -> list[TimeSeries]:
    return [
        TimeSeries(*(column[first:last] for column in run))
        for first, last in zip(begins, ends, strict=True)
        if last - first >= FEWEST_ROWS
    ]


def _check_same_width(name: str, columns: list[Array], n: int | None = None) -> None:
    widths = {column.shape[1] for column in columns}
    if n is not None:
        widths.add(n)
    if len(widths) > 1:
        raise must(name, "of the same columns in all trajectories", sorted(widths))

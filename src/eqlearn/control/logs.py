"""Trajectories as files: written to be read again, and logs of other programs."""

import csv
import io
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO

import numpy as np

from eqlearn._types import Array
from eqlearn.control.rollouts import Trajectory, trajectory
from eqlearn.data.read import read_table
from eqlearn.data.table import Table, column_of
from eqlearn.data.write_table import beside
from eqlearn.errors import must, unknown

# How columns of a file are named, so that it can be read without being told.
_STATE, _ACTION, _TIME, _REWARD = "state:", "action:", "time", "reward"
# Logs are not written by a perfect clock; this share of a step may be off.
_JITTER = 0.01


def write(path: str | os.PathLike[str], run: Trajectory) -> None:
    """Write a trajectory as .csv or .npz: a column each for time, states, actions.

    In the last row, a state after which nothing was done, action and reward are 0.
    """
    columns = {_TIME: np.arange(float(len(run.states))) * run.dt}
    for name, values in zip(run.state_names, run.states.T, strict=True):
        columns[_STATE + name] = values
    for name, values in zip(run.action_names, run.actions.T, strict=True):
        columns[_ACTION + name] = np.append(values, 0.0)
    if np.isfinite(run.rewards).all():
        columns[_REWARD] = np.append(run.rewards, 0.0)
    ending = Path(path).suffix
    if ending not in _WRITERS:
        raise unknown("path", ending, _WRITERS)
    try:
        with beside(path, follow=False) as file:
            _WRITERS[ending](file, columns)
    except OSError as error:
        what, hint = "a file that can be written", f"{error.strerror or error}."
        raise must("path", what, os.fspath(path), hint) from error


def read(
    path: str | os.PathLike[str],
    *,
    states: Sequence[str] | None = None,
    actions: Sequence[str] | None = None,
    time: str = _TIME,
    dt: float | None = None,
) -> Trajectory:
    """Read a trajectory that was written here, or a log with one row a step.

    Parameters
    ----------
    path : str or path-like
        A .csv, .npz or other table. The action in a row is the one taken in the state
        of that row; the last one is not used.
    states, actions : sequence of str, optional
        Their columns; by default those named ``state:...`` and ``action:...``.
    time : str
        The column of times in seconds, evenly spaced.
    dt : float, optional
        Seconds from row to row, for a log without times.
    """
    only = None
    if states is not None and actions is not None:
        only = [*states, *actions, *([time] if dt is None else [])]
    table = read_table(path, only=only)
    state_columns = _columns(table, "states", states, _STATE)
    action_columns = _columns(table, "actions", actions, _ACTION)
    if dt is None:
        dt = _spacing(table.values[:, _columns(table, "time", [time], "")[0]])
    rewards = None
    if _REWARD in table.names:
        rewards = table.values[:-1, table.names.index(_REWARD)]
    return trajectory(
        table.values[:, state_columns],
        table.values[:-1, action_columns],
        dt,
        rewards,
        [table.names[at].removeprefix(_STATE) for at in state_columns],
        [table.names[at].removeprefix(_ACTION) for at in action_columns],
    )


def _columns(
    table: Table, asked: str, names: Sequence[str] | None, prefix: str
) -> list[int]:
    if names is None:
        names = [name for name in table.names if name.startswith(prefix)]
    if not names:
        hint = f"None is named {prefix}... in {table.source}."
        if asked == "actions":
            hint += " Motion without actions is learned by `eqlearn dynamics`."
        raise must(asked, "names of columns", names, hint)
    return [
        column_of(table.names, name, asked=asked, source=table.source) for name in names
    ]


def _spacing(times: Array) -> float:
    if len(times) < 2:
        raise must("time", "a column of at least two times", times)
    steps = np.diff(times)
    dt = float(steps.mean())
    uneven = np.flatnonzero(~(np.abs(steps - dt) <= _JITTER * abs(dt)))
    if dt <= 0 or len(uneven):
        row = int(uneven[0]) + 1 if len(uneven) else 1
        where = f"after row {row} (mean {dt:.6g})"
        hint = "`eqlearn dynamics` learns from logs at uneven times."
        raise must("time", "evenly spaced", float(steps[row - 1]), hint, where=where)
    return dt


def _write_csv(file: IO[bytes], columns: dict[str, Array]) -> None:
    text = io.TextIOWrapper(file, newline="", encoding="utf-8")
    rows = csv.writer(text)
    rows.writerow(columns)
    # Python writes as many digits as reading the same number back takes.
    rows.writerows(zip(*(values.tolist() for values in columns.values()), strict=True))
    text.detach()


def _write_npz(file: IO[bytes], columns: dict[str, Array]) -> None:
    # NumPy's stubs take any of the arrays for its own argument `allow_pickle`.
    np.savez(file, **columns)  # type: ignore[arg-type]


_WRITERS: dict[str, Callable[[IO[bytes], dict[str, Array]], None]] = {
    ".csv": _write_csv,
    ".npz": _write_npz,
}

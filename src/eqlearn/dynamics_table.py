"""From tables of trajectories to a run directory: read, learn, keep."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from eqlearn._types import Array, Tell
from eqlearn.data.choose import names_first
from eqlearn.data.read import read_table
from eqlearn.data.table import column_of
from eqlearn.errors import EqlearnError, malformed, must
from eqlearn.model.model import Origin
from eqlearn.run_directory import WrittenRun, write_run

if TYPE_CHECKING:
    from pandas import DataFrame

#: Endings of files that pandas reads as Parquet; all others are text.
_PARQUET = (".parquet", ".pq")


def dynamics_table(
    sources: Sequence[str],
    run_dir: Path,
    *,
    time: str,
    states: Sequence[str],
    inputs: Sequence[str] = (),
    trajectory: str | None = None,
    tell: Tell = lambda line: None,
    seed: int = 0,
    jobs: int = 1,
    **parameters: Any,
) -> WrittenRun:
    """Learn the equations of motion of logs and keep them in a run directory.

    Parameters
    ----------
    sources : sequence of str
        Tables; each is a trajectory of its own, or several.
    run_dir : Path
        Where the run is kept.
    time : str
        The column of times.
    states, inputs : sequences of str
        Columns; rows with an empty cell are left out.
    trajectory : str, optional
        The column that tells trajectories apart.
    tell : callable
        Called with every line that a user should know before the search.
    seed, jobs : int
        The random state and the number of processes of the search.
    **parameters
        Further parameters of `DynamicsLearner`.
    """
    named = [time, *states, *inputs]
    for name in {one for one in named if named.count(one) > 1}:
        raise must("states", "columns other than time and inputs", name)
    asked = {"time": [time], "states": states}
    asked |= {"inputs": inputs} if inputs else {}
    asked |= {} if trajectory is None else {"trajectory": [trajectory]}
    runs = []
    for one in sources:
        with names_first(one, asked):
            runs += _runs_of(one, named, trajectory, tell)
    from eqlearn.learners.dynamics_learner import DynamicsLearner

    learner = DynamicsLearner(
        run_dir=run_dir, random_state=seed, n_jobs=jobs, **parameters
    )
    n_states = len(states)
    learner.fit(
        [run[:, 1 : 1 + n_states] for run in runs],
        [run[:, 0] for run in runs],
        [run[:, 1 + n_states :] for run in runs] if inputs else None,
        state_names=states,
        input_names=inputs,
    )
    model = replace(learner.model_, origin=Origin(logs=tuple(sources)))
    rows = learner.discovered_.rows
    return write_run(run_dir, model, rows.x, rows.rates, learner.courses_)


def _runs_of(
    source: str, named: Sequence[str], trajectory: str | None, tell: Tell
) -> list[Array]:
    """The trajectories of one table: rows of time, states and inputs."""
    values = _numbers(source, named, tell)
    if trajectory is None:
        return [_in_time(values, source, tell)]
    marks = _marks(source, trajectory)
    if len(marks) != len(values):
        hint = "Fill the column in."
        raise malformed(source, "name the trajectory in every row", "gaps", hint)
    order = dict.fromkeys(marks)
    member = np.array(marks, dtype=object)
    return [_in_time(values[member == mark], source, tell) for mark in order]


def _in_time(values: Array, source: str, tell: Tell) -> Array:
    """Rows in the order of time; what was out of order is put right."""
    steps = np.diff(values[:, 0])
    if np.all(steps > 0):
        return values
    ordered = values[np.argsort(values[:, 0], kind="stable")]
    if np.any(np.diff(ordered[:, 0]) == 0):
        row = int(np.flatnonzero(np.diff(ordered[:, 0]) == 0)[0])
        what, hint = "have each time once", "Name the column of trajectories."
        raise malformed(source, what, f"{ordered[row, 0]:g} twice", hint)
    tell(f"`{source}`: rows are sorted by time")
    return ordered


def _numbers(source: str, named: Sequence[str], tell: Tell) -> Array:
    """Columns as numbers; where a cell is empty, NaN."""
    try:
        table = read_table(source, named)
    except EqlearnError as error:
        gaps = _with_gaps(source, named)
        if gaps is None:
            raise
        n_gaps = int(np.sum(~np.isfinite(gaps).all(axis=1)))
        if not n_gaps or not np.isfinite(gaps[:, 0]).all():
            raise error
        rows = "1 row" if n_gaps == 1 else f"{n_gaps:,} rows"
        tell(f"`{source}`: {rows} with gaps left out")
        return gaps
    for line in table.warnings:
        tell(line)
    places = [column_of(table.names, name, source=source) for name in named]
    return table.values[:, places]


def _with_gaps(source: str, named: Sequence[str]) -> Array | None:
    """Columns with NaN for empty cells; None if something else is wrong with them."""
    import pandas

    try:
        frame = _frame(source, named)
        columns = [pandas.to_numeric(frame[name]) for name in named]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return np.stack([column.to_numpy(float) for column in columns], axis=1)


def _marks(source: str, trajectory: str) -> list[str]:
    """What a column says of each row, as text."""
    try:
        column = _frame(source, [trajectory])[trajectory]
    except (OSError, ValueError, KeyError) as error:
        hint = "Check the name of the column."
        what = f"have a column `{trajectory}`"
        raise malformed(source, what, "none of this name", hint) from error
    return [str(mark) for mark in column if mark is not None and mark == mark]


def _frame(source: str, named: Sequence[str]) -> "DataFrame":
    import pandas

    if Path(source).suffix in _PARQUET:
        return pandas.read_parquet(source, columns=list(named))
    frame = pandas.read_csv(source, sep=None, engine="python", skipinitialspace=True)
    return frame.rename(columns=lambda name: str(name).strip())[list(named)]

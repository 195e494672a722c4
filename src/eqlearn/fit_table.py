"""From a table to a run directory: read, learn, keep."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from eqlearn._types import Array, Tell
from eqlearn.data.choose import ChosenColumns, choose_columns
from eqlearn.data.read import read_table
from eqlearn.data.table import (
    Table,
    checked_weight,
    column_of,
    offset_remarks,
    weight_remarks,
)
from eqlearn.errors import EqlearnError, must, printable
from eqlearn.model.model import Origin
from eqlearn.run_directory import MODEL, WrittenRun, columns_of, open_run, write_run

if TYPE_CHECKING:
    from pandas import DataFrame

Ranges = Mapping[str, tuple[float, float]]


def fit_table(
    source: str,
    targets: Sequence[str],
    run_dir: Path,
    *,
    inputs: Sequence[str] | None = None,
    weights: str | None = None,
    extrapolation: str | None = None,
    domain: Ranges | None = None,
    tell: Tell = lambda line: None,
    seed: int = 0,
    jobs: int = -1,
    **parameters: Any,
) -> WrittenRun:
    """Learn the equations of a table's targets and keep them in a run directory.

    Parameters
    ----------
    source : str
        The table.
    targets, inputs : sequences of str
        Columns; the inputs are by default all that are not named otherwise.
    run_dir : Path
        Where the run is kept; the same request again goes on from there.
    weights : str, optional
        The column that says how much each row counts.
    extrapolation : str, optional
        A table of labelled far points.
    domain : mapping of names to (low, high), optional
        Where the equations will be used.
    tell : callable
        Called with every line that a user should know before the search.
    seed, jobs : int
        The random state and the number of processes of the learner.
    **parameters
        Further parameters of `EquationLearner`.
    """
    samples, weight = _read(source, targets, inputs, weights)
    _check_same_columns(run_dir, samples)
    far = None if extrapolation is None else _read_far(extrapolation, samples)
    ranges = _named_ranges(domain or {}, samples.inputs)
    remarks = offset_remarks(samples.inputs, samples.x)
    remarks += [] if weight is None else weight_remarks(weight)
    for line in (*samples.warnings, *(far.warnings if far else ()), *remarks):
        tell(line)
    # Before the search: who knows what will be in the file when it ends.
    origin = Origin(table=source, sha256=_digest(source))
    # Here, not above: a table is read and refused before this would have been loaded.
    from eqlearn.estimator import EquationLearner

    learner = EquationLearner(
        run_dir=run_dir,
        domain=ranges or None,
        random_state=seed,
        n_jobs=jobs,
        **parameters,
    ).fit(
        _frame(samples.x, samples.inputs),
        _frame(samples.y, samples.targets),
        sample_weight=weight,
        extrapolation=None if far is None else (_frame(far.x, far.inputs), far.y),
    )
    model = replace(learner.model_, origin=origin)
    return write_run(run_dir, model, samples.x, samples.y)


def _read(
    source: str,
    targets: Sequence[str],
    inputs: Sequence[str] | None,
    weights: str | None,
) -> tuple[ChosenColumns, Array | None]:
    named = [*targets, *(inputs or ()), *([] if weights is None else [weights])]
    table = _read_all(source) if inputs is None else read_table(source, named)
    if weights is None:
        return choose_columns(table, targets, inputs), None
    at = column_of(table.names, weights, asked="weights", source=source)
    names = table.names[:at] + table.names[at + 1 :]
    rest = replace(table, names=names, values=np.delete(table.values, at, axis=1))
    samples = choose_columns(rest, targets, inputs)
    return samples, checked_weight(table.values[:, at], len(table.values))


def _read_all(source: str) -> Table:
    try:
        return read_table(source)
    except EqlearnError as error:
        if "leave the column out" not in str(error):
            raise
        raise EqlearnError(f"{error} Name those to use by `inputs`.") from error


def _read_far(source: str, samples: ChosenColumns) -> ChosenColumns:
    """Read far points, of which few are enough."""
    names = samples.inputs, samples.targets
    table = read_table(source, only=[*samples.inputs, *samples.targets])
    x, y = (columns_of(table, some) for some in names)
    return ChosenColumns(x, y, *names, table.warnings)


def _check_same_columns(run_dir: Path, samples: ChosenColumns) -> None:
    """Say in time, and in words, that a directory has another run."""
    if not (run_dir / MODEL).is_file():
        return
    model = open_run(run_dir)
    for known, given, name in (
        (model.targets, samples.targets, "targets"),
        (model.inputs, samples.inputs, "inputs"),
    ):
        if known != given:
            what = f"{', '.join(map(printable, known))} as before"
            hint = "Name another directory by `run_dir`."
            where = f"for the run in {printable(str(run_dir))}"
            raise must(name, what, ", ".join(given), hint, where=where)


def _named_ranges(domain: Ranges, inputs: Sequence[str]) -> Ranges:
    return {
        inputs[column_of(inputs, name, asked="domain")]: ends
        for name, ends in domain.items()
    }


def _frame(values: Array, names: Sequence[str]) -> "DataFrame":
    import pandas

    # Not copied: it may be a large table.
    return pandas.DataFrame(values, columns=list(names), copy=False)


def _digest(source: str) -> str:
    with open(source, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()

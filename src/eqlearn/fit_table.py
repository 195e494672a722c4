"""From a table to a run directory: read, learn, keep."""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import count, takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from eqlearn._types import Array, Tell
from eqlearn.data.cells import AS_NUMBERS, CORRECT
from eqlearn.data.choose import ChosenColumns, choose_columns, names_first
from eqlearn.data.formats.parsing import FILL_IN, NO_NUMBERS
from eqlearn.data.mixed import (
    Categories,
    encoded_column,
    inputs_of,
    needed_columns,
    read_groups,
    read_mixed,
    without_gaps,
)
from eqlearn.data.read import PACKINGS, read_raw
from eqlearn.data.table import (
    checked_weight,
    column_of,
    offset_remarks,
    weight_remarks,
)
from eqlearn.errors import EqlearnError, must, printable
from eqlearn.jobs.store import OtherRun
from eqlearn.model.model import Origin
from eqlearn.run_directory import MODEL, WrittenRun, clear_run, open_run, write_run

if TYPE_CHECKING:
    from pandas import Series

Ranges = Mapping[str, tuple[float, float]]


def fit_table(
    source: str,
    targets: Sequence[str],
    run_dir: Path | None = None,
    *,
    inputs: Sequence[str] | None = None,
    exclude: Sequence[str] = (),
    categories: Sequence[str] = (),
    drop_missing: bool = False,
    weights: str | None = None,
    groups: str | None = None,
    extrapolation: str | None = None,
    domain: Ranges | None = None,
    overwrite: bool = False,
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
    run_dir : Path, optional
        Where the run is kept; the same request again goes on from there. By default a
        directory beside, named as the table, that has no run of another request.
    exclude : sequence of str
        Columns that are no inputs.
    categories : sequence of str
        Inputs whose numbers are kinds of rows rather than quantities.
    drop_missing : bool
        Leave out rows with gaps instead of refusing them.
    weights : str, optional
        The column that says how much each row counts.
    groups : str, optional
        The column that tells groups of rows apart: one form is searched for all.
    extrapolation : str, optional
        A table of labelled far points.
    domain : mapping of names to (low, high), optional
        Where the equations will be used.
    overwrite : bool
        Begin anew in the directory, whatever run is there.
    tell : callable
        Called with every line that a user should know before the search.
    seed, jobs : int
        The random state and the number of processes of the learner.
    **parameters
        Further parameters of `EquationLearner`.
    """
    reading = Reading(inputs, exclude, categories, drop_missing, groups)
    _check_exclude(reading, _numeric(targets, weights))
    # Before the rest, so that a mistake in their column's name is told as that.
    by_row = None if groups is None else _groups(source, targets, weights, reading)
    samples, weight, kinds = _read(source, targets, weights, reading)
    if by_row is not None:
        is_known = np.array(by_row != "", dtype=bool)
        by_row, weight = by_row[is_known], None if weight is None else weight[is_known]
        samples = replace(samples, x=samples.x[is_known], y=samples.y[is_known])
    far = None
    if extrapolation is not None:
        far = _read_far(extrapolation, samples, kinds, drop_missing=drop_missing)
    ranges = _named_ranges(domain or {}, samples.inputs)
    remarks = offset_remarks(samples.inputs, samples.x)
    remarks += [] if weight is None else weight_remarks(weight)
    notes = (*samples.warnings, *(far.warnings if far else ()), *remarks)
    for line in notes:
        tell(line)
    # Before the search: who knows what will be in the file when it ends.
    origin = Origin(table=source, sha256=_digest(source), notes=notes)

    def fitted(directory: Path) -> WrittenRun:
        # Here, not above: a table is refused before this would have been loaded.
        from eqlearn.learners.table_learner import TableLearner

        _check_same_columns(directory, samples)
        ended = _how_it_ended(directory) if not overwrite else ""
        learner = TableLearner(
            run_dir=directory,
            domain=ranges or None,
            random_state=seed,
            n_jobs=jobs,
            **parameters,
        )
        model, x = learner.learned(samples, weight, far, by_row)
        model = replace(model, origin=origin, categories=kinds)
        if ended:
            tell(f"the run in {directory} {ended}")
        return write_run(directory, model, x, samples.y)

    if overwrite:
        directory = run_dir or default_directory(source)
        clear_run(directory)
        return fitted(directory)
    if run_dir is None:
        return _in_a_fresh_directory(source, fitted, tell)
    try:
        return fitted(run_dir)
    except OtherRun as error:
        raise OtherRun(f"{error} To replace that run, give `overwrite`.") from error


@dataclass(frozen=True)
class Reading:
    """How a table is to be read."""

    inputs: Sequence[str] | None
    exclude: Sequence[str]
    categories: Sequence[str]
    drop_missing: bool
    groups: str | None = None

    @property
    def left_out(self) -> tuple[str, ...]:
        """Columns that are no inputs."""
        return (*self.exclude, *([] if self.groups is None else [self.groups]))


def default_directory(source: str, number: int = 1) -> Path:
    """Where the run of a table is kept by default: data-run, data-run-2, ..."""
    stem = Path(source).stem
    if Path(source).suffix.lower() in PACKINGS:
        stem = Path(stem).stem
    return Path(f"{stem}-run" if number == 1 else f"{stem}-run-{number}")


def latest_directory(source: str) -> Path:
    """The default directory of a table that was worked in last."""
    numbered = (default_directory(source, number) for number in count(1))
    there = list(takewhile(Path.is_dir, numbered))
    return max(there, key=_last_written, default=default_directory(source))


def _last_written(directory: Path) -> float:
    return max((path.stat().st_mtime for path in directory.iterdir()), default=0.0)


def _in_a_fresh_directory(
    source: str, fitted: Callable[[Path], WrittenRun], tell: Tell
) -> WrittenRun:
    """Go on with the run of the same request, or begin one where there is none yet."""
    directory = default_directory(source)
    for number in count(2):
        try:
            return fitted(directory)
        except OtherRun:
            directory = default_directory(source, number)
        if not directory.exists():
            tell(f"other runs of this table are kept; this one is in {directory}")
            break
    return fitted(directory)


#: What is told of a run that is there, by how it ended; one interrupted just goes on.
_ENDED = {
    "finished": "had finished: this is its result again",
    "time": "had used up its time: with the same limit, this is its result again",
}


def _how_it_ended(directory: Path) -> str:
    """What to say of a run whose result is there, if asking again adds nothing."""
    try:
        ends = {outcome.ended for outcome in open_run(directory).outcomes}
    except EqlearnError:  # none is there yet, or it is written anew
        return ""
    return _ENDED[ends.pop()] if len(ends) == 1 and ends <= set(_ENDED) else ""


def _read(
    source: str, targets: Sequence[str], weights: str | None, reading: Reading
) -> tuple[ChosenColumns, Array | None, Categories]:
    numeric = _numeric(targets, weights)
    named = None if reading.inputs is None else [*numeric, *reading.inputs]
    chosen = {"weights": weights and [weights], "inputs": reading.inputs}
    asked = {"target": targets} | {name: some for name, some in chosen.items() if some}
    with _advising(reading, numeric), names_first(source, asked):
        table, kinds = read_mixed(
            source,
            named,
            reading.left_out,
            numeric=numeric,
            categories=reading.categories,
            drop_missing=reading.drop_missing,
        )
    inputs = _inputs_of(reading.inputs, kinds)
    if weights is None:
        return choose_columns(table, targets, inputs), None, kinds
    at = column_of(table.names, weights, asked="weights", source=source)
    names = table.names[:at] + table.names[at + 1 :]
    rest = replace(table, names=names, values=np.delete(table.values, at, axis=1))
    samples = choose_columns(rest, targets, inputs)
    return samples, checked_weight(table.values[:, at], len(table.values)), kinds


def _groups(
    source: str, targets: Sequence[str], weights: str | None, reading: Reading
) -> "Series":
    """The group of each row that is read, under the name of its column."""
    import pandas

    numeric = _numeric(targets, weights)
    named = None if reading.inputs is None else [*numeric, *reading.inputs]
    with _advising(reading, numeric):
        cells = read_groups(
            source,
            str(reading.groups),
            named,
            reading.left_out,
            drop_missing=reading.drop_missing,
        )
    return pandas.Series(cells, name=reading.groups, dtype=object)


def _numeric(targets: Sequence[str], weights: str | None) -> list[str]:
    """Columns that must be numbers."""
    if weights in targets:
        hint = "Leave it out of the targets."
        raise must("weights", "a column that nothing else names", weights, hint)
    return [*targets, *([] if weights is None else [weights])]


def _check_exclude(reading: Reading, numeric: Sequence[str]) -> None:
    if reading.groups in (*numeric, *(reading.inputs or ())):
        hint = "Leave it out of the targets, inputs and weights."
        raise must("groups", "a column that nothing else names", reading.groups, hint)
    for name in reading.exclude:
        if name in (*numeric, *(reading.inputs or ())):
            what, hint = "columns that nothing else names", "Leave it out of one."
            raise must("exclude", what, name, hint)


def _inputs_of(inputs: Sequence[str] | None, kinds: Categories) -> list[str] | None:
    """The inputs that are asked for, a column of words as what became of it."""
    if inputs is None:
        return None
    return [
        given
        for name in inputs
        for given in (
            encoded_column(name, kinds[name], ()) if name in kinds else (name,)
        )
    ]


@contextmanager
def _advising(reading: Reading, needed: Sequence[str]) -> Iterator[None]:
    """Say what can be done here about columns and cells that cannot be used."""
    try:
        yield
    except EqlearnError as error:
        line = str(error)
        if line.endswith((CORRECT, AS_NUMBERS, NO_NUMBERS)):
            if any(f"column `{printable(name)}`" in line for name in needed):
                line += " Targets and weights are numbers."
            else:
                how = " by `exclude`" * (reading.inputs is None)
                line = f"{line[:-1]}, or leave out the column{how}."
        elif line.endswith(FILL_IN):
            line += " To leave such rows out, give `drop_missing`."
        raise EqlearnError(line) from error


def _read_far(
    source: str, samples: ChosenColumns, kinds: Categories, *, drop_missing: bool
) -> ChosenColumns:
    """Read far points, of which few are enough."""
    names = samples.inputs, samples.targets
    raw = needed_columns(read_raw(source), [*samples.inputs, *samples.targets], kinds)
    raw = without_gaps(raw) if drop_missing else raw
    x, remarks = inputs_of(raw, samples.inputs, kinds)
    y, _ = inputs_of(raw, samples.targets, {})
    return ChosenColumns(x, y, *names, (*raw.warnings, *remarks))


def _check_same_columns(run_dir: Path, samples: ChosenColumns) -> None:
    """Say in time, and in words, that a directory has another run."""
    if not (run_dir / MODEL).is_file():
        return
    model = open_run(run_dir)
    for known, given, name in (
        (model.targets, samples.targets, "targets"),
        (model.measured, samples.inputs, "inputs"),
    ):
        if known != given:
            what = f"{', '.join(map(printable, known))} as before"
            hint = "Name another directory by `run_dir`."
            where = f"for the run in {printable(str(run_dir))}"
            other = must(name, what, ", ".join(given), hint, where=where)
            raise OtherRun(str(other))


def _named_ranges(domain: Ranges, inputs: Sequence[str]) -> Ranges:
    return {
        inputs[column_of(inputs, name, asked="domain")]: ends
        for name, ends in domain.items()
    }


def _digest(source: str) -> str:
    with open(source, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()

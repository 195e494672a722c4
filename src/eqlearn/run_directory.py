"""What a run directory holds: a model, rows to plot and a report, written and read."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from eqlearn._types import Array
from eqlearn.data.mixed import group_cells, inputs_of
from eqlearn.data.raw import RawTable
from eqlearn.data.read import FORMATS, read_raw, read_table
from eqlearn.data.table import Table, columns_named
from eqlearn.data.write_table import write_table
from eqlearn.errors import EqlearnError, malformed, printable
from eqlearn.model.by_hand import CandidateChoice, rechosen
from eqlearn.model.courses import Courses, load_courses, save_courses
from eqlearn.model.group_constants import Groups
from eqlearn.model.model import Model
from eqlearn.model.prediction import prediction_interval

if TYPE_CHECKING:
    from eqlearn.report.findings import Finding

#: The files of a run that other commands read: all that is known, and rows to plot.
MODEL, SAMPLE = "model.json", "sample.npz"
#: Of learned motion: measured and simulated courses.
COURSES = "courses.npz"
MOST_SAMPLED = 2000


@dataclass(frozen=True)
class WrittenRun:
    """What was just written into a run directory, still in hand."""

    model: Model
    findings: tuple["Finding", ...]  # what the report says of each target
    report: tuple[Path, ...]  # its files
    directory: Path


def write_run(
    run_dir: Path, model: Model, x: Array, y: Array, courses: Courses | None = None
) -> WrittenRun:
    """Write the model, some rows of its data and the report into a run directory."""
    from eqlearn.jobs.store import training_curves
    from eqlearn.model.model_file import save
    from eqlearn.report.findings import findings
    from eqlearn.report.report_files import write_report

    save(run_dir / MODEL, model)
    rows = sampled(x)
    x, y = x[rows], y[rows]
    values = np.concatenate([x, y], axis=1)
    sample = Table(_sample_names(model), values, str(run_dir / SAMPLE))
    if (run_dir / SAMPLE).is_symlink():  # it may have been planted
        (run_dir / SAMPLE).unlink()
    write_table(sample.source, sample)
    found, curves = findings(model), training_curves(run_dir)
    if courses is not None:
        save_courses(run_dir / COURSES, courses)
    files = write_report(
        run_dir, model, x, y, findings=found, curves=curves, courses=courses
    )
    return WrittenRun(model, found, files, run_dir)


def clear_run(run_dir: Path) -> None:
    """Remove what an earlier run has left in a directory, and nothing else."""
    from eqlearn.jobs.store import remove_run

    if not run_dir.is_dir():
        return
    remove_run(run_dir)
    for part in run_dir.glob("search-*-*"):
        # Of learning by group: a search for each view of the rows.
        if part.is_dir() and not part.is_symlink():
            remove_run(part)
            (part / "run.lock").unlink(missing_ok=True)
            with suppress(OSError):  # something else is in it
                part.rmdir()
    for pattern in (MODEL, SAMPLE, COURSES, "report.html", "report.md", "slices*.png"):
        for path in run_dir.glob(pattern):
            path.unlink()


def sampled(x: Array) -> NDArray[np.intp]:
    """The numbers of some rows, in their order; of all if they are not many."""
    if len(x) <= MOST_SAMPLED:
        return np.arange(len(x))
    chosen = np.random.default_rng(0).choice(len(x), MOST_SAMPLED, replace=False)
    return np.sort(chosen)


def _sample_names(model: Model) -> tuple[str, ...]:
    """Names that suit any file; the real ones are in the model."""
    n_inputs, n_targets = len(model.inputs), len(model.targets)
    inputs = (f"x{i + 1}" for i in range(n_inputs))
    return (*inputs, *(f"y{m + 1}" for m in range(n_targets)))


def open_run(run: Path) -> Model:
    """Read the model of a run directory, or a model file."""
    from eqlearn.model.model_file import load

    if not run.exists():
        what = "be a run directory or a model file"
        near = get_close_matches(run.name, _names_in(run.parent), n=1)
        hint = f"Did you mean `{printable(near[0])}`?" if near else "Check the path."
        raise malformed(str(run), what, "none of this name", hint)
    if run.is_dir() and not (run / MODEL).exists():
        what, got = "be the directory of a run", f"one without {MODEL}"
        hint = "Run eqlearn fit, or the same command again if it was stopped."
        raise malformed(str(run), what, got, hint)
    try:
        return load(run / MODEL if run.is_dir() else run)
    except EqlearnError:
        if run.is_dir() or run.suffix.lower() not in FORMATS:
            raise
    what, hint = "be a run directory or a model file", "Give what fit has written."
    raise malformed(str(run), what, "a table", hint)


def open_group(run: Path, group: str | None) -> Model:
    """Read the model of a run; with a group, that of this group alone."""
    model = open_run(run)
    if group is None:
        return model
    from eqlearn.groups.one_group import model_of_group

    return model_of_group(model, group)


def _names_in(folder: Path) -> list[str]:
    try:
        return [path.name for path in folder.iterdir()]
    except OSError:
        return []


def report_run(run: Path, candidate: CandidateChoice | None = None) -> tuple[Path, ...]:
    """Write the report of a run again, and say which files it has."""
    from eqlearn.jobs.store import training_curves
    from eqlearn.report.report_files import write_report

    model = rechosen(open_run(run), candidate)
    directory = run if run.is_dir() else run.parent
    x, y = sample_of(directory, model)
    kept = directory / COURSES
    courses = load_courses(kept) if kept.exists() else None
    curves = training_curves(directory)
    return write_report(directory, model, x, y, curves=curves, courses=courses)


def sample_of(directory: Path, model: Model) -> tuple[Array, Array]:
    """The rows of its data that a run has kept: inputs (N, D) and targets (N, M)."""
    names = _sample_names(model)
    sample = columns_of(read_table(directory / SAMPLE, only=names), names)
    x, y = np.split(sample, [len(model.inputs)], axis=1)
    return x, y


def columns_of(table: Table, names: Sequence[str]) -> Array:
    """The columns of a table that have these names, in their order."""
    return table.values[:, columns_named(table.names, names, source=table.source)]


def predict_table(
    run: Path,
    source: str,
    candidate: CandidateChoice | None = None,
    interval: float | None = None,
) -> tuple[RawTable, dict[str, Array]]:
    """Read a table and compute the targets for its rows, named `y_predicted`.

    With an interval of 0.95, `y_low` and `y_high` too, between which 95 % of new
    measurements should lie.
    """
    model = rechosen(open_run(run), candidate)
    table = read_raw(source)
    x, remarks = inputs_of(table, model.measured, model.categories)
    errors = None
    if model.groups is not None:
        cells = group_cells(table, model.groups.column)
        _check_groups(table, cells, model.groups)
        x = np.concatenate([x, model.groups.columns(cells)], axis=1)
        errors = model.groups.errors(cells)
    shown = printable(table.source)
    with np.errstate(all="ignore"):
        values = model.predict(x)
    wrong = np.flatnonzero(~np.isfinite(values).all(axis=1))
    if len(wrong):
        what = f"no finite prediction for {_counted(wrong)}"
        remarks += (f"`{shown}`: {what}",)
    low, high = np.transpose(model.domain)
    beyond = np.flatnonzero(((x < low) | (x > high)).any(axis=1))
    if len(beyond):
        what = f"outside the domain of use: {_counted(beyond)}"
        remarks += (f"`{shown}`: {what}",)
    names = [f"{target}_predicted" for target in model.targets]
    columns = dict(zip(names, values.T, strict=True))
    if interval is not None:
        with np.errstate(all="ignore"):
            ends = prediction_interval(model, x, interval, values, errors)
        for target, end in zip(model.targets, ends.transpose(1, 2, 0), strict=True):
            columns |= {f"{target}_low": end[0], f"{target}_high": end[1]}
    told = replace(table, warnings=(*table.warnings, *remarks))
    return told, columns


def _check_groups(table: RawTable, cells: Sequence[str], groups: Groups) -> None:
    """Say which group of a table is new, and where it is."""
    for row, cell in zip(table.rows, cells, strict=True):
        if cell not in groups.names:
            what = f"have groups that were learned from: {groups.listed}"
            got, label = printable(repr(cell)), f"`{printable(groups.column)}`"
            hint = groups.hint_for(cell)
            raise malformed(table.source, what, got, hint, row=row, column=label)


def _counted(rows: NDArray[np.intp]) -> str:
    """Which rows are meant: the only one, or how many and the first of them."""
    first = f"data row {rows[0] + 1:,}"
    return first if len(rows) == 1 else f"{len(rows):,} rows, the first is {first}"


def export_run(
    run: Path,
    form: str,
    digits: int | None = None,
    candidate: CandidateChoice | None = None,
    group: str | None = None,
    arranged: str | None = None,
) -> str:
    """Write the equations of a run as text in one of the forms of `export_text`."""
    from eqlearn.equation.write.by_group import model_formulas, with_constants_table
    from eqlearn.equation.write.export import export_text
    from eqlearn.equation.write.simplify import checked_arrangement

    model = rechosen(open_group(run, group), candidate)
    shown = model_formulas(model, [one.snapped for one in model.chosen])
    shown = replace(shown, arranged=checked_arrangement(arranged))
    return with_constants_table(export_text(shown, form, digits), form, model)

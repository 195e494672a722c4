"""What a run directory holds: a model, rows to plot and a report, written and read."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from eqlearn._types import Array
from eqlearn.data.read import read_table
from eqlearn.data.table import Table, column_of
from eqlearn.data.write_table import write_table
from eqlearn.errors import EqlearnError, malformed, printable
from eqlearn.model.model import Model

if TYPE_CHECKING:
    from eqlearn.report.findings import Finding

#: The files of a run that other commands read: all that is known, and rows to plot.
MODEL, SAMPLE = "model.json", "sample.npz"
MOST_SAMPLED = 2000


@dataclass(frozen=True)
class WrittenRun:
    """What was just written into a run directory, still in hand."""

    model: Model
    findings: tuple["Finding", ...]  # what the report says of each target
    report: tuple[Path, ...]  # its files


def write_run(run_dir: Path, model: Model, x: Array, y: Array) -> WrittenRun:
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
    files = write_report(run_dir, model, x, y, findings=found, curves=curves)
    return WrittenRun(model, found, files)


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
    return load(run / MODEL if run.is_dir() else run)


def _names_in(folder: Path) -> list[str]:
    try:
        return [path.name for path in folder.iterdir()]
    except OSError:
        return []


def report_run(run: Path) -> tuple[Path, ...]:
    """Write the report of a run again, and say which files it has."""
    from eqlearn.jobs.store import training_curves
    from eqlearn.report.report_files import write_report

    model = open_run(run)
    directory = run if run.is_dir() else run.parent
    names = _sample_names(model)
    sample = columns_of(read_table(directory / SAMPLE, only=names), names)
    x, y = np.split(sample, [len(model.inputs)], axis=1)
    return write_report(directory, model, x, y, curves=training_curves(directory))


def columns_of(table: Table, names: Sequence[str]) -> Array:
    """The columns of a table that have these names, in their order."""
    found = [column_of(table.names, name, source=table.source) for name in names]
    return table.values[:, found]


def predict_table(run: Path, source: str) -> tuple[Table, dict[str, Array]]:
    """Read a table and compute the targets for its rows, named `y_predicted`."""
    model = open_run(run)
    table = _numbers_of(source, model.inputs)
    with np.errstate(all="ignore"):
        values = model.predict(columns_of(table, model.inputs))
    wrong = np.flatnonzero(~np.isfinite(values).all(axis=1))
    if len(wrong):
        first = f"the first is data row {wrong[0] + 1:,}"
        table = _with_remark(
            table, f"no finite prediction for {len(wrong):,} rows, {first}"
        )
    names = [f"{target}_predicted" for target in model.targets]
    return table, dict(zip(names, values.T, strict=True))


def _numbers_of(source: str, needed: Sequence[str]) -> Table:
    """Read all columns, or only those that are needed if others are no numbers."""
    try:
        return read_table(source)
    except EqlearnError:
        table = read_table(source, only=needed)
        return _with_remark(table, "columns that no equation needs are left out")


def _with_remark(table: Table, remark: str) -> Table:
    line = f"`{printable(table.source)}`: {remark}"
    return replace(table, warnings=(*table.warnings, line))


def export_run(run: Path, form: str, digits: int | None = None) -> str:
    """Write the equations of a run as text in one of the forms of `export_text`."""
    from eqlearn.equation.write.export import export_text
    from eqlearn.equation.write.formulas import formulas

    model = open_run(run)
    graphs = [one.snapped for one in model.chosen]
    shown = formulas(graphs, model.inputs, model.targets, model.ranges)
    return export_text(shown, form, digits)

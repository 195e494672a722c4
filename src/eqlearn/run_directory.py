"""What the commands do: a table becomes a run directory, which others read again."""

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from eqlearn._types import Array
from eqlearn.data.choose import Samples, choose_columns
from eqlearn.data.read import read_table
from eqlearn.data.table import Table, checked_weight, column_of
from eqlearn.data.write_table import replacing, write_table
from eqlearn.errors import EqlearnError, malformed, must, printable
from eqlearn.model.model import Model, Origin

#: The files of a run that other commands read: all that is known, and rows to plot.
MODEL, SAMPLE = "model.json", "sample.npz"
MOST_SAMPLED = 2000

Tell = Callable[[str], None]
Ranges = Mapping[str, tuple[float, float]]

# What the library calls a setting, and what it is called on the command line.
_OPTIONS = {
    "action_noise": "--action-noise",
    "actions": "--actions",
    "angles": "--angles",
    "data": "TABLE",
    "depths": "--depth",
    "domain": "--domain",
    "dt": "--dt",
    "env": "ENV",
    "experiments": "--experiments",
    "form": "--to",
    "horizon": "--horizon",
    "jobs": "--jobs",
    "methods": "--methods",
    "models": "--models",
    "n_jobs": "--jobs",
    "noise_rollouts": "--noise-rollouts",
    "path": "RUN",
    "planner": "--planner",
    "recipe": "--recipe",
    "rollout_steps": "--steps",
    "rollouts": "--rollouts",
    "run_dir": "--out",
    "runs": "--runs",
    "scheduler": "--scheduler",
    "seed": "--seed",
    "selection": "--select",
    "sensor_noise": "--sensor-noise",
    "spread": "--spread",
    "state_of": "--state-of",
    "states": "--states",
    "time_limit": "--time",
    "functions": "--functions",
    "weight": "--weights",
    "window": "--window",
}


def fit_table(
    source: str,
    targets: Sequence[str],
    directory: Path,
    *,
    inputs: Sequence[str] | None = None,
    weights: str | None = None,
    extrapolation: str | None = None,
    domain: Ranges | None = None,
    tell: Tell = lambda line: None,
    **settings: Any,
) -> Model:
    """Learn the equations of a table's targets and keep them in a run directory.

    Parameters
    ----------
    source : str
        The table.
    targets, inputs : sequences of str
        Columns; the inputs are by default all that are not named otherwise.
    directory : Path
        Where the run is kept; the same request again goes on from there.
    weights : str, optional
        The column that says how much each row counts.
    extrapolation : str, optional
        A table of labelled far points.
    domain : mapping of names to (low, high), optional
        Where the equations will be used.
    tell : callable
        Called with every line that a user should know before the search.
    **settings
        Further parameters of `EquationLearner`.
    """
    samples, weight = _read(source, targets, inputs, weights)
    _check_same_columns(directory, samples)
    far = None if extrapolation is None else _read_far(extrapolation, samples)
    with spelled_as_options():
        ranges = _named_ranges(domain or {}, samples.inputs)
    for line in (*samples.warnings, *(far.warnings if far else ())):
        tell(line)
    # Before the search: who knows what will be in the file when it ends.
    origin = Origin(table=source, sha256=_digest(source))
    learner = _learner(run_dir=directory, domain=ranges or None, **settings)
    with spelled_as_options():
        learner.fit(
            _frame(samples.x, samples.inputs),
            _frame(samples.y, samples.targets),
            sample_weight=weight,
            extrapolation=far and (_frame(far.x, far.inputs), far.y),
        )
    model: Model = replace(learner.model_, origin=origin)
    keep(directory, model, samples.x, samples.y)
    return model


def _read(
    source: str,
    targets: Sequence[str],
    inputs: Sequence[str] | None,
    weights: str | None,
) -> tuple[Samples, Array | None]:
    named = [*targets, *(inputs or ()), *([] if weights is None else [weights])]
    table = _read_all(source) if inputs is None else read_table(source, named)
    if weights is None:
        return choose_columns(table, targets, inputs), None
    at = column_of(table.names, weights, asked="--weights", source=source)
    names = table.names[:at] + table.names[at + 1 :]
    rest = replace(table, names=names, values=np.delete(table.values, at, axis=1))
    samples = choose_columns(rest, targets, inputs)
    with spelled_as_options():
        return samples, checked_weight(table.values[:, at], len(table.values))


def _read_all(source: str) -> Table:
    try:
        return read_table(source)
    except EqlearnError as error:
        if "leave the column out" not in str(error):
            raise
        raise EqlearnError(f"{error} Name those to use by --inputs.") from error


def _read_far(source: str, samples: Samples) -> Samples:
    """Read far points, of which few are enough."""
    names = samples.inputs, samples.targets
    table = read_table(source, only=[*samples.inputs, *samples.targets])
    x, y = (_columns(table, some) for some in names)
    return Samples(x, y, *names, table.warnings)


def _columns(table: Table, names: Sequence[str]) -> Array:
    found = [column_of(table.names, name, source=table.source) for name in names]
    return table.values[:, found]


def _check_same_columns(directory: Path, samples: Samples) -> None:
    """Say in time, and in words, that a directory has another run."""
    if not (directory / MODEL).is_file():
        return
    model = open_run(directory)
    for known, given, option in (
        (model.targets, samples.targets, "--target"),
        (model.inputs, samples.inputs, "--inputs"),
    ):
        if known != given:
            what = f"{', '.join(map(printable, known))} as before"
            hint = "Name another directory by --out."
            where = f"for the run in {printable(str(directory))}"
            raise must(option, what, ", ".join(given), hint, where=where)


def _named_ranges(domain: Ranges, inputs: Sequence[str]) -> Ranges:
    return {
        inputs[column_of(inputs, name, asked="domain")]: ends
        for name, ends in domain.items()
    }


def _learner(**settings: Any) -> Any:
    # Here, not above: a table is read and refused before this would have been loaded.
    from eqlearn.estimator import EquationLearner

    return EquationLearner(**settings)


def _frame(values: Array, names: Sequence[str]) -> Any:
    import pandas

    # Not copied: it may be a large table.
    return pandas.DataFrame(values, columns=list(names), copy=False)


def _digest(source: str) -> str:
    with open(source, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextmanager
def spelled_as_options(**others: str) -> Iterator[None]:
    """Name a setting as the user typed it, in what the library says of it."""
    options = {**_OPTIONS, **others}
    try:
        yield
    except EqlearnError as error:
        line = re.sub(
            r"\A`(\w+)`",
            lambda match: f"`{options.get(match[1], match[1])}`",
            str(error),
        )
        raise EqlearnError(line) from error


def keep(directory: Path, model: Model, x: Array, y: Array) -> tuple[Path, ...]:
    """Write the model, some rows of its data and the report into a run directory."""
    from eqlearn.model.model_file import save

    with spelled_as_options():
        save(directory / MODEL, model)
    rows = sampled(x)
    values = np.concatenate([x[rows], y[rows]], axis=1)
    sample = Table(_sample_names(model), values, str(directory / SAMPLE))
    write_table(sample.source, sample)
    return report_run(directory)


def sampled(x: Array) -> Array:
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
    with spelled_as_options():
        return load(run / MODEL if run.is_dir() else run)


def _names_in(folder: Path) -> list[str]:
    try:
        return [path.name for path in folder.iterdir()]
    except OSError:
        return []


def report_run(run: Path) -> tuple[Path, ...]:
    """Write the report of a run, and say which files it has."""
    from eqlearn.jobs.store import training_curves
    from eqlearn.report.report_files import write_report

    model = open_run(run)
    directory = run if run.is_dir() else run.parent
    sample = read_table(directory / SAMPLE, only=_sample_names(model))
    x, y = np.split(_columns(sample, _sample_names(model)), [len(model.inputs)], axis=1)
    return write_report(directory, model, x, y, curves=training_curves(directory))


def predict_table(run: Path, source: str) -> tuple[Table, dict[str, Array]]:
    """Read a table and compute the targets for its rows, named `y_predicted`."""
    model = open_run(run)
    table = _numbers_of(source, model.inputs)
    with np.errstate(all="ignore"):
        values = model.predict(_columns(table, model.inputs))
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


def csv_text(table: Table, extra: Mapping[str, Array]) -> str:
    """A table as `write_table` writes it, for those who read on."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        write_table(path, table, extra)
        # As bytes: a name may have line ends of its own, which must stay as they are.
        return path.read_bytes().decode("utf-8")


def write_text(path: Path, text: str) -> None:
    """Write a file, whole or not at all."""
    with replacing(str(path)) as file:
        file.write(text.encode())


def export_run(run: Path, form: str, digits: int | None = None) -> str:
    """Write the equations of a run as text in one of the forms of `export_text`."""
    from eqlearn.equation.write.export import export_text
    from eqlearn.equation.write.formulas import formulas

    model = open_run(run)
    graphs = [one.snapped for one in model.chosen]
    shown = formulas(graphs, model.inputs, model.targets, model.ranges)
    with spelled_as_options():
        return export_text(shown, form, digits)

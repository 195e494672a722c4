"""Two runs compared: on the rows that both have kept, or on those of a table."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from eqlearn._types import Array
from eqlearn.data.mixed import inputs_of
from eqlearn.data.read import read_raw
from eqlearn.errors import must
from eqlearn.model.model import Model
from eqlearn.report.comparison import Difference, differences
from eqlearn.run_directory import open_run, sample_of


def compare_runs(one: Path, other: Path, table: Path | None = None) -> list[Difference]:
    """Compare the chosen equations of two runs for the targets that both have."""
    models = open_run(one), open_run(other)
    for run, model in zip((one, other), models, strict=True):
        if model.groups is not None:
            what = "learned without groups, to be compared"
            hint = "Compare the constants of groups that show prints."
            raise must("path", what, str(run), hint)
    common = [target for target in models[0].targets if target in models[1].targets]
    if table is not None:
        raw = read_raw(table)
        x, _ = inputs_of(raw, models[0].inputs, models[0].categories)
        y, _ = inputs_of(raw, common, {}) if common else (x[:, :0], ())
        return differences(models, x, y)
    rows = [
        _rows(run, model, common)
        for run, model in zip((one, other), models, strict=True)
        # Of other inputs: `differences` says so, and needs no rows to do it.
        if model.inputs == models[0].inputs
    ]
    x, y = rows[0]
    for more_x, more_y in rows[1:]:
        is_new = _not_among(np.hstack([x, y]), np.hstack([more_x, more_y]))
        x, y = np.vstack([x, more_x[is_new]]), np.vstack([y, more_y[is_new]])
    return differences(models, x, y)


def _not_among(rows: Array, others: Array) -> NDArray[np.bool_]:
    """Which of other rows are no rows of ours, as those of one table are."""
    known = {row.tobytes() for row in np.ascontiguousarray(rows)}
    return np.array(
        [row.tobytes() not in known for row in np.ascontiguousarray(others)], dtype=bool
    )


def _rows(run: Path, model: Model, targets: list[str]) -> tuple[Array, Array]:
    x, y = sample_of(run if run.is_dir() else run.parent, model)
    return x, y[:, [model.targets.index(target) for target in targets]]

"""Writing the report: `report.html`, `report.md` and the plots that it shows."""

import os
import secrets
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np

from eqlearn._types import Array
from eqlearn.errors import must
from eqlearn.model.courses import Courses
from eqlearn.model.model import Model
from eqlearn.report import plots
from eqlearn.report.findings import Finding, band_reach
from eqlearn.report.findings import findings as findings_of
from eqlearn.report.html import page, slice_inputs
from eqlearn.report.motion_plots import motion_panels
from eqlearn.report.svg import png
from eqlearn.report.text import markdown

#: Inputs along which the image of the Markdown report shows slices.
MOST_IN_IMAGE = 6


def write_report(
    directory: Path,
    model: Model,
    x: Array,
    y: Array,
    *,
    findings: Sequence[Finding] | None = None,
    curves: Sequence[Mapping[str, Any]] = (),
    courses: Courses | None = None,
) -> tuple[Path, ...]:
    """Write the report of a model into a directory, all of it or nothing.

    Parameters
    ----------
    directory : Path
        Made if it is not there; a report that is there is replaced.
    model : Model
        What was learned.
    x, y : arrays (N, D) and (N, M)
        The data, or a sample of their rows.
    findings : sequence of Finding, optional
        What is said of the model, if that is known already.
    curves : sequence of mappings
        What each segment of the paper's training left, batch after batch; see
        `eqlearn.report.plots.plot_phases`. Empty for the fast recipe.
    courses : Courses, optional
        Measured and simulated motion, if the targets are rates of states.

    Returns
    -------
    tuple of Path
        The files written, `report.html` first.
    """
    x, y = _checked(model, x, y)
    found = findings_of(model) if findings is None else findings
    images = {_image_name(one): png(_slices(model, one, x, y)) for one in found}
    slices = list(images)
    panels = [] if courses is None else motion_panels(model, courses)
    images |= {f"{panel.name}.png": png(panel.figure) for panel in panels}
    text = page(model, found, x, y, curves=curves, panels=panels)
    files = {
        "report.html": text.encode(),
        "report.md": markdown(model, found, slices).encode(),
        **images,
    }
    return _written(Path(directory), files)


def _checked(model: Model, x: Array, y: Array) -> tuple[Array, Array]:
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    for name, array, columns in (("x", x, model.inputs), ("y", y, model.targets)):
        if array.ndim != 2 or array.shape[1] != len(columns) or not len(array):
            raise must(name, f"rows of {len(columns)} columns, as the model", array)
        if not np.isfinite(array).all():
            raise must(name, "finite", "NaN or infinity", "Leave such rows out.")
    if len(x) != len(y):
        raise must("y", f"as long as `x`, {len(x)} rows", y)
    return x, y


def _image_name(finding: Finding) -> str:
    return f"slices-{finding.number + 1}.png" if finding.number else "slices.png"


def _slices(model: Model, finding: Finding, x: Array, y: Array) -> Any:
    drawn, _ = slice_inputs(finding)
    return plots.plot_slices(
        finding.chosen.snapped,
        x,
        y[:, finding.number],
        model.inputs,
        finding.target,
        rivals=[one.snapped for one in finding.others[: len(plots.RIVALS)]],
        domain=model.domain,
        inputs=drawn[:MOST_IN_IMAGE] or [0],
        reach=band_reach(model, finding.number),
    )


def _written(directory: Path, files: Mapping[str, bytes]) -> tuple[Path, ...]:
    """Write all files under other names first, then rename them one by one."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with ExitStack() as leftovers:
            moves = []
            for name, content in files.items():
                temporary = directory / f".{name}.{secrets.token_hex(4)}"
                leftovers.callback(temporary.unlink, missing_ok=True)
                with open(temporary, "xb") as file:
                    file.write(content)
                    file.flush()
                    os.fsync(file.fileno())
                moves.append((temporary, directory / name))
            for temporary, path in moves:
                os.replace(temporary, path)
    except OSError as error:
        hint = f"{error.strerror or error}."
        raise must("directory", "a place to write", str(directory), hint) from error
    return tuple(path for _, path in moves)

"""Two runs side by side: their equations, their errors, and where they part."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from eqlearn._types import Array
from eqlearn.errors import must
from eqlearn.model.model import Equation, Model
from eqlearn.report import findings as found

#: Points of the common domain of use at which equations are compared.
N_POINTS = 4096


@dataclass(frozen=True)
class Difference:
    """How the equations of two runs for one target compare."""

    target: str
    formulas: tuple[str, str]
    complexities: tuple[int, int]
    errors: tuple[float, float]  # root mean square, on the same rows
    n_rows: int
    apart: float  # root mean square of the difference, on these rows
    farthest: float  # the largest difference in the domain of use
    at: dict[str, float]  # where that is, by input


def differences(models: tuple[Model, Model], x: Array, y: Array) -> list[Difference]:
    """Compare the chosen equations of two models of the same inputs on rows."""
    one, other = models
    if one.inputs != other.inputs:
        what = f"of the inputs {', '.join(one.inputs)}"
        raise must("other", what, ", ".join(other.inputs))
    common = [target for target in one.targets if target in other.targets]
    if not common:
        what = f"of one of the targets {', '.join(one.targets)}"
        raise must("other", what, ", ".join(other.targets))
    points = _points(models)
    return [
        _difference(models, target, x, y[:, k], points)
        for k, target in enumerate(common)
    ]


def _points(models: tuple[Model, Model]) -> Array:
    """Points where both equations will be used."""
    ends = np.array([model.domain for model in models], dtype=float)
    low, high = ends[:, :, 0].max(axis=0), ends[:, :, 1].min(axis=0)
    rng = np.random.default_rng(0)
    return rng.uniform(low, np.maximum(low, high), (N_POINTS, len(low)))


def _difference(
    models: tuple[Model, Model], target: str, x: Array, y: Array, points: Array
) -> Difference:
    pair = tuple(_chosen(model, target) for model in models)
    with np.errstate(all="ignore"):
        near = [one.snapped.evaluate(x)[0][:, 0] for one in pair]
        far = [one.snapped.evaluate(points)[0][:, 0] for one in pair]
        gap = np.abs(far[0] - far[1])
    gap = np.where(np.isfinite(gap), gap, 0.0)
    worst = int(np.argmax(gap))
    texts = [found.formula(one, m) for one, m in zip(pair, models, strict=True)]
    return Difference(
        target,
        (texts[0], texts[1]),
        (pair[0].complexity, pair[1].complexity),
        (_rms(near[0] - y), _rms(near[1] - y)),
        len(y),
        _rms(near[0] - near[1]),
        float(gap[worst]),
        dict(zip(models[0].inputs, points[worst].tolist(), strict=True)),
    )


def _chosen(model: Model, target: str) -> Equation:
    return model.chosen[model.targets.index(target)]


def _rms(residuals: Array) -> float:
    return float(np.sqrt(np.mean(residuals**2)))


def comparison(rows: Sequence[Difference]) -> str:
    """Say how the equations of two runs compare."""
    return "\n\n".join("\n".join(_lines(row)) for row in rows) + "\n"


def _lines(row: Difference) -> Iterator[str]:
    facts: Any = zip(row.formulas, row.errors, row.complexities, strict=True)
    for name, (formula, error, size) in zip(("one", "other"), facts, strict=True):
        yield f"{name:>5}: {formula}"
        yield f"       error {error:.3g} on {row.n_rows:,} rows; complexity {size}"
    if row.formulas[0] == row.formulas[1]:
        yield "The equations are the same."
        return
    yield f"On these rows they differ by {row.apart:.3g} (root mean square)."
    where = ", ".join(
        f"{found.shown(name, k)} = {value:.3g}"
        for k, (name, value) in enumerate(row.at.items())
    )
    yield f"In the domain of use they differ most, by {row.farthest:.3g}, at {where}."

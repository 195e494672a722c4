"""Which of the candidates is the answer: criteria as functions on their table.

Each criterion gives every candidate a score, the smaller the better; the pick is the
smallest. They see numbers only, never formulas.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eqlearn._types import Array
from eqlearn.errors import must, unknown

#: Weights α = β of V^int-S and α = γ of V^int&ex in the paper.
ALPHA = BETA = GAMMA = 0.5


@dataclass(frozen=True)
class Candidates:
    """The table of candidates, one number each (K,); NaN or inf where it diverged."""

    validation: Array  # error inside the data, on samples held out
    size: Array  # active units: s of the paper
    bic: Array  # information criterion; of a large table, on 20 000 rows
    extrapolation: Array | None = None  # error at labelled far points

    def __post_init__(self) -> None:
        for name, values in vars(self).items():
            if values is not None and np.shape(values) != np.shape(self.bic):
                raise must(name, f"of shape {np.shape(self.bic)}", np.shape(values))


def normalised(values: Array) -> NDArray[np.float64]:
    """Spread over [0, 1] from the least to the most; infinities and NaN are 1."""
    values = np.asarray(values, dtype=float)
    is_finite = np.isfinite(values)
    if not is_finite.any():
        return np.ones(len(values))
    low, width = values[is_finite].min(), np.ptp(values[is_finite])
    return np.where(is_finite, (values - low) / (width or 1.0), 1.0)


def normalised_errors(errors: Array) -> NDArray[np.float64]:
    """Spread over [0, 1], whatever has diverged.

    One huge error would press all others together at zero, where they cannot be told
    apart. So the range ends at twice their median distance from the least, and what
    lies beyond is 1.
    """
    finite = errors[np.isfinite(errors)]
    if not len(finite):
        return normalised(errors)
    limit = finite.min() + 2.0 * np.median(finite - finite.min())
    # If most have the least error, a limit there would make all of them equal.
    return normalised(np.minimum(errors, limit) if limit > finite.min() else errors)


def ranks(values: Array) -> NDArray[np.float64]:
    """Ranks from 0: equal values share the best of theirs, diverged ones are last."""
    values = np.where(np.isnan(values), np.inf, np.asarray(values, dtype=float))
    places = np.searchsorted(np.sort(values), values, side="left")
    return np.asarray(places, dtype=float)


def v_int_s(
    table: Candidates, alpha: float = ALPHA, beta: float = BETA
) -> NDArray[np.float64]:
    """V^int-S, Eq. 9: interpolation error and sparsity."""
    validation, size = normalised_errors(table.validation), normalised(table.size)
    return _disqualified(alpha * validation**2 + beta * size**2, table)


def v_int_ex(
    table: Candidates, alpha: float = ALPHA, beta: float = 0.0, gamma: float = GAMMA
) -> NDArray[np.float64]:
    """V^int&ex, Eq. 10: errors inside and far outside; sparsity counts if wanted."""
    check("v_int_ex", has_far=table.extrapolation is not None)
    assert table.extrapolation is not None
    extrapolation = normalised_errors(table.extrapolation)
    score = v_int_s(table, alpha, beta) + gamma * extrapolation**2
    return np.where(np.isfinite(table.extrapolation), score, np.inf)


def v_ranks(table: Candidates) -> NDArray[np.float64]:
    """The original EQL's criterion: squared ranks by error and by sparsity, added."""
    return _disqualified(ranks(table.validation) ** 2 + ranks(table.size) ** 2, table)


def information(table: Candidates) -> NDArray[np.float64]:
    """The extended Bayesian information criterion on all rows, far points too."""
    return np.where(np.isnan(table.bic), np.inf, table.bic)


def _disqualified(score: Array, table: Candidates) -> NDArray[np.float64]:
    """Give candidates that diverged an infinite score, however sparse they are."""
    return np.where(np.isfinite(table.validation), score, np.inf)


SelectionCriterion = Callable[[Candidates], NDArray[np.float64]]

CRITERIA: Mapping[str, SelectionCriterion] = {
    "information": information,
    "v_int_s": v_int_s,
    "v_int_ex": v_int_ex,
    "v_ranks": v_ranks,
}
#: Picks the true formula at least as often as any other; see docs/selection.md.
DEFAULT = "information"


def criterion(name: str) -> SelectionCriterion:
    """Look a criterion up by name."""
    if name not in CRITERIA:
        raise unknown("selection", name, CRITERIA)
    return CRITERIA[name]


def check(name: str, *, has_far: bool) -> None:
    """Refuse a criterion that cannot be computed."""
    criterion(name)
    if name == "v_int_ex" and not has_far:
        what = "a criterion that needs no far points"
        hint = "Give labelled far points by `extrapolation`, or choose another one."
        raise must("selection", what, name, hint)


def available(table: Candidates) -> Sequence[str]:
    """The criteria that can be computed for a table."""
    return [n for n in CRITERIA if n != "v_int_ex" or table.extrapolation is not None]


def chosen(table: Candidates, name: str = DEFAULT) -> int:
    """The pick of a criterion: its smallest score, the first if several have it."""
    return int(np.argmin(criterion(name)(table)))

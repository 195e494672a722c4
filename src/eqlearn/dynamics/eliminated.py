"""Polynomials by backward elimination: candidates beside those of the search."""

import numpy as np

from eqlearn._types import Array
from eqlearn.dynamics.rate_rows import RateRows
from eqlearn.dynamics.reshaping import (
    Monomial,
    monomial_values,
    monomials,
    polynomial,
)
from eqlearn.network.graph import Graph

#: More monomials than this share of the rows retell them.
_ROWS_A_MONOMIAL = 2.0
_TINY = 1e-12
_DEGREES = (1, 2, 3)


def eliminated(rows: RateRows, state: int) -> list[Graph]:
    """A polynomial of each degree for the rate of a state, its needless terms gone."""
    y, found = rows.rates[:, state], []
    for degree in _DEGREES:
        some = monomials(rows.x.shape[1], degree)
        if len(some) * _ROWS_A_MONOMIAL <= len(y):
            weights = _kept(some, monomial_values(some, rows.x), y)
            if weights:
                found.append(polynomial(rows.x.shape[1], weights, rows.x.T))
    return found


def _kept(some: list[Monomial], A: Array, y: Array) -> dict[Monomial, float]:
    """The terms, and their weights, of the best criterion on the way down."""
    size = np.linalg.norm(A, axis=0)
    A, n = A / size, len(y)
    kept, best, weights = list(range(len(some))), np.inf, dict[Monomial, float]()
    while kept:
        part = A[:, kept]
        c, *_ = np.linalg.lstsq(part, y, rcond=1e-12)
        variance = float(np.mean((y - part @ c) ** 2)) + _TINY * float(np.var(y))
        bic = n * np.log(variance) + len(kept) * np.log(n)
        if bic < best:
            best = bic
            weights = {
                some[j]: float(w / size[j]) for j, w in zip(kept, c, strict=True)
            }
        spread = np.sqrt(np.diag(np.linalg.pinv(part.T @ part)))
        del kept[int(np.argmin(np.abs(c) / spread))]
    return weights

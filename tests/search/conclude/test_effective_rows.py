"""How many rows of a series count, against series whose correlation is known."""

import numpy as np
import pytest

from eqlearn._types import Array
from eqlearn.search.conclude.effective_rows import effective_rows


def series(rho: float, n: int = 4000, seed: int = 0) -> Array:
    """A series in which each value is ρ times the last, and something new."""
    new = np.random.default_rng(seed).normal(size=n)
    values = new.copy()
    for i in range(1, n):
        values[i] = rho * values[i - 1] + new[i]
    return values


@pytest.mark.parametrize("seed", range(5))
def test_independent_rows_all_count(seed: int) -> None:
    assert effective_rows(series(0.0, 500, seed)) == 500


@pytest.mark.parametrize("rho", [0.5, 0.8, 0.95])
def test_related_rows_count_as_fewer(rho: float) -> None:
    expected = 4000 * (1 - rho) / (1 + rho)
    assert effective_rows(series(rho)) == pytest.approx(expected, rel=0.2)


def test_rows_that_are_all_the_same_or_alternate_are_no_series() -> None:
    assert effective_rows(np.ones(50)) == 50
    assert effective_rows(np.tile([1.0, -1.0], 50)) == 100
    assert effective_rows(np.array([1.0])) == 1

"""How far errors belong together, on series whose relation is known."""

import numpy as np
import pytest

from eqlearn._types import Array
from eqlearn.search.related_rows import (
    UNRELATED,
    Relation,
    autocorrelation,
    reach_of,
    relation_before,
    relation_of,
)


def series(rho: float, n: int, seed: int = 0) -> Array:
    """Each value is ρ times the last, and something new."""
    new = np.random.default_rng(seed).standard_normal(n)
    values = new.copy()
    for i in range(1, n):
        values[i] = rho * values[i - 1] + new[i]
    return values


def to_and_fro(n: int) -> Array:
    """An input that comes back to the same values again and again."""
    t = np.arange(n)
    return np.sin(t / 11.0)[:, None] + np.sin(t / 17.3)[:, None]


def test_correlations_are_those_of_the_definition() -> None:
    values = series(0.7, 50)
    centred = values - values.mean()
    expected = [
        float(centred[k:] @ centred[: 50 - k]) / float(centred @ centred)
        for k in range(6)
    ]
    assert autocorrelation(values)[:6] == pytest.approx(expected)


def test_reach_adds_up_correlations_until_they_vanish() -> None:
    assert reach_of(np.array([1.0, 0.6, 0.3, -0.1, 0.4]), 400) == pytest.approx(2.8)
    # By chance, few rows are a little alike.
    assert reach_of(np.array([1.0, 0.2, 0.1, -0.1]), 400) == 1.0


def test_rows_count_as_their_reach_says_but_never_as_none() -> None:
    assert Relation(5.0, True).counted(400) == 80
    assert Relation(200.0, True).counted(400) == 10
    assert Relation(200.0, True).counted(6) == 6
    assert UNRELATED.crowding(300) == 0.0
    crowding = Relation(5.0, True).crowding(400)
    assert 400 / (1 + 400 * crowding) == pytest.approx(80)


def test_a_slow_error_is_of_the_order_of_rows() -> None:
    x = to_and_fro(1000)
    found = relation_of(x, series(0.9, 1000))
    assert found.is_of_order
    assert found.reach == pytest.approx(19, rel=0.4)


def test_what_a_formula_misses_is_not_of_the_order_of_rows() -> None:
    x = to_and_fro(1000)
    missed = np.sin(3 * x[:, 0])
    assert relation_of(x, missed).reach > 3
    assert not relation_of(x, missed).is_of_order


def test_in_a_sorted_table_nobody_can_tell() -> None:
    x = np.linspace(0, 1, 1000)[:, None]
    assert not relation_of(x, series(0.9, 1000)).is_of_order


def test_before_a_formula_a_polynomial_tells() -> None:
    x = to_and_fro(1000)
    law, ones = 2 + x[:, 0] - x[:, 0] ** 2, np.ones(1000)
    slow = relation_before(x, law + 0.05 * series(0.9, 1000), ones)
    assert slow.is_of_order
    assert slow.reach == pytest.approx(19, rel=0.4)
    white = np.random.default_rng(1).standard_normal(1000)
    assert relation_before(x, law + 0.05 * white, ones) == UNRELATED
    # In no order, or one that nothing can be told from.
    shuffled = np.random.default_rng(2).permutation(1000)
    y = law + 0.05 * series(0.9, 1000)
    assert relation_before(x[shuffled], y[shuffled], ones) == UNRELATED
    sorted_rows = np.argsort(x[:, 0])
    assert relation_before(x[sorted_rows], law[sorted_rows], ones) == UNRELATED


@pytest.mark.parametrize("n", [0, 1, 2, 5, 59])
def test_few_rows_are_unrelated(n: int) -> None:
    x = np.arange(n, dtype=float)[:, None]
    assert relation_before(x, x[:, 0], np.ones(n)) == UNRELATED


@pytest.mark.parametrize("seed", range(4))
def test_a_zero_that_wanders_is_known_and_a_missed_wave_is_not_taken_for_it(
    seed: int,
) -> None:
    rng = np.random.default_rng(seed)
    t = np.arange(400)
    x = np.stack([np.sin(t / 9.1 + seed), np.sin(t / 14.7)], axis=1)
    wander = np.cumsum(rng.standard_normal(400))
    assert relation_of(x, wander).is_of_order
    missed = np.sin(2 * x[:, 0] + 3 * x[:, 1]) + 0.3 * rng.standard_normal(400)
    assert relation_of(x, missed).reach > 2
    assert not relation_of(x, missed).is_of_order


def test_a_relation_over_more_rows_than_are_compared_is_not_told() -> None:
    n = 40_000
    x = np.sin(np.arange(n) / 11.0)[:, None]
    slow = np.cumsum(np.random.default_rng(0).standard_normal(n))
    found = relation_of(x, slow)
    assert found.reach > 1000
    assert found.counted(n) >= 10

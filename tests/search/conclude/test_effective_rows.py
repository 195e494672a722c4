"""How many rows of a series count, against series whose correlation is known."""

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from found import ONE, candidate, found

from eqlearn._types import Array
from eqlearn.model.model import Constant
from eqlearn.network.graph import CONSTANT, Graph, Node
from eqlearn.search.conclude.effective_rows import (
    Counted,
    effective_rows,
    recounted,
    relation_left_by,
)
from eqlearn.search.learn import Found
from eqlearn.search.strategy import STANDARD


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


def in_a_series() -> tuple[Array, Array, Found]:
    """A line with slow errors; it, and a longer formula that explains some of them."""
    t = np.arange(600)
    x = np.stack([np.sin(t / 11.0) + np.sin(t / 17.3), np.cos(t / 29.0)], axis=1)
    slow = series(0.95, 600)
    y = 2.0 * x[:, 0] + 0.1 * slow / slow.std()
    fixed = frozenset({(1, CONSTANT)})
    line = Graph(2, (), (({0: 2.0}, ONE),), fixed)
    gained = 0.05
    longer = Graph(2, (), (({0: 2.0, 1: gained, CONSTANT: gained}, ONE),), fixed)
    error = Constant((0, 0), 2.0, 0.01)
    # By 600 rows the longer one, with a tenth less error, is ahead.
    ahead = candidate(longer, rms=0.09, bic=600 * np.log(0.09**2) + 30)
    behind = candidate(line, rms=0.1, bic=600 * np.log(0.1**2) + 10, constants=(error,))
    return x, y, found(ahead, behind)


def test_fewer_rows_do_not_pay_for_a_longer_formula() -> None:
    x, y, both = in_a_series()
    assert both.candidates[0].bic < both.candidates[1].bic
    counted = recounted(both, x, y)
    best = counted.candidates[0]
    assert best.rms == 0.1
    n = 600 / (1 + 600 * counted.crowding)
    assert n < 60
    # Errors of constants are those of as many rows.
    assert best.constants[0].error == pytest.approx(0.01 * np.sqrt(600 / n))


def test_where_the_best_leaves_unrelated_errors_nothing_changes() -> None:
    x, _, both = in_a_series()
    white = np.random.default_rng(0).standard_normal(600)
    y = both.candidates[0].graph.evaluate(x)[0][:, 0] + 0.09 * white
    assert recounted(both, x, y) == both


def test_criteria_by_fewer_rows_are_those_of_fewer_rows() -> None:
    x, y, both = in_a_series()
    criterion = STANDARD.tactics.criterion
    first = both.candidates[0]
    full = criterion.bic(600 * first.rms**2, 600, 3)
    crowding = 0.01
    fewer = replace(criterion, crowding=crowding).bic(600 * first.rms**2, 600, 3)
    given = replace(both, candidates=(replace(first, bic=full),))
    now = Counted(given, 600.0).by_rows(600 / (1 + 6), 1.0, criterion.exact)
    assert now.found.candidates[0].bic == pytest.approx(fewer)


def test_a_large_table_is_judged_in_little_memory() -> None:
    """R-11: neither all values on the way nor all correlations at once."""
    n, rng = 300_000, np.random.default_rng(0)
    x = rng.uniform(1, 2, (n, 2))
    waves = tuple(Node("sin", ({0: 1.0 + k},)) for k in range(6))
    total = {2 + k: 1.0 for k in range(6)}
    graph = Graph(2, waves, ((total, ONE),))
    y = graph.evaluate(x)[0][:, 0] + rng.normal(size=n)
    tracemalloc.start()
    relation = relation_left_by(candidate(graph), x, y, None)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert relation.crowding(n) == 0.0
    assert most < 6 * y.nbytes

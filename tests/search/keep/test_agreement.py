"""Formulas are compared where tails decide nothing."""

import numpy as np
import pytest

from eqlearn._types import Array
from eqlearn.search.keep.agreement import say_the_same, typical_spread


def test_the_spread_of_ordinary_values_is_their_standard_deviation() -> None:
    rng = np.random.default_rng(0)
    for values in (rng.uniform(-1, 1, 2000), rng.normal(size=2000)):
        assert typical_spread(values) == pytest.approx(np.std(values))


def test_a_few_far_away_values_have_no_part_in_it() -> None:
    values = np.r_[np.linspace(-1, 1, 980), np.full(20, 1e9), np.nan, np.inf]
    assert typical_spread(values) == pytest.approx(0.63, abs=0.05)


def test_where_nearly_all_values_are_one_the_few_others_count() -> None:
    values = np.r_[np.zeros(990), np.ones(10)]
    assert typical_spread(values) == np.std(values)
    assert typical_spread(np.full(3, np.nan)) == 0.0


def test_formulas_differ_although_one_of_them_is_huge_somewhere() -> None:
    """Beside a pole everything was alike: votes for one were votes for all."""
    x: Array = np.linspace(0.001, 1, 500)
    pole = 1e6 * (x < 0.02)
    ours, theirs = (np.asarray(pole + f(3 * x), float) for f in (np.sin, np.cos))
    assert np.sqrt(np.mean((ours - theirs) ** 2)) < 0.01 * np.std(ours)
    assert not say_the_same(ours, theirs, 0.01)
    assert say_the_same(ours, np.asarray(ours + 1e-3, float), 0.01)


def test_values_may_be_missing_together_but_not_alone() -> None:
    ours: Array = np.r_[np.linspace(0, 1, 90), np.full(10, np.nan)]
    theirs: Array = ours.copy()
    assert say_the_same(ours, theirs, 0.01)
    theirs[90:] = 0.5
    assert not say_the_same(ours, theirs, 0.01)
    assert not say_the_same(theirs, ours, 0.01)

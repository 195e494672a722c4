"""Rows that a search by another loss sees, and those that formulas are compared on."""

from dataclasses import replace

import numpy as np
import pytest
from formulas import formula
from tasks import task_of

from eqlearn._types import Array
from eqlearn.network.graph import CONSTANT
from eqlearn.search.robust_rows import (
    as_judged,
    as_searched,
    follows_smoothly,
    typical_rows,
)


def wave(n: int = 300, seed: int = 0) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    x = rng.uniform(-2, 2, (n, 2))
    y = np.sin(1.5 * x[:, 0]) + x[:, 1] + 2
    return x, y + 0.01 * rng.standard_normal(n)


def test_rows_of_a_smooth_law_all_follow() -> None:
    assert follows_smoothly(*wave()).all()


@pytest.mark.parametrize(
    "law",
    [lambda x: np.exp(3 * x), lambda x: 1 / (x + 2.05), lambda x: np.sin(9 * x)],
    ids=["steep", "next to a pole", "a fast wave"],
)
def test_a_law_that_no_polynomial_says_is_hardly_cut(law: object) -> None:
    rng = np.random.default_rng(1)
    x = rng.uniform(-2, 2, (300, 1))
    y = law(x[:, 0])  # type: ignore[operator]
    y = y + 0.01 * np.std(y) * rng.standard_normal(300)
    assert np.sum(~follows_smoothly(x, y)) <= 3


def test_wild_targets_are_told_by_their_neighbours() -> None:
    x, y = wave()
    y[:5] *= 10
    y[5:10] *= -1
    wild = np.flatnonzero(~follows_smoothly(x, y))
    telling = [i for i in range(10) if abs(y[i]) > 0.5]
    assert set(telling) <= set(wild)
    assert set(wild) <= set(range(10))


def test_swapped_columns_have_no_neighbours() -> None:
    rng = np.random.default_rng(2)
    x = rng.uniform(0, 4, (400, 1))
    y = 2.3 * x[:, 0] + 1.4 + 0.05 * rng.standard_normal(400)
    # Those that land among the others are unlike them, the rest are far from all.
    swapped = np.arange(12)
    x[swapped, 0], y[swapped] = y[swapped].copy(), x[swapped, 0].copy()
    assert set(np.flatnonzero(~follows_smoothly(x, y))) == set(swapped)


def test_outer_rows_that_others_foretell_are_kept() -> None:
    rng = np.random.default_rng(3)
    x = rng.uniform(-2, 2, (300, 2))
    x[0] = [0.5, 8.0]
    y = 2 * x[:, 0] + x[:, 1] + 2 + 0.01 * rng.standard_normal(300)
    assert follows_smoothly(x, y).all()
    y[0] -= 1.0
    assert np.flatnonzero(~follows_smoothly(x, y)).tolist() == [0]


def test_outer_rows_that_a_fit_bends_to_are_left_out() -> None:
    rng = np.random.default_rng(4)
    x = rng.uniform([1, 1], [3, 4], (400, 2))
    y = 2.4 * x[:, 0] / x[:, 1] ** 2
    y += 0.01 * np.std(y) * rng.standard_normal(400)
    swapped = np.arange(12)
    x[swapped, 1], y[swapped] = y[swapped].copy(), x[swapped, 1].copy()
    # Next to the others, none of these is alone.
    far_off = np.abs(y - 2.4 * x[:, 0] / x[:, 1] ** 2) > 0.1
    assert not np.any(follows_smoothly(x, y) & far_off)


def test_wild_rows_among_wild_rows_are_told() -> None:
    x, y = wave(500)
    close = np.argsort(np.abs(x - 0.5).max(axis=1))[:4]
    y[close] += [0.4, -0.4, 0.6, -0.6]
    assert set(np.flatnonzero(~follows_smoothly(x, y))) == set(close)


def rare(n: int) -> tuple[Array, Array]:
    rng = np.random.default_rng(5)
    x = np.stack([rng.uniform(0, 1, n), rng.random(n) < 0.04], axis=1)
    y = x[:, 0] + 3 * x[:, 1] + 0.01 * rng.standard_normal(n)
    y[7] = 50.0
    return x, y


def test_an_input_that_is_hardly_ever_another_has_no_outer_rows() -> None:
    x, y = rare(800)
    x[3, 1], y[3] = 37.0, 0.0
    assert np.flatnonzero(~follows_smoothly(x, y)).tolist() == [3, 7]


def test_an_input_may_be_the_same_in_all_rows_that_have_neighbours() -> None:
    x, y = rare(200)
    rare_ones = x[:, 1] > 0
    x[rare_ones, 1] = np.linspace(1, 1e3, rare_ones.sum()) ** 3
    assert not follows_smoothly(x, y)[7]


def test_too_few_rows_all_follow() -> None:
    x, y = wave(15)
    y[3] = 1e3
    assert follows_smoothly(x, y).all()


def test_a_search_by_squares_sees_all_rows_as_they_are() -> None:
    task = task_of(*wave())
    assert as_judged(task, formula(2, {0: 1.0})) is task
    assert typical_rows("squared", task.x, task.y, 100) is None


def test_a_robust_search_leaves_wild_rows_out_and_far_points_in() -> None:
    x, y = wave()
    y[[0, 7]] = 90.0
    task = replace(task_of(x, y), loss="huber", n_far=1)
    seen = as_searched(task)
    assert (len(seen.x), seen.n_far, seen.loss) == (299, 1, "squared")
    assert seen.y[0, 0] == 90.0
    assert not np.any(seen.y[1:] == 90.0)


def test_a_relative_search_weighs_by_the_size_of_the_target() -> None:
    x = np.array([[1.0], [2.0], [4.0], [0.0]])
    task = replace(task_of(x, np.array([1.0, 2.0, 4.0, 0.0])), loss="relative")
    weight = as_searched(task).weight
    assert weight is not None
    assert weight[0] / weight[1] == pytest.approx(4.0)
    assert weight[1] / weight[2] == pytest.approx(4.0)
    assert np.isfinite(weight).all()
    assert weight.mean() == pytest.approx(1.0)


def test_a_pilot_tells_the_rows_that_formulas_are_compared_on() -> None:
    x, y = wave()
    y[[0, 7]] += 5.0
    task = replace(task_of(x, y), loss="absolute")
    pilot = formula(2, {0: 0.7, 1: 1.0, CONSTANT: 2.0})
    assert len(as_judged(task, pilot).x) == 298
    relative = as_judged(replace(task, loss="relative"), pilot).weight
    values = pilot.evaluate(x)[0][:, 0]
    sizes = np.maximum(np.abs(values), 1e-3 * np.median(np.abs(values)))
    assert relative == pytest.approx(sizes**-2.0 / np.mean(sizes**-2.0))


def test_typical_rows_are_those_of_any_target() -> None:
    x, y = wave()
    both = np.stack([y, y], axis=1)
    both[3, 0] = both[5, 0] = both[5, 1] = 80.0
    typical = typical_rows("huber", x, both, 1000)
    assert typical is not None
    assert set(range(300)) - set(typical) == {5}

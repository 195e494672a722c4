import math

import numpy as np
import pytest

from eqlearn._types import Array
from eqlearn.equation.prove.extremes import smallest, spread, zeros_between


def test_points_are_spread_evenly() -> None:
    low, high = np.array([0.0, 10.0, 5.0]), np.array([1.0, 30.0, 5.0])
    points = spread(low, high, 2000)
    assert np.all((points >= low) & (points <= high))
    counts, _ = np.histogramdd(points[:, :2], bins=5)
    assert counts.min() > 0.9 * 80 and counts.max() < 1.1 * 80
    assert np.array_equal(points[1:3], [low, high])


def test_the_smallest_value_is_found_downhill() -> None:
    def valley(x: np.ndarray) -> np.ndarray:
        steep = x[:, 0] - 0.3 + 2 * (x[:, 1] - 0.1)
        value: np.ndarray = 50 * steep**2 + (x[:, 0] - x[:, 1] - 0.2) ** 2 - 7
        return value

    value, point = smallest(valley, -np.ones(2), np.ones(2))
    assert value == pytest.approx(-7, abs=1e-6)
    assert point == pytest.approx([0.3, 0.1], abs=1e-3)


def test_zeros_are_bisected_to_the_last_digit() -> None:
    ends = np.array([[0.0], [0.1]]), np.array([[2.0], [3.0]])
    zeros = zeros_between(lambda x: x[:, 0] ** 2 - 2, *ends)
    assert zeros[:, 0] == pytest.approx(math.sqrt(2), rel=1e-15)
    assert zeros_between(lambda x: x[:, 0] - 0.5, *ends)[0, 0] == 0.5


def test_a_box_that_is_a_point_has_one_point() -> None:
    point = np.array([2.0, -1.0])
    assert spread(point, point).tolist() == [[2.0, -1.0]]
    assert smallest(lambda x: x.sum(axis=1), point, point)[0] == 1.0


def test_a_minimum_on_the_edge_is_on_the_edge() -> None:
    value, point = smallest(lambda x: x @ [1.0, -2.0], -np.ones(2), np.ones(2))
    assert (value, point.tolist()) == (-3.0, [-1.0, 1.0])


def test_gaps_are_passed_over_and_nothing_but_gaps_is_no_value() -> None:
    box = np.zeros(1), np.ones(1)

    def root(x: np.ndarray) -> np.ndarray:
        return np.where(x[:, 0] > 0.5, x[:, 0], np.nan)

    assert smallest(root, *box)[0] == pytest.approx(0.5, abs=1e-6)
    assert math.isnan(smallest(lambda x: np.full(len(x), np.nan), *box)[0])


def test_a_zero_beyond_a_gap_is_not_where_there_is_no_value() -> None:
    def gap(x: np.ndarray) -> np.ndarray:
        return np.where(np.abs(x[:, 0]) < 1, np.nan, x[:, 0])

    found = zeros_between(gap, np.array([[-2.0]]), np.array([[3.0]]))
    assert found[0, 0] == pytest.approx(1.0)


def test_the_deeper_of_two_valleys_is_found_though_the_other_is_wider() -> None:
    # A wide valley of depth 1 around -0.5, and a narrow one of depth 1.05 at 0.9.
    def valleys(x: Array) -> Array:
        wide = -np.exp(-np.sum((x + 0.5) ** 2, axis=1))
        narrow = -1.05 * np.exp(-50 * np.sum((x - 0.9) ** 2, axis=1))
        both: Array = np.minimum(wide, narrow)
        return both

    value, point = smallest(valleys, -np.ones(3), np.ones(3))
    assert value == pytest.approx(-1.05, abs=1e-6)
    np.testing.assert_allclose(point, 0.9, atol=1e-3)

"""How a target falls apart, told by polynomials."""

from dataclasses import replace

import numpy as np
import pytest

from eqlearn._types import Array
from eqlearn.search.smooth.smooth_splits import SmoothSplit, Way, splits
from eqlearn.search.survey_strategy import Separation
from eqlearn.training.samples import samples

N = 400
RNG = np.random.default_rng(0)
X = RNG.uniform(0.5, 3.0, (N, 3))
P, Q, R = X.T
NOISE = RNG.normal(size=N)


def splits_of(law: Array, x: Array = X, noise: float = 0.01) -> list[SmoothSplit]:
    y = law / np.std(law) + noise * NOISE
    return splits(samples(x, y[:, None]), Separation())


WAYS = [
    (np.sqrt(P) + np.sin(2 * Q), Way.SUM, {(0,), (1,)}),
    (np.exp(-P) * np.cos(Q), Way.PRODUCT, {(0,), (1,)}),
    (1.0 + np.sqrt(1 + 2 * P) * np.cos(2 * Q), Way.OFFSET, {(0,), (1,)}),
    (P**2 + np.exp(P) * np.sin(2 * Q) / P, Way.VARYING, {(0,), (1,)}),
]


@pytest.mark.parametrize(("law", "way", "groups"), WAYS, ids=lambda v: str(v)[:20])
def test_the_simplest_way_is_told(law: Array, way: Way, groups: set[object]) -> None:
    split = splits_of(law, X[:, :2])[0]
    assert (split.way, {split.first, split.second}) == (way, groups)


@pytest.mark.parametrize(("law", "way", "groups"), WAYS, ids=lambda v: str(v)[:20])
def test_the_smooth_functions_of_a_split_make_up_the_target(
    law: Array, way: Way, groups: set[object]
) -> None:
    del groups
    split = splits_of(law, X[:, :2])[0]
    whole = split.a + split.b if way is Way.SUM else split.start + split.a * split.b
    assert np.std(whole - law / np.std(law)) < 0.005


def test_inputs_that_go_together_stay_together() -> None:
    first = splits_of(np.sqrt(P + Q**2) + np.exp(-R))[0]
    assert (first.way, first.first, first.second) == (Way.SUM, (2,), (0, 1))


def test_an_angle_between_two_lengths_varies_offset_and_slope() -> None:
    # The law of cosines: s(P, Q) + a(P, Q) cos R, of which nothing is a sum or product.
    (split,) = splits_of(P**2 + Q**2 - 2 * P * Q * np.cos(R))
    assert (split.way, split.first, split.second) == (Way.VARYING, (0, 1), (2,))


def test_what_does_not_fall_apart_has_no_split() -> None:
    assert splits_of(1 / (1 + P * Q + P**2 * Q**3), X[:, :2]) == []


def test_noise_has_no_split() -> None:
    assert splits_of(np.where(np.arange(N) % 2, 1.0, -1.0)) == []


def test_one_input_cannot_fall_apart() -> None:
    assert splits_of(np.sin(P), X[:, :1]) == []


def test_rows_without_weight_do_not_matter() -> None:
    law = np.exp(-P) * np.cos(Q)
    y = law / np.std(law) + 0.01 * NOISE
    y[:40] = 30.0
    rows = samples(X[:, :2], y[:, None], weight=np.r_[np.zeros(40), np.ones(N - 40)])
    assert splits(rows, Separation())[0].way is Way.PRODUCT


def test_more_variables_than_asked_for_are_not_split() -> None:
    rows = samples(X, (P + Q * R)[:, None])
    assert splits(rows, replace(Separation(), most_variables=2)) == []

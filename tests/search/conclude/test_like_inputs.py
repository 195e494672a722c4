"""Inputs that go together are named, with how."""

from dataclasses import replace

import numpy as np
import pytest

from eqlearn._types import Array
from eqlearn.network.graph import CONSTANT, Graph, Node
from eqlearn.search.conclude.judged_rows import JudgedRows, following
from eqlearn.search.conclude.like_inputs import (
    bound_inputs,
    like_inputs,
    tangled_input,
)
from eqlearn.search.conclude.signs import like_sign
from eqlearn.search.strategy import STANDARD

BY = STANDARD.judging
NAMES = ["a", "b", "c"]
RNG = np.random.default_rng(4)
AB = RNG.uniform(0.0, 3.0, (150, 2))
NOISE = 0.01 * RNG.standard_normal(150)
#: w a b
PRODUCT = Graph(
    3,
    (Node("multiply", ({0: 1.0}, {1: 1.0})),),
    (({3: 1.0}, {CONSTANT: 1.0}),),
    frozenset({(0, 0), (1, 1), (3, CONSTANT)}),
)


def rows(third: Array) -> JudgedRows:
    x = np.column_stack([AB, third])
    domain = np.stack([x.min(axis=0) - 1.0, x.max(axis=0) + 1.0], axis=1)
    return JudgedRows.of(x, AB[:, 0] * AB[:, 1] + NOISE, domain, BY)


def said(third: Array) -> str | None:
    told = like_sign(PRODUCT, 0.01, rows(third), NAMES, BY)
    assert told is None or told.bearing == "limit"
    return None if told is None else told.sentence


@pytest.mark.parametrize(
    ("third", "relation"),
    [
        (AB[:, 0], "a = c."),
        (1.8 * AB[:, 0] + 32.0, "a = 0.5556 c - 17.78."),
        (1.8 * AB[:, 0] + 32.0 + 1e-3 * NOISE, "a ≈ 0.5556 c - 17.78."),
        (2.0 * AB[:, 0] - AB[:, 1], "a = 0.5 b + 0.5 c."),
    ],
)
def test_an_input_that_others_stand_for_is_named(third: Array, relation: str) -> None:
    start = "The rows do not tell a from other inputs: "
    told = said(third)
    assert told is not None
    assert told.startswith(start)
    assert told.removeprefix(start) == relation


def test_what_the_rows_tell_apart_is_not_named() -> None:
    assert said(RNG.uniform(0.0, 3.0, 150)) is None
    assert said(np.ones(150)) is None
    # Close, but the formula fits worse with it by far.
    assert said(AB[:, 0] + 10.0 * NOISE) is None


def test_a_formula_without_noise_tells_near_copies_apart() -> None:
    data = rows(AB[:, 0] + 1e-4 * NOISE)
    exact = replace(data, y=AB[:, 0] * AB[:, 1])
    assert like_inputs(PRODUCT, 1e-16, exact, BY) == []


def test_points_of_the_domain_keep_to_what_holds_in_every_row() -> None:
    points = rows(2.0 * AB[:, 0] - AB[:, 1]).points
    assert points[:, 2] == pytest.approx(2.0 * points[:, 0] - points[:, 1])
    free, box = RNG.uniform(0.0, 1.0, (150, 3)), np.array([[0.0, 1.0]] * 3)
    assert following(free, RNG.uniform(0.0, 1.0, (150, 3)), box) is free


def test_points_that_are_moved_stay_in_the_domain() -> None:
    # Of the second column, three quarters of the range are no value of the first.
    x = np.stack([AB[:, 0], 4.0 * AB[:, 0]], axis=1)
    domain = np.array([[0.0, 3.0], [0.0, 3.0]])
    drawn = np.random.default_rng(1).uniform(0.0, 3.0, (1000, 2))
    kept = following(drawn, x, domain)
    assert 100 < len(kept) <= 1000
    assert kept[:, 1] == pytest.approx(4.0 * kept[:, 0])
    assert kept.min() >= 0.0 and kept.max() <= 3.0
    nowhere = np.array([[5.0, 6.0], [0.0, 3.0]])
    assert following(drawn, x, nowhere) is drawn


def test_a_column_made_of_the_target_was_not_varied_by_itself() -> None:
    # c holds sin(a) + b, as a measurement of the target would, and its noise.
    trap = np.sin(AB[:, 0]) + AB[:, 1] + 5.0 * NOISE
    half = Graph(3, (), (({2: 0.5}, {CONSTANT: 1.0}),), frozenset({(1, CONSTANT)}))
    x = np.column_stack([AB, trap])
    data = JudgedRows.of(x, 0.5 * trap + NOISE, np.array([[-1.0, 5.0]] * 3), BY)
    told = like_sign(half, 0.01, data, NAMES, BY)
    assert told is not None
    assert told.bearing == "limit"
    assert told.sentence.startswith("c was not varied by itself: a smooth function of")
    # With an input that was varied by itself it says something of the target.
    beside = Graph(3, (), (({1: 1.0, 2: 0.5}, {CONSTANT: 1.0}),))
    assert bound_inputs(beside, data, BY) == []
    along = np.column_stack([AB, AB[:, 0] + AB[:, 1] + RNG.standard_normal(150)])
    assert bound_inputs(half, replace(data, x=along), BY) == []


def test_inputs_of_a_formula_that_were_varied_together_limit_its_use() -> None:
    # c was made of the target: it holds a curve of a, and the noise of the target.
    curve = np.sqrt(np.abs(AB[:, 0] - 1.0))
    made = curve + 5.0 * NOISE
    beside = Graph(
        3, (), (({0: 0.3, 2: 1.0}, {CONSTANT: 1.0}),), frozenset({(1, CONSTANT)})
    )
    x, box = np.column_stack([AB, made]), np.array([[-1.0, 5.0]] * 3)
    data = JudgedRows.of(x, 0.3 * AB[:, 0] + made + NOISE, box, BY)
    told = like_sign(beside, 0.01, data, NAMES, BY)
    assert told is not None
    assert told.bearing == "limit"
    assert told.sentence.startswith("c was not varied by itself")
    assert told.advice.startswith("Leave out what was computed from the target")
    # What is exact tells by small differences, and free inputs are no curve.
    assert like_sign(beside, 1e-15, data, NAMES, BY) is None
    assert tangled_input(PRODUCT, 0.01, data, BY) is None

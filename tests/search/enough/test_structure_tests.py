"""Each test of residuals by itself: what it sees, and how often noise deceives it."""

from typing import Any

import numpy as np
import pytest

from eqlearn._types import Array
from eqlearn.search.enough.structure_tests import (
    Remains,
    StructureTest,
    most_striking,
    neighbour_tests,
    pair_wave_tests,
    ranked,
    relatedness_of,
    seen_inputs,
    size_tests,
    smooth_tests,
    structure_tests,
    wave_test,
)
from eqlearn.search.strategy import STANDARD

BY = STANDARD.residuals


def remains(x: Array, residual: Array, used: frozenset[int] = frozenset()) -> Remains:
    return Remains(x, residual, np.ones(len(x)), 0, used)


def test_neighbours_that_are_alike_are_related_and_opposite_ones_the_contrary() -> None:
    x = np.arange(100.0)[:, None]
    alike, opposite = np.repeat([1.0, -1.0], 50), np.tile([1.0, -1.0], 50)
    assert relatedness_of(x, alike, 2) > 5.0
    assert relatedness_of(x, opposite, 2) < -5.0


def test_two_rows_that_are_each_others_neighbours_count_as_one_pair() -> None:
    # Pairs far from each other: their products are 1, 1, 1 and -1.
    x = np.array([0.0, 1.0, 10.0, 11.0, 20.0, 21.0, 30.0, 31.0])[:, None]
    residual = np.array([1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, -1.0])
    assert relatedness_of(x, residual, 1) == pytest.approx(2.0 / 2.0)


def test_no_row_is_its_own_neighbour_where_inputs_are_equal() -> None:
    x, residual = np.zeros((200, 1)), np.random.default_rng(0).normal(size=200)
    assert abs(relatedness_of(x, residual, 2)) < 3.0


def test_an_outlier_is_one_rank_further() -> None:
    plain, wild = np.arange(9.0), np.r_[np.arange(8.0), 1e9]
    scores = [ranked(remains(np.zeros((9, 1)), y)).residual for y in (plain, wild)]
    assert scores[0].tolist() == scores[1].tolist()
    assert scores[0][4] == 0.0


def test_residuals_that_are_all_equal_are_no_structure() -> None:
    x = np.arange(60.0)[:, None]
    tests = structure_tests(remains(x, np.zeros(60), frozenset({0})), BY)
    assert most_striking(tests).chance == 1.0


def test_used_inputs_come_first_then_those_that_residuals_go_along_with() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(300, 4))
    x[:, 3] = 7.0  # says nothing of anything
    residual = x[:, 1] + 0.1 * rng.normal(size=300)
    assert seen_inputs(remains(x, residual, frozenset({2})), BY) == (2, 1, 0)


def test_a_wave_between_two_whole_numbers_of_turns_is_seen() -> None:
    rng = np.random.default_rng(1)
    x = rng.uniform(0, 1, (300, 1))
    wave = np.sin(2 * np.pi * 40.5 * x[:, 0])
    noise = rng.normal(size=300)
    assert wave_test(remains(x, 0.7 * wave + noise), 0).chance < 1e-6
    assert wave_test(remains(x, noise), 0).chance > 1e-2


def test_a_parabola_is_smooth_and_no_line() -> None:
    rng = np.random.default_rng(2)
    x = rng.uniform(-1, 1, (200, 1))
    left = remains(x, x[:, 0] ** 2 - 1 / 3 + 0.5 * rng.normal(size=200))
    line, parabola, *_ = smooth_tests(left, (0,))
    assert line.chance > 1e-3 and parabola.chance < 1e-8


def test_neighbours_are_those_along_each_input_and_along_all() -> None:
    x = np.random.default_rng(3).normal(size=(100, 2))
    tests = neighbour_tests(remains(x, x[:, 0]), (1, 0), BY)
    assert [one.inputs for one in tests] == [(1,), (0,), (1, 0)]


def test_the_most_striking_of_ten_is_ten_times_as_likely() -> None:
    tests = [StructureTest("wave", (k,), 0.01 * (k + 1)) for k in range(10)]
    assert most_striking(tests) == StructureTest("wave", (0,), 0.1)


@pytest.mark.parametrize(("n", "d"), [(60, 1), (300, 3)])
@pytest.mark.parametrize("kind", ["normal", "heavy", "grows"])
def test_noise_of_any_kind_is_rarely_structure(n: int, d: int, kind: str) -> None:
    rng, n_found = np.random.default_rng(4), 0
    for _ in range(60):
        x = rng.uniform(0, 1, (n, d))
        draw = {
            "normal": rng.normal(size=n),
            "heavy": rng.standard_t(3, n),
            "grows": rng.normal(size=n) * (0.3 + x[:, 0]),
        }
        tests = structure_tests(remains(x, draw[kind], frozenset(range(d))), BY)
        n_found += most_striking(tests).chance < BY.likely
    assert n_found <= 4


@pytest.mark.parametrize(
    ("size", "inputs"),
    [
        (lambda x: 0.2 + 2 * x, {(), (0,)}),
        (lambda x: 0.2 + np.abs(x - 0.5), {(0,)}),
    ],
    ids=["from end to end", "at both ends"],
)
def test_a_size_that_changes_is_seen(size: Any, inputs: set[tuple[int, ...]]) -> None:
    rng = np.random.default_rng(4)
    x = rng.uniform(0, 1, (500, 1))
    residual = size(x[:, 0]) * rng.standard_normal(500)
    left = Remains(x, residual, np.ones(500), 1, frozenset({0}))
    tests = size_tests(left, 3 * x[:, 0])
    assert [test.inputs for test in tests] == [(), (0,), (0,)]
    assert {test.inputs for test in tests if test.chance < 1e-4} == inputs


def test_noise_of_one_size_seems_so() -> None:
    rng = np.random.default_rng(5)
    chances = []
    for _ in range(200):
        x = rng.uniform(0, 1, (100, 1))
        left = Remains(x, rng.standard_normal(100), np.ones(100), 1, frozenset({0}))
        chances += [test.chance for test in size_tests(left, x[:, 0])]
    assert np.mean(np.array(chances) < 0.05) == pytest.approx(0.05, abs=0.02)


@pytest.mark.parametrize("kind", ["product", "quotient"])
def test_a_wave_along_a_product_or_a_quotient_of_inputs_is_seen(kind: str) -> None:
    rng = np.random.default_rng(0)
    x = rng.uniform(1.0, 5.0, (300, 3))
    along = x[:, 0] * x[:, 2] if kind == "product" else x[:, 0] / x[:, 2]
    rate = 3.0 if kind == "product" else 12.0
    noise = rng.normal(size=300)
    used = frozenset((0, 2))
    waves = Remains(x, np.sin(rate * along) + 0.5 * noise, np.ones(300), 2, used)
    found = most_striking(list(pair_wave_tests(waves, BY)))
    assert (found.kind, found.inputs) == (kind, (0, 2)) and found.chance < 1e-9
    for test in pair_wave_tests(waves._replace(residual=noise), BY):
        assert test.chance > 1e-3
    of_many = waves._replace(used=frozenset(range(5)))
    assert not list(pair_wave_tests(of_many, BY))

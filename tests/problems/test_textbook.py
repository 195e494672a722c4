"""The textbook laws and waves. Of the unseen half, failures show numbers, not laws."""

import inspect
import itertools
from collections import Counter
from typing import get_args

import numpy as np
import pytest
import sympy

from eqlearn.problems import (
    KIND,
    LAWS,
    PAPER,
    TEXTBOOK,
    TEXTBOOK_UNSEEN,
    WAVES,
    WAVES_UNSEEN,
    Problem,
    has_true_form,
    problem,
)
from eqlearn.problems.definition import Spacing, within
from eqlearn.problems.textbook.entry import law, wave
from eqlearn.problems.true_form import OpenForm, measured

HALVES = ((TEXTBOOK, TEXTBOOK_UNSEEN), (WAVES, WAVES_UNSEEN))
ALL = tuple(name for pair in HALVES for half in pair for name in half)
UNSEEN = (*TEXTBOOK_UNSEEN, *WAVES_UNSEEN)
# What the project asks of its textbook laws.
LEAST_LAWS = 140
LEAST_EFFECT, LEAST_TERM = 0.01, 0.03  # of the spread


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(7)


def changed_by(term: int, form: OpenForm, known: Problem) -> float:
    """How much of the spread a formula changes by at most without a term."""
    data = measured(known, np.random.default_rng(0)).inside()
    without = form.found.copy()
    without[term] = 0.0
    with np.errstate(all="ignore"):
        change = (
            form.values(without, data) - form.values(form.found, data)
        ) / data.unit
    return float(np.max(np.abs(np.nan_to_num(change, nan=np.inf))))


def test_there_are_enough_and_both_halves_are_alike() -> None:
    assert len(TEXTBOOK) + len(TEXTBOOK_UNSEEN) >= LEAST_LAWS
    assert len(WAVES) == len(WAVES_UNSEEN) == 10
    for seen, unseen in HALVES:
        kinds = [Counter(KIND[name] for name in half) for half in (seen, unseen)]
        assert kinds[0] == kinds[1]
    names = (*PAPER, *LAWS, *ALL)
    assert len(set(names)) == len(names)


def test_they_are_of_many_kinds_and_sizes() -> None:
    for half in (TEXTBOOK, TEXTBOOK_UNSEEN):
        kinds = Counter(KIND[name] for name in half)
        assert len(kinds) == 15
        assert 0.15 * len(half) <= kinds["simple"] <= 0.25 * len(half)
        n_inputs = {len(problem(name).inputs) for name in half}
        assert {1, 2, 3, 4, 6, 8} <= n_inputs
        assert max(n_inputs) <= 9
        sizes = [max(map(abs, r)) for name in half for r in problem(name).box]
        assert min(sizes) < 1e-9
        assert max(sizes) > 1e29


def test_the_unseen_give_nothing_away() -> None:
    for name in UNSEEN:
        known = problem(name)
        assert known.is_unseen
        assert name.startswith("unseen-")
        assert known.outputs == ("y",)
    assert not any(problem(name).is_unseen for name in (*TEXTBOOK, *WAVES))


@pytest.mark.parametrize("name", ALL)
def test_a_law_is_sound(name: str, rng: np.random.Generator) -> None:
    known = problem(name)
    assert known.meaning
    assert known.by_form
    assert tuple(inspect.signature(known.formula).parameters) == ("xp", *known.inputs)
    for box in (known.box, known.outer_box, known.wide_box()):
        low, high = np.transpose(box)
        X = rng.uniform(low, high, (2000, len(low)))
        Y = known.evaluate(np.concatenate([X, list(itertools.product(*box))]))
        assert np.isfinite(Y).all()
    assert np.isfinite(known.spread).all()
    assert (known.spread > 0).all()


@pytest.mark.parametrize("name", ALL)
def test_numpy_and_sympy_read_the_same_formula(
    name: str, rng: np.random.Generator
) -> None:
    known = problem(name)
    X, Y = known.sample(50, rng, noise=0)
    (expression,) = known.expressions()
    values = sympy.lambdify(list(map(sympy.Symbol, known.inputs)), expression)(*X.T)
    np.testing.assert_allclose(values, Y[:, 0], rtol=1e-9, atol=1e-9 * known.spread[0])


@pytest.mark.parametrize("name", ALL)
def test_every_input_and_every_term_matters(
    name: str, rng: np.random.Generator
) -> None:
    known = problem(name)
    X, Y = known.sample(2000, rng, noise=0)
    for d in range(len(known.inputs)):
        shuffled = X.copy()
        shuffled[:, d] = rng.permutation(X[:, d])
        change = np.sqrt(np.mean((known.evaluate(shuffled) - Y) ** 2))
        assert change > LEAST_EFFECT * known.spread[0]
    (expression,) = known.expressions()
    form = OpenForm.of(expression, known.inputs, opens_ones=True)
    assert all(
        changed_by(term, form, known) > LEAST_TERM for term in range(len(form.found))
    )


@pytest.mark.parametrize("name", ALL)
def test_a_law_has_its_own_true_form(name: str, rng: np.random.Generator) -> None:
    known = problem(name)
    assert has_true_form(known.expressions()[0], known, rng)


@pytest.mark.parametrize(
    ("name", "point", "expected"),
    [
        ("ohm-heat", [10, 50], [2]),
        ("relativistic-momentum", [1e-27, 0.6 * 299792458], [0.75e-27 * 299792458]),
        ("redshift", [5e14, 0.6], [2.5e14]),
        ("hubble-rate", [70, 0.3, 0], [70]),
        # x² - 2.5 x + 1 = 0 has the roots 2 and 1/2.
        ("tight-binding", [1, 1, 0.5], [0.5]),
    ],
)
def test_values_worked_by_hand(
    name: str, point: list[float], expected: list[float]
) -> None:
    np.testing.assert_allclose(problem(name).evaluate([point]), [expected], rtol=1e-7)


def test_waves_have_3_to_200_periods() -> None:
    for names in (WAVES, WAVES_UNSEEN):
        spacings = Counter(problem(name).spacing for name in names)
        assert len(spacings) >= 3
        assert any(problem(name).box[0][0] > 1000 for name in names)  # a year or so
        turns = [max(_n_turns(problem(name))) for name in names]
        assert min(turns) >= 3
        assert max(turns) <= 201
        assert max(turns) >= 50


def _n_turns(known: Problem) -> list[float]:
    """Count the periods of each sine over the box, by its argument along it."""
    (expression,) = known.expressions()
    symbols = list(map(sympy.Symbol, known.inputs))
    low, high = np.transpose(known.box)
    way = np.linspace(low, high, 20_001)
    turns = []
    for sine in expression.atoms(sympy.sin, sympy.cos):
        argument = sympy.lambdify(symbols, sine.args[0])(*way.T)
        turns.append(float(np.sum(np.abs(np.diff(argument))) / (2 * np.pi)))
    return turns


def test_limits_hold_boxes_back(rng: np.random.Generator) -> None:
    known = law("one", "y", "", lambda xp, x: xp.sqrt(1 - x), x=(0.1, 0.8, 0, 0.95))
    assert known.outer_box == ((0.05, 0.95),)
    np.testing.assert_allclose(known.wide_box(9), [(0.1 / 9, 0.95)])
    assert within(((-1.0, 5.0),), None) == ((-1.0, 5.0),)


@pytest.mark.parametrize("spacing", get_args(Spacing))
def test_a_wave_is_measured_as_it_says(
    spacing: Spacing, rng: np.random.Generator
) -> None:
    def line(xp: object, t: float, a: float) -> float:
        return t + a

    known = wave("one", "", line, spacing, t=(10, 20), a=(0, 1))
    X, Y = known.sample(200, rng, noise=0)
    t = X[:, 0]
    assert (t >= 10).all()
    assert (t <= 20).all()
    np.testing.assert_array_equal(Y[:, 0], X.sum(axis=1))
    even = np.allclose(np.diff(t), 10 / 199)
    whole = (t == np.rint(t)).all()
    crowded = np.median(t) < 13.5
    assert [even, whole, crowded] == [
        spacing == s for s in ("even", "whole", "crowded")
    ]

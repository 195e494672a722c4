"""Plain shapes of functions in a form: what they tell, and when they are enough."""

import math
import time

import numpy as np
import pytest

from eqlearn import EquationLearner
from eqlearn.equation.read.outer_form import outer_form
from eqlearn.known_form.composed_fit import Composed, FormRows, Inner
from eqlearn.known_form.form_search import criterion, smooth_ways
from eqlearn.known_form.form_settings import STANDARD
from eqlearn.known_form.plain_shapes import is_as_good, plain_form

RNG = np.random.default_rng(0)
X = np.column_stack([RNG.uniform(0.5, 5.0, 200), RNG.uniform(0.2, 3.0, 200)])
A, B = X.T


def noisy(y: np.ndarray) -> np.ndarray:
    return np.asarray(
        y + 0.01 * np.std(y) * np.random.default_rng(1).normal(size=len(y))
    )


def smooth_and_plain(
    text: str, y: np.ndarray, until: float = math.inf
) -> tuple[Composed, Composed | None]:
    form = outer_form(text, ("x", "z"))
    rows = FormRows(X, y, np.ones(len(y)))
    ways = smooth_ways(form, rows, np.random.default_rng(0), STANDARD)

    def by(one: Composed) -> float:
        return criterion(one, len(y))

    return ways[0], plain_form(ways, rows, by, until, STANDARD)


CASES = [
    ("A*exp(-f(x, z)) + g(x)", 3 * np.exp(-(A**2) / 4 - 0.3 * A * B) + 2 * A),
    ("exp(-f(x)) + g(z)", np.exp(-0.7 * A) + 1 + 0.4 * B**2),
    ("f(x)*g(z)", (1 + A**2) * (2 + B)),
    ("z/(1 + f(x))", B / (1 + 0.5 * A)),
    ("log(f(x, z))", np.log(A / B + 2)),
]


@pytest.mark.parametrize(("text", "law"), CASES, ids=[text for text, _ in CASES])
def test_plain_shapes_are_told_from_noisy_rows(text: str, law: np.ndarray) -> None:
    smooth, plain = smooth_and_plain(text, noisy(law))
    assert plain is not None
    assert all(isinstance(one, Inner) for one in plain.functions.values())
    assert is_as_good(plain, smooth, len(law), STANDARD.unlikely)
    off = plain.values(X) - law
    assert np.std(off) < 0.01 * np.std(law)


def test_shapes_that_are_not_plain_are_not_enough() -> None:
    smooth, plain = smooth_and_plain("2*f(x)", noisy(np.sin(3 * A)))
    assert plain is not None
    assert not is_as_good(plain, smooth, len(X), STANDARD.unlikely)


def test_what_time_does_not_allow_is_left_to_searches() -> None:
    assert smooth_and_plain("2*f(x)", A, time.monotonic() - 1.0)[1] is None


def test_shapes_without_values_are_not_tried() -> None:
    signed = X - 2.0
    form = outer_form("f(x)", ("x", "z"))
    rows = FormRows(signed, signed[:, 0] ** 2, np.ones(len(X)))
    ways = smooth_ways(form, rows, np.random.default_rng(0), STANDARD)
    plain = plain_form(ways, rows, lambda c: c.sse, math.inf, STANDARD)
    assert plain is not None and plain.sse < 1e-12


def test_a_form_of_two_functions_is_learned_at_once() -> None:
    y = noisy(CASES[0][1])
    learner = EquationLearner(form="A*exp(-f(x1, x2)) + g(x1)", n_jobs=1, time_limit=60)
    learner.fit(X, y)
    assert learner.equation_.startswith("y = 2*x1 + 3*exp(-")
    assert len(learner.constants_) == 4
    assert learner.verdict_[0].kind == "trusted"

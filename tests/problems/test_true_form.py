from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sympy

from eqlearn.problems import TEXTBOOK, WAVES, Problem, has_true_form, problem
from eqlearn.problems.true_form import OpenForm, measured

X, A, B, C = sympy.symbols("x a b c")
exp, log, sin, cos, sqrt, tanh = (
    sympy.exp,
    sympy.log,
    sympy.sin,
    sympy.cos,
    sympy.sqrt,
    sympy.tanh,
)


def law(formula: Callable[..., Any], **ranges: tuple[float, float]) -> Problem:
    return Problem(
        name="law",
        inputs=tuple(ranges),
        outputs=("y",),
        formula=formula,
        box=tuple(ranges.values()),
        outer_box=tuple((low / 2, 2 * high) for low, high in ranges.values()),
        noise_unit="spread",
    )


def has_form(expression: Any, known: Problem, seed: int = 0) -> bool:
    formula = None if expression is None else sympy.sympify(expression)
    return has_true_form(formula, known, np.random.default_rng(seed))


LOGARITHM = law(lambda xp, x: 3.7 * xp.log(x), x=(0.5, 8.0))
FRACTION = law(lambda xp, a, b, c: a / (1 + b / c), a=(1, 5), b=(1, 5), c=(1, 5))
BELL = law(lambda xp, x, s: 2.5 * xp.exp(-((x / s) ** 2)), x=(0.2, 3), s=(1, 2))
DECAY = law(lambda xp, x: 4 + 7 * xp.exp(-0.8 * x), x=(0.1, 3))
PARABOLA = law(lambda xp, x: 2 - 0.3 * x**2, x=(0.1, 1))
ROOT = law(lambda xp, a, b: xp.sqrt(a**2 + b**2), a=(1, 5), b=(1, 5))
SINE = law(lambda xp, x: 1.3 * xp.sin(40 * x + 0.4), x=(0.1, 10))
POWER = law(lambda xp, x: 2.2 * x**1.37, x=(0.5, 5))
NEARLY_ONE = law(lambda xp, x: 0.98 * x**1.37, x=(0.5, 5))
SPAN = law(
    lambda xp, a, b, c: 1.7 * xp.sqrt((a + b) ** 2 + c**2), a=(1, 5), b=(1, 5), c=(1, 9)
)
S = sympy.Symbol("s")


@pytest.mark.parametrize(
    ("expression", "known"),
    [
        (3.65 * log(X), LOGARITHM),
        (1.85 * log(X**2), LOGARITHM),
        (1.8 * log(2.1 * X**2) - 1.4, LOGARITHM),
        (7.4 * log(sqrt(X)), LOGARITHM),
        (A / (1 + B / C), FRACTION),
        (A * C / (C + B), FRACTION),
        (1.02 * A * C / (0.99 * C + 1.01 * B), FRACTION),
        (A - A * B / (1.01 * B + C), FRACTION),
        (2.4 * exp(-((X / S) ** 2)), BELL),
        (2.4 * exp(-1.03 * X**2 / S**2), BELL),
        (exp(0.9 - X**2 / S**2), BELL),
        # e^(-2z) is (1 - tanh z)/(1 + tanh z)
        (4.1 + 6.9 * (1 - tanh(0.41 * X)) / (1 + tanh(0.41 * X)), DECAY),
        (3.9 + 7.2 * 0.44**X, DECAY),
        (sqrt(1.01 * A**2 + 0.98 * B**2), ROOT),
        (0.97 * sqrt(A**2 + B**2), ROOT),
        (A * sqrt(1 + (B / A) ** 2), ROOT),
        (1.2 * sin(40.004 * X + 0.38), SINE),
        (1.25 * cos(39.998 * X - 1.16), SINE),
        (1.2 * sin(40 * X) + 0.5 * cos(40 * X), SINE),
        (2.3 * X**1.35, POWER),
        (exp(0.8 + 1.36 * log(X)), POWER),
        (2.55 * cos(20 * X - 0.585) ** 2 - 1.27, SINE),
        # A coefficient that noise has made 1.
        (X**1.37, NEARLY_ONE),
        # Multiplied out there are four constants, which depend on each other.
        (sqrt(2.9 * A**2 + 5.8 * A * B + 2.9 * B**2 + 2.8 * C**2), SPAN),
    ],
)
def test_a_true_form_counts_in_any_clothes(expression: Any, known: Problem) -> None:
    assert has_form(expression, known)


def pade(x: sympy.Expr) -> sympy.Expr:
    """A fraction that is exp(-0.8 x) to 1e-4 where it was measured."""
    z, even, odd = -0.8 * x, (1, 3 / 28, 1 / 1680), (1 / 2, 1 / 84)
    evens = sum(c * z ** (2 * i) for i, c in enumerate(even))
    odds = sum(c * z ** (2 * i + 1) for i, c in enumerate(odd))
    return (evens + odds) / (evens - odds)


@pytest.mark.parametrize(
    ("expression", "known"),
    [
        (4 + 7 * pade(X), DECAY),
        (4 + 7 / (1 + 0.2 * X) ** 4, DECAY),
        (11 - 5.6 * X + 2.2 * X**2 - 0.5 * X**3 + 0.05 * X**4, DECAY),
        # An extra term, of any size, that the law does not have.
        (4 + 7 * exp(-0.8 * X) + 0.001 * X, DECAY),
        (4 + 7 * exp(-0.8 * X) + 0.03 * sin(5 * X), DECAY),
        ((4 + 7 * exp(-0.8 * X)) / (1 + 0.002 * X), DECAY),
        (A * C / (C + B) + 0.002 * B, FRACTION),
        # A slow sine is a parabola, a steep power is not an exponential.
        (2 + 1e4 * (cos(0.00775 * X) - 1), PARABOLA),
        (2.6 * sin(1.57 - 0.48 * X) - 0.6, PARABOLA),
        (A / (1 + B / 3), FRACTION),
        (A + 0.2 * C, FRACTION),
        (2.4 * exp(-(X**2) / 2), BELL),
        (1.3 * sin(41 * X + 0.4), SINE),
        (1.3 * sin(20 * X + 0.4), SINE),
        (2.2 * X**1.5, POWER),
        (2.2 * X + 0.6 * X**2, POWER),
        (0.96 * A + 0.4 * B, ROOT),
        (sympy.Float(4.7), DECAY),
        (sympy.Integer(0), DECAY),
        (None, DECAY),
        # Undefined, unknown or no number at all.
        (log(X - 100), LOGARITHM),
        (sqrt(-X), LOGARITHM),
        (sympy.zoo * X, LOGARITHM),
        (sympy.I * X, LOGARITHM),
        (sympy.Symbol("z"), LOGARITHM),
        (sympy.gamma(X), LOGARITHM),
        (sympy.Function("f")(X), LOGARITHM),
    ],
)
def test_an_imitation_does_not(expression: Any, known: Problem) -> None:
    assert not has_form(expression, known)


def test_an_imitation_may_be_close() -> None:
    x, y = DECAY.sample(1000, np.random.default_rng(0), noise=0)
    values = sympy.lambdify(X, 4 + 7 * pade(X))(x[:, 0])
    assert np.abs(values - y[:, 0]).max() < 1e-4 * DECAY.spread[0]


def test_too_many_constants_are_no_form() -> None:
    # Twelve waves and twelve powers: whatever they come to, they are not this law.
    many = sum(sin((1 + i / 10) * X + i / 7) * (0.3 + i / 50) for i in range(12))
    assert not has_form(many + 0.1 * X, DECAY)


def test_the_second_output_is_judged_by_its_own_formula() -> None:
    known = problem("cart-pendulum")
    formulas = known.expressions()
    judged = [
        has_true_form(formulas[m], known, np.random.default_rng(0), output)
        for m, output in ((3, 3), (3, 2), (0, 0))
    ]
    assert judged == [True, False, True]


@pytest.mark.parametrize("name", (*TEXTBOOK[::4], *WAVES[::3]))
def test_the_law_has_its_own_form_when_fitted_to_noise(name: str) -> None:
    from benchmarks.limits import fit_constants

    known = problem(name)
    rng = np.random.default_rng(5)
    x, y = known.sample(known.n_train, rng, noise=0.05)
    (formula,) = known.expressions()
    noisy = fit_constants(formula, known.inputs, x, y[:, 0]).learned.expression
    assert has_form(noisy, known)


def test_constants_are_taken_out_once_each() -> None:
    formula = 2 * sympy.pi * sqrt(X / 9.81) + 3 * X**2 - X + 1
    assert sorted(OpenForm.of(formula, ("x",)).found) == pytest.approx(
        [2.0061, 3], rel=1e-4
    )
    assert len(OpenForm.of(formula, ("x",), opens_ones=True).found) == 4
    form = OpenForm.of(2.2 * X**1.37, ("x",))
    data = measured(POWER, np.random.default_rng(0))
    np.testing.assert_allclose(form.values(form.found, data), data.values)
    slopes = form.slopes(form.found, data)
    x = data.points[:, 0]
    order = np.argsort(form.found)
    expected = np.stack([data.values * np.log(x), x**1.37], axis=1)
    np.testing.assert_allclose(slopes[:, order], expected)

"""A part of a formula as another curve of the same input."""

import numpy as np
import pytest

from eqlearn.dynamics.candidates.exchanged import exchanged
from eqlearn.dynamics.candidates.grounds import grounds_of_rates
from eqlearn.dynamics.candidates.known_rates import known_rates
from eqlearn.dynamics.smooth.rate_rows import RateRows
from eqlearn.equation.write.display import formula_text
from eqlearn.network.canonical import canonical
from eqlearn.network.graph import sine_slots

NAMES = ("x", "y")


@pytest.mark.parametrize(
    ("imitation", "truth"),
    [
        ("0.3*y - 0.12*x*x + 0.33", "0.33/(1 + 0.39*x*x) + 0.3*y"),
        ("1.795/(0.826*x + 1)", "1.2*exp(-1.1*x) + 0.58"),
        ("0.66*y*x - 16.5*y*x/(x*x + 15.9)", "-0.38*y*sin(x)"),
        ("(0.172*x*y - 0.648*y)/(1 - 0.0896*x*x)", "0.33*x*y/(x + 0.74) - 0.71*y"),
    ],
)
def test_the_curve_that_was_imitated_is_proposed(imitation: str, truth: str) -> None:
    x = np.random.default_rng(0).uniform(0.1, 1.9, (300, 2))
    own, true = (
        canonical(known_rates({"x": text}, NAMES, ())[0], x.T)
        for text in (imitation, truth)
    )
    rates = true.evaluate(x)[0]
    found = exchanged(own, grounds_of_rates(RateRows(x, rates), 0), 4)
    off = [np.abs(one.evaluate(x)[0] - rates).max() for one in found]
    assert min(off) < 0.01 * np.std(rates)


def test_an_angle_is_proposed_as_it_is() -> None:
    """With noise, a scaled one without a constant follows as well, and is no law."""
    x = np.random.default_rng(0).uniform(0.1, 1.9, (300, 2))
    own, true = (
        canonical(known_rates({"x": text}, NAMES, ())[0], x.T)
        for text in ("29.68*cos(0.5535*x) - 0.7*y", "9.8*cos(x) + 20 - 0.7*y")
    )
    rates = true.evaluate(x)[0]
    found = exchanged(own, grounds_of_rates(RateRows(x, rates), 0), 4)
    angles = [
        one.slots()[slot]
        for one in found
        if one.n_parameters <= own.n_parameters
        for slot in sine_slots(one)
    ]
    assert any(abs(linear.get(0, 0.0)) == 1.0 for linear in angles)


def test_what_does_not_bend_stays() -> None:
    x = np.random.default_rng(0).uniform(0.1, 1.9, (50, 2))
    own = canonical(known_rates({"x": "2*x - x*y"}, NAMES, ())[0], x.T)
    grounds = grounds_of_rates(RateRows(x, own.evaluate(x)[0]), 0)
    assert exchanged(own, grounds, 4) == [], formula_text(own, NAMES, "x")


def test_a_curve_too_steep_for_squares_is_passed_over() -> None:
    """Warnings are errors: a median far below the largest once overflowed."""
    x = np.random.default_rng(0).uniform(0.1, 1.9, (300, 2))
    x[::30, 0] += 300.0
    own = canonical(known_rates({"x": "0.3*y + x*x"}, NAMES, ())[0], x.T)
    grounds = grounds_of_rates(RateRows(x, own.evaluate(x)[0]), 0)
    assert exchanged(own, grounds, 4)

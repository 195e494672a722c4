import numpy as np
import sympy

from benchmarks.swingup import PLANTS, table, true_rates
from eqlearn.control import swingup


def test_the_true_rates_are_those_of_the_plants() -> None:
    rng = np.random.default_rng(0)
    states, actions = rng.normal(0, 2, (40, 4)), rng.uniform(-1, 1, (40, 1))
    names = (*swingup.STATE_NAMES, *swingup.ACTION_NAMES)
    assert len(set(PLANTS)) == 10
    for body in PLANTS:
        assert body.cart_friction > 0 and body.pole_friction > 0
        true = swingup.dynamics(states, actions, body)
        for column, text in enumerate(true_rates(body).values()):
            rate = sympy.lambdify(names, sympy.sympify(text))
            np.testing.assert_allclose(rate(*states.T, actions[:, 0]), true[:, column])


def test_lines_are_counted_by_noise() -> None:
    line = {"noise": 0.0, "core_seconds": 2.0, "widest": 0.5, "commit": "a"}
    lines = [
        line | {"upright": [True, False], "form": [True, True]},
        line | {"upright": [True, True], "form": [True, False]},
    ]
    (row,) = table(lines).rows
    assert row[:4] == ("0", "2", "3 of 4", "1 of 2")

"""Rates that are other states are held until the other equations are right."""

import numpy as np
import pytest
from formulas import formula

from eqlearn._types import Array
from eqlearn.dynamics.candidates.plain_rates import freed, plain_rates
from eqlearn.dynamics.smooth.rate_rows import RateRows
from eqlearn.network.graph import Graph

RNG = np.random.default_rng(0)
#: An angle, its velocity, a cart's, and a force.
X: Array = RNG.uniform(-1, 1, (300, 4))


def rows(rate: Array) -> RateRows:
    other = np.sin(X[:, 0]) + X[:, 3]
    rates = np.stack([rate, other, other], axis=1)
    return RateRows(X, rates + 0.01 * RNG.normal(size=rates.shape))


def imitation() -> Graph:
    return formula(4, {1: 1.0, 2: 0.01, 3: 0.01, -1: 0.01})


def test_the_rate_of_a_position_is_its_velocity() -> None:
    found = plain_rates(rows(X[:, 1]), {0: [imitation()], 1: [formula(4, {3: 1.0})]})
    assert found.keys() == {0}
    np.testing.assert_allclose(found[0].evaluate(X)[0][:, 0], X[:, 1])
    assert found[0].n_parameters == 0
    assert freed(found[0]).n_parameters == 1


@pytest.mark.parametrize(
    "rate", [1.05 * X[:, 1], X[:, 1] + 0.05 * X[:, 3], X[:, 3]], ids=str
)
def test_what_only_resembles_a_state_or_is_an_input_is_not_held(rate: Array) -> None:
    told = [formula(4, {k: 1.0}) for k in (1, 3)] + [imitation()]
    assert plain_rates(rows(rate), {0: told}) == {}


def test_a_system_of_one_state_has_no_other() -> None:
    one = RateRows(X[:, :1], -X[:, :1])
    assert plain_rates(one, {0: [formula(1, {0: -1.0})]}) == {}

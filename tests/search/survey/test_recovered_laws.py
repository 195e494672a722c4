"""Laws that the survey is there for, from noisy tables to formulas."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pytest

from eqlearn._types import Array
from eqlearn.equation.write.display import formula_text
from eqlearn.search.learn import learn
from eqlearn.search.request import Request


class Law(NamedTuple):
    """A law, where it is measured, and what its formula is made of."""

    of: Callable[[Array], Array]
    low: float
    high: float
    units: frozenset[str]
    n_constants: int


LAWS = {
    "decay to a level": Law(
        lambda x: 1.5 + 3 * np.exp(-0.7 * x), 0, 6, frozenset({"exp"}), 3
    ),
    "power": Law(lambda x: 2.3 * x**1.7, 0.5, 5, frozenset({"exp", "log"}), 2),
    "logistic": Law(
        lambda x: 4 / (1 + np.exp(-1.3 * (x - 5))), 0, 10, frozenset({"exp"}), 3
    ),
    "bell with an offset": Law(
        lambda x: 0.8 + 2.5 * np.exp(-(((x - 3) / 1.2) ** 2)),
        *(0, 7, frozenset({"exp", "multiply"}), 4),
    ),
    "damped wave": Law(
        lambda x: 2 * np.exp(-0.3 * x) * np.cos(2.5 * x),
        *(0, 8, frozenset({"exp", "sin", "multiply"}), 3),
    ),
    "entropy of a share": Law(
        lambda x: -2.6 * x * np.log(x), 0.1, 4, frozenset({"log", "multiply"}), 2
    ),
    "fast wave": Law(lambda x: np.sin(20 * x), 0, 10, frozenset({"sin"}), 2),
    "years": Law(
        lambda x: 50 + 2.5 * (x - 1990) + 0.3 * (x - 1990) ** 2,
        *(1990, 2020, frozenset({"origin", "multiply"}), 3),
    ),
}
N, NOISE = 200, 0.01


@pytest.mark.parametrize("name", LAWS)
def test_a_law_in_noise_is_recovered(name: str) -> None:
    law, rng = LAWS[name], np.random.default_rng(0)
    x = rng.uniform(law.low, law.high, (N, 1))
    clean = law.of(x)
    noise = NOISE * float(np.std(clean))
    y = clean + noise * rng.normal(size=(N, 1))
    (found,) = learn(Request(x, y, jobs=1))
    best = found.candidates[0]
    assert {node.unit for node in best.snapped.nodes} == law.units
    assert best.graph.n_parameters <= law.n_constants
    # Beyond the data a law goes on, and an imitation does not.
    for low, high, most in ((0.0, 1.0, 0.5), (1.0, 1.2, 5.0)):
        shares = np.linspace(low, high, 200)[:, None]
        points = law.low + shares * (law.high - law.low)
        off = best.snapped.evaluate(points)[0] - law.of(points)
        assert np.sqrt(np.mean(off**2)) < most * noise


def test_years_are_shown_from_where_they_begin() -> None:
    rng = np.random.default_rng(1)
    x = rng.uniform(1990, 2020, (N, 1))
    y = 40 * np.exp(-0.1 * (x - 1990)) + 0.1 * rng.normal(size=(N, 1))
    (found,) = learn(Request(x, y, jobs=1))
    shown = formula_text(found.candidates[0].snapped, ["year"], "y")
    assert "(year - 1990)" in shown

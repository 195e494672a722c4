"""Fractions with an exponential in them."""

import numpy as np
import pytest
from tasks import task_of

from eqlearn.search.attempts.input_views import View
from eqlearn.search.survey.families import _scanned, families

X = np.linspace(0.2, 6.0, 150)[:, None]
RNG = np.random.default_rng(0)


def test_the_scan_finds_the_rate_of_an_exponential() -> None:
    y = (1 + X[:, 0]) / (2 + np.exp(-2.0 * X[:, 0]))
    rows = task_of(X, y).search_rows()
    best = min(_scanned(rows))
    assert best.of == (1.0,)
    # The next rates of the scan are half as large and twice as large.
    assert -4.0 < best.rate < -1.0


@pytest.mark.parametrize(
    "law",
    [
        lambda x: 4 / (1 + 30 * np.exp(-1.3 * x)),
        lambda x: 2 * np.tanh(0.8 * x) + 0.3,
        lambda x: x / (np.exp(0.9 * x) - 1),
    ],
    ids=["logistic", "tanh", "Bose"],
)
def test_laws_of_one_exponential_are_found(law: object) -> None:
    assert callable(law)
    y = law(X[:, 0])
    noise = 0.005 * np.std(y)
    task = task_of(X, y + noise * RNG.normal(size=len(y)))
    best = min(families(View((0,)), task), key=lambda one: one.bic)
    values = best.graph.evaluate(X)[0][:, 0]
    assert np.sqrt(np.mean((values - y) ** 2)) < noise


def test_of_many_variables_no_family_is_looked_for() -> None:
    x = RNG.uniform(1, 2, (60, 6))
    assert list(_scanned(task_of(x, x[:, 0]).search_rows())) == []

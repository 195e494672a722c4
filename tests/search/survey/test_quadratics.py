"""Targets that solve a quadratic equation."""

from dataclasses import replace

import numpy as np
import pytest
from tasks import task_of

from eqlearn._types import Array
from eqlearn.network.units import BUILT_IN
from eqlearn.search.attempts.input_views import View
from eqlearn.search.survey.quadratics import _solved, quadratics
from eqlearn.search.task import Task, numerical_context
from eqlearn.training.samples import samples

N = 300
X = np.random.default_rng(0).uniform(0.3, 3.0, (N, 3))
P, Q, R = X.T


def table(y: Array, noise: float, x: Array = X) -> Task:
    y = y + noise * np.std(y) * np.random.default_rng(1).normal(size=N)
    return replace(task_of(x, y), survey_units=tuple(sorted(BUILT_IN)))


def test_terms_and_root_of_an_equation_by_hand() -> None:
    # y² = -p y + q: y = -p/2 + √(p²/4 + q).
    y = -P / 2 + np.sqrt(P**2 / 4 + Q)
    solved = _solved(samples(X[:, :2], y[:, None]))
    assert solved is not None
    half, square, sign = solved
    np.testing.assert_allclose(half, [0, -0.5, 0], atol=1e-8)
    # Of 1, p, q, p², p q, q².
    np.testing.assert_allclose(square, [0, 0, 1, 0.25, 0, 0], atol=1e-8)
    assert sign == 1.0


@pytest.mark.parametrize("noise", [0.0, 0.01])
@pytest.mark.parametrize(
    "law",
    [
        (P + Q) / 2 + np.sqrt((P - Q) ** 2 / 4 + R**2),  # the upper of two levels
        (P + Q + R - np.sqrt((P + Q + R) ** 2 - 4 * P * Q)) / 2,  # bound, of two
    ],
    ids=["upper", "lower"],
)
def test_either_root_is_found_down_to_the_noise(law: Array, noise: float) -> None:
    task = table(law, noise)
    with numerical_context(task):
        (found,) = quadratics(View((0, 1, 2)), task)
    assert found.sse / N < (1.1 * noise**2 + 1e-12) * np.var(law)
    assert found.graph.n_parameters <= 10


def test_a_table_of_too_many_inputs_is_not_asked() -> None:
    x = np.random.default_rng(0).uniform(0.3, 3.0, (N, 20))
    assert list(quadratics(View(tuple(range(20))), table(x[:, 0], 0.0, x))) == []


def test_a_constant_target_has_no_equation() -> None:
    assert _solved(samples(X, np.zeros((N, 1)))) is None

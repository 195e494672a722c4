import numpy as np
import pytest

from eqlearn._types import Array
from eqlearn.network.graph import CONSTANT, Graph
from eqlearn.training.rational import direct_start, library, sparse_start
from eqlearn.training.samples import samples


def error(graph: Graph | None, x: Array, y: Array) -> float:
    assert graph is not None
    return float(np.abs(graph.evaluate(x)[0][:, 0] - y).max())


def test_a_library_has_every_monomial_once() -> None:
    lib = library(2, 2, 1)
    assert len(lib.numerator) == 6  # 1, x, y, x², xy, y²
    assert len(lib.denominator) == 3
    assert CONSTANT in lib.numerator
    x = np.array([[2.0], [3.0]])
    top, bottom = lib.columns(x)
    assert sorted(top[:, 0]) == [1, 2, 3, 4, 6, 9]
    assert sorted(bottom[:, 0]) == [1, 2, 3]


def test_angles_replace_their_input_and_leave_squared_sines_out() -> None:
    lib = library(1, 2, 0, arguments=[{0: 2.0}], replaced=frozenset({0}))
    top, _ = lib.columns(np.array([[0.3]]))
    s, c = np.sin(0.6), np.cos(0.6)
    np.testing.assert_allclose(sorted(top[:, 0]), sorted([1, s, c, s * c, c * c]))


@pytest.mark.parametrize(
    ("name", "law", "low"),
    [
        ("constant one", lambda a, b: a / (1 + b), 0.5),
        ("no constant", lambda a, b: a / b, 0.5),
        ("two decades", lambda a, b: 1 / (a * b + 0.01), 0.01),
        ("changing sign", lambda a, b: 1 / (a - b), -1.0),
    ],
)
def test_the_direct_start_is_exact_without_noise(
    name: str, law: object, low: float
) -> None:
    x = np.random.default_rng(0).uniform(low, 2.0, (100, 2))
    y = law(*x.T)  # type: ignore[operator]
    graph = direct_start(library(2, 2, 2), samples(x, y[:, None]))
    assert error(graph, x, y) < 1e-6 * np.abs(y).max()


def test_the_sparse_start_drops_terms_in_noise() -> None:
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, (1000, 2))
    y = x[:, 0] / (1 + 0.5 * x[:, 1] ** 2) + 0.01 * rng.normal(size=1000)
    graph = sparse_start(library(2, 2, 2), samples(x, y[:, None]), 3e-4)
    assert graph is not None
    alive = sum(abs(w) > 1e-9 for linear in graph.outputs[0] for w in linear.values())
    assert alive <= 6
    assert error(graph, x, x[:, 0] / (1 + 0.5 * x[:, 1] ** 2)) < 0.03

"""Powers that come out simple."""

import numpy as np
import pytest
from formulas import fitted, formula
from tasks import task_of

from eqlearn.network.graph import CONSTANT, Graph, Node
from eqlearn.search.attempts.simple_powers import (
    _as_product,
    _powers,
    with_simple_powers,
)

RNG = np.random.default_rng(0)
X = RNG.uniform(0.5, 3.0, (200, 2))


def power_law(first: float, second: float, scale: float = 1.0) -> Graph:
    """exp(first log(scale x1) + second log(x2))."""
    logs = Node("log", ({0: scale},)), Node("log", ({1: 1.0},))
    return formula(2, {4: 1.0}, *logs, Node("exp", ({2: first, 3: second},)))


def values_of(graph: Graph) -> np.ndarray:
    return graph.evaluate(X)[0][:, 0]


def test_powers_are_told_with_their_distance_from_a_half() -> None:
    found = dict((source, off) for off, _, source in _powers(power_law(1.98, -0.4)))
    assert found == pytest.approx({2: 0.02, 3: 0.1})


def test_powers_of_sums_are_powers_too() -> None:
    log = Node("log", ({0: 1.0, CONSTANT: 1.0},))
    graph = formula(2, {3: 1.0}, log, Node("exp", ({2: -1.0},)))
    ((_, feature, source),) = _powers(graph)
    plain = _as_product(graph, feature, source)
    assert "divide" in {node.unit for node in plain.nodes}
    np.testing.assert_allclose(values_of(plain), values_of(graph))


def test_large_powers_are_not_written_out() -> None:
    assert list(_powers(power_law(9.0, 8.0))) == []


@pytest.mark.parametrize("power", [2.0, 1.5, -1.0, -0.5, 3.0, 0.0])
def test_a_power_out_of_the_exponential_says_the_same(power: float) -> None:
    graph = power_law(power, 0.3, scale=2.0)
    out = _as_product(graph, 4, 2)
    np.testing.assert_allclose(values_of(out), values_of(graph), rtol=1e-12)
    assert len(list(_powers(out))) == 1


def test_a_power_near_a_half_becomes_that_half() -> None:
    out = _as_product(power_law(2.04, 0.3), 4, 2)
    np.testing.assert_allclose(values_of(out), values_of(power_law(2.0, 0.3)))


def test_simple_powers_cost_no_constant_and_others_stay() -> None:
    y = 2.3 * X[:, 0] ** 2 / np.sqrt(X[:, 1])
    task = task_of(X, y * (1 + 0.002 * RNG.normal(size=200)))
    data = task.search_rows()
    found = fitted(power_law(1.9, -0.4), data)
    simple = with_simple_powers(found, data, task.tactics)
    assert simple.bic < found.bic
    assert simple.graph.n_parameters == 1
    assert not {node.unit for node in simple.graph.nodes} & {"exp", "log"}


def test_a_power_that_is_not_simple_is_left_alone() -> None:
    y = 2.3 * X[:, 0] ** 1.7 * X[:, 1]
    task = task_of(X, y * (1 + 0.002 * RNG.normal(size=200)))
    data = task.search_rows()
    simple = with_simple_powers(fitted(power_law(1.6, 1.1), data), data, task.tactics)
    exponents = [n.arguments[0] for n in simple.graph.nodes if n.unit == "exp"]
    assert [list(one.values()) for one in exponents] == [[pytest.approx(1.7, abs=0.01)]]
    assert simple.graph.n_parameters == 2

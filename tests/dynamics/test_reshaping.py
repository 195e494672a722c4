import numpy as np
import pytest

from eqlearn.dynamics.candidates import reshaping
from eqlearn.dynamics.candidates.known_rates import known_rates
from eqlearn.network.canonical import canonical
from eqlearn.network.graph import Graph

X = np.random.default_rng(0).uniform(-0.6, 0.6, (2, 80))


def graph(text: str) -> Graph:
    return canonical(known_rates({"q": text}, ("q", "w"), ())[0], X)


def values(one: Graph) -> np.ndarray:
    return one.evaluate(X.T)[0][:, 0]


def test_monomials_are_counted() -> None:
    assert reshaping.monomials(2, 2) == [(), (0,), (1,), (0, 0), (0, 1), (1, 1)]


def test_terms_of_weight_zero_change_nothing_and_are_parameters() -> None:
    one = graph("sin(2*q)*w/(2 + q)")
    wide, added = reshaping.extended(one, reshaping.monomials(2, 2))
    assert values(wide) == pytest.approx(values(one), rel=1e-12)
    assert set(added) <= set(wide.parameters())
    assert wide.n_parameters == one.n_parameters + len(added)


def test_a_term_is_left_out() -> None:
    one = graph("3*q - 2*w")
    keys = one.parameters()
    less = reshaping.without(one, {keys[1]}, X)
    assert less is not None
    assert values(less) == pytest.approx(3 * X[0])
    assert reshaping.without(one, set(keys), X) is None


def test_a_short_sine_becomes_a_polynomial() -> None:
    softer = list(reshaping.softened(graph("2*sin(q) + w"), X))
    assert len(softer) == 3
    assert values(softer[-1]) == pytest.approx(2 * np.sin(X[0]) + X[1], abs=1e-3)
    assert all(node.unit == "multiply" for node in softer[-1].nodes)


def test_series_become_waves() -> None:
    (sine,) = reshaping.waved(graph("3*q - 0.5*q*q*q"), X)
    assert values(sine) == pytest.approx(3 * np.sin(X[0]))
    (cosine,) = reshaping.waved(graph("w - 2*q*q"), X)
    assert values(cosine) == pytest.approx(X[1] + 4 * np.cos(X[0]) - 4)

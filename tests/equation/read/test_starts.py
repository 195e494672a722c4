"""Where fits of a guess begin: free letters of the size of what is beside them."""

import numpy as np
import pytest

from eqlearn import EqlearnError
from eqlearn.equation.read.starts import N_OF_WAVES, N_STARTS, start_graphs
from eqlearn.network.graph import Graph

X = np.random.default_rng(0).uniform(1, 2, (300, 2)) * [1e6, 1e-6]


def starts(text: str, inputs: tuple[str, ...] = ("x", "z")) -> list[Graph]:
    return start_graphs(text, inputs, X, np.random.default_rng(1))


def test_numbers_begin_at_one_place() -> None:
    assert len(starts("3*x + 2")) == 1


def test_letters_begin_at_several() -> None:
    graphs = starts("a*x + c")
    assert len(graphs) == N_STARTS
    assert len({graph.outputs[0][0][0] for graph in graphs}) == N_STARTS
    assert len(starts("a*sin(b*x)")) == N_OF_WAVES


def test_what_a_letter_multiplies_is_of_its_size() -> None:
    for graph in starts("exp(-a*x) + exp(-b*z)"):
        sizes = [abs(w) for node in graph.nodes for w in node.arguments[0].values()]
        assert 1e-8 < sizes[0] < 1e-4
        assert 1e4 < sizes[1] < 1e8


def test_what_is_added_is_of_the_size_of_the_rest() -> None:
    (first, *_) = starts("log(x + c)")
    ((_, linear),) = [(n.unit, n.arguments[0]) for n in first.nodes]
    assert linear[-1] == pytest.approx(np.sqrt(np.mean(X[:, 0] ** 2)))


@pytest.mark.parametrize("name", ["a", "A", "K1", "k_2", "omega", "λ", "tau_1"])
def test_letters_that_are_no_columns_are_free(name: str) -> None:
    assert len(starts(f"{name}*x")) == N_STARTS


def test_a_capital_of_a_column_is_a_slip() -> None:
    with pytest.raises(EqlearnError, match="got 'X' in 'a.X'. Did you mean 'x'"):
        starts("a*X")


def test_columns_are_no_letters() -> None:
    assert len(starts("a*b", ("a", "b"))) == 1


def test_any_column_can_be_named() -> None:
    for text in ("`T [K]`*z", "T_K*z", "z*`T [K]`", "T*z"):
        (graph,) = starts(text, ("T [K]", "z"))
        np.testing.assert_allclose(graph.evaluate(X)[0][:, 0], X[:, 0] * X[:, 1])


def test_of_two_columns_that_differ_in_their_units_none_is_meant() -> None:
    assert len(starts("T*`T [K]`", ("T [K]", "T [R]"))) == N_STARTS


def test_starts_without_values_are_left_out() -> None:
    for graph in starts("log(a)*x + sqrt(b)*z"):
        assert np.isfinite(graph.evaluate(X)[0]).all()


def test_a_formula_without_end_begins_at_fewer_places() -> None:
    """Else reading it takes many seconds, and all of them if it has no value."""
    long = "+".join(["sin(k*x)"] * 200)
    assert 1 < len(starts(long)) < N_OF_WAVES / 2


def test_what_cancels_is_gone() -> None:
    (graph,) = starts("x + z - x")
    assert graph.used_inputs == {1}

"""Terms of sums: their values, slopes and units."""

import numpy as np
import pytest

from eqlearn.network.graph import Graph
from eqlearn.search.attempts.monomials import monomial
from eqlearn.search.survey.terms import WITHOUT_RATE, Atom, Summand, graph_of

X = np.random.default_rng(0).uniform(0.5, 2.0, (2, 60))
KINDS = ("log", "exp", "sin", "cos", "tanh", "atan", "power", "shifted log")
ATOMS = [Atom(kind, (1.0, -1.0), 0.7) for kind in KINDS]


def values_of(graph: Graph) -> np.ndarray:
    return graph.evaluate(X.T)[0][:, 0]


def test_atoms_by_hand() -> None:
    x = np.array([[2.0], [4.0]])
    half = {kind: Atom(kind, (1.0, -1.0), 3.0).values(x)[0] for kind in KINDS}
    assert half == pytest.approx(
        {
            "log": np.log(1.5),
            "exp": np.exp(1.5),
            "sin": np.sin(1.5),
            "cos": np.cos(1.5),
            "tanh": np.tanh(1.5),
            "atan": np.arctan(1.5),
            "power": 0.125,
            "shifted log": np.log(3.5),
        }
    )


@pytest.mark.parametrize("atom", [a for a in ATOMS if a.kind not in WITHOUT_RATE])
def test_slopes_are_those_of_finite_differences(atom: Atom) -> None:
    step = 1e-6
    above, below = (
        Atom(atom.kind, atom.of, atom.rate + sign * step).values(X) for sign in (1, -1)
    )
    difference = (above - below) / (2 * step)
    slopes = atom.slopes_of(monomial(X, atom.of), atom.rate)
    np.testing.assert_allclose(slopes, difference, rtol=1e-6, atol=1e-8)


def test_a_logarithm_keeps_the_unit_it_is_given() -> None:
    atom = Atom("log", (1.0, -1.0), 0.7)
    inner = monomial(X, atom.of)
    assert not atom.slopes_of(inner, atom.rate).any()
    np.testing.assert_allclose(atom.values(X), np.log(0.7 * inner))


@pytest.mark.parametrize("atom", ATOMS, ids=KINDS)
def test_units_of_an_atom_compute_its_values(atom: Atom) -> None:
    term = Summand((1.0, 0.0), (atom,))
    graph = graph_of([term], np.array([2.0]), 2)
    np.testing.assert_allclose(values_of(graph), 2 * X[0] * atom.values(X), rtol=1e-12)


def test_a_sum_with_negative_powers_is_one_fraction() -> None:
    # 2 x1 / x2 + 3 + 0.5 / x1 = (2 x1² + 3 x1 x2 + 0.5 x2) / (x1 x2)
    terms = [Summand((1.0, -1.0)), Summand((0.0, 0.0)), Summand((-1.0, 0.0))]
    graph = graph_of(terms, np.array([2.0, 3.0, 0.5]), 2)
    assert {node.unit for node in graph.nodes} == {"multiply"}
    np.testing.assert_allclose(values_of(graph), 2 * X[0] / X[1] + 3 + 0.5 / X[0])


def test_terms_share_the_units_of_an_atom() -> None:
    atom = Atom("exp", (1.0, 0.0), -1.5)
    terms = [Summand((0.0, 0.0), (atom,)), Summand((0.0, 1.0), (atom,))]
    graph = graph_of(terms, np.array([2.0, -1.0]), 2)
    assert [node.unit for node in graph.nodes].count("exp") == 1
    np.testing.assert_allclose(values_of(graph), (2 - X[1]) * np.exp(-1.5 * X[0]))


def test_a_term_may_have_several_atoms() -> None:
    atoms = Atom("exp", (1.0, 0.0), -1.0), Atom("sin", (1.0, 0.0), 5.0)
    term = Summand((0.0, 0.5), atoms)
    expected = np.sqrt(X[1]) * np.exp(-X[0]) * np.sin(5 * X[0])
    np.testing.assert_allclose(term.values(X), expected)
    graph = graph_of([term], np.array([1.0]), 2)
    np.testing.assert_allclose(values_of(graph), expected, rtol=1e-12)


def test_terms_that_are_there_twice_add_up() -> None:
    terms = [Summand((1.0, 0.0)), Summand((1.0, 0.0))]
    graph = graph_of(terms, np.array([2.0, 3.0]), 2)
    np.testing.assert_allclose(values_of(graph), 5 * X[0])

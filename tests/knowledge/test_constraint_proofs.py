"""Which constraints formulas keep: proved, only not refuted, or broken, and where."""

import numpy as np
import pytest
from graphs import random_graph, random_inputs
from hypothesis import given, settings
from hypothesis import strategies as st

from eqlearn.equation.read.starts import start_graphs
from eqlearn.knowledge.constraining.constraint_proofs import (
    KeptConstraint,
    judged_constraint,
)
from eqlearn.knowledge.constraining.constraint_text import constraints_of
from eqlearn.knowledge.constraining.slope_graphs import slope_graph
from eqlearn.network.graph import Graph
from eqlearn.network.units import register_unit

INPUTS = ("x", "z")
LOW, HIGH = np.array([0.0, -1.0]), np.array([3.0, 2.0])


def graph_of(formula: str) -> Graph:
    rng = np.random.default_rng(0)
    return start_graphs(formula, INPUTS, rng.uniform(0.1, 2, (50, 2)), rng)[0]


def judged(formula: str, constraint: str) -> KeptConstraint:
    ((one,),) = constraints_of(constraint, INPUTS, ("y",))
    return judged_constraint(one, graph_of(formula), LOW, HIGH)


@pytest.mark.parametrize(
    ("formula", "constraint"),
    [
        ("2*x + 1", "positive"),
        ("x^2", "y >= 0"),
        ("exp(z)*x", "positive"),
        ("2*x + 1", "y <= 7"),
        ("sin(5*x)*cos(z)", "y <= 1"),
        ("-1 - x", "negative"),
        ("x/(1 + x)", "increasing in x"),
        ("exp(-2*x)*z^2", "decreasing in x"),
        ("log(1 + x)*(2 + z)", "increasing in z"),
        ("x + 0.9*sin(x)", "increasing in x"),
        ("2*z", "increasing in x"),
        ("tanh(x) + atan(x) + sqrt(x + 1)", "increasing in x"),
        ("x/(1 + x)", "concave in x"),
        ("exp(-2*x)*z^2", "convex in z"),
        ("log(1 + x)", "concave in x"),
        ("1/(1 + x)", "convex in x"),
        ("x*z^2", "even in z"),
        ("cos(3*z) + x", "even in z"),
        ("z*exp(x) + sin(z)", "odd in z"),
        ("tanh(z)/(1 + z^2)", "odd in z"),
        ("x*exp(z)", "f(x=0) = 0"),
        ("2 + x*z", "f(0, 0) = 2"),
        ("x/(1 + x)", "y -> 1 as x -> inf"),
        ("exp(-x)*x^3", "y -> 0 as x -> inf"),
        ("z*atan(x)*0 + atan(x)", "f(x=-inf) = -1.5707963"),
        ("(2*x^2 + x)/(x^2 + 1)", "y -> 2 as x -> inf"),
        ("1/(1 + exp(-x))", "y -> 1 as x -> inf"),
        ("log(x + 2)/(x + 1)", "y -> 0 as x -> inf"),
        ("1/(1 + x^2)", "finite"),
        ("x - 2", "increasing in x for z=5:6"),
        ("z*x", "increasing in x for z=0:2"),
    ],
)
def test_proved(formula: str, constraint: str) -> None:
    assert judged(formula, constraint).keeping == "proved"


@pytest.mark.parametrize(
    ("formula", "constraint", "said"),
    [
        ("2*x - 1", "positive", "violated at x = 0"),
        ("2*x + 1", "y <= 6", "x = 3"),
        ("x*z", "increasing in x", "z = -"),
        ("sin(4*x)", "increasing in x", "its slope is -"),
        ("x/(1 + x)", "convex in x", "its curvature is -"),
        ("x^2 + x", "even in x", "x = -3"),
        ("1 + z", "odd in z", "it is "),
        ("sqrt(x + 0.5)", "even in x", "it has no value"),
        ("2*x + 1", "f(x=0) = 2", "where it is 1"),
        ("x/(1 + x)", "f(x=inf) = 0", "where it is 1"),
        ("2*x", "y -> 5 as x -> inf", "where it is "),
        ("log(x)/log(x + 2)", "f(x=inf) = 3", "where it is "),
    ],
)
def test_broken(formula: str, constraint: str, said: str) -> None:
    kept = judged(formula, constraint)
    assert kept.keeping == "broken"
    assert said in kept.in_words(INPUTS)


def test_a_narrow_dip_is_found_or_at_least_not_proved_away() -> None:
    # Between 1.5 and 1.502 it is below zero, where hardly a point is looked at.
    kept = judged("1000*(x - 1.5)*(x - 1.502)", "positive")
    assert kept.keeping == "broken"


def test_touching_a_bound_is_keeping_it() -> None:
    assert judged("x^2 - 2*x + 1", "positive").keeping == "proved"
    assert judged("x^2 - 2*x + 0.999", "positive").keeping == "broken"


def test_a_pole_is_neither_finite_nor_decreasing() -> None:
    assert judged("1/(x - 1.3)", "decreasing in x").keeping == "broken"
    assert judged("1/(x - 1.3)", "finite").keeping != "proved"


def test_what_has_no_value_in_the_domain_keeps_nothing() -> None:
    kept = judged("sqrt(x - 1)", "increasing in x")
    assert kept.keeping == "broken"
    assert "it has no value" in kept.in_words(INPUTS)


def test_a_user_s_unit_can_be_looked_at_but_nothing_is_proved() -> None:
    register_unit("softly", lambda xp, z: z / xp.sqrt(1 + z * z))
    kept = judged("softly(x)", "increasing in x")
    assert kept.keeping == "not proved"
    assert "but is not proved" in kept.in_words(INPUTS)


@settings(deadline=None, max_examples=50)
@given(st.integers(0, 10_000))
def test_slopes_are_those_of_differences(seed: int) -> None:
    rng = np.random.default_rng(seed)
    graph, x = random_graph(rng, n_units=4), 0.9 * random_inputs(rng, 20)
    number = int(rng.integers(3))
    slope = slope_graph(graph, number)
    assert slope is not None
    h = np.zeros(3)
    h[number] = 1e-5
    difference = graph.evaluate(x + h)[0] - graph.evaluate(x - h)[0]
    found = slope.evaluate(x)[0]
    np.testing.assert_allclose(found, difference / 2e-5, rtol=1e-4, atol=1e-4)


@settings(deadline=None, max_examples=8)
@given(st.integers(0, 10_000))
def test_what_is_proved_is_true(seed: int) -> None:
    rng = np.random.default_rng(seed)
    graph = random_graph(rng, n_inputs=2, n_units=3)
    low, high = -np.ones(2), np.ones(2)
    texts = ["y >= -0.5", "y <= 2", "increasing in x", "convex in z", "even in x"]
    (known,) = constraints_of(texts, INPUTS, ("y",))
    x = rng.uniform(-1, 1, (300, 2))
    y = graph.evaluate(x)[0][:, 0]
    holds = {
        "y >= -0.5": bool((y >= -0.5 - 1e-6).all()),
        "y <= 2": bool((y <= 2 + 1e-6).all()),
    }
    for one in known:
        keeping = judged_constraint(one, graph, low, high).keeping
        if keeping == "proved" and one.text in holds:
            assert holds[one.text]
        if keeping == "proved" and one.kind == "slope":
            step = np.array([0.05, 0.0])
            inside = x[x[:, 0] < 0.95]
            rise = graph.evaluate(inside + step)[0] - graph.evaluate(inside)[0]
            assert (rise >= -1e-6).all()

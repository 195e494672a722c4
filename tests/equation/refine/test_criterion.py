import math

import numpy as np
import pytest
from graphs import ONE
from hypothesis import given
from hypothesis import strategies as st

from eqlearn.equation.refine.criterion import Scored, is_exact, score
from eqlearn.equation.refine.tactics import Criterion, Tactics
from eqlearn.network.graph import CONSTANT, Graph, Node
from eqlearn.training.samples import samples

STANDARD = Criterion()
bic, sse_to_reach = STANDARD.bic, STANDARD.sse_to_reach


def test_the_criterion_worked_by_hand() -> None:
    bic = Criterion(n_alternatives=10.0).bic
    # 100 log(25 / 100) + 3 (log 100 + 2 log 10) = -138.629 + 3 · 9.210
    assert bic(25.0, 100, 3) == pytest.approx(-110.9984, abs=1e-4)
    assert bic(100.0, 100, 0) == pytest.approx(0.0)


def test_every_parameter_costs_the_same_and_at_least_the_logarithm_of_n() -> None:
    costs = [bic(7.0, 50, p + 1) - bic(7.0, 50, p) for p in range(4)]
    assert costs == pytest.approx([costs[0]] * 4)
    assert costs[0] > math.log(50) - 1e-9


def test_below_what_counts_as_none_nothing_more_is_explained() -> None:
    perfect = bic(0.0, 100, 2)
    assert bic(0.0, 100, 0) == pytest.approx(100 * math.log(STANDARD.exact))
    assert bic(1e-28, 100, 2) - perfect < 1e-3
    # With the noise as that, halving a residual below it gains almost nothing.
    noisy = Criterion(exact=1e-4)
    gain = noisy.bic(1e-6, 100, 2) - noisy.bic(5e-7, 100, 2)
    assert 0 < gain < 0.01


def test_a_graph_that_cannot_be_evaluated_is_worse_than_any() -> None:
    assert bic(math.inf, 100, 0) == math.inf
    assert bic(math.nan, 100, 0) == math.inf


@pytest.mark.parametrize(
    ("n", "most"), [(1, 1), (5, 1), (6, 2), (8, 2), (9, 3), (11, 3), (16, 4), (40, 10)]
)
def test_usual_curves_need_three_rows_a_constant_and_longer_formulas_four(
    n: int, most: int
) -> None:
    """Eleven rows of a vapour pressure tell a curve of three constants."""
    assert STANDARD.most_parameters(n) == most
    assert math.isfinite(bic(1.0, n, most)) and bic(1.0, n, most + 1) == math.inf


def test_formulas_that_retell_the_data_are_no_explanation() -> None:
    assert math.isfinite(bic(0.0, 100, 25))
    assert bic(0.0, 100, 26) == math.inf


def test_every_output_of_every_sample_counts_and_only_free_weights_do() -> None:
    outputs = (({0: 1.0, CONSTANT: 2.0}, ONE), ({0: 1.0}, ONE))
    fixed = frozenset({(1, CONSTANT), (3, CONSTANT)})
    graph = Graph(1, (), outputs, fixed)
    data = samples(np.zeros((30, 1)), np.zeros((30, 2)), points=np.zeros((9, 1)))
    scored = score(graph, 6.0, data)
    assert (scored.graph, scored.sse) == (graph, 6.0)
    assert scored.bic == bic(6.0, 60, 3)


@given(
    st.floats(1e-12, 1e6),
    st.integers(400, 10**6),
    st.integers(0, 100),
    st.sampled_from([STANDARD.exact, 1e-14]),
)
def test_the_error_to_reach_inverts_the_criterion(
    sse: float, n: int, n_parameters: int, exact: float
) -> None:
    criterion = Criterion(exact=exact)
    back = criterion.sse_to_reach(criterion.bic(sse, n, n_parameters), n, n_parameters)
    # `exact` adds to the mean square, so a much smaller error cannot be told.
    assert back == pytest.approx(sse, rel=1e-6, abs=1e-6 * exact * n)


def test_a_formula_is_exact_when_rounding_is_all_it_leaves() -> None:
    graph = Graph(1, (), (({0: 1.0}, ONE),))
    data = samples(np.zeros((10, 1)), np.zeros((10, 1)))
    assert is_exact(Scored(graph, 10 * 0.9e-20, 0.0), data)
    assert not is_exact(Scored(graph, 10 * 1.1e-20, 0.0), data)
    coarse = Tactics(criterion=Criterion(nothing_left=1e-6))
    assert is_exact(Scored(graph, 10 * 1.1e-20, 0.0), data, coarse)


def test_a_scored_formula_is_read_back_from_its_document() -> None:
    found = Scored(Graph(1, (), (({0: 1.5, CONSTANT: 2.0}, ONE),)), 0.25, -12.5)
    assert Scored.from_document(found.to_document()) == found


def test_a_smaller_graph_may_have_the_larger_error_that_its_size_pays_for() -> None:
    best = bic(10.0, 200, 8)
    saved = best - bic(10.0, 200, 7)
    allowed = sse_to_reach(best, 200, 7)
    assert allowed == pytest.approx(10.0 * math.exp(saved / 200))


def test_what_is_below_the_floor_cannot_be_reached() -> None:
    assert sse_to_reach(bic(0.0, 100, 2), 100, 4) < 0


def test_a_hopeless_criterion_is_reached_by_any_error() -> None:
    assert sse_to_reach(math.inf, 100, 2) > 1e300


def test_the_logarithms_of_a_power_cost_nothing_beside_its_exponential() -> None:
    prices = dict(STANDARD.unit_prices)
    log, of_log = Node("log", ({0: 1.0},)), Node("exp", ({2: 1.7},))
    power = Graph(2, (log, of_log), (({3: 1.0}, ONE),))
    assert STANDARD.charge(power) == prices["exp"]
    # A logarithm that something else uses, too, is a term of its own.
    both = Graph(2, (log, of_log), (({3: 1.0, 2: 1.0}, ONE),))
    assert STANDARD.charge(both) == prices["exp"] + prices["log"]
    alone = Graph(2, (log,), (({2: 1.0}, ONE),))
    assert STANDARD.charge(alone) == prices["log"]

"""How far predictions may be off, against values worked by hand and differences."""

from dataclasses import replace

import numpy as np
import pytest
from report_models import equation, model, rival

from eqlearn.errors import EqlearnError
from eqlearn.model.prediction import (
    Weighed,
    chances,
    covariance_of,
    parameters_of,
    prediction_interval,
    prediction_std,
    slopes,
    variance_by_candidates,
    variance_by_constants,
    with_parameters,
)
from eqlearn.network.graph import CONSTANT, Graph, Linear, Node

ONE: Linear = {CONSTANT: 1.0}
# 3 sin(2x) / (1 + x), with the 1s held fast.
GRAPH = Graph(
    1,
    (Node("sin", ({0: 2.0},)),),
    (({1: 3.0}, {CONSTANT: 1.0, 0: 1.0}),),
    frozenset({(2, CONSTANT), (2, 0)}),
)
X = np.array([[0.3], [0.9], [2.0]])


def test_slopes_are_derivatives_by_the_free_constants() -> None:
    x = X[:, 0]
    assert parameters_of(GRAPH).tolist() == [2.0, 3.0]
    by_speed, by_size = 3 * x * np.cos(2 * x) / (1 + x), np.sin(2 * x) / (1 + x)
    assert slopes(GRAPH, X) == pytest.approx(np.array([by_speed, by_size]), rel=1e-6)


def test_what_is_tied_follows() -> None:
    tied = Graph(
        2, (), (({0: 2.0, 1: 4.0}, ONE),), frozenset({(1, -1)}), {(0, 1): ((0, 0), 2.0)}
    )
    moved = with_parameters(tied, np.array([3.0]))
    assert moved.outputs[0][0] == {0: 3.0, 1: 6.0}


def test_errors_of_constants_become_errors_of_predictions() -> None:
    line = Graph(1, (), (({0: 1.0, CONSTANT: 2.0}, ONE),), frozenset({(1, -1)}))
    covariance = np.array([[0.04, 0.01], [0.01, 0.09]])
    variance = variance_by_constants(line, covariance, X)
    x = X[:, 0]
    assert variance == pytest.approx(0.04 * x**2 + 2 * 0.01 * x + 0.09)
    nowhere = Graph(1, (), (({0: 1.0}, {0: 1.0, CONSTANT: -0.3}),))
    assert variance_by_constants(nowhere, np.eye(3), X)[0] == np.inf


def test_two_behind_is_less_likely_by_e() -> None:
    assert chances([5.0, 7.0, np.inf]).tolist() == pytest.approx(
        [1 / (1 + np.exp(-1)), np.exp(-1) / (1 + np.exp(-1)), 0.0]
    )


def test_of_formulas_without_a_criterion_none_is_likelier() -> None:
    assert chances([np.inf, np.inf]).tolist() == [0.5, 0.5]


def test_candidates_count_by_their_chance() -> None:
    line, steep = (Graph(1, (), (({0: w}, ONE),)) for w in (1.0, 3.0))
    variance = variance_by_candidates(line, [Weighed(steep, 0.0)], 0.0, X)
    assert variance == pytest.approx(0.5 * (2 * X[:, 0]) ** 2)
    assert variance_by_candidates(line, [], 0.0, X).tolist() == [0.0, 0.0, 0.0]


def test_a_pole_of_a_candidate_that_is_hardly_the_law_opens_no_interval() -> None:
    line = Graph(1, (), (({0: 1.0}, ONE),))
    pole = Graph(1, (), (({0: 1.0}, {0: 1.0, CONSTANT: -0.9}),))
    unlikely = variance_by_candidates(line, [Weighed(pole, 20.0)], 0.0, X)
    assert unlikely.tolist() == [0.0, 0.0, 0.0]
    likely = variance_by_candidates(line, [Weighed(pole, 2.0)], 0.0, X)
    assert likely[1] == np.inf
    # Many that are unlikely each are not so together.
    several = [Weighed(pole, 11.0 + i / 10) for i in range(9)]
    assert variance_by_candidates(line, several, 0.0, X)[1] == np.inf


@pytest.mark.parametrize("level", ["0.95", True, 0.0, 1.0, 95, float("nan"), None])
def test_a_level_must_be_a_share(level: object) -> None:
    known = model([equation("y", LINE)], inputs=["x"])
    with pytest.raises(EqlearnError, match="`level` must be above 0 and below 1; got"):
        prediction_interval(known, X, level, X)  # type: ignore[arg-type]


LINE = Graph(1, (), (({0: 1.0}, ONE),), frozenset({(1, CONSTANT)}))
STEEP = Graph(1, (), (({0: 3.0}, ONE),))


def test_noise_constants_and_rivals_add_up() -> None:
    chosen = replace(equation("y", LINE, rms=0.3, bic=0.0), covariance=((0.04,),))
    other = rival("y", STEEP, bic=0.0)
    std = prediction_std(model([chosen, other], inputs=["x"]), X)
    x = X[:, 0]
    assert std[:, 0] ** 2 == pytest.approx(0.09 + 0.04 * x**2 + 0.5 * (2 * x) ** 2)
    far_behind = replace(other, bic=200.0)
    std = prediction_std(model([chosen, far_behind], inputs=["x"]), X)
    assert std[:, 0] ** 2 == pytest.approx(0.09 + 0.04 * x**2)


def test_without_a_covariance_the_errors_of_constants_are_taken() -> None:
    told = equation("y", GRAPH)
    assert covariance_of(told) == pytest.approx(np.diag([1e-4, 1e-4]))


def test_an_interval_has_the_quantile_of_student() -> None:
    chosen = equation("y", LINE, rms=0.3)
    known = replace(model([chosen], inputs=["x"]), n_rows=11)
    ends = prediction_interval(known, X, 0.95, X)
    reach = 2.2281 * prediction_std(known, X)  # for 10 degrees of freedom
    assert ends[:, 0, 1] - X[:, 0] == pytest.approx(reach[:, 0], rel=1e-4)
    assert X[:, 0] - ends[:, 0, 0] == pytest.approx(reach[:, 0], rel=1e-4)


def test_errors_that_are_shares_grow_with_the_value() -> None:
    share = equation("y", GRAPH, constants=(), scores={"relative_error": 0.1})
    known = model([share], inputs=("x1",))
    values = np.abs(GRAPH.evaluate(X)[0])
    assert prediction_std(known, X) == pytest.approx(0.1 * values)

"""Reductions of laws whose symmetries are known."""

from dataclasses import replace

import numpy as np
import pytest
from formulas import formula
from tasks import task_of

from eqlearn.search.attempts.input_views import View
from eqlearn.search.attempts.monomials import Exponents, monomial
from eqlearn.search.learn import learn
from eqlearn.search.prepare import tasks_of
from eqlearn.search.request import Request
from eqlearn.search.strategy import STANDARD
from eqlearn.search.survey.differences import (
    _merged,
    degree_of_linear,
    with_complements,
    with_differences,
)
from eqlearn.search.survey.reductions import (
    Reduction,
    _primitive,
    _reductions,
    _snapped,
    reduced_views,
)
from eqlearn.search.task import Task

RNG = np.random.default_rng(0)
X = RNG.uniform(1.0, 3.0, (3, 300))
ROOT = np.ones(300)


def noisy(y: np.ndarray) -> np.ndarray:
    return np.asarray(y + 1e-3 * np.std(y) * RNG.normal(size=len(y)))


def reductions(x: np.ndarray, y: np.ndarray, root: np.ndarray) -> list[Reduction]:
    return [one for one, _ in _reductions(x, y, root, STANDARD.processes)]


def says_the_same(one: Reduction, y: np.ndarray, x: np.ndarray) -> bool:
    """Whether the law without the factor depends on the variables alone.

    At points where the variables are the same and the inputs are not.
    """
    return bool(np.ptp(y / monomial(x, one.factor)) < 1e-9)


def test_a_law_of_a_quotient_has_one_variable() -> None:
    found = reductions(X[:2], noisy(np.exp(X[0] / X[1])), ROOT)
    assert found[0].variables == ((1.0, -1.0),)
    assert found[0].factor == (0.0, 0.0)


def test_a_factor_is_found_beside_a_product() -> None:
    # y = x1² sin(x1 x2): with x2 ~ 1 / x1 only x1² varies
    x = np.array([X[0], 0.5 * X[1]])
    found = reductions(x, noisy(x[0] ** 2 * np.sin(x[0] * x[1] / 2)), ROOT)
    assert found
    s = np.linspace(1, 2, 20)
    moved = np.array([s, 2 / s])
    law = s**2 * np.sin(1.0)
    assert all(says_the_same(one, law, moved) for one in found)
    assert all(one.variables == ((1.0, 1.0),) for one in found)


def test_a_law_of_three_inputs_may_have_two_variables() -> None:
    y = X[2] * np.exp(-X[0] / X[1]) + X[2] ** 2
    found = reductions(X, noisy(y), ROOT)
    assert {len(one.variables) for one in found} == {2}
    assert any((1.0, -1.0, 0.0) in one.variables for one in found)


def test_a_law_without_symmetry_is_not_reduced() -> None:
    y = np.exp(-X[0]) + X[1] ** 2
    assert reductions(X[:2], noisy(y), ROOT) == []


def test_one_input_is_not_reduced() -> None:
    assert reductions(X[:1], X[0] ** 2, ROOT) == []


@pytest.mark.parametrize(
    ("powers", "whole"),
    [
        ((1.0, -0.5), (2.0, -1.0)),
        ((1.0, -2.0), (-1.0, 2.0)),
        ((2.0, 4.0), (1.0, 2.0)),
        ((1.0, -1.0), (1.0, -1.0)),
        ((1.0, 0.0, -3.0), (-1.0, 0.0, 3.0)),
    ],
)
def test_groups_have_whole_powers_as_positive_as_can_be(
    powers: Exponents, whole: Exponents
) -> None:
    assert _primitive(powers) == whole


def test_a_reduction_as_a_view_shows_its_variables_and_takes_the_factor_out() -> None:
    task = task_of(X.T, X[2] ** 2 * np.exp(X[0] / X[1]))
    reduction = Reduction((0.0, 0.0, 2.0), ((1.0, -1.0, 0.0),))
    view = reduction.view(View((0, 1, 2)), 3)
    seen = view.of(task)
    np.testing.assert_allclose(seen.x, (X[0] / X[1])[:, None])
    np.testing.assert_allclose(seen.y[:, 0], np.exp(X[0] / X[1]))
    # A formula of what is seen, in full: 3 v becomes 3 x3² x1 / x2.
    whole = view.composed(formula(1, {0: 3.0}), 3).evaluate(X.T)[0][:, 0]
    np.testing.assert_allclose(whole, 3 * X[2] ** 2 * X[0] / X[1])


def test_a_reduction_keeps_inputs_that_stand_alone() -> None:
    task = task_of(X.T, X[0])
    view = Reduction((0.0,) * 3, ((0.0, 0.0, 1.0), (1.0, -1.0, 0.0))).view(
        View((0, 1, 2)), 3
    )
    assert view.inputs == (2,)
    np.testing.assert_allclose(view.of(task).x.T, [X[2], X[0] / X[1]])


def law_of_a_difference(sign: float) -> Task:
    x = RNG.uniform(0.0, 3.0, (300, 2))
    return task_of(x, noisy(np.exp(-((x[:, 0] + sign * x[:, 1]) ** 2) / 4)))


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_sums_and_differences_take_the_place_of_two_inputs(sign: float) -> None:
    task = law_of_a_difference(sign)
    (view,) = reduced_views(View((0, 1)), task)
    assert view.n_variables == 1
    seen, merged = view.of(task).x[:, 0], task.x[:, 0] + sign * task.x[:, 1]
    assert abs(np.corrcoef(seen, merged)[0, 1]) == pytest.approx(1.0)


@pytest.mark.parametrize("noise", [0.0, 1e-3, 1e-2])
def test_a_difference_is_told_the_better_the_less_noise_there_is(noise: float) -> None:
    # No polynomial is exactly this law: what is left of it must not count as noise.
    x = np.random.default_rng(1).uniform(0.0, 3.0, (300, 2))
    law = np.cos(x[:, 0] - x[:, 1])
    task = task_of(x, law + noise * np.random.default_rng(2).normal(size=300))
    (view,) = reduced_views(View((0, 1)), task)
    assert view.n_variables == 1


def test_inputs_that_are_measured_unlike_are_not_merged() -> None:
    x = RNG.uniform(0.5, 3.0, (300, 2))
    task, plain = task_of(x, noisy(np.cos(x[:, 0] - 0.8 * x[:, 1]))), View((0, 1))
    assert with_differences(plain, task) is plain


def test_differences_are_in_the_units_of_the_data() -> None:
    task = law_of_a_difference(-1.0)
    # The same data, with the second input in tenths.
    scaled = replace(
        task, x=task.x / [1.0, 10.0], x_scale=np.array([1.0, 10.0]), low=-np.ones(2)
    )
    (view,) = reduced_views(View((0, 1)), scaled)
    seen, merged = view.of(scaled).x[:, 0], task.x[:, 0] - task.x[:, 1]
    assert abs(np.corrcoef(seen, merged)[0, 1]) == pytest.approx(1.0)


def test_terms_of_a_plain_sum_are_not_merged() -> None:
    assert degree_of_linear(np.array([2.0, 2.01, 1.99]))
    assert not degree_of_linear(np.array([2.0, 3.0, 1.0]))
    x = RNG.uniform(0.0, 3.0, (300, 2))
    task = task_of(x, noisy(x[:, 0] - x[:, 1]))
    plain = View((0, 1))
    assert with_differences(plain, task) is plain


def test_a_small_term_that_breaks_a_reduction_keeps_the_inputs_as_they_are() -> None:
    # p/q alone explains nearly all; what is left of q shows in a polynomial of both.
    rng = np.random.default_rng(0)
    x = rng.uniform(1.0, 3.0, (2, 800))
    noise = 0.1 * rng.normal(size=800)
    law = np.exp(x[0] / x[1])
    sure = reductions(x, law + noise, np.ones(800))
    assert [one.variables for one in sure] == [((1.0, -1.0),)]
    doubtful = reductions(x, law + 0.02 * x[1] ** 2 + noise, np.ones(800))
    assert ((1.0, 0.0), (0.0, 1.0)) in [one.variables for one in doubtful]


def test_a_factor_is_told_beside_an_input_that_nearly_is_one() -> None:
    # exp(-5000/T) between 300 and 420 is close to a power of T, so that any mixture of
    # both powers looks like a symmetry.
    rng = np.random.default_rng(0)
    x = np.array([rng.uniform(0.5, 2.0, 400), rng.uniform(0.3, 0.42, 400)])
    law = x[0] * np.exp(-5.0 / x[1])
    y = law / np.std(law) + 0.01 * rng.normal(size=400)
    first = reductions(x, y, np.ones(400))[0]
    assert (first.factor, first.variables) == ((1.0, 0.0), ((0.0, 1.0),))


def test_a_product_in_a_narrow_range_is_not_taken_for_a_sum() -> None:
    # Where k and T vary by a factor of two, k T is nearly (k + T)² / 4.
    rng = np.random.default_rng(0)
    x = rng.uniform(1.0, 2.0, (300, 4))
    law = x[:, 0] * np.expm1(3.0 * x[:, 1] / (x[:, 2] * x[:, 3]))
    y = law / np.std(law) + 0.01 * rng.normal(size=300)
    first = reduced_views(View((0, 1, 2, 3)), task_of(x, y))[0]
    group = x[:, 1] / (x[:, 2] * x[:, 3])
    assert first.n_variables == 1
    seen = first.of(task_of(x, y)).x[:, 0]
    assert abs(np.corrcoef(np.log(seen), np.log(group))[0, 1]) > 1 - 1e-9


def test_many_inputs_are_reduced_to_quotients_of_differences() -> None:
    # Of nine inputs a polynomial can have two powers each: it would take other groups.
    rng = np.random.default_rng(0)
    low = np.array([1.0, 1.0, 1.0, 3.0, 1.0, 3.0, 1.0, 3.0, 1.0])
    x = low + rng.uniform(0, 1, (300, 9))
    across, along, up = x[:, 3] - x[:, 4], x[:, 5] - x[:, 6], x[:, 7] - x[:, 8]
    law = x[:, 0] * x[:, 1] * x[:, 2] / (across**2 + along**2 + up**2)
    y = law / np.std(law) + 0.01 * rng.normal(size=300)
    task = task_of(x, y)
    first = reduced_views(View(tuple(range(9))), task)[0]
    assert first.n_variables == 2
    seen = first.of(task).x.T
    ratios = np.abs(np.array([across / up, along / up, across / along]))
    alike = [max(abs(np.corrcoef(np.log(abs(s)), np.log(ratios))[0, 1:])) for s in seen]
    assert min(alike) > 1 - 1e-9


def test_a_target_without_values_has_no_differences() -> None:
    x = np.array([X[0], X[1]]).T
    task = task_of(x, np.where(X[0] < 1.1, np.inf, X[0] - X[1]))
    view = View((0, 1))
    assert with_differences(view, task) is view


def test_a_law_that_no_polynomial_says_is_reduced_by_a_process() -> None:
    # n (1 + p E cos(t)/(k T)): a factor and one group of four, beside an angle
    rng = np.random.default_rng(2)
    x = rng.uniform(1.0, 3.0, (300, 6))
    n, p, e, k, t, angle = x.T
    (view, *_) = reduced_views(
        View(tuple(range(6))),
        task_of(x, noisy(n * (1 + p * e * np.cos(angle) / (k * t)))),
    )
    assert view.n_variables == 2
    assert view.inputs == (5,)


def test_reductions_go_on_with_fewer_variables() -> None:
    # The six powers come out one after the other, and then a quotient.
    rng = np.random.default_rng(3)
    x = rng.uniform(1.0, 2.0, (300, 6))
    x[:, 5] += 2.0
    a, b, c, d, v, w = x.T
    law = a * b * c**2 * d**2 * v**4 / (v**2 - w**2) ** 2
    (view, *_) = reduced_views(View(tuple(range(6))), task_of(x, noisy(law)))
    assert view.n_variables == 1


def test_three_differences_are_found_at_once() -> None:
    rng = np.random.default_rng(4)
    x = np.concatenate([rng.uniform(3, 4, (400, 3)), rng.uniform(1, 2, (400, 3))], 1)
    law = 1 / np.sum((x[:, :3] - x[:, 3:]) ** 2, axis=1)
    merged = with_differences(View(tuple(range(6))), task_of(x, noisy(law)))
    assert merged.n_variables == 3
    assert merged.inputs == ()


def test_powers_of_a_factor_are_proposed_as_whole_ones_too() -> None:
    # Of the relation 0 = slope_1 + slope_2 - 0.7 y the power is 0.7, or 1.
    solved = np.array([[1.0], [1.0], [-0.7]])
    factors = {one.factor for one in _snapped(solved, (0,))}
    assert factors == {(0.7, 0.0), (1.0, 0.0)}


def test_a_difference_has_the_unit_of_the_inputs_as_they_were_measured() -> None:
    # Or no cosine of it would be met at one radian.
    x = np.random.default_rng(0).uniform([4.0, 1.0], [5.0, 9.0], (100, 2))
    (task,) = tasks_of(Request(x, np.cos(x[:, :1] - x[:, 1:])))
    first, second = (float(scale) for scale in task.x_scale)
    merged = _merged(View((0, 1)), [{0: first, 1: -second}], 2)
    seen = merged.of(task)
    ordered = task.x * task.x_scale
    np.testing.assert_allclose(
        seen.x[:, 0] * seen.x_scale[0], ordered[:, 0] - ordered[:, 1], rtol=1e-12
    )


def test_what_is_left_of_a_share_stands_beside_it() -> None:
    rng = np.random.default_rng(3)
    shares = rng.uniform(0.02, 0.98, 100)
    x = np.column_stack([shares / 0.7, rng.uniform(1.0, 4.0, 100), shares * 0.2])
    task = replace(task_of(x, x[:, 1]), x_scale=np.array([0.7, 1.0, 1.0]))
    seen = with_complements(View((0, 1, 2)), task)
    assert seen is not None
    # Neither beside 1 to 4, nor beside what is never above 0.2.
    assert seen.n_variables == 4
    np.testing.assert_allclose(seen.of(task).x[:, 3], 1.0 - shares)
    assert with_complements(View((1, 2)), task) is None


def test_the_entropy_of_a_mixture_is_found() -> None:
    rng = np.random.default_rng(5)
    x = rng.uniform(0.02, 0.98, (200, 1))
    clean = _entropy(x)
    y = clean + 0.002 * np.std(clean) * rng.normal(size=clean.shape)
    (found,) = learn(Request(x, y, jobs=1))
    best = found.candidates[0]
    assert [node.unit for node in best.snapped.nodes].count("log") == 2
    assert not any(weight % 1 for _, weight in best.snapped.connections())
    at = np.array([[0.3], [0.8]])
    np.testing.assert_allclose(best.graph.evaluate(at)[0], _entropy(at), rtol=0.01)


def _entropy(p: np.ndarray) -> np.ndarray:
    entropy: np.ndarray = -p * np.log(p) - (1 - p) * np.log(1 - p)
    return entropy

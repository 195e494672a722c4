"""Links: what is seen of a target through them, and how a formula is led back."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from formulas import ONE, formula, multiply
from scipy.special import expit

from eqlearn._types import Array
from eqlearn.network.graph import CONSTANT, Graph
from eqlearn.search.attempts.input_views import View
from eqlearn.search.attempts.links import (
    LINKS,
    Step,
    Through,
    Without,
    softened,
    step_document,
    step_from,
    step_through,
)
from eqlearn.search.prepare import tasks_of
from eqlearn.search.request import Request

#: Targets that a link is defined for, and what undoes it.
UNDONE: dict[str, tuple[tuple[float, float], Callable[[Array], Array]]] = {
    "log": ((0.3, 4.0), np.exp),
    "inverse": ((0.3, 4.0), np.reciprocal),
    "square": ((0.3, 4.0), np.sqrt),
    "inverse square": ((0.3, 4.0), lambda t: t**-0.5),
    "root": ((0.3, 4.0), np.square),
    "logit": ((0.1, 0.9), expit),
    "complement": ((0.1, 0.9), lambda t: -np.expm1(t)),
    "survival": ((0.1, 0.9), lambda t: np.exp(-np.exp(t))),
    "failure": ((0.1, 0.9), lambda t: -np.expm1(-np.exp(t))),
    "sin": ((-1.3, 1.3), np.arcsin),
    "cos": ((0.2, 3.0), np.arccos),
    "tan": ((-1.3, 1.3), np.arctan),
}
#: x1 / (1 + x2)
QUOTIENT = formula(2, {0: 1.0}, below={CONSTANT: 1.0, 1: 1.0})
X = np.random.default_rng(0).uniform(0.5, 2.0, (3, 40))


def targets(name: str, n: int = 40) -> Array:
    return np.linspace(*UNDONE[name][0], n)


def led_back(step: Step, graph: Graph, x: Array) -> Array:
    """Values of a formula of what is seen, as one of the target."""
    view = View(tuple(range(graph.n_inputs)), steps=(step,))
    return view.composed(graph, graph.n_inputs).evaluate(x.T)[0][:, 0]


def test_every_link_has_a_case() -> None:
    assert UNDONE.keys() == LINKS.keys()


@pytest.mark.parametrize("name", LINKS)
def test_what_is_seen_and_then_undone_is_the_target(name: str) -> None:
    y = targets(name)
    step = Through(name, 1.0, 2.5)
    seen, _ = step.seen(y, np.ones(40), X)
    identity = formula(1, {0: 1.0})
    np.testing.assert_allclose(led_back(step, identity, seen[None]), y, rtol=1e-12)


@pytest.mark.parametrize("name", LINKS)
def test_units_of_measure_come_out_again(name: str) -> None:
    y = targets(name)
    step = Through(name, 0.25, 0.4)  # the target is in quarters of what the link is of
    seen, _ = step.seen(4 * y, np.ones(40), X)
    np.testing.assert_allclose(0.4 * seen, LINKS[name].transform(y), rtol=1e-12)
    identity = formula(1, {0: 1.0})
    np.testing.assert_allclose(led_back(step, identity, seen[None]), 4 * y, rtol=1e-12)


@pytest.mark.parametrize("name", LINKS)
def test_a_fraction_is_led_back_by_the_inverse_function(name: str) -> None:
    (low, high), undo = UNDONE[name]
    t = LINKS[name].transform(np.linspace(low, high, 40))
    x = np.array([t * (1 + X[1]), X[1]])  # such that x1 / (1 + x2) is t
    np.testing.assert_allclose(
        led_back(Through(name, 1.0, 1.0), QUOTIENT, x), undo(t), rtol=1e-11
    )


@pytest.mark.parametrize("name", LINKS)
def test_slopes_are_those_of_the_link(name: str) -> None:
    y, step = targets(name), 1e-6
    link = LINKS[name]
    difference = (link.transform(y + step) - link.transform(y - step)) / (2 * step)
    np.testing.assert_allclose(np.abs(link.slope(y)), np.abs(difference), rtol=1e-6)


@pytest.mark.parametrize("name", LINKS)
def test_small_errors_count_as_much_as_before(name: str) -> None:
    y, before = targets(name), np.linspace(0.5, 2.0, 40)
    step = Through(name, 1.0, 3.0)
    seen, root = step.seen(y, before, X)
    moved, _ = step.seen(y + 1e-7, before, X)
    weighted = np.abs(moved - seen) * root
    np.testing.assert_allclose(weighted, 1e-7 * before, rtol=1e-4)


def test_rows_where_a_link_is_not_defined_do_not_count() -> None:
    y = np.array([1.0, 2.0, -0.1, 4.0, 0.001])
    seen, root = Through("log", 1.0, 1.0).seen(y, np.ones(5), X[:, :5])
    assert np.isfinite(seen).all()
    np.testing.assert_allclose(root, [1.0, 2.0, 0.0, 4.0, 0.0])


def test_a_negative_target_is_seen_turned_around() -> None:
    y = -np.linspace(1, 5, 30)
    step = step_through("log", y, 1.0)
    assert step is not None and step.inner == -1.0
    seen, _ = step.seen(y, np.ones(30), X[:, :30])
    np.testing.assert_allclose(seen * step.outer, np.log(-y))
    assert np.std(seen) == pytest.approx(1.0)


def test_angles_are_in_radians_or_in_degrees() -> None:
    radians = np.linspace(-1.2, 1.2, 30)
    step = step_through("tan", radians, 1.0)
    assert step is not None and step.inner == 1.0
    degrees = step_through("tan", np.degrees(radians) / 45, 45.0)
    assert degrees is not None and degrees.inner == pytest.approx(math.pi / 4)


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [
        ("log", -1.0, 1.0),  # half of it has no logarithm
        ("logit", 0.2, 3.0),  # no share of anything
        ("logit", 0.5, 0.6),  # too little of the curve to be one
        ("sin", 0.0, 0.3),  # hardly an arc
        ("square", 2.0, 2.0),  # nothing varies
    ],
)
def test_links_that_make_no_sense_are_not_offered(
    name: str, low: float, high: float
) -> None:
    assert step_through(name, np.linspace(low, high, 50), 1.0) is None


def test_shares_are_told_in_the_unit_of_the_target() -> None:
    y = np.linspace(0.2, 1.8, 50)
    assert step_through("logit", y, 1.0) is None
    step = step_through("logit", y, 0.5)
    assert step is not None and step.inner == 0.5


def test_a_factor_is_taken_out_and_put_in_again() -> None:
    # x1 x2 / (1 + x3), and the target is twice that
    shown = multiply({0: 1.0}, {1: 1.0})
    factor = formula(3, {3: 1.0}, shown, below={CONSTANT: 1.0, 2: 1.0})
    step, root = Without(factor), np.linspace(1, 2, 40)
    known = X[0] * X[1] / (1 + X[2])
    seen, weight = step.seen(2.0 * known, root, X)
    np.testing.assert_allclose(seen, 2.0)
    np.testing.assert_allclose(weight, root * known)
    # Of f = x2 + x3 the whole is (x2 + x3) x1 x2 / (1 + x3).
    whole = led_back(step, formula(3, {1: 1.0, 2: 1.0}), X)
    np.testing.assert_allclose(whole, (X[1] + X[2]) * known, rtol=1e-12)


def test_steps_are_undone_in_the_opposite_order() -> None:
    # y = x1 exp(x2): without x1, through the logarithm, x2 is seen.
    steps = Without(formula(2, {0: 1.0})), Through("log", 1.0, 1.0)
    view = View((0, 1), steps=steps)
    whole = view.composed(formula(2, {1: 1.0}), 2).evaluate(X[:2].T)[0][:, 0]
    np.testing.assert_allclose(whole, X[0] * np.exp(X[1]), rtol=1e-12)


def test_steps_survive_being_written_down() -> None:
    factor = formula(2, {2: 1.0}, multiply({0: 1.0}, {1: 2.0}), below=ONE)
    for step in (Through("log", -1.0, 0.3), Without(factor)):
        assert step_from(step_document(step)) == step


def test_softened_weights_keep_their_order_and_leave_no_row_to_decide() -> None:
    root = np.r_[np.geomspace(0.01, 10, 50), 1e6]
    soft = softened(root)
    assert (np.diff(soft) >= 0).all()
    assert soft.max() <= 20 * np.median(soft)
    np.testing.assert_allclose(softened(np.full(9, 3.0)), 3.0 / 1.3)


def test_softened_weights_are_there_though_most_rows_do_not_count() -> None:
    root = np.r_[np.zeros(60), np.linspace(1.0, 3.0, 40)]
    soft = softened(root)
    assert (soft[60:] > 0).all()
    assert not soft[:60].any()


def test_a_target_over_decades_is_seen_through_a_logarithm_in_spite_of_noise() -> None:
    # Most rows are next to zero, where noise has put half of them below it.
    rng = np.random.default_rng(0)
    y = np.exp(rng.uniform(-14.0, 0.0, 500)) + 0.003 * rng.normal(size=500)
    assert np.mean(y < 0) > 0.25
    assert step_through("log", y, 1.0) is not None
    # Where the target itself changes its sign, nothing is seen through it.
    assert step_through("log", rng.normal(size=500), 1.0) is None
    # A root takes its rows next to zero as they are, and there they are wrong.
    assert step_through("root", y, 1.0) is None


def test_a_share_that_is_mostly_all_or_nothing_is_seen_in_spite_of_noise() -> None:
    rng = np.random.default_rng(0)
    y = expit(rng.uniform(-12.0, 12.0, 300))
    noisy = y + 0.01 * rng.normal(size=300)
    assert np.mean((noisy < 0.005) | (noisy > 0.995)) > 0.4
    assert step_through("logit", noisy, 1.0) is not None
    assert step_through("logit", 1.5 * noisy, 1.0) is None  # beyond all there is
    assert step_through("logit", noisy[:80], 1.0) is None  # hardly any row is between


def test_a_share_of_an_input_is_told_in_the_units_of_both() -> None:
    # y / K is between 0 and 1 in these units, whatever columns were divided by.
    rng = np.random.default_rng(0)
    capacity, t = rng.uniform(50, 150, 200), rng.uniform(0, 10, 200)
    y = capacity * expit(t - 5.0)
    (task,) = tasks_of(Request(np.column_stack([capacity, t]), y[:, None]))
    factor = Without(formula(2, {0: 1.0}))
    shown = View((1,), steps=(factor,)).through("logit", task)
    assert shown is not None
    target, root = shown.target(task)
    seen = root > 0
    times, target = task.x[seen, 1] * task.x_scale[1], target[seen]
    line = np.polyfit(times, target, 1)
    np.testing.assert_allclose(np.polyval(line, times), target, atol=1e-9)
    assert -line[1] / line[0] == pytest.approx(5.0)

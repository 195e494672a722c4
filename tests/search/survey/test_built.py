"""Features built by rule, and laws of one or two of them."""

from dataclasses import replace

import numpy as np
import pytest
from tasks import task_of

from eqlearn._types import Array
from eqlearn.network.draft import Draft
from eqlearn.network.graph import CONSTANT, Graph
from eqlearn.network.units import BUILT_IN
from eqlearn.search.attempts.input_views import View
from eqlearn.search.survey.built import Shelf, shelf_of
from eqlearn.search.survey.built_laws import Wanted, built_laws
from eqlearn.search.survey.looks import Look
from eqlearn.search.survey.pursuit import WeightedRows
from eqlearn.search.survey_strategy import Building
from eqlearn.search.task import Task, numerical_context

BY = Building()
N = 300
X = np.random.default_rng(0).uniform(0.2, 0.9, (3, N))
A, B, C = X


def shelf(x: Array, scale: Array | None = None) -> Shelf:
    with np.errstate(all="ignore"):
        return shelf_of(x, np.ones(len(x)) if scale is None else scale, BY)


def made(on: Shelf, k: int, x: Array) -> Array:
    """The values that the formula of a feature has."""
    draft = Draft(Graph(len(x), (), ()))
    draft.outputs.append((dict(on.feature(draft, k)), {CONSTANT: 1.0}))
    graph = draft.freeze()
    assert graph is not None
    return graph.evaluate(x.T)[0][:, 0]


@pytest.mark.parametrize("n", [1, 2, 3])
def test_every_feature_is_what_its_formula_says(n: int) -> None:
    scale = np.array([2.0, 0.5, 3.0])[:n]
    on = shelf(X[:n], scale)
    for k in np.random.default_rng(1).choice(len(on), 300).tolist():
        np.testing.assert_allclose(made(on, k, X[:n]), on.values[k], rtol=1e-9)


@pytest.mark.parametrize(
    "wanted",
    [
        np.log(1.0 + A),
        np.sqrt(1.0 - A**2),
        np.sqrt(A**2 + B**2),
        A / (A + B),
        np.exp(-(A + B) * C),
        np.log(1.0 + A * B * C),
        np.cosh(A / B),
        1.0 / np.expm1(A / B),
        np.sin(A) * np.cos(B),
        np.tan(A) * np.tan(B),
        (1.0 + A) ** -B,
        1.0 - (1.0 - A) ** B,
        A**B,
    ],
    ids=[
        "log of a sum",
        "what a square leaves of one",
        "hypotenuse",
        "share of a sum",
        "exponential of a product with a sum",
        "three inputs in a logarithm",
        "chain",
        "quanta",
        "two angles",
        "two tangents",
        "discount",
        "chance of at least one",
        "power of an input",
    ],
)
def test_what_people_write_is_on_the_shelf(wanted: Array) -> None:
    on = shelf(X)
    ratios = on.values / wanted
    spread = np.ptp(ratios, axis=1) / np.abs(ratios.mean(axis=1))
    assert np.nanmin(spread) < 1e-9


def test_interest_may_be_small_beside_one() -> None:
    monthly, months = A / 400.0, 100.0 * B
    on = shelf(np.array([monthly, months]))
    ratios = on.values / ((1.0 + monthly) ** -months - 1.0)
    assert np.nanmin(np.ptp(ratios, axis=1)) < 1e-9


def test_no_feature_is_there_twice() -> None:
    values = shelf(X[:2]).values[1:]
    unit = values / np.linalg.norm(values, axis=1, keepdims=True)
    unit *= np.sign(unit[:, :1])
    order = np.argsort(unit[:, 0])
    # What is equal is next to each other by its first value.
    off = np.abs(np.diff(unit[order], axis=0)).max(axis=1)
    assert off.min() > 1e-12


def test_sums_are_of_quantities_of_like_size() -> None:
    x = np.stack([A, 1e6 * B])
    on = shelf(x)
    sums = on.values[3 : 3 + on.n_sums]
    assert on.n_sums == 2  # 1 + a and 1 - a, but neither a + b nor 1 + b
    np.testing.assert_allclose(sums, [1.0 + A, 1.0 - A])


def test_what_is_simple_costs_less() -> None:
    on = shelf(X[:2])
    by_hand = {1: 0.0, 3: 1.4}  # an input; 1 + a
    for k, price in by_hand.items():
        assert on.prices[k] == pytest.approx(price)
    free = on.prices[on.rates != 1.0]
    assert free.max() > on.prices[on.rates == 1.0].min() + 10.0


def law(y: Array, n_inputs: int, noise: float = 0.01) -> Task:
    y = y + noise * np.std(y) * np.random.default_rng(2).normal(size=N)
    task = task_of(X[:n_inputs].T, y)
    return replace(task, survey_units=tuple(sorted(BUILT_IN)))


@pytest.mark.parametrize(
    ("y", "link", "n_constants"),
    [
        (2.5 * A * np.log(B / (1.0 - C)), None, 4),
        ((A + B) ** -0.3 * A, "log", 4),
        (A * np.sqrt(1.0 - B**2) / (1.0 + B), None, 4),
        (A * np.exp(-np.log1p(A * B) / B), "log", 4),
        (3.0 * (1.0 - (1.0 + A) ** -B) / A, None, 4),
    ],
    ids=["profile", "power of a sum", "moving source", "slow decline", "annuity"],
)
def test_laws_of_one_feature_are_found_down_to_the_noise(
    y: Array, link: str | None, n_constants: int
) -> None:
    task = law(y, 3)
    view: View | None = View((0, 1, 2))
    if link is not None and view is not None:
        view = view.through(link, task)
    assert view is not None
    with numerical_context(task):
        best = min(Look(view, "built", 1).found(task), key=lambda one: one.bic)
    assert best.sse / N < 1.15 * 0.01**2 * np.var(y)
    assert best.graph.n_parameters <= n_constants


def test_two_features_are_found_together() -> None:
    y = np.cosh(3.0 * A) - 4.0 * np.log(1.0 + B)
    task = law(y, 2)
    with numerical_context(task):
        found = Look(View((0, 1)), "pairs", 2).found(task)
        best = min(found, key=lambda one: one.bic)
    assert best.sse / N < 1.15 * 0.01**2 * np.var(y)


def test_inputs_may_be_there_from_the_start() -> None:
    y = 3.0 * A - 2.0 * B + np.sqrt(1.0 - A * B)
    rows = WeightedRows(X[:2], y, np.ones(N))
    wanted = Wanted(n_terms=1, has_inputs=True, in_logs=False)
    first = next(built_laws(rows, np.ones(2), wanted, BY))
    np.testing.assert_allclose(first.evaluate(X[:2].T)[0][:, 0], y, atol=1e-8)


def test_a_law_has_the_weights_that_fit_best() -> None:
    # Under an exponential other weights would lead a fit astray.
    x = X[:2] * np.array([[0.1], [20.0]])
    y = x[1] * np.log(1.0 + x[0]) - 0.5
    rows = WeightedRows(x, y, np.ones(N))
    wanted = Wanted(n_terms=1, has_inputs=False, in_logs=False)
    laws = built_laws(rows, np.ones(2), wanted, BY)
    off = [np.abs(law.evaluate(x.T)[0][:, 0] - y).max() for law in laws]
    assert min(off) < 1e-8
    assert max(off) < 1e-2  # all others are imitations


def test_inputs_may_be_over_products() -> None:
    shown = shelf(np.stack([A, 1.2 + B, 1.0 + C]))
    ratio = A / ((1.2 + B) * (1.0 + C))
    assert np.abs(shown.values - ratio).max(axis=1).min() < 1e-12
    assert np.abs(shown.values - np.arcsin(ratio)).max(axis=1).min() < 1e-12


def test_units_of_a_view_have_the_scale_of_their_inputs() -> None:
    task = replace(task_of(X[:2].T, A), x_scale=np.array([4.0, 8.0]))
    draft = Draft(Graph(2, (), ()))
    ratio = draft.add("divide", {0: 1.0}, {1: 1.0})
    shift = draft.add("multiply", {0: 1.0, CONSTANT: 1.0}, {1: 1.0})
    view = View((0,)).showing(draft, [{ratio: 1.0}, {shift: 1.0}])
    np.testing.assert_allclose(view.of(task).x_scale, [4.0, 0.5, 1.0])


def test_a_target_that_nothing_explains_is_left_alone() -> None:
    rows = WeightedRows(X[:1], np.zeros(N), np.ones(N))
    wanted = Wanted(n_terms=1, has_inputs=False, in_logs=True)
    assert list(built_laws(rows, np.ones(1), wanted, BY)) == []

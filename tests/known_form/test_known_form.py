"""Fits within a known form, and the graphs that come of them."""

from dataclasses import replace

import numpy as np
import pytest

from eqlearn import EqlearnError
from eqlearn._types import Array
from eqlearn.equation.read.outer_form import OuterForm, outer_form
from eqlearn.equation.read.starts import start_graphs
from eqlearn.known_form.composed_fit import (
    Composed,
    FormRows,
    Inner,
    SmoothInner,
    fitted,
    polynomial_basis,
    slope_of,
)
from eqlearn.known_form.form_candidates import candidate_of
from eqlearn.known_form.form_graph import FormGraph, check_letters, form_graph
from eqlearn.known_form.form_search import criterion, smooth_ways, told_values
from eqlearn.known_form.form_settings import STANDARD
from eqlearn.network.graph import CONSTANT, Graph

RNG = np.random.default_rng(0)
X = RNG.uniform(0.5, 3.0, (80, 2))
A, B = X.T
DOMAIN = np.array([[0.0, 4.0], [0.0, 4.0]])


def form_of(text: str) -> OuterForm:
    return outer_form(text, ["x", "z"])


def formula(text: str, *names: str, x: Array = X) -> Graph:
    """A formula of columns with these names."""
    rows = x[:, : len(names)]
    graph = start_graphs(text, names, rows, np.random.default_rng(0))[0]
    return replace(graph, fixed=frozenset({(graph.first_output_slot + 1, CONSTANT)}))


def rows_of(y: Array) -> FormRows:
    return FormRows(X, y, np.ones(len(y)))


def built(text: str, letters: dict[str, float], **functions: Graph) -> FormGraph:
    found = form_graph(form_of(text), letters, functions, X)
    assert found is not None
    return found


def values(graph: Graph) -> Array:
    return np.asarray(graph.evaluate(X)[0][:, 0])


def test_formulas_are_put_into_the_form() -> None:
    found = built("K*exp(-f(x)) + z", {"K": 3.0}, f=formula("0.4*x^2", "x"))
    np.testing.assert_allclose(values(found.graph), 3 * np.exp(-0.4 * A**2) + B)


def test_given_numbers_are_no_parameters() -> None:
    found = built("2.5*exp(-f(x)) + 7", {}, f=formula("0.4*x", "x"))
    slots = found.graph.slots()
    free = [slots[s][f] for s, f in found.graph.parameters()]
    assert free == [-0.4]


def test_letters_are_parameters() -> None:
    found = built("K*exp(-f(x)) + c", {"K": 3.0, "c": 1.0}, f=formula("0.4*x", "x"))
    slots = found.graph.slots()
    assert sorted(slots[s][f] for s, f in found.graph.parameters()) == [-0.4, 1.0, 3.0]
    learned = [slots[s][f] for s, f in found.learned]
    assert learned == [-0.4]


def test_a_letter_in_two_places_is_one_parameter() -> None:
    found = built("K*exp(-f(x)) + 2*K", {"K": 3.0}, f=formula("0.4*x", "x"))
    assert found.graph.n_parameters == 2
    ((_, (_, ratio)),) = found.graph.ties.items()
    assert ratio in (2.0, 0.5)


def test_a_function_in_two_places_is_one() -> None:
    inner = formula("2*x^2 + 1", "x")
    found = built("f(x)/(1 + f(x))*z", {}, f=inner)
    assert found.graph.n_parameters == inner.n_parameters
    np.testing.assert_allclose(values(found.graph), (2 * A**2 + 1) / (2 * A**2 + 2) * B)


def test_the_square_of_a_function_has_its_constants_once() -> None:
    inner = formula("0.5*x + 1", "x")
    found = built("sqrt(f(x)^2 + z)", {}, f=inner)
    assert found.graph.n_parameters == 2
    np.testing.assert_allclose(values(found.graph), np.sqrt((0.5 * A + 1) ** 2 + B))


def test_a_cube_as_well() -> None:
    found = built("f(x)^3", {}, f=formula("0.5*x + 1", "x"))
    assert found.graph.n_parameters == 2
    np.testing.assert_allclose(values(found.graph), (0.5 * A + 1) ** 3)


def test_a_free_exponent_is_free() -> None:
    found = built("x^p + f(z)", {"p": 2.0}, f=formula("3*z", "z"))
    np.testing.assert_allclose(values(found.graph), A**2 + 3 * B)
    assert found.graph.n_parameters == 2


def test_a_function_of_a_formula() -> None:
    found = built("z*exp(-f(x/z))", {}, f=formula("2*u", "u"))
    np.testing.assert_allclose(values(found.graph), B * np.exp(-2 * A / B))


def test_a_function_that_is_a_fraction() -> None:
    found = built("1 + f(x)", {}, f=formula("2*x/(3 + x)", "x"))
    np.testing.assert_allclose(values(found.graph), 1 + 2 * A / (3 + A))


@pytest.mark.parametrize("text", ["K*x + f(z) + K^2", "x/K + f(z) + K*x^2"])
def test_a_letter_is_used_once_or_as_a_factor(text: str) -> None:
    with pytest.raises(EqlearnError, match="with K once, or as a factor everywhere"):
        check_letters(form_of(text), X)


@pytest.mark.parametrize(
    "text", ["K*x + K*f(z)", "K + f(x)/K", "f(x)^K + K", "x^K + f(z)"]
)
def test_other_letters_are_fine(text: str) -> None:
    check_letters(form_of(text), X)


def test_a_polynomial_basis_has_all_products() -> None:
    basis = polynomial_basis(X + 5.0, 3)
    assert basis.shape == (80, 10)
    target = A**2 * B - B**3
    left = target - basis @ np.linalg.lstsq(basis, target, rcond=None)[0]
    assert np.abs(left).max() < 1e-10


def test_a_polynomial_of_a_constant_column_has_values() -> None:
    assert np.isfinite(polynomial_basis(np.ones((5, 1)), 2)).all()


def test_slopes_tell_how_the_target_changes_with_a_function() -> None:
    inner = Inner(formula("0.4*x", "x"), X[:, :1])
    composed = Composed(form_of("3*exp(-f(x))"), {}, {"f": inner})
    inside, slope = slope_of(composed, "f", X)
    np.testing.assert_allclose(inside, 0.4 * A)
    np.testing.assert_allclose(slope, -3 * np.exp(-0.4 * A), rtol=1e-6)


def test_letters_and_constants_are_fitted_together() -> None:
    y = 3 * np.exp(-0.4 * A) + 1.5
    inner = Inner(formula("0.7*x", "x"), X[:, :1])
    start = Composed(form_of("K*exp(-f(x)) + c"), {"K": 1.0, "c": 0.0}, {"f": inner})
    found = fitted(start, rows_of(y), 50)
    assert found.letters["K"] == pytest.approx(3.0, rel=1e-3)
    assert found.letters["c"] == pytest.approx(1.5, rel=1e-3)
    assert found.sse < 1e-6


def test_two_smooth_functions_are_fitted_together() -> None:
    y = (1 + A**2) * np.sin(B)
    rng = np.random.default_rng(1)
    ways = smooth_ways(form_of("f(x)*g(z)"), rows_of(y), rng, STANDARD)
    assert np.sqrt(ways[0].sse / len(y)) < 0.01 * np.std(y)


def test_ways_differ_in_shape() -> None:
    """In K*exp(-f(x)) + c any c goes with some f."""
    y = 3 * np.exp(-0.4 * A**2) + 1.5
    rng = np.random.default_rng(1)
    ways = smooth_ways(form_of("K*exp(-f(x)) + c"), rows_of(y), rng, STANDARD)
    assert len(ways) > 1
    assert len({round(one.letters["c"], 3) for one in ways}) == len(ways)


def test_a_form_that_leaves_nothing_open_has_one_way() -> None:
    y = np.tanh(0.3 * A * B - 0.5)
    rng = np.random.default_rng(1)
    ways = smooth_ways(form_of("tanh(f(x, z))"), rows_of(y), rng, STANDARD)
    assert len(ways) == 1


def test_rows_tell_what_the_only_function_is() -> None:
    """Solved row by row: exact, however rough the polynomial is."""
    y = 2.5 * np.exp(-np.log(1 + A))
    rough = SmoothInner(polynomial_basis(X[:, :1], 1), np.array([0.9, 0.4]))
    composed = Composed(form_of("2.5*exp(-f(x))"), {}, {"f": rough})
    told, weight = told_values(composed, "f", rows_of(y))
    np.testing.assert_allclose(told, np.log(1 + A), rtol=1e-5)
    np.testing.assert_allclose(weight, y**2, rtol=1e-4)


def test_of_several_functions_each_is_told_given_the_others() -> None:
    y = A**2 + 3 * B
    others = Inner(formula("3*z", "z"), X[:, 1:])
    rough = SmoothInner(polynomial_basis(X[:, :1], 1), np.array([0.0, 1.0]))
    composed = Composed(form_of("f(x) + g(z)"), {}, {"f": rough, "g": others})
    told, weight = told_values(composed, "f", rows_of(y))
    np.testing.assert_allclose(told, A**2, rtol=1e-6)
    np.testing.assert_allclose(weight, 1.0, rtol=1e-6)


def test_where_a_target_cannot_be_reached_the_straight_line_tells() -> None:
    """No f makes exp(-f) negative; noise does, and the row is kept."""
    y = np.where(np.arange(80) == 0, -0.001, np.exp(-A))
    composed = Composed(
        form_of("exp(-f(x))"), {}, {"f": Inner(formula("1*x", "x"), X[:, :1])}
    )
    told, _ = told_values(composed, "f", rows_of(y))
    assert np.isfinite(told).all()


def candidate(text: str, y: Array, letters: dict[str, float], **functions: Graph):  # type: ignore[no-untyped-def]
    form = form_of(text)
    inner = {
        one.name: Inner(functions[one.name], form.arguments(one, X))
        for one in form.functions
    }
    composed = fitted(Composed(form, letters, inner), rows_of(y), 50)
    found = candidate_of(composed, rows_of(y), DOMAIN)
    assert found is not None
    return found


def test_a_term_too_many_in_a_function_is_pruned() -> None:
    y = 2.5 * np.exp(-0.4 * A) + 0.001 * np.random.default_rng(2).normal(size=80)
    found = candidate("2.5*exp(-f(x))", y, {}, f=formula("0.4*x + 0.001*x^2", "x"))
    assert len(found.constants) == 1
    assert found.constants[0].value == pytest.approx(-0.4, abs=0.01)


def test_a_constant_that_says_what_a_letter_says_is_pruned() -> None:
    """K*exp(-(c + x)): of K and c one is enough, and K is the user's."""
    y = 3 * np.exp(-0.4 * A)
    found = candidate("K*exp(-f(x))", y, {"K": 1.0}, f=formula("0.5*x + 0.2", "x"))
    assert len(found.constants) == 2
    assert max(one.value for one in found.constants) == pytest.approx(3.0)
    assert all(np.isfinite(one.error) for one in found.constants)


def test_of_two_factors_one_has_a_weight_of_one() -> None:
    y = (1 + A) * (2 + B)
    found = candidate(
        "f(x)*g(z)", y, {}, f=formula("1 + 1.5*x", "x"), g=formula("1 + 0.3*z", "z")
    )
    assert len(found.constants) == 3
    np.testing.assert_allclose(values(found.graph), y, rtol=1e-6)
    assert all(np.isfinite(one.error) for one in found.constants)


def test_simple_constants_are_set() -> None:
    y = 3 * np.exp(-0.5 * A) + 0.0005 * np.random.default_rng(2).normal(size=80)
    found = candidate("K*exp(-f(x))", y, {"K": 2.9}, f=formula("0.51*x", "x"))
    np.testing.assert_allclose(values(found.snapped), 3 * np.exp(-0.5 * A))


def test_fewer_constants_are_better_for_the_same_error() -> None:
    form = form_of("f(x)")
    short = Composed(form, {}, {"f": Inner(formula("2*x", "x"), X[:, :1])}, 1.0)
    long = Composed(form, {}, {"f": Inner(formula("2*x + 1", "x"), X[:, :1])}, 1.0)
    assert criterion(short, 80) < criterion(long, 80)


def test_what_ranges_widely_is_smooth_in_its_logarithm() -> None:
    wide = np.geomspace(0.001, 1.0, 60)[:, None]
    target = 1 / wide[:, 0] ** 0.5
    basis = polynomial_basis(wide, 6)
    left = target - basis @ np.linalg.lstsq(basis, target, rcond=None)[0]
    assert np.std(left) < 1e-3 * np.std(target)


def test_a_function_of_any_size_is_found() -> None:
    """Nearly every start makes the exponential infinite or 0."""
    y = 1e9 * np.exp(-5e4 * (3e-4 + 1e-5 * A))
    rng = np.random.default_rng(1)
    ways = smooth_ways(form_of("1e9*exp(50000*f(x))"), rows_of(y), rng, STANDARD)
    assert np.sqrt(ways[0].sse / len(y)) < 0.01 * np.std(y)


def test_terms_are_chosen_on_few_rows_and_constants_fitted_to_all() -> None:
    y = 3 * np.exp(-0.4 * A) + 0.1 * RNG.normal(size=len(A))
    rows, few = rows_of(y), FormRows(X[:20], y[:20], np.ones(20))
    inner = {"f": Inner(formula("0.5*x", "x"), X[:, :1])}
    composed = Composed(form_of("K*exp(-f(x))"), {"K": 2.0}, inner)
    whole = candidate_of(composed, rows, DOMAIN)
    found = candidate_of(composed, rows, DOMAIN, few=few)
    own = candidate_of(composed, few, DOMAIN)
    assert found is not None and whole is not None and own is not None
    assert found.bic == pytest.approx(whole.bic) != own.bic
    for one, other in zip(found.constants, whole.constants, strict=True):
        assert one.error == pytest.approx(other.error, rel=1e-4)

import math
from dataclasses import replace

import numpy as np
import pytest
from graphs import ONE, random_graph, random_inputs
from scipy.optimize import least_squares

from eqlearn.network import units
from eqlearn.network.canonical import canonical
from eqlearn.network.graph import CONSTANT, Graph, Linear, Node
from eqlearn.training.levenberg import (
    PLAIN,
    Division,
    Fit,
    Workspace,
    fit,
    normal_equations,
)
from eqlearn.training.samples import FLOOR, Samples, samples


def jittered(graph: Graph, rng: np.random.Generator, size: float) -> Graph:
    """Move the free weights by up to `size` of their value."""
    return graph.with_weights(
        np.array(
            [
                w if key in graph.fixed else w * (1 + rng.uniform(-size, size))
                for key, w in graph.connections()
            ]
        )
    )


def laws() -> dict[str, Graph]:
    """Graphs of two positive inputs with every kind of arbitrary scale in them."""
    sine = Node("sin", ({0: 2.0, CONSTANT: 0.4},))
    wave = Node("exp", ({0: -0.8, CONSTANT: 0.3},))
    product = Node("multiply", ({0: 2.0, CONSTANT: 1.0}, {1: 3.0, CONSTANT: -1.0}))
    saturating: Linear = {0: 1.5, CONSTANT: 0.8}
    fractions: tuple[tuple[Linear, Linear], ...] = (
        ({0: 2.0, 1: 1.0}, saturating),
        ({0: 3.0}, {1: 4.0, 0: 1.0, CONSTANT: 0.2}),
    )
    nested = Node("multiply", ({2: 2.0, 0: 0.5}, {1: 3.0}))
    return {
        "saturation": Graph(2, (), (({0: 2.0}, saturating),)),
        "phase": Graph(2, (sine,), (({2: 1.5, 1: 0.5}, ONE),)),
        "damped wave": Graph(
            2, (sine, wave, Node("multiply", ({2: 1.0}, {3: 2.0}))), (({4: 1.5}, ONE),)
        ),
        "product": Graph(2, (product,), (({2: 2.0}, ONE),)),
        "nested": Graph(2, (sine, nested), (({3: 1.0}, {CONSTANT: 2.0, 1: 1.0}),)),
        "several outputs": Graph(2, (), fractions),
        "tanh": Graph(2, (Node("tanh", ({0: 1.0, 1: -2.0},)),), (({2: 3.0}, ONE),)),
    }


LAWS = laws()


def problem(name: str, noise: float, *, n: int = 300) -> tuple[Graph, Samples]:
    """Bring a law into the one form, and draw data that it explains up to noise."""
    rng = np.random.default_rng(0)
    x = rng.uniform(0.2, 3.0, (n, 2))
    y = LAWS[name].evaluate(x)[0]
    data = samples(x, y + noise * rng.normal(size=y.shape))
    return canonical(LAWS[name], x.T), data


def sse_of(graph: Graph, data: Samples, division: Division = PLAIN) -> float:
    work = Workspace(graph, data)
    return work.evaluate(work.parameters(), division)


def test_a_linear_graph_is_fitted_as_by_least_squares() -> None:
    rng = np.random.default_rng(0)
    x, weight = random_inputs(rng, 100), rng.uniform(0.1, 3.0, 100)
    y = rng.normal(size=(100, 1))
    graph = canonical(Graph(3, (), (({0: 1.0, 2: 1.0, CONSTANT: 1.0}, ONE),)), x.T)
    fitted, sse, _ = fit(graph, samples(x, y, weight=weight), tolerance=1e-12)
    root = np.sqrt(weight)[:, None]
    design = np.c_[x[:, 0], x[:, 2], np.ones(100)] * root
    solution, (expected,), _, _ = np.linalg.lstsq(design, (root * y)[:, 0])
    linear = fitted.outputs[0][0]
    np.testing.assert_allclose([linear[0], linear[2], linear[CONSTANT]], solution)
    assert sse == pytest.approx(expected)


@pytest.mark.parametrize("name", LAWS)
def test_fit_against_scipy(name: str) -> None:
    graph, data = problem(name, noise=0.05)
    start = jittered(graph, np.random.default_rng(1), 0.1)
    work = Workspace(start, data)

    def residuals(v: np.ndarray) -> np.ndarray:
        work.evaluate(v, PLAIN)
        return work.r.ravel().copy()

    reference = least_squares(residuals, work.parameters(), xtol=1e-12, ftol=1e-12)
    ours = fit(start, data, n_iterations=50, tolerance=1e-10)
    assert ours.sse == pytest.approx(2 * reference.cost, rel=1e-8)
    assert sse_of(ours.graph, data) == pytest.approx(ours.sse)
    found = Workspace(ours.graph, data).parameters()
    np.testing.assert_allclose(found, reference.x, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("name", LAWS)
def test_noise_free_data_are_fitted_to_machine_precision(name: str) -> None:
    graph, data = problem(name, noise=0.0)
    start = jittered(graph, np.random.default_rng(1), 0.1)
    sse = fit(start, data, n_iterations=50, tolerance=1e-9).sse
    assert math.sqrt(sse / data.n_residuals) < 1e-12


def test_a_bent_valley_is_followed_to_its_end() -> None:
    # a cos(b z) + c is nearly c + a - a b² z² / 2: a, b and c hang together.
    z = np.random.default_rng(0).uniform(-1, 1, (1000, 1))
    wave = Node("sin", ({0: 1.0, CONSTANT: 1.5},))
    graph = canonical(Graph(1, (wave,), (({1: 3.0, CONSTANT: -2.0}, ONE),)), z.T)
    y = np.cos(2 * z) + 0.001 * np.random.default_rng(1).normal(size=z.shape)
    fitted = fit(graph, samples(z, y), n_iterations=40)
    assert fitted.sse / 1000 == pytest.approx(1e-6, rel=0.1)


def test_fit_never_raises_the_error() -> None:
    for seed in range(60):
        rng = np.random.default_rng(seed)
        graph = random_graph(rng, n_outputs=1 + seed % 3, untidy=seed % 2 == 0)
        x, y = random_inputs(rng), rng.normal(size=(40, graph.n_outputs))
        data = samples(x, y, points=random_inputs(rng, 10))
        division = Division(1.5, margin=2.0) if seed % 3 else PLAIN
        before = sse_of(graph, data, division)
        after = fit(graph, data, n_iterations=5, division=division)
        assert after.sse <= before
        assert sse_of(after.graph, data, division) == pytest.approx(after.sse)


def test_inputs_of_very_different_size_are_fitted_alike() -> None:
    rng = np.random.default_rng(0)
    x = rng.uniform(1, 2, (200, 2)) * [1e-6, 1e6]
    graph = canonical(Graph(2, (), (({0: 3.3e6, 1: 1.7e-6}, ONE),)), x.T)
    fitted = fit(graph, samples(x, x @ [[3e6], [2e-6]])).graph
    assert fitted.outputs[0][0] == pytest.approx({0: 3e6, 1: 2e-6})


def test_roots_of_small_numbers_are_roots() -> None:
    x = np.random.default_rng(0).uniform(0.5, 1.5, (50, 1)) * 1e-6
    graph = Graph(1, (Node("sqrt", ({0: 4.0},)),), (({1: 1.0}, ONE),))
    graph = replace(graph, fixed=frozenset({(1, 1), (2, CONSTANT)}))
    fitted = fit(graph, samples(x, 3 * np.sqrt(x)))
    assert fitted.graph.nodes[0].arguments[0] == pytest.approx({0: 9.0})
    # Where formulas may still be wrong, they have a value below zero too.
    assert math.isinf(fit(graph, samples(-x, x)).sse)
    assert math.isfinite(fit(graph, samples(-x, x, floor=FLOOR)).sse)


def test_fixed_weights_stay_where_they_are() -> None:
    graph, data = problem("damped wave", noise=0.05)
    fitted = fit(jittered(graph, np.random.default_rng(0), 0.1), data).graph
    assert graph.fixed and fitted.fixed == graph.fixed
    before, after = dict(graph.connections()), dict(fitted.connections())
    assert all(after[key] == before[key] for key in graph.fixed)


def test_more_weights_than_samples_do_no_harm() -> None:
    graph, data = problem("nested", noise=0.0, n=3)
    graph = jittered(graph, np.random.default_rng(0), 0.1)
    assert graph.n_parameters > 3
    assert fit(graph, data, n_iterations=200, tolerance=0.0).sse < 1e-20


def test_a_graph_without_parameters_is_only_evaluated() -> None:
    graph = Graph(1, (), (({0: 1.0}, ONE),), frozenset({(0, 0), (1, CONSTANT)}))
    fitted = fit(graph, samples(np.array([[1.0], [2.0]]), np.array([[1.0], [5.0]])))
    assert (fitted.graph, fitted.sse) == (graph, 9.0)


def test_a_perfect_fit_ends_at_once() -> None:
    graph = Graph(1, (), (({0: 2.0}, ONE),), frozenset({(1, CONSTANT)}))
    x = np.arange(5.0)[:, None]
    assert fit(graph, samples(x, 2 * x)) == Fit(graph, 0.0, 1e-3)


@pytest.mark.parametrize(
    "graph",
    [
        Graph(1, (Node("exp", ({0: 1e4},)),), (({1: 1.0}, ONE),)),  # overflows
        Graph(1, (), (({CONSTANT: 1.0}, {0: 1.0, CONSTANT: -1.0}),)),  # 1 / 0
        Graph(1, (), (({CONSTANT: 1.0}, {}),)),  # 1 / nothing
        Graph(1, (), (({0: math.nan}, ONE),)),
    ],
)
def test_a_graph_that_cannot_be_evaluated_has_an_infinite_error(graph: Graph) -> None:
    x = np.array([[0.5], [1.0], [2.0]])
    assert fit(graph, samples(x, x)) == Fit(graph, math.inf, 1e-3)


def test_an_infinite_slope_ends_a_fit_but_does_not_spoil_it(table: None) -> None:
    units.register_unit("root", lambda xp, z: xp.sqrt(z))
    graph = Graph(1, (Node("root", ({0: 1.0},)),), (({1: 2.0}, ONE),))
    x = np.array([[0.0], [1.0], [4.0]])
    # 2 √x - √x at 0, 1 and 2
    assert fit(graph, samples(x, np.sqrt(x))).sse == pytest.approx(1.0 + 4.0)


class TestTarget:
    """A fit with a target answers one question, as early as it can."""

    graph, data = problem("damped wave", noise=0.05)
    start = jittered(graph, np.random.default_rng(1), 0.3)
    best = fit(start, data, n_iterations=300, tolerance=1e-12).sse

    def iterations(self, target: float | None) -> tuple[int, float]:
        """How many iterations change something, and the error they end with."""
        sse = fit(self.start, self.data, n_iterations=300, target=target).sse
        for n in range(300):
            if fit(self.start, self.data, n_iterations=n, target=target).sse == sse:
                return n, sse
        raise AssertionError

    def test_a_target_that_is_met_stops_it(self) -> None:
        target = 1.5 * self.best
        n, sse = self.iterations(target)
        assert self.best < sse < target
        assert n < self.iterations(None)[0]

    def test_a_target_out_of_reach_stops_it(self) -> None:
        n, sse = self.iterations(0.5 * self.best)
        assert sse > 0.5 * self.best
        assert n < self.iterations(None)[0]


def test_normal_equations_are_those_of_the_jacobian() -> None:
    graph, data = problem("nested", noise=0.1)
    hessian, gradient, sse = normal_equations(graph, data)
    work = Workspace(graph, data)
    assert work.evaluate(work.parameters(), PLAIN) == sse
    np.testing.assert_allclose(hessian, work.jacobian() @ work.jacobian().T)
    np.testing.assert_allclose(gradient, work.jacobian() @ work.r.ravel())


@pytest.mark.parametrize("name", LAWS)
def test_the_one_form_leaves_no_direction_without_curvature(name: str) -> None:
    free, data = LAWS[name], problem(name, noise=0.0)[1]
    graph = canonical(free, data.x)
    hessian, _, _ = normal_equations(graph, data)
    scale = 1 / np.sqrt(np.diag(hessian))
    assert np.linalg.eigvalsh(hessian * scale * scale[:, None])[0] > 1e-8
    # and it fixes no more than is arbitrary
    full, _, _ = normal_equations(free, data)
    assert np.linalg.matrix_rank(full, tol=1e-9 * full.max()) == graph.n_parameters

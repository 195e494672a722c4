import math

import numpy as np
import pytest
import sympy
from graphs import INSIDE_ONE, ONE, random_graph, random_inputs

from eqlearn.network import kernels, units
from eqlearn.network.graph import CONSTANT, Graph, Node
from eqlearn.training.levenberg import PLAIN, Division, Workspace
from eqlearn.training.samples import Samples, samples


def evaluated(graph: Graph, x: np.ndarray) -> kernels.Values:
    return kernels.evaluate(graph, kernels.tape(graph), np.ascontiguousarray(x.T))


def single(name: str) -> Graph:
    """One unit, fed by as many inputs as it has arguments."""
    arity = units.unit(name).arity
    node = Node(name, tuple({i: 1.0} for i in range(arity)))
    return Graph(arity, (node,), (({arity: 1.0}, ONE),))


def test_a_tape_worked_by_hand() -> None:
    # y = (2 + 3 x1·tanh(x2)) / 4, the 1 of the factor x1 and the 4 not free
    nodes = (Node("tanh", ({1: 1.0},)), Node("multiply", ({0: 1.0}, {2: 1.0})))
    outputs = (({CONSTANT: 2.0, 3: 3.0}, {CONSTANT: 4.0}),)
    fixed = frozenset({(1, 0), (4, CONSTANT)})
    tape = kernels.tape(Graph(2, nodes, outputs, fixed))
    assert [kernels.COMPILED[code] for code in tape.codes] == ["tanh", "multiply"]
    assert tape.first_slot.tolist() == [0, 1, 3]
    assert tape.pointer.tolist() == [0, 1, 2, 3, 5, 6]
    assert tape.sources.tolist() == [1, 0, 2, CONSTANT, 3, CONSTANT]
    assert tape.weights.tolist() == [1.0, 1.0, 1.0, 2.0, 3.0, 4.0]
    assert tape.position.tolist() == [0, -1, 1, 2, 3, -1]
    assert tape.n_parameters == 4
    assert tape.parameters().tolist() == [1.0, 1.0, 2.0, 3.0]


def test_kernels_compute_what_the_graph_says() -> None:
    for seed in range(100):
        rng = np.random.default_rng(seed)
        graph = random_graph(rng, n_outputs=1 + seed % 3, n_units=seed % 9, untidy=True)
        x = random_inputs(rng)
        outputs, denominators = graph.evaluate(x)
        ratios = evaluated(graph, x).slots[-2 * graph.n_outputs :]
        size = np.abs(outputs).max() + 1.0
        ours = (ratios[::2] / ratios[1::2]).T
        np.testing.assert_allclose(ours, outputs, atol=1e-12 * size, err_msg=f"{seed}")
        np.testing.assert_allclose(ratios[1::2].T, denominators, rtol=1e-12)


@pytest.mark.parametrize("name", kernels.COMPILED)
def test_compiled_units_match_the_table_and_their_symbolic_slopes(name: str) -> None:
    row = units.unit(name)
    most = 0.9 if name in INSIDE_ONE else 3.0
    x = np.random.default_rng(0).uniform(0.1, most, (50, row.arity))
    values = evaluated(single(name), x)
    np.testing.assert_allclose(values.features[row.arity], row(np, *x.T), rtol=1e-14)
    symbols = sympy.symbols(f"a0:{row.arity}")
    for slope, symbol in zip(values.slopes, symbols, strict=False):
        exact = sympy.lambdify(symbols, sympy.diff(row(sympy, *symbols), symbol))
        expected = np.broadcast_to(exact(*x.T), len(x))
        np.testing.assert_allclose(slope, expected, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("name", ["sin", "cos"])
def test_sine_and_cosine_match_the_library_to_the_last_bits(name: str) -> None:
    multiples = np.arange(-700, 700) * (np.pi / 4)
    spread = np.random.default_rng(0).uniform(-1, 1, 100_000)
    z = np.concatenate([multiples, 10 * spread, 1e3 * spread, 1e6 * spread])
    values = evaluated(single(name), z[:, None])
    slope = np.cos(z) if name == "sin" else -np.sin(z)
    assert np.abs(values.features[1] - getattr(np, name)(z)).max() < 1e-15
    assert np.abs(values.slopes[0] - slope).max() < 1e-15


@pytest.mark.parametrize("name", ["log", "sqrt"])
def test_log_and_sqrt_go_on_linearly_below_their_floor(name: str) -> None:
    floor = 1e-3
    z = np.array([-2.0, -1.0, 0.0, floor * (1 - 1e-9), floor * (1 + 1e-9)])
    graph = single(name)
    tape = kernels.tape(graph)
    values = kernels.evaluate(graph, tape, z[None], floor)
    slope = {"log": 1 / floor, "sqrt": 0.5 / np.sqrt(floor)}[name]
    at_floor = getattr(np, name)(floor)
    np.testing.assert_allclose(values.features[1], at_floor + slope * (z - floor))
    np.testing.assert_allclose(values.slopes[0], slope)


@pytest.mark.parametrize("name", ["log", "sqrt"])
def test_without_a_floor_log_and_sqrt_of_negative_numbers_have_no_value(
    name: str,
) -> None:
    """Not -inf either, or exp(log(x)) would be 0 there, which no formula says."""
    graph = Graph(1, (Node(name, ({0: 1.0},)),), (({1: 1.0}, {CONSTANT: 1.0}),))
    values = kernels.evaluate(graph, kernels.tape(graph), np.array([[-1.0, 4.0]]))
    assert np.isnan(values.features[1][0])
    assert values.features[1][1] == pytest.approx(getattr(np, name)(4.0))


def test_the_root_of_a_square_has_a_slope_where_it_is_zero() -> None:
    """What rests has v = 0: the slope of v |v| was not a number there."""
    values = evaluated(single("sqrt"), np.zeros((1, 1)))
    assert values.features[1, 0] == 0.0
    assert values.slopes[0, 0] == 0.0


def test_what_cannot_be_computed_is_seen() -> None:
    for name, z in (
        ("exp", 1e3),
        ("sin", np.inf),
        ("tanh", np.nan),
        ("log", 0.0),
        ("sqrt", -1e-9),
    ):
        value = evaluated(single(name), np.array([[z], [0.5]])).features[1]
        assert not np.isfinite(value[0])
        assert np.isfinite(value[1])


def test_units_of_a_user_run_with_derivatives_from_their_symbolic_form(
    table: None,
) -> None:
    units.register_unit("bell", lambda xp, z: xp.exp(-z * z))
    units.register_unit("norm", lambda xp, a, b: xp.sqrt(1 + a * a + b * b), arity=2)
    nodes = (
        Node("sin", ({0: 1.5, CONSTANT: 0.3},)),
        Node("bell", ({2: 1.2, 1: -0.7},)),
        Node("norm", ({0: 1.0, 3: 2.0}, {2: 0.5, CONSTANT: 0.1})),
        Node("multiply", ({4: 1.0}, {3: 1.0, 1: 0.4})),
        Node("bell", ({5: 0.3},)),
    )
    graph = Graph(2, nodes, (({5: 2.0, 6: 1.0}, {CONSTANT: 2.0, 3: 0.5}),))
    rng = np.random.default_rng(0)
    x = random_inputs(rng, n_inputs=2)
    ratio = evaluated(graph, x).slots[-2:]
    np.testing.assert_allclose(ratio[0] / ratio[1], graph.evaluate(x)[0][:, 0])
    assert_jacobian_is_right(graph, samples(x, rng.normal(size=(40, 1))), PLAIN)


def test_the_slope_of_a_users_unit_may_be_a_constant(table: None) -> None:
    units.register_unit("triple", lambda xp, z: 3 * z)
    values = evaluated(single("triple"), np.array([[1.0], [2.0]]))
    np.testing.assert_allclose(values.features[1], [3.0, 6.0])
    np.testing.assert_allclose(values.slopes[0], [3.0, 3.0])


def test_users_units_fail_as_silently_as_the_built_in_ones(table: None) -> None:
    units.register_unit("grow", lambda xp, z: xp.exp(xp.exp(z)))
    values = evaluated(single("grow"), np.array([[10.0], [0.0]]))
    assert np.isinf(values.features[1, 0])
    assert values.features[1, 1] == pytest.approx(math.e)


def test_residuals_worked_by_hand() -> None:
    # y = 3 / x: at x = 2, where 1 was seen with weight 4, and at x = 0.5, unlabelled
    graph = Graph(1, (), (({CONSTANT: 3.0}, {0: 1.0}),), frozenset({(0, CONSTANT)}))
    data = samples(
        np.array([[2.0]]),
        np.array([[1.0]]),
        points=np.array([[0.5]]),
        weight=np.array([4.0]),
    )
    work = Workspace(graph, data)
    division = Division(theta=0.0, margin=0.75, strength=10.0)
    # 2 · (3/2 - 1) = 1 and 10 · (0.75 - 0.5) = 2.5
    assert work.evaluate(np.array([1.0]), division) == pytest.approx(1.0 + 6.25)
    np.testing.assert_allclose(work.r, [[1.0, 2.5]])
    # by the weight of x: 2 · (-3/x²) x = -3 and -10 x = -5
    np.testing.assert_allclose(work.jacobian(), [[-3.0, -5.0]])


def test_a_negative_denominator_is_divided_by_as_it_is_without_a_floor() -> None:
    graph = Graph(1, (), (({CONSTANT: 3.0}, {0: 1.0}),))
    work = Workspace(graph, samples(np.array([[-2.0]]), np.array([[1.0]])))
    assert work.evaluate(work.parameters(), PLAIN) == pytest.approx(2.5**2)


def test_the_floor_of_a_denominator_is_positive_and_smooth() -> None:
    graph = Graph(1, (), (({CONSTANT: 1.0}, {0: 1.0}),))
    b, theta = np.array([-40.0, -1.0, 0.0, 0.3 - 1e-9, 0.3, 0.3 + 1e-9, 1.0]), 0.3
    work = Workspace(graph, samples(b[:, None], np.zeros((len(b), 1))))
    work.evaluate(work.parameters(), Division(theta))
    denominator = 1 / work.r[0]
    above = b >= theta
    np.testing.assert_allclose(denominator[above], b[above])
    np.testing.assert_allclose(denominator[2], theta / math.e)
    assert np.all(denominator > 0) and np.all(np.diff(denominator) > 0)
    slope = -work.by_ratio[0, 1] * denominator**2
    np.testing.assert_allclose(slope[3:], 1.0, rtol=1e-8)


@pytest.mark.parametrize("division", [PLAIN, Division(2.5, margin=2.9, strength=3.0)])
@pytest.mark.parametrize("seed", range(12))
def test_jacobian_against_finite_differences(seed: int, division: Division) -> None:
    rng = np.random.default_rng(seed)
    graph = random_graph(rng, n_outputs=1 + seed % 3, n_units=2 + seed % 5)
    assert_jacobian_is_right(graph, _samples(rng, graph.n_outputs), division)


def assert_jacobian_is_right(graph: Graph, data: Samples, division: Division) -> None:
    work = Workspace(graph, data)
    v = work.parameters()

    def residuals(v: np.ndarray) -> np.ndarray:
        work.evaluate(v, division)
        return work.r.ravel().copy()

    expected = [
        (residuals(v + step) - residuals(v - step)) / 2e-6
        for step in 1e-6 * np.eye(len(v))
    ]
    residuals(v)
    tolerance = 1e-7 * (1 + np.abs(expected).max())
    np.testing.assert_allclose(work.jacobian(), expected, rtol=1e-5, atol=tolerance)


def test_fixed_weights_have_no_row_in_the_jacobian() -> None:
    rng = np.random.default_rng(0)
    graph = random_graph(rng)
    data = _samples(rng, 1)
    full = Workspace(graph, data)
    full.evaluate(full.parameters(), PLAIN)
    keys = graph.parameters()
    some = Graph(graph.n_inputs, graph.nodes, graph.outputs, frozenset(keys[::2]))
    part = Workspace(some, data)
    part.evaluate(part.parameters(), PLAIN)
    np.testing.assert_array_equal(part.jacobian(), full.jacobian()[1::2])


def test_a_tied_weight_follows_its_leader() -> None:
    # sin(w x) + x · cos(2 w x), with one parameter w and another in front of the sine
    nodes = (
        Node("sin", ({0: 1.5},)),
        Node("cos", ({0: 3.0},)),
        Node("multiply", ({0: 1.0}, {2: 1.0})),
    )
    fixed = frozenset({(2, 0), (3, 2), (4, 3), (5, CONSTANT)})
    ties = {(1, 0): ((0, 0), 2.0)}
    graph = Graph(1, nodes, (({1: 1.2, 3: 1.0}, ONE),), fixed, ties)
    rng = np.random.default_rng(0)
    data = samples(rng.uniform(-1, 1, (20, 1)), rng.normal(size=(20, 1)))
    work = Workspace(graph, data)
    np.testing.assert_array_equal(work.parameters(), [1.5, 1.2])
    moved = work.result(np.array([2.0, 1.2]))
    assert moved.slots()[:2] == [{0: 2.0}, {0: 4.0}]
    assert_jacobian_is_right(graph, data, PLAIN)


@pytest.mark.parametrize("seed", range(8))
def test_derivatives_by_slots_against_finite_differences(seed: int) -> None:
    rng = np.random.default_rng(seed)
    graph = random_graph(rng, n_outputs=1 + seed % 3)
    data, division = _samples(rng, graph.n_outputs), Division(2.5, margin=2.9)
    work = Workspace(graph, data)
    work.evaluate(work.parameters(), division)
    by_slot = kernels.by_slots(
        work.tape.first_slot,
        work.tape.pointer,
        work.tape.sources,
        work.tape.weights,
        work.tape.n_inputs,
        work.values.slopes,
        work.by_ratio,
        np.zeros((len(graph.slots()), work.r.size)),
    )

    def residuals(slot: int, nudge: float) -> np.ndarray:
        slots = graph.slots()
        constant = slots[slot].get(CONSTANT, 0.0) + nudge
        slots[slot] = {**slots[slot], CONSTANT: constant}
        moved = Workspace(graph.with_slots(slots), data)
        moved.evaluate(moved.parameters(), division)
        return moved.r.ravel()

    for slot, row in enumerate(by_slot):
        expected = (residuals(slot, 1e-6) - residuals(slot, -1e-6)) / 2e-6
        tolerance = 1e-7 * (1 + np.abs(expected).max())
        np.testing.assert_allclose(row, expected, rtol=1e-5, atol=tolerance)


def _samples(rng: np.random.Generator, n_outputs: int) -> Samples:
    """Draw weighted samples and unlabelled points."""
    x, y = random_inputs(rng, 25), rng.normal(size=(25, n_outputs))
    return samples(x, y, points=random_inputs(rng, 9), weight=rng.uniform(0.2, 3, 25))

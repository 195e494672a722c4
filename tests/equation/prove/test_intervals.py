import numpy as np
import pytest
from graphs import ONE, random_graph, random_inputs
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from eqlearn.equation.prove.intervals import Interval, enclose, enclose_with_slopes
from eqlearn.network.graph import CONSTANT, Graph, Linear, Node
from eqlearn.network.units import UNITS, register_unit

Floats = NDArray[np.float64]
X: Linear = {0: 1.0}
PI = np.pi


def of_unit(name: str, *arguments: Linear) -> Graph:
    """One unit of x, or of other linear combinations of x and y."""
    inner = arguments or (X,) * UNITS[name].arity
    return Graph(2, (Node(name, inner),), (({2: 1.0}, ONE),))


def range_of(graph: Graph, *domain: tuple[float, float]) -> tuple[float, float]:
    box = np.array([*domain, (0.0, 0.0)][: graph.n_inputs], dtype=float)
    found = enclose(graph, box[None, :, 0], box[None, :, 1])
    return float(found.low[0, 0]), float(found.high[0, 0])


def random_boxes(rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Draw boxes in [-1, 1]³, from single points to half of it."""
    centre = random_inputs(rng, 30)
    radius = rng.choice([0, 1e-12, 1e-6, 1e-3, 0.1, 0.5], size=centre.shape)
    return np.maximum(centre - radius, -1), np.minimum(centre + radius, 1)


def points_in(low: Floats, high: Floats, rng: np.random.Generator) -> Floats:
    shares = rng.choice([0.0, 1.0, 0.5, rng.random()], size=low.shape)
    return np.clip(low + shares * (high - low), low, high)


def contains(interval: Interval, values: Floats) -> bool:
    return bool(np.all((interval.low <= values) & (values <= interval.high)))


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=60, deadline=None)
def test_every_computed_value_is_enclosed(seed: int) -> None:
    rng = np.random.default_rng(seed)
    graph = random_graph(rng, n_outputs=2, untidy=True)
    low, high = random_boxes(rng)
    found = enclose(graph, low, high)
    for _ in range(10):
        assert contains(found, graph.evaluate(points_in(low, high, rng))[0])


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=40, deadline=None)
def test_the_mean_value_form_is_tighter_and_true(seed: int) -> None:
    rng = np.random.default_rng(seed)
    graph = random_graph(rng, n_outputs=2)
    low, high = random_boxes(rng)
    natural = enclose(graph, low, high)
    for m, (value, _) in enumerate(enclose_with_slopes(graph, low, high)):
        assert np.all(value.low >= natural.low[:, m])
        assert np.all(value.high <= natural.high[:, m])
        for _ in range(10):
            y = graph.evaluate(points_in(low, high, rng))[0][:, m]
            # It encloses exact values; computed ones have rounding errors of their own.
            error = 1e-13 * (1 + np.abs(y))
            assert contains(Interval(value.low - error, value.high + error), y)


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=40, deadline=None)
def test_slopes_are_enclosed(seed: int) -> None:
    rng = np.random.default_rng(seed)
    graph = random_graph(rng)
    low, high = random_boxes(rng)
    [(_, slopes)] = enclose_with_slopes(graph, low, high)
    x = points_in(low, high, rng)
    for d, step in enumerate(1e-5 * np.eye(3)):
        change = graph.evaluate(x + step)[0] - graph.evaluate(x - step)[0]
        slope = change[:, 0] / 2e-5
        error = 1e-6 * (1 + np.abs(slope))
        found = Interval(slopes.low[d] - error, slopes.high[d] + error)
        assert contains(found, slope)


def test_the_excess_of_the_mean_value_form_falls_with_the_square() -> None:
    product = of_unit("multiply", {0: 1.0}, {CONSTANT: 1.0, 0: -1.0})  # x (1 - x)
    widths = []
    for radius in (1e-2, 1e-3):
        low, high = np.full((1, 2), 0.3 - radius), np.full((1, 2), 0.3 + radius)
        [(value, _)] = enclose_with_slopes(product, low, high)
        exact = 2 * radius * 0.4  # the slope at 0.3 is 0.4
        widths.append(float((value.high - value.low)[0]) - exact)
    assert widths[1] == pytest.approx(widths[0] / 100, rel=0.01)


@pytest.mark.parametrize(
    ("name", "domain", "low", "high"),
    [
        ("sin", (1.0, 2.0), np.sin(1.0), 1.0),  # over the maximum at π/2
        ("sin", (1.57, 3.0), np.sin(3.0), 1.0),  # the maximum is just inside
        ("sin", (2.0, 3.0), np.sin(3.0), np.sin(2.0)),  # falling
        ("sin", (-2.0, -1.0), -1.0, np.sin(-1.0)),  # over the minimum at -π/2
        ("sin", (0.0, 2 * PI), -1.0, 1.0),
        ("sin", (101.0, 103.0), np.sin(101.0), 1.0),  # the maximum at 32.5 π = 102.1
        ("sin", (PI / 2, PI / 2), 1.0, 1.0),
        ("cos", (-0.5, 1.0), np.cos(1.0), 1.0),
        ("cos", (3.0, 3.3), -1.0, np.cos(3.3)),
        ("cos", (3.0, 3.1416), -1.0, np.cos(3.0)),
        ("cos", (0.5, 3.0), np.cos(3.0), np.cos(0.5)),
        ("square", (-1.0, 3.0), 0.0, 9.0),
        ("square", (-3.0, -2.0), 4.0, 9.0),
        ("multiply", (-1.0, 3.0), 0.0, 9.0),  # both arguments are x
        ("identity", (-1.0, 3.0), -1.0, 3.0),
        ("exp", (-1.0, 2.0), np.exp(-1.0), np.exp(2.0)),
        ("log", (0.5, 2.0), np.log(0.5), np.log(2.0)),
        ("log", (-1.0, 2.0), -np.inf, np.log(2.0)),  # where it is defined
        ("sqrt", (-1.0, 4.0), 0.0, 2.0),
        ("tanh", (-1.0, 30.0), np.tanh(-1.0), 1.0),
    ],
)
def test_ranges_of_units_by_hand(
    name: str, domain: tuple[float, float], low: float, high: float
) -> None:
    found = range_of(of_unit(name), domain)
    assert found == pytest.approx((low, high), rel=1e-14, abs=1e-14)
    assert found[0] <= low
    assert found[1] >= high


def test_every_unit_of_the_library_has_a_range() -> None:
    for name in UNITS:
        low, high = range_of(of_unit(name), (0.5, 2.0))
        assert 0 < high - low < 10


def test_a_sine_never_leaves_one_even_where_nothing_is_known() -> None:
    wave = of_unit("sin", {0: 1e200})
    assert range_of(wave, (-1e100, 1e100)) == (-1.0, 1.0)


def test_a_sine_of_what_overflows_has_no_value() -> None:
    wave = of_unit("sin", {0: 1e200})
    assert range_of(wave, (-1e200, 1e200)) == (-np.inf, np.inf)


def test_products_of_different_factors_take_all_signs() -> None:
    product = of_unit("multiply", {0: 1.0}, {1: 1.0})
    domain = (-1.0, 2.0), (-3.0, 1.0)
    assert range_of(product, *domain) == pytest.approx((-6.0, 3.0))


def test_squares_do_not_fall_below_zero_by_rounding() -> None:
    nodes = (Node("square", ({0: 0.1},)), Node("multiply", ({1: 0.3},) * 2))
    graph = Graph(2, nodes, (({2: 0.7, 3: 1.1}, ONE),))
    assert range_of(graph, (-1.0, 1.0), (-2.0, 1.0))[0] == 0.0


def test_underflow_is_not_taken_for_zero() -> None:
    product = of_unit("multiply", {0: 1.0}, {1: -1.0})
    low, high = range_of(product, (1e-200, 1e-200), (1e-200, 1e-200))
    assert low < 0 <= high
    for end in (-1e-200, 1e-200):
        low, high = range_of(product, (-1e-200, 1e-200), (end, end))
        assert low < 0 < high
    assert range_of(of_unit("square"), (1e-200, 1e-200))[1] > 0


def test_overflow_is_not_taken_for_infinity() -> None:
    low, high = range_of(of_unit("exp"), (800.0, 900.0))
    assert low < np.inf
    assert high == np.inf


def test_a_fraction_over_zero_can_be_anything() -> None:
    graph = Graph(1, (), ((ONE, {0: 1.0}),))
    assert range_of(graph, (-1.0, 2.0)) == (-np.inf, np.inf)
    assert range_of(graph, (0.5, 2.0)) == pytest.approx((0.5, 2.0))


def test_nothing_is_known_of_a_users_unit(table: None) -> None:
    register_unit("bell", lambda xp, z: xp.exp(-z * z))
    assert range_of(of_unit("bell"), (-1.0, 1.0)) == (-np.inf, np.inf)
    inside = Graph(
        1, (Node("bell", (X,)), Node("tanh", ({1: 1.0},))), (({2: 1.0}, ONE),)
    )
    assert range_of(inside, (-1.0, 1.0)) == pytest.approx((-1.0, 1.0))

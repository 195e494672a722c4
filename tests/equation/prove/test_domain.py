import math
import time
from collections.abc import Sequence

import numpy as np
import pytest
from graphs import ONE, random_graph, random_inputs
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from patience import within

from eqlearn.equation.prove.domain import (
    LARGEST_EXAMINED,
    MOST_EXAMINED,
    OutputReport,
    domain_report,
)
from eqlearn.equation.prove.extremes import smallest, spread
from eqlearn.errors import EqlearnError
from eqlearn.network.graph import CONSTANT, Graph, Linear, Node
from eqlearn.network.units import register_unit

X: Linear = {0: 1.0}
SQUARE = Node("square", (X,))
PRODUCT = Node("multiply", (X, {1: 1.0}))


def fraction(
    denominator: Linear, *nodes: Node, n_inputs: int = 1, numerator: Linear = ONE
) -> Graph:
    return Graph(n_inputs, nodes, ((numerator, denominator),))


def examine(graph: Graph, *domain: tuple[float, float]) -> OutputReport:
    """Report on the only output, in less than a second."""
    low, high = np.array(domain, dtype=float).reshape(-1, 2).T
    with within(1.0, time.process_time):
        [report] = domain_report(graph, low, high)
    return report


@pytest.mark.parametrize("n_quotients", [1, MOST_EXAMINED + 1])
@pytest.mark.parametrize("n_terms", [1, LARGEST_EXAMINED + 1])
def test_a_pole_inside_is_never_taken_for_none(n_quotients: int, n_terms: int) -> None:
    """Of a formula too large to be examined, nothing is said to be proved."""
    waves = [Node("sin", ({0: 1.0 + k},)) for k in range(n_terms)]
    poles = [Node("divide", (ONE, {0: 1.0, CONSTANT: -0.5}))] * n_quotients
    numerator = {1 + k: 1.0 for k in range(n_terms + n_quotients)}
    found = examine(fraction(ONE, *waves, *poles, numerator=numerator), (0, 1))
    assert not found.is_safe and found.denominator.value == 1.0
    assert "proved" not in found.in_words(["x"]) and found.verdict != "pole found"


def value_at(graph: Graph, point: Sequence[float]) -> float:
    return float(graph.evaluate(np.array([point]))[0][0, 0])


def test_one_plus_a_square_has_no_pole() -> None:
    report = examine(fraction({CONSTANT: 1.0, 1: 1.0}, SQUARE), (-2, 2))
    assert report.verdict == "proved"
    assert report.is_safe
    assert report.denominator.value == pytest.approx(1.0)
    assert report.denominator.bound == pytest.approx(1.0, rel=1e-12)
    assert report.denominator.bound <= 1.0
    assert report.denominator.point == pytest.approx((0.0,), abs=1e-6)
    assert report.output.value == pytest.approx(1.0)
    assert report.output.bound == pytest.approx(1.0, rel=0.02)
    assert report.pole is None
    words = "no pole: the denominator stays above 0.999 for all x1 in [-2, 2] (proved)"
    assert str(report) == words


def test_a_negative_denominator_is_as_good() -> None:
    report = examine(fraction({CONSTANT: -1.0, 1: -1.0}, SQUARE), (-2, 2))
    assert (report.verdict, report.sign) == ("proved", -1)
    assert report.denominator.value == pytest.approx(1.0)
    assert "stays below -0.999" in str(report)


@pytest.mark.parametrize(("depth", "verdict"), [(0.2, "proved"), (0.3, "pole found")])
def test_a_product_that_can_bring_the_denominator_down(
    depth: float, verdict: str
) -> None:
    # 1 + x² y is 1 - 4 · depth where it is smallest.
    cube = Node("multiply", ({2: 1.0}, {1: 1.0}))
    graph = fraction({CONSTANT: 1.0, 3: 1.0}, SQUARE, cube, n_inputs=2)
    report = examine(graph, (-2, 2), (-depth, depth))
    assert report.verdict == verdict
    if verdict == "proved":
        assert report.denominator.bound == pytest.approx(0.2, rel=0.01)
        assert report.denominator.point[1] == -0.2
        words = "stays above 0.199 for all x1 in [-2, 2], x2 in [-0.2, 0.2] (proved)"
        assert words in str(report)


def test_a_cosine_that_stays_above_zero() -> None:
    wave = Node("cos", ({0: 1.0},))
    report = examine(fraction({CONSTANT: 1.5, 1: 1.0}, wave), (-20, 20))
    assert report.verdict == "proved"
    assert 0.495 <= report.denominator.bound <= 0.5
    assert report.output.value == pytest.approx(2.0)
    assert 2.0 <= report.output.bound <= 2.03


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_a_pole_is_found_at_every_scale(scale: float) -> None:
    graph = fraction({CONSTANT: -0.5 * scale, 0: 1.0}, numerator={CONSTANT: 3.0})
    report = examine(graph, (0.0, 2 * scale))
    assert (report.verdict, report.sign) == ("pole found", 0)
    assert report.pole is not None
    assert report.pole.point == pytest.approx((0.5 * scale,))
    assert report.pole.numerator == 3.0
    assert not report.pole.is_removable
    assert report.output.value == math.inf
    words = f"pole: the denominator is 0 at x1 = {0.5 * scale:.6g}, where the numerator"
    assert str(report) == words + " is 3"


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_a_pole_just_outside_is_outside_at_every_scale(scale: float) -> None:
    graph = fraction({CONSTANT: -0.5 * scale, 0: 1.0})
    report = examine(graph, (0.500001 * scale, 2 * scale))
    assert report.verdict == "proved"
    assert report.denominator.bound == pytest.approx(1e-6 * scale, rel=0.02)


def test_a_pole_on_the_edge_is_found() -> None:
    report = examine(fraction({CONSTANT: -0.5, 0: 1.0}), (0.5, 2))
    assert report.pole is not None
    assert report.pole.point == (0.5,)


def test_the_poles_of_a_product() -> None:
    graph = fraction({CONSTANT: -1.0, 2: 1.0}, PRODUCT, n_inputs=2)
    report = examine(graph, (-2, 2), (-2, 2))
    assert report.pole is not None
    assert math.prod(report.pole.point) == pytest.approx(1.0)
    assert examine(graph, (-2, 2), (-0.4, 0.4)).verdict == "proved"


def test_a_pole_without_change_of_sign_is_found() -> None:
    report = examine(fraction({1: 1.0}, SQUARE), (-2, 3))
    assert report.pole is not None
    assert report.pole.point == pytest.approx((0.0,), abs=1e-6)
    assert not report.pole.is_removable
    assert "is 0 at x1 = 0, where the numerator is 1" in str(report)


def test_a_narrow_pole_that_no_point_hits_is_found_by_the_boxes() -> None:
    # 1 - 1.5 exp(-z²) with z = 1e7 (x - a) is 1 but for a millionth of the domain.
    place = 0.123456789
    square = Node("square", ({0: 1e7, CONSTANT: -1e7 * place},))
    graph = fraction({CONSTANT: 1.0, 2: -1.5}, square, Node("exp", ({1: -1.0},)))
    _, b = graph.evaluate(spread(np.array([-1.0]), np.array([1.0])))
    assert b.min() == 1.0
    report = examine(graph, (-1, 1))
    assert report.pole is not None
    assert report.pole.point[0] == pytest.approx(place, abs=1e-6)


@pytest.mark.parametrize(
    ("numerator", "denominator", "is_removable"),
    [
        ({1: 1.0}, {0: 1.0}, True),  # sin(x) / x
        ({3: 1.0}, {2: 1.0}, True),  # sin(x)² / x²
        ({1: 1.0}, {2: 1.0}, False),  # sin(x) / x²
        ({CONSTANT: 1e-4, 1: 1.0}, {0: 1.0}, False),
        ({1: 1.0}, {0: -0.5, 2: 1.0}, False),  # sin(x) / (x (x - 0.5)), removable at 0
    ],
)
def test_nought_over_nought_is_told_from_a_pole(
    numerator: Linear, denominator: Linear, is_removable: bool
) -> None:
    nodes = Node("sin", (X,)), SQUARE, Node("square", ({1: 1.0},))
    report = examine(fraction(denominator, *nodes, numerator=numerator), (-2, 3))
    assert report.pole is not None
    assert report.pole.is_removable == is_removable
    assert math.isfinite(report.output.value) == is_removable
    assert report.output.bound == math.inf
    assert str(report).startswith("0/0: " if is_removable else "pole: ")


def test_ten_inputs() -> None:
    waves = [Node("sin", ({i: 2.0, (i + 1) % 10: -0.5},)) for i in range(10)]
    total: Linear = {10 + i: 1.0 for i in range(10)}
    domain = [(-1.0, 1.0)] * 10
    safe = fraction({CONSTANT: 12.5, **total}, *waves, n_inputs=10)
    assert examine(safe, *domain).verdict == "proved"
    unsafe = fraction({CONSTANT: 9.5, **total}, *waves, n_inputs=10)
    assert examine(unsafe, *domain).verdict == "pole found"


def test_a_constant_denominator_is_proved_at_once() -> None:
    graph = fraction({CONSTANT: -4.0}, SQUARE, numerator={1: 1.0})
    report = examine(graph, (-2, 3))
    assert (report.verdict, report.is_constant) == ("proved", True)
    assert report.denominator == (4.0, (0.5,), 4.0)
    assert report.output.value == pytest.approx(9 / 4)
    assert str(report) == "no pole: the denominator is constant (proved)"


def test_formulas_of_nothing_and_over_nothing() -> None:
    nothing = Graph(0, (), (({CONSTANT: 2.0}, {CONSTANT: -4.0}),))
    assert examine(nothing).output.value == 0.5
    over_nothing = examine(fraction({}, numerator=X), (1, 2))
    assert over_nothing.verdict == "pole found"


def test_a_single_point_is_a_domain() -> None:
    report = examine(fraction({CONSTANT: 1.0, 1: 1.0}, SQUARE), (2, 2))
    assert report.verdict == "proved"
    assert report.denominator.value == 5.0
    assert examine(fraction({CONSTANT: -2.0, 0: 1.0}), (2, 2)).verdict == "pole found"


def test_only_inputs_of_the_output_are_looked_at() -> None:
    graph = Graph(3, (), (({1: 1.0}, {CONSTANT: 2.0, 2: 1.0}), (ONE, ONE)))
    first, second = domain_report(graph, -np.ones(3), np.ones(3))
    assert first.used == (1, 2)
    assert "for all x2 in [-1, 1], x3 in [-1, 1]" in str(first)
    assert "for all ü in [-1, 1], <3> in" in first.in_words(["a", "ü", "<3>"])
    assert second.used == ()


@pytest.mark.parametrize(
    ("name", "low", "is_proved", "words"),
    [
        ("log", 0.1, True, "the argument of log never falls below 0.1 (proved)"),
        ("log", -0.1, False, "the argument of log falls to -0.1 at x1 = -0.1"),
        ("log", 0.0, False, "the argument of log falls to 0 at x1 = 0"),
        ("sqrt", 0.0, True, "the argument of sqrt never falls below 0 (proved)"),
        ("sqrt", -0.1, False, "the argument of sqrt falls to -0.1 at x1 = -0.1"),
    ],
)
def test_arguments_that_must_be_positive(
    name: str, low: float, is_proved: bool, words: str
) -> None:
    graph = fraction(ONE, Node(name, (X,)), numerator={1: 1.0})
    report = examine(graph, (low, 3))
    [argument] = report.arguments
    assert argument.unit == name
    assert argument.smallest.value == low
    assert argument.is_proved == report.is_safe == is_proved
    assert report.verdict == "proved"
    assert words in str(report)


def test_the_root_of_a_sum_of_squares_is_defined() -> None:
    other = Node("square", ({1: 0.3},))
    root = Node("sqrt", ({2: 0.7, 3: 1.3},))
    graph = fraction({CONSTANT: 3.0, 4: 1.0}, SQUARE, other, root, n_inputs=2)
    assert examine(graph, (-1, 3), (-1, 3)).is_safe


def test_what_holds_of_several_arguments_is_said_once() -> None:
    roots = Node("sqrt", (X,)), Node("sqrt", ({0: 1.0, 1: 1.0},))
    graph = fraction(ONE, *roots, numerator={1: 1.0, 2: 1.0})
    report = examine(graph, (0, 3))
    assert len(report.arguments) == 2
    assert str(report).count("the argument of sqrt never falls below 0 (proved)") == 1


def test_arguments_of_unused_units_do_not_matter() -> None:
    graph = fraction(ONE, Node("log", (X,)), numerator=X)
    assert examine(graph, (-1, 1)).arguments == ()


def test_a_denominator_that_is_nowhere_defined() -> None:
    report = examine(fraction({1: 1.0}, Node("log", (X,))), (-2, -1))
    assert report.verdict == "not decided"
    assert math.isnan(report.denominator.value)
    assert "has no value" in str(report)


def test_a_sign_that_changes_across_a_gap_is_no_pole() -> None:
    # x (1 + sqrt(x² - 1)) is at least 1 in size where it is defined.
    root = Node("sqrt", ({1: 1.0, CONSTANT: -1.0},))
    product = Node("multiply", (X, {CONSTANT: 1.0, 2: 1.0}))
    report = examine(fraction({3: 1.0}, SQUARE, root, product), (-2, 2))
    assert report.verdict == "not decided"
    assert not report.is_safe
    assert report.denominator.value == pytest.approx(1.0, rel=1e-3)


def test_a_denominator_that_jumps_over_zero_is_no_pole(table: None) -> None:
    register_unit("inverse", lambda xp, z: 1 / z)
    graph = fraction({1: 1.0}, Node("inverse", (X,)))
    report = examine(graph, (-1, 2))
    assert report.verdict == "not decided"
    assert report.denominator.value == pytest.approx(0.5)
    assert report.output.value == pytest.approx(2.0)


def test_a_users_unit_is_searched_but_nothing_is_proved(table: None) -> None:
    register_unit("bell", lambda xp, z: xp.exp(-z * z))
    bell = Node("bell", (X,))
    report = examine(fraction({CONSTANT: 1.0, 1: 1.0}, bell), (-2, 2))
    assert report.verdict == "not decided"
    assert report.denominator.value == pytest.approx(1 + math.exp(-4))
    assert report.denominator.bound == 0.0
    assert "not ruled out" in str(report)
    report = examine(fraction({CONSTANT: -0.5, 1: 1.0}, bell), (-2, 2))
    assert report.verdict == "pole found"
    report = examine(fraction(ONE, bell, numerator={1: 1.0}), (-2, 2))
    assert report.verdict == "proved"
    assert report.output.bound == math.inf


def test_the_answer_is_always_the_same() -> None:
    graph = random_graph(np.random.default_rng(5), n_outputs=2)
    one, other = (domain_report(graph, -np.ones(3), np.ones(3)) for _ in range(2))
    assert one == other


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=15, deadline=None)
def test_bounds_and_verdicts_hold_at_random_points(seed: int) -> None:
    rng = np.random.default_rng(seed)
    graph = random_graph(rng, n_outputs=2, untidy=True)
    x = random_inputs(rng, 3000)
    y, b = graph.evaluate(x)
    reports = domain_report(graph, -np.ones(3), np.ones(3), n_boxes=500)
    for m, report in enumerate(reports):
        assert report.is_safe
        assert report.denominator.bound <= np.abs(b[:, m]).min()
        assert report.denominator.value <= np.abs(b[:, m]).min() + 1e-9
        assert report.output.bound >= np.abs(y[:, m]).max()
        assert report.output.value >= np.abs(y[:, m]).max() - 1e-9
        part = Graph(3, graph.nodes, (graph.outputs[m],))
        largest = abs(value_at(part, report.output.point))
        assert largest == pytest.approx(report.output.value)


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=15, deadline=None)
def test_a_denominator_shifted_to_either_side_of_zero(seed: int) -> None:
    graph = random_graph(np.random.default_rng(seed), n_units=4)
    numerator = graph.outputs[0][0]
    whole = Graph(3, graph.nodes, ((numerator, ONE),))
    low, high = -np.ones(3), np.ones(3)
    least, _ = smallest(lambda x: whole.evaluate(x)[0][:, 0], low, high)
    negative, _ = smallest(lambda x: -whole.evaluate(x)[0][:, 0], low, high)
    assume(-negative - least > 1e-6)  # not a constant
    for share, wrong in ((-0.05, {"proved", "not decided"}), (0.05, {"pole found"})):
        shift = numerator[CONSTANT] - least + share * (-negative - least)
        shifted = fraction({**numerator, CONSTANT: shift}, *graph.nodes, n_inputs=3)
        [report] = domain_report(shifted, low, high, n_boxes=1000)
        assert report.verdict not in wrong


@pytest.mark.parametrize(
    ("low", "high", "n_boxes", "message"),
    [
        (
            [0.0, 0.0],
            [1.0],
            10,
            r"`low` must be of shape \(1,\), one per input; got an",
        ),
        ([0.0], [np.inf], 10, r"`high` must be finite; got \[inf\]"),
        ([2.0], [1.0], 10, "`high` must be at least `low`, 2; got 1.0 for input 1"),
        ([0.0], [1.0], 0, "`n_boxes` must be at least 1; got 0"),
    ],
)
def test_what_is_no_domain_is_refused(
    low: list[float], high: list[float], n_boxes: int, message: str
) -> None:
    with pytest.raises(EqlearnError, match=message):
        domain_report(fraction(ONE), np.array(low), np.array(high), n_boxes=n_boxes)


def one_unit(*arguments: Linear, unit: str) -> Graph:
    """y = unit(arguments), of two inputs."""
    return Graph(2, (Node(unit, arguments),), (({2: 1.0}, ONE),))


@pytest.mark.parametrize(
    ("graph", "is_safe", "said"),
    [
        # x1 / (x2 + 2) over [-1, 1]²: what is divided by is 1 at least.
        (
            one_unit({0: 1.0}, {1: 1.0, CONSTANT: 2.0}, unit="divide"),
            True,
            "below 0.99",
        ),
        (one_unit({0: 1.0}, {1: -1.0, CONSTANT: -2.0}, unit="divide"), True, "divided"),
        (one_unit({0: 1.0}, {1: 1.0, CONSTANT: 0.5}, unit="divide"), False, "falls to"),
        (one_unit({0: 1.0}, {1: 1.0}, unit="divide"), False, "divided by inside falls"),
        (one_unit({0: 0.9}, unit="asin"), True, "asin's argument"),
        (one_unit({0: 1.1}, unit="asin"), False, "asin's argument"),
        (one_unit({0: 0.5, CONSTANT: 0.7}, unit="acos"), False, "acos's argument"),
        (one_unit({0: 5.0}, unit="atan"), True, "no pole"),
    ],
)
def test_what_a_unit_cannot_take_is_part_of_the_report(
    graph: Graph, is_safe: bool, said: str
) -> None:
    (report,) = domain_report(graph, np.full(2, -1.0), np.full(2, 1.0))
    assert report.is_safe == is_safe
    assert report.has_pole == (not is_safe and graph.nodes[0].unit == "divide")
    assert said in str(report)


@pytest.mark.parametrize(
    ("unit", "high", "is_safe"),
    [("exp", 700, True), ("exp", 800, False), ("square", 1e150, True)]
    + [("square", 1e160, False)],
)
def test_what_grows_beyond_all_numbers_is_not_safe(
    unit: str, high: float, is_safe: bool
) -> None:
    """R-28: a value that overflows is no value."""
    graph = Graph(1, (Node(unit, ({0: 1.0},)),), (({1: 1.0}, {CONSTANT: 1.0}),))
    report = examine(graph, (1, high))
    assert report.verdict == "proved" and report.is_safe == report.is_finite == is_safe
    assert ("too large to compute" in str(report)) == (not is_safe)


@pytest.mark.parametrize("wave", ["sin", "cos"])
def test_a_wave_of_what_overflows_is_not_safe(wave: str) -> None:
    """R-28: it is bounded, and yet there is no value."""
    inner = Node("exp", ({0: 1.0},))
    graph = Graph(1, (inner, Node(wave, ({1: 1.0},))), (({2: 1.0}, {CONSTANT: 1.0}),))
    assert examine(graph, (1, 700)).is_safe
    with np.errstate(all="ignore"):
        assert np.isnan(graph.evaluate(np.array([[800.0]]))[0]).all()
    assert not examine(graph, (1, 800)).is_safe


def test_a_quotient_without_any_value_is_examined_in_silence() -> None:
    nothing = Node("log", ({CONSTANT: -1.0},))
    quotient = Node("divide", ({0: 1.0}, {1: 1.0}))
    graph = Graph(1, (nothing, quotient), (({2: 1.0}, {CONSTANT: 1.0}),))
    assert not examine(graph, (1, 2)).is_safe


def test_what_has_a_value_hardly_anywhere_is_not_decided() -> None:
    """Where no point has a value, one that is found downhill has no counterpart."""
    nodes = (
        Node("origin", ({0: -0.853009414098871, 2: 1.0},)),
        Node("log", ({1: 0.25, 0: 3.0},)),
        Node("asin", ({3: 1.0, 4: 0.5, 0: 1.5707963267948966, CONSTANT: 3.0},)),
        Node("exp", ({0: -3.0, 2: 0.8934506252155725, 5: 10000.0},)),
        Node("identity", ({1: 1.0, 2: 2.81317360574095, 5: 2.0},)),
    )
    pair = {7: -0.0001, CONSTANT: -0.12612732984935704}, {3: -3.0, 7: 1.0}
    low, high = np.zeros(3), np.array([1.0, 1.0, 3.0])
    (report,) = domain_report(Graph(3, nodes, (pair,)), low, high)
    assert report.verdict == "not decided" and not report.is_safe

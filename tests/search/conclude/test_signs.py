"""Each piece of evidence by itself, at both sides of its bound."""

from dataclasses import replace

import numpy as np
import pytest
from found import candidate

from eqlearn._types import Array
from eqlearn.equation.refine.criterion import complexity
from eqlearn.model.prediction import Weighed
from eqlearn.network.graph import CONSTANT, Graph, Linear, Node
from eqlearn.search.conclude.judged_rows import JudgedRows, high_quantile
from eqlearn.search.conclude.length import length
from eqlearn.search.conclude.misfit_signs import misfit_sign, neighbour_sign
from eqlearn.search.conclude.misfits import misfits, misfits_among_neighbours
from eqlearn.search.conclude.noise_level import NoiseLevel, chance_of_more, noise_level
from eqlearn.search.conclude.other_forms import other_forms
from eqlearn.search.conclude.regions import RegionTest, region_tests
from eqlearn.search.conclude.rivals import Rivalry, rivalry
from eqlearn.search.conclude.signs import (
    constants_sign,
    copy_sign,
    extrapolation_sign,
    far_sign,
    noise_sign,
    region_sign,
    rival_sign,
    series_sign,
    size_change_sign,
    size_sign,
    structure_sign,
)
from eqlearn.search.related_rows import UNRELATED, Relation
from eqlearn.search.strategy import STANDARD
from eqlearn.training.levenberg import fit

ONE: Linear = {CONSTANT: 1.0}
BY = STANDARD.judging
WAVE = Graph(1, (Node("sin", ({0: 1.0},)),), (({1: 1.0}, ONE),), frozenset({(2, -1)}))


def rows(x: Array, y: Array, width: float = 2.0) -> JudgedRows:
    low, high = x.min(axis=0), x.max(axis=0)
    half = (high - low) / 2 * width
    domain = np.stack([(low + high) / 2 - half, (low + high) / 2 + half], axis=1)
    return JudgedRows.of(x, y, domain, BY)


def measured(n: int = 200, noise: float = 0.02, seed: int = 0) -> JudgedRows:
    rng = np.random.default_rng(seed)
    x = rng.uniform(-2, 2, (n, 1))
    return rows(x, np.sin(x[:, 0]) + noise * rng.normal(size=n))


def cubic(data: JudgedRows) -> Graph:
    nodes = (
        Node("multiply", ({0: 1.0}, {0: 1.0})),
        Node("multiply", ({0: 1.0}, {1: 1.0})),
    )
    fixed = frozenset(
        {
            *((slot, source) for slot, source in [(0, 0), (1, 0), (2, 0)]),
            (3, 1),
            (5, -1),
        }
    )
    start = Graph(1, nodes, (({0: 1.0, 2: -0.1}, ONE),), fixed)
    return fit(start, data.samples).graph


def test_nine_of_ten_are_below_the_quantile_and_no_value_is_infinite() -> None:
    assert high_quantile(np.arange(1.0, 11.0)) == 9.0
    assert high_quantile(np.array([np.nan, 1.0])) == np.inf
    assert high_quantile(np.array([])) == 0.0


def test_rows_are_taken_evenly_from_a_sorted_table() -> None:
    x = np.arange(100_000.0)[:, None]
    few = rows(x, x[:, 0])
    assert len(few.x) == BY.most_rows
    assert (few.x[0, 0], few.x[-1, 0]) == (0.0, 99_999.0)


def test_points_are_outside_where_an_input_of_the_formula_is() -> None:
    there = measured().in_domain(WAVE)
    assert there.is_outside.mean() == pytest.approx(0.5, abs=0.05)
    constant = Graph(1, (), ((ONE, ONE),))
    assert not measured().in_domain(constant).is_outside.any()


def test_how_much_is_extrapolation_is_said() -> None:
    told = extrapolation_sign(WAVE, measured())
    assert told is not None and told.bearing == "note"
    share = float(
        told.sentence.removesuffix(" % of the domain of use is extrapolation.")
    )
    assert share == pytest.approx(50.0, abs=3.0)
    constant = Graph(1, (), ((ONE, ONE),))
    assert extrapolation_sign(constant, measured()) is None


def test_equal_inputs_tell_the_noise_exactly() -> None:
    x = np.repeat([[0.0], [1.0], [2.0]], 2, axis=0)
    y = np.array([0.0, 2.0, 10.0, 10.0, 5.0, 9.0])
    assert noise_level(x, y, 3) == NoiseLevel((2.0 + 0.0 + 8.0) / 3, 3, True)
    assert noise_level(x, y, 4) is None


def test_neighbours_tell_the_noise_of_a_smooth_law() -> None:
    data = measured(n=2000, noise=0.1)
    told = noise_level(data.x, data.y, 10)
    assert told is not None and not told.is_pure
    assert told.variance == pytest.approx(0.01, rel=0.1)
    two = np.random.default_rng(0).normal(size=(2000, 2))
    assert noise_level(two, data.y, 10) is None


def test_a_line_through_neighbours_leaves_nothing_of_a_line() -> None:
    x = np.random.default_rng(0).uniform(0, 1, (100, 1))
    told = noise_level(x, 3.0 * x[:, 0] + 1.0, 10)
    assert told is not None and told.variance < 1e-25


def test_more_than_the_noise_is_unlikely() -> None:
    noise = NoiseLevel(1.0, 100, True)
    assert chance_of_more(1.0, 100, noise) == pytest.approx(0.5, abs=0.01)
    assert chance_of_more(4.0, 100, noise) < 1e-9
    assert chance_of_more(1.0, 9, NoiseLevel(0.0, 100, True)) == 0.0


def test_what_is_left_is_compared_with_the_noise() -> None:
    data, noise = measured(), NoiseLevel(0.02**2, 100, True)
    right, wrong = (noise_sign(rms, 2, data, noise, 1e-4) for rms in (0.02, 0.05))
    assert right is not None and right.bearing == "good"
    assert wrong is not None and wrong.bearing == "doubt"
    assert noise_sign(0.05, 2, data, None, 1e-4) is None


def test_a_form_that_bends_elsewhere_without_the_ends_is_told() -> None:
    # A short wave is a cubic up to noise; its ends are not what the middle says.
    data = measured(n=100, noise=0.1)
    wave = region_tests(fit(WAVE, data.samples).graph, data, BY)
    assert [(one.source, one.is_upper) for one in wave] == [(0, False), (0, True)]
    assert max(one.off for one in wave) < 0.05
    rng = np.random.default_rng(1)
    hinge = rows(data.x, np.maximum(data.x[:, 0], 0) + 0.02 * rng.normal(size=100))
    bent = region_tests(cubic(hinge), hinge, BY)
    assert max(one.off for one in bent) > 0.1
    assert region_sign(bent, ["x"], BY) is not None


def test_the_worst_region_is_named() -> None:
    tests = [RegionTest(0, False, 0.02), RegionTest(1, True, 0.31)]
    told = region_sign(tests, ["a", "b"], BY)
    assert told is not None and told.bearing == "doubt"
    assert told.sentence == (
        "Fitted without the largest values of b, it misses them by 31 % of the spread."
    )
    assert region_sign(tests[:1], ["a", "b"], BY) is None
    by_noise = [RegionTest(1, True, 0.31, n_errors=1.5)]
    assert region_sign(by_noise, ["a", "b"], BY) is None
    # Few rows excuse no formula that is long and was hardly found again.
    long = region_sign(by_noise, ["a", "b"], BY, is_long=True)
    assert long is not None and long.bearing == "doubt"


def test_a_form_that_has_no_value_where_rows_were_held_out_misses_them() -> None:
    x = np.linspace(0.0, 2.0, 60)[:, None]
    root = Graph(
        1,
        (Node("sqrt", ({0: 1.0, CONSTANT: 0.01},)),),
        (({1: 1.0}, ONE),),
        frozenset({(0, 0), (2, -1)}),
    )
    # Without the smallest values, the root ends before them.
    ends = np.sqrt(np.maximum(x[:, 0] - 0.35, 0.0))
    tests = region_tests(root, rows(x, ends), BY)
    assert max(test.off for test in tests) == np.inf
    assert region_sign(tests, ["x"], BY) is not None


def test_noise_that_leaves_the_rest_free_to_bend_is_no_other_law() -> None:
    rng = np.random.default_rng(4)
    x = rng.uniform(-2, 2, (40, 1))
    grows = Graph(
        1, (Node("exp", ({0: 1.0},)),), (({1: 0.5}, ONE),), frozenset({(2, -1)})
    )
    exact = 0.5 * np.exp(0.7 * x[:, 0])
    data = rows(x, exact + 0.3 * exact.std() * rng.standard_normal(40))
    tests = region_tests(fit(grows, data.samples).graph, data, BY)
    assert max(test.off for test in tests) > BY.region_off
    assert region_sign(tests, ["x"], BY) is None


def test_rivals_count_as_likely_as_their_criterion_says() -> None:
    data = measured()
    other = Graph(1, (), (({0: 1.0}, ONE),))  # alike inside, not outside
    found = rivalry(Weighed(WAVE, 0.0), [Weighed(other, 2.0)], data, BY.agree)
    assert found.chance == pytest.approx(np.exp(-1) / (1 + np.exp(-1)))
    assert found.lead == 2.0 and found.graph is other
    same = rivalry(Weighed(WAVE, 0.0), [Weighed(WAVE, 2.0)], data, BY.agree)
    assert same == Rivalry(0.0, np.inf)
    lost = rivalry(Weighed(WAVE, 0.0), [Weighed(other, np.inf)], data, BY.agree)
    assert lost.chance == 0.0


def test_two_forms_that_end_at_the_same_place_do_not_differ_beyond_it() -> None:
    def root(of: float) -> Graph:
        """The root of 1.2 - x, multiplied inside and divided outside."""
        node = Node("sqrt", ({0: -of, CONSTANT: 1.2 * of},))
        return Graph(1, (node,), (({1: of**-0.5}, ONE),))

    x = np.random.default_rng(0).uniform(-1, 1, (100, 1))
    data = rows(x, np.sqrt(1.2 - x[:, 0]))
    same = rivalry(Weighed(root(1.0), 0.0), [Weighed(root(4.0), 1.0)], data, BY.agree)
    assert same == Rivalry(0.0, np.inf)
    line = Graph(1, (), (({0: -0.5, CONSTANT: 1.1}, ONE),))  # which goes on
    found = rivalry(Weighed(root(1.0), 0.0), [Weighed(line, 1.0)], data, BY.agree)
    assert found.graph is line


@pytest.mark.parametrize(("chance", "is_doubt"), [(0.02, False), (0.2, True)])
def test_a_rival_is_a_doubt_if_it_is_likely(chance: float, is_doubt: bool) -> None:
    assert (rival_sign(Rivalry(chance, 3.0), BY) is not None) == is_doubt


@pytest.mark.parametrize(
    ("chance", "told"), [(0.042, "4.2 %"), (0.384, "38 %"), (0.9993, "100 %")]
)
def test_chances_are_told_in_whole_numbers(chance: float, told: str) -> None:
    sign = rival_sign(Rivalry(chance, 0.0), BY)
    assert sign is not None and f"a chance of {told} one" in sign.sentence


def test_other_forms_fit_their_own_law_best() -> None:
    rng = np.random.default_rng(0)
    x = rng.uniform(0.5, 3, (300, 1))
    laws = {
        "exp": 2.0 * np.exp(-0.8 * x[:, 0]) + 0.3,
        "tanh": 4.0 * np.tanh(0.9 * x[:, 0]),
        "log": 1.2 * np.log(x[:, 0]) + 0.4,
        "power": 3.0 * x[:, 0] ** 1.7,
        "rise": 2.0 - 2.0 * np.exp(-0.8 * x[:, 0]),
        "saturation": 5.0 * x[:, 0] / (x[:, 0] + 1.3),
    }
    line = Graph(1, (), (({0: 1.0, CONSTANT: 1.0}, ONE),), frozenset({(1, -1)}))
    for name, y in laws.items():
        data = rows(x, y)
        own, forms = other_forms(line, data, STANDARD.tactics, BY)
        best = min(forms, key=lambda form: form.sse)
        assert best.sse < 1e-6 * own.sse, name


def test_curves_of_the_only_product_are_rivals_as_those_of_the_only_input_are() -> None:
    rng = np.random.default_rng(0)
    x = rng.uniform([0.1, 0.5], [6, 4], (70, 2))
    y = 5 * (1 - np.exp(-1.25 * x[:, 0] / x[:, 1]))
    square = Node("multiply", ({1: 1.0}, {1: 1.0}))
    other = Node("multiply", ({0: 1.0}, {0: 1.0}))
    root = Node("sqrt", ({2: 1.0, 3: 1.0},))
    bent = Graph(2, (square, other, root), (({0: 5.0}, {4: 1.0}),))
    data = rows(x, y)
    own, forms = other_forms(bent, data, STANDARD.tactics, BY)
    best = min(forms, key=lambda form: form.bic)
    assert best.sse < 1e-6 * own.sse
    assert best.graph.n_parameters == 2


def with_wild(n_wild: int, noise: float = 0.02) -> JudgedRows:
    plain = measured(300, noise)
    y = plain.y.copy()
    y[np.arange(n_wild) * 20] += 9.0
    return rows(plain.x, y)


def test_a_wild_row_is_named_with_what_was_expected() -> None:
    data = with_wild(1)
    (one,) = misfits(WAVE, data, BY)
    assert one.row == 0
    assert one.expected == pytest.approx(np.sin(data.x[0, 0]))
    assert one.value == pytest.approx(one.expected + 9.0, abs=0.1)
    assert one.error == pytest.approx(0.02, rel=0.2)
    told = misfit_sign(WAVE, data, BY)
    assert told is not None
    assert told.sentence.startswith("One row does not follow (row 1: ")


def test_the_furthest_are_named_and_the_others_counted() -> None:
    told = misfit_sign(WAVE, with_wild(7), BY)
    assert told is not None
    assert told.sentence.startswith("7 rows do not follow (row ")
    assert told.sentence.endswith("; rows 41, 61, 81, 101).")


def test_noise_follows_whatever_its_tails() -> None:
    assert misfits(WAVE, measured(1000), BY) == []
    plain, rng = measured(1000, noise=0.0), np.random.default_rng(5)
    heavy = rows(plain.x, plain.y + 0.02 * rng.standard_t(2, 1000))
    assert misfits(WAVE, heavy, BY) == []


def test_neighbours_tell_a_wild_row_without_a_formula() -> None:
    found = misfits_among_neighbours(with_wild(3), BY)
    assert sorted(one.row for one in found) == [0, 20, 40]
    assert misfits_among_neighbours(measured(300), BY) == []
    # A steep law is not wild, nor is a step.
    x = np.random.default_rng(6).uniform(-2, 2, (300, 1))
    for y in (np.exp(3 * x[:, 0]), np.where(x[:, 0] > 0, 1.0, 0.0)):
        noise = 0.01 * np.random.default_rng(7).normal(size=300)
        assert misfits_among_neighbours(rows(x, y + noise), BY) == []


def test_rows_where_noise_is_larger_are_not_called_wild() -> None:
    rng = np.random.default_rng(12)
    x = rng.uniform(0.1, 10.0, (200, 1))
    y = 3.0 * x[:, 0] ** 2 * (1.0 + 0.1 * rng.normal(size=200))
    square = Node("multiply", ({0: 1.0}, {0: 1.0}))
    parabola = Graph(
        1, (square,), (({1: 3.0}, ONE),), frozenset({(0, 0), (1, 0), (3, -1)})
    )
    assert len(misfits(parabola, rows(x, y), BY)) > 5
    assert misfit_sign(parabola, rows(x, y), BY) is None
    # One that is off even there is.
    wild = int(np.argmax(x))
    y[wild] *= 4.0
    told = misfit_sign(parabola, rows(x, y), BY)
    assert told is not None
    assert told.sentence.startswith(f"One row does not follow (row {wild + 1}: ")


def few_swings() -> tuple[Graph, JudgedRows]:
    """A fast wave in so few rows that neighbours are at its other side."""
    rng = np.random.default_rng(8)
    x = rng.uniform(0, 8, (60, 1))
    y = np.exp(-0.4 * x[:, 0]) * np.cos(3.1 * x[:, 0])
    damped = Graph(
        1,
        (
            Node("exp", ({0: -0.4},)),
            Node("cos", ({0: 3.1},)),
            Node("multiply", ({1: 1.0}, {2: 1.0})),
        ),
        (({3: 1.0}, ONE),),
        frozenset({(2, 1), (3, 2), (5, CONSTANT)}),
    )
    return damped, rows(x, y + 0.02 * rng.normal(size=60))


def test_a_row_that_the_others_foretell_is_not_wild() -> None:
    damped, data = few_swings()
    assert misfits_among_neighbours(data, BY)
    assert neighbour_sign(fit(damped, data.samples).graph, data, BY) is None
    # A formula that says nothing foretells nothing.
    assert neighbour_sign(Graph(1, (), ((ONE, ONE),)), data, BY) is not None


def test_the_ends_of_a_steep_law_are_foretold_as_well_as_the_others_can() -> None:
    rng = np.random.default_rng(2)
    t = np.r_[0.9, 1.3, rng.uniform(8.0, 30.0, 28)]
    x = np.column_stack([t, rng.uniform(10.0, 60.0, 30)])
    # a x2/x1^b: without the two smallest of x1 they are known to a few hundredths.
    steep = Graph(
        2,
        (
            Node("log", ({0: 1.0},)),
            Node("exp", ({2: -1.02},)),
            Node("multiply", ({1: 1.0}, {3: 1.0})),
        ),
        (({4: 1.0}, ONE),),
        frozenset({(0, 0), (2, 1), (3, 3), (5, CONSTANT)}),
    )
    y = x[:, 1] / t + 0.1 * rng.normal(size=30)
    data = rows(x, y)
    found = fit(steep, data.samples).graph
    assert {one.row for one in misfits_among_neighbours(data, BY)} & {0, 1}
    assert neighbour_sign(found, data, BY) is None


def test_a_row_that_the_formula_bends_to_is_not_foretold() -> None:
    damped, data = few_swings()
    y = data.y.copy()
    y[7] += 9.0
    spoilt = rows(data.x, y)
    # A term that is nothing but this row: what was fitted to it stays without it.
    away = {0: 1.0, CONSTANT: -float(data.x[7, 0])}
    nodes = (
        *damped.nodes,
        Node("multiply", (away, away)),
        Node("exp", ({4: -1e7},)),
    )
    known = {(slot, s) for slot in (4, 5) for s in (0, CONSTANT)} | {(6, 4), (8, -1)}
    peak = Graph(
        1,
        nodes,
        (({3: 1.0, 5: 9.0}, ONE),),
        frozenset({(2, 1), (3, 2), *known}),
    )
    bent = fit(peak, spoilt.samples).graph
    assert not misfits(bent, spoilt, BY)
    told = neighbour_sign(bent, spoilt, BY)
    assert told is not None
    assert told.sentence.startswith("One row does not follow (row 8: ")


def test_what_moves_the_formula_limits_its_use() -> None:
    few = with_wild(10)
    bent = fit(WAVE, few.samples).graph
    told = misfit_sign(bent, few, BY)
    assert told is not None and told.bearing == "limit"
    one = with_wild(1, noise=0.002)
    right = fit(WAVE, measured(300, 0.002).samples).graph
    told = misfit_sign(right, one, BY)
    assert told is not None and told.bearing == "note"


def test_poorly_known_constants_limit_the_use() -> None:
    poor, well = measured(20, noise=0.3), measured(2000, noise=0.02)
    free = fit(WAVE, poor.samples).graph
    told = constants_sign(candidate(free), poor, BY)
    assert told is not None and told.bearing == "limit"
    assert told.sentence.startswith("Its constants leave an error of ")
    assert constants_sign(candidate(fit(WAVE, well.samples).graph), well, BY) is None


def test_constants_that_are_written_as_simple_ones_limit_the_use_if_they_are_not() -> (
    None
):
    poor = measured(20, noise=0.3)
    free = fit(WAVE, poor.samples).graph
    simple = replace(WAVE, fixed=frozenset({(0, 0), (1, 1), (2, -1)}))
    told = constants_sign(replace(candidate(free), snapped=simple), poor, BY)
    assert told is not None and told.bearing == "limit"
    assert ", unless they are as simple as it says, leave" in told.sentence
    # One that is written as it was fitted still leaves too much.
    half = replace(simple, fixed=simple.fixed - {(0, 0)})
    told = constants_sign(replace(candidate(free), snapped=half), poor, BY)
    assert told is not None and "unless" not in told.sentence


def test_a_column_that_is_the_target_is_named() -> None:
    def times(slope: float) -> Graph:
        return Graph(2, (), (({1: slope, CONSTANT: 0.1}, ONE),))

    told = copy_sign(times(0.98), ["a", "b"], BY)
    assert told is not None and "the target is b" in told.sentence
    assert copy_sign(times(1.7), ["a", "b"], BY) is None
    assert copy_sign(WAVE, ["a"], BY) is None


def test_a_long_formula_must_have_been_found_again() -> None:
    by = STANDARD.stopping
    many = Graph(9, (), ((dict.fromkeys(range(9), 1.0), ONE),), frozenset({(1, -1)}))
    assert size_sign(WAVE, 1, by) is None
    assert size_sign(many, 3, by) is None
    told = size_sign(many, 1, by)
    assert told is not None
    assert told.sentence == (
        "It has 9 constants, and only one independent attempt ended in it."
    )


def test_a_formula_of_few_constants_is_long_if_much_was_chosen() -> None:
    sines = tuple(Node("sin", ({k: 1.0},)) for k in range(20))
    fixed = {(slot, slot) for slot in range(20)}
    chain = Graph(1, sines, (({20: 2.0}, ONE),), frozenset({*fixed, (21, -1)}))
    assert chain.n_parameters == 1
    told = size_sign(chain, 0, STANDARD.stopping)
    assert told is not None and told.bearing == "limit"
    assert told.sentence == (
        "It has 22 numbers, inputs and functions, and no independent attempt ended in "
        "it."
    )


def test_a_formula_is_as_long_as_it_is_read() -> None:
    # 2 x^9, by eight products.
    nodes = [Node("multiply", ({0: 1.0}, {k: 1.0})) for k in range(8)]
    fixed = {(slot, source) for slot in range(16) for source in (0, slot // 2)}
    power = Graph(1, tuple(nodes), (({8: 2.0}, ONE),), frozenset({*fixed, (17, -1)}))
    assert complexity(power) > STANDARD.stopping.most_complexity
    assert length(power) == 6  # 2, x and as many products as squaring takes
    assert length(Graph(1, (), (({0: 2.0}, ONE),))) == 2
    assert length(WAVE) <= complexity(WAVE)
    assert size_sign(power, 0, STANDARD.stopping) is None


def test_few_rows_cannot_tell_noise_from_structure() -> None:
    told = structure_sign(WAVE, measured(15), ["x"], STANDARD.residuals)
    assert told is not None and told.bearing == "limit"
    assert structure_sign(WAVE, measured(100), ["x"], STANDARD.residuals) is None


def test_noise_that_grows_with_the_value_is_said_with_what_to_do() -> None:
    rng = np.random.default_rng(9)
    x = rng.uniform(0.1, 3, (300, 1))
    line = Graph(1, (), (({0: 2.0}, ONE),), frozenset({(1, -1)}))
    noise = rng.standard_normal(300)
    grown = rows(x, 2 * x[:, 0] * (1 + 0.1 * noise))
    told = size_change_sign(line, grown, ["t"], STANDARD.residuals)
    assert told is not None
    assert told.sentence == "What it leaves grows with the value."
    assert "the loss relative" in told.advice
    falling = rows(x, 2 * x[:, 0] + 0.1 * noise / x[:, 0])
    told = size_change_sign(line, falling, ["t"], STANDARD.residuals)
    assert told is not None
    assert told.sentence == "The size of what it leaves changes along t."
    even = rows(x, 2 * x[:, 0] + 0.1 * noise)
    assert size_change_sign(line, even, ["t"], STANDARD.residuals) is None
    few = rows(x[:9], x[:9, 0])
    assert size_change_sign(line, few, ["t"], STANDARD.residuals) is None


def test_related_errors_limit_a_formula_unless_they_are_of_the_order_of_rows() -> None:
    data = measured(300)
    assert series_sign(UNRELATED, data) is None
    of_order = series_sign(Relation(10.0, True), data)
    unknown = series_sign(Relation(10.0, False), data)
    assert of_order is not None and unknown is not None
    assert (of_order.bearing, unknown.bearing) == ("note", "limit")
    assert of_order.sentence == (
        "Successive rows are off alike, as by a drift or a slow sensor: "
        "300 rows count as about 30."
    )
    assert unknown.sentence == (
        "Successive rows are off alike: 300 rows count as about 30."
    )


def test_far_points_that_are_missed_are_a_doubt() -> None:
    data, line = measured(200), WAVE
    x_far = np.linspace(4.0, 6.0, 12)[:, None]
    near = np.sin(x_far[:, 0]) + 0.02 * np.random.default_rng(3).standard_normal(12)
    rms, chance = 0.02, STANDARD.residuals.unlikely
    assert far_sign(line, rms, data, chance) is None
    assert far_sign(line, rms, replace(data, far=(x_far, near)), chance) is None
    told = far_sign(line, rms, replace(data, far=(x_far, near + 0.2)), chance)
    assert told is not None
    assert told.bearing == "doubt"
    assert told.sentence.startswith("It misses the far points by 10 times what") or (
        told.sentence.startswith("It misses the far points by 9")
    )

"""One form fitted to all groups: constants, their errors, and which are shared."""

import numpy as np
import pytest

from eqlearn._types import Array
from eqlearn.equation.read.starts import start_graphs
from eqlearn.equation.refine.tactics import STANDARD as TACTICS
from eqlearn.groups.form_starts import (
    FormStart,
    normal_forms,
    pattern,
    size_of_groups,
    views,
    with_offset,
    without_each,
)
from eqlearn.groups.group_settings import STANDARD
from eqlearn.groups.grouped_fit import (
    GroupedFit,
    GroupedRows,
    fitted,
    squares_by_group,
    standard_errors,
    values_by_row,
)
from eqlearn.groups.lettered import lettered, letters
from eqlearn.groups.sharing import (
    chance_of_less,
    everywhere,
    judged,
    told_apart,
    with_simple_constants,
)
from eqlearn.network.graph import Graph

T = np.linspace(0.5, 8.0, 9)
SLOPES, OFFSETS = np.array([1.0, 2.0, 4.0]), np.array([3.0, 3.0, 3.0])


def rows_of(y: Array, n_groups: int = 3, x: Array = T) -> GroupedRows:
    labels = np.repeat(np.arange(n_groups), len(x))
    return GroupedRows(
        np.tile(x, n_groups)[:, None], y, labels, n_groups, np.ones(len(labels))
    )


def graph_of(text: str, x: Array = T) -> Graph:
    rng = np.random.default_rng(0)
    (first, *_) = start_graphs(text, ["t"], x[:, None], rng)
    return next(normal_forms(first, x[None, :]))


def lines(noise: float = 0.0) -> GroupedRows:
    """Lines of three slopes through one point."""
    rng = np.random.default_rng(3)
    y = np.concatenate([a + b * T for a, b in zip(OFFSETS, SLOPES, strict=True)])
    return rows_of(y + noise * rng.normal(size=len(y)))


def of_lines(rows: GroupedRows) -> GroupedFit:
    graph = graph_of("1 + 2*t")
    return everywhere(graph, FormStart(graph, np.ones(3)).values(), rows, STANDARD)


def test_every_group_gets_its_own_line() -> None:
    found = of_lines(lines())
    by_parameter = {key[1]: found.values[p] for p, key in enumerate_keys(found.graph)}
    np.testing.assert_allclose(by_parameter[0], SLOPES, rtol=1e-6)
    np.testing.assert_allclose(by_parameter[-1], OFFSETS, rtol=1e-6)


def enumerate_keys(graph: Graph) -> list[tuple[int, tuple[int, int]]]:
    return list(enumerate(graph.parameters()))


def test_what_groups_share_is_told_from_what_they_do_not() -> None:
    rows = lines(noise=0.05)
    told = told_apart(of_lines(rows), rows, STANDARD)
    varies = {key[1]: told.varies[p] for p, key in enumerate_keys(told.graph)}
    assert varies == {0: True, -1: False}


def test_without_noise_it_is_told_as_well() -> None:
    rows = lines()
    told = told_apart(of_lines(rows), rows, STANDARD)
    assert sorted(told.varies) == [False, True]
    assert told.sse < 1e-15


def test_groups_that_are_alike_share_everything() -> None:
    rng = np.random.default_rng(5)
    rows = rows_of(np.tile(2.0 + 3.0 * T, 3) + 0.1 * rng.normal(size=27))
    assert not any(told_apart(of_lines(rows), rows, STANDARD).varies)


def test_noise_is_seldom_taken_for_a_difference() -> None:
    """At a chance of 1 % for each of two constants, 100 times: about two."""
    n_wrong = 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        rows = rows_of(np.tile(2.0 + 3.0 * T, 3) + 0.5 * rng.normal(size=27))
        n_wrong += any(told_apart(of_lines(rows), rows, STANDARD).varies)
    assert n_wrong <= 4


def test_small_groups_are_freed_one_by_one() -> None:
    """Two rows of each group are as many as constants: nothing could be shared."""
    x, slopes = np.array([1.0, 4.0]), np.linspace(1, 3, 8)
    rng = np.random.default_rng(1)
    y = np.concatenate([5.0 + b * x for b in slopes]) + 0.02 * rng.normal(size=16)
    rows = rows_of(y, 8, x)
    graph = graph_of("1 + 2*t", x)
    whole = everywhere(graph, FormStart(graph, np.ones(8)).values(), rows, STANDARD)
    told = told_apart(whole, rows, STANDARD)
    assert {key[1]: told.varies[p] for p, key in enumerate_keys(graph)} == {
        0: True,
        -1: False,
    }


def test_standard_errors_are_those_of_a_straight_line() -> None:
    rows = lines(noise=0.2)
    found = of_lines(rows)
    errors = standard_errors(found, rows)
    variance = found.sse / (27 - 6)
    by_hand = np.sqrt(variance / np.sum((T - T.mean()) ** 2))
    slope = next(p for p, key in enumerate_keys(found.graph) if key[1] == 0)
    np.testing.assert_allclose(errors[slope], by_hand, rtol=1e-4)


def test_a_constant_that_nothing_tells_has_an_infinite_error() -> None:
    graph = graph_of("2*t")
    rows = rows_of(np.zeros(27), x=np.zeros(9))
    fit = fitted(graph, [True], np.ones((1, 3)), rows, 5)
    assert np.isinf(standard_errors(fit, rows)).all()


def test_weights_count_rows() -> None:
    rows = lines(noise=0.3)
    heavy = np.where(np.arange(27) % 9 == 0, 4.0, 1.0)
    weighted = GroupedRows(rows.x, rows.y, rows.labels, 3, np.sqrt(heavy))
    found = of_lines(weighted)
    slope = next(p for p, key in enumerate_keys(found.graph) if key[1] == 0)
    by_hand = np.polyfit(T, rows.y[:9], 1, w=np.sqrt(heavy[:9]))[0]
    assert found.values[slope, 0] == pytest.approx(by_hand, rel=1e-5)


def test_a_group_begins_where_another_ended() -> None:
    """From 1 the exponent of the steep group is not found; from a neighbour's it is."""
    rates = np.array([0.3, 0.6, 1.2])
    rows = rows_of(np.concatenate([5 * np.exp(-k * T) for k in rates]))
    graph = graph_of("1*exp(-0.3*t)")
    found = everywhere(graph, FormStart(graph, np.ones(3)).values(), rows, STANDARD)
    assert found.sse < 1e-12


def test_values_by_row_agree_with_the_graph() -> None:
    graph = graph_of("2*exp(-0.3*t) + 1")
    weights = np.array([linear for linear in graph.parameters()])
    slots = graph.slots()
    values = np.array([[slots[s][f]] * len(T) for s, f in weights.tolist()])
    expected = graph.evaluate(T[:, None])[0][:, 0]
    np.testing.assert_allclose(values_by_row(graph, values, T[:, None]), expected)


def test_squares_are_those_of_each_group() -> None:
    rows = lines()
    found = of_lines(rows)
    off = GroupedFit(found.graph, found.varies, found.values + [[0, 0, 1]], 0.0)
    squares = squares_by_group(off, rows)
    assert squares[:2] == pytest.approx(0.0, abs=1e-12)
    assert squares[2] > 1.0


def test_the_f_test_is_the_textbooks() -> None:
    rows = lines(noise=0.1)
    large = of_lines(rows)
    small = fitted(large.graph, [False, False], large.values, rows, 20)
    from scipy.stats import f

    ratio = (small.sse - large.sse) / 4 / (large.sse / 21)
    assert chance_of_less(small, large, rows) == pytest.approx(f.sf(ratio, 4, 21))


def test_more_constants_than_rows_are_never_judged() -> None:
    x = np.array([1.0])
    rows = rows_of(np.array([1.0, 2.0, 3.0]), 3, x)
    graph = graph_of("2*t", x)
    whole = fitted(graph, [True], np.ones((1, 3)), rows, 5)
    assert judged(whole, rows, TACTICS).criterion == np.inf


def test_a_shared_constant_that_is_simple_is_set() -> None:
    rows = lines(noise=0.01)
    told = told_apart(of_lines(rows), rows, STANDARD)
    simple = with_simple_constants(told, rows, TACTICS, STANDARD)
    assert simple.graph.outputs[0][0][-1] == 3.0
    assert simple.graph.n_parameters == 1


def test_the_denominator_is_tried_in_all_ways() -> None:
    """V x/(K + x), where K alone differs: with 1 + x/K two constants would."""
    vs, ks = np.full(4, 9.0), np.array([1.0, 2.0, 4.0, 6.0])
    y = np.concatenate([v * T / (k + T) for v, k in zip(vs, ks, strict=True)])
    rows = rows_of(y + 0.01 * np.random.default_rng(0).normal(size=36), 4)
    counts = []
    graph = graph_of("9*t/(2 + t)")
    for form in normal_forms(graph, T[None, :]):
        start = FormStart(form, np.ones(4)).values()
        told = told_apart(everywhere(form, start, rows, STANDARD), rows, STANDARD)
        counts.append(sum(told.varies))
    assert min(counts) == 1 and max(counts) == 2


def test_views_are_all_rows_of_one_size_the_largest_groups_and_all_rows() -> None:
    rows = lines()
    found = list(views(rows, 2, 6))
    assert [int(np.sum(view.rows)) for view in found] == [27, 9, 9, 27]
    np.testing.assert_allclose(found[0].scales, size_of_groups(rows))


def test_groups_too_small_are_not_searched_alone() -> None:
    assert len(list(views(lines(), 2, 10))) == 2


def test_a_form_without_each_of_its_constants() -> None:
    graph = graph_of("2*t + 1")
    shorter = list(without_each(graph, T[None, :]))
    assert [one.n_parameters for one in shorter] == [1, 1]


def test_an_offset_is_added_once() -> None:
    graph = with_offset(graph_of("2*exp(-0.3*t)"))
    assert graph is not None and graph.n_parameters == 3
    assert with_offset(graph) is None


def test_forms_that_differ_in_constants_only_are_one_pattern() -> None:
    assert pattern(graph_of("2*t + 1")) == pattern(graph_of("5*t + 7"))
    assert pattern(graph_of("2*t + 1")) != pattern(graph_of("2*t"))


def test_letters_keep_clear_of_names() -> None:
    free = letters(["a", "c"])
    assert [next(free) for _ in range(3)] == ["b", "d", "e"]


def test_letters_stand_for_what_differs() -> None:
    rows = lines(noise=0.01)
    told = told_apart(of_lines(rows), rows, STANDARD)
    form = lettered(told, rows, [1], 2)
    assert form.graph.n_inputs == 2 and form.graph.n_parameters == 1
    for group, value in enumerate(form.values[0]):
        x = np.column_stack([T, np.full(len(T), value)])
        expected = values_by_row(
            told.graph, np.repeat(told.values[:, [group]], len(T), axis=1), T[:, None]
        )
        np.testing.assert_allclose(form.graph.evaluate(x)[0][:, 0], expected)


def test_what_is_negative_everywhere_is_written_with_a_minus() -> None:
    rates = np.array([0.3, 0.6, 1.2])
    rows = rows_of(np.concatenate([5 * np.exp(-k * T) for k in rates]))
    graph = graph_of("1*exp(-0.3*t)")
    whole = everywhere(graph, FormStart(graph, np.ones(3)).values(), rows, STANDARD)
    form = lettered(told_apart(whole, rows, STANDARD), rows, [1, 2], 3)
    assert (form.values > 0).all()

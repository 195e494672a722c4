import numpy as np
from graphs import random_graph

from eqlearn.equation.refine.criterion import Scored
from eqlearn.network.graph import CONSTANT, Graph, Node
from eqlearn.network.transform import joined
from eqlearn.search.attempts.input_views import (
    View,
    from_view,
    in_all_inputs,
    recurring_parts,
    to_view,
)
from eqlearn.search.learn import tasks_of
from eqlearn.search.task import Task

ONE = {CONSTANT: 1.0}
#: sin(2 x1 - 3 x2), of three inputs
WAVE = Graph(3, (Node("sin", ({0: 2.0, 1: -3.0},)),), (({3: 1.0}, ONE),))


def task() -> Task:
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, (500, 3))
    inner = np.sin(2 * x[:, 0] - 3 * x[:, 1])
    y = np.sin(2 * inner + x[:, 2]) / (2 + inner)
    return tasks_of(x, y[:, None], seed=0)[0]


def test_a_part_is_seen_as_an_input() -> None:
    seen = View((2,), WAVE).of(task())
    assert seen.x.shape == (500, 2)
    np.testing.assert_array_equal(seen.x[:, :1], task().x[:, [2]])
    np.testing.assert_array_equal(seen.x[:, 1:], WAVE.evaluate(task().x)[0])
    # What the part can become in the domain of use, not only in the data.
    assert seen.low[1] <= seen.x[:, 1].min()
    assert seen.high[1] >= seen.x[:, 1].max()


def test_a_part_need_not_have_a_value_everywhere() -> None:
    root = Graph(3, (Node("sqrt", ({0: 1.0, CONSTANT: 1.05},)),), (({3: 1.0}, ONE),))
    with np.errstate(invalid="ignore"):
        seen = View((2,), root).of(task())
    assert np.isfinite(seen.low).all() and np.isfinite(seen.high).all()


def test_a_formula_of_parts_is_written_in_full_and_fitted() -> None:
    whole = task()
    view = View((2,), WAVE)
    # sin(1.9 part + input) / (1 + 0.4 part): the fit makes it the law.
    narrow = Graph(
        2,
        (Node("sin", ({0: 0.9, 1: 1.9},)),),
        (({2: 0.4}, {CONSTANT: 1.0, 1: 0.4}),),
    )
    data = whole.compared()
    found = view.in_full(Scored(narrow, 0.0, 0.0), data)
    assert found.graph.n_inputs == 3
    assert found.sse / data.n_residuals < 1e-20


def test_without_parts_the_formula_stays_as_it_is() -> None:
    node = Node("sin", ({0: 2.0, CONSTANT: 1.0},))
    fixed, ties = frozenset({(0, 0)}), {(1, 1): ((0, CONSTANT), 2.0)}
    narrow = Graph(1, (node,), (({1: 2.0}, ONE),), fixed, ties)
    data = task().compared()
    wide = View((1,)).in_full(Scored(narrow, 3.0, 4.0), data)
    assert (wide.sse, wide.bic) == (3.0, 4.0)
    assert wide.graph.fixed == {(0, 1)}
    assert wide.graph.ties == {(1, 3): ((0, CONSTANT), 2.0)}


def test_a_formula_of_some_inputs_is_one_of_all() -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        narrow = random_graph(rng)
        inputs = (0, 2, 5)[: narrow.n_inputs]
        wide = in_all_inputs(Scored(narrow, 0.0, 0.0), inputs, 7).graph
        x = rng.uniform(-1, 1, (50, 7))
        with np.errstate(all="ignore"):
            np.testing.assert_array_equal(
                wide.evaluate(x)[0], narrow.evaluate(x[:, list(inputs)])[0]
            )
        assert wide.n_parameters == narrow.n_parameters


def test_views_survive_being_written_down() -> None:
    for view in (View((0, 2)), View((1,), WAVE), View((), joined([WAVE, WAVE]))):
        assert from_view(to_view(view)) == view


def test_parts_that_recur_are_found_in_whatever_scale() -> None:
    x = np.random.default_rng(0).uniform(-1, 1, (300, 3))
    wave = WAVE.nodes[0]
    # 5 wave + x3, x3 · (0.1 wave - 2), cos(x1 + x3), x2 · x3
    first = Graph(3, (wave,), (({3: 5.0, 2: 1.0}, ONE),))
    product = Node("multiply", ({2: 1.0}, {3: 0.1, CONSTANT: -2.0}))
    second = Graph(3, (wave, product), (({4: 1.0}, ONE),))
    third = Graph(3, (Node("cos", ({0: 1.0, 2: 1.0},)),), (({3: 1.0}, ONE),))
    fourth = Graph(3, (Node("multiply", ({1: 1.0}, {2: 1.0})),), (({3: 1.0}, ONE),))
    found = recurring_parts([first, second, third, fourth], x)
    values = [part.evaluate(x)[0][:, 0] for part in found]
    argument, inner = 2 * x[:, 0] - 3 * x[:, 1], WAVE.evaluate(x)[0][:, 0]
    assert len(found) == 2  # the wave, and what is inside of it
    for part in (argument, inner):
        correlations = [abs(np.corrcoef(part, value)[0, 1]) for value in values]
        assert max(correlations) > 0.99999


def test_inputs_and_what_has_no_value_are_no_parts() -> None:
    x = np.random.default_rng(0).uniform(-1, 1, (300, 3))
    linear = Graph(3, (), (({0: 2.0, CONSTANT: 1.0}, ONE),))
    infinite = Graph(3, (Node("sin", ({0: np.inf},)),), (({3: 1.0}, ONE),))
    assert recurring_parts([linear, linear, infinite, infinite], x) == []
    assert recurring_parts([], x) == []

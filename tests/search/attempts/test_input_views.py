import numpy as np
from formulas import ONE, WAVE
from graphs import random_graph

from eqlearn.equation.refine.criterion import Scored
from eqlearn.network.graph import CONSTANT, Graph, Node
from eqlearn.network.transform import joined
from eqlearn.search.attempts.input_views import View, in_all_inputs
from eqlearn.search.prepare import tasks_of
from eqlearn.search.request import Request
from eqlearn.search.task import Task


def task() -> Task:
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, (500, 3))
    inner = np.sin(2 * x[:, 0] - 3 * x[:, 1])
    y = np.sin(2 * inner + x[:, 2]) / (2 + inner)
    return tasks_of(Request(x, y[:, None], seed=0))[0]


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
    data = whole.search_rows()
    found = view.in_full(Scored(narrow, 0.0, 0.0), data, whole.tactics)
    assert found.graph.n_inputs == 3
    assert found.sse / data.n_residuals < 1e-20


def test_without_parts_the_formula_stays_as_it_is() -> None:
    node = Node("sin", ({0: 2.0, CONSTANT: 1.0},))
    fixed, ties = frozenset({(0, 0)}), {(1, 1): ((0, CONSTANT), 2.0)}
    narrow = Graph(1, (node,), (({1: 2.0}, ONE),), fixed, ties)
    data = task().search_rows()
    wide = View((1,)).in_full(Scored(narrow, 3.0, 4.0), data, task().tactics)
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
        assert View.from_document(view.to_document()) == view

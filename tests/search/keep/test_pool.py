"""The pool of formulas: what counts as the same, and what agrees beyond the data."""

import math
from dataclasses import replace

import numpy as np
import pytest
from graphs import ONE

from eqlearn.equation.refine.criterion import Scored, refit
from eqlearn.network.canonical import canonical
from eqlearn.network.graph import CONSTANT, Graph, Linear, Node
from eqlearn.search.keep.pool import Pool, has_pole
from eqlearn.search.prepare import tasks_of
from eqlearn.search.request import Request
from eqlearn.search.task import Task


@pytest.fixture(scope="module")
def task() -> Task:
    rng = np.random.default_rng(0)
    x = rng.uniform(-0.5, 0.5, (500, 1))
    y = np.sin(2 * x) + 0.01 * rng.normal(size=(500, 1))
    return tasks_of(Request(x, y, seed=0))[0]


def sine(above: Linear) -> Graph:
    return Graph(1, (Node("sin", ({0: 1.0},)),), ((above, ONE),))


def cubic() -> Graph:
    """x³ and x: good on the data, off by a third at twice their range."""
    square = Node("multiply", ({0: 1.0}, {0: 1.0}))
    cube = Node("multiply", ({1: 1.0}, {0: 1.0}))
    return Graph(1, (square, cube), (({0: 1.0, 2: -0.1}, ONE),))


def fitted(task: Task, graph: Graph) -> Scored:
    return refit(graph, task.search_rows())


def test_equal_formulas_are_counted_once_each(task: Task) -> None:
    pool = Pool(task)
    for _ in range(3):
        pool.add(fitted(task, sine({1: 1.0})))
    pool.add(fitted(task, cubic()))
    assert sorted(entry.votes for entry in pool.entries) == [1, 3]


def test_a_formula_without_a_value_in_some_row_is_left_out() -> None:
    # A fit goes on where a logarithm ends, and so exp(log(x - 0.3)) is a hinge there.
    x = np.random.default_rng(0).uniform(-1, 1, (200, 1))
    task = tasks_of(Request(x, np.maximum(0.0, x - 0.3), seed=0))[0]
    end = 0.3 / task.x_scale[0]
    nodes = Node("log", ({0: 1.0, CONSTANT: -end},)), Node("exp", ({1: 1.0},))
    found = fitted(task, Graph(1, nodes, (({2: 1.0}, ONE),)))
    assert found.sse < 1e-9
    pool = Pool(task)
    pool.add(found)
    assert pool.entries == []


def test_formulas_that_say_the_same_of_the_domain_agree(task: Task) -> None:
    pool = Pool(task)
    pool.add(fitted(task, sine({1: 1.0})), by_network=True)
    assert pool.n_agreeing() == 1
    # With an idle constant it is another formula, and says the same.
    pool.add(fitted(task, sine({1: 1.0, -1: 0.0})), by_network=True)
    assert len(pool.entries) == 2
    assert pool.n_agreeing() == 2


def test_imitations_do_not_agree_nor_do_sets_of_features_count(task: Task) -> None:
    pool = Pool(task)
    pool.add(fitted(task, sine({1: 1.0})), by_network=True)
    imitation = fitted(task, cubic())
    assert imitation.sse < 1.2 * pool.best.sse
    pool.add(imitation, by_network=True)
    pool.add(fitted(task, sine({1: 1.0, -1: 0.0})))
    assert len(pool.entries) == 3
    assert pool.n_agreeing() == 1


@pytest.mark.parametrize(("shift", "is_pole"), [(0.0, True), (5.0, False)])
def test_a_pole_inside_of_a_unit_is_one_of_the_formula(
    task: Task, shift: float, is_pole: bool
) -> None:
    # tanh(1 / (x + shift)) has a value everywhere but at one point.
    quotient = Node("divide", ({CONSTANT: 1.0}, {0: 1.0, CONSTANT: shift}))
    graph = Graph(1, (quotient, Node("tanh", ({1: 1.0},))), (({2: 1.0}, ONE),))
    assert has_pole(graph, task) == is_pole


def test_the_lead_is_over_what_differs_in_the_domain_of_use(task: Task) -> None:
    pool = Pool(task)
    pool.add(fitted(task, sine({1: 1.0})))
    assert pool.lead() == math.inf
    # With an idle constant it says the same, so that the lead is over the cubic.
    pool.add(fitted(task, sine({1: 1.0, CONSTANT: 0.0})))
    assert pool.lead() == math.inf
    pool.add(fitted(task, cubic()))
    behind = next(e for e in pool.entries if len(e.found.graph.nodes) == 2)
    told = behind.found.bic - pool.best.bic
    gained = pool.gain(pool.entries[0]) - pool.gain(behind)
    assert pool.lead() == pytest.approx(told + gained) and told > 0


def test_simple_constants_are_a_lead(task: Task) -> None:
    """Both of sin(2 x) are simple, in the units of the data; of a cubic, one is."""
    pool = Pool(task)
    for graph in (sine({1: 1.0}), cubic()):
        pool.add(fitted(task, canonical(graph, task.x)))
    law, imitation = pool.entries
    n = task.search_rows().n_residuals
    assert law.found.graph.n_parameters == 2
    assert 0.5 * math.log(n) < pool.gain(law) <= 2 * math.log(n)
    assert pool.gain(imitation) < 0.7 * pool.gain(law)
    # A place of a pole that simple constants give is no doubt; a long formula is not
    # looked at.
    again = replace(law, has_pole=True, gains=None)
    by = task.strategy.pooling
    relief = by.pole_charge - by.simple_pole_charge
    assert pool.gain(again) == pytest.approx(pool.gain(law) + relief)
    assert (pool.n_odd(law), pool.n_odd(imitation)) == (0, 1)
    short = replace(task.strategy.pooling, most_simple=1)
    strategy = replace(task.strategy, pooling=short)
    assert Pool(replace(task, strategy=strategy)).gain(replace(law, gains=None)) == 0.0


def test_a_lead_may_be_over_formulas_of_a_size_only(task: Task) -> None:
    pool = Pool(task)
    line, bent = Graph(1, (), (({0: 1.0}, ONE),)), cubic()
    for graph in (sine({1: 1.0}), line, bent):
        pool.add(fitted(task, graph))
    worth = {
        e.found.graph.n_parameters: e.found.bic - pool.gain(e) for e in pool.entries[1:]
    }
    short, long = sorted(worth)
    ahead = pool.best.bic - pool.gain(pool.entries[0])
    assert pool.entries[1].found.graph.n_parameters == long
    assert pool.lead() == pytest.approx(worth[long] - ahead)
    assert pool.lead(long) == pool.lead()
    assert pool.lead(long - 1) == pytest.approx(worth[short] - ahead)
    assert pool.lead(short - 1) == math.inf


#: x² and x⁴, as units of one input.
SQUARE = Node("multiply", ({0: 1.0}, {0: 1.0}))
FOURTH = Node("multiply", ({1: 1.0}, {1: 1.0}))


def in_one_form(task: Task, graph: Graph) -> Scored:
    data = task.search_rows()
    return refit(canonical(graph, data.x), data)


def test_a_formula_in_other_clothes_is_the_same_and_the_plainest_is_kept(
    task: Task,
) -> None:
    pool = Pool(task)
    square = in_one_form(task, Graph(1, (SQUARE,), (({1: 1.0}, ONE),)))
    as_root = Graph(1, (SQUARE, FOURTH, Node("sqrt", ({2: 1.0},))), (({3: 1.0}, ONE),))
    dressed = refit(replace(as_root, fixed=FIXED), task.search_rows())
    assert dressed.graph.n_parameters == square.graph.n_parameters == 1
    pool.add(dressed)
    pool.add(square, by_network=True)
    (entry,) = pool.entries
    assert (entry.votes, entry.n_networks) == (2, 1)
    assert entry.found.graph.nodes == square.graph.nodes


#: All weights of the root of x⁴ but the last.
FIXED = frozenset({(0, 0), (1, 0), (2, 1), (3, 1), (4, 2), (6, CONSTANT)})


def test_formulas_that_leave_as_much_but_differ_are_two(task: Task) -> None:
    pool = Pool(task)
    line = in_one_form(task, Graph(1, (), (({0: 1.0}, ONE),)))
    square = in_one_form(task, Graph(1, (SQUARE,), (({1: 1.0}, ONE),)))
    assert line.graph.n_parameters == square.graph.n_parameters
    pool.add(line)
    pool.add(square._replace(sse=line.sse, bic=line.bic + 3.0))
    assert len(pool.entries) == 2

"""Which formulas are refined and listed, and what a final fit says of them."""

import math
from dataclasses import replace

import numpy as np
import pytest
from formulas import ONE, formula, sine
from tasks import task_of

from eqlearn.equation.refine.criterion import Scored
from eqlearn.jobs.codec import from_bytes
from eqlearn.network.canonical import canonical
from eqlearn.network.graph import CONSTANT, Graph, Node
from eqlearn.search.keep.final_fits import (
    Candidate,
    criterion_of,
    finalists,
    fit_job,
    front,
    has_pole_in_domain,
    held_out_errors,
    hopefuls,
    pole_charge,
)
from eqlearn.search.keep.pool import Entry
from eqlearn.search.learn import learn
from eqlearn.search.request import Request
from eqlearn.search.strategy import Finals, Pooling
from eqlearn.search.task import Task

LINE = formula(1, {0: 2.0})
WAVE = formula(1, {1: 1.0, 0: 0.5}, sine({0: 3.0}))


def entry(graph: Graph, bic: float, sse: float = 1.0, votes: int = 1) -> Entry:
    return Entry(Scored(graph, sse, bic), votes)


def line_task(n: int = 100, noise: float = 0.0) -> Task:
    """Rows of y = 2x + 1, in order, with noise of alternating sign."""
    x = np.linspace(0, 1, n)[:, None]
    wiggle = noise * (-1.0) ** np.arange(n)
    return task_of(x, 2 * x[:, 0] + 1 + wiggle)


def finished(task: Task, graph: Graph) -> Candidate:
    job = fit_job(0, 0, entry(graph, 0.0, votes=4), "0", stays_local=False)
    return Candidate.from_document(
        from_bytes(job.segment(task, job.specification, None).state)
    )


def test_finalists_are_the_best_few_that_are_not_far_behind() -> None:
    entries = [entry(LINE, bic) for bic in (-100.0, -90.0, -61.0, -59.0, 0.0)]
    assert finalists(entries, Finals(n=5, margin=40.0)) == entries[:3]
    assert finalists(entries, Finals(n=2, margin=40.0)) == entries[:2]


def test_the_front_has_what_no_smaller_formula_explains_as_well() -> None:
    small, large = entry(LINE, 0.0, sse=5.0), entry(WAVE, 0.0, sse=1.0)
    worse = entry(WAVE, 0.0, sse=7.0)  # larger than the line, and explains less
    assert front([large, worse, small], [], Finals()) == [small, large]
    # What is listed anyway is not listed again.
    assert front([large, worse, small], [small], Finals()) == [large]
    assert front([large, worse, small], [], Finals(n_front=1)) == [small]


def test_a_final_fit_finds_the_constants_and_snaps_them() -> None:
    found = finished(line_task(noise=0.01), formula(1, {0: 1.9, -1: 1.1}))
    values = sorted(constant.value for constant in found.constants)
    assert values == pytest.approx([1.0, 2.0], abs=0.01)
    assert found.snapped.outputs[0][0] == {0: 2.0, -1: 1.0}
    assert found.rms == pytest.approx(0.01, rel=0.05)
    assert (found.votes, found.has_pole) == (4, False)


def test_a_pole_in_the_domain_of_use_is_charged() -> None:
    task = line_task()  # to be used from -0.5 to 1.5
    clear, pole = (
        Graph(1, (), (({0: 2.0, -1: 1.0}, {0: w, -1: 1.0}),)) for w in (0.1, 5.0)
    )
    assert not has_pole_in_domain(task, clear)
    assert has_pole_in_domain(task, pole)
    by = task.strategy.pooling
    there, elsewhere = finished(task, pole), finished(task, clear)
    assert (there.has_pole, elsewhere.has_pole) == (True, False)
    rows = task.rows()
    for found, graph, charge in ((there, pole, by.pole_charge), (elsewhere, clear, 0)):
        plain = criterion_of(task, graph, task.strategy.finals.n_iterations)
        assert found.bic <= plain + charge
        assert rows.n_residuals == 100


def test_what_goes_through_one_wild_value_explains_no_more_than_the_mean() -> None:
    rng = np.random.default_rng(0)
    x = np.sort(rng.uniform(0, 1, 300))
    noise = rng.standard_normal(300)
    noise[150] += 30.0
    # (0.1 + a x) / (1 + b x) with its pole beside that row.
    zero = x[150] + 1e-5
    through = Graph(1, (), (({0: -0.1 / zero, -1: 0.101}, {0: -1.0 / zero, -1: 1.0}),))
    line = Graph(1, (), (({0: 3.0, -1: 1.0}, ONE),), frozenset({(1, -1)}))
    mean = Graph(1, (), (({-1: 0.5}, ONE),), frozenset({(1, -1)}))
    alone = task_of(x[:, None], noise)
    assert finished(alone, mean).bic < finished(alone, through).bic
    left = noise - finished(alone, through).graph.evaluate(x[:, None])[0][:, 0]
    assert np.sum(left**2) < 0.5 * np.sum((noise - noise.mean()) ** 2)
    # A law that the other rows show as well is none the worse for it.
    shown = task_of(x[:, None], 6.0 * x + noise)
    assert finished(shown, line).bic < finished(shown, mean).bic


@pytest.mark.parametrize(
    ("free", "is_simple"),
    [
        ({(0, 0), (1, 0)}, False),  # x over x plus a constant that is fitted
        ({(0, 0)}, True),  # a constant times x over 1 - x
        (set(), True),
    ],
)
def test_a_pole_costs_less_where_simple_constants_put_it(
    free: set[tuple[int, int]], is_simple: bool
) -> None:
    graph = Graph(1, (), (({0: 2.0}, {0: -1.0, CONSTANT: 1.0}),))
    bound = {key for key, _ in graph.connections()} - free
    graph = replace(graph, fixed=frozenset(bound))
    by = Pooling()
    charge = by.simple_pole_charge if is_simple else by.pole_charge
    assert pole_charge(graph, by) == charge


def test_what_is_inside_of_a_logarithm_may_put_its_end_anywhere() -> None:
    # log(a x + 1) with a fitted, and with a = 1.
    node = Node("log", ({0: 1.0, CONSTANT: 1.0},))
    graph = Graph(1, (node,), (({1: 3.0}, ONE),))
    by, simple = Pooling(), frozenset({(0, 0), (0, CONSTANT), (2, CONSTANT)})
    assert pole_charge(replace(graph, fixed=simple), by) == by.simple_pole_charge
    free = simple - {(0, 0)}
    assert pole_charge(replace(graph, fixed=free), by) == by.pole_charge


def test_hopefuls_would_be_ahead_if_their_constants_were_simple() -> None:
    task = line_task(noise=0.01)
    criterion, n = task.tactics.criterion, task.search_rows().n_residuals
    worth = criterion.cost(n) - 2.0 * math.log(criterion.n_alternatives)
    worth *= LINE.n_parameters
    best, near = entry(LINE, -100.0), entry(LINE, -100.0 + 0.9 * worth)
    far, chosen = entry(LINE, -100.0 + 1.1 * worth), entry(LINE, -99.0)
    pole = entry(LINE, -100.0 + 1.1 * worth)
    pole.has_pole = True  # and perhaps where a law ends
    found = hopefuls([best, chosen, near, far, pole], [best, chosen], task)
    assert found == [pole, near]


def test_hopefuls_are_those_whose_constants_are_simple_not_those_with_many() -> None:
    """m/√(1 - b²) is behind all its imitations until its constants are seen to be 1."""
    task = line_task(noise=0.01)
    few = replace(task.strategy.finals, n_hopeful=1)
    task = replace(task, strategy=replace(task.strategy, finals=few))
    simple = formula(1, {0: 2.001, -1: 0.999})
    long = formula(1, {1: 0.317, 0: 1.683, -1: 1.117}, sine({0: 1.234, -1: 0.222}))
    best = entry(LINE, -100.0)
    law, imitation = entry(simple, -99.0), entry(long, -99.5)
    assert hopefuls([best, imitation, law], [best], task) == [law]


def test_a_logarithm_of_one_and_more_has_no_constant_beside_it() -> None:
    x = np.linspace(0.0, 12.0, 200)[:, None]
    wiggle = 0.02 * np.random.default_rng(0).normal(size=200)
    task = task_of(x, 1.7 * np.log1p(x[:, 0] / 0.6) + wiggle)
    log = Node("log", ({0: 1.0, -1: 0.6},))
    found = finished(task, canonical(formula(1, {1: 1.7, -1: 0.87}, log), x))
    assert found.graph.n_parameters == 3
    assert found.snapped.n_parameters == 2
    (inside,) = found.snapped.nodes[0].arguments
    assert inside[-1] == 1.0


def test_errors_are_measured_on_rows_that_the_fit_did_not_see() -> None:
    # Ninety rows of 0, and the last ten of 1: the fit to the first has a mean of 0.
    y = np.r_[np.zeros(90), np.ones(10)]
    task = task_of(np.linspace(0, 1, 100)[:, None], y)
    mean = formula(1, {-1: 0.5})
    errors = held_out_errors(task, mean)
    assert errors == {"validation": pytest.approx(1.0), "extrapolation": None}
    # The first rows are far points: fitted without them, the mean is 0 again.
    far = replace(task_of(task.x, y[::-1].copy()), n_far=10)
    assert held_out_errors(far, mean)["extrapolation"] == pytest.approx(1.0)


def test_a_candidate_is_read_back_from_its_document() -> None:
    found = finished(line_task(noise=0.01), formula(1, {0: 1.9, -1: 1.1}))
    again = replace(found, extrapolation=0.25, n_connected=3, bic=-math.inf)
    assert Candidate.from_document(again.to_document()) == again


def test_a_mean_is_nothing_and_a_formula_is_something() -> None:
    found = finished(line_task(), formula(1, {0: 2.0, -1: 1.0}))
    assert found.is_something
    mean = Graph(1, (), (({-1: 3.0}, ONE),))
    assert not replace(found, graph=mean).is_something
    assert found.with_votes(found).votes == 8


def test_by_a_robust_loss_wild_rows_have_no_part_in_a_final_fit() -> None:
    rng = np.random.default_rng(0)
    x = rng.uniform(0, 1, (300, 1))
    clean = 2 * x[:, 0] + 1 + 0.01 * rng.standard_normal(300)
    wild = np.where(np.arange(300) < 12, 9.0, clean)
    line = formula(1, {0: 1.9, CONSTANT: 1.1})
    plain = finished(task_of(x[12:], clean[12:]), line)
    for loss in ("huber", "absolute"):
        found = finished(replace(task_of(x, wild), loss=loss), line)
        assert found.rms == pytest.approx(plain.rms, rel=0.02)
        assert found.validation == pytest.approx(plain.validation, rel=0.5)
        values = [one.value for one in found.constants]
        expected = [one.value for one in plain.constants]
        assert values == pytest.approx(expected, abs=0.005)
        assert found.relative is None


def test_by_a_relative_loss_the_error_is_a_share_of_the_value() -> None:
    rng = np.random.default_rng(1)
    x = np.exp(rng.uniform(-3, 3, (400, 1)))
    y = 2 * x[:, 0] * (1 + 0.05 * rng.standard_normal(400))
    task = replace(task_of(x, y), loss="relative")
    found = finished(task, formula(1, {0: 1.9}))
    assert found.relative == pytest.approx(0.05, rel=0.1)
    assert found.constants[0].error == pytest.approx(2 * 0.05 / 20, rel=0.15)


def test_a_formula_without_a_value_is_no_candidate() -> None:
    """exp(log(x - 0.3)) is not max(x - 0.3, 0), though a floor makes it so."""
    x = np.linspace(-2, 2, 100)[:, None]
    hinge = formula(
        1, {2: 1.0}, Node("log", ({0: 1.0, CONSTANT: -0.3},)), Node("exp", ({1: 1.0},))
    )
    assert finished(task_of(x, np.maximum(x[:, 0] - 0.3, 0)), hinge).bic == math.inf


def test_a_bell_of_a_logarithm_has_no_scale_in_it() -> None:
    x = np.random.default_rng(0).uniform(0.2, 12.0, (200, 1))
    y = 3 / x * np.exp(-((np.log(x) - 0.5) ** 2) / 0.72)
    y += 0.01 * np.std(y) * np.random.default_rng(1).normal(size=y.shape)
    (found,) = learn(Request(x, y, jobs=1))
    best = found.candidates[0].snapped
    (log,) = (node for node in best.nodes if node.unit == "log")
    assert log.arguments == ({0: 1.0},)

"""Waves in every place and at every frequency, and formulas that grow by them."""

import numpy as np
import pytest
from unordered import Workers

from eqlearn.equation.refine.criterion import Scored, refit
from eqlearn.equation.refine.grow import FEW_ADDITIONS, Growth, grow
from eqlearn.equation.refine.hill_climb import Move, improve, propose
from eqlearn.equation.refine.waves import added_plane_waves, added_waves, waves_for_sums
from eqlearn.jobs.job import read
from eqlearn.jobs.runner import run
from eqlearn.jobs.store import Memory
from eqlearn.network.canonical import canonical
from eqlearn.network.graph import CONSTANT, Graph, Linear, Node
from eqlearn.search import fast_plan as fast
from eqlearn.search.attempts.growths import (
    CUT_BACK_TO,
    MOST_PARAMETERS,
    grown_in,
    growth,
    growth_job,
)
from eqlearn.search.fast_plan import FastPlan, Known
from eqlearn.search.keep.finishing import Target
from eqlearn.search.keep.pool import Pool, nothing
from eqlearn.search.learn import tasks_of
from eqlearn.search.task import Task, scored_from
from eqlearn.training.samples import Samples, samples

NOISE = 0.01
ONE = {CONSTANT: 1.0}


def multiply(first: Linear, second: Linear) -> Node:
    return Node("multiply", (first, second))


def sine(linear: Linear) -> Node:
    return Node("sin", (linear,))


def formula(n: int, above: Linear, *nodes: Node, below: Linear = ONE) -> Graph:
    """Write y = above / below in n inputs and the given units, numbered on from n."""
    return Graph(n, nodes, ((above, below),))


def table_of(truth: Graph, n: int = 800) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, (n, truth.n_inputs))
    y = truth.evaluate(x)[0]
    return x, y + NOISE * rng.normal(size=y.shape)


def fitted(graph: Graph, data: Samples) -> Scored:
    return refit(canonical(graph, data.x), data, n_iterations=50)


def is_as_good(found: Scored, truth: Graph, data: Samples) -> bool:
    return found.bic < fitted(truth, data).bic + 1.0


FAST = sine({0: 9.0, CONSTANT: 0.4})
#: What is there, and the truth that differs from it by one fast sine somewhere.
MISSING = {
    "above": (formula(2, {1: 1.0}), formula(2, {1: 1.0, 2: 0.5}, FAST)),
    "below": (
        formula(2, {1: 1.0, CONSTANT: 2.0}),
        formula(2, {1: 1.0, CONSTANT: 2.0}, FAST, below={CONSTANT: 1.0, 2: 0.3}),
    ),
    "inside a sine": (
        formula(2, {2: 1.0}, sine({1: 3.0})),
        formula(2, {3: 1.0}, FAST, sine({1: 3.0, 2: 0.5})),
    ),
    "inside a product": (
        formula(2, {2: 1.0}, multiply({0: 1.0, CONSTANT: 2.0}, {1: 1.0})),
        formula(2, {3: 1.0}, FAST, multiply({0: 1.0, CONSTANT: 2.0, 2: 0.4}, {1: 1.0})),
    ),
    "of a unit": (
        formula(2, {2: 1.0}, sine({1: 2.0})),
        formula(2, {2: 1.0, 3: 0.5}, sine({1: 2.0}), sine({2: 7.0, CONSTANT: 0.3})),
    ),
    "of a sum": (
        formula(2, {2: 1.0}, sine({0: 1.0, 1: 2.0})),
        formula(2, {2: 1.0, 3: 0.5}, sine({0: 1.0, 1: 2.0}), sine({0: 5.0, 1: 10.0})),
    ),
    "of a product": (
        formula(2, {1: 1.0}),
        formula(2, {1: 1.0, 3: 0.5}, multiply({0: 1.0}, {1: 1.0}), sine({2: 9.0})),
    ),
}


@pytest.mark.parametrize("where", MISSING)
def test_a_fast_sine_is_found_wherever_it_is_missing(where: str) -> None:
    start, truth = MISSING[where]
    data = samples(*table_of(truth))
    best = fitted(start, data)
    assert not is_as_good(best, truth, data)
    assert is_as_good(improve(best, data, [added_waves]), truth, data)


def test_the_wave_proposed_first_has_nearly_the_right_constants() -> None:
    start, truth = MISSING["above"]
    data = samples(*table_of(truth))
    first = next(propose(fitted(start, data).graph, data, [added_waves]))
    assert first.graph is not None
    unit = first.graph.nodes[0].arguments[0]
    # Neighbouring frequencies differ by half a turn over the range.
    assert unit[0] == pytest.approx(9.0, abs=np.pi / 4)
    assert first.graph.outputs[0][0][2] == pytest.approx(0.5, abs=0.2)
    assert first.n_tried > 100


def test_a_sine_of_two_products_is_found_at_once() -> None:
    pairs = multiply({0: 1.0}, {1: 1.0}), multiply({1: 1.0}, {2: 1.0})
    truth = formula(3, {0: 1.0, 5: 0.7}, *pairs, sine({3: 8.0, 4: -6.0}))
    data = samples(*table_of(truth))
    best = fitted(formula(3, {0: 1.0}), data)
    assert not is_as_good(improve(best, data, [added_waves]), truth, data)
    assert is_as_good(improve(best, data, [added_plane_waves]), truth, data)


@pytest.mark.parametrize("move", [added_waves, added_plane_waves, waves_for_sums])
@pytest.mark.parametrize("seed", range(5))
def test_the_truth_is_left_alone(move: Move, seed: int) -> None:
    truth = MISSING["inside a sine"][1]
    rng = np.random.default_rng(seed)
    x = rng.uniform(-1, 1, (200, 2))
    y = truth.evaluate(x)[0]
    data = samples(x, y + NOISE * rng.normal(size=y.shape))
    best = fitted(truth, data)
    assert improve(best, data, [move]).graph.n_parameters <= best.graph.n_parameters


def test_one_wave_takes_the_place_of_a_series_inside_a_sine() -> None:
    # sin(4 x2 + 3 cos 2x1), the cosine as far as its fourth power.
    truth = formula(2, {3: 1.0}, sine({0: 2.0, CONSTANT: np.pi / 2}),
                    sine({1: 4.0, 2: 3.0}))  # fmt: skip
    square, fourth = multiply({0: 1.0}, {0: 1.0}), multiply({2: 1.0}, {2: 1.0})
    series = {1: 4.0, CONSTANT: 3.0, 2: -5.9, 3: 1.7}
    start = formula(2, {4: 1.0}, square, fourth, sine(series))
    data = samples(*table_of(truth))
    best = fitted(start, data)
    assert not is_as_good(best, truth, data)
    assert is_as_good(improve(best, data, [waves_for_sums]), truth, data)


def test_weights_of_samples_count() -> None:
    # Half of the samples, which count for nothing, follow another wave.
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, (800, 2))
    is_other = np.arange(800) % 2 == 1
    y = x[:, 1] + np.sin(np.where(is_other, 15.0, 9.0) * x[:, 0])
    data = samples(x, y[:, None], weight=np.where(is_other, 1e-9, 1.0))
    first = next(propose(fitted(formula(2, {1: 1.0}), data).graph, data, [added_waves]))
    assert first.graph is not None
    frequency = abs(first.graph.nodes[0].arguments[0][0])
    assert frequency == pytest.approx(9.0, abs=np.pi / 4)


#: 0.8 sin(2.5 sin 2x1 + 3 x2) / (1 + 0.4 cos(5 x1 x2)): found by growing from x2.
NESTED = formula(
    2,
    {3: 0.8},
    sine({0: 2.0}),
    sine({1: 3.0, 2: 2.5}),
    multiply({0: 1.0}, {1: 1.0}),
    sine({4: 5.0, CONSTANT: np.pi / 2}),
    below={CONSTANT: 1.0, 5: 0.4},
)
START = formula(2, {2: 0.5}, sine({1: 3.0}))


def nested() -> Task:
    return tasks_of(*table_of(NESTED), seed=0)[0]


def test_functions_within_functions_grow() -> None:
    data = samples(*table_of(NESTED))
    best = fitted(START, data)
    found = grow(Growth(best, best), data).best
    error = np.sqrt(found.sse / data.n_residuals)
    assert error < 1.2 * NOISE
    x = np.random.default_rng(1).uniform(-2, 2, (500, 2))
    outside = found.graph.evaluate(x)[0] - NESTED.evaluate(x)[0]
    assert np.sqrt(np.mean(outside**2)) < 3 * NOISE


def test_growth_cut_after_every_addition_ends_alike() -> None:
    data = samples(*table_of(NESTED))
    best = fitted(START, data)
    whole = grow(Growth(best, best), data, FEW_ADDITIONS)
    at, n_cuts = Growth(best, best), 0
    while not at.is_done:
        at = grow(at, data, FEW_ADDITIONS, is_over=lambda: True)
        n_cuts += 1
    assert at == whole
    assert n_cuts == whole.n_additions > 3


def test_a_growth_that_is_cut_short_counts_for_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("eqlearn.jobs.job.SEGMENT_SECONDS", 0.0)
    task, job = nested(), growth_job(0, 7, START, with_planes=True)
    step = growth(task, job.specification, None)
    assert (step.is_done, grown_in(step.state)) == (False, None)
    while not step.is_done:
        step = growth(task, job.specification, step.state)
    assert grown_in(step.state) is not None


def test_a_formula_that_stays_is_no_witness_of_itself() -> None:
    job = growth_job(0, 6, NESTED, with_planes=False)
    step = growth(nested(), job.specification, None)
    assert step.is_done
    assert grown_in(step.state) is None


def test_a_large_formula_is_cut_back_before_it_grows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("eqlearn.jobs.job.SEGMENT_SECONDS", 0.0)
    rng, task = np.random.default_rng(4), nested()
    nodes = [multiply(ONE | {0: w}, ONE | {1: v}) for w, v in rng.normal(size=(9, 2))]
    idle = dict.fromkeys(range(4, 13), 0.01)
    large = formula(2, {3: 0.8, **idle}, *NESTED.nodes[:2], *nodes)
    assert large.n_parameters > MOST_PARAMETERS
    job = growth_job(0, 11, large, with_planes=False)
    step = growth(task, job.specification, None)
    begun = scored_from(read(step.state)["best"])
    assert begun.graph.n_parameters <= CUT_BACK_TO
    while not step.is_done:
        step = growth(task, job.specification, step.state)
    found = grown_in(step.state)
    assert found is not None
    assert is_as_good(found, NESTED, task.compared())


def test_no_waves_are_added_to_so_few_rows_that_some_would_fit() -> None:
    rng = np.random.default_rng(0)
    data = samples(rng.uniform(-1, 1, (40, 20)), rng.normal(size=(40, 1)))
    start = fitted(formula(20, {0: 1.0}), data).graph
    for move in (added_waves, added_plane_waves):
        assert list(propose(start, data, [move])) == []


def test_what_grows_does_not_depend_on_the_number_of_workers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(fast, "BEFORE_GROWTH", 1)
    task, found, grown = nested().first(100), [], []
    for n_workers in (1, 3):
        pool = Pool(task)
        pool.add(nothing(task, task.compared()))
        workers = Workers(n_workers, data={"0": task})
        plan = FastPlan(Target(0, pool, "0", False, refine=False), most_attempts=40)
        run([plan], workers, Memory())
        found.append([entry.found for entry in pool.entries])
        grown.append({name for name in workers.started if "/grow/" in name})
    assert found[0] == found[1]
    assert grown[0] <= grown[1]  # some may have been begun in vain
    assert len(grown[0]) > 1


def test_if_none_has_the_size_whose_turn_it_is_another_grows() -> None:
    task = nested()
    pool = Pool(task)
    pool.add(nothing(task, task.compared()))
    plan = FastPlan(Target(0, pool, "0", False))
    known = Known(1.0, ((0, 1),), seeds=(NESTED,))
    plan._sown = {8: START, 11: formula(2, {0: 1.0})}  # next would be a large one
    assert plan._seed(13, known) is NESTED


def test_formulas_that_differ_by_little_do_not_both_grow() -> None:
    task = nested()
    pool = Pool(task)
    pool.add(nothing(task, task.compared()))
    plan = FastPlan(Target(0, pool, "0", False))
    seeds = [formula(2, {2: 0.51}, sine({1: 3.0})), formula(2, {0: 1.0})]
    known = Known(1.0, ((0, 1),), seeds=tuple(seeds))
    index = 11
    assert plan._seed(index, known) is seeds[0]
    plan._sown[index - 3] = START
    assert plan._seed(index, known) is seeds[1]
    assert plan._seed(index, known._replace(seeds=tuple(seeds[:1]))) is seeds[0]

"""Formulas of the pool that grow, and which of them do."""

from dataclasses import replace

import numpy as np
import pytest
from formulas import NESTED, ONE, START, formula, is_as_good, multiply, sine, table_of
from tasks import target_of
from unordered import Workers

from eqlearn.equation.refine.criterion import Scored
from eqlearn.jobs.codec import from_bytes
from eqlearn.jobs.runner import run
from eqlearn.jobs.store import Memory
from eqlearn.search.attempts.growths import GrowthSeeds, grown_in, growth, growth_job
from eqlearn.search.fast_plan import FastPlan
from eqlearn.search.prepare import tasks_of
from eqlearn.search.request import Request
from eqlearn.search.strategy import STANDARD, Finals, Growths
from eqlearn.search.task import Task

BY = STANDARD.growths


def nested() -> Task:
    return tasks_of(Request(*table_of(NESTED), seed=0))[0]


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
    assert large.n_parameters > BY.most_parameters
    job = growth_job(0, 11, large, with_planes=False)
    step = growth(task, job.specification, None)
    begun = Scored.from_document(from_bytes(step.state)["best"])
    assert begun.graph.n_parameters <= BY.cut_back_to
    while not step.is_done:
        step = growth(task, job.specification, step.state)
    found = grown_in(step.state)
    assert found is not None
    assert is_as_good(found, NESTED, task.search_rows())


def test_what_grows_does_not_depend_on_the_number_of_workers() -> None:
    # Formulas grow where no test says that nothing is left to explain; nothing is
    # refined afterwards: that is another test's, and takes a minute.
    untold = replace(STANDARD.residuals, fewest_of_all=1000)
    strategy = replace(
        STANDARD, growths=Growths(before=1), finals=Finals(n=0), residuals=untold
    )
    task = replace(nested().first(100), strategy=strategy)
    found, grown = [], []
    for n_workers in (1, 3):
        target = target_of(task)
        workers = Workers(n_workers, data={"0": task})
        run([FastPlan(target, max_attempts=40)], workers, Memory())
        found.append([entry.found for entry in target.pool.entries])
        grown.append({name for name in workers.started if "/grow/" in name})
    assert found[0] == found[1]
    assert grown[0] <= grown[1]  # some may have been begun in vain
    assert len(grown[0]) > 1


def test_two_of_five_batches_are_growths_once_eight_were_made() -> None:
    seeds, turns = GrowthSeeds(), Growths(before=8, turns=(1, 3), of_batches=5)
    assert [i for i in range(20) if seeds.is_turn(i, turns)] == [8, 11, 13, 16, 18]


def test_a_seed_is_remembered_by_the_batch_whose_place_it_takes() -> None:
    seeds = GrowthSeeds().sow(8, START).sow(11, NESTED)
    assert (seeds.at(8), seeds.at(9), seeds.at(11)) == (START, None, NESTED)
    # Asked for again, as after an interruption, it is still one growth.
    assert len(seeds.sow(11, NESTED).sown) == 2


def test_sizes_of_seeds_take_turns() -> None:
    data = nested().search_rows()
    small, large = formula(2, {0: 1.0}), formula(2, dict.fromkeys(range(2), 1.0))
    turns = Growths(most_parameters=2, largest=100, small=2)
    others = [(k, formula(2, {2: 1.0}, sine({1: 7.0 + k}))) for k in range(2)]
    assert GrowthSeeds().next_seed(9, [large, small], data, turns) is small
    assert GrowthSeeds(tuple(others)).next_seed(9, [small, large], data, turns) is large


def test_if_none_has_the_size_whose_turn_it_is_another_grows() -> None:
    data = nested().search_rows()
    seeds = GrowthSeeds(((8, START), (11, formula(2, {0: 1.0}))))  # next is a large one
    assert seeds.next_seed(13, [NESTED], data, BY) is NESTED


def test_what_was_sown_or_is_too_large_does_not_grow() -> None:
    data = nested().search_rows()
    assert GrowthSeeds(((8, NESTED),)).next_seed(11, [NESTED], data, BY) is None
    assert GrowthSeeds().next_seed(8, [NESTED], data, Growths(largest=3)) is None
    assert GrowthSeeds().next_seed(8, [], data, BY) is None


def test_formulas_that_differ_by_little_do_not_both_grow() -> None:
    data = nested().search_rows()
    alike, other = formula(2, {2: 0.51}, sine({1: 3.0})), formula(2, {0: 1.0})
    assert GrowthSeeds().next_seed(11, [alike, other], data, BY) is alike
    seeds = GrowthSeeds(((8, START),))
    assert seeds.next_seed(11, [alike, other], data, BY) is other
    assert seeds.next_seed(11, [alike], data, BY) is alike

"""Cutting a climb, and every other chain of segments, changes nothing."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from tasks import target_of
from unordered import Workers

from eqlearn.equation.refine.criterion import Scored, refit, score
from eqlearn.equation.refine.hill_climb import Trial, improve, try_proposals
from eqlearn.equation.refine.moves import ALL
from eqlearn.equation.refine.score_test import added_terms
from eqlearn.equation.refine.tactics import STANDARD, Patience
from eqlearn.jobs import job as jobs
from eqlearn.jobs.job import Job, Stage
from eqlearn.jobs.runner import run
from eqlearn.jobs.serial import Backend, Serial
from eqlearn.jobs.store import Memory
from eqlearn.network.canonical import canonical
from eqlearn.network.graph import CONSTANT, Graph, Node
from eqlearn.search.fast_plan import FastPlan
from eqlearn.search.keep.refinement import Refinement, patience_for
from eqlearn.search.prepare import tasks_of
from eqlearn.search.request import Request
from eqlearn.search.strategy import Finals, RowCounts, Strategy
from eqlearn.search.task import Task
from eqlearn.training.levenberg import fit
from eqlearn.training.samples import Samples, samples

ONE = {CONSTANT: 1.0}
PLAIN = Strategy()
#: A first guess at sin(2x) (1 + 0.5 y) / (1 + 0.3 z), some moves away from it.
START = Graph(3, (Node("sin", ({0: 1.8},)),), (({3: 1.0}, ONE),))


def patience(strategy: Strategy = PLAIN) -> Patience:
    return patience_for(START.n_parameters, strategy)


def table() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, (300, 3))
    y = np.sin(2 * x[:, 0]) * (1 + 0.5 * x[:, 1]) / (1 + 0.3 * x[:, 2])
    return x, (y + 0.01 * rng.normal(size=len(x)))[:, None]


def start(data: Samples) -> Scored:
    graph, sse, _ = fit(canonical(START, data.x), data)
    return score(graph, sse, data)


@pytest.mark.parametrize(("is_at_the_top", "most"), [(False, 600), (True, 23)])
def test_a_round_cut_after_every_proposal_finds_the_same(
    is_at_the_top: bool, most: int
) -> None:
    data = samples(*table())
    best = improve(start(data), data, ALL) if is_at_the_top else start(data)
    whole = try_proposals(best, data, ALL, most=most)
    at, n_cuts = Trial(), 0
    while not at.is_over:
        at = try_proposals(best, data, ALL, most=most, state=at, is_late=lambda: True)
        n_cuts += 1
    assert at == whole
    assert n_cuts >= whole.n
    assert whole.n == most if is_at_the_top else whole.better is not None


def test_parts_of_a_round_are_the_round() -> None:
    data = samples(*table())
    best = improve(start(data), data, ALL)  # nothing is better
    whole = try_proposals(best, data, ALL, most=STANDARD.climbing.n_proposals)
    assert (whole.better, whole.has_more) == (None, False)
    parts = [
        try_proposals(best, data, ALL, first=first, most=10)
        for first in range(0, whole.n + 1, 10)
    ]
    assert [part.n for part in parts[:-1]] == [10] * (whole.n // 10)
    assert sum(part.n for part in parts) == whole.n
    assert [part.has_more for part in parts] == [True] * (len(parts) - 1) + [False]


def test_terms_of_one_score_test_are_compared_beyond_the_end_of_a_part() -> None:
    data = samples(*table())
    best = start(data)
    whole = try_proposals(best, data, [added_terms], most=STANDARD.climbing.n_proposals)
    assert whole.n > 1 and whole.better is not None
    cut = try_proposals(best, data, [added_terms], most=1)
    assert cut == whole


def task(strategy: Strategy = PLAIN) -> Task:
    (one,) = tasks_of(Request(*table(), seed=0, strategy=strategy))
    return one


def finished(job: Job, data: Task | None = None) -> tuple[bytes, int]:
    """The last state of a job, and how many segments it took."""
    state, n_segments, is_done = None, 0, False
    while not is_done:
        state, is_done, _ = job.segment(data or task(), job.specification, state)
        n_segments += 1
    assert state is not None
    return state, n_segments


def attempts_job(index: int) -> Job:
    # Without a survey, attempts come first.
    first = next(FastPlan(target_of(replace(task(), survey_units=()))).stages())
    assert isinstance(first, Stage)
    job = first.job(index)
    assert job is not None
    return job


def pruned_first() -> Iterator[Stage]:
    """The stages of a refinement after the first."""
    stages = Refinement("y1/refine/0", "0", task(), START, 1.0, patience()).stages()
    pruning = next(stages)
    prune = pruning.job(0)
    assert prune is not None
    pruning.take(0, finished(prune)[0])
    return stages


def round_job() -> Job:
    """A part of the first round of a refinement."""
    job = next(pruned_first()).job(0)
    assert job is not None
    return job


@pytest.mark.parametrize("name", ["round", "attempts/0", "attempts/2"])
def test_short_segments_leave_what_one_long_one_leaves(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = round_job() if name == "round" else attempts_job(int(name[-1]))
    monkeypatch.setattr(jobs, "SEGMENT_SECONDS", 1e9)
    whole, n_whole = finished(job)
    monkeypatch.setattr(jobs, "SEGMENT_SECONDS", -1.0)
    cut, n_cut = finished(job)
    assert cut == whole
    assert n_whole == 1 < n_cut


def refined(
    backend: Backend,
    time_limit: float | None = None,
    strategy: Strategy = PLAIN,
) -> Scored:
    plan = Refinement(
        "y1/refine/0", "0", task(strategy), START, 1.0, patience(strategy)
    )
    run([plan], backend, Memory(), time_limit=time_limit)
    return plan.found()


def test_a_refinement_comes_to_the_same_top_whoever_tries_which_proposals() -> None:
    small = Strategy(finals=Finals(job_size=60))
    one = Workers(1, data={"0": task(small)})
    alone = refined(one, strategy=small)
    assert alone.bic < start(task().search_rows()).bic - 500
    for last in (lambda jobs: jobs[0], lambda jobs: jobs[-1]):
        workers = Workers(3, last, data={"0": task(small)})
        assert refined(workers, strategy=small) == alone
        assert len(workers.started) > len(one.started)  # beyond what was better


def plan_in_steps(n_stages: int) -> Refinement:
    """A refinement of which so many stages were finished and the next one is cut."""
    few = task(Strategy(rows=RowCounts(refine=100)))
    plan = Refinement("y1/refine/0", "0", few, START, 1.0, patience())
    for _, stage in zip(range(n_stages), plan.stages(), strict=False):
        index, is_over = 0, False
        while not is_over and (job := stage.job(index)) is not None:
            is_over = stage.take(index, finished(job, few)[0])
            index += 1
    return plan


def test_however_far_a_refinement_came_it_is_judged_by_as_many_rows() -> None:
    errors = []
    for n_stages in range(5):
        found = plan_in_steps(n_stages).found()
        again = refit(found.graph, task().rows(), n_iterations=0)
        assert found.sse == pytest.approx(again.sse, rel=1e-6)
        errors.append(found.sse)
    assert errors[-1] < 0.5 * errors[0]


def test_a_part_of_a_round_that_fails_is_no_more_than_that() -> None:
    stages = pruned_first()
    first = next(stages)
    part = first.job(0)
    assert part is not None
    assert not first.take(0, None)
    assert first.take(1, finished(part)[0])  # a better formula counts all the same
    following = next(stages).job(0)
    assert following is not None and "round 2" in following.name


def test_a_refinement_that_is_out_of_time_gives_back_what_it_has() -> None:
    found = refined(Serial({"0": task()}), time_limit=1e-9)
    assert [node.unit for node in found.graph.nodes] == ["sin"]
    assert found.sse < start(task().search_rows()).sse + 1e-6

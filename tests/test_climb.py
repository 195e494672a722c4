"""Cutting a climb, and every other chain of segments, changes nothing."""

import numpy as np
import pytest

from eqlearn.equation.criterion import Scored, score
from eqlearn.equation.improve import Climb, Patience, climb
from eqlearn.equation.moves import ALL
from eqlearn.network.canonical import canonical
from eqlearn.network.graph import CONSTANT, Graph, Node
from eqlearn.search import jobs
from eqlearn.search.fast import FastPlan
from eqlearn.search.finalists import refine_job
from eqlearn.search.finishing import Target
from eqlearn.search.jobs import Job
from eqlearn.search.learn import tasks_of
from eqlearn.search.pool import Pool, nothing
from eqlearn.search.task import N_SEARCH, Task
from eqlearn.training.levenberg import Samples, fit, samples

ONE = {CONSTANT: 1.0}
#: A first guess at sin(2x) (1 + 0.5 y) / (1 + 0.3 z), some moves away from it.
START = Graph(3, (Node("sin", ({0: 1.8},)),), (({3: 1.0}, ONE),))


def table() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, (300, 3))
    y = np.sin(2 * x[:, 0]) * (1 + 0.5 * x[:, 1]) / (1 + 0.3 * x[:, 2])
    return x, (y + 0.01 * rng.normal(size=len(x)))[:, None]


def start(data: Samples) -> Scored:
    graph, sse, _ = fit(canonical(START, data.x), data)
    return score(graph, sse, data)


@pytest.mark.parametrize("patience", [Patience(), Patience(n_proposals=37)])
def test_a_climb_cut_after_every_proposal_comes_to_the_same_top(
    patience: Patience,
) -> None:
    data = samples(*table())
    whole = climb(Climb(start(data)), data, ALL, patience=patience)
    at, n_cuts = Climb(start(data)), 0
    while not at.is_done:
        at = climb(at, data, ALL, patience=patience, is_over=lambda: True)
        n_cuts += 1
    assert at == whole
    assert n_cuts >= min(whole.n_tried, 37)
    assert whole.n_rounds >= 1


def task() -> Task:
    x, y = table()
    (one,) = tasks_of(x, y, domain=None, seed=0, far=None, units=("sin", "multiply"))
    return one


def finished(job: Job) -> tuple[bytes, int]:
    """The last state of a job, and how many segments it took."""
    state, n_segments, is_done = None, 0, False
    while not is_done:
        state, is_done, _ = job.segment(task(), job.specification, state)
        n_segments += 1
    assert state is not None
    return state, n_segments


def attempts_job(index: int) -> Job:
    pool = Pool(task())
    pool.add(nothing(pool.task, pool.task.rows(N_SEARCH)))
    job = next(FastPlan(Target(0, pool, "0", False)).stages()).job(index)
    assert job is not None
    return job


@pytest.mark.parametrize("name", ["refine", "attempts/0", "attempts/2"])
def test_short_segments_leave_what_one_long_one_leaves(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = refine_job(0, 0, START) if name == "refine" else attempts_job(int(name[-1]))
    monkeypatch.setattr(jobs, "SEGMENT_SECONDS", 1e9)
    whole, n_whole = finished(job)
    monkeypatch.setattr(jobs, "SEGMENT_SECONDS", -1.0)
    cut, n_cut = finished(job)
    assert cut == whole
    assert n_whole == 1 < n_cut

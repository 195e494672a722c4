import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from eqlearn.equation.write.symbolic import expressions
from eqlearn.errors import EqlearnError
from eqlearn.jobs import job as jobs
from eqlearn.jobs.job import Job, Stage
from eqlearn.network import units
from eqlearn.search.learn import Found, learn, tasks_of
from eqlearn.search.paper_plan import Grid, PaperPlan, extract, train
from eqlearn.search.task import Task

TINY = Grid(
    l1=(1e-5, 1e-3),
    depths=(2,),
    units=("identity", "multiply"),
    units_per_type=1,
    n_epochs=20,
)


def table() -> tuple[np.ndarray, np.ndarray]:
    x = np.random.default_rng(0).uniform(-1, 1, (100, 2))
    return x, np.stack([2 * x[:, 0] + x[:, 1], x[:, 0]], axis=1)


def formula(found: Found) -> str:
    return str(expressions(found.candidates[0].snapped)[0])


def test_the_papers_grid_has_78_candidates() -> None:
    grid = Grid()
    batches = grid.batches()
    networks = [(depth, l1) for depth, some in batches for l1 in some]
    assert len(networks) == len(set(networks)) == 78
    assert grid.l1[0] == pytest.approx(1e-6) and grid.l1[-1] == pytest.approx(10**-3.5)
    assert {len(some) for _, some in batches} == {grid.n_together}


def test_the_first_batches_span_depths_and_penalties() -> None:
    batches = Grid().batches()
    assert [depth for depth, _ in batches] == [2, 3, 4, 2, 3, 4]
    for _, l1 in batches:
        assert max(l1) / min(l1) > 200


def test_an_uneven_grid_loses_nothing() -> None:
    grid = Grid(l1=(1.0, 2.0, 3.0, 4.0, 5.0), depths=(2, 3), n_together=2)
    networks = sorted((depth, l1) for depth, some in grid.batches() for l1 in some)
    assert networks == [(d, float(k)) for d in (2, 3) for k in range(1, 6)]
    assert max(len(some) for _, some in grid.batches()) <= 2


@pytest.mark.usefixtures("table")
def test_the_users_own_units_come_along_to_other_processes() -> None:
    units.register_unit("bump", lambda xp, z: 1 / (1 + z * z))
    grid = replace(TINY, units=("bump", "multiply"), n_epochs=1)
    x, y = table()
    (task, _) = tasks_of(x, y, seed=0, units=grid.units)
    assert [unit.name for unit in task.own_units] == ["bump"]
    specification = {"grid": vars(replace(grid, l1=(1e-5,))), "seed": [0]}
    units._TABLE.pop("bump")  # as in a process that has just been started
    assert train(task, specification, None).is_done


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"l1": ()}, "at least one λ"),
        ({"depths": ()}, "at least one λ and one depth"),
        ({"n_together": 0}, "`n_together` must be at least 1"),
        ({"units": ("sine",)}, "Did you mean 'sin'"),
    ],
)
def test_bad_grids_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(EqlearnError, match=message):
        replace(TINY, **changes)


def test_a_small_grid_is_trained_and_refined_to_the_formulas() -> None:
    found = learn(*table(), recipe=TINY, jobs=1)
    assert [formula(one) for one in found] == ["2*x1 + x2", "x1"]
    assert [one.n_attempts for one in found] == [2, 2]
    assert {(one.ended, one.failures) for one in found} == {("finished", ())}


def test_without_refinement_a_network_stays_as_it_was_trained() -> None:
    found, _ = learn(*table(), recipe=replace(TINY, refine=False), jobs=1)
    assert found.n_attempts == 2
    # Nothing was pruned: more weights than the formula has constants.
    assert max(one.graph.n_parameters for one in found.candidates) > 2


def task() -> Task:
    x, y = table()
    one, two = tasks_of(x, y, domain=None, seed=0, far=None, units=("multiply",))
    return replace(one, y=np.concatenate([one.y, two.y], axis=1))


def training_job() -> Job:
    first = next(PaperPlan(TINY, [], "all", 0).stages())
    assert isinstance(first, Stage)
    job = first.job(0)
    assert job is not None
    return job


def test_a_training_that_is_cut_leaves_the_same_networks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    job, data = training_job(), task()
    monkeypatch.setattr(jobs, "SEGMENT_SECONDS", 1e9)
    whole = train(data, job.specification, None)
    assert whole.is_done
    # Even if there is no time at all, a segment gets on.
    monkeypatch.setattr(jobs, "SEGMENT_SECONDS", -1.0)
    first = train(data, job.specification, None)
    assert not first.is_done and 0 < first.metrics["epoch"] < 20
    second = train(data, job.specification, first.state)
    assert second.is_done and second.state == whole.state


def test_a_diverged_network_is_listed_as_failed_with_the_reason() -> None:
    network = {
        "grid": vars(replace(TINY, l1=(1e-3,))),
        "diverged_at": 17,
        "weights": [],
        "validation": math.inf,
        "output": 0,
        "n_outputs": 1,
    }
    with pytest.raises(EqlearnError, match="no longer finite in epoch 17"):
        extract(task(), network, None)


def test_one_diverged_network_leaves_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from eqlearn.training import recipes

    initial = recipes.initial_weights

    def one_is_not_finite(*arguments: object) -> np.ndarray:
        weights = np.array(initial(*arguments))  # type: ignore[arg-type]
        weights[1, 0] = np.nan
        return weights

    monkeypatch.setattr(recipes, "initial_weights", one_is_not_finite)
    found, _ = learn(*table(), recipe=TINY, jobs=1, run_dir=tmp_path)
    (name, reason), (second, _) = found.failures
    assert name.startswith("y1/network/L=2,λ=0.001:")
    assert second.startswith("y2/network/L=2,λ=0.001:")
    assert reason == "EqlearnError: its weights were no longer finite in epoch 0"
    assert formula(found) == "2*x1 + x2"

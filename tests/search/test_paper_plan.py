import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from short_training import one_network_diverges

from eqlearn.equation.write.symbolic import expressions
from eqlearn.errors import EqlearnError
from eqlearn.jobs import job as jobs
from eqlearn.jobs.job import Job, Stage
from eqlearn.network import units
from eqlearn.network.forward import forward, initialise, unpack
from eqlearn.network.graph import CONSTANT, Graph, from_network
from eqlearn.network.instance import thresholded
from eqlearn.search.attempts import grid_networks
from eqlearn.search.attempts.grid_networks import (
    Grid,
    as_scaled,
    as_trained_on,
    batch_specification,
    extract,
    train,
    trained_scale,
)
from eqlearn.search.conclude.to_model import picks_of
from eqlearn.search.keep.judged_networks import as_trained
from eqlearn.search.learn import Found, learn
from eqlearn.search.paper_plan import PaperPlan
from eqlearn.search.prepare import tasks_of
from eqlearn.search.request import Request
from eqlearn.search.strategy import RowCounts, Strategy
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


def test_networks_may_start_as_in_the_released_code() -> None:
    from eqlearn.training import recipes

    assert tuple(recipes.INITIAL) == grid_networks.INITIAL
    grid = replace(TINY, initial="released", l1=(1e-3,), units_per_type=10)
    architecture = grid.settings(task(), 2).architecture
    one, two = recipes.initial_weights(
        architecture, np.random.default_rng(0), 2, "released"
    )
    assert not np.array_equal(one, two)
    (W, w0), (V, v0) = unpack(architecture, one)
    assert not w0.any() and np.all(v0 == 1.0)
    # 30 rows of 2 inputs, and 4 rows of 20 units: variances 1/32 and 1/24.
    assert W.std() == pytest.approx(32**-0.5, rel=0.3)
    assert V.std() == pytest.approx(24**-0.5, rel=0.3)
    drawn = train(task(), {"grid": vars(grid), "seed": [1]}, None)
    wide = train(
        task(), {"grid": vars(replace(grid, initial="wide")), "seed": [1]}, None
    )
    assert drawn.state != wide.state


def test_only_unusual_penalty_epochs_are_part_of_a_name() -> None:
    extra = replace(TINY, penalty="extra")
    assert extra.settings(task(), 2).schedule.penalty == "extra"
    assert "penalty" not in TINY.to_document()
    assert Grid(**TINY.to_document()) == TINY
    assert Grid(**extra.to_document()) == extra
    specifications = [batch_specification(grid, 1, 0) for grid in (TINY, extra)]
    assert specifications[0] != specifications[1]
    x, y = table()
    identities = [Request(x, y, recipe=grid).identity for grid in (TINY, extra)]
    assert identities[0]["settings"] != identities[1]["settings"]


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
    (task, _) = tasks_of(Request(x, y, seed=0, units=grid.units))
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
        ({"initial": "release"}, "Did you mean 'released'"),
        ({"penalty": "extras"}, "Did you mean 'extra'"),
    ],
)
def test_bad_grids_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(EqlearnError, match=message):
        replace(TINY, **changes)


def test_a_small_grid_is_trained_and_refined_to_the_formulas() -> None:
    found = learn(Request(*table(), recipe=TINY, jobs=1))
    assert [formula(one) for one in found] == ["2*x1 + x2", "x1"]
    assert [one.n_attempts for one in found] == [2, 2]
    assert {(one.ended, one.failures) for one in found} == {("finished", ())}


def test_without_refinement_a_network_stays_as_it_was_trained() -> None:
    found, _ = learn(Request(*table(), recipe=replace(TINY, refine=False), jobs=1))
    assert found.n_attempts == 2
    # Nothing was pruned: more weights than the formula has constants.
    assert max(one.graph.n_parameters for one in found.candidates) > 2


def task() -> Task:
    x, y = table()
    one, two = tasks_of(
        Request(x, y, domain=None, seed=0, far=None, units=("multiply",))
    )
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
    one_network_diverges(monkeypatch)
    found, _ = learn(Request(*table(), recipe=TINY, jobs=1, run_dir=tmp_path))
    (name, reason), (second, _) = found.failures
    assert name.startswith("y1/network/L=2,λ=0.001:")
    assert second.startswith("y2/network/L=2,λ=0.001:")
    assert reason == "EqlearnError: its weights were no longer finite in epoch 0"
    assert formula(found) == "2*x1 + x2"


def test_data_of_unit_size_are_trained_on_as_they_are() -> None:
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, (100, 2)) * [1.0, 1000.0]
    y = np.stack([x[:, 0] / 3, x[:, 1], 5 * x[:, 0]], axis=1)
    tasks = tasks_of(Request(x, y, recipe=TINY))
    together, order = as_trained_on(tasks), np.argsort(x[:, 0])
    by_first = np.argsort(together.x[:, 0])
    np.testing.assert_allclose(together.x[by_first, 0], x[order, 0])
    np.testing.assert_allclose(together.y[by_first][:, [0, 2]], y[order][:, [0, 2]])
    # Of thousands, λ would weigh nothing: inputs and targets are divided by their size.
    np.testing.assert_allclose(together.x[:, 1], tasks[0].x[:, 1])
    np.testing.assert_allclose(together.y[:, [1]], tasks[1].y)
    np.testing.assert_allclose(together.low[0], tasks[0].low[0] * tasks[0].x_scale[0])


@pytest.mark.parametrize("size", [0.3, 50.0])
def test_a_network_is_read_in_the_units_of_the_data(size: float) -> None:
    """What a network says in its own units is the candidate's value in the data's."""
    x, y = table()
    (one,) = tasks_of(Request(x * size, y[:, :1] * size, recipe=TINY))
    data = as_trained_on([one])
    settings = replace(TINY, l1=(1e-5,)).settings(data, 1)
    weights = initialise(settings.architecture, np.random.default_rng(1))
    outputs = forward(settings.architecture, weights, data.x, theta=0.0).outputs
    graph = as_scaled(one, from_network(settings.architecture, weights))
    in_units = one.in_units(graph).evaluate(one.x * one.x_scale)[0]
    factor = trained_scale(np.array(one.y_scale))
    np.testing.assert_allclose(in_units, outputs * factor)


def trained_weights(far: tuple[np.ndarray, np.ndarray] | None) -> bytes:
    x, y = table()
    tasks = tasks_of(Request(x, y, far=far, recipe=TINY))
    # Denominators that start about 1 are forbidden in some of the domain.
    specification = batch_specification(replace(TINY, initial="released"), 0, 0)
    return train(as_trained_on(tasks), specification, None).state


def test_networks_do_not_depend_on_far_points(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "SEGMENT_SECONDS", 1e9)
    far = np.random.default_rng(1).uniform(3, 4, (40, 2))
    assert trained_weights((far, 9 * far)) == trained_weights(None)


def test_only_networks_of_the_grid_are_candidates_as_published() -> None:
    """The mean would have the least size, from which Eq. 9 measures the others'."""
    grid, (x, y) = replace(TINY, refine=False), table()
    (found,) = learn(Request(x, y[:, :1], recipe=grid, jobs=1))
    assert len(found.candidates) == found.n_attempts == 2
    assert all(one.is_something for one in found.candidates)
    # Two units in a layer, of which the tidy formula has at most the product.
    assert max(one.n_units for one in found.candidates) == 2
    assert max(len(one.graph.nodes) for one in found.candidates) < 2


def test_of_several_targets_a_network_is_one_candidate_for_all() -> None:
    found = learn(Request(*table(), recipe=replace(TINY, refine=False), jobs=1))
    numbers = [sorted(str(one.network) for one in each.candidates) for each in found]
    assert numbers == [["0", "1"]] * 2
    sizes = [{one.network: one.n_units for one in each.candidates} for each in found]
    assert sizes[0] == sizes[1]  # of the whole network
    for selection in ("v_int_s", "v_ranks", "information"):
        picks = picks_of(found, selection)
        chosen = {f.candidates[at].network for f, at in zip(found, picks, strict=True)}
        assert len(chosen) == 1


def test_where_no_network_was_trained_there_is_the_mean() -> None:
    x, y = table()
    grid = replace(TINY, refine=False, n_epochs=10**6)
    (found,) = learn(Request(x, y[:, :1], recipe=grid, jobs=1, time_limit=1e-3))
    assert found.candidates


def test_networks_are_judged_on_what_was_held_out_with_the_test_threshold() -> None:
    # Fewer rows than there are decide about constants, as in a table of 200 000.
    few = Strategy(rows=RowCounts(snap=50, prune=30))
    x = np.linspace(0, 1, 200)[:, None]
    far = np.array([[-1.0], [1.5]])
    (task,) = tasks_of(Request(x, x, far=(far, far), recipe=TINY, strategy=few))
    # Its denominator is -1.2 to 0.6: most of the rows are at forbidden values.
    network = Graph(1, (), (({0: 1.0}, {0: 1.8, CONSTANT: -1.2}),))
    found = as_trained(task, network)
    assert found.graph.outputs[0][1][CONSTANT] == -1.2
    measured, y = task.x * task.x_scale, task.y * task.y_scale
    errors = (thresholded(found.graph, measured) - y)[:, 0] ** 2
    assert found.validation == pytest.approx(np.sqrt(errors[-20:].mean()))
    assert found.extrapolation == pytest.approx(np.sqrt(errors[:2].mean()))
    assert found.rms == pytest.approx(np.sqrt(errors.mean()))
    assert errors[0] == pytest.approx(1.0)  # at -1, the network says 0


@pytest.mark.parametrize(("largest", "bound"), [(0.5, 10.0), (3.0, 10.0), (6.0, 20.0)])
def test_outputs_are_bounded_as_in_the_paper(
    largest: float, bound: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    from eqlearn.training import gradient

    bounds = []

    def seen(*arguments: Any, **options: Any) -> gradient.TrainingData:
        bounds.append(options["bound"])
        return complete(*arguments, **options)

    complete = gradient.training_data
    monkeypatch.setattr(gradient, "training_data", seen)
    x = np.linspace(-1, 1, 41)[:, None]
    (one,) = tasks_of(Request(x, largest * x, recipe=TINY))
    train(as_trained_on([one]), training_job().specification, None)
    assert bounds == [pytest.approx(bound)]

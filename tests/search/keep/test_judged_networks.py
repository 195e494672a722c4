"""A trained network as a candidate: nothing about it is changed."""

import numpy as np
from formulas import formula
from tasks import task_of

from eqlearn.jobs.codec import from_bytes
from eqlearn.network.forward import initialise
from eqlearn.search.attempts.grid_networks import Grid, for_output, network_of
from eqlearn.search.keep.final_fits import Candidate
from eqlearn.search.keep.judged_networks import as_trained, judge_network

TINY = Grid(l1=(1e-3,), depths=(2,), units_per_type=2, n_epochs=1, refine=False)


def test_its_weights_stay_as_they_are() -> None:
    x = np.linspace(0, 1, 100)[:, None]
    found = as_trained(task_of(x, 2 * x[:, 0]), formula(1, {0: 1.9, -1: 1.1}))
    assert found.graph.outputs[0][0] == found.snapped.outputs[0][0] == {0: 1.9, -1: 1.1}
    assert (found.n_connected, found.votes, found.network) == (0, 1, 0)


def test_of_one_output_the_size_is_that_of_the_whole_network() -> None:
    x = np.random.default_rng(0).uniform(-1, 1, (50, 2))
    task = task_of(x, x[:, 0])
    architecture = TINY.settings(task, 2).architecture
    specification = {
        "grid": TINY.to_document(),
        "diverged_at": -1,
        "weights": initialise(architecture, np.random.default_rng(1)).tolist(),
        "output": 1,
        "n_outputs": 2,
        "number": 7,
    }
    step = judge_network(task, specification, None)
    found = Candidate.from_document(from_bytes(step.state))
    assert (found.network, found.n_units) == (7, 8)  # two of each of four kinds
    graph = for_output(task, network_of(task, specification), 1)
    values = task.in_units(graph).evaluate(x)[0]
    np.testing.assert_allclose(found.graph.evaluate(x)[0], values, rtol=1e-9)

import numpy as np
import pytest
from short_training import short
from tasks import task_of

from eqlearn.network.graph import from_network
from eqlearn.search.attempts.random_networks import (
    configuration,
    to_formula,
    train_network,
)
from eqlearn.search.strategy import STANDARD
from eqlearn.training import recipes
from eqlearn.training.gradient import begin, train, training_data


def test_a_network_depends_on_the_task_and_its_number_only() -> None:
    rng = np.random.default_rng(5)
    x = rng.uniform(-1, 1, (300, 2))
    task = task_of(x, x[:, 0] * x[:, 1] + 0.01 * rng.normal(size=300))
    train_network(task, 7)
    one, two = train_network(task, 2), train_network(task, 2)
    assert one is not None and one == two
    seen = {configuration(task, number)[:2] for number in range(8)}
    assert len(seen) == 8  # every shape with and without division


def test_a_network_trained_as_in_the_paper_is_refined_alike() -> None:
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, (2000, 2))
    y = np.sin(np.pi * x[:, 0]) / (x[:, 1] ** 2 + 1) + 0.01 * rng.normal(size=2000)
    settings = short(recipes.paper(2, 1, n_layers=2).architecture, 2000)
    weights = recipes.initial_weights(settings.architecture, rng, 2)
    state, _ = train(
        settings,
        training_data(x, y[:, None]),
        begin(settings, weights, 1e-4, seed=0),
        settings.schedule.n_epochs,
    )
    candidates = (
        from_network(settings.architecture, np.asarray(one, dtype=float))
        for one in state.weights
    )
    found = [to_formula(task_of(x, y), graph) for graph in candidates]
    best = min((one for one in found if one is not None), key=lambda one: one.bic)
    assert best.graph.n_parameters == 3
    assert np.sqrt(best.sse / 1000) == pytest.approx(0.01, rel=0.1)


def test_what_is_not_found_at_first_is_trained_for_longer() -> None:
    task = task_of(np.zeros((10, 1)), np.zeros(10))
    by = STANDARD.networks
    lengths = [configuration(task, number).training.n_iterations for number in range(9)]
    assert lengths == [by.quick.n_iterations] * by.n_quick + [by.long.n_iterations]

import numpy as np

from eqlearn.network.architecture import Architecture
from eqlearn.training.recipes import initial_weights, paper


def test_the_published_protocol() -> None:
    settings = paper(4, 1, n_layers=3)
    assert settings.architecture == Architecture.paper(4, 1, n_layers=3)
    assert settings.schedule.n_epochs == 20_000
    assert settings.schedule.penalty_every == 50
    assert (settings.learning_rate, settings.adam_epsilon) == (0.001, 1e-4)
    assert settings.batch_size == 20


def test_without_division_there_are_no_penalty_epochs() -> None:
    settings = paper(4, 1, n_layers=3, division=False)
    assert not settings.architecture.division
    assert settings.schedule.penalty_every == 0


def test_networks_start_apart_and_alike_from_one_seed() -> None:
    architecture = Architecture.paper(2, 1, units_per_type=2)
    first, again = (
        initial_weights(architecture, np.random.default_rng(3), 4) for _ in range(2)
    )
    assert first.shape == (4, architecture.n_weights)
    np.testing.assert_array_equal(first, again)
    assert len(np.unique(first, axis=0)) == 4

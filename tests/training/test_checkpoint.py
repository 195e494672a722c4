import io
from functools import partial

import jax
import numpy as np
import pytest

from eqlearn.network.architecture import Architecture
from eqlearn.training import recipes
from eqlearn.training.checkpoint import Trained, from_bytes, to_bytes, trained
from eqlearn.training.gradient import (
    GradientSettings,
    TrainingData,
    TrainingState,
    begin,
    train,
    training_data,
)
from eqlearn.training.schedule import Schedule

SMALL = GradientSettings(
    Architecture.paper(2, 1, n_layers=3, units_per_type=2),
    Schedule(20, penalty_every=5),
    learning_rate=0.01,
)
# One length for all tests: every other one would be compiled anew.
N_EPOCHS = 4


def small_data() -> TrainingData:
    x = np.random.default_rng(0).uniform(-1, 1, (90, 2))
    return training_data(x, x[:, :1] * x[:, 1:])


def start() -> TrainingState:
    weights = recipes.initial_weights(SMALL.architecture, np.random.default_rng(5), 3)
    return begin(SMALL, weights, np.array([1e-5, 1e-4, 1e-3]), seed=7)


def arrays(state: TrainingState) -> list[bytes]:
    plain = state._replace(key=jax.random.key_data(state.key))
    return [np.asarray(leaf).tobytes() for leaf in jax.tree.leaves(plain)]


def test_a_state_comes_back_bit_by_bit() -> None:
    state, _ = train(SMALL, small_data(), start(), N_EPOCHS)
    data = to_bytes(state, np.ones(3))
    again = from_bytes(SMALL, data)
    assert arrays(again) == arrays(state)
    assert jax.tree.map(np.shape, again) == jax.tree.map(np.shape, state)
    assert to_bytes(again, np.ones(3)) == data


@pytest.mark.parametrize("n_cuts", [1, 4])
def test_training_by_way_of_bytes_equals_training_in_one_go(n_cuts: int) -> None:
    data = small_data()
    whole = state = start()
    for _ in range(n_cuts + 1):
        whole, _ = train(SMALL, data, whole, N_EPOCHS)
        state, _ = train(SMALL, data, state, N_EPOCHS)
        state = from_bytes(SMALL, to_bytes(state, np.zeros(3)))
    assert int(state.epoch) == N_EPOCHS * (n_cuts + 1)
    assert arrays(state) == arrays(whole)


def test_not_a_number_survives_too() -> None:
    state = start()
    state = state._replace(weights=state.weights.at[1, 0].set(np.nan))
    state, _ = train(SMALL, small_data(), state, N_EPOCHS)
    again = from_bytes(SMALL, to_bytes(state, np.zeros(3)))
    assert arrays(again) == arrays(state)
    assert np.asarray(again.diverged_at).tolist() == [-1, 0, -1]


def test_the_networks_can_be_read_alone() -> None:
    state, errors = start(), np.array([0.1, 0.2, 0.3])
    found = trained(to_bytes(state, errors))
    assert found._fields == Trained._fields
    np.testing.assert_array_equal(found.weights, state.weights)
    np.testing.assert_array_equal(found.diverged_at, [-1, -1, -1])
    np.testing.assert_array_equal(found.validation, errors)


def test_a_state_runs_no_code() -> None:
    buffer = io.BytesIO()
    hostile = {"weights": np.array([print], dtype=object), "l1": np.zeros(1)}
    np.savez(buffer, allow_pickle=True, **hostile)
    for read in (trained, partial(from_bytes, SMALL)):
        with pytest.raises(ValueError, match="allow_pickle=False"):
            read(buffer.getvalue())

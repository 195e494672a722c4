import gymnasium
import numpy as np
import pytest

from eqlearn.control import swingup
from eqlearn.control.derivatives import DynamicsData, dynamics_data
from eqlearn.control.dynamics import rates_by
from eqlearn.control.neural import Network, fit_network
from eqlearn.control.rollouts import collect


@pytest.fixture(scope="module")
def rollouts() -> tuple[DynamicsData, DynamicsData]:
    env = gymnasium.make(swingup.ENV_ID)
    train, check = collect(env, 2, 300, seed=1)
    return dynamics_data([train]), dynamics_data([check])


def test_a_network_by_hand() -> None:
    network = Network(
        (np.array([[2.0], [0.0]]), np.array([[3.0]])), (np.zeros(1), np.ones(1))
    )
    found = network(np.array([[0.5, 9.0]], dtype=np.float32))
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, [[3 * np.tanh(1.0) + 1]], rtol=1e-6)


def test_a_network_learns_motion_of_the_kind_it_has_seen(
    rollouts: tuple[DynamicsData, DynamicsData],
) -> None:
    train, check = rollouts
    network = fit_network(train, check, seed=0, sizes=[(20,)], penalties=[1e-3])
    rates = rates_by(network)(train.states, train.actions)
    missed = np.std(rates - train.derivatives, axis=0)
    assert (missed < 0.05 * train.derivatives.std(axis=0)).all()


def test_the_best_on_the_other_rollout_is_taken(
    rollouts: tuple[DynamicsData, DynamicsData],
) -> None:
    # So strong a penalty leaves nothing but the mean.
    found = fit_network(*rollouts, seed=0, sizes=[(5,)], penalties=[1e6, 1e-3])
    alone = fit_network(*rollouts, seed=0, sizes=[(5,)], penalties=[1e-3])
    x = rollouts[0].inputs
    np.testing.assert_array_equal(found(x), alone(x))

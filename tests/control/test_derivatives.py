from typing import Any

import gymnasium
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eqlearn._types import Array
from eqlearn.control import swingup
from eqlearn.control.derivatives import dynamics_data
from eqlearn.control.rollouts import Trajectory, collect, trajectory
from eqlearn.errors import EqlearnError


def swinging(n_steps: int = 200, **options: Any) -> Trajectory:
    env = gymnasium.make(swingup.ENV_ID, **options)
    return collect(env, 1, n_steps, seed=3)[0]


def test_differences_are_exact_for_euler_steps() -> None:
    data = dynamics_data([swinging()])
    true = swingup.dynamics(data.states, data.actions)
    np.testing.assert_allclose(data.derivatives, true, atol=1e-12)
    assert data.inputs.shape == (200, 5)
    assert data.input_names == ("x", "x_dot", "theta", "theta_dot", "action")
    assert data.output_names[2] == "d(theta)/dt"


@pytest.mark.parametrize("window", [3, 9])
def test_averages_stay_exact_for_linear_systems(window: int) -> None:
    # White actions make the derivative jump at every step, which smoothing it alone
    # would take for noise.
    rng = np.random.default_rng(0)
    matrix, push = rng.normal(size=(3, 3)), rng.normal(size=(2, 3))
    actions = rng.normal(size=(40, 2))
    states = [rng.normal(size=3)]
    for action in actions:
        states.append(states[-1] + 0.1 * (states[-1] @ matrix + action @ push))
    data = dynamics_data(
        [trajectory(states, actions, 0.1)], window=window, order=2, every=1
    )
    assert len(data.states) == 40 - window + 1
    linear = data.states @ matrix + data.actions @ push
    scale = np.abs(linear).max()
    np.testing.assert_allclose(data.derivatives, linear, atol=1e-12 * scale)


@settings(deadline=None)
@given(st.integers(0, 4), st.sampled_from([5, 7, 15]))
def test_the_average_keeps_polynomials_up_to_its_order(
    degree: int, window: int
) -> None:
    times = np.arange(30) * 0.1
    run = trajectory(times[:, None] ** degree, np.zeros((29, 1)), 0.1)
    found = dynamics_data([run], window=window, order=4, every=1).derivatives[:, 0]
    middle = times[window // 2 : 29 - window // 2] + 0.05  # half-way to the next state
    true = degree * middle ** max(degree - 1, 0)
    np.testing.assert_allclose(found, true, rtol=1e-9, atol=1e-9)


def test_the_average_finds_the_derivative_of_a_noisy_sine() -> None:
    rng = np.random.default_rng(0)
    times = np.arange(1000) * 0.02
    noisy = np.sin(3 * times) + rng.normal(0, 0.01, 1000)
    run = trajectory(noisy[:, None], np.zeros((999, 1)), 0.02)

    def error(window: int) -> float:
        found = dynamics_data([run], window=window, every=1).derivatives[:, 0]
        middle = times[window // 2 : 999 - window // 2] + 0.01
        return float(np.sqrt(np.mean((found - 3 * np.cos(3 * middle)) ** 2)))

    assert error(1) > 0.6
    assert error(15) < 0.08
    assert error(25) < 0.04


def test_averages_take_most_of_the_noise_out_of_the_swing_up() -> None:
    run = swinging(1000, sensor_noise=0.01)

    def errors(window: int) -> Array:
        data = dynamics_data([run], window=window)
        true = swingup.dynamics(data.states, data.actions)
        rms: Array = np.sqrt(np.mean((data.derivatives - true) ** 2, axis=0))
        return rms

    # The last one is an acceleration that is not linear in the state.
    assert (errors(15) < errors(1) / [9, 9, 9, 4]).all()


def test_angles_turn_without_a_jump() -> None:
    run = swinging(300)
    turning = np.linspace(0, 20, 301)
    states = np.c_[run.states[:, 0], turning]
    wrapped = np.c_[run.states[:, 0], (turning + np.pi) % (2 * np.pi) - np.pi]
    names = ("x", "theta")
    smooth, jumping = (
        trajectory(each, run.actions, run.dt, None, names) for each in (states, wrapped)
    )
    for window in (1, 5):
        expected = dynamics_data([smooth], window=window)
        found = dynamics_data([jumping], angles=["theta"], window=window)
        np.testing.assert_allclose(found.derivatives, expected.derivatives, atol=1e-9)
        np.testing.assert_allclose(
            np.exp(1j * found.states), np.exp(1j * expected.states), atol=1e-9
        )
        # States stay in the turn they were measured in.
        assert np.abs(found.states[:, 1]).max() < np.pi + 0.2
    assert np.abs(dynamics_data([jumping]).derivatives).max() > 100


def test_trajectories_are_put_together_without_a_seam() -> None:
    env = gymnasium.make(swingup.ENV_ID)
    runs = collect(env, 3, 20, seed=0)
    data = dynamics_data(runs, window=5, every=1)
    assert len(data.states) == 3 * 16
    np.testing.assert_allclose(
        data.derivatives[16:32], dynamics_data(runs[1:2], window=5, every=1).derivatives
    )


def test_a_rough_model_takes_the_bias_out_of_averages() -> None:
    run, clean = swinging(1000, sensor_noise=0.01), swinging(1000)

    def rough(states: Array, actions: Array) -> Array:
        return 0.9 * swingup.dynamics(states, actions)

    def error(run: Trajectory, **options: Any) -> float:
        data = dynamics_data([run], window=15, order=2, **options)
        true = swingup.dynamics(data.states, data.actions)[:, 3]
        return float(np.sqrt(np.mean((data.derivatives[:, 3] - true) ** 2)))

    assert error(clean, known=rough) < error(clean) / 5
    assert error(run, known=rough) < error(run) / 3


def test_where_a_model_has_no_value_nothing_is_corrected() -> None:
    def nowhere(states: Array, actions: Array) -> Array:
        return np.full_like(states, np.nan)

    run = swinging(100)
    plain, same = (
        dynamics_data([run], window=9, known=known) for known in (None, nowhere)
    )
    np.testing.assert_array_equal(plain.derivatives, same.derivatives)


def test_rows_are_so_far_apart_that_errors_are_nearly_independent() -> None:
    run, clean = swinging(1000, sensor_noise=0.01), swinging(1000)
    for order in (2, 4):
        noisy, true = (
            dynamics_data([each], window=15, order=order) for each in (run, clean)
        )
        errors = (noisy.derivatives - true.derivatives)[:, 1]
        assert abs(np.corrcoef(errors[1:], errors[:-1])[0, 1]) < 0.5
    assert len(dynamics_data([run], window=15, every=5).states) == 198


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"window": 4}, "`window` must be an odd number of steps, 1 or more; got 4"),
        ({"window": 21}, "`window` must be at most the 10 steps of a trajectory"),
        ({"window": 3, "order": 4}, "`order` must be from 1 to the window, 3; got 4"),
        ({"angles": ["thета"]}, "`angles` must be one of 'x', 'x_dot', 'theta'"),
    ],
)
def test_wrong_settings_get_one_line(options: dict[str, Any], message: str) -> None:
    with pytest.raises(EqlearnError, match=message):
        dynamics_data([swinging(10)], **options)


def test_trajectories_must_belong_together() -> None:
    with pytest.raises(EqlearnError, match="`trajectories` must be at least one"):
        dynamics_data([])
    other = trajectory(np.zeros((3, 1)), np.zeros((2, 1)), 0.1)
    with pytest.raises(EqlearnError, match="`trajectories` must be all of the same"):
        dynamics_data([swinging(10), other])

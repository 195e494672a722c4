from typing import Any

import gymnasium
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eqlearn._types import Array
from eqlearn.control import swingup
from eqlearn.control.rollouts import (
    Trajectory,
    collect,
    dynamics_data,
    renamed,
    rollout,
    trajectory,
)
from eqlearn.errors import EqlearnError


def swinging(n_steps: int = 200, **options: Any) -> Trajectory:
    env = gymnasium.make(swingup.ENV_ID, **options)
    return collect(env, 1, n_steps, seed=3)[0]


def test_a_rollout_has_one_state_more_than_actions() -> None:
    run = swinging(50)
    assert run.states.shape == (51, 4)
    assert run.actions.shape == (50, 1)
    assert run.rewards.shape == (50,)
    assert run.dt == 0.02
    assert run.state_names == swingup.STATE_NAMES
    np.testing.assert_array_equal(
        swingup.step(run.states[:-1], run.actions), run.states[1:]
    )
    assert run.total_reward == pytest.approx(np.cos(run.states[1:, 2]).sum())


def test_actions_are_normal_and_cut_at_the_bounds() -> None:
    env = gymnasium.make(swingup.ENV_ID)
    (calm,) = collect(env, seed=0)
    assert len(calm.actions) == 1000
    assert calm.actions.std() == pytest.approx(0.15, rel=0.1)
    assert calm.actions.mean() == pytest.approx(0, abs=0.02)
    (wild,) = collect(env, seed=0, spread=2.0)
    assert (np.abs(wild.actions) == 1).mean() == pytest.approx(0.617, abs=0.05)


def test_actions_can_be_held() -> None:
    env = gymnasium.make(swingup.ENV_ID)
    (run,) = collect(env, n_steps=30, seed=0, hold=10)
    assert len(np.unique(run.actions)) == 3
    np.testing.assert_array_equal(run.actions[:10], run.actions[0, 0])


def test_rollouts_differ_and_can_be_repeated() -> None:
    env = gymnasium.make(swingup.ENV_ID)
    first, second = collect(env, 2, 5, seed=1)
    again, _ = collect(env, 2, 5, seed=1)
    np.testing.assert_array_equal(first.states, again.states)
    assert (first.states != second.states).all()
    assert (first.actions != second.actions).all()


def test_an_episode_that_ends_gives_a_shorter_rollout() -> None:
    env = gymnasium.make(swingup.ENV_ID, max_episode_steps=7)
    assert len(collect(env, n_steps=20, seed=0)[0].actions) == 7
    env = gymnasium.make(swingup.ENV_ID, track_length=0.1)
    assert len(rollout(env, lambda state: np.ones(1), 500, seed=0).actions) < 50


def test_other_environments_need_no_change() -> None:
    (run,) = collect(gymnasium.make("Pendulum-v1"), n_steps=300, seed=0, spread=0.5)
    assert run.states.shape == (201, 3)
    assert run.dt == 0.05
    assert run.state_names == ("s0", "s1", "s2")
    assert run.actions.std() == pytest.approx(1.0, rel=0.2)  # half of bounds of ±2


def test_an_environment_that_does_not_tell_its_step_is_told() -> None:
    env = gymnasium.make("MountainCarContinuous-v0")
    with pytest.raises(EqlearnError, match="`dt` must be the seconds that a step take"):
        collect(env, seed=0)
    assert collect(env, n_steps=5, seed=0, dt=1.0)[0].dt == 1.0


def test_names_are_the_environments_where_they_fit() -> None:
    env = gymnasium.make(swingup.ENV_ID)
    (run,) = collect(
        env, n_steps=5, seed=0, state_of=lambda observation: observation[2:]
    )
    assert run.state_names == ("s0", "s1")
    assert run.action_names == ("action",)


def test_states_and_actions_get_the_names_that_one_gives_them() -> None:
    run = swinging(5)
    found = renamed(run, ("a", "b", "c", "d"))
    assert found.state_names == ("a", "b", "c", "d")
    assert found.action_names == run.action_names
    assert renamed(run, action_names=["push"]).action_names == ("push",)
    with pytest.raises(EqlearnError, match="`states` must be 4 different names"):
        renamed(run, ("a", "b"))


def test_a_failing_sensor_does_not_lose_the_run_but_teaches_nothing() -> None:
    env = gymnasium.make(swingup.ENV_ID)
    (run,) = collect(env, n_steps=5, seed=0, state_of=lambda o: np.full(2, np.nan))
    assert np.isnan(run.states).all()
    with pytest.raises(EqlearnError, match="`states` must be finite everywhere"):
        dynamics_data([run])


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
    data = dynamics_data([trajectory(states, actions, 0.1)], window=window, order=2)
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
    found = dynamics_data([run], window=window, order=4).derivatives[:, 0]
    middle = times[window // 2 : 29 - window // 2] + 0.05  # half-way to the next state
    true = degree * middle ** max(degree - 1, 0)
    np.testing.assert_allclose(found, true, rtol=1e-9, atol=1e-9)


def test_the_average_finds_the_derivative_of_a_noisy_sine() -> None:
    rng = np.random.default_rng(0)
    times = np.arange(1000) * 0.02
    noisy = np.sin(3 * times) + rng.normal(0, 0.01, 1000)
    run = trajectory(noisy[:, None], np.zeros((999, 1)), 0.02)

    def error(window: int) -> float:
        found = dynamics_data([run], window=window).derivatives[:, 0]
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
        return np.sqrt(np.mean((data.derivatives - true) ** 2, axis=0))

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
    data = dynamics_data(runs, window=5)
    assert len(data.states) == 3 * 16
    np.testing.assert_allclose(
        data.derivatives[16:32], dynamics_data(runs[1:2], window=5).derivatives
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"states": np.zeros((2, 1))}, "`states` must be one row more than actions, 3"),
        ({"states": np.zeros(3)}, "`states` must be a table of samples by columns"),
        (
            {"actions": [[0.0], [np.nan]]},
            "`actions` must be finite everywhere; got nan",
        ),
        ({"dt": 0.0}, "`dt` must be a positive number of seconds; got 0.0"),
        ({"rewards": [1.0]}, "`rewards` must be one number an action, 2"),
        ({"state_names": ["x", "y"]}, "`state_names` must be 1 different names"),
    ],
)
def test_a_trajectory_is_checked(change: dict[str, Any], message: str) -> None:
    right: dict[str, Any] = {
        "states": np.zeros((3, 1)),
        "actions": np.zeros((2, 1)),
        "dt": 0.1,
    }
    with pytest.raises(EqlearnError, match=message):
        trajectory(**(right | change))


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


def test_wrong_requests_get_one_line() -> None:
    env = gymnasium.make(swingup.ENV_ID)
    for options in ({"spread": -1.0}, {"hold": 0}, {"n_steps": 0}):
        (name,) = options
        with pytest.raises(EqlearnError, match=f"`{name}` must be "):
            collect(env, seed=0, **options)
    with pytest.raises(EqlearnError, match="`trajectories` must be at least one"):
        dynamics_data([])
    other = trajectory(np.zeros((3, 1)), np.zeros((2, 1)), 0.1)
    with pytest.raises(EqlearnError, match="`trajectories` must be all of the same"):
        dynamics_data([swinging(10), other])
    with pytest.raises(EqlearnError, match="`state_of` must be a function to a list"):
        collect(env, seed=0, state_of=lambda observation: np.zeros((2, 2)))

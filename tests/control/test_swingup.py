import importlib.util
import subprocess
import sys
import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.envs.classic_control import CartPoleEnv
from gymnasium.utils.env_checker import check_env
from hypothesis import given, settings
from hypothesis import strategies as st

from eqlearn._types import Array
from eqlearn.control import swingup
from eqlearn.control.mpc import ControlRun
from eqlearn.control.planning import Shooting
from eqlearn.control.rollouts import trajectory
from eqlearn.control.simulate import simulate
from eqlearn.control.swingup import CartPole, CartPoleSwingUp
from eqlearn.errors import EqlearnError

STATES = st.tuples(*[st.floats(-5, 5)] * 4).map(np.array)

# A state has no bounds, which Gymnasium finds improbable.
unbounded = pytest.mark.filterwarnings("ignore:.*infinity")


@settings(deadline=None)
@given(STATES, st.sampled_from([0, 1]))
def test_a_step_is_gymnasiums(state: Array, direction: int) -> None:
    theirs = CartPoleEnv()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # far from upright their episode is over
        theirs.reset(seed=0)
        theirs.state = state
        theirs.step(direction)
    ours = swingup.step(state, np.array([2.0 * direction - 1.0]))
    np.testing.assert_allclose(ours, theirs.state, rtol=1e-13, atol=1e-13)


def test_a_body_of_ones_own_moves_finely_and_loses_energy_by_friction() -> None:
    def energy(body: CartPole, state: Array) -> float:
        _, speed, theta, spin = state
        mass, arm = body.cart + body.pole, body.pole * body.half_length
        turning = 2 / 3 * arm * body.half_length * spin**2
        moving = mass * speed**2 / 2 + arm * speed * spin * np.cos(theta)
        return float(moving + turning + arm * body.gravity * np.cos(theta))

    start = np.array([0.0, 0.3, 1.0, -0.5])
    for friction, is_kept in ((0.0, True), (0.2, False)):
        body = CartPole(9.81, 1.5, 0.4, 0.6, 12.0, friction, friction / 20)
        env = CartPoleSwingUp(body=body, substeps=10)
        env.reset(options={"state": start})
        for _ in range(100):
            state, *_ = env.step(np.zeros(1, np.float32))
        lost = energy(body, start) - energy(body, state)
        assert abs(lost) < 1e-6 if is_kept else lost > 0.1


def test_the_accelerations_of_a_push_from_hanging_are_those_worked_by_hand() -> None:
    # sin θ = 0, cos θ = -1: the push alone acts, 10 N on 1.1 kg. The pole lags behind:
    # θ̈ = (100/11) / (2/3 - 0.05/1.1), and ẍ = 100/11 + 0.05/1.1 · θ̈.
    turn = (100 / 11) / (2 / 3 - 1 / 22)
    expected = [0.0, 100 / 11 + turn / 22, 0.0, turn]
    found = swingup.dynamics(np.array(swingup.HANGING), np.array([1.0]))
    np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-14)


def test_a_free_pole_keeps_its_energy() -> None:
    start = np.array([0.0, 1.0, 2.0, -1.0])
    states = simulate(swingup.dynamics, start, np.zeros((200, 1)), 0.02, "solve_ivp")
    np.testing.assert_allclose(energy(states), energy(start), rtol=1e-7)
    assert np.ptp(states[:, 2]) > 1  # it did move


def energy(states: Array) -> Array:
    _, speed, theta, spin = np.moveaxis(states, -1, 0)
    moving = 1.1 * speed**2 / 2 + 0.05 * speed * spin * np.cos(theta)
    turning = 4 / 3 * 0.025 * spin**2 / 2
    return np.asarray(moving + turning + 0.05 * 9.8 * np.cos(theta))


def test_any_leading_shape_gives_the_same_derivatives() -> None:
    rng = np.random.default_rng(0)
    states, actions = rng.normal(size=(3, 5, 4)), rng.normal(size=(3, 5, 1))
    together = swingup.dynamics(states, actions)
    for row in np.ndindex(3, 5):
        alone = swingup.dynamics(states[row], actions[row])
        np.testing.assert_allclose(together[row], alone, rtol=1e-14)


def test_other_bodies_move_otherwise() -> None:
    heavy = swingup.CartPole(cart=10.0)
    push = np.array([1.0])
    slow = swingup.dynamics(np.array(swingup.HANGING), push, heavy)
    assert slow[1] < swingup.dynamics(np.array(swingup.HANGING), push)[1] / 5


def test_the_cost_is_equation_13() -> None:
    states = np.array([[2.0, 3.0, 0.0, 5.0], [0.0, 0.0, np.pi, 0.0], [0.0] * 4])
    costs = swingup.cost(states, np.zeros((3, 1)))
    np.testing.assert_allclose(costs, [0.4 + 0.9 - 1 + 0.5, 1.0, -1.0])


def test_seconds_upright_count_from_the_end() -> None:
    assert swingup.seconds_upright([1.0, 0.9, 0.96, 1.0]) == pytest.approx(0.04)
    assert swingup.seconds_upright([1.0, 0.95]) == 0.0
    assert swingup.seconds_upright([1.0] * 100) == pytest.approx(2.0)


def test_a_model_swings_up_in_the_environment_that_is_asked_for() -> None:
    plan = Shooting(20, 5, 5)
    run = swingup.swing_up(swingup.step, plan, 10, seed=2, sensor_noise=0.1)
    again = swingup.swing_up(swingup.step, plan, 10, seed=2, sensor_noise=0.1)
    np.testing.assert_array_equal(run.trajectory.states, again.trajectory.states)
    # The states are what the sensors said, the rewards are of the true angle.
    assert (np.cos(run.trajectory.states[1:, 2]) != run.trajectory.rewards).all()


@pytest.mark.parametrize(("n_up", "is_up"), [(99, False), (100, True)])
def test_upright_means_the_last_two_seconds(n_up: int, is_up: bool) -> None:
    rewards = np.r_[np.zeros(50), np.ones(n_up)]
    states, actions = np.zeros((len(rewards) + 1, 4)), np.zeros((len(rewards), 1))
    run = ControlRun(trajectory(states, actions, 0.02, rewards), np.zeros(1), 0)
    assert swingup.is_upright(run) == is_up


def make(**options: Any) -> "gymnasium.Env[Any, Any]":
    return gymnasium.make(swingup.ENV_ID, **options)


@unbounded
@pytest.mark.parametrize(
    "options", [{}, {"sensor_noise": 0.1, "action_noise": 0.1, "track_length": 2.0}]
)
def test_gymnasium_finds_nothing_wrong(options: dict[str, Any]) -> None:
    check_env(make(**options).unwrapped)


def test_it_starts_hanging_and_rewards_the_cosine() -> None:
    env = make()
    start, info = env.reset(seed=1)
    assert np.abs(start - swingup.HANGING).max() <= 0.05
    np.testing.assert_array_equal(info["state"], start)
    after, reward, is_over, _, _ = env.step(np.array([0.5], np.float32))
    np.testing.assert_array_equal(after, swingup.step(start, np.array([0.5])))
    assert reward == np.cos(after[2])
    assert not is_over


def test_a_start_can_be_chosen_and_an_episode_takes_twenty_seconds() -> None:
    env = make()
    start, _ = env.reset(options={"state": [1, 2, 3, 4]})
    np.testing.assert_array_equal(start, [1, 2, 3, 4])
    ends = [env.step(np.zeros(1, np.float32))[3] for _ in range(1000)]
    assert ends.index(True) == 999


def test_sensors_are_noisy_and_the_truth_is_not() -> None:
    env = make(sensor_noise=0.1)
    env.reset(seed=0)
    errors, truth = [], np.array(swingup.HANGING)
    env.reset(options={"state": truth})
    for _ in range(500):
        seen, reward, _, _, info = env.step(np.zeros(1, np.float32))
        truth = swingup.step(truth, np.zeros(1))
        np.testing.assert_array_equal(info["state"], truth)
        assert reward == np.cos(truth[2])
        errors.append(seen - truth)
    np.testing.assert_allclose(np.std(errors, axis=0), 0.1, rtol=0.15)


def test_actions_are_cut_and_then_noisy() -> None:
    quiet, noisy = make().unwrapped, make(action_noise=0.2).unwrapped
    start = {"state": np.array(swingup.HANGING)}
    quiet.reset(options=start)
    cut, *_ = quiet.step(np.array([7.0]))
    np.testing.assert_array_equal(cut, swingup.step(start["state"], np.ones(1)))
    noisy.reset(seed=0)
    speeds = []
    for _ in range(500):
        noisy.reset(options=start)
        speeds.append(noisy.step(np.zeros(1))[0][1])
    assert np.std(speeds) == pytest.approx(0.2 * cut[1], rel=0.15)


def test_leaving_the_track_ends_the_episode() -> None:
    env = make(track_length=2.0)
    env.reset(options={"state": [0.99, 2.0, np.pi, 0.0]})
    assert env.step(np.zeros(1, np.float32))[2]
    env.reset(options={"state": [-0.9, 0.0, np.pi, 0.0]})
    assert not env.step(np.zeros(1, np.float32))[2]


def test_frames_show_the_pole_where_it_is() -> None:
    env = make(render_mode="rgb_array")
    env.reset(options={"state": [0.0, 0.0, np.pi / 2, 0.0]})
    frame: Any = env.render()
    assert frame.shape == (300, 600, 3)
    assert frame.dtype == np.uint8
    orange = frame[..., 0].astype(int) - frame[..., 2] > 80
    assert orange[:, 300:420].any()
    assert not orange[:, :290].any()


def test_the_picture_follows_a_cart_that_leaves_it() -> None:
    far = np.array([1000.0, 0.0, 0.0, 0.0])
    pixels = swingup.draw(far).astype(int)
    assert (pixels[..., 1] - pixels[..., 0] > 60).any()  # the pole, green


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sensor_noise": -1.0}, "`sensor_noise` must be a standard deviation, 0 or"),
        ({"action_noise": np.nan}, "`action_noise` must be a standard deviation, 0 or"),
        ({"track_length": 0.0}, "`track_length` must be a positive number of metres"),
        ({"render_mode": "human"}, "`render_mode` must be 'rgb_array' or None"),
    ],
)
def test_wrong_options_get_one_line(options: dict[str, Any], message: str) -> None:
    with pytest.raises(EqlearnError, match=message):
        CartPoleSwingUp(**options)


def test_wrong_calls_get_one_line() -> None:
    env = CartPoleSwingUp()
    for action in ([np.nan], [0.0, 0.0], 0.0):
        with pytest.raises(EqlearnError, match="`action` must be one finite number"):
            env.step(np.array(action))
    with pytest.raises(EqlearnError, match="`state` must be four finite numbers"):
        env.reset(options={"state": [1.0]})
    with pytest.raises(EqlearnError, match="`render_mode` must be 'rgb_array'"):
        env.render()


def test_without_gymnasium_the_command_to_install_it_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    spec = importlib.util.spec_from_file_location("again", swingup.__file__)
    assert spec is not None and spec.loader is not None
    monkeypatch.setitem(sys.modules, "gymnasium", None)
    with pytest.raises(EqlearnError, match=r"pip install .eqlearn\[control\]"):
        spec.loader.exec_module(importlib.util.module_from_spec(spec))


def test_all_but_the_environment_works_without_gymnasium() -> None:
    hide = "import sys; sys.modules['gymnasium'] = None"
    load = "from eqlearn.control import film, logs, mpc, planning, rollouts, simulate"
    subprocess.run([sys.executable, "-c", f"{hide}; {load}"], check=True)

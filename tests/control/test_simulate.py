import numpy as np
import pytest

from eqlearn._types import Array
from eqlearn.control.simulate import simulate, stepper
from eqlearn.errors import EqlearnError


def spring(state: Array, action: Array) -> Array:
    """A unit spring that is pushed; undisturbed it is a cosine."""
    return np.stack([state[..., 1], action[..., 0] - state[..., 0]], axis=-1)


def test_an_euler_step_is_worked_by_hand() -> None:
    states = simulate(spring, [1.0, 2.0], [[0.5], [0.5]], 0.1)
    np.testing.assert_allclose(states, [[1.0, 2.0], [1.2, 1.95], [1.395, 1.88]])


@pytest.mark.parametrize(
    ("method", "order"), [("euler", 1), ("rk4", 4)], ids=["euler", "rk4"]
)
def test_errors_fall_by_the_order_of_the_method(method: str, order: int) -> None:
    coarse, fine = (error_at_one(method, n_steps) for n_steps in (10, 20))
    assert np.log2(coarse / fine) == pytest.approx(order, abs=0.2)


def error_at_one(method: str, n_steps: int) -> float:
    actions = np.zeros((n_steps, 1))
    states = simulate(spring, [1.0, 0.0], actions, 1 / n_steps, method)
    return float(abs(states[-1, 0] - np.cos(1)))


def test_a_step_may_be_made_of_shorter_ones() -> None:
    state, push = np.array([1.0, 0.0]), np.zeros(1)
    (fine,) = (stepper(spring, 0.4, "rk4", substeps=4)(state, push),)
    four = simulate(spring, state, np.zeros((4, 1)), 0.1, "rk4")
    np.testing.assert_allclose(fine, four[-1])
    with pytest.raises(EqlearnError, match="`substeps` must be"):
        stepper(spring, 0.4, substeps=0)


def test_adaptive_steps_are_good_to_nine_digits() -> None:
    assert error_at_one("solve_ivp", 3) < 1e-8


@pytest.mark.parametrize("method", ["euler", "rk4", "solve_ivp"])
def test_many_states_go_at_once(method: str) -> None:
    starts = np.array([[1.0, 0.0], [0.0, 1.0], [2.0, -1.0]])
    actions = np.random.default_rng(0).normal(size=(5, 3, 1))
    together = simulate(spring, starts, actions, 0.1, method)
    assert together.shape == (6, 3, 2)
    for number, start in enumerate(starts):
        alone = simulate(spring, start, actions[:, number], 0.1, method)
        np.testing.assert_allclose(together[:, number], alone, atol=1e-8)


@pytest.mark.parametrize("method", ["euler", "rk4", "solve_ivp"])
def test_a_blow_up_is_in_the_result(method: str) -> None:
    states = simulate(lambda s, a: np.exp(s * s), [5.0], np.zeros((9, 1)), 1.0, method)
    assert np.isfinite(states[0]).all()
    assert not np.isfinite(states[-1]).any()


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_model_of_nan_does_not_hang(value: float) -> None:
    states = simulate(
        lambda s, a: np.full(1, value), [0.0], np.zeros((2, 1)), 1.0, "solve_ivp"
    )
    assert np.isnan(states[1:]).all()


def test_a_step_leaves_what_it_is_given_and_what_the_model_gave() -> None:
    state, action = np.array([1.0, 2.0]), np.array([0.0])
    same = np.array([3.0, 4.0])
    for method in ("euler", "rk4", "solve_ivp"):
        stepper(lambda s, a: same, 0.1, method)(state, action)
        assert (*state, *same) == (1, 2, 3, 4)


def test_wrong_settings_get_one_line() -> None:
    with pytest.raises(EqlearnError, match="`method` must be one of .*mean 'euler'"):
        stepper(spring, 0.1, "Eulr")
    for dt in (0.0, -1.0, np.nan, np.inf):
        with pytest.raises(EqlearnError, match="`dt` must be a positive number of"):
            stepper(spring, dt)


@pytest.mark.parametrize("method", ["euler", "rk4", "solve_ivp"])
def test_one_blow_up_leaves_the_others(method: str) -> None:
    starts = np.array([[5.0], [0.0]])
    states = simulate(lambda s, a: s**9, starts, np.zeros((5, 2, 1)), 1.0, method)
    assert not np.isfinite(states[-1, 0])
    assert states[-1, 1] == 0

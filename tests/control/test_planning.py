from dataclasses import FrozenInstanceError
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eqlearn._types import Array
from eqlearn.control import swingup
from eqlearn.control.planning import (
    PLANNERS,
    ActionPlan,
    ControlTask,
    CrossEntropy,
    PathIntegral,
    Planner,
    Shooting,
    bounds,
    look_ahead,
    planner,
    shifted,
)
from eqlearn.errors import EqlearnError

SMALL = dict(n_lookaheads=200, horizon=6, hold=2)
ALL = [kind(**SMALL) for kind in PLANNERS.values()]
each_planner = pytest.mark.parametrize("plan", ALL, ids=list(PLANNERS))


def drift(states: Array, actions: Array) -> Array:
    """A model that goes where it is pushed."""
    return states + actions


def far_from_three(states: Array, actions: Array) -> Array:
    return np.abs(states[:, 0] - 3)


DRIFT = ControlTask(drift, far_from_three, bounds(-1, 1))


def run(
    plan: Planner, task: ControlTask, state: float | Array = 0.0, **options: Any
) -> ActionPlan:
    rng = np.random.default_rng(0)
    return plan(task, np.atleast_1d(state), rng=rng, **options)


def test_costs_at_the_end_and_summed_are_worked_by_hand() -> None:
    candidates = np.array([[[1.0], [0.0]], [[1.0], [-1.0]]])  # two steps, two sequences
    ends = look_ahead(DRIFT, np.zeros(1), candidates)
    np.testing.assert_allclose(ends, [1, 4])
    sums = look_ahead(DRIFT._replace(is_summed=True), np.zeros(1), candidates)
    np.testing.assert_allclose(sums, [2 + 1, 3 + 4])


def test_costs_see_the_action() -> None:
    task = DRIFT._replace(cost=lambda states, actions: 10 * np.abs(actions[:, 0]))
    candidates = np.array([[[1.0]], [[0.5]]])
    np.testing.assert_allclose(look_ahead(task, np.zeros(1), candidates), [5])


def test_look_aheads_that_blow_up_cost_infinity_and_the_others_do_not() -> None:
    def explosive(states: Array, actions: Array) -> Array:
        return np.where(actions > 0, np.exp(1e3 + 0 * actions), states + actions)

    costs = look_ahead(
        DRIFT._replace(step=explosive), np.zeros(1), np.array([[[1.0], [-1.0]]])
    )
    np.testing.assert_allclose(costs, [np.inf, 4])


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("is_summed", [False, True])
def test_no_cost_hides_a_state_that_is_lost(value: float, is_summed: bool) -> None:
    task = ControlTask(
        lambda states, actions: np.full_like(states, value),
        lambda states, actions: np.zeros(len(states)),
        bounds(-1, 1),
        is_summed,
    )
    costs = look_ahead(task, np.zeros(2), np.zeros((3, 4, 1)))
    assert np.isposinf(costs).all()


@each_planner
def test_a_planner_goes_where_it_is_cheap(plan: Planner) -> None:
    found = run(plan, DRIFT)
    assert found.actions.shape == (6, 1)
    assert found.cost < 0.7  # staying would cost 3
    assert abs(found.actions.sum() - 3) < 0.7


@each_planner
def test_the_same_seed_gives_the_same_plan(plan: Planner) -> None:
    first, second = run(plan, DRIFT), run(plan, DRIFT)
    np.testing.assert_array_equal(first.actions, second.actions)


@each_planner
@settings(deadline=None)
@given(st.floats(-3, 3), st.floats(0, 2))
def test_actions_keep_within_their_bounds(
    plan: Planner, low: float, width: float
) -> None:
    task = DRIFT._replace(bounds=bounds([low, -1], [low + width, 1]))
    task = task._replace(step=lambda states, actions: states + actions[:, :1])
    actions = run(plan, task).actions
    assert (actions >= task.bounds.low).all()
    assert (actions <= task.bounds.high).all()


@each_planner
def test_bounds_of_no_width_leave_one_action(plan: Planner) -> None:
    found = run(plan, DRIFT._replace(bounds=bounds(0.25, 0.25)))
    np.testing.assert_allclose(found.actions, 0.25, atol=1e-7)
    assert found.cost == pytest.approx(1.5, rel=1e-4)


@each_planner
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_if_every_look_ahead_blows_up_the_plan_is_safe(
    plan: Planner, value: float
) -> None:
    lost = DRIFT._replace(step=lambda states, actions: np.full_like(states, value))
    with pytest.warns(RuntimeWarning, match=r"all look-aheads from state \[0.0\] blew"):
        found = run(plan, lost)
    assert found.is_safe
    np.testing.assert_array_equal(found.actions, np.zeros((6, 1)))


@each_planner
def test_a_state_that_was_not_measured_gets_the_safe_action(plan: Planner) -> None:
    with pytest.warns(RuntimeWarning, match="the safe action"):
        assert run(plan, DRIFT, np.nan).is_safe


@each_planner
def test_one_look_ahead_that_survives_is_enough(plan: Planner) -> None:
    def only_down(states: Array, actions: Array) -> Array:
        return np.where(np.abs(actions + 0.9) < 1e-6, states + actions, np.nan)

    found = run(plan, DRIFT._replace(step=only_down), previous=_tiled(-0.9))
    np.testing.assert_allclose(found.actions, -0.9, atol=1e-6)
    assert found.cost == pytest.approx(3 + 6 * 0.9)


def test_the_safe_action_is_zero_or_else_the_middle() -> None:
    np.testing.assert_allclose(bounds([-1, 0, 2], [3, 1, 4]).safe, [0, 0, 3])


@pytest.mark.parametrize("plan", [Shooting(30, 6, 2), CrossEntropy(30, 6, 2)])
def test_the_previous_plan_is_kept_until_a_better_one_is_found(plan: Planner) -> None:
    perfect = _tiled(0.5)
    found = run(plan, DRIFT, previous=perfect)
    np.testing.assert_allclose(found.actions, perfect)
    assert found.cost == 0


def test_mppi_draws_around_the_previous_plan() -> None:
    plan = PathIntegral(30, 6, 2, spread=0.01)
    np.testing.assert_allclose(run(plan, DRIFT).actions, 0, atol=0.04)
    found = run(plan, DRIFT, previous=_tiled(0.5))
    np.testing.assert_allclose(found.actions, 0.5, atol=0.04)


def test_shooting_holds_actions_and_covers_the_bounds() -> None:
    seen: list[Array] = []

    def watched(states: Array, actions: Array) -> Array:
        seen.append(actions.copy())
        return states + actions

    run(Shooting(1000, 5, 2), DRIFT._replace(step=watched, bounds=bounds(-3, 1)))
    drawn = np.array(seen)[..., 0]
    np.testing.assert_array_equal(drawn[0], drawn[1])
    np.testing.assert_array_equal(drawn[2], drawn[3])
    assert not np.array_equal(drawn[1], drawn[2])
    assert drawn.shape == (5, 1000)
    np.testing.assert_allclose(
        np.quantile(drawn, [0, 0.25, 0.5, 0.75, 1]), [-3, -2, -1, 0, 1], atol=0.15
    )


def test_rounds_of_cross_entropy_share_the_look_aheads() -> None:
    sizes: list[int] = []

    def watched(states: Array, actions: Array) -> Array:
        sizes.append(len(states))
        return states + actions

    run(CrossEntropy(900, 2, 1, n_rounds=3), DRIFT._replace(step=watched))
    assert sizes == [300] * 6


def second_round(plan: CrossEntropy, task: ControlTask) -> Array:
    """Return the actions that were drawn around the best of the first round."""
    rounds: list[Array] = []

    def watched(states: Array, actions: Array) -> Array:
        rounds.append(actions[1:].copy())
        return task.step(states, actions)

    run(plan, task._replace(step=watched))
    return rounds[1]


def test_rounds_of_cross_entropy_do_not_learn_from_blow_ups() -> None:
    def only_below(states: Array, actions: Array) -> Array:
        return np.where(actions < -0.9, states, np.nan)

    plan = CrossEntropy(200, 1, 1, n_rounds=2, elite=0.9)
    assert second_round(plan, DRIFT._replace(step=only_below)).max() < -0.7


def test_rounds_of_cross_entropy_keep_the_least_spread() -> None:
    plan = CrossEntropy(2000, 1, 1, n_rounds=2, elite=0.001, least_spread=0.05)
    far = DRIFT._replace(bounds=bounds(-10, 10))  # the unit is half the width
    assert second_round(plan, far).std() == pytest.approx(0.5, rel=0.1)


def test_rounds_of_cross_entropy_come_closer() -> None:
    costs = [
        run(CrossEntropy(300 * rounds, 6, 2, n_rounds=rounds), DRIFT).cost
        for rounds in (1, 3)
    ]
    assert costs[1] < costs[0] / 3


def test_the_weights_of_mppi_do_not_depend_on_the_unit_of_cost() -> None:
    plan = PathIntegral(**SMALL)
    dear = DRIFT._replace(cost=lambda s, a: 1e6 * far_from_three(s, a))
    np.testing.assert_allclose(
        run(plan, DRIFT).actions, run(plan, dear).actions, rtol=1e-4, atol=1e-5
    )


def test_a_shifted_plan_drops_the_first_action_and_repeats_the_last() -> None:
    plan = ActionPlan(np.array([[1.0], [2.0], [3.0]]), 0.0)
    np.testing.assert_array_equal(shifted(plan), [[2], [3], [3]])


def test_a_model_may_return_another_precision_and_sees_the_one_asked_for() -> None:
    seen: set[str] = set()

    def double(states: Array, actions: Array) -> Array:
        seen.add(f"{states.dtype} {actions.dtype}")
        return np.asarray(states + actions, dtype=float)

    for precision in (np.float32, np.float64):
        run(Shooting(5, 1, 1), DRIFT._replace(step=double, precision=precision))
    assert seen == {"float32 float32", "float64 float64"}


def test_states_lie_column_by_column_for_the_models_sake() -> None:
    def strict(states: Array, actions: Array) -> Array:
        assert states[:, 1].flags.c_contiguous
        return swingup.step(states, actions)

    task = ControlTask(strict, swingup.cost, bounds(-1, 1))
    Shooting(10, 3)(task, np.array(swingup.HANGING), rng=np.random.default_rng(0))


def test_planners_are_found_by_name() -> None:
    assert planner("cem", horizon=7, elite=0.2) == CrossEntropy(horizon=7, elite=0.2)
    with pytest.raises(EqlearnError, match="`planner` must be one of .*mean 'mppi'"):
        planner("mpppi")
    with pytest.raises(EqlearnError, match="`settings` must be one of .*'horizon'"):
        planner("cem", horizn=7)
    with pytest.raises(FrozenInstanceError):
        planner("mppi").horizon = 3  # type: ignore[misc]


@pytest.mark.parametrize(
    ("name", "settings", "message"),
    [
        ("shooting", {"n_lookaheads": 0}, "`n_lookaheads` must be an integer of at"),
        ("shooting", {"horizon": 2.5}, "`horizon` must be an integer of at least"),
        ("shooting", {"hold": True}, "`hold` must be an integer of at least 1"),
        ("cem", {"n_rounds": 0}, "`n_rounds` must be an integer of at least 1"),
        ("cem", {"elite": 1.5}, r"`elite` must be a share in \(0, 1\]"),
        ("cem", {"spread": -1.0}, "`spread` must be a positive number; got -1.0"),
        ("mppi", {"temperature": np.nan}, "`temperature` must be a positive number"),
    ],
)
def test_wrong_settings_get_one_line(
    name: str, settings: dict[str, Any], message: str
) -> None:
    with pytest.raises(EqlearnError, match=message):
        planner(name, **settings)


@pytest.mark.parametrize(
    ("low", "high"), [(1, -1), (-np.inf, 1), (0, np.nan), ([0, 5], 1)]
)
def test_wrong_bounds_get_one_line(low: Any, high: Any) -> None:
    with pytest.raises(EqlearnError, match="`bounds` must be finite with low <= high"):
        bounds(low, high)


@pytest.mark.parametrize(
    ("low", "high"), [([0, 1], [1, 2, 3]), ("a", 1), (np.zeros((2, 2)), 1)]
)
def test_bounds_that_are_no_list_get_one_line(low: Any, high: Any) -> None:
    with pytest.raises(EqlearnError, match="`bounds` must be a "):
        bounds(low, high)


def test_functions_of_the_wrong_shape_get_one_line() -> None:
    sideways = DRIFT._replace(step=lambda states, actions: (states + actions).T)
    with pytest.raises(EqlearnError, match="`step` must be a function to states of"):
        run(ALL[0], sideways)
    column = DRIFT._replace(cost=lambda states, actions: states)
    with pytest.raises(EqlearnError, match="`cost` must be a function to costs of"):
        run(ALL[0], column)
    with pytest.raises(EqlearnError, match=r"`previous` must be actions of shape \(6"):
        run(ALL[0], DRIFT, previous=np.zeros((3, 1)))


def _tiled(action: float) -> Array:
    return np.full((6, 1), action)


def test_costs_that_nearly_blow_up_do_not_make_all_others_look_alike() -> None:
    """Of equations with a pole, one plan in many costs 1e200, and says nothing."""
    costs = np.random.default_rng(0).uniform(1.0, 2.0, 200)
    usual = PathIntegral()._weights(costs)
    weights = PathIntegral()._weights(np.append(costs, 1e200))
    assert weights[-1] == 0.0
    np.testing.assert_allclose(weights[:-1], usual, atol=0.3 * usual.max())
    assert np.argmax(weights) == np.argmin(costs)
    assert weights.max() > 0.5 * usual.max()

"""Plots of motion say what is so: of fixed points, of maps, of logs with gaps."""

import numpy as np
import pytest
import report_models

from eqlearn._types import Array, Integers
from eqlearn.model.courses import NEXT_VALUE, Courses
from eqlearn.model.model import Model
from eqlearn.network.graph import CONSTANT, Node
from eqlearn.report import motion_plots
from eqlearn.report.findings import columns_said
from eqlearn.report.motion_plots import fixed_points, motion_panels

SQUARE = Node("multiply", ({1: 1.0}, {1: 1.0}))
PRODUCT = Node("multiply", ({0: 1.0}, {1: 1.0}))


def motion(first: dict[int, float], second: dict[int, float], *nodes: Node) -> Model:
    """The motion of two states, x1 and x2."""
    both = [report_models.graph(rate, nodes=nodes) for rate in (first, second)]
    names = ("dx1/dt", "dx2/dt")
    return report_models.model(
        [report_models.equation(*one) for one in zip(names, both, strict=True)]
    )


def logistic_map(growth: float) -> Model:
    square = Node("multiply", ({0: 1.0}, {0: 1.0}))
    step = report_models.graph({0: growth, 1: -growth}, nodes=[square], n_inputs=1)
    target = NEXT_VALUE.format("x1")
    return report_models.model([report_models.equation(target, step)], ["x1"])


def courses(run: Integers, t: Array, n_states: int = 2) -> Courses:
    values = np.zeros((len(t), n_states))
    return Courses(run, run, t, values, values, values)


def test_a_ball_that_falls_never_stays() -> None:
    """Where its speed is zero, its height stays and its speed does not."""
    assert fixed_points(motion({1: 1.0}, {CONSTANT: -9.8, 2: 0.06}, SQUARE)) == []


@pytest.mark.parametrize(("damping", "is_stable"), [(-0.5, True), (0.0, False)])
def test_a_circle_is_not_come_to(damping: float, is_stable: bool) -> None:
    (point,) = fixed_points(motion({1: 1.0}, {0: -1.0, 1: damping}))
    assert point.is_stable == is_stable
    assert point.state == pytest.approx([0.0, 0.0], abs=1e-6)


@pytest.mark.parametrize(("growth", "is_stable"), [(2.5, True), (3.7, False)])
def test_a_map_stays_where_the_next_state_is_this_one(
    growth: float, is_stable: bool
) -> None:
    found = {
        round(float(p.state[0]), 6): p.is_stable
        for p in fixed_points(logistic_map(growth))
    }
    stays = round(1.0 - 1.0 / growth, 6)
    assert found == {0.0: False, stays: is_stable}


def test_the_plot_of_a_map_says_that_it_is_one() -> None:
    t = np.arange(20.0)
    seen = courses(np.zeros(20, dtype=np.int64), t, 1)
    *_, portrait = motion_panels(logistic_map(2.5), seen)
    assert portrait.caption.startswith("The next state along the state")
    (axis,) = portrait.figure.axes
    stays, steps = axis.lines[:2]
    np.testing.assert_array_equal(stays.get_ydata(), stays.get_xdata())
    largest = np.max(np.asarray(steps.get_ydata(), dtype=float))
    assert largest == pytest.approx(2.5 / 4, abs=1e-3)


def test_all_stretches_of_a_log_are_drawn_and_few_trajectories_of_one_time() -> None:
    run, t = np.repeat(np.arange(6, dtype=np.int64), 10), np.arange(60.0)
    assert len(motion_plots._runs(courses(run, t))) == 6
    assert len(motion_plots._runs(courses(run, t % 10))) == motion_plots.MOST_RUNS


def test_states_are_not_called_inputs() -> None:
    assert columns_said(logistic_map(2.5)) == "1 state"
    assert columns_said(motion({1: 1.0}, {0: -1.0})) == "2 states"
    one = report_models.equation("dx1/dt", report_models.graph({0: -1.0, 1: 1.0}))
    assert columns_said(report_models.model([one])) == "1 state and 1 input"
    assert columns_said(report_models.fraction()) == "2 inputs"

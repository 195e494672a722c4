"""From trajectories to samples (s, a) → ṡ, also where sensors are noisy (section 5)."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from eqlearn._types import Array
from eqlearn.control.rollouts import Trajectory
from eqlearn.control.simulate import Dynamics
from eqlearn.data.table import checked_columns, column_of
from eqlearn.errors import must


class DynamicsData(NamedTuple):
    """Samples of ṡ = f(s, a), of all trajectories together."""

    states: Array  # (N, S)
    actions: Array  # (N, A)
    derivatives: Array  # (N, S)
    input_names: tuple[str, ...]  # (S + A,)
    output_names: tuple[str, ...]  # (S,)

    @property
    def inputs(self) -> Array:
        """States and actions side by side, (N, S + A)."""
        return np.hstack([self.states, self.actions])


#: Order of the polynomials that averages leave as they are: keeps fast motion.
DEFAULT_ORDER = 4


def dynamics_data(
    trajectories: Sequence[Trajectory],
    *,
    angles: Sequence[str] = (),
    window: int = 1,
    order: int | None = None,
    every: int | None = None,
    known: Dynamics | None = None,
) -> DynamicsData:
    """Return states and actions, and the derivatives of the states.

    Parameters
    ----------
    trajectories : sequence of Trajectory
        All with the same names.
    angles : sequence of str
        States in radians that jump by a full turn, such as from π to -π. Derivatives
        do not see the jump, states stay as they were measured.
    window : int
        Steps to average over. With 1 the derivatives are differences of successive
        states: exact for a system that makes Euler steps. Noise in the states needs
        more: with noise of 0.01 on the swing-up, 15 reduce an error of 0.7 to 0.07.
    order : int, optional
        Of the polynomials which the average leaves as they are, at most `window`: with
        2 the noise is lowest, with 4 fast motion is kept within half a percent. By
        default 4, or the window.
    every : int, optional
        Keep only every so manyth row. By default so few that the errors of neighbours
        are nearly independent, as whoever learns from the rows assumes.
    known : callable, optional
        The dynamics as far as they are known, to take away what the average of
        something nonlinear differs from its value at the average.

    Notes
    -----
    The weights are those of the Savitzky–Golay derivative. They are written as weights
    of successive differences, and applied to states and actions too: what then remains
    exact are not only straight lines, as in smoothing by itself, but all systems linear
    in state and action, however abruptly the actions change. What is left is corrected
    by `known`: roughly right is enough for that, since it is a small difference.
    """
    check_same_names(trajectories)
    order = min(DEFAULT_ORDER, window) if order is None else order
    weights = _weights(window, order)
    if every is None:
        every = max(1, window // order)
    if every < 1:
        raise must("every", "at least 1", every)
    first = trajectories[0]
    parts = [_filtered(each, angles, weights, known) for each in trajectories]
    states, actions, derivatives = (
        np.vstack([rows[::every] for rows in part]) for part in zip(*parts, strict=True)
    )
    return DynamicsData(
        states,
        actions,
        derivatives,
        first.state_names + first.action_names,
        tuple(f"d({name})/dt" for name in first.state_names),
    )


def check_same_names(trajectories: Sequence[Trajectory]) -> None:
    """Refuse trajectories of different systems, or none at all."""
    if not trajectories:
        raise must("trajectories", "at least one trajectory", trajectories)
    first = trajectories[0]
    for run in trajectories:
        names = run.state_names + run.action_names
        if names != first.state_names + first.action_names:
            raise must("trajectories", "all of the same names", names)


def _weights(window: int, order: int) -> Array:
    """Weights (window,) of successive differences; they add up to 1."""
    if window < 1 or window % 2 == 0:
        raise must("window", "an odd number of steps, 1 or more", window)
    if window == 1:
        return np.ones(1)
    if not 1 <= order <= window:
        raise must("order", f"from 1 to the window, {window}", order)
    # SciPy's signals take a while to import, and only averages need them.
    from scipy.signal import savgol_coeffs

    # A derivative half-way along window + 1 points, in the order of time.
    on_points = savgol_coeffs(window + 1, order, deriv=1, use="dot")
    return -np.cumsum(on_points)[:-1]


def _filtered(
    run: Trajectory,
    angles: Sequence[str],
    weights: Array,
    known: Dynamics | None,
) -> tuple[Array, Array, Array]:
    window = len(weights)
    if len(run.actions) < window:
        what = f"at most the {len(run.actions)} steps of a trajectory"
        raise must("window", what, window)
    continuous = unwrapped(run, angles)
    turns = (run.states - continuous)[:-1]
    inner = slice(window // 2, len(run.actions) - window // 2)
    actions = _averaged(run.actions, weights)
    derivatives = _averaged(np.diff(continuous, axis=0) / run.dt, weights)
    if known is None or window == 1:
        states = _averaged(continuous[:-1], weights) + turns[inner]
        return states, actions, derivatives
    smooth = _smoothed(continuous, window)[:-1] + turns
    states = smooth[inner]
    with np.errstate(all="ignore"):  # equations may have a pole beside the motion
        at_average = known(states, actions)
        correction = at_average - _averaged(known(smooth, run.actions), weights)
    return states, actions, derivatives + np.nan_to_num(correction, posinf=0, neginf=0)


def _smoothed(states: Array, window: int) -> Array:
    from scipy.signal import savgol_filter

    order = min(DEFAULT_ORDER, window - 1)
    smooth: Array = savgol_filter(states, window, order, axis=0)
    return smooth


def unwrapped(run: Trajectory, angles: Sequence[str]) -> Array:
    """The states (T + 1, S), with angles that count on beyond a full turn."""
    columns = [column_of(run.state_names, name, asked="angles") for name in angles]
    states = checked_columns("states", run.states).copy()
    states[:, columns] = np.unwrap(states[:, columns], axis=0)
    return states


def _averaged(rows: Array, weights: Array) -> Array:
    windows = np.lib.stride_tricks.sliding_window_view(rows, len(weights), axis=0)
    averages: Array = windows @ weights
    return averages

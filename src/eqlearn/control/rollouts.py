"""Rollouts, and the data (s, a) → ṡ for learning the dynamics from them (section 5).

Rollouts come from a Gymnasium environment with random actions, or from files.
"""

import csv
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from eqlearn._types import Array
from eqlearn.control.planning import Bounds, bounds
from eqlearn.data.read import read_table
from eqlearn.data.table import Table, checked_columns, column_of
from eqlearn.errors import must, unknown

if TYPE_CHECKING:
    import gymnasium

    Env: TypeAlias = gymnasium.Env[Any, Any]

# A state (S,) to the action (A,) to take in it.
Policy: TypeAlias = Callable[[Array], Array]

# What environments call the seconds that a step takes.
_NAMES_OF_DT = ("dt", "tau")
# How columns of a file are named, so that it can be read without being told.
_STATE, _ACTION, _TIME, _REWARD = "state:", "action:", "time", "reward"
# Logs are not written by a perfect clock; this share of a step may be off.
_JITTER = 0.01


@dataclass(frozen=True, eq=False)
class Trajectory:
    """States, and the action taken in each but the last; `trajectory` checks them."""

    states: Array  # (T + 1, S)
    actions: Array  # (T, A)
    rewards: Array  # (T,) nan where unknown
    dt: float  # seconds a step
    state_names: tuple[str, ...]  # (S,)
    action_names: tuple[str, ...]  # (A,)

    @property
    def total_reward(self) -> float:
        """The sum of the rewards."""
        return float(self.rewards.sum())


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


def collect(
    env: "Env",
    n_rollouts: int = 1,
    n_steps: int = 1000,
    *,
    seed: int,
    spread: float = 0.15,
    hold: int = 1,
    dt: float | None = None,
    state_of: Policy = np.asarray,
) -> list[Trajectory]:
    """Let an environment move by random actions a ~ N(0, `spread`), as in the paper.

    Parameters
    ----------
    env : gymnasium.Env
        An environment with a Box of actions.
    n_rollouts, n_steps : int
        How many rollouts of how many steps. A rollout is shorter if its episode is.
    seed : int
        Of the starts and the actions.
    spread : float
        Standard deviation of the actions about the middle of their bounds, in units of
        half their width. Beyond the bounds they are cut.
    hold : int
        Steps for which an action is held.
    dt : float, optional
        Seconds that a step takes, if the environment does not tell.
    state_of : callable
        Turns an observation into a state, for environments that show something else.
    """
    if not spread >= 0:
        raise must("spread", "a standard deviation, 0 or more", spread)
    rng = np.random.default_rng(seed)
    limits = bounds_of(env)
    return [
        rollout(
            env,
            _random_policy(limits, spread, hold, rng),
            n_steps,
            seed=int(rng.integers(2**31)),
            dt=dt,
            state_of=state_of,
        )
        for _ in range(n_rollouts)
    ]


def rollout(
    env: "Env",
    policy: Policy,
    n_steps: int,
    *,
    seed: int | None = None,
    dt: float | None = None,
    state_of: Policy = np.asarray,
) -> Trajectory:
    """Follow a policy for some steps, or until the episode ends.

    What the sensors say is kept, even if it is no number: a run is not lost for it.
    """
    if n_steps < 1:
        raise must("n_steps", "at least 1", n_steps)
    limits, seconds = bounds_of(env), _dt_of(env, dt)
    observation, _ = env.reset(seed=seed)
    states, actions, rewards = [_state(state_of, observation)], [], []
    for _ in range(n_steps):
        wanted = np.clip(policy(states[-1]), *limits)
        # The environment's own precision, so that the action kept is the one taken.
        action = wanted.astype(env.action_space.dtype)
        observation, reward, is_terminated, is_truncated, _ = env.step(action)
        states.append(_state(state_of, observation))
        actions.append(action.astype(float))
        rewards.append(float(reward))
        if is_terminated or is_truncated:
            break
    return Trajectory(
        np.array(states),
        np.array(actions),
        np.array(rewards),
        seconds,
        _own_names(env, "state_names", "s", len(states[0])),
        _own_names(env, "action_names", "a", len(limits.low)),
    )


def bounds_of(env: "Env") -> Bounds:
    """Return the bounds of an environment's actions."""
    from gymnasium.spaces import Box

    space = env.action_space
    if not isinstance(space, Box) or len(space.shape) != 1:
        hint = "Wrap the environment so that an action is a list of numbers."
        raise must("env", "an environment with a Box of actions", str(space), hint)
    return bounds(space.low, space.high)


def trajectory(
    states: Array,
    actions: Array,
    dt: float,
    rewards: Array | None = None,
    state_names: Sequence[str] | None = None,
    action_names: Sequence[str] | None = None,
) -> Trajectory:
    """Check states (T + 1, S) and actions (T, A), and make a trajectory of them."""
    states = checked_columns("states", states)
    actions = checked_columns("actions", actions)
    if len(states) != len(actions) + 1:
        what = f"one row more than actions, {len(actions) + 1} rows"
        raise must("states", what, len(states))
    if not (np.isfinite(dt) and dt > 0):
        raise must("dt", "a positive number of seconds", dt)
    known = np.full(len(actions), np.nan) if rewards is None else np.asarray(rewards)
    if known.shape != (len(actions),):
        raise must("rewards", f"one number an action, {len(actions)}", known)
    return Trajectory(
        states,
        actions,
        known.astype(float),
        float(dt),
        _checked_names("state_names", state_names, "s", states.shape[1]),
        _checked_names("action_names", action_names, "a", actions.shape[1]),
    )


def dynamics_data(
    trajectories: Sequence[Trajectory],
    *,
    angles: Sequence[str] = (),
    window: int = 1,
    order: int = 4,
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
    order : int
        Of the polynomials which the average leaves as they are, at most `window`: with
        2 the noise is lowest, with 4 fast motion is kept within half a percent.

    Notes
    -----
    The weights are those of the Savitzky–Golay derivative. They are written as weights
    of successive differences, and applied to states and actions too: what then remains
    exact are not only straight lines, as in smoothing by itself, but all systems linear
    in state and action, however abruptly the actions change.
    """
    if not trajectories:
        raise must("trajectories", "at least one trajectory", trajectories)
    weights = _weights(window, order)
    first = trajectories[0]
    parts = [_filtered(each, first, angles, weights) for each in trajectories]
    states, actions, derivatives = (
        np.vstack(part) for part in zip(*parts, strict=True)
    )
    return DynamicsData(
        states,
        actions,
        derivatives,
        first.state_names + first.action_names,
        tuple(f"d({name})/dt" for name in first.state_names),
    )


def write(path: str | os.PathLike[str], run: Trajectory) -> None:
    """Write a trajectory as .csv or .npz: a column each for time, states, actions.

    In the last row, a state after which nothing was done, action and reward are 0.
    """
    columns = {_TIME: np.arange(len(run.states)) * run.dt}
    for name, values in zip(run.state_names, run.states.T, strict=True):
        columns[_STATE + name] = values
    for name, values in zip(run.action_names, run.actions.T, strict=True):
        columns[_ACTION + name] = np.append(values, 0.0)
    if np.isfinite(run.rewards).all():
        columns[_REWARD] = np.append(run.rewards, 0.0)
    ending = Path(path).suffix
    if ending not in _WRITERS:
        raise unknown("path", ending, _WRITERS)
    try:
        _WRITERS[ending](Path(path), columns)
    except OSError as error:
        what, hint = "a file that can be written", f"{error.strerror}."
        raise must("path", what, os.fspath(path), hint) from error


def read(
    path: str | os.PathLike[str],
    *,
    states: Sequence[str] | None = None,
    actions: Sequence[str] | None = None,
    time: str = _TIME,
    dt: float | None = None,
) -> Trajectory:
    """Read a trajectory that was written here, or a log with one row a step.

    Parameters
    ----------
    path : str or path-like
        A .csv, .npz or other table. The action in a row is the one taken in the state
        of that row; the last one is not used.
    states, actions : sequence of str, optional
        Their columns; by default those named ``state:...`` and ``action:...``.
    time : str
        The column of times in seconds, evenly spaced.
    dt : float, optional
        Seconds from row to row, for a log without times.
    """
    only = None
    if states is not None and actions is not None:
        only = [*states, *actions, *([time] if dt is None else [])]
    table = read_table(path, only=only)
    state_columns = _columns(table, "states", states, _STATE)
    action_columns = _columns(table, "actions", actions, _ACTION)
    if dt is None:
        dt = _spacing(table.values[:, _columns(table, "time", [time], "")[0]])
    rewards = None
    if _REWARD in table.names:
        rewards = table.values[:-1, table.names.index(_REWARD)]
    return trajectory(
        table.values[:, state_columns],
        table.values[:-1, action_columns],
        dt,
        rewards,
        [table.names[at].removeprefix(_STATE) for at in state_columns],
        [table.names[at].removeprefix(_ACTION) for at in action_columns],
    )


def _random_policy(
    limits: Bounds, spread: float, hold: int, rng: np.random.Generator
) -> Policy:
    if hold < 1:
        raise must("hold", "at least 1", hold)
    left, action = 0, limits.middle

    def policy(state: Array) -> Array:
        nonlocal left, action
        if left == 0:
            noise = rng.normal(0.0, spread, len(limits.low))
            left, action = hold, limits.middle + noise * limits.half_width
        left -= 1
        return action

    return policy


def _dt_of(env: "Env", dt: float | None) -> float:
    if dt is not None:
        return dt
    for name in _NAMES_OF_DT:
        found = getattr(env.unwrapped, name, None)
        if found is not None:
            return float(found)
    hint = "The environment does not tell."
    raise must("dt", "the seconds that a step takes", None, hint)


def _state(state_of: Policy, observation: Any) -> Array:
    state = np.array(state_of(observation), dtype=float)
    if state.ndim != 1:
        raise must("state_of", "a function to a list of numbers", state)
    return state


def _own_names(env: "Env", kind: str, letter: str, n_columns: int) -> tuple[str, ...]:
    names = getattr(env.unwrapped, kind, ())
    # A state made from the observation need not be what the environment has names for.
    return tuple(names) if len(names) == n_columns else _numbered(letter, n_columns)


def _checked_names(
    asked: str, names: Sequence[str] | None, letter: str, n_columns: int
) -> tuple[str, ...]:
    if names is None:
        return _numbered(letter, n_columns)
    if len(names) != n_columns or len(set(names)) != n_columns:
        raise must(asked, f"{n_columns} different names", tuple(names))
    return tuple(names)


def _numbered(letter: str, n_columns: int) -> tuple[str, ...]:
    return tuple(f"{letter}{number}" for number in range(n_columns))


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
    run: Trajectory, first: Trajectory, angles: Sequence[str], weights: Array
) -> tuple[Array, Array, Array]:
    if (run.state_names, run.action_names) != (first.state_names, first.action_names):
        names = run.state_names + run.action_names
        raise must("trajectories", "all of the same names", names)
    if len(run.actions) < len(weights):
        what = f"at most the {len(run.actions)} steps of a trajectory"
        raise must("window", what, len(weights))
    continuous = _unwrapped(run, angles)
    differences = np.diff(continuous, axis=0) / run.dt
    middle = len(weights) // 2
    turns = (run.states - continuous)[middle : len(run.actions) - middle]
    return (
        _averaged(continuous[:-1], weights) + turns,
        _averaged(run.actions, weights),
        _averaged(differences, weights),
    )


def _unwrapped(run: Trajectory, angles: Sequence[str]) -> Array:
    columns = [column_of(run.state_names, name, asked="angles") for name in angles]
    states = checked_columns("states", run.states).copy()
    states[:, columns] = np.unwrap(states[:, columns], axis=0)
    return states


def _averaged(rows: Array, weights: Array) -> Array:
    windows = np.lib.stride_tricks.sliding_window_view(rows, len(weights), axis=0)
    averages: Array = windows @ weights
    return averages


def _columns(
    table: Table, asked: str, names: Sequence[str] | None, prefix: str
) -> list[int]:
    if names is None:
        names = [name for name in table.names if name.startswith(prefix)]
    if not names:
        hint = f"None is named {prefix}... in {table.source}."
        raise must(asked, "names of columns", names, hint)
    return [
        column_of(table.names, name, asked=asked, source=table.source) for name in names
    ]


def _spacing(times: Array) -> float:
    if len(times) < 2:
        raise must("time", "a column of at least two times", times)
    steps = np.diff(times)
    dt = float(steps.mean())
    uneven = np.flatnonzero(~(np.abs(steps - dt) <= _JITTER * abs(dt)))
    if dt <= 0 or len(uneven):
        row = int(uneven[0]) + 1 if len(uneven) else 1
        where = f"after row {row} (mean {dt:.6g})"
        hint = "Cut the log at gaps, or resample it."
        raise must("time", "evenly spaced", float(steps[row - 1]), hint, where=where)
    return dt


def _write_csv(path: Path, columns: dict[str, Array]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(columns)
        # Python writes as many digits as reading the same number back takes.
        rows.writerows(
            zip(*(values.tolist() for values in columns.values()), strict=True)
        )


def _write_npz(path: Path, columns: dict[str, Array]) -> None:
    np.savez(path, **columns)


_WRITERS: dict[str, Callable[[Path, dict[str, Array]], None]] = {
    ".csv": _write_csv,
    ".npz": _write_npz,
}

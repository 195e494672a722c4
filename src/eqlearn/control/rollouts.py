"""Rollouts of a Gymnasium environment with random actions (section 5)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from eqlearn._types import Array, Numbers
from eqlearn.control.planning import Bounds, bounds
from eqlearn.data.table import checked_columns
from eqlearn.errors import must

if TYPE_CHECKING:
    import gymnasium

    Env: TypeAlias = gymnasium.Env[Any, Any]

# A state (S,) to the action (A,) to take in it.
Policy: TypeAlias = Callable[[Array], Array]

# What environments call the seconds that a step takes.
_NAMES_OF_DT = ("dt", "tau")


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
    states, actions, rewards = [checked_state(state_of, observation)], [], []
    for _ in range(n_steps):
        wanted = np.clip(policy(states[-1]), *limits)
        # The environment's own precision, so that the action kept is the one taken.
        action = wanted.astype(env.action_space.dtype)
        observation, reward, is_terminated, is_truncated, _ = env.step(action)
        states.append(checked_state(state_of, observation))
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
    states: Numbers,
    actions: Numbers,
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


def renamed(
    run: Trajectory,
    state_names: Sequence[str] | None = None,
    action_names: Sequence[str] | None = None,
) -> Trajectory:
    """Give states and actions other names; those that are not given stay."""
    states = run.state_names if state_names is None else state_names
    actions = run.action_names if action_names is None else action_names
    return replace(
        run,
        state_names=_checked_names("states", states, "s", run.states.shape[1]),
        action_names=_checked_names("actions", actions, "a", run.actions.shape[1]),
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
        if not (np.isfinite(dt) and dt > 0):
            raise must("dt", "a positive number of seconds", dt)
        return dt
    for name in _NAMES_OF_DT:
        found = getattr(env.unwrapped, name, None)
        if found is not None:
            return float(found)
    hint = "The environment does not tell."
    raise must("dt", "the seconds that a step takes", None, hint)


def checked_state(state_of: Policy, observation: Any) -> Array:
    """Turn an observation into a state (S,)."""
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

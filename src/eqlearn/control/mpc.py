"""Model-predictive control: plan, act, see what happened, plan anew (section 5)."""

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from eqlearn._types import Array
from eqlearn.control.planning import ControlTask, Planner, Shooting, shifted
from eqlearn.control.rollouts import Policy, Trajectory, rollout

if TYPE_CHECKING:
    from eqlearn.control.rollouts import Env


class Controller:
    """Plans at every step, and starts from what is left of the plan before.

    Parameters
    ----------
    task : ControlTask
        The model, the cost and the bounds of the actions.
    planner : Planner
        How to plan; random shooting, the paper's, by default.
    seed : int
        Of the look-aheads.
    is_warm : bool
        Whether to start from the plan before.
    """

    def __init__(
        self,
        task: ControlTask,
        planner: Planner | None = None,
        *,
        seed: int = 0,
        is_warm: bool = True,
    ) -> None:
        self.task = task
        self.planner = planner or Shooting()
        self.seed = seed
        self.is_warm = is_warm
        self.reset()

    def reset(self) -> None:
        """Forget the plan, and draw the same look-aheads again."""
        self.n_safe = 0  # steps for which every look-ahead blew up
        self._previous: Array | None = None  # changes in `act`
        self._rng = np.random.default_rng(self.seed)

    def act(self, state: Array) -> Array:
        """Return the action (A,) to take in a state (S,)."""
        plan = self.planner(self.task, state, rng=self._rng, previous=self._previous)
        self.n_safe += plan.is_safe
        if self.is_warm:
            # The safe action is no plan to start from.
            self._previous = None if plan.is_safe else shifted(plan)
        action: Array = plan.actions[0]
        return action


@dataclass(frozen=True, eq=False)
class ControlRun:
    """What a controller did, and how long it thought about each action."""

    trajectory: Trajectory
    plan_seconds: Array  # (T,)
    n_safe: int  # steps for which every look-ahead blew up

    @property
    def share_in_time(self) -> float:
        """The share of the actions that were ready within one step."""
        return float(np.mean(self.plan_seconds <= self.trajectory.dt))


def control(
    env: "Env",
    controller: Controller,
    n_steps: int = 500,
    *,
    seed: int | None = None,
    dt: float | None = None,
    state_of: Policy = np.asarray,
) -> ControlRun:
    """Let a controller drive a Gymnasium environment with a Box of actions.

    Parameters
    ----------
    env : gymnasium.Env
        The environment. It is reset, and so is the controller.
    controller : Controller
        It sees nothing but the states.
    n_steps : int
        For how long, if the episode does not end before.
    seed : int, optional
        Of the environment.
    dt : float, optional
        Seconds that a step takes, if the environment does not tell.
    state_of : callable
        Turns an observation into a state, for environments that show something else.
    """
    controller.reset()
    seconds: list[float] = []

    def timed(state: Array) -> Array:
        start = time.perf_counter()
        action = controller.act(state)
        seconds.append(time.perf_counter() - start)
        return action

    run = rollout(env, timed, n_steps, seed=seed, dt=dt, state_of=state_of)
    return ControlRun(run, np.array(seconds), controller.n_safe)

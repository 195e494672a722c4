"""Planners: from a model, a cost and a state to the actions to take (section 5).

Each tries many sequences of actions on the model, all at once. The model is any
vectorised `step(states, actions)`: hand-written, learned or exported.
"""

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from eqlearn._types import Array, Integers, Numbers
from eqlearn.control.simulate import StepFunction
from eqlearn.errors import check_count, must, unknown

# The states (B, S) reached and the actions (B, A) that led there to costs (B,).
Cost: TypeAlias = Callable[[Array, Array], Array]


class Bounds(NamedTuple):
    """The lowest and highest values of each action; `bounds` checks them."""

    low: Array  # (A,)
    high: Array  # (A,)

    @property
    def middle(self) -> Array:
        """Half-way between the bounds."""
        return self.low + self.half_width

    @property
    def half_width(self) -> Array:
        """Half the distance between the bounds."""
        return (self.high - self.low) / 2

    @property
    def safe(self) -> Array:
        """Zero, or the middle where zero is not allowed."""
        return np.where((self.low <= 0) & (self.high >= 0), 0.0, self.middle)


class ControlTask(NamedTuple):
    """What a planner is asked to do: a model, a cost, bounds of the actions."""

    step: StepFunction
    cost: Cost
    bounds: Bounds
    is_summed: bool = False  # over the horizon; else only its end counts, as in Eq. 13
    precision: Any = np.float32  # of states and actions: half the time of float64


class ActionPlan(NamedTuple):
    """A sequence of actions, and what it costs on the model."""

    actions: Array  # (T, A)
    cost: float
    is_safe: bool = False  # every look-ahead blew up, and this is the safe action


def bounds(low: Numbers, high: Numbers) -> Bounds:
    """Return the bounds of the actions, one number each or one for each action."""
    try:
        pairs = np.stack(np.broadcast_arrays(low, high), axis=-1).astype(float)
    except (TypeError, ValueError) as error:
        raise must("bounds", "a low and a high for each action", (low, high)) from error
    if pairs.ndim > 2:
        raise must("bounds", "a number, or a list of one for each action", pairs)
    pairs = np.atleast_2d(pairs)
    for number, (lowest, highest) in enumerate(pairs.tolist()):
        if not (np.isfinite(highest - lowest) and lowest <= highest):
            what = f"finite with low <= high for action {number}"
            raise must("bounds", what, (lowest, highest))
    return Bounds(pairs[:, 0], pairs[:, 1])


def planner(name: str, **settings: float) -> "Planner":
    """Return a planner by its name: "shooting", "cem" or "mppi"."""
    if name not in PLANNERS:
        raise unknown("planner", name, PLANNERS)
    kind = PLANNERS[name]
    for setting in settings:
        if setting not in kind.__dataclass_fields__:
            raise unknown("settings", setting, kind.__dataclass_fields__)
    return kind(**settings)  # type: ignore[arg-type]  # checked by the planner


@dataclass(frozen=True)
class Planner(ABC):
    """How many look-aheads of how many steps, each action held for how many."""

    n_lookaheads: int = 1000
    horizon: int = 50
    hold: int = 10

    def __post_init__(self) -> None:
        for name in ("n_lookaheads", "horizon", "hold"):
            check_count(name, getattr(self, name))

    def __call__(
        self,
        task: ControlTask,
        state: Array,
        *,
        rng: np.random.Generator,
        previous: Array | None = None,
    ) -> ActionPlan:
        """Plan from a state (S,); `previous` are actions (T, A) to start from.

        If every look-ahead blows up, there is a warning and the plan is safe.
        """
        shape = (self.horizon, len(task.bounds.low))
        if previous is not None and np.shape(previous) != shape:
            raise must("previous", f"actions of shape {shape}", previous)
        plan = self.search(task, np.asarray(state, dtype=float), rng, previous)
        if np.isfinite(plan.cost):
            # Rounded to float32, a bound can be a little beyond itself.
            return plan._replace(actions=np.clip(plan.actions, *task.bounds))
        warnings.warn(
            f"all look-aheads from state {np.round(state, 3).tolist()} blew up: "
            f"the safe action {task.bounds.safe.tolist()} is taken",
            RuntimeWarning,
            stacklevel=2,
        )
        return ActionPlan(
            _constant(task.bounds.safe, self.horizon), np.inf, is_safe=True
        )

    def _shape(self, n_lookaheads: int, bounds: Bounds) -> tuple[int, int, int]:
        """Shape of the actions to draw: one for each hold, the last may be cut."""
        return -(-self.horizon // self.hold), n_lookaheads, len(bounds.low)

    def _held(self, draws: Array) -> Array:
        return np.repeat(draws, self.hold, axis=0)[: self.horizon]

    def _around(
        self,
        mean: Array,
        spread: Array,
        n_lookaheads: int,
        task: ControlTask,
        rng: np.random.Generator,
    ) -> Array:
        """Draw sequences (T, B, A) around a mean, spread by (T, A), within bounds."""
        shape = self._shape(n_lookaheads, task.bounds)
        candidates = self._held(rng.standard_normal(shape, dtype=task.precision))
        candidates *= spread[:, None]
        candidates += mean[:, None]
        return np.clip(candidates, *task.bounds, out=candidates)

    @abstractmethod
    def search(
        self,
        task: ControlTask,
        state: Array,
        rng: np.random.Generator,
        previous: Array | None,
    ) -> ActionPlan:
        """Return the plan found; its cost is infinite if every look-ahead blew up."""


@dataclass(frozen=True)
class Shooting(Planner):
    """Random shooting: the best of many sequences drawn evenly (the paper's).

    The previous plan is one of them, so that a good plan is kept until a better one
    is found.
    """

    def search(
        self,
        task: ControlTask,
        state: Array,
        rng: np.random.Generator,
        previous: Array | None,
    ) -> ActionPlan:
        """Draw evenly within the bounds and take the cheapest."""
        low, high = task.bounds
        draws = rng.random(
            self._shape(self.n_lookaheads, task.bounds), dtype=task.precision
        )
        draws *= high - low
        draws += low
        candidates = self._held(draws)
        if previous is not None:
            candidates[:, 0] = previous
        return _cheapest(candidates, look_ahead(task, state, candidates))


@dataclass(frozen=True)
class CrossEntropy(Planner):
    """Cross-entropy method: draw, keep the best, draw around those, and so on.

    The look-aheads are shared out among the rounds. Spreads are in units of half the
    width of the bounds.
    """

    n_rounds: int = 3
    elite: float = 0.1  # share of the look-aheads drawn around in the next round
    spread: float = 1.0  # in the first round
    least_spread: float = 0.05

    def __post_init__(self) -> None:
        super().__post_init__()
        check_count("n_rounds", self.n_rounds)
        if not 0 < self.elite <= 1:
            raise must("elite", "a share in (0, 1]", self.elite)
        for name in ("spread", "least_spread"):
            _check_positive(name, getattr(self, name))

    def search(
        self,
        task: ControlTask,
        state: Array,
        rng: np.random.Generator,
        previous: Array | None,
    ) -> ActionPlan:
        """Return the cheapest look-ahead of all rounds."""
        best = ActionPlan(_start(task.bounds, self.horizon, previous), np.inf)
        mean = best.actions
        spread: Array = _constant(self.spread * task.bounds.half_width, self.horizon)
        n_each = max(1, self.n_lookaheads // self.n_rounds)
        for _ in range(self.n_rounds):
            candidates = self._around(mean, spread, n_each, task, rng)
            candidates[:, 0] = best.actions
            costs = look_ahead(task, state, candidates)
            found = _cheapest(candidates, costs)
            best = min(best, found, key=lambda plan: plan.cost)
            if not np.isfinite(best.cost):
                return best
            chosen = candidates[:, self._elite_of(costs)]
            mean = chosen.mean(axis=1)
            least = self.least_spread * task.bounds.half_width
            spread = np.maximum(chosen.std(axis=1), least)
        return best

    def _elite_of(self, costs: Array) -> Integers:
        n_elite = max(1, round(self.elite * len(costs)))
        order = np.argsort(costs)[:n_elite]
        return order[np.isfinite(costs[order])]


#: Medians: costs above the least that are larger do not widen the spread of costs.
_WORST = 10.0


@dataclass(frozen=True)
class PathIntegral(Planner):
    """MPPI: the mean of many sequences, each weighted by exp(-cost / temperature).

    The temperature is in units of the spread of the costs, so that it need not be
    chosen anew for every cost. The spread of the actions is in units of half the width
    of the bounds.
    """

    spread: float = 0.4
    temperature: float = 0.02

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_positive("spread", self.spread)
        _check_positive("temperature", self.temperature)

    def search(
        self,
        task: ControlTask,
        state: Array,
        rng: np.random.Generator,
        previous: Array | None,
    ) -> ActionPlan:
        """Draw around the previous plan and average."""
        start = _start(task.bounds, self.horizon, previous)
        spread = _constant(self.spread * task.bounds.half_width, self.horizon)
        candidates = self._around(start, spread, self.n_lookaheads, task, rng)
        candidates[:, 0] = start
        costs = look_ahead(task, state, candidates)
        best = _cheapest(candidates, costs)
        if not np.isfinite(best.cost):
            return best
        # The weight of a blow-up is 0, and 0 · inf would be nan.
        finite = np.isfinite(costs)
        weights = self._weights(costs[finite])
        mean = np.einsum("b,tba->ta", weights, candidates[:, finite])
        return ActionPlan(mean, float(weights @ costs[finite]))

    def _weights(self, costs: Array) -> Array:
        above = costs - costs.min()
        # One that nearly blows up must not make all others look alike.
        usual = float(np.median(above))
        scale = self.temperature * np.minimum(above, _WORST * usual or np.inf).std()
        weights = np.exp(-above / scale) if scale > 0 else np.ones_like(costs)
        shares: Array = weights / weights.sum()
        return shares


PLANNERS: dict[str, type[Planner]] = {
    "shooting": Shooting,
    "cem": CrossEntropy,
    "mppi": PathIntegral,
}


def look_ahead(task: ControlTask, state: Array, candidates: Array) -> Array:
    """Return the costs (B,) of action sequences (T, B, A), infinite for blow-ups."""
    n_lookaheads = candidates.shape[1]
    # Column by column, because a model works on one quantity of all states at a time.
    shape = (n_lookaheads, len(state))
    states: Array = np.empty(shape, dtype=task.precision, order="F")
    states[:] = state
    total: Array | float = 0.0
    with np.errstate(all="ignore"):  # blow-ups are expected, and cost infinity
        for actions in candidates:
            states = task.step(states, actions)
            if np.shape(states) != shape:
                raise must("step", f"a function to states of shape {shape}", states)
            if task.is_summed:
                total = total + task.cost(states, actions)
        costs = total if task.is_summed else task.cost(states, candidates[-1])
    if np.shape(costs) != (n_lookaheads,):
        raise must("cost", f"a function to costs of shape ({n_lookaheads},)", costs)
    is_finite = np.isfinite(costs) & np.isfinite(states).all(axis=1)
    return np.where(is_finite, costs, np.inf)


def shifted(plan: ActionPlan) -> Array:
    """Return the actions (T, A) left over one step later, the last one twice."""
    return np.concatenate([plan.actions[1:], plan.actions[-1:]])


def _cheapest(candidates: Array, costs: Array) -> ActionPlan:
    best = np.argmin(costs)
    return ActionPlan(candidates[:, best].astype(float), float(costs[best]))


def _start(bounds: Bounds, horizon: int, previous: Array | None) -> Array:
    return _constant(bounds.middle, horizon) if previous is None else previous


def _constant(action: Array, horizon: int) -> Array:
    return np.tile(action, (horizon, 1))


def _check_positive(name: str, value: float) -> None:
    if not (np.isfinite(value) and value > 0):
        raise must(name, "a positive number", value)

"""How a system is entered, and how its motion is recorded: with noise, any steps."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
import sympy
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

Variant = Literal["even", "uneven"]
Array = NDArray[np.float64]

#: Share of a step by which times are off, and of rows that are missing, if uneven.
JITTER, MISSING = 0.4, 0.2
#: A chaotic system is to be followed so many Lyapunov times.
LYAPUNOV_TIMES = 2.0


@dataclass(frozen=True)
class System:
    """Rates of states, and where its motion begins, is measured and is followed."""

    name: str
    rates: dict[str, str]  # by state, as SymPy reads them
    starts: tuple[tuple[float, ...], ...]  # of the trajectories that are learned from
    held_out: tuple[float, ...]  # a start to be followed from
    duration: float
    n_rows: int  # of each trajectory
    inputs: tuple[str, ...] = ()
    lyapunov_time: float | None = None  # of a chaotic one

    @property
    def states(self) -> tuple[str, ...]:
        """The names of the states."""
        return tuple(self.rates)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of states and inputs."""
        return (*self.states, *self.inputs)

    @cached_property
    def expressions(self) -> tuple[sympy.Expr, ...]:
        """The rates, in symbols named as states and inputs."""
        symbols = {name: sympy.Symbol(name) for name in self.names}
        return tuple(sympy.sympify(rate, symbols) for rate in self.rates.values())

    @cached_property
    def _function(self) -> Any:
        return sympy.lambdify(self.names, self.expressions, "math", cse=True)

    def motion(self, start: tuple[float, ...], t: Array, phase: float) -> Array:
        """States (N, S) at the times, under inputs of a phase."""

        def rate(now: float, state: Array) -> Any:
            driven = signal(np.array([now]), len(self.inputs), phase)[0]
            return self._function(*state, *driven)

        ends, accuracy = (float(t[0]), float(t[-1])), {"rtol": 1e-10, "atol": 1e-12}
        solved: Any = solve_ivp(rate, ends, start, "LSODA", t, **accuracy)
        if not solved.success or not np.all(np.isfinite(solved.y)):
            raise ValueError(f"{self.name} cannot be followed from {start}")
        states: Array = solved.y.T
        return states

    @property
    def followed(self) -> float:
        """How long motion from the held-out start must be followed."""
        if self.lyapunov_time is None:
            return self.duration
        return min(self.duration, LYAPUNOV_TIMES * self.lyapunov_time)


class Recording(NamedTuple):
    """One trajectory as it was measured."""

    t: Array  # (N,)
    states: Array  # (N, S)
    inputs: Array  # (N, A)


def signal(t: Array, n_inputs: int, phase: float) -> Array:
    """Inputs (N, A) that excite a system: sums of incommensurable sines."""
    columns = [
        np.sin(1.3 * t + phase + 2 * k)
        + 0.7 * np.sin(3.1 * t + 1 + 2 * phase - k)
        + 0.5 * np.sin(0.47 * t - phase + k)
        for k in range(n_inputs)
    ]
    return np.stack(columns, axis=1) if columns else np.zeros((len(t), 0))


def recording(
    system: System, noise: float, seed: int, variant: Variant = "even"
) -> list[Recording]:
    """Trajectories to learn from; noise is a share of the spread of each state."""
    digits = [ord(letter) for letter in system.name]
    rng = np.random.default_rng(
        [seed, round(1e4 * noise), variant == "uneven", *digits]
    )
    exact = []
    for k, start in enumerate(system.starts):
        t = np.linspace(0.0, system.duration, system.n_rows)
        if variant == "uneven":
            t[1:-1] += JITTER * t[1] * rng.uniform(-1, 1, len(t) - 2)
            t = np.sort(rng.choice(t[1:], round((1 - MISSING) * len(t)), replace=False))
            t = np.concatenate([[0.0], t])
        phase = float(k)
        x = system.motion(start, t, phase)
        exact.append(Recording(t, x, signal(t, len(system.inputs), phase)))
    spread = np.std(np.concatenate([one.states for one in exact]), axis=0)
    return [
        one._replace(
            states=one.states + noise * spread * rng.normal(size=one.states.shape)
        )
        for one in exact
    ]


def held_out(system: System) -> Recording:
    """The noise-free trajectory from the held-out start, under other inputs."""
    n = max(50, round(system.n_rows * system.followed / system.duration))
    t, phase = np.linspace(0.0, system.followed, n), 7.0
    x = system.motion(system.held_out, t, phase)
    return Recording(t, x, signal(t, len(system.inputs), phase))

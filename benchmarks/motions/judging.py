"""How a learned system is judged: form, constants, and a held-out start."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy
from numpy.typing import NDArray

from benchmarks.motions.entry import System, held_out, recording
from eqlearn.problems.true_form import has_true_form
from eqlearn.training.levenberg import fit
from eqlearn.training.samples import samples

Array = NDArray[np.float64]

#: R² that counts as following, in every state.
FOLLOWS = 0.9
#: How far off the motion laws are compared, in spreads of each state.
NEAR, FAR = 0.05, 0.4
#: Off the motion, a rate so many times the largest on it is near a pole.
_EXTREME = 10.0


@dataclass(frozen=True)
class Law:
    """The true rate of one state, as a problem whose points lie about its motion."""

    system: System
    state: int
    visited: Array  # (N, S + A)

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names of states and inputs."""
        return self.system.names

    def expressions(self) -> tuple[sympy.Expr, ...]:
        """The true rate."""
        return (self.system.expressions[self.state],)

    def sample(self, n: int, rng: Any, noise: float = 0.0) -> tuple[Array, Array]:
        """Points near the motion."""
        return self._around(n, rng, NEAR)

    def sample_extrapolation(self, n: int, rng: Any) -> tuple[Array, Array]:
        """Points further off."""
        return self._around(n, rng, FAR)

    def _around(self, n: int, rng: Any, width: float) -> tuple[Array, Array]:
        spread = self.visited.std(axis=0)
        drawn = self.visited[rng.integers(len(self.visited), size=20 * n)]
        drawn = drawn + width * spread * rng.normal(size=drawn.shape)
        positive = self.visited.min(axis=0) > 0
        drawn = drawn[np.all((drawn > 0) | ~positive, axis=1)]
        with np.errstate(all="ignore"):
            values, usual = self._rates(drawn), self._rates(self.visited)
        usable = np.abs(values) < _EXTREME * np.abs(usual).max()
        return drawn[usable][:n], values[usable][:n, None]

    def _rates(self, x: Array) -> Array:
        function = sympy.lambdify(self.inputs, self.expressions()[0], "numpy")
        return np.broadcast_to(np.asarray(function(*x.T), float), len(x))


def laws(system: System) -> list[Law]:
    """The true rates of all states."""
    exact = recording(system, 0.0, 0)
    visited = np.concatenate([np.hstack([e.states, e.inputs]) for e in exact])
    return [Law(system, state, visited) for state in range(len(system.states))]


def true_forms(system: System, expressions: list[sympy.Expr]) -> list[bool]:
    """Whether each learned rate is the law but for its constants."""
    return [
        bool(has_true_form(one, law, np.random.default_rng(0)))  # type: ignore[arg-type]
        for one, law in zip(expressions, laws(system), strict=True)
    ]


def constants_within(
    law: Law, graph: Any, errors: Array, n_errors: float = 2.0
) -> list[bool]:
    """Whether each constant of a true form is within its errors of the truth."""
    x, y = law.sample(500, np.random.default_rng(1))
    truth = fit(graph, samples(x, y), n_iterations=100, tolerance=1e-12).graph
    keys, have, want = graph.parameters(), graph.slots(), truth.slots()
    return [
        bool(abs(have[s][f] - want[s][f]) <= n_errors * error)
        for (s, f), error in zip(keys, errors, strict=True)
    ]


def follows(system: System, simulate: Any) -> tuple[bool, list[float]]:
    """Whether motion from the held-out start is followed, and R² of each state."""
    truth = held_out(system)
    with np.errstate(all="ignore"):
        states = simulate(np.array(system.held_out, float), truth.t, truth.inputs)
        left = np.sum((states - truth.states) ** 2, axis=0)
        r2 = 1 - left / np.sum((truth.states - truth.states.mean(axis=0)) ** 2, axis=0)
    r2 = np.where(np.isfinite(r2), r2, -np.inf)
    return bool(np.all(r2 > FOLLOWS)), [float(max(one, -1e9)) for one in r2]

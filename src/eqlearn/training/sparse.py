"""From a network with random weights to a sparse graph, by second-order steps.

A penalty pushes small weights to zero, and what is there is dropped along the way.
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy.linalg.blas import dsyrk

from eqlearn._types import Array, Booleans, Integers
from eqlearn.network.canonical import compact
from eqlearn.network.graph import CONSTANT, Graph
from eqlearn.training.levenberg import Division, Workspace, normal
from eqlearn.training.samples import FLOOR, Samples, samples


@dataclass(frozen=True)
class SparseTraining:
    """From random weights to few: MSE + λ Σ ½ε log(1 + (w/ε)²), fresh rows each step.

    The penalty is off for `n_free` iterations; biases count a hundredth. Every five
    iterations weights below `cut` are dropped and the graph is compacted.
    """

    l1: float = 3e-4
    n_iterations: int = 100
    n_free: int = 20
    n_samples: int = 500
    n_points: int = 100
    epsilon: float = 0.03
    bias_share: float = 0.01
    cut: float = 1e-3
    first_theta: float = 0.3
    last_theta: float = 0.05

    def theta(self, iteration: int) -> float:
        """The smooth floor of denominators: it falls, and then stays."""
        progress = iteration / self.n_iterations
        return max(self.last_theta, self.first_theta * (1 - progress))


def train(
    graph: Graph,
    x: Array,
    y: Array,
    domain: tuple[Array, Array],
    settings: SparseTraining,
    rng: np.random.Generator,
    weight: Array | None = None,
) -> Graph:
    """Train a network's graph on x (N, D), y (N, M) to a sparse one.

    Samples are drawn as often as their weight (N,) says.
    """
    damping, network = 0.1, None
    cumulative = None if weight is None else np.cumsum(weight)
    for iteration in range(settings.n_iterations):
        rows = _drawn(len(x), cumulative, settings.n_samples, rng)
        points = rng.uniform(*domain, (settings.n_points, x.shape[1]))
        data = samples(x[rows], y[rows], points=points, floor=FLOOR)
        if network is None:
            network = _Network.of(graph, data)
        damping = network.step(data, settings, iteration, damping)
        if iteration > settings.n_free + 5 and iteration % 5 == 0:
            smaller = network.without_small(settings.cut)
            if smaller is not None:
                graph, network = smaller, None
                if not graph.n_parameters:
                    return graph
    return graph if network is None else network.graph()


@dataclass
class _Network:
    """A graph in training, until it loses weights and becomes another."""

    work: Workspace
    weights: Array  # (p,), changes with every step
    is_bias: Booleans  # (p,)

    @classmethod
    def of(cls, graph: Graph, data: Samples) -> "_Network":
        work = Workspace(graph, data)
        is_bias = np.array([source == CONSTANT for _, source in graph.parameters()])
        return cls(work, work.parameters(), is_bias)

    def step(
        self, data: Samples, settings: SparseTraining, iteration: int, damping: float
    ) -> float:
        """Take one step on fresh samples; the damping for the next."""
        self.work.move_to(data)
        share = np.where(self.is_bias, settings.bias_share, 1.0)
        l1 = (settings.l1 if iteration >= settings.n_free else 0.0) * share
        division = Division(settings.theta(iteration), margin=0.1)
        self.weights, damping = _penalised_step(
            self.work, self.weights, l1, settings.epsilon, division, damping
        )
        return damping

    def without_small(self, cut: float) -> Graph | None:
        """Drop the weights below `cut`, biases apart; None if there are none."""
        small = (np.abs(self.weights) < cut) & ~self.is_bias
        if not small.any():
            return None
        keys = self.work.graph.parameters()
        gone = {keys[i] for i in np.flatnonzero(small)}
        return fixed_denominators(compact(self.graph().without(gone)))

    def graph(self) -> Graph:
        """The graph with the weights that it has now."""
        return self.work.result(self.weights)


def fixed_denominators(graph: Graph) -> Graph:
    """Scale every fraction such that its denominator's constant is 1, and fix it.

    The scale of a fraction is arbitrary: a penalty would shrink both of its parts for
    nothing and drive the denominator into its floor.
    """
    first = graph.first_output_slot
    outputs, fixed = [], set()
    for o, (a, b) in enumerate(graph.outputs):
        constant = b.get(CONSTANT, 0.0)
        constant = constant if abs(constant) > 1e-6 else 1e-6
        outputs.append(
            (
                {s: w / constant for s, w in a.items()},
                {**{s: w / constant for s, w in b.items()}, CONSTANT: 1.0},
            )
        )
        fixed.add((first + 2 * o + 1, CONSTANT))
    return Graph(graph.n_inputs, graph.nodes, tuple(outputs), frozenset(fixed))


def _drawn(
    n: int, cumulative: Array | None, n_wanted: int, rng: np.random.Generator
) -> Integers:
    """Rows by chance, with the weights that add up to `cumulative` (N,)."""
    if cumulative is None:
        return rng.integers(0, n, n_wanted)
    found = np.searchsorted(cumulative, cumulative[-1] * rng.random(n_wanted))
    rows: Integers = np.minimum(found, n - 1)  # rounding
    return rows


def _penalised_step(
    work: Workspace,
    v: Array,
    l1: Array,
    epsilon: float,
    division: Division,
    damping: float,
) -> tuple[Array, float]:
    n = work.samples.y.shape[1]

    def penalty(v: Array) -> float:
        return float(np.sum(l1 * (0.5 * epsilon) * np.log1p((v / epsilon) ** 2)))

    loss = work.evaluate(v, division) / n + penalty(v)
    J = work.jacobian()
    gram = dsyrk(2.0 / n, J.T, trans=1)
    # The penalty's own curvature, of the parabola that touches it at v.
    curvature = l1 * epsilon / (v**2 + epsilon**2)
    gradient = (2.0 / n) * (J @ work.r.ravel()) + curvature * v
    diagonal = np.maximum(gram.diagonal(), 1e-3 * gram.diagonal().mean() + 1e-300)
    equations = normal(gram, diagonal, gradient)
    if equations is None or not math.isfinite(loss):
        return v, damping
    for _ in range(6):
        step = equations.solve(damping + curvature / diagonal)
        if step is not None:
            moved = v - step
            trial = work.evaluate(moved, division) / n + penalty(moved)
            if trial < loss:
                return moved, max(damping / 4.0, 1e-6)
        damping = min(damping * 6.0, 1e3)
    return v, damping

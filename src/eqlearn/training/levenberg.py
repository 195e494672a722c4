"""Second-order training of graphs: Levenberg-Marquardt in float64.

`fit` minimises the squared error of a graph; `train` drives a network from random
weights to a sparse one, with a penalty that pushes small weights to zero.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.linalg.blas import dsyrk
from scipy.linalg.lapack import dposv

from eqlearn._types import Array, Integers
from eqlearn.network import kernels
from eqlearn.network.canonical import compact
from eqlearn.network.graph import CONSTANT, Graph
from eqlearn.network.kernels import Tape, Values

#: For data of unit size, where formulas that are still wrong must have a value too.
FLOOR = 1e-3


class Samples(NamedTuple):
    """Data, samples along the last axis; columns beyond those of `y` are unlabelled.

    Unlabelled points come from the domain of use: denominators must be positive there.
    """

    x: Array  # (D, N)
    y: Array  # (M, Q) with Q ≤ N
    root_weight: Array  # (Q,) square roots of the samples' weights
    floor: float = 0.0  # log and sqrt go on linearly below it; 0: have no value

    @property
    def n_residuals(self) -> int:
        """How many numbers are to be explained."""
        return int(self.y.size)

    @property
    def n_labelled(self) -> int:
        """How many samples there are targets for."""
        return int(self.y.shape[1])

    @property
    def labelled(self) -> Array:
        """The inputs that there are targets for, (D, Q)."""
        return self.x[:, : self.n_labelled]

    def chunks(self, n: int) -> Iterator["Samples"]:
        """Cut into pieces of `n` labelled samples; the last has the unlabelled ones.

        Each is copied when its turn comes: all of them would be the table once more.
        """
        n_labelled = self.n_labelled
        if n_labelled <= n:
            yield self
            return
        bounds = [*range(0, n_labelled, n), n_labelled]
        stops = [*bounds[1:-1], self.x.shape[1]]
        for start, stop in zip(bounds[:-1], stops, strict=True):
            yield Samples(
                np.ascontiguousarray(self.x[:, start:stop]),
                np.ascontiguousarray(self.y[:, start:stop]),
                self.root_weight[start:stop],
                self.floor,
            )

    def first(self, n: int) -> "Samples":
        """Only the first `n` labelled samples, and all unlabelled points."""
        n_labelled = self.y.shape[1]
        if n >= n_labelled:
            return self
        columns = np.r_[0:n, n_labelled : self.x.shape[1]]
        return Samples(
            np.ascontiguousarray(self.x[:, columns]),
            np.ascontiguousarray(self.y[:, :n]),
            self.root_weight[:n],
            self.floor,
        )


def samples(
    x: Array,
    y: Array,
    *,
    points: Array | None = None,
    weight: Array | None = None,
    floor: float = 0.0,
) -> Samples:
    """Lay out x (N, D), y (N, M) and unlabelled points (K, D) for the kernels."""
    inputs = x if points is None else np.concatenate([x, points])
    root = np.ones(len(x)) if weight is None else np.sqrt(weight)
    return Samples(
        np.ascontiguousarray(inputs.T, dtype=float),
        np.ascontiguousarray(np.transpose(y), dtype=float),
        root,
        floor,
    )


class Fit(NamedTuple):
    """A graph at its optimum."""

    graph: Graph
    sse: float  # infinite if the graph cannot be evaluated
    damping: float


@dataclass(frozen=True)
class Division:
    """How denominators are kept positive while fitting."""

    theta: float = 0.0  # a smooth floor below it; 0: none
    margin: float = 0.0  # unlabelled points are penalised below it
    strength: float = 1.0


PLAIN = Division()


#: A damping that makes steps short: half of Newton's and less.
SHORT = 1.0
#: Samples evaluated at a time, so that memory does not grow with the table.
N_CHUNK = 20_000


class Workspace:
    """The arrays of one graph's evaluations, allocated once for many iterations.

    Fresh arrays of this size would be fresh pages from the system every time, which
    costs more than the arithmetic.
    """

    def __init__(self, graph: Graph, samples: Samples) -> None:
        self.graph = graph
        self.tape = kernels.tape(graph)
        self.free = np.flatnonzero(self.tape.position >= 0)
        self.place = self.tape.position[self.free]
        self.ratio = self.tape.ratio[self.free]
        self.r = np.empty((0, 0))
        self.move_to(samples)

    def move_to(self, samples: Samples) -> None:
        """Take other samples, in the same arrays if they are as many."""
        self.samples = samples
        n, m = samples.x.shape[1], samples.y.shape[0]
        if self.r.shape == (m, n):
            return
        n_units, n_slots = len(self.tape.codes), len(self.tape.pointer) - 1
        self.values = Values(
            np.empty((self.graph.n_inputs + n_units, n)),
            np.empty((n_slots, n)),
            np.empty((n_slots, n)),
        )
        self.upward = np.empty((n_units + 1, n))  # the last row: scratch
        self.r = np.empty((m, n))
        self.by_ratio = np.empty((m, 2, n))
        self.by_parameter = np.empty((self.tape.n_parameters, m * n))

    def evaluate(self, parameters: Array, division: Division) -> float:
        """Set the parameters and compute residuals; the sum of their squares."""
        tape, data = self.tape, self.samples
        tape.weights[self.free] = self.ratio * parameters[self.place]
        kernels.evaluate_into(self.graph, tape, data.x, self.values, data.floor)
        sse: float = kernels.residuals(
            self.values.slots,
            tape.first_slot[-1],
            data.y,
            data.root_weight,
            division.theta,
            division.margin,
            division.strength,
            self.r,
            self.by_ratio,
        )
        return sse

    def jacobian(self) -> Array:
        """Derivatives by the parameters (p, M·N), where `evaluate` was last called."""
        tape: Tape = self.tape
        kernels.jacobian(
            tape.first_slot,
            tape.pointer,
            tape.sources,
            tape.weights,
            tape.position,
            tape.ratio,
            tape.n_inputs,
            self.values.features,
            self.values.slopes,
            self.by_ratio,
            self.upward,
            self.by_parameter,
        )
        return self.by_parameter

    def by_slots(self) -> Array:
        """Derivatives by every linear combination (S, M·N), where it was evaluated."""
        tape: Tape = self.tape
        derivatives: Array = kernels.by_slots(
            tape.first_slot,
            tape.pointer,
            tape.sources,
            tape.weights,
            tape.n_inputs,
            self.values.slopes,
            self.by_ratio,
            np.zeros((len(tape.pointer) - 1, self.r.size)),
        )
        return derivatives

    def parameters(self) -> Array:
        """Return the current parameters."""
        return self.tape.parameters()

    def result(self, parameters: Array) -> Graph:
        """Return the graph with these parameters."""
        self.tape.weights[self.free] = self.ratio * parameters[self.place]
        return self.graph.with_weights(self.tape.weights)


def fit(
    graph: Graph,
    samples: Samples,
    *,
    n_iterations: int = 20,
    tolerance: float = 1e-5,
    target: float | None = None,
    division: Division = PLAIN,
    damping: float = 1e-3,
) -> Fit:
    """Minimise the squared error.

    With a `target`, stop as soon as the error is below it or cannot be expected to
    get there at the present rate.
    """
    work = _Chunked(graph, samples, division)
    v = work.parameters()
    sse = work.error(v)
    if not math.isfinite(sse):
        return Fit(graph, math.inf, damping)
    for iteration in range(n_iterations if len(v) else 0):
        # `sse == 0` would leave nothing to divide by below, and nothing to gain.
        if sse == 0.0:
            break
        gram, gradient = work.normal_equations(v)
        # A weight of a small input has a curvature smaller by decades: it counts.
        diagonal = gram.diagonal() + 1e-30 * gram.diagonal().max() + 1e-300
        normal = _normal(gram, diagonal, gradient)
        if normal is None:  # a slope is infinite
            break
        for _ in range(7):
            step = normal.solve(damping)
            trial = work.error(v - step) if step is not None else math.inf
            if step is not None and trial < sse:
                break
            # Successes have made it so small that a valley's bend takes many failures.
            damping = max(8.0 * damping, 1e-5)
        else:
            break
        # A step that had to be short gains little, and says nothing of the next.
        gain, was_short = (sse - trial) / sse, damping > SHORT
        v, sse, damping = v - step, trial, max(damping / 8.0, 1e-12)
        if target is not None and (
            sse < target or (iteration >= 2 and sse - target > 24 * gain * sse)
        ):
            break
        if gain < tolerance and not was_short:
            break
    return Fit(work.result(v), sse, damping)


class _Chunked:
    """One workspace that goes through the samples chunk by chunk."""

    def __init__(self, graph: Graph, samples: Samples, division: Division) -> None:
        self.samples, self.division = samples, division
        self.is_single = samples.n_labelled <= N_CHUNK
        self.work = Workspace(graph, next(samples.chunks(N_CHUNK)))
        self.parameters, self.result = self.work.parameters, self.work.result

    def error(self, v: Array) -> float:
        """The squared error over all chunks."""
        return sum(self._evaluate(chunk, v) for chunk in self.samples.chunks(N_CHUNK))

    def normal_equations(self, v: Array) -> tuple[Array, Array]:
        """The upper triangle of J Jᵀ, and J r."""
        n = self.work.tape.n_parameters
        gram, gradient = np.zeros((n, n), order="F"), np.zeros(n)
        for chunk in self.samples.chunks(N_CHUNK):
            if not self.is_single:  # a single one is still filled for `v`
                self._evaluate(chunk, v)
            J = self.work.jacobian()
            gram = gram + dsyrk(1.0, J.T, trans=1)
            gradient = gradient + J @ self.work.r.ravel()
        return gram, gradient

    def _evaluate(self, chunk: Samples, v: Array) -> float:
        self.work.move_to(chunk)
        return self.work.evaluate(v, self.division)


class _Normal(NamedTuple):
    """Normal equations scaled to a unit diagonal: curvatures differ by decades."""

    correlation: Array  # the upper triangle
    scale: Array
    gradient: Array

    def solve(self, ridge: float | Array) -> Array | None:
        """Solve with a ridge, relative to the diagonal; None if it is singular."""
        system = self.correlation.copy(order="F")
        system.ravel(order="K")[:: len(system) + 1] = 1.0 + ridge
        solution: Array
        _, solution, info = dposv(system, self.gradient, overwrite_a=1)
        if info != 0 or not math.isfinite(solution.sum()):
            return None
        return solution * self.scale


def _normal(gram: Array, diagonal: Array, gradient: Array) -> _Normal | None:
    scale = 1.0 / np.sqrt(diagonal)
    if not math.isfinite(scale.sum() + gradient.sum()):
        return None
    gram *= scale[:, None]
    gram *= scale
    return _Normal(gram, scale, gradient * scale)


def normal_equations(graph: Graph, samples: Samples) -> tuple[Array, Array, float]:
    """J Jᵀ, J r and the squared error at a graph's parameters."""
    work = _Chunked(graph, samples, PLAIN)
    v = work.parameters()
    sse = work.error(v)
    gram, gradient = work.normal_equations(v)
    return np.triu(gram) + np.triu(gram, 1).T, gradient, sse


def inverse_scale(gram: Array) -> Array:
    """Scale to a unit diagonal; its square may still be multiplied by the inverse."""
    return 1.0 / np.sqrt(np.diag(gram) + 1e-100)


def inverse(gram: Array) -> Array:
    """Invert J Jᵀ scaled to a unit diagonal, with a ridge that keeps it regular."""
    scale = inverse_scale(gram)
    correlation = gram * scale[:, None] * scale
    correlation[np.diag_indices_from(correlation)] += 1e-10
    try:
        return np.linalg.inv(correlation) * scale[:, None] * scale
    except np.linalg.LinAlgError:
        return np.full_like(gram, np.inf)


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
    damping, work = 0.1, None
    cumulative = None if weight is None else np.cumsum(weight)
    for iteration in range(settings.n_iterations):
        rows = _drawn(len(x), cumulative, settings.n_samples, rng)
        points = rng.uniform(*domain, (settings.n_points, x.shape[1]))
        data = samples(x[rows], y[rows], points=points, floor=FLOOR)
        progress = iteration / settings.n_iterations
        theta = max(settings.last_theta, settings.first_theta * (1 - progress))
        division = Division(theta, margin=0.1)
        if work is None or work.graph is not graph:
            work = Workspace(graph, data)
            is_bias = np.array([s == CONSTANT for _, s in graph.parameters()])
            share = np.where(is_bias, settings.bias_share, 1.0)
            v = work.parameters()
        work.move_to(data)
        l1 = settings.l1 * share if iteration >= settings.n_free else 0.0 * share
        v, damping = _penalised_step(work, v, l1, settings.epsilon, division, damping)
        since = iteration - settings.n_free
        if since > 5 and iteration % 5 == 0:
            small = (np.abs(v) < settings.cut) & ~is_bias
            if small.any():
                keys = graph.parameters()
                gone = {keys[i] for i in np.flatnonzero(small)}
                graph = fixed_denominators(compact(work.result(v).without(gone)))
                if not graph.n_parameters:
                    return graph
    return work.result(v) if work is not None and work.graph is graph else graph


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
    normal = _normal(gram, diagonal, gradient)
    if normal is None or not math.isfinite(loss):
        return v, damping
    for _ in range(6):
        step = normal.solve(damping + curvature / diagonal)
        if step is not None:
            moved = v - step
            trial = work.evaluate(moved, division) / n + penalty(moved)
            if trial < loss:
                return moved, max(damping / 4.0, 1e-6)
        damping = min(damping * 6.0, 1e3)
    return v, damping

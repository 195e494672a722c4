"""Second-order fits of graphs: Levenberg-Marquardt in float64."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.linalg.blas import dsyrk
from scipy.linalg.lapack import dposv

from eqlearn._types import Array
from eqlearn.network import kernels
from eqlearn.network.graph import Graph
from eqlearn.network.kernels import Tape, Values
from eqlearn.training.samples import Samples


def mean_square(graph: Graph, data: Samples) -> float:
    """The mean squared residual of a graph, by weight."""
    with np.errstate(all="ignore"):
        residual = graph.evaluate(data.labelled.T)[0][:, 0] - data.y[0]
        return float(np.mean((data.root_weight * residual) ** 2))


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
# So many dampings are tried, each eight times the last, before a fit ends.
_MOST_DAMPINGS = 7


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
        moved, trial, damping = _step(work, v, sse, damping)
        if moved is None:
            break
        # A step that had to be short gains little, and says nothing of the next.
        gain, was_short = (sse - trial) / sse, damping > SHORT
        v, sse, damping = moved, trial, max(damping / 8.0, 1e-12)
        if target is not None and (
            sse < target or (iteration >= 2 and sse - target > 24 * gain * sse)
        ):
            break
        if gain < tolerance and not was_short:
            break
    return Fit(work.result(v), sse, damping)


def _step(
    work: "_Chunked", v: Array, sse: float, damping: float
) -> tuple[Array | None, float, float]:
    """Step to parameters with a smaller error: these, the error and the damping.

    None, and the damping that was tried last, if no step makes it smaller.
    """
    gram, gradient = work.normal_equations(v)
    # So little is added because the weight of a small input, which counts as much as
    # others, has a curvature smaller by decades.
    diagonal = gram.diagonal() + 1e-30 * gram.diagonal().max() + 1e-300
    equations = normal(gram, diagonal, gradient)
    if equations is None:  # a slope is infinite
        return None, sse, damping
    for _ in range(_MOST_DAMPINGS):
        step = equations.solve(damping)
        if step is not None:
            trial = work.error(v - step)
            if trial < sse:
                return v - step, trial, damping
        # After many successes the damping is tiny; from 1e-5 on, a bend in the valley
        # takes a few failures only.
        damping = max(8.0 * damping, 1e-5)
    return None, sse, damping


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
            if not self.is_single:  # a single chunk was evaluated at `v` just before
                self._evaluate(chunk, v)
            J = self.work.jacobian()
            gram = gram + dsyrk(1.0, J.T, trans=1)
            gradient = gradient + J @ self.work.r.ravel()
        return gram, gradient

    def _evaluate(self, chunk: Samples, v: Array) -> float:
        self.work.move_to(chunk)
        return self.work.evaluate(v, self.division)


class Normal(NamedTuple):
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


def normal(gram: Array, diagonal: Array, gradient: Array) -> Normal | None:
    """Scale J Jᵀ, in place, and J r by a diagonal; None where they are not finite."""
    scale = 1.0 / np.sqrt(diagonal)
    if not math.isfinite(scale.sum() + gradient.sum()):
        return None
    gram *= scale[:, None]
    gram *= scale
    return Normal(gram, scale, gradient * scale)


def normal_equations(graph: Graph, samples: Samples) -> tuple[Array, Array, float]:
    """J Jᵀ, J r and the squared error at a graph's parameters."""
    work = _Chunked(graph, samples, PLAIN)
    v = work.parameters()
    sse = work.error(v)
    gram, gradient = work.normal_equations(v)
    return np.triu(gram) + np.triu(gram, 1).T, gradient, sse


def inverse_scale(gram: Array) -> Array:
    """What scales J Jᵀ to a unit diagonal; small enough to be squared."""
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

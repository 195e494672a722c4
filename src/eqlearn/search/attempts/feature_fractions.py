"""Fractions of fixed sets of features, solved directly: the smallest sets first."""

import itertools
import math
from dataclasses import dataclass

import numpy as np

from eqlearn._types import Array
from eqlearn.equation.refine.criterion import Scored, is_exact
from eqlearn.equation.refine.prune import prune_in_stages
from eqlearn.equation.refine.tactics import Tactics
from eqlearn.network import kernels
from eqlearn.network.graph import Graph, Linear
from eqlearn.search.strategy import Fractions
from eqlearn.search.task import Task
from eqlearn.training.levenberg import fit, mean_square
from eqlearn.training.rational import (
    Library,
    direct_start,
    fraction_error,
    library,
    sparse_start,
)
from eqlearn.training.samples import Samples


@dataclass(frozen=True)
class FeatureFraction:
    """Degrees of numerator and denominator, and the inputs taken as angles.

    With `mixed` the angles appear as plain inputs too, otherwise only in sin and cos.
    """

    numerator: int
    denominator: int
    angles: tuple[int, ...] = ()
    mixed: bool = False

    def n_columns(self, n_inputs: int) -> int:
        """How many features it has, sines squared included."""
        n = n_inputs + len(self.angles) * (2 if self.mixed else 1)
        degrees = (self.numerator, self.denominator)
        return sum(math.comb(n + degree, degree) for degree in degrees)

    def library(self, n_inputs: int, arguments: list[Linear]) -> Library:
        """Its features, with these arguments in the sines of its angles."""
        return library(
            n_inputs,
            self.numerator,
            self.denominator,
            arguments=arguments,
            replaced=frozenset() if self.mixed else frozenset(self.angles),
        )


def first_fractions(n_inputs: int, by: Fractions) -> list[FeatureFraction]:
    """Fractions of polynomials with few features: milliseconds each."""
    fractions = [FeatureFraction(a, b) for a, b in by.degrees]
    few = [one for one in fractions if one.n_columns(n_inputs) <= by.few_columns]
    return few or [FeatureFraction(1, 0)]


def later_fractions(
    n_inputs: int, by: Fractions, with_angles: bool = True
) -> list[FeatureFraction]:
    """Fractions in which one or two inputs are angles, and larger polynomials."""
    large = [
        one
        for one in (FeatureFraction(a, b) for a, b in by.degrees)
        if by.few_columns < one.n_columns(n_inputs) <= by.most_columns
    ]
    of_angles = [
        FeatureFraction(a, b, group, mixed)
        for size, degrees, mixed in (by.angle_stages if with_angles else ())
        for a, b in degrees
        for group in itertools.combinations(range(n_inputs), size)
    ]
    feasible = [one for one in of_angles if one.n_columns(n_inputs) <= by.most_columns]
    return feasible[:n_inputs] + large + feasible[n_inputs:]


def solve(
    task: Task, fraction: FeatureFraction, residual: float = math.inf
) -> Scored | None:
    """Find the best fraction of some features and prune it to a formula.

    `residual` is the mean squared one of the best formula so far: features that leave
    much more, all together, are given up.
    """
    by, tactics = task.strategy.fractions, task.tactics
    data, best = task.search_rows(), None
    degree = fraction.numerator + fraction.denominator
    for start, is_natural in _starts(task, fraction, data, by.hopeless * residual):
        # Nothing exact is an imitation, nor is there anything to tune.
        is_perfect = mean_square(start, data) < by.perfect
        if degree > by.highest_in_noise and not is_perfect:
            continue
        tuned = [start]
        if fraction.angles and not is_perfect:
            tuned = _tuned(start, data, 2 * len(fraction.angles), is_natural, task)
        for graph in tuned:
            found = prune_in_stages(graph, data, tactics)
            if is_exact(found, data, tactics):
                return found
            if not math.isfinite(found.bic) or _is_imitation(found.graph, data, by):
                continue
            if best is None or found.bic < best.bic:
                best = found
    return best


def solve_exactly(task: Task, residual: float = math.inf) -> Scored | None:
    """Find the first of the later fractions that leaves nothing, in data without noise.

    Angles are taken in natural units of measure only: such a fraction is told by one
    linear solution, so that many of them take no longer than a few networks.
    """
    by, n_inputs = task.strategy.fractions, task.x.shape[1]
    data = task.search_rows()
    few = data.first(by.n_scan)
    later = later_fractions(n_inputs, by, with_angles="sin" in task.units)
    if residual > by.noiseless and _least_error(later, few, by) > by.noiseless:
        return None
    n_dense = 0
    for fraction in later[: by.n_exact]:
        scale = task.x_scale[list(fraction.angles)]
        for frequency in by.natural if fraction.angles else by.natural[:1]:
            if n_dense == by.n_dense:
                return None
            lib = fraction.library(n_inputs, _scaled(fraction, frequency * scale))
            if fraction_error(lib, few, n_rounds=1) > by.perfect * few.n_residuals:
                continue
            start = direct_start(lib, data)
            if start is None:
                continue
            found = prune_in_stages(start, data, task.tactics)
            # With most of its features a fraction can say anything that is smooth.
            most = by.sparse * fraction.n_columns(n_inputs)
            is_sparse = found.graph.n_parameters < most
            if is_sparse and is_exact(found, data, task.tactics):
                return found
            n_dense += 1
    return None


def _least_error(
    fractions: list[FeatureFraction], few: Samples, by: Fractions
) -> float:
    """The mean squared residual of the best fraction without angles, not too large."""
    n_inputs = len(few.x)
    errors = (
        fraction_error(one.library(n_inputs, []), few, n_rounds=1)
        for one in fractions
        if not one.angles and one.n_columns(n_inputs) <= by.telling_columns
    )
    return min(errors, default=math.inf) / few.n_residuals


def _scaled(fraction: FeatureFraction, frequencies: Array) -> list[Linear]:
    """Arguments of the sines of a fraction's angles."""
    pairs = zip(fraction.angles, frequencies.tolist(), strict=True)
    return [{angle: frequency} for angle, frequency in pairs]


def _tuned(
    start: Graph, data: Samples, n_waves: int, is_natural: bool, task: Task
) -> list[Graph]:
    """Fit the frequencies; natural ones are also held, which fits in noise lead astray.

    Of an imitation pruning would leave an imitation, so there are none among them.
    """
    by = task.strategy.fractions
    both = [fit(start, data, n_iterations=by.n_iterations).graph]
    if is_natural:
        both.append(_pruned_beside(start, data, n_waves, task.tactics))
    return [graph for graph in both if not _is_imitation(graph, data, by)]


def _pruned_beside(
    start: Graph, data: Samples, n_waves: int, tactics: Tactics
) -> Graph:
    """Prune a graph whose first units, its waves, are held: as if they were inputs."""
    n = start.n_inputs + n_waves
    values = kernels.evaluate(start, kernels.tape(start), data.x, data.floor)
    beside = data._replace(x=np.ascontiguousarray(values.features[:n]))
    # Their numbers stay the same, whether they count as units or as inputs.
    rest = Graph(n, start.nodes[n_waves:], start.outputs)
    pruned = prune_in_stages(rest, beside, tactics).graph
    waves = start.nodes[:n_waves]
    return Graph(start.n_inputs, (*waves, *pruned.nodes), pruned.outputs)


def _starts(
    task: Task, fraction: FeatureFraction, data: Samples, largest: float
) -> list[tuple[Graph, bool]]:
    """Starts, and whether their angles are in a natural unit of measure."""
    by = task.strategy.fractions
    starts: list[tuple[Graph | None, bool]] = []
    for arguments, is_natural in _arguments(task, fraction, data):
        lib = fraction.library(len(data.x), arguments)
        direct = direct_start(lib, data)
        left = math.inf if direct is None else mean_square(direct, data)
        sparse = [sparse_start(lib, data, l1) for l1 in by.sparse_l1]
        left = min([left, *(mean_square(s, data) for s in sparse if s is not None)])
        if left > largest:
            continue
        starts.append((direct, is_natural))
        # Where the fraction is exact, noise is none and sparsity comes by pruning.
        if left > by.perfect:
            starts += [(start, is_natural) for start in sparse]
    return [(start, natural) for start, natural in starts if start is not None]


@dataclass(frozen=True)
class _Scanned:
    """A frequency of all angles, and the error of the fraction that has it."""

    frequency: float
    arguments: list[Linear]
    error: float
    is_natural: bool


def _arguments(
    task: Task, fraction: FeatureFraction, data: Samples
) -> list[tuple[list[Linear], bool]]:
    """Choose frequencies: a natural one, and local minima of the error over a scan.

    In noise the scan is rough; units of measure are worth a try if not much worse.
    """
    if not fraction.angles:
        return [([], False)]
    by = task.strategy.fractions
    scanned = _scan(task, fraction, data)
    ends = [None, *scanned, None]
    minima = [
        one
        for before, one, after in zip(ends, scanned, ends[2:], strict=False)
        if math.isfinite(one.error)
        and all(one.error <= side.error for side in (before, after) if side)
    ]
    natural = sorted((s for s in scanned if s.is_natural), key=lambda s: s.error)
    minima.sort(key=lambda s: s.error)
    chosen: list[_Scanned] = []
    for one in [*natural[: by.n_natural], *minima[: by.n_minima]]:
        if not any(
            math.isclose(one.frequency, other.frequency, rel_tol=by.same_frequency)
            for other in chosen
        ):
            chosen.append(one)
    most = by.much_worse * min((s.error for s in chosen), default=math.inf)
    return [(one.arguments, one.is_natural) for one in chosen if one.error <= most]


def _scan(task: Task, fraction: FeatureFraction, data: Samples) -> list[_Scanned]:
    """The error at every frequency, slow ones first.

    Several angles are scanned with one frequency in the units of the data: angles of
    one table are mostly measured alike.
    """
    by = task.strategy.fractions
    scale, few = task.x_scale[list(fraction.angles)], data.first(by.n_scan)
    fastest = 3 * by.frequencies[-1]
    natural = [f for f in by.natural if f * scale.max() < fastest]
    scanned = []
    for frequency in sorted([*(np.array(by.frequencies) / scale.max()), *natural]):
        arguments = _scaled(fraction, frequency * scale)
        error = fraction_error(fraction.library(len(data.x), arguments), few)
        is_natural = frequency in natural
        scanned.append(_Scanned(frequency, arguments, error, is_natural))
    return scanned


def _is_imitation(graph: Graph, data: Samples, by: Fractions) -> bool:
    """Tell whether a sine is used in its linear range only, in place of a power."""
    features = data.labelled
    for node in graph.nodes:
        if node.unit == "sin" and all(s < graph.n_inputs for s in node.arguments[0]):
            z = sum(w * features[s] for s, w in node.arguments[0].items() if s >= 0)
            if np.ptp(z) < by.narrow:
                return True
    return False

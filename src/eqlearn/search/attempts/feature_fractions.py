"""The candidates of the linear rational stage: sets of features, smallest first."""

import itertools
import math
from dataclasses import dataclass

import numpy as np

from eqlearn._types import Array
from eqlearn.equation.refine.criterion import Scored
from eqlearn.network import kernels
from eqlearn.network.graph import Graph, Linear
from eqlearn.search.task import Task, is_exact, pruned_in_stages
from eqlearn.training.levenberg import fit
from eqlearn.training.rational import (
    Library,
    direct_start,
    fraction_error,
    library,
    sparse_start,
)
from eqlearn.training.samples import Samples


@dataclass(frozen=True)
class Level:
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


#: (numerator, denominator) degrees of polynomial fractions.
DEGREES = (
    ((2, 0), (1, 1), (2, 1), (2, 2), (3, 1))
    + ((3, 2), (3, 3), (4, 0), (4, 2), (4, 4), (5, 2))
)  # fmt: skip
#: Number of angles, degrees, whether angles are plain inputs too; likely ones first.
ANGLE_STAGES = (
    (1, ((3, 2), (4, 2), (0, 4), (5, 4), (2, 1), (2, 4)), False),
    (2, ((2, 1), (3, 0)), False),
    (1, ((2, 1), (3, 0)), True),
    (2, ((3, 2),), False),
    (1, ((3, 2),), True),
    (2, ((2, 1), (3, 2)), True),
)
#: Features of a level that is solved at once, and beyond which it takes too long.
FEW_COLUMNS = 50
MOST_COLUMNS = 200
#: Penalties of the sparse start.
SPARSE_L1 = (3e-5, 3e-4)
#: Frequencies scanned for an input of unit size, and rows to scan on.
FREQUENCIES = np.arange(0.5, 13.0, 0.5)
#: Frequencies of angles in radians, half turns, turns and degrees, in the data's units.
NATURAL = (1.0, math.pi, 2 * math.pi, math.pi / 180)
N_SCAN = 300
#: Frequencies that are tried: the best natural one, and the best of the scan, unless
#: their error is so many times the least.
N_MINIMA = 2
N_NATURAL = 1
MUCH_WORSE = 4.0
#: Mean squared residual of a fraction that is exact.
PERFECT = 1e-12
#: Of higher degrees in all, pruning in noise takes seconds and leaves imitations.
HIGHEST_IN_NOISE = 8
#: A level is not pruned if all its features leave this much more than is known to be.
HOPELESS = 6.0
#: Mean squared residual of a formula that shows data to be without noise.
NOISELESS = 1e-5
#: Features of the fractions by which that is looked for, at most.
TELLING_COLUMNS = 100
#: Levels that are then tried at once, and the share of its features that one may need.
N_EXACT = 60
SPARSE = 0.3


def first_levels(n_inputs: int) -> list[Level]:
    """Fractions of polynomials with few features: milliseconds each."""
    levels = [Level(a, b) for a, b in DEGREES]
    few = [level for level in levels if level.n_columns(n_inputs) <= FEW_COLUMNS]
    return few or [Level(1, 0)]


def later_levels(n_inputs: int, with_angles: bool = True) -> list[Level]:
    """Fractions in which one or two inputs are angles, and larger polynomials."""
    large = [
        level
        for level in (Level(a, b) for a, b in DEGREES)
        if FEW_COLUMNS < level.n_columns(n_inputs) <= MOST_COLUMNS
    ]
    levels = [
        Level(a, b, group, mixed)
        for size, degrees, mixed in (ANGLE_STAGES if with_angles else ())
        for a, b in degrees
        for group in itertools.combinations(range(n_inputs), size)
    ]
    feasible = [level for level in levels if level.n_columns(n_inputs) <= MOST_COLUMNS]
    return feasible[:n_inputs] + large + feasible[n_inputs:]


def solve(task: Task, level: Level, known: float = math.inf) -> Scored | None:
    """Find the best fraction of a level's features and prune it to a formula.

    `known` is the mean squared residual of the best formula so far: a level that
    leaves much more with all of its features is given up.
    """
    data, best = task.compared(), None
    for start, is_natural in _starts(task, level, data, HOPELESS * known):
        # Nothing exact is an imitation, nor is there anything to tune.
        is_perfect = mean_square(start, data) < PERFECT
        if level.numerator + level.denominator > HIGHEST_IN_NOISE and not is_perfect:
            continue
        tuned = [start]
        if level.angles and not is_perfect:
            tuned = _tuned(start, data, 2 * len(level.angles), is_natural)
        for graph in tuned:
            found = pruned_in_stages(graph, data)
            if is_exact(found, data):
                return found
            if not math.isfinite(found.bic) or _is_imitation(found.graph, data):
                continue
            if best is None or found.bic < best.bic:
                best = found
    return best


def solve_exactly(task: Task, known: float = math.inf) -> Scored | None:
    """Find the first of the later levels that leaves nothing, in data without noise.

    Angles are taken in natural units of measure only: such a level is told by one
    linear solution, so that many of them take no longer than a few networks.
    """
    data, n_inputs = task.compared(), task.x.shape[1]
    few = data.first(N_SCAN)
    levels = later_levels(n_inputs, with_angles="sin" in task.units)
    if known > NOISELESS and _least_error(levels, few) > NOISELESS:
        return None
    for level in levels[:N_EXACT]:
        scale = task.x_scale[list(level.angles)]
        for frequency in NATURAL if level.angles else NATURAL[:1]:
            lib = level.library(n_inputs, _scaled(level, frequency * scale))
            if fraction_error(lib, few, n_rounds=1) > PERFECT * few.n_residuals:
                continue
            start = direct_start(lib, data)
            if start is None:
                continue
            found = pruned_in_stages(start, data)
            # With most of its features a level can say anything that is smooth.
            is_sparse = found.graph.n_parameters < SPARSE * level.n_columns(n_inputs)
            if is_sparse and is_exact(found, data):
                return found
    return None


def _least_error(levels: list[Level], few: Samples) -> float:
    """The mean squared residual of the best fraction without angles, not too large."""
    n_inputs = len(few.x)
    errors = (
        fraction_error(level.library(n_inputs, []), few, n_rounds=1)
        for level in levels
        if not level.angles and level.n_columns(n_inputs) <= TELLING_COLUMNS
    )
    return min(errors, default=math.inf) / few.n_residuals


def _scaled(level: Level, frequencies: Array) -> list[Linear]:
    """Arguments of the sines of a level's angles."""
    pairs = zip(level.angles, frequencies.tolist(), strict=True)
    return [{angle: frequency} for angle, frequency in pairs]


def _tuned(start: Graph, data: Samples, n_waves: int, is_natural: bool) -> list[Graph]:
    """Fit the frequencies; natural ones are also held, which fits in noise lead astray.

    Of an imitation pruning would leave an imitation, so there are none among them.
    """
    both = [fit(start, data, n_iterations=12).graph]
    if is_natural:
        both.append(_pruned_beside(start, data, n_waves))
    return [graph for graph in both if not _is_imitation(graph, data)]


def _pruned_beside(start: Graph, data: Samples, n_waves: int) -> Graph:
    """Prune a graph whose first units, its waves, are held: as if they were inputs."""
    n = start.n_inputs + n_waves
    values = kernels.evaluate(start, kernels.tape(start), data.x, data.floor)
    beside = data._replace(x=np.ascontiguousarray(values.features[:n]))
    # Their numbers stay the same, whether they count as units or as inputs.
    rest = Graph(n, start.nodes[n_waves:], start.outputs)
    pruned = pruned_in_stages(rest, beside).graph
    waves = start.nodes[:n_waves]
    return Graph(start.n_inputs, (*waves, *pruned.nodes), pruned.outputs)


def _starts(
    task: Task, level: Level, data: Samples, largest: float
) -> list[tuple[Graph, bool]]:
    """Starts, and whether their angles are in a natural unit of measure."""
    starts: list[tuple[Graph | None, bool]] = []
    for arguments, is_natural in _arguments(task, level, data):
        lib = level.library(len(data.x), arguments)
        direct = direct_start(lib, data)
        left = math.inf if direct is None else mean_square(direct, data)
        sparse = [sparse_start(lib, data, l1) for l1 in SPARSE_L1]
        left = min([left, *(mean_square(s, data) for s in sparse if s is not None)])
        if left > largest:
            continue
        starts.append((direct, is_natural))
        # Where the fraction is exact, noise is none and sparsity comes by pruning.
        if left > PERFECT:
            starts += [(start, is_natural) for start in sparse]
    return [(start, natural) for start, natural in starts if start is not None]


def mean_square(graph: Graph, data: Samples) -> float:
    """The mean squared residual of a graph, by weight."""
    with np.errstate(all="ignore"):
        residual = graph.evaluate(data.labelled.T)[0][:, 0] - data.y[0]
        return float(np.mean((data.root_weight * residual) ** 2))


def _arguments(
    task: Task, level: Level, data: Samples
) -> list[tuple[list[Linear], bool]]:
    """Choose frequencies: a natural one, and local minima of the error over a scan.

    Several angles are scanned with one frequency in the units of the data: angles of
    one table are mostly measured alike.
    """
    if not level.angles:
        return [([], False)]
    scale = task.x_scale[list(level.angles)]
    few = data.first(N_SCAN)
    scanned, errors = [], []
    natural = [f for f in NATURAL if f * scale.max() < 3 * FREQUENCIES[-1]]
    for frequency in sorted([*(FREQUENCIES / scale.max()), *natural]):
        arguments = _scaled(level, frequency * scale)
        lib = level.library(len(data.x), arguments)
        scanned.append((frequency, arguments))
        errors.append(fraction_error(lib, few))
    minima = [
        k
        for k in range(len(errors))
        if errors[k] <= min(errors[max(k - 1, 0) : k + 2]) and math.isfinite(errors[k])
    ]
    minima.sort(key=lambda k: errors[k])
    # In noise the scan is rough; units of measure are worth a try if not much worse.
    by_nature = [k for k, (f, _) in enumerate(scanned) if f in natural]
    by_nature.sort(key=lambda k: errors[k])
    chosen: list[int] = []
    for k in [*by_nature[:N_NATURAL], *minima[:N_MINIMA]]:
        frequency = scanned[k][0]
        if not any(
            math.isclose(frequency, scanned[c][0], rel_tol=0.02) for c in chosen
        ):
            chosen.append(k)
    least = min((errors[k] for k in chosen), default=math.inf)
    return [
        (scanned[k][1], k in by_nature)
        for k in chosen
        if errors[k] <= MUCH_WORSE * least
    ]


def _is_imitation(graph: Graph, data: Samples) -> bool:
    """Tell whether a sine is used in its linear range only, in place of a power."""
    features = data.labelled
    for node in graph.nodes:
        if node.unit == "sin" and all(s < graph.n_inputs for s in node.arguments[0]):
            z = sum(w * features[s] for s, w in node.arguments[0].items() if s >= 0)
            if np.ptp(z) < 1.0:
                return True
    return False

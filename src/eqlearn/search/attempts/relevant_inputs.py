"""Which inputs matter: a table often has columns that the target does not depend on.

Libraries of features grow with a power of the number of inputs, and networks have to
unlearn each of them; without the idle ones more can be tried, and sooner.
"""

import itertools
import math
from dataclasses import dataclass

import numpy as np
from scipy.special import fdtrc

from eqlearn._types import Array
from eqlearn.equation.refine.criterion import Scored
from eqlearn.jobs.serial import TimeIsUp, cut_off
from eqlearn.network.graph import Graph
from eqlearn.search.attempts.input_views import Inputs
from eqlearn.search.strategy import Relevance
from eqlearn.search.streams import Stream, generator
from eqlearn.search.task import Task
from eqlearn.training.samples import Samples

#: Trees that are grown between two looks at the clock.
_N_AT_ONCE = 10


@dataclass(frozen=True)
class RelevantInputs:
    """All inputs of a task, and those that a test finds to matter."""

    all: Inputs
    significant: frozenset[int]
    is_wide: bool  # a network of all of them takes too long

    @classmethod
    def of(cls, task: Task, seconds: float = math.inf) -> "RelevantInputs":
        """Test the inputs of a task, for so long at most."""
        every = tuple(range(task.x.shape[1]))
        is_wide = len(every) > task.strategy.relevance.many_inputs
        return cls(every, significant_inputs(task, seconds), is_wide)

    @property
    def first(self) -> tuple[Inputs, ...]:
        """What the first batches see."""
        chosen = tuple(sorted(self.significant)) if self.is_wide else ()
        return (chosen or self.all,)

    def sees_all(self, index: int) -> bool:
        """Whether a batch without parts sees every input, by turns."""
        return index % 8 == 4 if self.is_wide else index % 2 == 0

    def after(self, task: Task, best: Scored, n_residuals: int) -> tuple[Inputs, ...]:
        """Inputs that matter at all to the best formula or a test, and that do much."""
        by, residual = task.strategy.relevance, best.sse / n_residuals
        # A formula that explains nearly everything shows all inputs that matter. Tests
        # are for before: along a trajectory every input is significant.
        tested = frozenset() if residual < by.nearly_right else self.significant
        rms = math.sqrt(residual)
        shares = (min(by.visible, rms), min(by.much * by.visible, by.much * rms))
        found = (visible_inputs(task, best.graph, share) | tested for share in shares)
        return tuple(tuple(sorted(inputs)) or self.all for inputs in found)


def significant_inputs(task: Task, seconds: float = math.inf) -> frozenset[int]:
    """Tell without which inputs a polynomial of the others explains less.

    By an F-test of all terms of an input together. Not all that matter are found, least
    those in fast oscillations. If there are too many inputs for a polynomial, trees
    tell, as many as can be grown in so many seconds.
    """
    n_inputs, by = task.x.shape[1], task.strategy.relevance
    data = task.search_rows()
    n = data.n_labelled
    powers = _powers(n_inputs, n, by)
    if not powers:
        return _split_at(data, task.seed, by, seconds)
    weighted = [_monomial(data.labelled, term) * data.root_weight for term in powers]
    columns, y = np.stack(weighted, axis=1), data.y[0] * data.root_weight
    least = _left(columns, y)

    def chance(i: int) -> float:
        without = [k for k, term in enumerate(powers) if i not in term]
        n_terms, n_free = len(powers) - len(without), n - len(powers)
        gain = (_left(columns[:, without], y) - least) / max(n_terms, 1)
        ratio = gain / (least / max(n_free, 1) + np.finfo(float).tiny)
        return float(fdtrc(n_terms, n_free, ratio))

    return frozenset(i for i in range(n_inputs) if chance(i) < by.significance)


def visible_inputs(task: Task, graph: Graph, share: float) -> frozenset[int]:
    """Tell which inputs move a formula's values by this share of the spread."""
    n = task.strategy.rows.search
    x = task.x[:n]
    with np.errstate(all="ignore"):
        values = graph.evaluate(x)[0]
        spread = float(np.std(task.y[:n]))

        def difference(i: int) -> float:
            mixed = x.copy()
            mixed[:, i] = np.roll(x[:, i], 1)
            return float(np.median(np.abs(graph.evaluate(mixed)[0] - values)))

        return frozenset(
            i for i in graph.used_inputs if not difference(i) < share * spread
        )


def _powers(n_inputs: int, n_rows: int, by: Relevance) -> list[tuple[int, ...]]:
    """All monomials up to the highest degree that keeps their number small."""
    for degree in by.degrees:
        if math.comb(n_inputs + degree, degree) <= by.most_terms * n_rows:
            return [
                term
                for d in range(degree + 1)
                for term in itertools.combinations_with_replacement(range(n_inputs), d)
            ]
    return []


def _split_at(
    data: Samples, seed: int, by: Relevance, seconds: float
) -> frozenset[int]:
    """Inputs that trees gain more by than by any shuffled copy of an input."""
    # Here, not above: most tables do without, and it takes half a second.
    from sklearn.ensemble import ExtraTreesRegressor

    x = data.labelled
    shuffled = generator(seed, Stream.SHUFFLED_INPUTS).permuted(x, axis=1)
    rows = np.concatenate([x, shuffled]).T, data.y[0], data.root_weight**2
    forest = ExtraTreesRegressor(min_samples_leaf=3, random_state=seed, warm_start=True)
    gain = by_chance = np.zeros(len(x))
    try:
        with cut_off(seconds):
            for n_trees in range(_N_AT_ONCE, by.n_trees + 1, _N_AT_ONCE):
                forest.set_params(n_estimators=n_trees).fit(*rows)
                gain, by_chance = np.split(forest.feature_importances_, 2)
    except TimeIsUp:
        pass
    return frozenset(np.flatnonzero(gain > by_chance.max()).tolist())


def _monomial(x: Array, term: tuple[int, ...]) -> Array:
    return np.prod(x[list(term)], axis=0) if term else np.ones(x.shape[1])


def _left(columns: Array, y: Array) -> float:
    """The squared error that a least-squares fit leaves."""
    solution = np.linalg.lstsq(columns, y, rcond=1e-12)[0]
    return float(np.sum((y - columns @ solution) ** 2))

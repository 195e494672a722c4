"""Which inputs matter: a table often has columns that the target does not depend on.

Libraries of features grow with a power of the number of inputs, and networks have to
unlearn each of them; without the idle ones more can be tried, and sooner.
"""

import itertools
import math

import numpy as np
from scipy.special import fdtrc

from eqlearn._types import Array
from eqlearn.network.graph import Graph
from eqlearn.search.task import N_SEARCH, Task
from eqlearn.training.samples import Samples

#: Degrees of the polynomials that inputs are judged by, the first with few terms.
DEGREES = (3, 2)
#: Terms for each row that a polynomial may have, at most.
MOST_TERMS = 0.25
#: Trees that judge where there are more inputs than polynomials can.
N_TREES = 200
#: How unlikely the gain by an idle input must be for the input to matter.
SIGNIFICANCE = 1e-3


def significant_inputs(task: Task) -> frozenset[int]:
    """Tell without which inputs a polynomial of the others explains less.

    By an F-test of all terms of an input together. Not all that matter are found, least
    those in fast oscillations. If there are too many inputs for a polynomial, trees
    tell.
    """
    n_inputs = task.x.shape[1]
    data = task.compared()
    n = data.y.shape[1]
    powers = _powers(n_inputs, MOST_TERMS * n)
    if not powers:
        return _split_at(data, task.seed)
    weighted = [_monomial(data.labelled, term) * data.root_weight for term in powers]
    columns, y = np.stack(weighted, axis=1), data.y[0] * data.root_weight
    least = _left(columns, y)

    def chance(i: int) -> float:
        without = [k for k, term in enumerate(powers) if i not in term]
        n_terms, n_free = len(powers) - len(without), n - len(powers)
        gain = (_left(columns[:, without], y) - least) / max(n_terms, 1)
        ratio = gain / (least / max(n_free, 1) + np.finfo(float).tiny)
        return float(fdtrc(n_terms, n_free, ratio))

    return frozenset(i for i in range(n_inputs) if chance(i) < SIGNIFICANCE)


def visible_inputs(task: Task, graph: Graph, share: float) -> frozenset[int]:
    """Tell which inputs move a formula's values by this share of the spread."""
    x = task.x[:N_SEARCH]
    with np.errstate(all="ignore"):
        values = graph.evaluate(x)[0]
        spread = float(np.std(task.y[:N_SEARCH]))

        def difference(i: int) -> float:
            mixed = x.copy()
            mixed[:, i] = np.roll(x[:, i], 1)
            return float(np.median(np.abs(graph.evaluate(mixed)[0] - values)))

        return frozenset(
            i for i in graph.used_inputs if not difference(i) < share * spread
        )


def _powers(n_inputs: int, most: float) -> list[tuple[int, ...]]:
    """All monomials up to the highest degree that keeps their number small."""
    for degree in DEGREES:
        if math.comb(n_inputs + degree, degree) <= most:
            return [
                term
                for d in range(degree + 1)
                for term in itertools.combinations_with_replacement(range(n_inputs), d)
            ]
    return []


def _split_at(data: Samples, seed: int) -> frozenset[int]:
    """Inputs that trees gain more by than by any shuffled copy of an input."""
    # Here, not above: most tables do without, and it takes half a second.
    from sklearn.ensemble import ExtraTreesRegressor

    x = data.labelled
    shuffled = np.random.default_rng([seed, 8]).permuted(x, axis=1)
    forest = ExtraTreesRegressor(N_TREES, min_samples_leaf=3, random_state=seed)
    forest.fit(np.concatenate([x, shuffled]).T, data.y[0], data.root_weight**2)
    gain, by_chance = np.split(forest.feature_importances_, 2)
    return frozenset(np.flatnonzero(gain > by_chance.max()).tolist())


def _monomial(x: Array, term: tuple[int, ...]) -> Array:
    return np.prod(x[list(term)], axis=0) if term else np.ones(x.shape[1])


def _left(columns: Array, y: Array) -> float:
    """The squared error that a least-squares fit leaves."""
    solution = np.linalg.lstsq(columns, y, rcond=1e-12)[0]
    return float(np.sum((y - columns @ solution) ** 2))

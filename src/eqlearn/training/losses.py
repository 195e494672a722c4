"""What residuals cost other than by their squares, and fits by such a loss.

A fit by any loss is a sequence of weighted least squares. At its end the rows are
written as least squares would have to see them to say the same, with the same errors
of the constants: so whatever judges formulas by squares judges by every loss.
"""

import math
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from eqlearn._types import Array, Booleans
from eqlearn.network.graph import Graph
from eqlearn.training.levenberg import Fit, fit
from eqlearn.training.samples import Samples

#: By squares; by squares up to a bend and by size beyond; by size; as a share of what
#: is expected.
LOSSES = ("squared", "huber", "absolute", "relative")
#: Those that wild values do not move.
ROBUST = ("huber", "absolute")

#: The median of absolute values that a normal distribution of unit spread has.
MEDIAN_OF_NORMAL = 0.6745
#: Usual distances at which a loss bends: 1.345 keeps 95 % of what squares would tell
#: of normal noise, and the size of a residual needs a bend to have a slope at zero.
_BENDS = {"huber": 1.345, "absolute": 0.1}
#: Chance that any row at all of pure noise is taken for one that does not follow.
_BY_CHANCE = 1e-3
#: Of the median size of a target, the least that a relative error is taken of.
_SMALLEST_SHARE = 1e-3
_MOST_ROUNDS, _SETTLED = 30, 1e-7
#: Usual distances beyond which a row does not follow, and the share that may not.
WILD, MOST_WILD = 6.0, 0.12


def fit_by(
    loss: str,
    graph: Graph,
    data: Samples,
    *,
    n_iterations: int = 20,
    tolerance: float = 1e-9,
    damping: float = 1e-3,
) -> Fit:
    """Minimise a loss from a graph that is near its optimum; `sse` is by its weights.

    Rows that do not follow, many usual distances off, count for nothing: they may have
    any inputs, and a single one that is far out would move a formula by any amount.
    """
    how = {"n_iterations": n_iterations, "tolerance": tolerance, "damping": damping}
    found = Fit(graph, math.inf, damping)
    if loss == "squared":
        return fit(graph, data, **how)  # type: ignore[arg-type]
    before = None
    for _ in range(_MOST_ROUNDS):
        seen = weighted(loss, found.graph, data)
        if seen is None:
            return Fit(graph, math.inf, damping)
        found = fit(found.graph, seen, **how)  # type: ignore[arg-type]
        values = found.graph.evaluate(data.labelled.T)[0][:, 0]
        if before is not None and _is_settled(values - before, before):
            break
        before = values
    return found


def _is_settled(moved: Array, values: Array) -> bool:
    most = _SETTLED * float(np.max(np.abs(values)))
    return bool(np.max(np.abs(moved)) <= most)


def weighted(loss: str, graph: Graph, data: Samples) -> Samples | None:
    """The rows weighted so that squares grow as the loss does, about a graph.

    None where the graph has no value.
    """
    values = _values(graph, data)
    if not np.isfinite(values).all():
        return None
    if loss == "relative":
        return _with_roots(data, relative_roots(values, data.root_weight))
    off = distances(values, data)
    bend = _BENDS[loss]
    sizes = np.abs(off.values)
    weight = np.where(sizes > bend, bend / np.maximum(sizes, bend), 1.0)
    kept = data.taken(off.follows)
    return _with_roots(kept, kept.root_weight * np.sqrt(weight[off.follows]))


def as_squares(loss: str, graph: Graph, data: Samples) -> Samples:
    """The rows as least squares must see them to have the optimum and the errors.

    Of rows that follow, residuals are cut off at the bend and divided by the share of
    rows below it (Huber's pseudo-values): their mean square is then the variance that
    the theory of such fits has for the constants.
    """
    if loss == "squared":
        return data
    values = _values(graph, data)
    if not np.isfinite(values).all():
        return data
    if loss == "relative":
        return _with_roots(data, relative_roots(values, data.root_weight))
    off = distances(values, data)
    kept, z = data.taken(off.follows), off.values[off.follows]
    bend, width = _BENDS[loss], _width(loss, len(z))
    share = max(float(np.mean(np.abs(z) <= width)), 1.0 / len(z))
    cut = width * np.clip(z / bend, -1.0, 1.0) / share
    if loss == "huber":  # his correction for few rows; beside a kink there is none
        cut *= 1.0 + graph.n_parameters / len(z) * (1.0 - share) / share
    y = values[off.follows] + cut * off.usual / kept.root_weight
    return kept._replace(y=y[None, :])


def _width(loss: str, n: int) -> float:
    """Up to where rows are counted to know how dense residuals are.

    At the bend; of the size of residuals, whose bend is next to zero, in a band that
    shrinks with the number of rows (Hall and Sheather).
    """
    if loss != "absolute":
        return _BENDS[loss]
    share = min(0.97 * n ** (-1 / 3), 0.4)
    return float(ndtri(0.5 + share))


class Distances(NamedTuple):
    """How far rows are off, in usual distances, and which follow all the same."""

    values: Array  # (N,)
    usual: float
    follows: Booleans


def distances(values: Array, data: Samples) -> Distances:
    """Compare rows with what is expected of them."""
    off = (data.y[0] - values) * data.root_weight
    usual = usual_distance(off) or 1e-13 * (float(np.max(np.abs(data.y))) or 1.0)
    z = off / usual
    return Distances(z, usual, ~wild_rows(np.abs(z)))


def usual_distance(off: Array) -> float:
    """The standard deviation of noise, told by the median: odd rows do not move it."""
    return float(np.median(np.abs(off))) / MEDIAN_OF_NORMAL


def wild_rows(off: Array, wild: float = WILD, share: float = MOST_WILD) -> Booleans:
    """Which rows are further off, in usual distances, than noise is.

    None if they are many, or if rows half as far off are: then noise has heavy tails.
    """
    far = off > wild_from(len(off), wild)
    n_between = int(np.sum((off > wild / 2) & (off <= wild)))
    is_noise = far.sum() > share * len(off) or n_between > 2 * far.sum()
    return far & (not is_noise)


def wild_from(n: int, wild: float = WILD) -> float:
    """Usual distances that hardly any of `n` rows of normal noise is off by."""
    return max(wild, -float(ndtri(_BY_CHANCE / (2 * n))))


def relative_roots(values: Array, roots: Array) -> Array:
    """Roots of weights by which residuals are shares of what is expected, of mean 1."""
    shares = roots / _sizes(values)
    root: Array = shares / np.sqrt(np.mean(np.square(shares)))
    return root


def relative_error(graph: Graph, data: Samples) -> float:
    """The root mean square of residuals as shares of what is expected."""
    values = _values(graph, data)
    off = (data.y[0] - values) * data.root_weight / _sizes(values)
    return float(np.sqrt(np.mean(np.square(off))))


def _sizes(values: Array) -> Array:
    """What shares are taken of: of values next to zero there would be none."""
    size: Array = np.abs(values)
    return np.maximum(size, max(_SMALLEST_SHARE * float(np.median(size)), 1e-300))


def noise_of(graph: Graph, data: Samples) -> float:
    """The root mean square of residuals of the rows that follow."""
    off = distances(_values(graph, data), data)
    followed = off.values[off.follows]
    return off.usual * float(np.sqrt(np.mean(np.square(followed))))


def _values(graph: Graph, data: Samples) -> Array:
    with np.errstate(all="ignore"):
        return graph.evaluate(data.labelled.T)[0][:, 0]


def _with_roots(data: Samples, roots: Array) -> Samples:
    return data._replace(root_weight=roots)

"""How far a prediction may be off: by constants, by other candidates, and by noise."""

import math
from collections.abc import Sequence
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from eqlearn._types import Array
from eqlearn.errors import must
from eqlearn.model.model import Equation, Model
from eqlearn.network.graph import Graph

#: Of a constant, or of the smallest that counts: how far it is moved for a slope.
_STEP, _SMALLEST = 1e-6, 1e-3
#: Chance up to which candidates that have no value at a row are left out there: one
#: that is hardly likely would make every interval infinite.
_HARDLY_LIKELY = 0.01


def prediction_std(model: Model, x: Array, errors: Array | None = None) -> Array:
    """The standard deviation (N, M) of a new measurement about its prediction.

    From the noise, the errors of the constants, and the candidates that are nearly as
    good: these agree inside the data and part outside. `errors` (N, K) are those of
    the last inputs, where these are constants of groups.
    """
    rows = np.asarray(x, float)
    return np.stack(
        [
            np.sqrt(_variance(model, one, rows) + _by_inputs(one.graph, rows, errors))
            for one in model.chosen
        ],
        axis=1,
    )


def _by_inputs(graph: Graph, x: Array, errors: Array | None) -> Array:
    """The variance (N,) of predictions because the last inputs have errors."""
    total: Array = np.zeros(len(x))
    if errors is None:
        return total
    first = x.shape[1] - errors.shape[1]
    for k, error in enumerate(errors.T, first):
        if k not in graph.used_inputs:
            continue
        step = _STEP * np.maximum(np.abs(x[:, k]), _SMALLEST)
        ends = []
        for sign in (1.0, -1.0):
            moved = x.copy()
            moved[:, k] += sign * step
            ends.append(graph.evaluate(moved)[0][:, 0])
        total = total + ((ends[0] - ends[1]) / (2.0 * step) * error) ** 2
    return np.where(np.isfinite(total), total, math.inf)


def prediction_interval(
    model: Model,
    x: Array,
    level: float,
    values: Array,
    errors: Array | None = None,
) -> Array:
    """Low and high ends (N, M, 2) about predicted values (N, M).

    A share `level` of new measurements should lie between them.
    """
    reach = interval_reach(model, x, level, errors)
    return np.stack([values - reach, values + reach], axis=2)


def interval_reach(
    model: Model, x: Array, level: Any, errors: Array | None = None
) -> Array:
    """How far (N, M) intervals reach above and below predicted values."""
    from scipy.special import stdtrit  # who only reads a model has no use for it

    share = float(level) if isinstance(level, Real) else math.nan
    if not 0 < share < 1:
        what, hint = "above 0 and below 1", "Use 0.95 for 95 %."
        raise must("return_interval", what, level, hint)
    free = [max(model.n_rows - one.graph.n_parameters, 1) for one in model.chosen]
    reach: Array = stdtrit(np.array(free, float), 0.5 + share / 2)
    return prediction_std(model, x, errors) * reach


def _variance(model: Model, chosen: Equation, x: Array) -> Array:
    others = [
        Weighed(one.graph, one.bic)
        for one in model.equations
        if one.target == chosen.target and one is not chosen
    ]
    by_constants = variance_by_constants(chosen.graph, covariance_of(chosen), x)
    by_candidates = variance_by_candidates(chosen.graph, others, chosen.bic, x)
    total: Array = _noise(chosen, x) + by_constants + by_candidates
    return total


def _noise(chosen: Equation, x: Array) -> Array | float:
    """The variance of a measurement; a share of the value, if the loss was relative."""
    share = chosen.scores.get("relative_error")
    if share is None:
        return chosen.rms**2
    with np.errstate(all="ignore"):
        return np.square(share * chosen.graph.evaluate(x)[0][:, 0])


def covariance_of(equation: Equation) -> Array:
    """The covariance of the constants; where only their errors are known, of these."""
    n = equation.graph.n_parameters
    if equation.covariance:
        return np.array(equation.covariance)
    errors = {one.connection: one.error for one in equation.constants}
    known = [errors.get(key, 0.0) for key in equation.graph.parameters()]
    return np.diag(np.square(known)).reshape(n, n)


def parameters_of(graph: Graph) -> Array:
    """The values of the free parameters, in their order."""
    slots = graph.slots()
    return np.array([slots[slot][source] for slot, source in graph.parameters()])


def with_parameters(graph: Graph, values: Array) -> Graph:
    """The graph with other values of its free parameters; ties follow."""
    slots = [dict(linear) for linear in graph.slots()]
    for (slot, source), value in zip(graph.parameters(), values, strict=True):
        slots[slot][source] = float(value)
    for (slot, source), (lead, ratio) in graph.ties.items():
        slots[slot][source] = ratio * slots[lead[0]][lead[1]]
    return graph.with_slots(list(slots))


def slopes(graph: Graph, x: Array) -> Array:
    """How the values at inputs (N, D) change with each parameter, (P, N)."""
    values = parameters_of(graph)
    rows = []
    for i, value in enumerate(values):
        step = _STEP * max(abs(float(value)), _SMALLEST)
        ends = []
        for sign in (1.0, -1.0):
            moved = values.copy()
            moved[i] += sign * step
            ends.append(with_parameters(graph, moved).evaluate(x)[0][:, 0])
        rows.append((ends[0] - ends[1]) / (2.0 * step))
    return np.array(rows).reshape(len(values), len(x))


def variance_by_constants(graph: Graph, covariance: Array, x: Array) -> Array:
    """The variance (N,) of predictions because constants are not known exactly.

    Infinite where the formula has no value.
    """
    with np.errstate(all="ignore"):
        slope = slopes(graph, x)
        variance = np.einsum("in,ij,jn->n", slope, covariance, slope)
    return np.where(np.isfinite(variance), np.maximum(variance, 0.0), math.inf)


class Weighed(NamedTuple):
    """A candidate and its criterion, by which it is weighed."""

    graph: Graph
    bic: float


def chances(bic: Sequence[float]) -> Array:
    """How likely each of several formulas is the law, if one of them is.

    The criterion is minus twice the logarithm of a formula's probability.
    """
    least = min(bic)
    if not math.isfinite(least):  # nothing is known of any
        return np.full(len(bic), 1.0 / len(bic))
    likely = np.exp(-0.5 * (np.asarray(bic, float) - least))
    share: Array = likely / likely.sum()
    return share


def variance_by_candidates(
    chosen: Graph, others: Sequence[Weighed], bic: float, x: Array
) -> Array:
    """The mean squared distance (N,) of the law from the chosen formula.

    The law is any of the candidates, each as likely as its criterion says. Infinite
    where the chosen one, or more than hardly likely ones, have no value.
    """
    share = chances([bic, *(other.bic for other in others)])[1:]
    total: Array = np.zeros(len(x))
    without_value = np.zeros(len(x))
    with np.errstate(all="ignore"):
        values = chosen.evaluate(x)[0][:, 0]
        for other, chance in zip(others, share, strict=True):
            if chance > 0:
                squared = (other.graph.evaluate(x)[0][:, 0] - values) ** 2
                is_known = np.isfinite(squared)
                total += np.where(is_known, chance * squared, 0.0)
                without_value += np.where(is_known, 0.0, chance)
    is_known = np.isfinite(values) & (without_value <= _HARDLY_LIKELY)
    return np.where(is_known, total, math.inf)

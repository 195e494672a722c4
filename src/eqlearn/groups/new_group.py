"""The constants of a group that was not learned from, told by some of its rows."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy.optimize import least_squares

from eqlearn._types import Array
from eqlearn.data.mixed import group_text
from eqlearn.errors import must
from eqlearn.model.group_constants import Groups
from eqlearn.model.model import Equation, Model


def with_new_group(model: Model, group: object, x: Array, y: Array) -> Model:
    """The model with the constants of one more group, fitted to its rows.

    `x` (N, D) are the measured inputs and `y` (N, M) the targets. What groups share
    stays as it is.
    """
    groups, name = model.groups, group_text(group)
    if groups is None:
        raise must(
            "group", "given to a model with groups", name, "Give `groups` to fit."
        )
    if name in groups.names or not name:
        what = f"the name of a new group, other than {groups.listed}"
        raise must("group", what, name)
    values: dict[str, float] = {}
    errors: dict[str, float] = {}
    for equation in model.equations:
        column = y[:, model.targets.index(equation.target)]
        _tell(model, groups, equation, x, column, values, errors)
    constants = tuple(
        replace(
            one,
            values=(*one.values, values[one.name]),
            errors=(*one.errors, errors[one.name]),
        )
        for one in groups.constants
    )
    more = replace(
        groups,
        names=(*groups.names, name),
        n_rows=(*groups.n_rows, len(x)),
        constants=constants,
        rms=_with_errors(model, groups, x, y, [values[one.name] for one in constants]),
    )
    return _widened(replace(model, groups=more), constants_of=more)


def _with_errors(
    model: Model, groups: Groups, x: Array, y: Array, constants: Sequence[float]
) -> tuple[tuple[float, ...], ...]:
    """The errors of equations by group, with those in the new one."""
    x = np.concatenate([x, np.tile(constants, (len(x), 1))], axis=1)
    found = []
    # A model file from before errors were kept has none.
    for one, known in zip(model.equations, groups.rms, strict=False):
        with np.errstate(all="ignore"):
            left = one.snapped.evaluate(x)[0][:, 0]
        left = left - y[:, model.targets.index(one.target)]
        error = float(np.sqrt(np.mean(left**2)))
        found.append((*known, error if math.isfinite(error) else math.inf))
    return tuple(found)


def _tell(
    model: Model,
    groups: Groups,
    equation: Equation,
    x: Array,
    y: Array,
    values: dict[str, float],
    errors: dict[str, float],
) -> None:
    """Fit those constants of a group that an equation uses."""
    first, graph = len(model.measured), equation.snapped
    used = sorted(i for i in graph.used_inputs if i >= first)
    names = [model.inputs[i] for i in used]
    if len(x) < len(names):
        what = f"of at least {len(names)} rows, for {', '.join(names)}"
        raise must("X", what, len(x), "Measure more of this group.")
    if not names:
        return
    known = np.array([groups.constants[i - first].values for i in used])
    table = np.zeros((len(x), len(model.inputs)))
    table[:, :first] = x

    def residual(constants: Array) -> Array:
        table[:, used] = constants
        with np.errstate(all="ignore"):
            left = graph.evaluate(table)[0][:, 0] - y
        return np.where(np.isfinite(left), left, 1e100)

    starts = sorted(known.T, key=lambda one: float(np.sum(residual(one) ** 2)))
    fits = [
        least_squares(residual, start, x_scale=np.abs(start) + 1e-9, xtol=1e-12)
        for start in starts[:3]
    ]
    best = min(fits, key=lambda one: float(one.cost))
    variance = 2.0 * best.cost / max(len(x) - len(names), 1)
    if len(x) == len(names):  # the noise of the others is all there is to go by
        variance = equation.rms**2
    told = np.sqrt(np.maximum(np.diag(np.linalg.pinv(best.jac.T @ best.jac)), 0.0))
    values |= dict(zip(names, map(float, best.x), strict=True))
    spread = (float(error) for error in told * np.sqrt(variance))
    errors |= dict(zip(names, spread, strict=True))


def _widened(model: Model, constants_of: Groups) -> Model:
    """The model with ranges of its constants that the new group is in."""
    n = len(model.measured)
    ends = [(min(one.values), max(one.values)) for one in constants_of.constants]
    return replace(
        model,
        ranges=(*model.ranges[:n], *ends),
        domain=(*model.domain[:n], *ends),
        n_rows=sum(constants_of.n_rows),
    )

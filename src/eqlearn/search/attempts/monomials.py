"""Products of powers of inputs: their values, and how a formula is made of them."""

from collections.abc import Sequence

import numpy as np

from eqlearn._types import Array
from eqlearn.network.draft import Draft
from eqlearn.network.graph import CONSTANT, Graph, Linear

#: The power of each input.
Exponents = tuple[float, ...]
#: Numerator and denominator.
Quotient = tuple[Linear, Linear]

ONE: Linear = {CONSTANT: 1.0}


def monomial(x: Array, exponents: Sequence[float]) -> Array:
    """The product of powers of the rows of `x` (D, N)."""
    values = np.ones(x.shape[1])
    for row, power in zip(x, exponents, strict=True):
        if power:
            whole = float(power).is_integer()
            values = values * (row ** int(power) if whole else row**power)
    return values


def product(draft: Draft, factors: Sequence[Linear]) -> Linear:
    """The product of sums, as a feature if there is more than one."""
    kept = [linear for linear in factors if linear != ONE]
    total: Linear = kept[0] if kept else ONE
    for factor in kept[1:]:
        total = {draft.add("multiply", total, factor): 1.0}
    return total


def monomial_fraction(
    draft: Draft, exponents: Sequence[float], features: Sequence[Linear] | None = None
) -> Quotient:
    """A monomial as units: products above and below, square roots, other powers.

    A power that is no multiple of 1/2 is exp(p log x), with p to be fitted. Powers are
    of inputs, unless other features are given.
    """
    if features is None:
        features = [{i: 1.0} for i in range(len(exponents))]
    above: list[Linear] = []
    below: list[Linear] = []
    others: dict[int, float] = {}
    for feature, power in zip(features, exponents, strict=True):
        if not float(2 * power).is_integer():
            others[draft.add("log", feature)] = float(power)
            continue
        factors: list[Linear] = [feature] * (int(2 * abs(power)) // 2)
        if int(2 * abs(power)) % 2:
            factors.append({draft.add("sqrt", feature): 1.0})
        (above if power > 0 else below).extend(factors)
    if others:
        above.append({draft.add("exp", others): 1.0})
    return product(draft, above), product(draft, below)


def weighted_sum(
    draft: Draft, features: Sequence[Linear], weights: Array, below: Linear = ONE
) -> Graph:
    """The features of a draft times weights, summed, over a denominator."""
    total: dict[int, float] = {}
    for feature, weight in zip(features, weights.tolist(), strict=True):
        for source, one in feature.items():
            total[source] = total.get(source, 0.0) + one * weight
    draft.outputs.append((total, dict(below)))
    graph = draft.freeze()
    assert graph is not None
    return graph

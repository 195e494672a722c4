"""Each term of the loss as its own function (paper, Eqs. 4-6 and 8).

The terms know no network: they take what a forward pass returned. `rows` (N,) is 1
for a sample and 0 for the padding of the last mini-batch of an epoch.
"""

from eqlearn._types import AnyArray, Namespace


def denominator_penalty(
    b: AnyArray, theta: float | AnyArray, xp: Namespace
) -> AnyArray:
    """p^θ(b) = max(θ - b, 0) of Eq. 4, elementwise."""
    return xp.maximum(theta - b, 0.0)


def total_denominator_penalty(
    b: AnyArray, theta: float | AnyArray, rows: AnyArray, xp: Namespace
) -> AnyArray:
    """P^θ of Eq. 5: the penalties of all samples and denominators, summed."""
    return xp.sum(denominator_penalty(b, theta, xp) * rows[:, None])


def bound_penalty(
    outputs: AnyArray, bound: float | AnyArray, rows: AnyArray, xp: Namespace
) -> AnyArray:
    """P^bound of Eq. 6: by how much outputs leave [-B, B], summed."""
    above = xp.maximum(outputs - bound, 0.0)
    below = xp.maximum(-outputs - bound, 0.0)
    return xp.sum((above + below) * rows[:, None])


def squared_error(
    outputs: AnyArray, targets: AnyArray, rows: AnyArray, xp: Namespace
) -> AnyArray:
    """Mean squared error of Eq. 8: squared distance averaged over the samples."""
    squares = xp.sum((outputs - targets) ** 2, axis=1)
    return xp.sum(squares * rows) / xp.sum(rows)


def l1_norm(weights: AnyArray, is_weight: AnyArray, xp: Namespace) -> AnyArray:
    """Σ |W|₁ of Eq. 8; the biases do not count."""
    return xp.sum(xp.abs(weights) * is_weight)


def training_loss(
    error: AnyArray, l1: float | AnyArray, norm: AnyArray, penalty: AnyArray
) -> AnyArray:
    """Eq. 8: error + λ Σ|W|₁ + P^θ, of an ordinary epoch."""
    return error + l1 * norm + penalty


def penalty_loss(penalty: AnyArray, bound: AnyArray) -> AnyArray:
    """P^θ + P^bound, the whole loss of a penalty epoch."""
    return penalty + bound

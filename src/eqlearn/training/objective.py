"""Each term of the loss as its own function (paper, Eqs. 4-6 and 8).

The terms know no network: they take what a forward pass returned. `rows` (N,) is 1
for a sample and 0 for the padding of the last mini-batch of an epoch.
"""

from eqlearn._types import Array, Namespace


def denominator_penalty(b: Array, theta: float | Array, xp: Namespace) -> Array:
    """p^θ(b) = max(θ - b, 0) of Eq. 4, elementwise."""
    return xp.maximum(theta - b, 0.0)


def total_denominator_penalty(
    b: Array, theta: float | Array, rows: Array, xp: Namespace
) -> Array:
    """P^θ of Eq. 5: the penalties of all samples and denominators, summed."""
    return xp.sum(denominator_penalty(b, theta, xp) * rows[:, None])


def bound_penalty(
    outputs: Array, bound: float | Array, rows: Array, xp: Namespace
) -> Array:
    """P^bound of Eq. 6: by how much outputs leave [-B, B], summed."""
    above = xp.maximum(outputs - bound, 0.0)
    below = xp.maximum(-outputs - bound, 0.0)
    return xp.sum((above + below) * rows[:, None])


def squared_error(outputs: Array, targets: Array, rows: Array, xp: Namespace) -> Array:
    """Mean squared error of Eq. 8: squared distance averaged over the samples."""
    squares = xp.sum((outputs - targets) ** 2, axis=1)
    return xp.sum(squares * rows) / xp.sum(rows)


def l1_norm(weights: Array, is_weight: Array, xp: Namespace) -> Array:
    """Σ |W|₁ of Eq. 8; the biases do not count."""
    return xp.sum(xp.abs(weights) * is_weight)


def training_loss(
    error: Array, l1: float | Array, norm: Array, penalty: Array
) -> Array:
    """Eq. 8: error + λ Σ|W|₁ + P^θ, of an ordinary epoch."""
    return error + l1 * norm + penalty


def penalty_loss(penalty: Array, bound: Array) -> Array:
    """P^θ + P^bound, the whole loss of a penalty epoch."""
    return penalty + bound

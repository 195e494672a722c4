"""Initial weights and the forward pass of ONE network (paper, Eqs. 1-3).

Weights are one flat vector, so that a training step updates a single array.
"""

import itertools
from typing import NamedTuple

import numpy as np

from eqlearn._types import AnyArray, Array, Booleans, Namespace
from eqlearn.network.architecture import Architecture, Block

#: The threshold of Eq. 3 in validation and testing (paper, section 2.2).
TEST_THRESHOLD = 1e-4


class Evaluation(NamedTuple):
    """What a forward pass computes for N samples."""

    outputs: AnyArray  # (N, M)
    denominators: AnyArray  # (N, M), ones without division
    guarded: AnyArray  # (N, G) arguments of log, sqrt, ...: must stay positive


def forward(
    architecture: Architecture,
    weights: AnyArray,
    x: AnyArray,
    *,
    theta: float | AnyArray = TEST_THRESHOLD,
    xp: Namespace = np,
) -> Evaluation:
    """Evaluate one network with flat `weights` (P,) on inputs `x` (N, D)."""
    *layers, (W, w0) = unpack(architecture, weights, xp)
    y = x.T
    guarded = [y[:0]]
    for blocks, (V, v0) in zip(architecture.hidden, layers, strict=True):
        z = V @ y + v0[:, None]
        features = [y] if architecture.skip else []
        arguments = iter(xp.split(z, _argument_bounds(blocks)))
        for block in blocks:
            taken = [next(arguments) for _ in range(block.definition.arity)]
            if block.definition.positive:
                guarded += taken
                taken = [xp.maximum(argument, theta) for argument in taken]
            features.append(block.definition(xp, *taken))
        y = xp.concatenate(features)
    outputs, denominators = read_out(architecture, W @ y + w0[:, None], theta, xp)
    return Evaluation(outputs.T, denominators.T, xp.concatenate(guarded).T)


def read_out(
    architecture: Architecture, z: AnyArray, theta: float | AnyArray, xp: Namespace
) -> tuple[AnyArray, AnyArray]:
    """Output layer: linear (Eq. 1) or, with division, h^θ of pairs (Eq. 2)."""
    if not architecture.division:
        return z, xp.ones_like(z)
    numerators, denominators = xp.split(z, 2)
    return divide(numerators, denominators, theta, xp), denominators


def divide(
    a: AnyArray, b: AnyArray, theta: float | AnyArray, xp: Namespace = np
) -> AnyArray:
    """h^θ(a, b) of Eq. 3: a / b above the threshold, 0 below."""
    allowed = b > theta
    # The inner `where` keeps the unused branch finite: its gradient would be NaN.
    return xp.where(allowed, a / xp.where(allowed, b, 1.0), 0.0)


def unpack(
    architecture: Architecture, weights: AnyArray, xp: Namespace = np
) -> list[tuple[AnyArray, AnyArray]]:
    """Cut the flat vector into (W, w_0) of every layer; views, in NumPy."""
    # `split` and not slices: its derivative is one concatenation instead of a sum
    # of padded arrays, which was most of the time of a training step.
    bounds = [
        stop
        for shape in architecture.layers
        for stop in (shape.weights.stop, shape.stop)
    ]
    pieces = iter(xp.split(weights, bounds[:-1]))
    return [
        (next(pieces).reshape(shape.n_out, shape.n_in), next(pieces))
        for shape in architecture.layers
    ]


def _argument_bounds(blocks: tuple[Block, ...]) -> list[int]:
    """Where each block's arguments begin among the rows of z, the first left out."""
    counts = [block.count for block in blocks for _ in range(block.definition.arity)]
    return list(itertools.accumulate(counts[:-1]))


def is_weight(architecture: Architecture) -> Booleans:
    """Tell the entries of the W (True) from the biases (False), shape (P,)."""
    mask = np.zeros(architecture.n_weights, dtype=bool)
    for shape in architecture.layers:
        mask[shape.weights] = True
    return mask


def initialise(
    architecture: Architecture,
    rng: np.random.Generator,
    *,
    spread: float = 2.0,
    denominator: float = 2.0,
) -> Array:
    """Draw the initial weights of one network; the paper is silent on how.

    W ~ N(0, 1/(n_in + n_out)), biases 0. Two exceptions decide whether a formula
    is found at all. First-layer weights into oscillating units are N(0, spread) with
    phases uniform in [-π, π]: small frequencies end in imitations such as
    sin(quadratic). Denominators start as the constant `denominator` plus weights
    ten times smaller than elsewhere, above θ(0) = 1 for inputs of unit size, because
    below θ the output is 0 and has no gradient.
    """
    weights = np.zeros(architecture.n_weights)
    layers = unpack(architecture, weights)
    for W, _ in layers:
        W[:] = rng.normal(size=W.shape) / np.sqrt(sum(W.shape))
    for i, (blocks, (W, w0)) in enumerate(
        zip(architecture.hidden, layers[:-1], strict=True)
    ):
        rows = np.split(np.arange(len(w0)), _argument_bounds(blocks))
        arguments = iter(rows)
        for block in blocks:
            for row in (next(arguments) for _ in range(block.definition.arity)):
                if block.definition.oscillates:
                    w0[row] = rng.uniform(-np.pi, np.pi, len(row))
                    if i == 0:
                        W[row] = rng.normal(scale=spread, size=W[row].shape)
                if block.definition.positive:
                    w0[row] = 1.0
    if architecture.division:
        W, w0 = layers[-1]
        W[architecture.n_outputs :] *= 0.1
        w0[architecture.n_outputs :] = denominator
    return weights

"""Architectures and mini-batches as the arrays that compiled steps read.

Samples run along the last axis in chunks of 20 lanes, the paper's mini-batch. Another
batch is several chunks, the last with lanes that count nothing.
"""

from functools import cache
from typing import NamedTuple

import numpy as np

from eqlearn._types import Booleans, Singles
from eqlearn.network.architecture import Architecture
from eqlearn.network.forward import is_weight
from eqlearn.training.compiled.tiles import N_LANES
from eqlearn.training.compiled.vectors import WIDTH

#: Units that `steps` has code for; networks of others are trained by JAX.
TRAINED = (
    *("identity", "sin", "cos", "multiply", "square"),
    *("exp", "log", "sqrt", "tanh"),
)


class NetworkShape(NamedTuple):
    """An architecture as arrays. Features and slots are numbered through all layers.

    With skips a layer reads from the first input on, without from the layer before.
    """

    layers: Singles  # (L, 6) inputs, outputs, start of W, first feature, slot and block
    blocks: Singles  # (K, 4) row of TRAINED, units, first slot, first feature
    is_weight: Singles  # (P,) 1, or 0 for biases
    n_inputs: int
    n_outputs: int
    n_features: int  # in eights
    division: bool


class Terms(NamedTuple):
    """What holds for all networks in an epoch."""

    theta: np.float32
    bound: np.float32
    rate: np.float32
    epsilon: np.float32  # Adam's
    held: np.float32  # phase 3 holds |w| below it at zero; 0 before
    is_penalty_epoch: bool


class Batches(NamedTuple):
    """B mini-batches of C chunks each; `rows` are weights, 0 for padding."""

    x: Singles  # (B, C, D · lanes)
    y: Singles  # (B, C, M · lanes)
    rows: Singles  # (B, C, lanes)
    totals: Singles  # (B,) of `rows`
    n_rows: int  # of a mini-batch


class NetworkArrays(NamedTuple):
    """R networks in training; the first three change in place."""

    weights: Singles  # (R, P)
    first: Singles  # (R, P) Adam's moments
    second: Singles  # (R, P)
    l1: Singles  # (R,) λ in force
    is_trained: Booleans  # (R,) what has diverged is left alone


class Scratch(NamedTuple):
    """Memory of one chunk; all are (rows · lanes) but the last."""

    features: Singles
    turned: Singles  # features transposed: (lanes, rows)
    slots: Singles
    slopes: Singles  # of the unit by this slot
    by_feature: Singles  # derivatives of the loss
    by_slot: Singles  # of one layer
    gradient: Singles  # (P,)


def covers(architecture: Architecture) -> bool:
    """Tell whether all units of a network have compiled code."""
    return all(b.unit in TRAINED for blocks in architecture.hidden for b in blocks)


@cache
def shape_of(architecture: Architecture) -> NetworkShape:
    """Write an architecture as arrays."""
    layers: list[tuple[int, ...]] = []
    blocks: list[tuple[int, ...]] = []
    feature, seen, slot = _begin(architecture, architecture.n_inputs), 0, 0
    hidden = (*architecture.hidden, ())
    for shape, units in zip(architecture.layers, hidden, strict=True):
        layers.append((shape.n_in, shape.n_out, shape.start, seen, slot, len(blocks)))
        seen = 0 if architecture.skip else feature
        for block in units:
            code, n = TRAINED.index(block.unit), block.count
            blocks.append((code, n, slot, feature))
            slot, feature = slot + n * block.definition.arity, feature + n
        feature = _begin(architecture, feature)
    return NetworkShape(
        np.array(layers),
        np.array(blocks),
        is_weight(architecture).astype(np.float32),
        architecture.n_inputs,
        architecture.n_outputs,
        _in_eights(feature),
        architecture.division,
    )


def in_lanes(x: Singles, y: Singles, rows: Singles) -> Batches:
    """Lay out mini-batches (B, N, D), (B, N, M) and (B, N) for the compiled steps."""
    # Padding repeats a sample: where that is finite, so is what counts nothing.
    x, y = (np.where(rows[..., None] > 0, part, part[:, :1]) for part in (x, y))
    n_batches, n_rows = rows.shape
    n_chunks = -(-n_rows // N_LANES)
    lanes = np.arange(n_chunks * N_LANES)
    source = np.where(lanes < n_rows, lanes, 0)
    weight = np.where(lanes < n_rows, rows[:, source], 0.0)
    totals = rows.sum(axis=1).astype(np.float32)

    def cut(part: Singles) -> Singles:
        chunks = part.reshape(n_batches, n_chunks, N_LANES, -1).swapaxes(2, 3)
        return np.ascontiguousarray(chunks, np.float32).reshape(n_batches, n_chunks, -1)

    return Batches(cut(x[:, source]), cut(y[:, source]), cut(weight), totals, n_rows)


def workspace(shape: NetworkShape) -> Scratch:
    """Allocate the memory that networks of a shape are trained in."""
    n_out = shape.layers[:, 1]
    features, slots, widest = shape.n_features, int(n_out.sum()), int(n_out.max())
    return Scratch(
        features=_rows(features),
        turned=_rows(features),
        slots=_rows(slots),
        slopes=_rows(slots),
        by_feature=_rows(features),
        by_slot=_rows(_in_eights(widest)),
        gradient=_aligned(len(shape.is_weight)),
    )


def _begin(architecture: Architecture, n: int) -> int:
    """Where a layer begins after `n` features: in eights, which are read faster.

    With skips no gap may be between them.
    """
    return n if architecture.skip else _in_eights(n)


def _in_eights(n: int) -> int:
    return -(-n // WIDTH) * WIDTH


def _rows(n: int) -> Singles:
    """Rows of lanes, also in eights as their transpose needs; vectors may overhang."""
    return _aligned(n * _in_eights(N_LANES) + WIDTH)


def _aligned(n: int) -> Singles:
    """Zeros that begin with a line of the cache, as vectors should."""
    n_bytes, line = 4 * n, 64
    memory = np.zeros(n_bytes + line, np.uint8)
    start = -memory.ctypes.data % line
    return memory[start : start + n_bytes].view(np.float32)

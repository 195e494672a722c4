"""A training state as bytes, and back: nothing but named arrays."""

import io
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from eqlearn._types import Array
from eqlearn.training.gradient import GradientSettings, TrainingState, begin

#: What is a tree of arrays in a state, or None.
MOMENTS = ("moments", "penalty_moments")


class Trained(NamedTuple):
    """What is to be known of networks once they are trained."""

    weights: Array  # (R, P)
    diverged_at: Array  # (R,) epoch, or -1
    validation: Array  # (R,) RMS error on samples held out


def to_bytes(state: TrainingState, validation: Array) -> bytes:
    """Write every array of a state, and the validation errors reached so far."""
    arrays: dict[str, Any] = {
        **state._asdict(),
        "key": jax.random.key_data(state.key),
        "validation": validation,
    }
    for name in MOMENTS:
        leaves = jax.tree.leaves(arrays.pop(name))
        arrays |= {f"{name}_{i}": leaf for i, leaf in enumerate(leaves)}
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


def from_bytes(settings: GradientSettings, data: bytes) -> TrainingState:
    """Read the state that `to_bytes` wrote for these settings."""
    with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
        read: dict[str, Any] = {name: jnp.asarray(arrays[name]) for name in arrays}
    weights, l1 = read["weights"], read["l1"]
    blank = begin(settings, weights, l1, seed=0)
    moments = {}
    for name in MOMENTS:
        leaves, structure = jax.tree.flatten(getattr(blank, name))
        known = [read[f"{name}_{i}"] for i in range(len(leaves))]
        moments[name] = jax.tree.unflatten(structure, known)
    return TrainingState(
        weights=weights,
        epoch=read["epoch"],
        key=jax.random.wrap_key_data(read["key"]),
        l1=l1,
        diverged_at=read["diverged_at"],
        **moments,
    )


def trained(data: bytes) -> Trained:
    """Read the networks only."""
    with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
        return Trained(*(arrays[name] for name in Trained._fields))

"""The numbers of the published protocol."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from eqlearn._types import Array
from eqlearn.network.architecture import Architecture
from eqlearn.network.forward import initialise, unpack
from eqlearn.network.units import PAPER_UNITS
from eqlearn.training.gradient import GradientSettings
from eqlearn.training.schedule import Schedule


def paper(
    n_inputs: int,
    n_outputs: int,
    *,
    n_layers: int,
    units_per_type: int = 10,
    units: Sequence[str] = PAPER_UNITS,
    division: bool = True,
    n_epochs: int | None = None,
    penalty: str = "in_place",
) -> GradientSettings:
    """Set up the training of the published protocol.

    Adam with rate 0.001 and ε 1e-4, batches of 20, 10 units a type, T = (L-1)·10000
    epochs, L1 from T/4 to 19T/20, a penalty epoch every 50 (`penalty` says how). With
    another number of epochs the same happens in these.
    """
    architecture = Architecture.paper(
        n_inputs,
        n_outputs,
        n_layers=n_layers,
        units_per_type=units_per_type,
        units=units,
        division=division,
    )
    schedule = replace(Schedule.paper(n_layers, n_epochs), penalty=penalty)
    if not division:  # penalty epochs came with division
        schedule = replace(schedule, penalty_every=0)
    return GradientSettings(architecture, schedule)


def released(architecture: Architecture, rng: np.random.Generator) -> Array:
    """Draw the initial weights of one network as the authors' code does.

    W ~ N(0, 1/(n_in + n_out)) in every layer, n_out being its rows. The biases are 0,
    in the output layer 1: numerators and denominators start about 1.
    """
    weights = np.zeros(architecture.n_weights)
    layers = unpack(architecture, weights)
    for W, _ in layers:
        W[:] = rng.normal(size=W.shape) / np.sqrt(sum(W.shape))
    layers[-1][1][:] = 1.0
    return weights


#: Ways to draw initial weights, on which the paper is silent.
INITIAL: Mapping[str, Callable[[Architecture, np.random.Generator], Array]] = {
    "wide": initialise,
    "released": released,
}


def initial_weights(
    architecture: Architecture,
    rng: np.random.Generator,
    n_networks: int,
    initial: str = "wide",
) -> Array:
    """Draw the weights of `n_networks` independent networks, (R, P)."""
    draw = INITIAL[initial]
    return np.stack([draw(architecture, rng) for _ in range(n_networks)])

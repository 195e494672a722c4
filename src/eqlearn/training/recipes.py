"""The numbers of the published protocol."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from eqlearn._types import Array
from eqlearn.network.architecture import Architecture
from eqlearn.network.forward import initialise
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
) -> GradientSettings:
    """Set up the training of the published protocol.

    Adam with rate 0.001 and ε 1e-4, batches of 20, 10 units a type, T = (L-1)·10000
    epochs, L1 from T/4 to 19T/20, a penalty epoch every 50. With another number of
    epochs the same happens in these.
    """
    architecture = Architecture.paper(
        n_inputs,
        n_outputs,
        n_layers=n_layers,
        units_per_type=units_per_type,
        units=units,
        division=division,
    )
    schedule = Schedule.paper(n_layers, n_epochs)
    if not division:  # penalty epochs came with division
        schedule = replace(schedule, penalty_every=0)
    return GradientSettings(architecture, schedule)


def initial_weights(
    architecture: Architecture, rng: np.random.Generator, n_networks: int
) -> Array:
    """Draw the weights of `n_networks` independent networks, (R, P)."""
    return np.stack([initialise(architecture, rng) for _ in range(n_networks)])

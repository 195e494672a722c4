"""Named sets of settings: the published protocol, and shorter ones that we measured."""

from collections.abc import Sequence

import numpy as np

from eqlearn._types import Array
from eqlearn.network.architecture import Architecture
from eqlearn.network.forward import initialise
from eqlearn.network.graph import Graph, from_network
from eqlearn.network.units import PAPER_UNITS
from eqlearn.training.gradient import GradientSettings, TrainingState
from eqlearn.training.schedule import Schedule

#: B of Eq. 6 in the paper's experiments.
PAPER_BOUND = 10.0


def paper(
    n_inputs: int,
    n_outputs: int,
    *,
    n_layers: int,
    units_per_type: int = 10,
    units: Sequence[str] = PAPER_UNITS,
    division: bool = True,
) -> GradientSettings:
    """Set up the published protocol, number for number.

    Adam with rate 0.001 and ε 1e-4, batches of 20, 10 units a type, T = (L-1)·10000
    epochs, L1 from T/4 to 19T/20, a penalty epoch every 50.
    """
    architecture = Architecture.paper(
        n_inputs,
        n_outputs,
        n_layers=n_layers,
        units_per_type=units_per_type,
        units=units,
        division=division,
    )
    return GradientSettings(architecture, Schedule.paper(n_layers))


def short(architecture: Architecture, n_samples: int) -> GradientSettings:
    """Set up a training of seconds: 20 000 steps a hidden layer, at a falling rate.

    The rate falls from 0.01 to 0.001; a penalty epoch comes every 10 because there
    are only a few dozen epochs.
    """
    batch_size = 20
    n_steps = 20_000 * len(architecture.hidden)
    n_epochs = max(20, round(n_steps * batch_size / n_samples))
    schedule = Schedule(n_epochs, penalty_every=10, final_rate=0.1)
    return GradientSettings(
        architecture, schedule, learning_rate=0.01, batch_size=batch_size
    )


def graphs(architecture: Architecture, state: TrainingState) -> list[Graph]:
    """Read the networks that did not diverge as graphs, ready to be refined."""
    healthy = np.flatnonzero(np.asarray(state.diverged_at) < 0)
    weights = np.asarray(state.weights, dtype=float)
    return [from_network(architecture, weights[i]) for i in healthy]


def initial_weights(
    architecture: Architecture, rng: np.random.Generator, n_networks: int
) -> Array:
    """Draw the weights of `n_networks` independent networks, (R, P)."""
    return np.stack([initialise(architecture, rng) for _ in range(n_networks)])

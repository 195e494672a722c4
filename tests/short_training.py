"""A training of seconds where the published one takes an hour, and one that fails."""

from typing import Any

import numpy as np
import pytest

from eqlearn._types import Array
from eqlearn.network.architecture import Architecture
from eqlearn.training import recipes
from eqlearn.training.gradient import GradientSettings
from eqlearn.training.schedule import Schedule


def short(architecture: Architecture, n_samples: int) -> GradientSettings:
    """Set up 20 000 steps a hidden layer, at a rate that falls from 0.01 to 0.001.

    A penalty epoch comes every 10 because there are only a few dozen epochs.
    """
    batch_size = 20
    n_steps = 20_000 * len(architecture.hidden)
    n_epochs = max(20, round(n_steps * batch_size / n_samples))
    schedule = Schedule(n_epochs, penalty_every=10, final_rate=0.1)
    return GradientSettings(
        architecture, schedule, learning_rate=0.01, batch_size=batch_size
    )


def one_network_diverges(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the second network of every batch start with a weight that is no number."""
    initial = recipes.initial_weights

    def one_is_not_finite(*arguments: Any) -> Array:
        weights = np.array(initial(*arguments))
        weights[1, 0] = np.nan
        return weights

    monkeypatch.setattr(recipes, "initial_weights", one_is_not_finite)

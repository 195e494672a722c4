"""The multilayer perceptron of section 4: tanh units, chosen from the paper's grid."""

import itertools
import math
from copy import deepcopy
from typing import Any, NamedTuple

import numpy as np
from sklearn.neural_network import MLPRegressor
from threadpoolctl import threadpool_limits

from eqlearn._types import Array
from eqlearn.baselines.question import Answer, Clock, Question
from eqlearn.baselines.validation import (
    GridFit,
    Predict,
    Split,
    rms,
    search,
    split,
    standardised,
)
from eqlearn.problems import Learned

#: Batches from the paper's 20 rows up to ten times that, where there are many, and five
#: times its rate: on F-1, with these batches, a quarter of the time for the same error.
BATCH_SIZES = (20, 200)
N_BATCHES = 40
LEARNING_RATE = 0.005
EPSILON = 1e-4  # of Adam, as in the paper
#: Epochs at most, and how many without a smaller error end a training.
MOST_EPOCHS = 2000
PATIENCE = 30


class NetworkSetting(NamedTuple):
    """One point of the grid; L layers have L - 1 hidden ones, as in EQL."""

    l2: float  # λ
    layers: int  # L
    neurons: int  # k of each hidden layer


#: The paper's grid (section 4.1), large networks first: they fit best. Where time is
#: short, each λ is tried with one of them before any is tried with another.
GRID = tuple(
    NetworkSetting(10.0**exponent, layers, neurons)
    for neurons, layers, exponent in itertools.product(
        (20, 10, 5), (3, 4, 2), (-5.0, -6.3, -4.0, -6.0, -5.3, -4.3)
    )
)


def by_mlp(question: Question) -> list[Answer | None]:
    """Learn all targets with one network, trained by Adam until its error rises.

    The paper does not say what its λ weighs for networks of this kind; here it is
    squared weights. Inputs and targets are standardised.
    """
    scaled, standard = standardised(question)
    rows = split(scaled)

    def fit(setting: NetworkSetting, clock: Clock) -> GridFit[NetworkSetting]:
        network = _trained(setting, rows, question.seed, clock)
        weights = [*network.coefs_, *network.intercepts_]
        n_parameters = sum(some.size for some in weights)
        return GridFit(setting, _predict(network), n_parameters, len(rows.train.x))

    with threadpool_limits(1):  # matrices are too small to be divided
        best, n_tried = search(GRID, fit, rows, question.time_limit)
    remarks = {**best.setting._asdict(), "tried": n_tried, "grid": len(GRID)}
    return [
        Answer(
            Learned(standard.predictor(best.predict, m)),
            best.n_parameters,
            n_tried,
            remarks,
        )
        for m in range(question.n_targets)
    ]


def _trained(setting: NetworkSetting, rows: Split, seed: int, clock: Clock) -> Any:
    """Train until the error no longer falls; the network is the one at its least."""
    x, y = rows.train
    smallest, largest = BATCH_SIZES
    batch_size = min(max(smallest, len(x) // N_BATCHES), largest, len(x))
    network = MLPRegressor(
        hidden_layer_sizes=(setting.neurons,) * (setting.layers - 1),
        activation="tanh",
        alpha=setting.l2 * batch_size,  # it is divided by that
        batch_size=batch_size,
        learning_rate_init=LEARNING_RATE,
        epsilon=EPSILON,
        # A number would put the rows in the same order in every epoch.
        random_state=np.random.RandomState(seed),
    )
    kept, least, n_since = network, math.inf, 0
    for _ in range(MOST_EPOCHS):
        network.partial_fit(x, y if y.shape[1] > 1 else y[:, 0])
        error = rms(_predict(network), rows.held_out)
        n_since += 1
        if error < least:
            kept, least, n_since = deepcopy(network), error, 0
        if n_since >= PATIENCE or not clock.left:
            break
    return kept


def _predict(network: Any) -> Predict:
    def predict(x: Array) -> Array:
        return np.reshape(network.predict(x), (len(x), -1))

    return predict

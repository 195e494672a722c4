"""A neural network as a model of the dynamics: what equations are compared with."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from eqlearn._types import Array
from eqlearn.control.derivatives import DynamicsData

#: Units of the hidden layers, and weights of the penalty on squared weights.
SIZES: tuple[tuple[int, ...], ...] = ((20,), (50,), (20, 20), (20, 20, 20))
PENALTIES = (1e-5, 1e-3, 1e-1)

_MOST_STEPS = 500  # of the optimiser; the gain after that is small


@dataclass(frozen=True, eq=False)
class Network:
    """A perceptron with tanh units, in plain NumPy and in the precision it is fed."""

    weights: tuple[Array, ...]  # (inputs, outputs) of each layer
    biases: tuple[Array, ...]

    def __call__(self, inputs: Array) -> Array:
        """Return the outputs (N, M) of inputs (N, D)."""
        values = inputs
        last = len(self.weights) - 1
        for layer, (weight, bias) in enumerate(
            zip(self.weights, self.biases, strict=True)
        ):
            values = values @ weight.astype(inputs.dtype)
            values += bias.astype(inputs.dtype)
            if layer < last:
                np.tanh(values, out=values)
        return values


def fit_network(
    train: DynamicsData,
    check: DynamicsData,
    *,
    seed: int,
    sizes: Sequence[tuple[int, ...]] = SIZES,
    penalties: Sequence[float] = PENALTIES,
) -> Network:
    """Fit a network of each size with each penalty; the best on `check` is returned."""
    scale = train.derivatives.std(axis=0)
    networks = [
        _fitted(train, size, penalty, seed) for size in sizes for penalty in penalties
    ]

    def error(network: Network) -> float:
        missed = (network(check.inputs) - check.derivatives) / np.where(scale, scale, 1)
        return float(np.mean(missed**2))

    return min(networks, key=error)


def _fitted(
    data: DynamicsData, size: tuple[int, ...], penalty: float, seed: int
) -> Network:
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.neural_network import MLPRegressor
    from threadpoolctl import threadpool_limits

    middle, spread = _standard(data.inputs)
    mean, scale = _standard(data.derivatives)
    fit = MLPRegressor(
        hidden_layer_sizes=size,
        activation="tanh",
        solver="lbfgs",
        alpha=penalty,
        max_iter=_MOST_STEPS,
        random_state=seed,
    )
    # Networks so small are slowed down by more than one thread.
    with threadpool_limits(limits=1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        fit.fit((data.inputs - middle) / spread, (data.derivatives - mean) / scale)
    weights, biases = list(fit.coefs_), list(fit.intercepts_)
    # The network is to take and give the data as they are.
    weights[0] = weights[0] / spread[:, None]
    biases[0] = biases[0] - middle @ weights[0]
    weights[-1] = weights[-1] * scale
    biases[-1] = biases[-1] * scale + mean
    return Network(tuple(weights), tuple(biases))


def _standard(values: Array) -> tuple[Array, Array]:
    spread = values.std(axis=0)
    return values.mean(axis=0), np.where(spread > 0, spread, 1.0)

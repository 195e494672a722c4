from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from eqlearn.network.architecture import Architecture, Block
from eqlearn.network.forward import divide, forward, initialise, is_weight, unpack
from eqlearn.training import vectorised

ARCHITECTURES = {
    "paper": Architecture.paper(3, 2, n_layers=3, units_per_type=2),
    "paper, no division": Architecture.paper(3, 1, n_layers=2, division=False),
    "compact": Architecture.compact(3, 1, n_layers=4, n_sin=2, n_multiply=2),
    "all units": Architecture.paper(
        2, 1, units=("identity", "square", "exp", "log", "sqrt", "tanh", "multiply")
    ),
}


def test_a_two_input_network_worked_on_paper() -> None:
    # One unit per type: z = (identity, sin, cos, first factor, second factor).
    architecture = Architecture.paper(2, 1, units_per_type=1)
    weights = np.zeros(architecture.n_weights)
    (V, v0), (W, w0) = unpack(architecture, weights)
    V[:] = [[1, 0], [np.pi, 0], [0, np.pi], [0, 1], [0, 2]]
    v0[:] = [0.5, 0, 0, 1, 0]
    W[:] = [[2, 1, 1, 0], [0, 0, 0, 1]]  # numerator, denominator
    w0[:] = [0, 4]
    x = np.array([[0.5, 1.0]])
    # identity 1.0; sin(π/2) = 1; cos(π) = -1; (1 + 1)(2·1) = 4
    # numerator 2·1 + 1 - 1 = 2; denominator 4 + 4 = 8
    outputs, denominators, guarded = forward(architecture, weights, x)
    assert outputs == pytest.approx(np.array([[0.25]]))
    assert denominators == pytest.approx(np.array([[8.0]]))
    assert guarded.shape == (1, 0)


def test_skip_connections_worked_on_paper() -> None:
    # Layer 1: sin(z); layer 2: sin(z) · x; output 3 x + 2 sin + product.
    hidden = ((Block("sin", 1),), (Block("multiply", 1),))
    architecture = Architecture(1, 1, hidden, division=False, skip=True)
    weights = np.zeros(architecture.n_weights)
    (V, _), (U, _), (W, w0) = unpack(architecture, weights)
    V[:] = [[np.pi]]
    U[:] = [[0, 1], [1, 0]]
    W[:] = [[3, 2, 1]]
    w0[:] = [0.25]
    outputs = forward(architecture, weights, np.array([[0.5]])).outputs
    assert outputs == pytest.approx(np.array([[3 * 0.5 + 2 * 1 + 0.5 + 0.25]]))


@pytest.mark.parametrize(
    ("b", "expected"),
    [(0.5, 6.0), (0.11, 3 / 0.11), (0.1, 0.0), (0.05, 0.0), (0.0, 0.0), (-1.0, 0.0)],
)
def test_regularised_division_at_below_and_above_theta(
    b: float, expected: float
) -> None:
    assert divide(np.array(3.0), np.array(b), 0.1) == pytest.approx(expected)
    gradient = jax.grad(lambda b: divide(3.0, b, 0.1, jnp))(b)
    # Below θ the gradient is exactly zero: no misleading updates.
    assert gradient == pytest.approx(-3 / b**2 if b > 0.1 else 0.0, rel=1e-6)


def test_arguments_of_log_are_held_at_theta_and_reported() -> None:
    architecture = Architecture(1, 1, ((Block("log", 1),),), division=False)
    weights = np.zeros(architecture.n_weights)
    (V, _), (W, _) = unpack(architecture, weights)
    V[:], W[:] = 1, 1
    x = np.array([[2.0], [-3.0]])
    outputs, _, guarded = forward(architecture, weights, x, theta=0.5)
    np.testing.assert_allclose(outputs[:, 0], [np.log(2), np.log(0.5)])
    np.testing.assert_allclose(guarded[:, 0], [2, -3])


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_numpy_and_jax_agree(name: str) -> None:
    architecture, rng = ARCHITECTURES[name], np.random.default_rng(1)
    weights = initialise(architecture, rng)
    x = rng.uniform(-1, 1, (50, architecture.n_inputs))
    ours = forward(architecture, weights, x, theta=0.1)
    with jax.enable_x64(True):
        jaxs = forward(
            architecture, jnp.asarray(weights), jnp.asarray(x), theta=0.1, xp=vectorised
        )
        for one, other in zip(ours, jaxs, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_gradient_against_finite_differences(name: str) -> None:
    architecture, rng = ARCHITECTURES[name], np.random.default_rng(2)
    weights = initialise(architecture, rng)
    x = rng.uniform(-1, 1, (20, architecture.n_inputs))

    def mean_square(w: np.ndarray, xp: object = np) -> Any:
        return (forward(architecture, w, x, theta=0.1, xp=xp).outputs ** 2).mean()

    with jax.enable_x64(True):
        gradient = jax.grad(lambda w: mean_square(w, vectorised))(jnp.asarray(weights))
        gradient = np.asarray(gradient)
    step = 1e-6
    for i in rng.choice(len(weights), 40):
        nudge = step * (np.arange(len(weights)) == i)
        slope = mean_square(weights + nudge) - mean_square(weights - nudge)
        assert gradient[i] == pytest.approx(slope / (2 * step), rel=1e-5, abs=1e-8)


def test_denominators_start_above_theta_of_epoch_0() -> None:
    rng = np.random.default_rng(3)
    for n_layers in (2, 3, 4):
        architecture = Architecture.paper(4, 3, n_layers=n_layers)
        for _ in range(10):
            weights = initialise(architecture, rng)
            x = rng.uniform(-1, 1, (500, 4))
            assert forward(architecture, weights, x).denominators.min() > 1.0


def test_first_layer_frequencies_start_with_the_spread() -> None:
    architecture = Architecture.paper(4, 1, n_layers=3, units_per_type=200)
    weights = initialise(architecture, np.random.default_rng(4), spread=3.0)
    (first, phases), (second, _), _ = unpack(architecture, weights)
    assert first[200:600].std() == pytest.approx(3.0, rel=0.1)
    assert first[:200].std() < 0.1
    assert second[200:600].std() < 0.1
    assert phases[200:600].min() < -3 and phases[200:600].max() > 3


def test_is_weight_marks_everything_but_biases() -> None:
    architecture = Architecture.paper(2, 1, units_per_type=1)
    assert is_weight(architecture).sum() == 2 * 5 + 4 * 2
    assert not is_weight(architecture)[architecture.layers[0].biases].any()

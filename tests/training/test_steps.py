"""The compiled steps against those of JAX, which take the same mini-batches."""

from dataclasses import replace
from typing import Any

import jax
import numpy as np
import pytest

from eqlearn.network.architecture import Architecture, Block
from eqlearn.network.forward import initialise, is_weight
from eqlearn.network.units import PAPER_UNITS, register_unit
from eqlearn.training import checkpoint, gradient, recipes
from eqlearn.training.compiled import layout, steps
from eqlearn.training.gradient import GradientSettings, TrainingData, TrainingState
from eqlearn.training.schedule import PENALTY, Schedule

UNITS = (*PAPER_UNITS, "square", "exp", "log", "sqrt", "tanh")
SHAPES = {
    "L=2": Architecture.paper(2, 1, n_layers=2),
    "L=3": Architecture.paper(2, 1, n_layers=3),
    "L=4": Architecture.paper(2, 1, n_layers=4),
    "linear": Architecture.paper(2, 1, n_layers=3, units_per_type=3, division=False),
    "skips": Architecture.compact(2, 1, n_layers=4),
    "outputs": Architecture.paper(2, 3, n_layers=3, units_per_type=2),
    "units": Architecture.paper(2, 2, n_layers=3, units_per_type=3, units=UNITS),
    "guarded skips": Architecture.compact(2, 1, n_layers=3, units=("log", "sqrt")),
    **{
        name: Architecture(2, 1, ((Block("identity", 1), Block(name, 5)),))
        for name in layout.TRAINED
    },
}
# JAX takes seconds to compile each, so that not everything is tried with everything.
SOME = ("L=2", "L=3", "L=4", "linear", "skips", "units")
EXTRA = Schedule(20, penalty_every=4, penalty="extra")
CASES = [(shape, 20) for shape in SHAPES] + [("units", 7), ("units", 50)]


def data_for(architecture: Architecture, n: int = 200) -> TrainingData:
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, (n, architecture.n_inputs))
    y = rng.normal(size=(n, architecture.n_outputs))
    return gradient.training_data(x, y, rng.uniform(0.5, 2.0, n), bound=0.1)


def settings_for(shape: str, **changes: Any) -> GradientSettings:
    schedule = Schedule(20, penalty_every=4)
    return replace(GradientSettings(SHAPES[shape], schedule), **changes)


def start(settings: GradientSettings, epoch: int, n_networks: int = 3) -> TrainingState:
    rng = np.random.default_rng(3)
    weights = recipes.initial_weights(settings.architecture, rng, n_networks)
    state = gradient.begin(settings, weights, [1e-3, 1e-2, 0.1], seed=1)
    return state._replace(epoch=state.epoch + epoch)


def alike(ours: Any, theirs: Any, tolerance: float) -> None:
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    scale = np.abs(theirs).max()
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=tolerance * scale)


def both(settings: GradientSettings, state: TrainingState, n_epochs: int = 1) -> Any:
    data = data_for(settings.architecture)
    runs = gradient.train_compiled, gradient.train_traced
    return [run(settings, data, state, n_epochs) for run in runs]


def our_gradient(
    architecture: Architecture,
    moment: Any,
    is_penalty_epoch: bool,
    weights: np.ndarray,
    batch: gradient.Batch,
) -> tuple[np.ndarray, float, float]:
    shape = layout.shape_of(architecture)
    work, one = layout.workspace(shape), np.float32(1)
    numbers = np.float32(moment.theta), np.float32(0.1), one, one, one
    terms = layout.Terms(*numbers, is_penalty_epoch=is_penalty_epoch)
    parts = (np.asarray(part)[None] for part in batch)
    batches = layout.in_lanes(*parts)
    error, penalty = steps.differentiate(shape, terms, batches, 0, weights, work)
    return work.gradient.copy(), error, penalty


@pytest.mark.parametrize("is_penalty_epoch", [False, True])
@pytest.mark.parametrize(("shape", "batch_size"), CASES)
def test_the_gradient_is_that_of_jax(
    shape: str, is_penalty_epoch: bool, batch_size: int
) -> None:
    architecture, rng = SHAPES[shape], np.random.default_rng(8)
    weights = initialise(architecture, rng).astype(np.float32)
    # θ amid the denominators, so that every term is alive
    moment = Schedule(20).at(5)._replace(theta=2.0)
    data = data_for(architecture)
    batches = gradient.shuffled_batches(data, jax.random.key(0), batch_size)
    batch = jax.tree.map(lambda part: part[-1], batches)

    def loss(w: jax.Array) -> Any:
        # λ = 0: the term of L1 is added by the step, not by the gradient.
        return gradient.batch_loss(
            architecture, moment, 0.1, is_penalty_epoch, w, 0.0, batch
        )

    exact, parts = jax.jit(jax.grad(loss, has_aux=True))(weights)
    ours, *sums = our_gradient(architecture, moment, is_penalty_epoch, weights, batch)
    assert np.abs(exact).max() > 0
    alike(ours, exact, 1e-5)
    np.testing.assert_allclose(sums[1], parts[1], rtol=1e-5, atol=1e-6)
    if not is_penalty_epoch:
        np.testing.assert_allclose(sums[0], parts[0], rtol=1e-5)


def test_the_gradient_against_finite_differences() -> None:
    architecture, rng = SHAPES["units"], np.random.default_rng(8)
    weights = initialise(architecture, rng).astype(np.float32)
    moment = Schedule(20).at(5)._replace(theta=0.3)
    data = data_for(architecture, 20)
    batch = gradient.Batch(data.x, data.y, data.weight)
    exact, *_ = our_gradient(architecture, moment, False, weights, batch)
    for i in range(0, len(weights), 11):
        nudge = np.float32(1e-2) * (np.arange(len(weights)) == i)
        up, down = (
            sum(
                our_gradient(architecture, moment, False, weights + s * nudge, batch)[
                    1:
                ]
            )
            for s in (np.float32(1), np.float32(-1))
        )
        assert exact[i] == pytest.approx((up - down) / 2e-2, rel=0.02, abs=0.02)


# Phase 1, phase 2 with L1, phase 3 with small weights held, and two penalty epochs.
@pytest.mark.parametrize("shape", SOME)
@pytest.mark.parametrize("epoch", [0, 8, 19, 3, 11])
def test_ten_steps_are_those_of_jax(shape: str, epoch: int) -> None:
    settings = settings_for(shape, zero_threshold=0.05)
    (ours, our_metrics), (theirs, metrics) = both(settings, start(settings, epoch))
    alike(ours.weights, theirs.weights, 1e-5)
    alike(ours.moments.mu, theirs.moments.mu, 1e-4)
    alike(ours.moments.nu, theirs.moments.nu, 1e-4)
    np.testing.assert_array_equal(ours.weights == 0, theirs.weights == 0)
    for one, other in zip(our_metrics, metrics, strict=True):
        assert one.shape == other.shape and one.dtype == other.dtype
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("epoch", [3, 6, 7])
def test_extra_penalty_epochs_are_those_of_jax(epoch: int) -> None:
    settings = settings_for("L=3", schedule=EXTRA)
    (ours, _), (theirs, _) = both(settings, start(settings, epoch), 2)
    alike(ours.weights, theirs.weights, 1e-4)
    n_extra = {3: 0, 6: 10, 7: 10}[epoch]  # after epoch 7; L1 begins with the fifth
    assert int(ours.penalty_moments.count) == n_extra
    assert int(theirs.penalty_moments.count) == n_extra
    assert int(ours.moments.count) == int(theirs.moments.count) == 20
    if n_extra:
        alike(ours.penalty_moments.nu, theirs.penalty_moments.nu, 1e-3)
        alike(ours.moments.nu, theirs.moments.nu, 1e-3)
    one, other = (jax.random.key_data(state.key) for state in (ours, theirs))
    np.testing.assert_array_equal(one, other)


def test_extra_penalty_epochs_leave_the_momentum_of_others_alone() -> None:
    settings = settings_for("L=2", schedule=EXTRA)
    state = start(settings, 7)
    # Denominators far above θ and outputs far within the bound: nothing to mend, and
    # so nothing moves, whatever way the ordinary epochs were going.
    high = state.weights.at[:, -1].set(50.0)
    data = data_for(settings.architecture)._replace(bound=np.float32(1e6))
    state = state._replace(weights=high)
    ours, _ = gradient.train(settings, data, state, 1)
    without = replace(settings, schedule=replace(EXTRA, penalty_every=0))
    plain, _ = gradient.train(without, data, state, 1)
    np.testing.assert_array_equal(ours.weights, plain.weights)
    np.testing.assert_array_equal(ours.moments.mu, plain.moments.mu)
    assert int(ours.penalty_moments.count) == 10
    in_place = replace(settings, schedule=replace(EXTRA, penalty="in_place"))
    moving = plain._replace(epoch=state.epoch, penalty_moments=None)
    moved, _ = gradient.train(in_place, data, moving, 1)
    assert not np.array_equal(moved.weights, plain.weights)


@pytest.mark.parametrize("penalty", PENALTY)
def test_a_state_has_the_same_parts_either_way(penalty: str) -> None:
    settings = settings_for("L=3", schedule=replace(EXTRA, penalty=penalty))
    (ours, _), (theirs, _) = both(settings, start(settings, 0))
    assert str(jax.tree.structure(ours)) == str(jax.tree.structure(theirs))
    kinds = [(leaf.shape, leaf.dtype) for leaf in jax.tree.leaves(ours)]
    assert kinds == [(leaf.shape, leaf.dtype) for leaf in jax.tree.leaves(theirs)]
    same = (ours.epoch, ours.moments.count, jax.random.key_data(ours.key))
    others = (theirs.epoch, theirs.moments.count, jax.random.key_data(theirs.key))
    for one, other in zip(same, others, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("penalty", PENALTY)
def test_resuming_in_the_middle_gives_the_same_bytes(penalty: str) -> None:
    settings = settings_for("L=3", schedule=replace(EXTRA, penalty=penalty))
    data, state = data_for(settings.architecture), start(settings, 0)
    whole, _ = gradient.train(settings, data, state, 20)
    for n_epochs in (3, 10, 7):  # into phase 2, and on into phase 3
        state, _ = gradient.train(settings, data, state, n_epochs)
        state = checkpoint.from_bytes(settings, checkpoint.to_bytes(state, np.zeros(3)))
    nothing = np.zeros(3)
    assert checkpoint.to_bytes(state, nothing) == checkpoint.to_bytes(whole, nothing)


def test_a_network_trains_as_if_alone_to_the_bit() -> None:
    settings = settings_for("L=2")
    data, state = data_for(settings.architecture), start(settings, 0)
    together, _ = gradient.train(settings, data, state, 6)
    weights, l1 = np.asarray(state.weights), np.asarray(state.l1)
    for i in range(3):
        one = gradient.begin(settings, weights[i : i + 1], l1[i : i + 1], seed=1)
        alone, _ = gradient.train(settings, data, one, 6)
        np.testing.assert_array_equal(alone.weights[0], together.weights[i])


def test_a_diverged_network_is_left_alone_and_reported() -> None:
    settings = settings_for("L=2")
    data, healthy = data_for(settings.architecture), start(settings, 0)
    sick = healthy._replace(weights=healthy.weights.at[1, 3].set(np.inf))
    state, metrics = gradient.train(settings, data, sick, 3)
    assert np.asarray(state.diverged_at).tolist() == [-1, 0, -1]
    assert np.all(np.isnan(metrics.error[:, 1]))
    expected, _ = gradient.train(settings, data, healthy, 3)
    np.testing.assert_array_equal(state.weights[::2], expected.weights[::2])


def test_moments_that_fade_become_zero_and_not_subnormal() -> None:
    settings = settings_for("L=2")
    state = start(settings, 0)
    # Below θ an output has no gradient but that of its denominator's penalty.
    low = state.weights.at[:, -1].set(-9.0)
    tiny = state.moments._replace(mu=state.moments.mu + 1e-36)
    dead = state._replace(weights=low, moments=tiny)
    ours, _ = gradient.train(settings, data_for(settings.architecture), dead, 1)
    size = np.abs(np.asarray(ours.moments.mu))
    assert np.any(size == 0) and not np.any((size > 0) & (size < 1e-36))


def test_units_of_ones_own_train_by_jax(table: None) -> None:
    register_unit("bell", lambda xp, z: xp.exp(-z * z))
    own = Architecture.paper(2, 1, units_per_type=1, units=("identity", "bell"))
    assert not layout.covers(own) and layout.covers(SHAPES["units"])
    settings = GradientSettings(own, Schedule(4))
    state = start(settings, 0)
    trained, _ = gradient.train(settings, data_for(own), state, 2)
    assert np.isfinite(trained.weights).all()
    assert not np.array_equal(trained.weights, state.weights)


def test_all_units_of_the_table_have_compiled_steps() -> None:
    assert set(layout.TRAINED) <= set(UNITS)


def test_weights_are_told_from_biases() -> None:
    architecture = SHAPES["outputs"]
    flags = layout.shape_of(architecture).is_weight
    np.testing.assert_array_equal(flags.astype(bool), is_weight(architecture))

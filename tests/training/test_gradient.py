from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from short_training import short

from eqlearn.errors import EqlearnError
from eqlearn.network.architecture import Architecture
from eqlearn.network.forward import initialise, is_weight, unpack
from eqlearn.problems import problem
from eqlearn.training import gradient, recipes
from eqlearn.training.gradient import GradientSettings, begin, train, training_data
from eqlearn.training.schedule import Schedule

SMALL = GradientSettings(
    Architecture.paper(2, 1, n_layers=3, units_per_type=2),
    Schedule(20, penalty_every=5),
    learning_rate=0.01,
)


def small_data(n: int = 90) -> gradient.TrainingData:
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, (n, 2))
    return training_data(x, x[:, :1] * x[:, 1:])


def some_weights(n_networks: int) -> np.ndarray:
    rng = np.random.default_rng(5)
    return recipes.initial_weights(SMALL.architecture, rng, n_networks)


def test_ten_segments_equal_one() -> None:
    start = begin(SMALL, some_weights(3), 1e-3, seed=7)
    whole, metrics = train(SMALL, small_data(), start, 10)
    state, pieces = start, []
    for _ in range(10):
        state, piece = train(SMALL, small_data(), state, 1)
        pieces.append(piece)
    for one, other in zip(
        jax.tree.leaves(whole._replace(key=0)),
        jax.tree.leaves(state._replace(key=0)),
        strict=True,
    ):
        np.testing.assert_array_equal(one, other)
    assert jnp.array_equal(
        jax.random.key_data(whole.key), jax.random.key_data(state.key)
    )
    np.testing.assert_array_equal(
        metrics.error, np.concatenate([piece.error for piece in pieces])
    )


def test_a_weight_of_two_is_as_a_row_that_is_there_twice() -> None:
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, (30, 2))
    y, weight = x[:, :1] * x[:, 1:], np.ones(30)
    weight[:3] = 2.0, 2.0, 0.0
    twice = np.concatenate([x[:2], x[:2], x[3:]])
    settings = replace(SMALL, schedule=Schedule(8, penalty_every=0), batch_size=40)
    start = begin(settings, some_weights(2), 1e-3, seed=7)
    data = (
        training_data(x, y, weight),
        training_data(twice, twice[:, :1] * twice[:, 1:]),
    )
    one, other = (train(settings, samples, start, 8)[0].weights for samples in data)
    np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-6)  # of 32 bits
    errors = [
        gradient.rms_error(settings.architecture, one, *samples[:3]) for samples in data
    ]
    np.testing.assert_allclose(*errors)


def test_networks_trained_together_equal_each_trained_alone() -> None:
    weights, l1 = some_weights(4), np.array([0.0, 1e-4, 1e-3, 1e-2])
    together, _ = train(SMALL, small_data(), begin(SMALL, weights, l1, seed=3), 12)
    for i in range(4):
        start = begin(SMALL, weights[i : i + 1], l1[i], seed=3)
        alone, _ = train(SMALL, small_data(), start, 12)
        np.testing.assert_allclose(
            alone.weights[0], together.weights[i], rtol=1e-3, atol=1e-4
        )


def test_phase_3_holds_small_weights_at_exactly_zero() -> None:
    data, l1 = small_data(), 3e-2
    before, _ = train(SMALL, data, begin(SMALL, some_weights(3), l1, seed=1), 19)
    first, _ = train(SMALL, data, before, 1)  # epoch 19 is all of phase 3
    weights = is_weight(SMALL.architecture)
    small = (np.abs(before.weights) < SMALL.zero_threshold) & weights
    assert small.any()
    assert np.all(np.asarray(first.weights)[small] == 0.0)
    again, _ = train(SMALL, data, first, 5)
    assert np.all(np.asarray(again.weights)[small] == 0.0)
    kept = np.abs(np.asarray(again.weights)[:, weights])
    assert np.all((kept == 0) | (kept > SMALL.zero_threshold / 2))


def test_every_sample_is_seen_once_an_epoch_and_the_last_batch_is_kept() -> None:
    data = small_data(45)
    batches = gradient.shuffled_batches(data, jax.random.key(0), 20)
    assert batches.x.shape == (3, 20, 2)
    assert batches.rows.sum() == 45
    seen = np.asarray(batches.x)[np.asarray(batches.rows) == 1]
    expected = np.asarray(data.x)
    np.testing.assert_array_equal(
        seen[np.lexsort(seen.T)], expected[np.lexsort(expected.T)]
    )
    other = gradient.shuffled_batches(data, jax.random.key(1), 20)
    assert not np.array_equal(batches.x, other.x)


@pytest.mark.parametrize("n", [1, 2, 9, 1000, 70_000])
def test_a_random_order_is_a_permutation(n: int) -> None:
    order = gradient.random_order(jax.random.key(n), n)
    assert np.array_equal(np.sort(order), np.arange(n))


def test_random_orders_are_unbiased() -> None:
    keys = jax.random.split(jax.random.key(0), 4000)
    orders = np.asarray(jax.vmap(lambda key: gradient.random_order(key, 10))(keys))
    share = np.stack([(orders == row).mean(axis=0) for row in range(10)])
    # 4000 draws of probability 1/10 have a standard deviation of 0.0047.
    assert np.abs(share - 0.1).max() < 0.02


def test_penalty_points_fill_the_domain_of_use() -> None:
    rng = np.random.default_rng(0)
    x = np.c_[rng.uniform(-1, 1, 500), rng.uniform(2, 3, 500)]
    data = training_data(x, x[:, :1], domain=[(-4, 4), (0, 10)])
    batches = gradient.penalty_batches(data, jax.random.key(0), 20)
    points = np.asarray(batches.x).reshape(-1, 2)
    assert points[:, 0].min() < -3.5 and points[:, 0].max() > 3.5
    assert points[:, 1].min() > 0 and points[:, 1].max() > 9


def test_penalty_epochs_lift_denominators_over_the_domain() -> None:
    architecture = Architecture.paper(1, 1, units_per_type=1)
    settings = GradientSettings(architecture, Schedule(40, penalty_every=1))
    weights = np.zeros(architecture.n_weights)
    (V, _), (W, w0) = unpack(architecture, weights)
    V[0], W[1, 0], w0[1] = 1, 1, 0.5  # denominator 0.5 + x is negative in the domain
    data = training_data([[0.0], [1.0]] * 50, [[1.0], [1.0]] * 50)
    start = begin(settings, weights[None], 0.0, seed=0)
    state, metrics = train(settings, data, start, 40)
    assert np.all(np.isnan(metrics.error))
    assert metrics.penalty[-1, 0] < 0.5 * metrics.penalty[0, 0]
    assert state.weights[0, -1] > 0.5


def test_a_diverged_network_is_marked_and_the_others_go_on() -> None:
    weights = some_weights(3)
    weights[1, 0] = np.nan
    state, _ = train(SMALL, small_data(), begin(SMALL, weights, 0.0, seed=0), 5)
    assert list(np.asarray(state.diverged_at)) == [-1, 0, -1]
    healthy, _ = train(
        SMALL, small_data(), begin(SMALL, some_weights(3), 0.0, seed=0), 5
    )
    np.testing.assert_allclose(
        state.weights[0], healthy.weights[0], rtol=1e-4, atol=1e-5
    )


@pytest.mark.parametrize(
    ("epoch", "is_penalty_epoch"), [(0, False), (5, False), (4, True)]
)
def test_the_gradient_of_the_full_loss_against_finite_differences(
    epoch: int, is_penalty_epoch: bool
) -> None:
    architecture, rng = SMALL.architecture, np.random.default_rng(8)
    weights = initialise(architecture, rng)
    # θ near the denominators and a low bound, so that every term is alive
    moment = SMALL.schedule.at(epoch)._replace(theta=2.05)
    with jax.enable_x64(True):
        data = training_data(rng.uniform(-1, 1, (30, 2)), rng.normal(size=(30, 1)))
        batches = gradient.shuffled_batches(data, jax.random.key(0), 20)
        batch = jax.tree.map(lambda values: values[0], batches)

        def loss(w: jax.Array) -> Any:
            return gradient.batch_loss(
                architecture, moment, 0.1, is_penalty_epoch, w, 0.01, batch
            )[0]

        exact = np.asarray(jax.grad(loss)(jnp.asarray(weights)))
        assert np.abs(exact).max() > 0
        for i in range(0, len(weights), 3):
            nudge = 1e-6 * (np.arange(len(weights)) == i)
            up, down = (float(loss(jnp.asarray(weights + s * nudge))) for s in (1, -1))
            assert exact[i] == pytest.approx((up - down) / 2e-6, rel=1e-4, abs=1e-6)


def test_the_paper_recipe_is_the_published_protocol() -> None:
    settings = recipes.paper(4, 1, n_layers=3)
    assert settings.learning_rate == 0.001
    assert settings.adam_epsilon == 1e-4
    assert settings.batch_size == 20
    assert settings.zero_threshold == 0.001
    assert settings.schedule == Schedule(20_000, 0.25, 0.95, 50, 1.0)
    assert {(b.unit, b.count) for b in settings.architecture.hidden[0]} == {
        (name, 10) for name in ("identity", "sin", "cos", "multiply")
    }


@pytest.mark.parametrize("name", ["division", "F-1"])
def test_gradient_training_alone_reaches_the_noise(name: str) -> None:
    rng = np.random.default_rng(11)
    x, y = problem(name).sample(10_000, rng)
    architecture = Architecture.paper(x.shape[1], 1, n_layers=2)
    settings = short(architecture, 9000)
    weights = recipes.initial_weights(architecture, rng, 4)
    l1 = [3e-5, 1e-4, 1e-4, 3e-4]
    state, _ = train(
        settings,
        training_data(x[:9000], y[:9000]),
        begin(settings, weights, l1, seed=0),
        settings.schedule.n_epochs,
    )
    errors = gradient.rms_error(architecture, state.weights, x[9000:], y[9000:])
    assert float(errors.min()) <= 0.0125
    assert np.all(np.asarray(state.diverged_at) == -1)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"learning_rate": 0.0}, "`learning_rate` must be above 0; got 0.0"),
        ({"adam_epsilon": -1.0}, "`adam_epsilon` must be above 0"),
        ({"batch_size": 0}, "`batch_size` must be an integer of at least 1; got 0"),
        ({"zero_threshold": -0.1}, "`zero_threshold` must be at least 0"),
    ],
)
def test_bad_settings_are_refused(changes: dict[str, float], message: str) -> None:
    with pytest.raises(EqlearnError, match=message):
        replace(SMALL, **changes)  # type: ignore[arg-type]


def test_penalty_epochs_came_with_division() -> None:
    schedules = [
        recipes.paper(2, 1, n_layers=2, division=division).schedule
        for division in (False, True)
    ]
    assert [schedule.penalty_every for schedule in schedules] == [0, 50]


def test_a_negative_l1_is_refused() -> None:
    with pytest.raises(
        EqlearnError, match="`l1` must be finite and at least 0; got -1"
    ):
        begin(SMALL, some_weights(2), [1e-3, -1.0], seed=0)
    with pytest.raises(EqlearnError, match="`weights` must be of shape"):
        begin(SMALL, np.zeros((2, 3)), 0.0, seed=0)


@pytest.mark.parametrize(
    ("x", "y", "options", "message"),
    [
        ([1.0, 2.0], [[1.0]], {}, r"`x` must be a table .* shape \(2,\)"),
        ([[1.0], [np.nan]], [[1.0]] * 2, {}, "got nan in row 1, column 0. Remove"),
        ([[1.0]], [[np.inf]], {}, "`y` must be finite everywhere; got inf in row 0"),
        ([[1.0]], [[1.0]] * 2, {}, "`y` must be as long as x"),
        ([[1.0]], [[1.0]], {"domain": [(2, 1)]}, "`domain` must be low <= high"),
        ([[1.0]], [[1.0]], {"domain": [(0, 1)] * 2}, "`domain` must be one"),
        ([[1.0]], [[1.0]], {"bound": 0.0}, "`bound` must be above 0; got 0.0"),
    ],
)
def test_bad_data_get_one_line(
    x: list[Any], y: list[Any], options: dict[str, object], message: str
) -> None:
    with pytest.raises(EqlearnError, match=message) as caught:
        training_data(x, y, **options)  # type: ignore[arg-type]
    assert "\n" not in str(caught.value)

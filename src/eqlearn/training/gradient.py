"""The paper's training: Adam on mini-batches, many networks of one shape at once.

`train` is a pure function (settings, data, state) → (state, metrics) over a segment of
epochs; the state carries all that the next segment needs, so that cutting a training
into segments changes nothing. Networks of the table's units go through the compiled
steps of `steps`. With units of one's own, and as the reference, it is one scan of JAX.
"""

from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax

from eqlearn._types import AnyArray as Array
from eqlearn.data.scale import domain_of_use
from eqlearn.data.table import checked_domain, checked_samples, checked_weight
from eqlearn.errors import check_count, must
from eqlearn.network.architecture import Architecture
from eqlearn.network.forward import TEST_THRESHOLD, forward, is_weight
from eqlearn.training import objective, vectorised
from eqlearn.training.compiled import layout, steps
from eqlearn.training.schedule import Moment, Schedule


@dataclass(frozen=True)
class GradientSettings:
    """Everything that is fixed while compiling; the defaults are the paper's."""

    architecture: Architecture
    schedule: Schedule
    learning_rate: float = 0.001
    adam_epsilon: float = 1e-4
    batch_size: int = 20
    zero_threshold: float = 0.001  # phase 3 holds |w| below it at zero

    def __post_init__(self) -> None:
        for name in ("learning_rate", "adam_epsilon"):
            if not getattr(self, name) > 0:
                raise must(name, "above 0", getattr(self, name))
        check_count("batch_size", self.batch_size)
        if not self.zero_threshold >= 0:
            raise must("zero_threshold", "at least 0", self.zero_threshold)


class TrainingData(NamedTuple):
    """Labelled samples, and the domain of use that penalty epochs draw from."""

    x: Array  # (N, D)
    y: Array  # (N, M)
    weight: Array  # (N,), 2 counts as if the sample were there twice
    low: Array  # (D,)
    high: Array  # (D,)
    bound: Array  # B of Eq. 6


class TrainingState(NamedTuple):
    """R networks in training; everything changes every epoch but `l1`."""

    weights: Array  # (R, P)
    moments: Any  # Adam's
    epoch: Array  # how many were trained
    key: Array  # for mini-batches and penalty points, shared by the networks
    l1: Array  # (R,) λ of each network
    diverged_at: Array  # (R,) first epoch with a non-finite weight, or -1
    penalty_moments: Any = None  # Adam's of extra penalty epochs, where there are such


class Metrics(NamedTuple):
    """What one epoch reports of each network; (E, R) after E epochs."""

    error: Array  # mean squared error while training; NaN in penalty epochs
    penalty: Array  # P^θ, with P^bound in penalty epochs
    l1_norm: Array
    n_active: Array  # weights not below the zero threshold


class Batch(NamedTuple):
    """A mini-batch; `rows` are the weights of its rows, 0 for padding."""

    x: Array
    y: Array
    rows: Array


def training_data(
    x: Array,
    y: Array,
    weight: Array | None = None,
    *,
    domain: Array | None = None,
    bound: float | None = None,
) -> TrainingData:
    """Check samples and complete them: weights, domain of use and bound.

    The default domain is each observed range widened to twice its size. The default
    bound is ten times the largest |target|; the paper has B = 10 for outputs in
    [-3, 3].
    """
    x, y = checked_samples(x, y)
    weight = np.ones(len(x)) if weight is None else checked_weight(weight, len(x))
    x, y, weight = (rows[weight > 0] for rows in (x, y, weight))
    if domain is None:
        low, high = domain_of_use(x)
    else:
        low, high = checked_domain(domain, x.shape[1])
    if bound is None:
        bound = 10.0 * float(np.max(np.abs(y))) or 1.0
    elif not bound > 0:
        raise must("bound", "above 0", bound)
    return TrainingData(
        *(jnp.asarray(a, dtype=float) for a in (x, y, weight, low, high, bound))
    )


def begin(
    settings: GradientSettings, weights: Array, l1: Array, *, seed: int
) -> TrainingState:
    """Start training networks with initial `weights` (R, P) and λ `l1` (R,)."""
    weights = jnp.asarray(weights, dtype=float)
    if weights.ndim != 2 or weights.shape[1] != settings.architecture.n_weights:
        what = f"of shape (networks, {settings.architecture.n_weights})"
        raise must("weights", what, weights)
    l1 = np.broadcast_to(np.asarray(l1, dtype=float), weights.shape[:1])
    if not np.all(np.isfinite(l1) & (l1 >= 0)):
        worst = l1[~(np.isfinite(l1) & (l1 >= 0))][0]
        raise must("l1", "finite and at least 0", worst)
    moments = _adam(settings).init(weights)
    return TrainingState(
        weights=weights,
        moments=moments,
        epoch=jnp.asarray(0),
        key=jax.random.key(seed),
        l1=jnp.asarray(l1, dtype=weights.dtype),
        diverged_at=jnp.full(weights.shape[0], -1),
        penalty_moments=moments if settings.schedule.penalty == "extra" else None,
    )


def train(
    settings: GradientSettings, data: TrainingData, state: TrainingState, n_epochs: int
) -> tuple[TrainingState, Metrics]:
    """Train all networks of `state` for a segment of `n_epochs` epochs."""
    # The one place that decides: both take the same steps with the same mini-batches.
    is_compiled = layout.covers(settings.architecture) and state.weights.dtype == "f4"
    run = train_compiled if is_compiled else train_traced
    return run(settings, data, state, n_epochs)


def train_compiled(
    settings: GradientSettings, data: TrainingData, state: TrainingState, n_epochs: int
) -> tuple[TrainingState, Metrics]:
    """Train networks whose units all have compiled code, in float32."""
    shape = layout.shape_of(settings.architecture)
    work, metrics = layout.workspace(shape), []
    weights, diverged_at = np.array(state.weights), np.array(state.diverged_at)
    adam, extra = _InPlace.of(state.moments), _InPlace.of(state.penalty_moments)
    key, start = state.key, int(state.epoch)

    def run(moment: Moment, is_penalty_epoch: bool, adam: _InPlace) -> Array:
        nonlocal key
        key, batch = draw(data, key, settings.batch_size, is_penalty_epoch)
        batches = layout.in_lanes(*map(np.asarray, batch))
        factor = 0.0 if is_penalty_epoch else moment.l1_factor
        l1 = np.asarray(state.l1) * np.float32(factor)
        networks = layout.NetworkArrays(
            weights, adam.first, adam.second, l1, diverged_at < 0
        )
        factors = steps.corrections(adam.n_steps, len(batches.x))
        adam.n_steps += len(batches.x)
        terms = _terms(settings, data, moment, is_penalty_epoch)
        return steps.train_networks(shape, terms, batches, factors, networks, work)

    for epoch in range(start, start + n_epochs):
        moment = settings.schedule.at(epoch)
        means = run(moment, bool(moment.is_penalty_epoch), adam)
        if moment.has_extra_penalty:
            run(moment, True, extra)
        diverged_at[(diverged_at < 0) & ~np.isfinite(weights).all(axis=1)] = epoch
        metrics.append(_measured(settings, moment, weights, means))
    reached = TrainingState(
        jnp.asarray(weights),
        adam.put_into(state.moments),
        jnp.asarray(start + n_epochs, state.epoch.dtype),
        key,
        state.l1,
        jnp.asarray(diverged_at),
        extra.put_into(state.penalty_moments),
    )
    columns = (jnp.asarray(np.stack(c)) for c in zip(*metrics, strict=True))
    return reached, Metrics(*columns)


@dataclass
class _InPlace:
    """Adam's moments as arrays that compiled steps write to."""

    first: Array  # (R, P)
    second: Array  # (R, P)
    n_steps: int

    @classmethod
    def of(cls, moments: Any) -> "_InPlace":
        if moments is None:
            return cls(np.empty(0), np.empty(0), 0)
        return cls(np.array(moments.mu), np.array(moments.nu), int(moments.count))

    def put_into(self, moments: Any) -> Any:
        if moments is None:
            return None
        count = jnp.asarray(self.n_steps, moments.count.dtype)
        mu, nu = jnp.asarray(self.first), jnp.asarray(self.second)
        return moments._replace(count=count, mu=mu, nu=nu)


def _terms(
    settings: GradientSettings,
    data: TrainingData,
    moment: Moment,
    is_penalty_epoch: bool,
) -> layout.Terms:
    held = settings.zero_threshold if moment.is_masked else 0.0
    return layout.Terms(
        theta=np.float32(moment.theta),
        bound=np.float32(data.bound),
        rate=np.float32(settings.learning_rate * moment.rate_factor),
        epsilon=np.float32(settings.adam_epsilon),
        held=np.float32(held),
        is_penalty_epoch=is_penalty_epoch,
    )


def _measured(
    settings: GradientSettings, moment: Moment, weights: Array, means: Array
) -> Metrics:
    """Report an epoch; `means` are of error and penalty, (R, 2)."""
    error, penalty = means.astype(np.float32).T
    if moment.is_penalty_epoch:
        error = np.full_like(error, np.nan)
    magnitudes = np.abs(weights) * is_weight(settings.architecture)
    active = magnitudes >= max(settings.zero_threshold, 1e-30)
    norms = magnitudes.sum(axis=1, dtype=weights.dtype)
    return Metrics(error, penalty, norms, active.sum(axis=1, dtype=np.int32))


@partial(jax.jit, static_argnames=("batch_size", "is_penalty_epoch"))
def draw(
    data: TrainingData, key: Array, batch_size: int, is_penalty_epoch: bool
) -> tuple[Array, Batch]:
    """Draw the mini-batches of an epoch; also the key of the next."""
    key, epoch_key = jax.random.split(key)
    drawn = penalty_batches if is_penalty_epoch else shuffled_batches
    return key, drawn(data, epoch_key, batch_size)


@partial(jax.jit, static_argnames=("settings", "n_epochs"))
def train_traced(
    settings: GradientSettings, data: TrainingData, state: TrainingState, n_epochs: int
) -> tuple[TrainingState, Metrics]:
    """Train networks of any units, as one scan."""

    def epoch(state: TrainingState, _: None) -> tuple[TrainingState, Metrics]:
        return train_epoch(settings, data, state)

    return jax.lax.scan(epoch, state, length=n_epochs)


def train_epoch(
    settings: GradientSettings, data: TrainingData, state: TrainingState
) -> tuple[TrainingState, Metrics]:
    """Go once through the data, or through as many penalty points."""
    moment = settings.schedule.at(state.epoch)
    state, error, penalty = jax.lax.cond(
        moment.is_penalty_epoch,
        partial(_run_batches, settings, data, moment, True),
        partial(_run_batches, settings, data, moment, False),
        state,
    )
    if settings.schedule.penalty == "extra":
        after = partial(_extra_penalty_epoch, settings, data, moment)
        state = jax.lax.cond(moment.has_extra_penalty, after, lambda same: same, state)
    weights = state.weights
    finite = jnp.all(jnp.isfinite(weights), axis=1)
    newly_diverged = (state.diverged_at < 0) & ~finite
    next_state = state._replace(
        epoch=state.epoch + 1,
        diverged_at=jnp.where(newly_diverged, state.epoch, state.diverged_at),
    )
    mask = is_weight(settings.architecture)
    magnitudes = jnp.abs(weights) * mask
    active = magnitudes >= max(settings.zero_threshold, 1e-30)
    return next_state, Metrics(
        error, penalty, jnp.sum(magnitudes, axis=1), jnp.sum(active, axis=1)
    )


def _extra_penalty_epoch(
    settings: GradientSettings, data: TrainingData, moment: Moment, state: TrainingState
) -> TrainingState:
    own = state._replace(moments=state.penalty_moments)
    after, *_ = _run_batches(settings, data, moment, True, own)
    return after._replace(moments=state.moments, penalty_moments=after.moments)


def _run_batches(
    settings: GradientSettings,
    data: TrainingData,
    moment: Moment,
    is_penalty_epoch: bool,
    state: TrainingState,
) -> tuple[TrainingState, Array, Array]:
    optimiser = _adam(settings)
    key, epoch_key = jax.random.split(state.key)
    one_network = partial(_gradient, settings, moment, data.bound, is_penalty_epoch)
    # The one place where networks are batched: they share samples, not weights.
    networks = jax.vmap(one_network, in_axes=(0, 0, None))
    mask = jnp.asarray(is_weight(settings.architecture))

    def step(carry: tuple[Array, Any], batch: Batch) -> tuple[Any, Any]:
        weights, moments = carry
        gradient, parts = networks(weights, state.l1, batch)
        updates, moments = optimiser.update(gradient, moments)
        updated = weights - settings.learning_rate * moment.rate_factor * updates
        # What is below the threshold once, is exactly zero for the rest of phase 3.
        small = mask & (jnp.abs(weights) < settings.zero_threshold)
        updated = jnp.where(moment.is_masked & small, 0.0, updated)
        return (updated, moments), parts

    draw = penalty_batches if is_penalty_epoch else shuffled_batches
    batches = draw(data, epoch_key, settings.batch_size)
    (weights, moments), (error, penalty) = jax.lax.scan(
        step, (state.weights, state.moments), batches
    )
    state = state._replace(weights=weights, moments=moments, key=key)
    return state, jnp.mean(error, axis=0), jnp.mean(penalty, axis=0)


def _gradient(
    settings: GradientSettings,
    moment: Moment,
    bound: Array,
    is_penalty_epoch: bool,
    weights: Array,
    l1: Array,
    batch: Batch,
) -> tuple[Array, tuple[Array, Array]]:
    """Gradient of one network's loss on one mini-batch, and the loss's parts."""

    def loss(weights: Array) -> tuple[Array, tuple[Array, Array]]:
        return batch_loss(
            settings.architecture, moment, bound, is_penalty_epoch, weights, l1, batch
        )

    gradient: tuple[Array, tuple[Array, Array]] = jax.grad(loss, has_aux=True)(weights)
    return gradient


def batch_loss(
    architecture: Architecture,
    moment: Moment,
    bound: Array,
    is_penalty_epoch: bool,
    weights: Array,
    l1: Array,
    batch: Batch,
) -> tuple[Array, tuple[Array, Array]]:
    """Eq. 8, or P^θ + P^bound in a penalty epoch; also (error, penalty) apart."""
    theta, rows = moment.theta, batch.rows
    outputs, denominators, guarded = forward(
        architecture, weights, batch.x, theta=theta, xp=vectorised
    )
    penalty = jnp.zeros(())
    if architecture.division:
        penalty += objective.total_denominator_penalty(denominators, theta, rows, jnp)
    if guarded.shape[1]:
        penalty += objective.total_denominator_penalty(guarded, theta, rows, jnp)
    if is_penalty_epoch:
        over = objective.bound_penalty(outputs, bound, rows, jnp)
        total = objective.penalty_loss(penalty, over)
        return total, (jnp.asarray(jnp.nan), total)
    error = objective.squared_error(outputs, batch.y, rows, jnp)
    norm = objective.l1_norm(weights, is_weight(architecture), jnp)
    total = objective.training_loss(error, l1 * moment.l1_factor, norm, penalty)
    return total, (error, penalty)


def shuffled_batches(data: TrainingData, key: Array, batch_size: int) -> Batch:
    """Reshuffle the samples into mini-batches; the last may be partly padding."""
    order = random_order(key, len(data.x))
    return _cut(data.x[order], data.y[order], data.weight[order], batch_size)


def random_order(key: Array, n: int) -> Array:
    """Draw a random order of `n` rows."""
    n_index_bits = max(n - 1, 1).bit_length()
    if n_index_bits > 16:
        return jax.random.permutation(key, n)
    # Sorting random numbers that carry the row in their low bits is ten times faster
    # than `permutation`, which would be a third of an epoch at batch size 20.
    noise = jax.random.bits(key, (n,), jnp.uint32) << n_index_bits
    mixed = jnp.sort(noise | jnp.arange(n, dtype=jnp.uint32))
    return mixed & ((1 << n_index_bits) - 1)


def penalty_batches(data: TrainingData, key: Array, batch_size: int) -> Batch:
    """Draw as many unlabelled points from the domain of use as there are samples."""
    x = jax.random.uniform(
        key, data.x.shape, data.x.dtype, minval=data.low, maxval=data.high
    )
    return _cut(x, jnp.zeros_like(data.y), jnp.ones_like(data.weight), batch_size)


def _cut(x: Array, y: Array, rows: Array, batch_size: int) -> Batch:
    n_batches = -(-len(x) // batch_size)
    n_padding = n_batches * batch_size - len(x)

    def cut(values: Array) -> Array:
        padding = [(0, n_padding)] + [(0, 0)] * (values.ndim - 1)
        padded = jnp.pad(values, padding)
        return padded.reshape(n_batches, batch_size, *values.shape[1:])

    return Batch(cut(x), cut(y), cut(rows))


def _adam(settings: GradientSettings) -> optax.GradientTransformation:
    return optax.scale_by_adam(eps=settings.adam_epsilon)


@partial(jax.jit, static_argnames=("architecture",))
def rms_error(
    architecture: Architecture,
    weights: Array,
    x: Array,
    y: Array,
    row_weight: Array | None = None,
) -> Array:
    """RMS error of each network (R,) at the test threshold θ = 1e-4."""
    rows = jnp.ones(len(x)) if row_weight is None else row_weight

    def one_network(weights: Array) -> Array:
        outputs = forward(architecture, weights, x, theta=TEST_THRESHOLD, xp=jnp)[0]
        return jnp.sqrt(objective.squared_error(outputs, y, rows, jnp))

    return jax.lax.map(one_network, weights)

"""Steps of the paper's training, compiled once for all shapes of networks.

One network after another goes through all mini-batches of an epoch, so that its weights
and moments stay close to the processor.
"""

import numba
import numpy as np

from eqlearn._types import Array
from eqlearn.training.compiled.layout import (
    TRAINED,
    Batches,
    NetworkArrays,
    NetworkShape,
    Scratch,
    Terms,
)
from eqlearn.training.compiled.tiles import (
    N_LANES,
    add_lanes,
    add_product,
    add_sums,
    set_lanes,
    transpose,
)
from eqlearn.training.compiled.vectors import compiled

#: Adam's decay of both moments, as optax has them.
DECAY_1, DECAY_2 = 0.9, 0.999
# Reassociation and contraction let the loops vectorise; NaN and infinity keep their
# meaning, because a diverged network must be seen.
_FAST = ("contract", "reassoc", "nsz", "arcp")
_ZERO, _ONE, _HALF = np.float32(0), np.float32(1), np.float32(0.5)
#: Steps between two looks at the moments: without gradient, they fall by 1e-13 each.
_N_UNTIDY = 256
_IDENTITY, _SIN, _COS, _MULTIPLY, _SQUARE, _EXP, _LOG, _SQRT, _TANH = range(
    len(TRAINED)
)


def train_networks(
    shape: NetworkShape,
    terms: Terms,
    batches: Batches,
    factors: Array,
    networks: NetworkArrays,
    work: Scratch,
) -> Array:
    """Take a step with every batch; return each network's mean error and penalty."""
    means = np.where(networks.is_trained[:, None], 0.0, [[np.nan, np.nan]])
    _train_networks(shape, terms, batches, factors, networks, work, means)
    return means


def corrections(n_before: int, n_steps: int) -> Array:
    """Adam's factors against the moments' start at zero, (steps, 2)."""
    counts = np.arange(n_before + 1, n_before + n_steps + 1)[:, None]
    decays = np.array([DECAY_1, DECAY_2], np.float32).astype(float)
    return (1.0 / (1.0 - decays**counts)).astype(np.float32)


@compiled()
def _train_networks(shape, terms, batches, factors, networks, work, means):  # type: ignore[no-untyped-def]
    n_batches = len(batches.x)
    for r in range(len(networks.weights)):
        if not networks.is_trained[r]:
            continue
        weights, l1 = networks.weights[r], networks.l1[r]
        for b in range(n_batches):
            if b % _N_UNTIDY == 0:
                _tidy(networks.first[r], networks.second[r])
            error, penalty = differentiate(shape, terms, batches, b, weights, work)
            means[r, 0] += error / n_batches
            means[r, 1] += penalty / n_batches
            _adam(
                terms, shape.is_weight, l1, factors[b, 0], factors[b, 1], work.gradient,
                weights, networks.first[r], networks.second[r],
            )  # fmt: skip


@compiled()
def differentiate(shape, terms, batches, b, weights, work):  # type: ignore[no-untyped-def]
    """Fill the gradient of a batch's loss but for L1; return error and penalty."""
    _fill(work.gradient, _ZERO)
    rows = batches.rows[b]
    total, error, penalty = batches.totals[b], _ZERO, _ZERO
    for c in range(len(rows)):
        _copy(batches.x[b, c], work.features)
        _forward(shape, terms, weights, work)
        e, p = _loss(shape, terms, batches.y[b, c], rows[c], total, work)
        n_used = min(N_LANES, batches.n_rows - c * N_LANES)
        error, penalty = error + e, penalty + p
        penalty += _backward(shape, terms, rows[c], n_used, weights, work)
    return error / total, penalty


@compiled()
def _forward(shape, terms, weights, work):  # type: ignore[no-untyped-def]
    """Compute all slots, features and slopes."""
    for i in range(len(shape.layers)):
        n_in, n_out, start, feature, slot = _layer(shape, i)
        set_lanes(
            work.slots, slot * N_LANES, weights, start, start + n_out * n_in,
            work.features, feature * N_LANES, n_out, n_in,
        )  # fmt: skip
        if i < len(shape.layers) - 1:
            _evaluate(shape, i, terms.theta, work)
    transpose(work.features, shape.n_features, work.turned)


@numba.njit(inline="always", error_model="numpy")
def _layer(shape, i):  # type: ignore[no-untyped-def]
    row = shape.layers[i]
    return row[0], row[1], row[2], row[3], row[4]


@numba.njit(inline="always", error_model="numpy")
def _block(shape, k):  # type: ignore[no-untyped-def]
    row = shape.blocks[k]
    return row[0], row[1], row[2], row[3]


@numba.njit(inline="always", error_model="numpy")
def _fill(target, value):  # type: ignore[no-untyped-def]
    """As a loop, because assigning to a slice is a call that takes longer."""
    for n in range(len(target)):
        target[n] = value


@numba.njit(inline="always", error_model="numpy")
def _copy(source, target):  # type: ignore[no-untyped-def]
    for n in range(len(source)):
        target[n] = source[n]


@numba.njit(inline="always", error_model="numpy")
def _part(values, first, n_rows):  # type: ignore[no-untyped-def]
    """Some rows. Loops over them are vectorised, those with an offset are not."""
    return values[first * N_LANES : (first + n_rows) * N_LANES]


@compiled(*_FAST)
def _evaluate(shape, layer, theta, work):  # type: ignore[no-untyped-def]
    """Compute the units of a layer, and their slopes."""
    for k in range(shape.layers[layer, 5], shape.layers[layer + 1, 5]):
        code, n_units, slot, feature = _block(shape, k)
        z, slope = _part(work.slots, slot, n_units), _part(work.slopes, slot, n_units)
        value = _part(work.features, feature, n_units)
        if code == _IDENTITY:
            _copy(z, value)
        elif code == _SIN:
            _sine_and_cosine(z, _ONE, value, slope)
        elif code == _COS:
            _sine_and_cosine(z, -_ONE, slope, value)
        elif code == _MULTIPLY:
            _times(z, _part(work.slots, slot + n_units, n_units), value)
        elif code == _SQUARE:
            for n in range(len(z)):
                value[n], slope[n] = z[n] * z[n], z[n] + z[n]
        else:
            for n in range(len(z)):
                value[n], slope[n] = _by_library(code, z[n], theta)


@compiled()
def _by_library(code, z, theta):  # type: ignore[no-untyped-def]
    """Value and slope of the units that are called value by value."""
    if code == _EXP:
        e = np.exp(z)
        return e, e
    if code == _TANH:
        t = np.tanh(z)
        return t, _ONE - t * t
    held, is_free = max(z, theta), _ONE if z > theta else _ZERO
    if code == _LOG:
        return np.log(held), is_free / held
    root = np.sqrt(held)
    return root, is_free * _HALF / root


# Nothing but contraction: reassociated, the parts of π would be put together again.
@compiled("contract")
def _sine_and_cosine(z, factor, sine, cosine):  # type: ignore[no-untyped-def]
    """`factor` times the sine and the cosine; to 3e-7 up to 60 as in `vectorised`."""
    for n in range(len(z)):
        # z = kπ + r with |r| ≤ π/2; π in three parts keeps the difference exact.
        k = np.rint(z[n] * np.float32(0.3183098861837907))
        r = z[n] - k * np.float32(3.140625)
        r = r - k * np.float32(9.67502593994140625e-4)
        r = r - k * np.float32(1.509957990978376432e-7)
        u = r * r
        # sin(r) / r and cos(r) in powers of r², interpolated at Chebyshev points.
        s = np.float32(2.605107634e-06) * u - np.float32(1.980901741e-04)
        s = s * u + np.float32(8.333050171e-03)
        s = s * u - np.float32(1.666665795e-01)
        s = r + r * (s * u)
        c = np.float32(-2.60477205e-07) * u + np.float32(2.47599464e-05)
        c = c * u - np.float32(1.38883571e-03)
        c = c * u + np.float32(4.16666359e-02)
        c = c * u - np.float32(4.99999993e-01)
        c = c * u + _ONE
        half = _HALF * k
        sign = _ONE - np.float32(4) * (half - np.floor(half))
        sine[n], cosine[n] = factor * (sign * s), sign * c


@compiled(*_FAST)
def _loss(shape, terms, targets, rows, total, work):  # type: ignore[no-untyped-def]
    """Fill the last layer's `by_slot`; return squared errors and penalties, summed."""
    error, penalty = _ZERO, _ZERO
    first, n_outputs, theta = shape.layers[-1, 4], shape.n_outputs, terms.theta
    for m in range(n_outputs):
        a, by_a = _part(work.slots, first + m, 1), _part(work.by_slot, m, 1)
        # Without division nothing is read of what would be the denominators.
        place = m + n_outputs if shape.division else m
        b, by_b = _part(work.slots, first + place, 1), _part(work.by_slot, place, 1)
        y = _part(targets, m, 1)
        for n in range(N_LANES):
            below = b[n] if shape.division else _ONE
            is_allowed = below > theta or not shape.division
            inverse = _ONE / below if is_allowed else _ZERO
            q = a[n] * inverse if is_allowed else _ZERO
            if terms.is_penalty_epoch:  # Eq. 6
                over = max(abs(q) - terms.bound, _ZERO)
                penalty += rows[n] * over
                slope = _ZERO if over == _ZERO else (_ONE if q > _ZERO else -_ONE)
                by_output = rows[n] * slope
            else:
                error += rows[n] * (q - y[n]) ** 2
                by_output = np.float32(2) * rows[n] * (q - y[n]) / total
            if shape.division:  # Eqs. 3 to 5
                short = max(theta - below, _ZERO)
                penalty += rows[n] * short
                push = _ZERO if short == _ZERO else rows[n]
                by_b[n] = -by_output * q * inverse - push
            by_a[n] = by_output * inverse
    return error, penalty


@compiled()
def _backward(shape, terms, rows, n_used, weights, work):  # type: ignore[no-untyped-def]
    """Add to the gradient; return the penalties of guarded units."""
    _fill(work.by_feature, _ZERO)
    penalty = _ZERO
    for i in range(len(shape.layers) - 1, -1, -1):
        n_in, n_out, start, feature, _ = _layer(shape, i)
        if i < len(shape.layers) - 1:
            penalty += _by_slots(shape, i, terms.theta, rows, work)
        add_product(
            work.gradient, start, work.by_slot, work.turned, feature, shape.n_features,
            n_out, n_used, n_in,
        )  # fmt: skip
        add_sums(work.gradient, start + n_in * n_out, work.by_slot, n_out)
        # Nobody asks for the derivatives by the inputs.
        skipped = max(shape.n_inputs - feature, 0)
        add_lanes(
            work.by_feature, (feature + skipped) * N_LANES, weights, start + skipped,
            n_in, work.by_slot, 0, n_in - skipped, n_out,
        )  # fmt: skip
    return penalty


@compiled(*_FAST)
def _by_slots(shape, layer, theta, rows, work):  # type: ignore[no-untyped-def]
    """Fill `by_slot` of a layer; return the penalties of guarded units."""
    penalty, first = _ZERO, shape.layers[layer, 4]
    for k in range(shape.layers[layer, 5], shape.layers[layer + 1, 5]):
        code, n_units, slot, feature = _block(shape, k)
        above = _part(work.by_feature, feature, n_units)
        z = _part(work.slots, slot, n_units)
        out = _part(work.by_slot, slot - first, n_units)
        if code == _IDENTITY:
            _copy(above, out)
        elif code == _MULTIPLY:
            _times(above, _part(work.slots, slot + n_units, n_units), out)
            _times(above, z, _part(work.by_slot, slot - first + n_units, n_units))
        else:
            _times(above, _part(work.slopes, slot, n_units), out)
        if code == _LOG or code == _SQRT:
            penalty += _guard(z, theta, rows, out)
    return penalty


@numba.njit(inline="always", error_model="numpy")
def _times(a, b, out):  # type: ignore[no-untyped-def]
    for n in range(len(out)):
        out[n] = a[n] * b[n]


@compiled(*_FAST)
def _guard(z, theta, rows, out):  # type: ignore[no-untyped-def]
    """Penalise arguments below θ as if they were denominators (Eq. 5)."""
    penalty = _ZERO
    for n in range(len(z)):
        if z[n] < theta:
            penalty += rows[n % N_LANES] * (theta - z[n])
            out[n] -= rows[n % N_LANES]
    return penalty


@compiled(*_FAST)
def _adam(  # type: ignore[no-untyped-def]
    terms, is_weight, l1, factor_1, factor_2, gradient, weights, first, second
):
    decay_1, decay_2 = np.float32(DECAY_1), np.float32(DECAY_2)
    new_1, new_2 = np.float32(1 - DECAY_1), np.float32(1 - DECAY_2)
    rate = terms.rate * factor_1
    for p in range(len(weights)):
        w, counts = weights[p], is_weight[p]
        sign = (_ONE if w > _ZERO else _ZERO) - (_ONE if w < _ZERO else _ZERO)
        g = gradient[p] + l1 * counts * sign
        m = new_1 * g + decay_1 * first[p]
        v = new_2 * (g * g) + decay_2 * second[p]
        first[p], second[p] = m, v
        update = rate * m / (np.sqrt(v * factor_2) + terms.epsilon)
        # What is below the threshold once, is exactly zero for the rest of phase 3.
        weights[p] = _ZERO if abs(w) < terms.held * counts else w - update


@compiled()
def _tidy(first, second):  # type: ignore[no-untyped-def]
    """Make negligible moments zero: numbers near the smallest there are take long."""
    for p in range(len(first)):
        first[p] = _ZERO if abs(first[p]) < np.float32(1e-15) else first[p]
        second[p] = _ZERO if second[p] < np.float32(1e-36) else second[p]

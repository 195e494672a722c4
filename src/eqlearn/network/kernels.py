"""Values and derivatives of a graph, compiled once for all graphs.

The structure is data here, not code: a graph becomes a few integer arrays (a `Tape`)
that one compiled loop reads, because every candidate has another structure and
compiling each would take longer than fitting it. Samples run along the last axis.
"""

from functools import cache
from typing import Any, NamedTuple

import numba
import numpy as np

from eqlearn._types import Array, Integers
from eqlearn.network.compiler import cached_njit
from eqlearn.network.graph import Graph
from eqlearn.network.units import Unit, symbolic, unit

#: Units with compiled code; all others are called through NumPy and SymPy.
COMPILED = (
    "identity",
    "sin",
    "cos",
    "multiply",
    "square",
    "exp",
    "log",
    "sqrt",
    "tanh",
    "divide",
    "asin",
    "acos",
    "atan",
    "origin",
)
_OTHER = len(COMPILED)
# The places of these names, for compiled code: one branch each below.
_IDENTITY, _SIN, _COS, _MULTIPLY, _SQUARE, _EXP, _LOG, _SQRT, _TANH = range(9)
_DIVIDE, _ASIN, _ACOS, _ATAN, _ORIGIN = range(9, _OTHER)


class Tape(NamedTuple):
    """A graph as arrays, with U units, S slots and C connections."""

    codes: Integers  # (U,) row of COMPILED
    first_slot: Integers  # (U + 1,) where each unit's arguments begin among the slots
    pointer: Integers  # (S + 1,) where each slot's connections begin
    sources: Integers  # (C,)
    weights: Array  # (C,)
    position: Integers  # (C,) place among the parameters, or -1 if fixed
    ratio: Array  # (C,) of the weight to the parameter; 1 unless tied
    others: tuple[int, ...]  # units without compiled code
    n_inputs: int
    n_outputs: int

    @property
    def n_parameters(self) -> int:
        """How many weights are free."""
        return int(self.position.max(initial=-1)) + 1

    def parameters(self) -> Array:
        """The present parameters."""
        values = np.empty(self.n_parameters)
        free = self.position >= 0
        values[self.position[free]] = self.weights[free] / self.ratio[free]
        return values


class Values(NamedTuple):
    """Everything a forward pass computes."""

    features: Array  # (D + U, N)
    slots: Array  # (S, N)
    slopes: Array  # (S, N) derivative of the unit by this argument


def tape(graph: Graph) -> Tape:
    """Write a graph as arrays."""
    names = {name: code for code, name in enumerate(COMPILED)}
    codes = [names.get(node.unit, _OTHER) for node in graph.nodes]
    arities = [len(node.arguments) for node in graph.nodes]
    slots = graph.slots()
    pointer = np.cumsum([0] + [len(linear) for linear in slots])
    places = {key: place for place, key in enumerate(graph.parameters())}
    sources, weights, position, ratios = [], [], [], []
    for key, weight in graph.connections():
        lead, ratio = graph.ties.get(key, (key, 1.0))
        sources.append(key[1])
        weights.append(weight)
        position.append(places.get(lead, -1))
        ratios.append(ratio)
    return Tape(
        np.array(codes, dtype=np.int64),
        np.cumsum([0, *arities]),
        pointer,
        np.array(sources, dtype=np.int64),
        np.array(weights, dtype=float),
        np.array(position, dtype=np.int64),
        np.array(ratios, dtype=float),
        tuple(k for k, code in enumerate(codes) if code == _OTHER),
        graph.n_inputs,
        graph.n_outputs,
    )


def evaluate(graph: Graph, tape: Tape, x: Array, floor: float = 0.0) -> Values:
    """Compute all features, slots and slopes for inputs `x` (D, N)."""
    n_slots, n = len(tape.pointer) - 1, x.shape[1]
    shapes = (tape.n_inputs + len(tape.codes), n), (n_slots, n), (n_slots, n)
    values = Values(*map(np.empty, shapes))
    evaluate_into(graph, tape, x, values, floor)
    return values


def evaluate_into(
    graph: Graph, tape: Tape, x: Array, values: Values, floor: float = 0.0
) -> None:
    """Compute into arrays that are there already.

    With a `floor`, log and sqrt are continued linearly where their argument is below.
    """
    features, slots, slopes = values
    features[: tape.n_inputs] = x
    n_units = len(tape.codes)
    structure = (tape.codes, tape.first_slot, tape.pointer, tape.sources, tape.weights)
    start = 0
    # Units without compiled code interrupt the compiled loop.
    for k in [*tape.others, n_units]:
        _forward(*structure, tape.n_inputs, start, k, floor, features, slots, slopes)
        if k < n_units:
            span = slice(tape.first_slot[k], tape.first_slot[k + 1])
            value, *parts = _through_numpy(unit(graph.nodes[k].unit), *slots[span])
            features[tape.n_inputs + k] = value
            slopes[span] = parts
        start = k + 1


def _through_numpy(row: Unit, *arguments: Array) -> list[Array]:
    functions = _value_and_slopes(row)
    shape = arguments[0].shape
    # What cannot be computed is seen in the values, as in compiled units.
    with np.errstate(all="ignore"):
        return [np.broadcast_to(function(*arguments), shape) for function in functions]


@cache
def _value_and_slopes(row: Unit) -> list[Any]:
    """Compile a unit and its derivatives from its SymPy form."""
    import sympy

    symbols, form = symbolic(row)
    slopes = [sympy.diff(form, symbol) for symbol in symbols]
    return [sympy.lambdify(symbols, f, "numpy") for f in (form, *slopes)]


# Compiled functions have no annotations: Numba infers types from the arguments.

# Reassociation and contraction let the loops vectorise; NaN and infinity keep their
# meaning, because a diverged fit must be seen.
_FAST = {"contract", "reassoc", "nsz", "arcp"}


@numba.njit(inline="always", fastmath=_FAST, error_model="numpy")
def _sine_and_cosine(z, sine, cosine):  # type: ignore[no-untyped-def]
    """Both at once and vectorised: 2.6 ns a value, where the library takes 22 ns."""
    for n in range(z.shape[0]):
        # z = kπ + r with |r| ≤ π/2; π in three parts keeps the difference exact.
        k = np.rint(z[n] * 0.3183098861837907)
        r = z[n] - k * 3.1415926218032837
        r = r - k * 3.178650942459171e-08
        r = r - k * 1.2246467864107189e-16
        u = r * r
        # sin(r) / r and cos(r) in powers of r², interpolated to 2e-17. Written out,
        # because a loop over the coefficients would not be vectorised.
        s = 2.7215749422983443e-15 * u - 7.643026557971632e-13
        s = s * u + 1.605894087848656e-10
        s = s * u - 2.505210689056952e-08
        s = s * u + 2.7557319211229606e-06
        s = s * u - 0.00019841269841208676
        s = s * u + 0.008333333333333186
        s = s * u - 0.16666666666666666
        c = -1.5119827834217995e-16 * u + 4.7768722491448073e-14
        c = c * u - 1.1470670165323271e-11
        c = c * u + 2.0876755666578904e-09
        c = c * u - 2.755731920965447e-07
        c = c * u + 2.480158730149264e-05
        c = c * u - 0.001388888888888853
        c = c * u + 0.04166666666666666
        c = c * u - 0.5
        half = 0.5 * k
        sign = 1.0 - 4.0 * (half - np.floor(half))
        sine[n] = (r + r * u * s) * sign
        cosine[n] = (1.0 + u * c) * sign


@cached_njit(fastmath=_FAST, error_model="numpy")
def _combine(pointer, sources, weights, slot, features, out):  # type: ignore[no-untyped-def]
    out[:] = 0.0
    for c in range(pointer[slot], pointer[slot + 1]):
        weight = weights[c]
        if sources[c] < 0:
            for n in range(out.shape[0]):
                out[n] += weight
        else:
            feature = features[sources[c]]
            for n in range(out.shape[0]):
                out[n] += weight * feature[n]


# Not reassociated: it would add up the three parts of π in the sine.
@cached_njit(fastmath=_FAST - {"reassoc"}, error_model="numpy")
def _forward(  # type: ignore[no-untyped-def]
    codes, first_slot, pointer, sources, weights, n_inputs, start, stop, floor,
    features, slots, slopes,
):  # fmt: skip
    """Compute units `start` to `stop`, and the slots of whatever stands at `stop`."""
    for k in range(start, stop):
        slot = first_slot[k]
        for s in range(slot, first_slot[k + 1]):
            _combine(pointer, sources, weights, s, features, slots[s])
        z, slope, value = slots[slot], slopes[slot], features[n_inputs + k]
        code = codes[k]
        if code == _SIN:
            _sine_and_cosine(z, value, slope)
        elif code == _COS:
            _sine_and_cosine(z, slope, value)
            for n in range(z.shape[0]):
                slope[n] = -slope[n]
        elif code == _MULTIPLY:
            other = slots[slot + 1]
            for n in range(z.shape[0]):
                value[n] = z[n] * other[n]
                slope[n] = other[n]
                slopes[slot + 1, n] = z[n]
        elif code == _DIVIDE:
            other = slots[slot + 1]
            for n in range(z.shape[0]):
                slope[n] = 1.0 / other[n]
                value[n] = z[n] / other[n]
                slopes[slot + 1, n] = -value[n] * slope[n]
        else:
            for n in range(z.shape[0]):
                value[n], slope[n] = elementary(code, z[n], floor)
    if stop < codes.shape[0]:
        end = first_slot[stop + 1]
    else:
        end = pointer.shape[0] - 1
    for s in range(first_slot[stop], end):
        _combine(pointer, sources, weights, s, features, slots[s])


@numba.njit(inline="always", error_model="numpy")
def elementary(code, z, floor):  # type: ignore[no-untyped-def]
    """Value and derivative of the unary units that need no special care."""
    if code == _SQUARE:
        return z * z, 2.0 * z
    if code == _EXP:
        e = np.exp(z)
        return e, e
    if z < floor == 0.0 and (code == _LOG or code == _SQRT):
        # Not -inf: an exponential of it would have a value.
        return np.nan, np.nan
    if code == _LOG:
        if z < floor:
            return np.log(floor) + (z - floor) / floor, 1.0 / floor
        return np.log(z), 1.0 / z
    if code == _SQRT:
        if z < floor:
            root = np.sqrt(floor)
            return root + (z - floor) * 0.5 / root, 0.5 / root
        root = np.sqrt(z)
        # In the middle of |z|, as the root of a square, none of its two slopes.
        return root, 0.5 / root if root > 0.0 else 0.0
    if code == _TANH:
        t = np.tanh(z)
        return t, 1.0 - t * t
    if code == _ASIN:
        return np.arcsin(z), 1.0 / np.sqrt(1.0 - z * z)
    if code == _ACOS:
        return np.arccos(z), -1.0 / np.sqrt(1.0 - z * z)
    if code == _ATAN:
        return np.arctan(z), 1.0 / (1.0 + z * z)
    if code == _IDENTITY or code == _ORIGIN:
        return z, 1.0
    return np.nan, np.nan  # a name without code must not pass for another unit


@cached_njit(fastmath=_FAST, error_model="numpy")
def jacobian(  # type: ignore[no-untyped-def]
    first_slot, pointer, sources, weights, position, ratio, n_inputs, features, slopes,
    by_ratio, upward, out,
):  # fmt: skip
    """Derivatives of all residuals by all parameters, (p, M·N), in reverse mode.

    `by_ratio` (M, 2, N) holds the residuals' derivatives by numerator and denominator;
    `upward` (U + 1, N) is memory to work in.
    """
    n_units, n_samples = first_slot.shape[0] - 1, features.shape[1]
    by_slot = upward[n_units]
    for o in range(by_ratio.shape[0]):
        columns = slice(o * n_samples, (o + 1) * n_samples)
        upward[:n_units] = 0.0
        is_used = np.zeros(n_units, dtype=np.bool_)
        out[:, columns] = 0.0
        for part in range(2):
            slot = first_slot[n_units] + 2 * o + part
            _backward(
                pointer, sources, weights, position, ratio, slot, by_ratio[o, part],
                n_inputs, features, upward, is_used, out[:, columns],
            )  # fmt: skip
        for k in range(n_units - 1, -1, -1):
            if not is_used[k]:
                continue
            for slot in range(first_slot[k], first_slot[k + 1]):
                for n in range(n_samples):
                    by_slot[n] = upward[k, n] * slopes[slot, n]
                _backward(
                    pointer, sources, weights, position, ratio, slot, by_slot,
                    n_inputs, features, upward, is_used, out[:, columns],
                )  # fmt: skip


@cached_njit(fastmath=_FAST, error_model="numpy")
def _backward(  # type: ignore[no-untyped-def]
    pointer, sources, weights, position, ratio, slot, by_slot, n_inputs, features,
    upward, is_used, out,
):  # fmt: skip
    n_samples = by_slot.shape[0]
    for c in range(pointer[slot], pointer[slot + 1]):
        source, row = sources[c], position[c]
        if row >= 0:
            if source < 0:
                for n in range(n_samples):
                    out[row, n] += ratio[c] * by_slot[n]
            else:
                for n in range(n_samples):
                    out[row, n] += ratio[c] * by_slot[n] * features[source, n]
        if source >= n_inputs:
            weight, k = weights[c], source - n_inputs
            is_used[k] = True
            for n in range(n_samples):
                upward[k, n] += weight * by_slot[n]


@cached_njit(fastmath=_FAST, error_model="numpy")
def by_slots(  # type: ignore[no-untyped-def]
    first_slot, pointer, sources, weights, n_inputs, slopes, by_ratio, out
):
    """Derivatives of all residuals by all slots, (S, M·N), into zeros."""
    n_units, n_samples = first_slot.shape[0] - 1, slopes.shape[1]
    upward = np.empty((n_units, n_samples))
    for o in range(by_ratio.shape[0]):
        columns = slice(o * n_samples, (o + 1) * n_samples)
        upward[:] = 0.0
        for slot in range(pointer.shape[0] - 2, -1, -1):
            row = out[slot, columns]
            if slot >= first_slot[n_units]:
                output, part = divmod(slot - first_slot[n_units], 2)
                if output != o:
                    continue
                row[:] = by_ratio[o, part]
            else:
                k = np.searchsorted(first_slot, slot, side="right") - 1
                row[:] = upward[k] * slopes[slot]
            for c in range(pointer[slot], pointer[slot + 1]):
                if sources[c] >= n_inputs:
                    upward[sources[c] - n_inputs] += weights[c] * row
    return out


@cached_njit(fastmath=_FAST, error_model="numpy")
def residuals(slots, first_ratio, y, root_weight, theta, margin, strength, r, by_ratio):  # type: ignore[no-untyped-def]
    """Fill the residuals (M, N) and their derivatives by numerator and denominator.

    The first columns, as many as `y` has, are labelled samples: a / b - y, with b held
    above zero by a smooth floor below `theta` (0: no floor). The others are penalty
    points: `strength` times by how much b falls below `margin`. Returns the sum of
    squares.
    """
    n_labelled, total = y.shape[1], 0.0
    for o in range(r.shape[0]):
        a, b = slots[first_ratio + 2 * o], slots[first_ratio + 2 * o + 1]
        for n in range(n_labelled):
            d, slope = b[n], 1.0
            if 0.0 < theta and d < theta:
                d = theta * np.exp(max(d / theta - 1.0, -30.0))
                slope = d / theta
            inverse = root_weight[n] / d
            r[o, n] = a[n] * inverse - root_weight[n] * y[o, n]
            by_ratio[o, 0, n] = inverse
            by_ratio[o, 1, n] = -a[n] * inverse / d * slope
            total += r[o, n] * r[o, n]
        for n in range(n_labelled, r.shape[1]):
            short = margin - b[n]
            by_ratio[o, 0, n] = 0.0
            r[o, n] = strength * short if short > 0 else 0.0
            by_ratio[o, 1, n] = -strength if short > 0 else 0.0
            total += r[o, n] * r[o, n]
    return total

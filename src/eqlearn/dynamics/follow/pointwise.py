"""Compiled: a system's rates with their slopes at a point, and motion by Runge-Kutta.

Sensitivities go along with the states: dZ/dt = (df/dx) Z + df/dp, where Z holds the
derivatives of the states by all constants and by the initial states. So a fit knows its
exact slopes after one integration.
"""

import numpy as np

from eqlearn.dynamics.step_rule import CODES
from eqlearn.network.compiler import cached_njit
from eqlearn.network.kernels import COMPILED, elementary

_MULTIPLY, _DIVIDE = COMPILED.index("multiply"), COMPILED.index("divide")
_SIN, _COS = COMPILED.index("sin"), COMPILED.index("cos")
_FLOW, _MAP = CODES["flow"], CODES["map"]

# Compiled functions have no annotations: Numba infers types from the arguments.


@cached_njit(error_model="numpy")
def _summed(pointer, sources, weights, slot, features):  # type: ignore[no-untyped-def]
    total = 0.0
    for c in range(pointer[slot], pointer[slot + 1]):
        source = sources[c]
        total += weights[c] * (features[source] if source >= 0 else 1.0)
    return total


@cached_njit(error_model="numpy")
def _forward_point(  # type: ignore[no-untyped-def]
    codes, first_slot, pointer, sources, weights, n_inputs, features, slots, slopes
):
    for k in range(codes.shape[0]):
        s, code = first_slot[k], codes[k]
        z = _summed(pointer, sources, weights, s, features)
        slots[s] = z
        if code == _SIN:
            value, slope = np.sin(z), np.cos(z)
        elif code == _COS:
            value, slope = np.cos(z), -np.sin(z)
        elif code == _MULTIPLY:
            other = _summed(pointer, sources, weights, s + 1, features)
            value, slope = z * other, other
            slopes[s + 1] = z
        elif code == _DIVIDE:
            other = _summed(pointer, sources, weights, s + 1, features)
            value, slope = z / other, 1.0 / other
            slopes[s + 1] = -value * slope
        else:
            value, slope = elementary(code, z, 0.0)
        features[n_inputs + k] = value
        slopes[s] = slope


@cached_njit(error_model="numpy")
def _spread_back(  # type: ignore[no-untyped-def]
    pointer, sources, weights, position, ratio, slot, by_slot, n_inputs, features,
    upward, by_input, by_parameter,
):  # fmt: skip
    for c in range(pointer[slot], pointer[slot + 1]):
        source = sources[c]
        if position[c] >= 0:
            feature = features[source] if source >= 0 else 1.0
            by_parameter[position[c]] += ratio[c] * by_slot * feature
        if source >= n_inputs:
            upward[source - n_inputs] += weights[c] * by_slot
        elif source >= 0:
            by_input[source] += weights[c] * by_slot


@cached_njit(error_model="numpy")
def _rates_and_slopes(structure, work, wants_slopes):  # type: ignore[no-untyped-def]
    """Rates of all states at the point in the features, and their derivatives."""
    codes, first_slot, pointer, sources, weights, position, ratio = structure[:7]
    unit_first, parameter_first = structure[7:]
    features, slots, slopes, upward, by_input, by_parameter, rates = work[:7]
    n_inputs, n_states = by_input.shape[1], rates.shape[0]
    _forward_point(
        codes, first_slot, pointer, sources, weights, n_inputs, features, slots, slopes
    )
    outputs = first_slot[codes.shape[0]]
    for o in range(n_states):
        a = _summed(pointer, sources, weights, outputs + 2 * o, features)
        b = _summed(pointer, sources, weights, outputs + 2 * o + 1, features)
        rates[o] = a / b
        if not wants_slopes:
            continue
        by_input[o] = 0.0
        by_parameter[o, parameter_first[o] : parameter_first[o + 1]] = 0.0
        upward[unit_first[o] : unit_first[o + 1]] = 0.0
        for part in range(2):
            by_slot = 1.0 / b if part == 0 else -rates[o] / b
            _spread_back(
                pointer, sources, weights, position, ratio, outputs + 2 * o + part,
                by_slot, n_inputs, features, upward, by_input[o], by_parameter[o],
            )  # fmt: skip
        for k in range(unit_first[o + 1] - 1, unit_first[o] - 1, -1):
            for slot in range(first_slot[k], first_slot[k + 1]):
                _spread_back(
                    pointer, sources, weights, position, ratio, slot,
                    upward[k] * slopes[slot], n_inputs, features, upward, by_input[o],
                    by_parameter[o],
                )  # fmt: skip


@cached_njit(error_model="numpy")
def _sensitivity_rates(by_input, by_parameter, parameter_first, Z, out):  # type: ignore[no-untyped-def]
    n_states, width = Z.shape
    for o in range(n_states):
        out[o] = 0.0
        for i in range(n_states):
            slope = by_input[o, i]
            if slope != 0.0:
                for q in range(width):
                    out[o, q] += slope * Z[i, q]
        for q in range(parameter_first[o], parameter_first[o + 1]):
            out[o, q] += by_parameter[o, q]


# Runge-Kutta of fourth order: where the stages are, and how much each counts.
_SHARES = np.array([0.0, 0.5, 0.5, 1.0])
_PARTS = np.array([1.0, 2.0, 2.0, 1.0]) / 6.0


@cached_njit(error_model="numpy")
def _step(structure, work, x, Z, h, nodes, rule):  # type: ignore[no-untyped-def]
    """Take states and sensitivities one step further; `nodes` (3, A) are inputs."""
    features, by_input, by_parameter, rate = work[0], work[4], work[5], work[6]
    total, Z_rate, Z_here, Z_total = work[7:]
    n_states, wants = x.shape[0], Z.shape[1] > 0
    total[:] = 0.0
    Z_total[:] = 0.0
    for stage in range(4 if rule == _FLOW else 1):
        share = h * _SHARES[stage]
        part = _PARTS[stage] if rule == _FLOW else 1.0
        for i in range(n_states):
            features[i] = x[i] + share * rate[i] if stage else x[i]
        for i in range(nodes.shape[1]):
            features[n_states + i] = nodes[(stage + 1) // 2, i]
        _rates_and_slopes(structure, work, wants)
        for i in range(n_states):
            total[i] += part * rate[i]
        if wants:
            for i in range(n_states):
                for q in range(Z.shape[1]):
                    step = share * Z_rate[i, q] if stage else 0.0
                    Z_here[i, q] = Z[i, q] + step
            _sensitivity_rates(by_input, by_parameter, structure[8], Z_here, Z_rate)
            for i in range(n_states):
                for q in range(Z.shape[1]):
                    Z_total[i, q] += part * Z_rate[i, q]
    kept = 0.0 if rule == _MAP else 1.0  # a map gives the next state, not a change
    for i in range(n_states):
        x[i] = kept * x[i] + h * total[i]
        for q in range(Z.shape[1]):
            Z[i, q] = kept * Z[i, q] + h * Z_total[i, q]


@cached_njit(error_model="numpy")
def _memory(n_states, n_inputs, n_units, n_slots, width):  # type: ignore[no-untyped-def]
    """Arrays to work in: features, slots, slopes, derivatives, rates, sums."""
    return (
        np.zeros(n_inputs + n_units),
        np.zeros(n_slots),
        np.zeros(n_slots),
        np.zeros(n_units),
        np.zeros((n_states, n_inputs)),
        np.zeros((n_states, max(width - n_states, 1))),
        np.zeros(n_states),
        np.zeros(n_states),
        np.zeros((n_states, width)),
        np.zeros((n_states, width)),
        np.zeros((n_states, width)),
    )


@cached_njit(error_model="numpy")
def follow(  # type: ignore[no-untyped-def]
    structure, starts, first, t, driven, substeps, rule, limit, states, Z_all
):
    """Follow the motion through all pieces; False if a state is lost.

    Piece g has rows first[g] to first[g + 1]. `driven` (N, 2·substeps + 1, A) are the
    inputs from each row to the next. Fills `states` (N, S) and `Z_all` (N, S, P + S);
    with none of its columns, no sensitivities are computed.
    """
    n_states, width = starts.shape[1], Z_all.shape[2]
    n_inputs, n_slots = n_states + driven.shape[2], structure[2].shape[0] - 1
    work = _memory(n_states, n_inputs, structure[0].shape[0], n_slots, width)
    x, Z = np.zeros(n_states), np.zeros((n_states, width))
    for g in range(starts.shape[0]):
        x[:] = starts[g]
        Z[:] = 0.0
        for i in range(n_states if width else 0):
            Z[i, width - n_states + i] = 1.0
        for n in range(first[g], first[g + 1]):
            states[n] = x
            Z_all[n] = Z
            for i in range(n_states):
                if not abs(x[i]) < limit[i]:
                    return False
            if n + 1 == first[g + 1]:
                break
            h = 1.0 if rule == _MAP else (t[n + 1] - t[n]) / substeps
            for sub in range(substeps):
                nodes = driven[n, 2 * sub : 2 * sub + 3]
                _step(structure, work, x, Z, h, nodes, rule)
    return True

"""Compiled: a system's rates with their slopes at a point, and motion by Runge-Kutta.

Sensitivities go along with the states: dZ/dt = (df/dx) Z + df/dp, where Z holds the
derivatives of the states by all constants and by the initial states. So a fit knows its
exact slopes after one integration.
"""

import numpy as np

from eqlearn.network.compiler import cached_njit
from eqlearn.network.kernels import COMPILED, elementary

_MULTIPLY, _DIVIDE = COMPILED.index("multiply"), COMPILED.index("divide")
_SIN, _COS = COMPILED.index("sin"), COMPILED.index("cos")

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
    upward, by_input, by_parameter, wants_parameters,
):  # fmt: skip
    for c in range(pointer[slot], pointer[slot + 1]):
        source = sources[c]
        if wants_parameters and position[c] >= 0:
            feature = features[source] if source >= 0 else 1.0
            by_parameter[position[c]] += ratio[c] * by_slot * feature
        if source >= n_inputs:
            upward[source - n_inputs] += weights[c] * by_slot
        elif source >= 0:
            by_input[source] += weights[c] * by_slot


@cached_njit(error_model="numpy")
def _rates_and_slopes(  # type: ignore[no-untyped-def]
    codes, first_slot, pointer, sources, weights, position, ratio, unit_first,
    parameter_first, n_inputs, features, slots, slopes, upward, rates, by_input,
    by_parameter, wants_slopes,
):  # fmt: skip
    """Rates of all states at the point in `features`, and their derivatives."""
    _forward_point(
        codes, first_slot, pointer, sources, weights, n_inputs, features, slots, slopes
    )
    n_states, outputs = rates.shape[0], first_slot[codes.shape[0]]
    for o in range(n_states):
        a = _summed(pointer, sources, weights, outputs + 2 * o, features)
        b = _summed(pointer, sources, weights, outputs + 2 * o + 1, features)
        rates[o] = a / b
        if not wants_slopes:
            continue
        by_input[o] = 0.0
        by_parameter[o, parameter_first[o] : parameter_first[o + 1]] = 0.0
        for k in range(unit_first[o], unit_first[o + 1]):
            upward[k] = 0.0
        for part in range(2):
            by_slot = 1.0 / b if part == 0 else -rates[o] / b
            _spread_back(
                pointer, sources, weights, position, ratio, outputs + 2 * o + part,
                by_slot, n_inputs, features, upward, by_input[o], by_parameter[o], True,
            )  # fmt: skip
        for k in range(unit_first[o + 1] - 1, unit_first[o] - 1, -1):
            if upward[k] == 0.0:
                continue
            for slot in range(first_slot[k], first_slot[k + 1]):
                _spread_back(
                    pointer, sources, weights, position, ratio, slot,
                    upward[k] * slopes[slot], n_inputs, features, upward, by_input[o],
                    by_parameter[o], True,
                )  # fmt: skip


@cached_njit(error_model="numpy")
def _sensitivity_rates(by_input, by_parameter, parameter_first, Z, out):  # type: ignore[no-untyped-def]
    n_states, width = Z.shape
    for o in range(n_states):
        for q in range(width):
            out[o, q] = 0.0
        for i in range(n_states):
            slope = by_input[o, i]
            if slope != 0.0:
                for q in range(width):
                    out[o, q] += slope * Z[i, q]
        for q in range(parameter_first[o], parameter_first[o + 1]):
            out[o, q] += by_parameter[o, q]


@cached_njit(error_model="numpy")
def follow(  # type: ignore[no-untyped-def]
    codes, first_slot, pointer, sources, weights, position, ratio, unit_first,
    parameter_first, starts, first, t, driven, substeps, is_map, limit, states, Z_all,
):  # fmt: skip
    """Follow the motion through all pieces; False if a state is lost.

    Piece g has rows first[g] to first[g + 1]. `driven` (N, 2·substeps + 1, A) are the
    inputs from each row to the next. Fills `states` (N, S) and `Z_all` (N, S, P + S);
    with none of its columns, no sensitivities are computed.
    """
    n_states, width, n_driven = starts.shape[1], Z_all.shape[2], driven.shape[2]
    n_inputs, n_units = n_states + n_driven, codes.shape[0]
    n_parameters, wants = width - n_states, width > 0
    features, upward = np.zeros(n_inputs + n_units), np.zeros(n_units)
    slots = np.zeros(pointer.shape[0] - 1)
    slopes = np.zeros(pointer.shape[0] - 1)
    by_input = np.zeros((n_states, n_inputs))
    by_parameter = np.zeros((n_states, max(n_parameters, 1)))
    rate, total, x = np.zeros(n_states), np.zeros(n_states), np.zeros(n_states)
    Z, Z_rate = np.zeros((n_states, width)), np.zeros((n_states, width))
    Z_here, Z_total = np.zeros((n_states, width)), np.zeros((n_states, width))
    shares = np.array([0.0, 0.5, 0.5, 1.0])
    parts = np.array([1.0, 2.0, 2.0, 1.0]) / 6.0
    if is_map:
        shares, parts = shares[:1], np.ones(1)
    for g in range(starts.shape[0]):
        x[:] = starts[g]
        Z[:] = 0.0
        if wants:
            for i in range(n_states):
                Z[i, n_parameters + i] = 1.0
        for n in range(first[g], first[g + 1]):
            states[n] = x
            if wants:
                Z_all[n] = Z
            for i in range(n_states):
                if not abs(x[i]) < limit[i]:
                    return False
            if n + 1 == first[g + 1]:
                break
            h = 1.0 if is_map else (t[n + 1] - t[n]) / substeps
            for sub in range(substeps):
                total[:] = 0.0
                Z_total[:] = 0.0
                for stage in range(shares.shape[0]):
                    share = h * shares[stage]
                    for i in range(n_states):
                        features[i] = x[i] + share * rate[i] if stage else x[i]
                    at = 2 * sub + (stage + 1) // 2
                    for i in range(n_driven):
                        features[n_states + i] = driven[n, at, i]
                    _rates_and_slopes(
                        codes, first_slot, pointer, sources, weights, position, ratio,
                        unit_first, parameter_first, n_inputs, features, slots, slopes,
                        upward, rate, by_input, by_parameter, wants,
                    )  # fmt: skip
                    for i in range(n_states):
                        total[i] += parts[stage] * rate[i]
                    if wants:
                        for i in range(n_states):
                            for q in range(width):
                                step = share * Z_rate[i, q] if stage else 0.0
                                Z_here[i, q] = Z[i, q] + step
                        _sensitivity_rates(
                            by_input, by_parameter, parameter_first, Z_here, Z_rate
                        )
                        for i in range(n_states):
                            for q in range(width):
                                Z_total[i, q] += parts[stage] * Z_rate[i, q]
                if is_map:
                    x[:] = total
                    Z[:] = Z_total
                else:
                    for i in range(n_states):
                        x[i] += h * total[i]
                        for q in range(width):
                            Z[i, q] += h * Z_total[i, q]
    return True

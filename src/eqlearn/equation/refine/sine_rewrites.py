"""Structural moves on sines: from what fits like a sine, or unlike one, to what it is.

A sine used in a limit becomes the power that it imitates, a series becomes its sine, a
difference quotient becomes a product. No move knows any particular law.
"""

import math
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from eqlearn._types import Array
from eqlearn.equation.refine.hill_climb import Proposal, Seen
from eqlearn.equation.refine.rewrites import (
    affine,
    factors_of,
    monomial,
    products_of,
    replaced_by,
    rms_of,
    sines_of,
    summed,
    unit_features,
)
from eqlearn.equation.refine.tactics import Rewriting
from eqlearn.network.draft import Draft
from eqlearn.network.graph import CONSTANT, Graph


def units_in_a_limit(seen: Seen) -> Iterator[Proposal]:
    """Turn sin(εz + φ) into a z + b, and into a z² + b z + c."""
    for feature, slot, linear in sines_of(seen.graph):
        # Without the phase: a cosine becomes z² and not (z + φ/ε)².
        argument = {s: w for s, w in linear.items() if s != CONSTANT}
        z = seen.slots[slot] - linear.get(CONSTANT, 0.0)
        value = seen.features[feature]
        if not 1e-9 < np.std(z) < seen.tactics.rewriting.widest_limit:
            continue
        b, a = _polynomial(z, value, 1)
        yield replaced_by("linear", seen.graph, feature, affine(argument, a, b))
        c, b, a = _polynomial(z, value, 2)
        for slope in (0.0, b):
            draft = Draft(seen.graph)
            square = draft.add("multiply", argument, argument)
            draft.replace(feature, {**affine(argument, slope, c), square: a})
            yield Proposal("quadratic", draft.freeze())


def _polynomial(z: Array, value: Array, degree: int) -> Array:
    """Fit one; `full` leaves it to us to see that points are too alike for it."""
    found, _ = np.polynomial.polynomial.polyfit(z, value, degree, full=True)
    return np.asarray(found)


def sines_for_units(seen: Seen) -> Iterator[Proposal]:
    """Put a new sine of some feature in the place of a unit that follows it.

    Products can stand for the first terms of a series: z² for a cosine, z³ for a sine,
    and z² (z² - c) for more of them, where z itself need not be there.
    """
    by, found = seen.tactics.rewriting, []
    few = seen.features[:, : by.n_rows]
    for u in unit_features(seen.graph):
        if seen.graph.nodes[u - seen.graph.n_inputs].unit == "sin":
            continue
        roots = (r for h in range(u + 1) for r in _square_roots(seen.graph, h))
        for factors in dict.fromkeys([*((h,) for h in range(u)), *roots]):
            wave = _wave_like(few[u], np.prod(few[list(factors)], axis=0), by)
            if wave is not None:
                found.append((wave, u, factors))
    for wave, u, factors in sorted(found)[: by.n_waves]:
        draft = Draft(seen.graph)
        z = np.prod(seen.features[list(factors)], axis=0)
        _put_wave(draft, seen, u, wave, monomial(draft, [*factors]), z)
        yield Proposal("sine", draft.freeze())


def sines_of_half_angles(seen: Seen) -> Iterator[Proposal]:
    """Put a sine of h sin a in the place of a unit that follows it, h a feature or 1.

    Of a series in (h sin a)² only cosines of 2a are seen: squares of sines are written
    so.
    """
    by, found = seen.tactics.rewriting, []
    n = by.n_rows
    for u in unit_features(seen.graph):
        if seen.graph.nodes[u - seen.graph.n_inputs].unit == "sin":
            continue
        for feature, slot, _ in sines_of(seen.graph):
            for quarter in (math.pi / 4, -math.pi / 4) if feature < u else ():
                half = np.sin(seen.slots[slot] / 2 + quarter)
                for h in (CONSTANT, *range(u)):
                    z = half if h == CONSTANT else half * seen.features[h]
                    wave = _wave_like(seen.features[u, :n], z[:n], by)
                    if wave is not None:
                        found.append((wave, u, slot, quarter, h))
    for wave, u, slot, quarter, h in sorted(found)[: by.n_waves]:
        draft = Draft(seen.graph)
        argument = seen.graph.slots()[slot]
        sine = draft.add("sin", affine(argument, 0.5, quarter))
        z = np.sin(seen.slots[slot] / 2 + quarter)
        if h != CONSTANT:
            sine, z = monomial(draft, [sine, h]), z * seen.features[h]
        _put_wave(draft, seen, u, wave, sine, z)
        yield Proposal("half angle", draft.freeze())


class _Imitation(NamedTuple):
    """sin(frequency z + phase), which leaves a share of a unit's variance."""

    left: float
    frequency: float
    phase: float
    size: float


def _wave_like(values: Array, z: Array, by: Rewriting) -> _Imitation | None:
    """The slowest wave of z that explains this share of some values."""
    if not (np.isfinite(values).all() and np.isfinite(z).all()):
        return None
    v = values - np.mean(values)
    total = float(v @ v)
    if total == 0.0:
        return None
    for k in np.array(by.slow_waves) / max(rms_of(z), 1e-12):
        wave = np.stack([np.ones(len(z)), np.sin(k * z), np.cos(k * z)], axis=1)
        (_, a, b), left, *_ = np.linalg.lstsq(wave, v, rcond=None)
        if len(left) and 1.0 - left[0] / total > by.like_a_wave:
            phase, size = math.atan2(b, a), math.hypot(a, b)
            return _Imitation(float(left[0]) / total, float(k), phase, size)
    return None


def _put_wave(
    draft: Draft, seen: Seen, unit: int, wave: _Imitation, source: int, z: Array
) -> None:
    """Put a wave of a source with values z in the place of a unit."""
    sine = draft.add("sin", {source: wave.frequency, CONSTANT: wave.phase})
    value = np.sin(wave.frequency * z + wave.phase)
    shift = float(np.mean(seen.features[unit] - wave.size * value))
    draft.replace(unit, {sine: wave.size, CONSTANT: shift})


def _square_roots(graph: Graph, feature: int) -> list[tuple[int, ...]]:
    """Return z as factors if the feature is z², also where z is no feature itself."""
    counts = Counter(factors_of(graph, feature))
    if not counts or any(n % 2 for n in counts.values()):
        return []
    return [tuple(f for f, n in sorted(counts.items()) for _ in range(n // 2))]


def inputs_as_angles(seen: Seen) -> Iterator[Proposal]:
    """Turn every plain use of an input into its sine, at a frequency it already has.

    An input that is an angle somewhere is mostly one everywhere.
    """
    graph = seen.graph
    angles = [(slot, *z.popitem()) for slot, z in _single_arguments(graph)]
    plain = set(range(len(graph.slots()))) - {slot for slot, _, _ in angles}
    apart = seen.tactics.rewriting.same_frequency
    frequencies: dict[int, list[float]] = {}
    for _, source, weight in angles:
        if source < graph.n_inputs:
            known = frequencies.setdefault(source, [])
            for w in (weight, 2 * weight, weight / 2):
                if all(abs(w - other) > apart * other for other in known):
                    known.append(w)
    for source, known in frequencies.items():
        x = seen.features[source]
        for w in known:
            sine = np.sin(w * x)
            slope = float(x @ sine / (sine @ sine + 1e-12))
            draft = Draft(graph)
            new = draft.add("sin", {source: w})
            draft.replace(source, {new: slope}, where=plain)
            yield Proposal("angle", draft.freeze())


def _single_arguments(graph: Graph) -> Iterator[tuple[int, dict[int, float]]]:
    """Slots of sines of one feature, with the argument less its phase."""
    for _, slot, linear in sines_of(graph):
        argument = {s: w for s, w in linear.items() if s != CONSTANT}
        if len(argument) == 1:
            yield slot, argument


def bent_sources(seen: Seen) -> Iterator[Proposal]:
    """Turn one use of a feature f into sin(kf) / k: the feature may be an angle."""
    sine_slots = {slot for _, slot, linear in sines_of(seen.graph) if len(linear) == 1}
    uses = [
        (slot, source)
        for slot, linear in enumerate(seen.graph.slots())
        for source in linear
        if source != CONSTANT and slot not in sine_slots
    ]
    for slot, source in uses:
        k = 1.0 / max(rms_of(seen.features[source]), 1e-12)
        draft = Draft(seen.graph)
        sine = draft.add("sin", {source: k})
        draft.replace(source, {sine: seen.tactics.rewriting.bend / k}, where={slot})
        yield Proposal("bend", draft.freeze(), n_tried=len(uses))


def difference_quotients(seen: Seen) -> Iterator[Proposal]:
    """Turn sin(m + δ) and sin(m - δ) into sin m and δ cos m.

    Such pairs stand for a derivative by δ: x cos z as sin(z + εx) - sin(z - εx).
    """
    sines, found = sines_of(seen.graph), []
    for n, (first, slot, _) in enumerate(sines):
        for second, other_slot, _ in sines[:n]:
            for sign in (1.0, -1.0):
                gap = seen.slots[slot] - sign * seen.slots[other_slot]
                turns = round(float(np.mean(gap)) / math.pi)
                size = float(np.sqrt(np.mean((gap - turns * math.pi) ** 2))) / 2
                if size < seen.tactics.rewriting.quotient:
                    found.append((size, first, slot, second, other_slot, sign, turns))
    for _, first, slot, second, other_slot, sign, turns in sorted(found):
        slots = seen.graph.slots()
        z = slots[slot]
        # the second argument, turned such that it is nearly equal to the first
        shifted = summed((sign, slots[other_slot]), (turns * math.pi, {CONSTANT: 1.0}))
        middle, half = (
            summed((0.5, z), (0.5, shifted)),
            summed((0.5, z), (-0.5, shifted)),
        )
        draft = Draft(seen.graph)
        sine = draft.add("sin", middle)
        cosine = draft.add("sin", summed((1.0, middle), (math.pi / 2, {CONSTANT: 1.0})))
        product = draft.add("multiply", half, {cosine: 1.0})
        # sin(m ± δ) ≈ sin m ± δ cos m; the second sine is sign·(-1)^turns sin(m - δ)
        parity = sign * (-1.0) ** turns
        draft.replace(first, {sine: 1.0, product: 1.0})
        draft.replace(second, {sine: parity, product: -parity})
        yield Proposal("difference quotient", draft.freeze())


def small_additions(seen: Seen) -> Iterator[Proposal]:
    """Turn sin(m + w f) with a small w f into sin m + w f cos m."""
    by, found = seen.tactics.rewriting, []
    for feature, _, linear in sines_of(seen.graph):
        terms = [s for s in linear if s != CONSTANT]
        for source in terms if len(terms) > 1 else ():
            size = abs(linear[source]) * rms_of(seen.features[source])
            if size < by.small_addition:
                found.append((size, feature, source, linear))
    for _, feature, source, linear in sorted(found, key=lambda f: f[:3])[
        : by.n_additions
    ]:
        middle = {s: w for s, w in linear.items() if s != source}
        draft = Draft(seen.graph)
        sine = draft.add("sin", middle)
        cosine = draft.add("sin", summed((1.0, middle), (math.pi / 2, {CONSTANT: 1.0})))
        product = draft.add("multiply", {source: linear[source]}, {cosine: 1.0})
        draft.replace(feature, {sine: 1.0, product: 1.0})
        yield Proposal("small addition", draft.freeze())


def products_of_sines(seen: Seen) -> Iterator[Proposal]:
    """Turn sin a · sin b into ½ cos(a - b) - ½ cos(a + b)."""
    arguments = {feature: linear for feature, _, linear in sines_of(seen.graph)}
    for feature, first, second in products_of(seen.graph):
        if len(first) == len(second) == 1:
            (a, wa), (b, wb) = *first.items(), *second.items()
            if a in arguments and b in arguments:
                draft, terms = Draft(seen.graph), {}
                for sign in (1.0, -1.0):
                    quarter = (math.pi / 2, {CONSTANT: 1.0})
                    z = summed((1.0, arguments[a]), (-sign, arguments[b]), quarter)
                    terms[draft.add("sin", z)] = 0.5 * sign * wa * wb
                draft.replace(feature, terms)
                yield Proposal("product to sum", draft.freeze())

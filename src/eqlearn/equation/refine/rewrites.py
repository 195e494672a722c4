"""Structural moves: from a formula that fits to the formula itself.

Each move proposes graphs that compute nearly the same by other means: a unit used in
a limit becomes what it imitates, two nearly equal ones become one, a difference
quotient becomes a product. No move knows any particular law.
"""

import math
from collections import Counter
from collections.abc import Container, Iterator
from typing import NamedTuple

import numpy as np

from eqlearn._types import Array
from eqlearn.equation.refine.hill_climb import Move, Proposal, Seen
from eqlearn.equation.refine.score_test import added_terms
from eqlearn.equation.refine.waves import added_waves, waves_for_sums
from eqlearn.network.draft import Draft
from eqlearn.network.graph import CONSTANT, Graph, Linear


def constant_units(seen: Seen) -> Iterator[Proposal]:
    """Delete a unit: its mean takes its place."""
    for feature in _units(seen.graph):
        mean = float(np.mean(seen.features[feature]))
        yield _replaced("delete", seen.graph, feature, {CONSTANT: mean})


def units_in_a_limit(seen: Seen) -> Iterator[Proposal]:
    """Turn sin(εz + φ) into a z + b, and into a z² + b z + c."""
    for feature, slot, linear in _sines(seen.graph):
        # Without the phase: a cosine becomes z² and not (z + φ/ε)².
        argument = {s: w for s, w in linear.items() if s != CONSTANT}
        z = seen.slots[slot] - linear.get(CONSTANT, 0.0)
        value = seen.features[feature]
        if not 1e-9 < np.std(z) < 1.5:
            continue
        b, a = np.polynomial.polynomial.polyfit(z, value, 1)
        yield _replaced("linear", seen.graph, feature, _affine(argument, a, b))
        c, b, a = np.polynomial.polynomial.polyfit(z, value, 2)
        for slope in (0.0, b):
            draft = Draft(seen.graph)
            square = draft.add("multiply", argument, argument)
            draft.replace(feature, {**_affine(argument, slope, c), square: a})
            yield Proposal("quadratic", draft.freeze())


def sines_for_units(
    seen: Seen, least: float = 0.97, n_rows: int = 300
) -> Iterator[Proposal]:
    """Put a new sine of some feature in the place of a unit that follows it.

    Products can stand for the first terms of a series: z² for a cosine, z³ for a sine,
    and z² (z² - c) for more of them, where z itself need not be there.
    """
    few = seen.features[:, :n_rows]
    found = []
    for u in _units(seen.graph):
        if seen.graph.nodes[u - seen.graph.n_inputs].unit == "sin":
            continue
        roots = (r for h in range(u + 1) for r in _square_roots(seen.graph, h))
        for factors in dict.fromkeys([*((h,) for h in range(u)), *roots]):
            wave = _wave_like(few[u], np.prod(few[list(factors)], axis=0), least)
            if wave is not None:
                found.append((wave, u, factors))
    for wave, u, factors in sorted(found)[:12]:
        draft = Draft(seen.graph)
        z = np.prod(seen.features[list(factors)], axis=0)
        _put_wave(draft, seen, u, wave, _monomial(draft, [*factors]), z)
        yield Proposal("sine", draft.freeze())


def sines_of_half_angles(
    seen: Seen, least: float = 0.97, n_rows: int = 300
) -> Iterator[Proposal]:
    """Put a sine of h sin a in the place of a unit that follows it, h a feature or 1.

    Of a series in (h sin a)² only cosines of 2a are seen: squares of sines are written
    so.
    """
    found = []
    for u in _units(seen.graph):
        if seen.graph.nodes[u - seen.graph.n_inputs].unit == "sin":
            continue
        for feature, slot, _ in _sines(seen.graph):
            for quarter in (math.pi / 4, -math.pi / 4) if feature < u else ():
                half = np.sin(seen.slots[slot] / 2 + quarter)
                for h in (CONSTANT, *range(u)):
                    z = half if h == CONSTANT else half * seen.features[h]
                    wave = _wave_like(seen.features[u, :n_rows], z[:n_rows], least)
                    if wave is not None:
                        found.append((wave, u, slot, quarter, h))
    for wave, u, slot, quarter, h in sorted(found)[:12]:
        draft = Draft(seen.graph)
        argument = seen.graph.slots()[slot]
        sine = draft.add("sin", _affine(argument, 0.5, quarter))
        z = np.sin(seen.slots[slot] / 2 + quarter)
        if h != CONSTANT:
            sine, z = _monomial(draft, [sine, h]), z * seen.features[h]
        _put_wave(draft, seen, u, wave, sine, z)
        yield Proposal("half angle", draft.freeze())


class _Wave(NamedTuple):
    """sin(frequency z + phase), which leaves a share of a unit's variance."""

    left: float
    frequency: float
    phase: float
    size: float


def _wave_like(values: Array, z: Array, least: float) -> _Wave | None:
    """The slowest wave of z that explains this share of some values."""
    v = values - np.mean(values)
    total = float(v @ v)
    if total == 0.0:
        return None
    for k in np.array([0.5, 1.0, 1.5, 2.0, 3.0, 4.0]) / max(_rms(z), 1e-12):
        wave = np.stack([np.ones(len(z)), np.sin(k * z), np.cos(k * z)], axis=1)
        (_, a, b), left, *_ = np.linalg.lstsq(wave, v, rcond=None)
        if len(left) and 1.0 - left[0] / total > least:
            phase, size = math.atan2(b, a), math.hypot(a, b)
            return _Wave(float(left[0]) / total, float(k), phase, size)
    return None


def _put_wave(
    draft: Draft, seen: Seen, unit: int, wave: _Wave, source: int, z: Array
) -> None:
    """Put a wave of a source with values z in the place of a unit."""
    sine = draft.add("sin", {source: wave.frequency, CONSTANT: wave.phase})
    value = np.sin(wave.frequency * z + wave.phase)
    shift = float(np.mean(seen.features[unit] - wave.size * value))
    draft.replace(unit, {sine: wave.size, CONSTANT: shift})


def _square_roots(graph: Graph, feature: int) -> list[tuple[int, ...]]:
    """Return z as factors if the feature is z², also where z is no feature itself."""
    counts = Counter(_factors(graph, feature))
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
    frequencies: dict[int, list[float]] = {}
    for _, source, weight in angles:
        if source < graph.n_inputs:
            known = frequencies.setdefault(source, [])
            for w in (weight, 2 * weight, weight / 2):
                if all(abs(w - other) > 0.08 * other for other in known):
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
    for _, slot, linear in _sines(graph):
        argument = {s: w for s, w in linear.items() if s != CONSTANT}
        if len(argument) == 1:
            yield slot, argument


def bent_sources(seen: Seen) -> Iterator[Proposal]:
    """Turn one use of a feature f into sin(kf) / k: the feature may be an angle."""
    sine_slots = {slot for _, slot, linear in _sines(seen.graph) if len(linear) == 1}
    uses = [
        (slot, source)
        for slot, linear in enumerate(seen.graph.slots())
        for source in linear
        if source != CONSTANT and slot not in sine_slots
    ]
    for slot, source in uses:
        k = 1.0 / max(_rms(seen.features[source]), 1e-12)
        draft = Draft(seen.graph)
        sine = draft.add("sin", {source: k})
        draft.replace(source, {sine: 1.15 / k}, where={slot})
        yield Proposal("bend", draft.freeze(), n_tried=len(uses))


def merged_features(seen: Seen, least: float = 0.98) -> Iterator[Proposal]:
    """Put one feature in the place of another that it correlates with."""
    correlation = _correlation(seen.features)
    pairs = [
        (abs(correlation[u, q]), u, q)
        for u in _units(seen.graph)
        for q in range(seen.graph.n_features)
        if q != u and abs(correlation[u, q]) > least
    ]
    for _, u, q in sorted(pairs, reverse=True):
        yield _replaced("merge", seen.graph, u, _regression(seen.features, u, [q]))


def imitated_units(seen: Seen) -> Iterator[Proposal]:
    """Put the best one and the best three other features in the place of a unit."""
    correlation = np.abs(_correlation(seen.features))
    for u in _units(seen.graph):
        others = [int(q) for q in np.argsort(-correlation[u]) if q != u]
        for chosen in (others[:1], others[1:2], others[:3]):
            by = _regression(seen.features, u, chosen)
            yield _replaced("imitate", seen.graph, u, by)


def difference_quotients(seen: Seen, largest: float = 0.7) -> Iterator[Proposal]:
    """Turn sin(m + δ) and sin(m - δ) into sin m and δ cos m.

    Such pairs stand for a derivative by δ: x cos z as sin(z + εx) - sin(z - εx).
    """
    sines, found = _sines(seen.graph), []
    for n, (first, slot, _) in enumerate(sines):
        for second, other_slot, _ in sines[:n]:
            for sign in (1.0, -1.0):
                gap = seen.slots[slot] - sign * seen.slots[other_slot]
                turns = round(float(np.mean(gap)) / math.pi)
                size = float(np.sqrt(np.mean((gap - turns * math.pi) ** 2))) / 2
                if size < largest:
                    found.append((size, first, slot, second, other_slot, sign, turns))
    for _, first, slot, second, other_slot, sign, turns in sorted(found):
        slots = seen.graph.slots()
        z = slots[slot]
        # the second argument, turned such that it is nearly equal to the first
        shifted = _sum((sign, slots[other_slot]), (turns * math.pi, {CONSTANT: 1.0}))
        middle, half = _sum((0.5, z), (0.5, shifted)), _sum((0.5, z), (-0.5, shifted))
        draft = Draft(seen.graph)
        sine = draft.add("sin", middle)
        cosine = draft.add("sin", _sum((1.0, middle), (math.pi / 2, {CONSTANT: 1.0})))
        product = draft.add("multiply", half, {cosine: 1.0})
        # sin(m ± δ) ≈ sin m ± δ cos m; the second sine is sign·(-1)^turns sin(m - δ)
        parity = sign * (-1.0) ** turns
        draft.replace(first, {sine: 1.0, product: 1.0})
        draft.replace(second, {sine: parity, product: -parity})
        yield Proposal("difference quotient", draft.freeze())


def small_additions(seen: Seen, largest: float = 0.4) -> Iterator[Proposal]:
    """Turn sin(m + w f) with a small w f into sin m + w f cos m."""
    found = []
    for feature, _, linear in _sines(seen.graph):
        terms = [s for s in linear if s != CONSTANT]
        for source in terms if len(terms) > 1 else ():
            size = abs(linear[source]) * _rms(seen.features[source])
            if size < largest:
                found.append((size, feature, source, linear))
    for _, feature, source, linear in sorted(found, key=lambda f: f[:3])[:6]:
        middle = {s: w for s, w in linear.items() if s != source}
        draft = Draft(seen.graph)
        sine = draft.add("sin", middle)
        cosine = draft.add("sin", _sum((1.0, middle), (math.pi / 2, {CONSTANT: 1.0})))
        product = draft.add("multiply", {source: linear[source]}, {cosine: 1.0})
        draft.replace(feature, {sine: 1.0, product: 1.0})
        yield Proposal("small addition", draft.freeze())


def multiplied_out(seen: Seen) -> Iterator[Proposal]:
    """Turn (A + a)(B + b) into AB + bA + aB + ab, and sums of factors into products."""
    for feature, first, second in _products(seen.graph):
        a, b = first.get(CONSTANT, 0.0), second.get(CONSTANT, 0.0)
        if a or b:
            A = {s: w for s, w in first.items() if s != CONSTANT}
            B = {s: w for s, w in second.items() if s != CONSTANT}
            draft = Draft(seen.graph)
            product = draft.add("multiply", A, B)
            rest = _sum((b, A), (a, B), (a * b, {CONSTANT: 1.0}), (1.0, {product: 1.0}))
            draft.replace(feature, rest)
            yield Proposal("expand", draft.freeze())
        for factor, other in ((first, second), (second, first)):
            if len(factor) < 2:
                continue
            for source in list(factor)[:4]:
                draft = Draft(seen.graph)
                rest = {s: w for s, w in factor.items() if s != source}
                one = draft.add("multiply", {source: factor[source]}, other)
                two = draft.add("multiply", rest, other)
                draft.replace(feature, {one: 1.0, two: 1.0})
                yield Proposal("split", draft.freeze())


def lifted_terms(seen: Seen) -> Iterator[Proposal]:
    """Turn a / (d + w g) into (a - w g k ...) / d, to first order in w g.

    A small term of the denominator can stand for products in the numerator: of g with
    one of its largest terms k, and perhaps with a sine as a further factor.
    """
    graph = seen.graph
    sines = [feature for feature, _, _ in _sines(graph)]
    found = []
    for o, (a, b) in enumerate(graph.outputs):
        size = {s: abs(w) * _rms(seen.features[s]) for s, w in a.items() if s >= 0}
        largest = sorted(size, key=lambda s: -size[s])[:2]
        small = [s for s in b if s != CONSTANT] if len(b) > 1 else []
        found += [
            (o, g, k, factor)
            for g in small
            for k in largest
            for factor in (None, *sines)
        ]
    for o, g, k, factor in found:
        draft = Draft(graph)
        numerator, denominator = draft.outputs[o]
        weight = -denominator.pop(g) * numerator[k]
        product = draft.add("multiply", {g: 1.0}, {k: 1.0})
        if factor is not None:
            product = draft.add("multiply", {product: 1.0}, {factor: 1.0})
        numerator[product] = weight
        yield Proposal("lift", draft.freeze(), n_tried=len(found))


def cancelled_factors(seen: Seen) -> Iterator[Proposal]:
    """Cancel a feature that is a factor of all terms of a fraction."""
    graph = seen.graph
    for o, (a, b) in enumerate(graph.outputs):
        terms = {s: _factors(graph, s) for s in {*a, *b}}
        shared = set.intersection(*(set(factors) for factors in terms.values()))
        for factor in sorted(shared):
            draft = Draft(graph)
            for part, linear in enumerate((a, b)):
                reduced: dict[int, float] = {}
                for source, weight in linear.items():
                    rest = list(terms[source])
                    rest.remove(factor)
                    product = _monomial(draft, rest)
                    reduced[product] = reduced.get(product, 0.0) + weight
                draft.outputs[o][part].clear()
                draft.outputs[o][part].update(reduced)
            yield Proposal("cancel", draft.freeze())


def _factors(graph: Graph, source: int) -> list[int]:
    """Write a feature as a product of features that are no plain products."""
    if source == CONSTANT:
        return []
    if source >= graph.n_inputs:
        node = graph.nodes[source - graph.n_inputs]
        is_plain = all([*linear.values()] == [1.0] for linear in node.arguments)
        if node.unit == "multiply" and is_plain:
            return [f for linear in node.arguments for f in _factors(graph, *linear)]
    return [source]


def _monomial(draft: Draft, factors: list[int]) -> int:
    product = CONSTANT
    for factor in factors:
        if product == CONSTANT:
            product = factor
        else:
            product = draft.add("multiply", {product: 1.0}, {factor: 1.0})
    return product


def products_of_sines(seen: Seen) -> Iterator[Proposal]:
    """Turn sin a · sin b into ½ cos(a - b) - ½ cos(a + b)."""
    arguments = {feature: linear for feature, _, linear in _sines(seen.graph)}
    for feature, first, second in _products(seen.graph):
        if len(first) == len(second) == 1:
            (a, wa), (b, wb) = *first.items(), *second.items()
            if a in arguments and b in arguments:
                draft, terms = Draft(seen.graph), {}
                for sign in (1.0, -1.0):
                    quarter = (math.pi / 2, {CONSTANT: 1.0})
                    z = _sum((1.0, arguments[a]), (-sign, arguments[b]), quarter)
                    terms[draft.add("sin", z)] = 0.5 * sign * wa * wb
                draft.replace(feature, terms)
                yield Proposal("product to sum", draft.freeze())


def swapped_sources(seen: Seen, least: float = 0.9) -> Iterator[Proposal]:
    """Feed one connection from a feature that correlates with its source."""
    correlation = np.abs(_correlation(seen.features))
    for slot, linear in enumerate(seen.graph.slots()):
        for source in linear:
            if source == CONSTANT:
                continue
            near = [int(q) for q in np.argsort(-correlation[source])]
            near = [q for q in near if q != source and correlation[source, q] > least]
            for q in near[:2]:
                draft = Draft(seen.graph)
                by = _regression(seen.features, source, [q])
                draft.replace(source, by, where={slot})
                yield Proposal("swap", draft.freeze())


def _units(graph: Graph) -> range:
    return range(graph.n_inputs, graph.n_features)


def _sines(graph: Graph) -> list[tuple[int, int, Linear]]:
    """Feature, slot and argument of every sine."""
    found, slot = [], 0
    for k, node in enumerate(graph.nodes):
        if node.unit == "sin":
            found.append((graph.n_inputs + k, slot, node.arguments[0]))
        slot += len(node.arguments)
    return found


def _products(graph: Graph) -> Iterator[tuple[int, Linear, Linear]]:
    for k, node in enumerate(graph.nodes):
        if node.unit == "multiply":
            yield graph.n_inputs + k, node.arguments[0], node.arguments[1]


def _replaced(kind: str, graph: Graph, feature: int, by: Linear) -> Proposal:
    draft = Draft(graph)
    draft.replace(feature, by)
    return Proposal(kind, draft.freeze())


def _affine(linear: Linear, factor: float, constant: float) -> Linear:
    return _sum((float(factor), linear), (float(constant), {CONSTANT: 1.0}))


def _sum(*terms: tuple[float, Linear]) -> Linear:
    total: dict[int, float] = {}
    for factor, linear in terms:
        for source, weight in linear.items():
            total[source] = total.get(source, 0.0) + factor * weight
    return {s: w for s, w in total.items() if abs(w) > 1e-12}


def _rms(values: Array) -> float:
    return float(np.sqrt(np.mean(values**2)))


def _correlation(features: Array) -> Array:
    centred: Array = features - features.mean(axis=1, keepdims=True)
    centred /= np.sqrt(np.mean(centred**2, axis=1, keepdims=True)) + 1e-12
    return np.asarray(centred @ centred.T / features.shape[1])


def _regression(features: Array, feature: int, on: list[int]) -> Linear:
    design = np.vstack([np.ones(features.shape[1]), features[on]]).T
    solution = np.linalg.lstsq(design, features[feature], rcond=None)[0]
    return {
        CONSTANT: float(solution[0]),
        **{q: float(w) for q, w in zip(on, solution[1:], strict=True)},
    }


#: Cheap moves, worth trying on every candidate near the noise.
QUICK: tuple[Move, ...] = (
    merged_features,
    difference_quotients,
    small_additions,
    units_in_a_limit,
    cancelled_factors,
    products_of_sines,
)
#: All moves, for the few best candidates.
ALL: tuple[Move, ...] = (
    *QUICK,
    sines_for_units,
    sines_of_half_angles,
    multiplied_out,
    lifted_terms,
    inputs_as_angles,
    bent_sources,
    constant_units,
    imitated_units,
    swapped_sources,
    waves_for_sums,
    added_terms,
    added_waves,
)
_NEW_SINES: tuple[Move, ...] = (
    sines_for_units,
    sines_of_half_angles,
    bent_sources,
    waves_for_sums,
    added_waves,
)


def with_units(units: Container[str]) -> tuple[Move, ...]:
    """All moves that bring in no other units than these."""
    return tuple(move for move in ALL if "sin" in units or move not in _NEW_SINES)

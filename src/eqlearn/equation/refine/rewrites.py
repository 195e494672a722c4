"""Structural moves on sums, products and fractions, and what all moves share.

Each move proposes graphs that compute nearly the same by other means: two nearly equal
features become one, a small term of a denominator goes to the numerator. No move knows
any particular law.
"""

from collections.abc import Iterator

import numpy as np

from eqlearn._types import Array
from eqlearn.equation.refine.hill_climb import Proposal, Seen
from eqlearn.network.draft import Draft
from eqlearn.network.graph import CONSTANT, Graph, Linear


def constant_units(seen: Seen) -> Iterator[Proposal]:
    """Delete a unit: its mean takes its place."""
    for feature in unit_features(seen.graph):
        mean = float(np.mean(seen.features[feature]))
        yield replaced_by("delete", seen.graph, feature, {CONSTANT: mean})


def merged_features(seen: Seen) -> Iterator[Proposal]:
    """Put one feature in the place of another that it correlates with."""
    correlation = correlations(seen.features)
    pairs = [
        (abs(correlation[u, q]), u, q)
        for u in unit_features(seen.graph)
        for q in range(seen.graph.n_features)
        if q != u and abs(correlation[u, q]) > seen.tactics.rewriting.merging
    ]
    for _, u, q in sorted(pairs, reverse=True):
        yield replaced_by("merge", seen.graph, u, regression_on(seen.features, u, [q]))


def imitated_units(seen: Seen) -> Iterator[Proposal]:
    """Put the best one and the best three other features in the place of a unit."""
    correlation = np.abs(correlations(seen.features))
    for u in unit_features(seen.graph):
        others = [int(q) for q in np.argsort(-correlation[u]) if q != u]
        for chosen in (others[:1], others[1:2], others[:3]):
            by = regression_on(seen.features, u, chosen)
            yield replaced_by("imitate", seen.graph, u, by)


def multiplied_out(seen: Seen) -> Iterator[Proposal]:
    """Turn (A + a)(B + b) into AB + bA + aB + ab, and sums of factors into products."""
    for feature, first, second in products_of(seen.graph):
        a, b = first.get(CONSTANT, 0.0), second.get(CONSTANT, 0.0)
        if a or b:
            A = {s: w for s, w in first.items() if s != CONSTANT}
            B = {s: w for s, w in second.items() if s != CONSTANT}
            draft = Draft(seen.graph)
            product = draft.add("multiply", A, B)
            rest = summed(
                (b, A), (a, B), (a * b, {CONSTANT: 1.0}), (1.0, {product: 1.0})
            )
            draft.replace(feature, rest)
            yield Proposal("expand", draft.freeze())
        for factor, other in ((first, second), (second, first)):
            if len(factor) < 2:
                continue
            for source in list(factor)[: seen.tactics.rewriting.n_split]:
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
    sines = [feature for feature, _, _ in sines_of(graph)]
    found = []
    for o, (a, b) in enumerate(graph.outputs):
        size = {s: abs(w) * rms_of(seen.features[s]) for s, w in a.items() if s >= 0}
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
        terms = {s: factors_of(graph, s) for s in {*a, *b}}
        if not terms:
            continue
        shared = set.intersection(*(set(factors) for factors in terms.values()))
        for factor in sorted(shared):
            draft = Draft(graph)
            for part, linear in enumerate((a, b)):
                reduced: dict[int, float] = {}
                for source, weight in linear.items():
                    rest = list(terms[source])
                    rest.remove(factor)
                    product = monomial(draft, rest)
                    reduced[product] = reduced.get(product, 0.0) + weight
                draft.outputs[o][part].clear()
                draft.outputs[o][part].update(reduced)
            yield Proposal("cancel", draft.freeze())


def swapped_sources(seen: Seen) -> Iterator[Proposal]:
    """Feed one connection from a feature that correlates with its source."""
    least = seen.tactics.rewriting.swapping
    correlation = np.abs(correlations(seen.features))
    for slot, linear in enumerate(seen.graph.slots()):
        for source in linear:
            if source == CONSTANT:
                continue
            near = [int(q) for q in np.argsort(-correlation[source])]
            near = [q for q in near if q != source and correlation[source, q] > least]
            for q in near[:2]:
                draft = Draft(seen.graph)
                by = regression_on(seen.features, source, [q])
                draft.replace(source, by, where={slot})
                yield Proposal("swap", draft.freeze())


def factors_of(graph: Graph, source: int) -> list[int]:
    """Write a feature as a product of features that are no plain products."""
    if source == CONSTANT:
        return []
    if source >= graph.n_inputs:
        node = graph.nodes[source - graph.n_inputs]
        is_plain = all([*linear.values()] == [1.0] for linear in node.arguments)
        if node.unit == "multiply" and is_plain:
            return [f for linear in node.arguments for f in factors_of(graph, *linear)]
    return [source]


def monomial(draft: Draft, factors: list[int]) -> int:
    """Add the product of some features to a draft, and return its number."""
    product = CONSTANT
    for factor in factors:
        if product == CONSTANT:
            product = factor
        else:
            product = draft.add("multiply", {product: 1.0}, {factor: 1.0})
    return product


def unit_features(graph: Graph) -> range:
    """The features that are units, not inputs."""
    return range(graph.n_inputs, graph.n_features)


def sines_of(graph: Graph) -> list[tuple[int, int, Linear]]:
    """Feature, slot and argument of every sine."""
    found, slot = [], 0
    for k, node in enumerate(graph.nodes):
        if node.unit == "sin":
            found.append((graph.n_inputs + k, slot, node.arguments[0]))
        slot += len(node.arguments)
    return found


def products_of(graph: Graph) -> Iterator[tuple[int, Linear, Linear]]:
    """Feature and both factors of every product."""
    for k, node in enumerate(graph.nodes):
        if node.unit == "multiply":
            yield graph.n_inputs + k, node.arguments[0], node.arguments[1]


def replaced_by(kind: str, graph: Graph, feature: int, by: Linear) -> Proposal:
    """Propose a graph with a sum in the place of a feature."""
    draft = Draft(graph)
    draft.replace(feature, by)
    return Proposal(kind, draft.freeze())


def affine(linear: Linear, factor: float, constant: float) -> Linear:
    """A sum times a factor, plus a constant."""
    return summed((float(factor), linear), (float(constant), {CONSTANT: 1.0}))


def summed(*terms: tuple[float, Linear]) -> Linear:
    """Sums added up with their weights; what cancels is left out."""
    total: dict[int, float] = {}
    for factor, linear in terms:
        for source, weight in linear.items():
            total[source] = total.get(source, 0.0) + factor * weight
    return {s: w for s, w in total.items() if abs(w) > 1e-12}


def rms_of(values: Array) -> float:
    """The root mean square."""
    return float(np.sqrt(np.mean(values**2)))


def correlations(features: Array) -> Array:
    """The correlation of every two features (F, F)."""
    centred = features - features.mean(axis=1, keepdims=True)
    centred /= np.sqrt(np.mean(centred**2, axis=1, keepdims=True)) + 1e-12
    correlation: Array = centred @ centred.T / features.shape[1]
    return correlation


def regression_on(features: Array, feature: int, on: list[int]) -> Linear:
    """The sum of some features that is nearest to one, by least squares."""
    design = np.vstack([np.ones(features.shape[1]), features[on]]).T
    solution = np.linalg.lstsq(design, features[feature], rcond=None)[0]
    return {
        CONSTANT: float(solution[0]),
        **{q: float(w) for q, w in zip(on, solution[1:], strict=True)},
    }

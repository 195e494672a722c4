"""Waves: sines of anything in a formula, at every frequency, as additions and as parts.

Descent does not find a fast sine: between two of its frequencies the error has hills.
But how well a wave of a given frequency would do is a linear question, so all of them
can be asked at once.
"""

import itertools
from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

import numpy as np

from eqlearn._types import Array
from eqlearn.equation.refine.hill_climb import Proposal, Seen
from eqlearn.equation.refine.tactics import Waves
from eqlearn.network.canonical import compact
from eqlearn.network.draft import Draft
from eqlearn.network.graph import CONSTANT, Graph, Linear
from eqlearn.training.levenberg import PLAIN, Workspace


class _Linearised(NamedTuple):
    """A formula at some of the labelled data, of all targets."""

    features: Array  # (F, N)
    weight: Array  # (N,) of the samples, 1 in all
    effects: Array  # (S, N) derivatives of the residuals by linear combinations
    present: Array  # (N, P) orthonormal basis of what its parameters can change
    left: Array  # (N,) what they leave of the residuals

    def explained_by(self, waves: Array, slot: int) -> tuple[Array, Array, Array]:
        """What waves in a slot would explain, and the weights they would have."""
        rows = waves * self.effects[slot]
        gain, a, b = _explained(rows, self.present, self.left)
        return gain, -a, -b


def _linearised(seen: Seen) -> _Linearised:
    work = Workspace(seen.graph, seen.samples.first(seen.tactics.waves.n_rows))
    work.evaluate(work.parameters(), PLAIN)
    n_targets, n = work.samples.y.shape

    def labelled(rows: Array) -> Array:
        # With the size said: of a formula without parameters there are no rows.
        each = rows.reshape(len(rows), n_targets, work.r.shape[1])[:, :, :n]
        return each.reshape(len(rows), n_targets * n)

    present = np.linalg.qr(labelled(work.jacobian()).T)[0]
    r = work.r[:, :n].ravel()
    weight = np.tile(work.samples.root_weight**2, n_targets)
    return _Linearised(
        np.tile(work.values.features[:, :n], (1, n_targets)),
        weight / weight.sum(),
        labelled(work.by_slots()),
        present,
        r - present @ (present.T @ r),
    )


class _Carrier(NamedTuple):
    """What a wave may be of: a weighted sum, or a product of two."""

    factors: tuple[Linear, ...]
    values: Array
    frequencies: Array  # of its waves, multiples of the first

    def waves(self) -> Array:
        """Cosine and sine, as real and imaginary part, at every frequency."""
        if not len(self.frequencies):
            return np.empty((0, len(self.values)), complex)
        first = np.exp(1j * self.frequencies[0] * self.values)
        every = np.broadcast_to(first, (len(self.frequencies), len(first)))
        return np.multiply.accumulate(every, axis=0)

    def put(self, draft: Draft, frequency: float) -> Linear:
        """The carrier times a frequency, as terms of a draft."""
        if len(self.factors) == 1:
            return {s: frequency * w for s, w in self.factors[0].items()}
        return {draft.add("multiply", *self.factors): frequency}


#: What is inside of a sine: carriers with their frequencies.
_Turns: TypeAlias = tuple[tuple[_Carrier, float], ...]


class _Wave(NamedTuple):
    """A sine with its phase and size."""

    turns: _Turns
    of_sine: float
    of_cosine: float

    def put(self, draft: Draft, slot: int) -> None:
        """Add the wave to a slot."""
        argument = {CONSTANT: float(np.arctan2(self.of_cosine, self.of_sine))}
        for carrier, frequency in self.turns:
            for source, weight in carrier.put(draft, frequency).items():
                argument[source] = argument.get(source, 0.0) + weight
        unit = draft.add("sin", argument)
        draft.slots()[slot][unit] = float(np.hypot(self.of_sine, self.of_cosine))


def added_waves(seen: Seen) -> Iterator[Proposal]:
    """Add the waves with the largest score-test statistic, wherever they help most.

    Tried are waves of every feature and sum in every slot, and of products of two in
    the numerator and denominator.
    """
    by = seen.tactics.waves
    if seen.samples.n_residuals < by.fewest_rows:
        return
    graph, local = seen.graph, _linearised(seen)
    simple = _simple_carriers(graph, local, by)
    tried = [(carrier, range(len(local.effects))) for carrier in simple]
    outputs = _output_slots(graph)
    factors = _most_telling(simple, local, outputs, by)
    tried += [(carrier, outputs) for carrier in _products(factors, local, by)]
    found, n_tried = [], 0
    for carrier, slots in tried:
        frequencies = carrier.frequencies
        if not len(frequencies):
            continue
        waves = carrier.waves()
        for slot in slots:
            n_tried += len(frequencies)
            gain, a, b = local.explained_by(waves, slot)
            k = int(np.argmax(gain))
            turns = ((carrier, float(frequencies[k])),)
            wave = _Wave(turns, float(a[k]), float(b[k]))
            found.append((float(gain[k]), slot, wave))
    yield from _best_of(found, by.n_best, graph, n_tried)


def added_plane_waves(seen: Seen) -> Iterator[Proposal]:
    """Add sines of two things at once to the numerator and the denominator.

    Tried are pairs of features and of products of two inputs, at all pairs of their
    frequencies.
    """
    by = seen.tactics.waves
    if seen.samples.n_residuals < by.fewest_rows:
        return
    graph, local = seen.graph, _linearised(seen)
    outputs = _output_slots(graph)
    features = _simple_carriers(graph, local, by)[: graph.n_features]
    inputs = _most_telling(features[: graph.n_inputs], local, outputs, by)
    both = [*features, *_products(inputs, local, by)]
    carriers = _most_telling(both, local, outputs, by)
    found, n_tried = [], 0
    for slot in outputs:
        to_explain = local.effects[slot] * local.left
        promising, n = _plane_waves(carriers, to_explain, by.n_best)
        n_tried += n
        for turns in promising:
            z = sum(frequency * carrier.values for carrier, frequency in turns)
            gain, a, b = local.explained_by(np.exp(1j * z)[None], slot)
            wave = _Wave(turns, float(a[0]), float(b[0]))
            found.append((float(gain[0]), slot, wave))
    yield from _best_of(found, by.n_best, graph, n_tried)


def _plane_waves(
    carriers: list[_Carrier], to_explain: Array, n_best: int
) -> tuple[list[_Turns], int]:
    """The most promising pairs with their frequencies, and how many were tried.

    All pairs of frequencies are one product of matrices, as long as what is explained
    already is not taken out of the waves.
    """
    scanned = [carrier for carrier in carriers if len(carrier.frequencies)]
    tables = [carrier.waves() for carrier in scanned]
    best: list[tuple[float, _Turns]] = []
    n_tried = 0
    for i, one in enumerate(scanned):
        weighted = tables[i] * to_explain
        for j, other in enumerate(scanned[i + 1 :], start=i + 1):
            for sign, table in ((1.0, tables[j]), (-1.0, tables[j].conj())):
                size = np.abs(weighted @ table.T)
                n_tried += size.size
                k, m = np.unravel_index(int(np.argmax(size)), size.shape)
                turns = (
                    (one, float(one.frequencies[k])),
                    (other, sign * float(other.frequencies[m])),
                )
                best.append((float(size[k, m]), turns))
    best.sort(key=lambda wave: -wave[0])
    return [turns for _, turns in best[:n_best]], n_tried


def _most_telling(
    carriers: list[_Carrier], local: _Linearised, slots: range, by: Waves
) -> list[_Carrier]:
    """All carriers, if they are few; else those whose waves explain most."""
    if len(carriers) <= by.most_paired:
        return carriers
    to_explain = local.effects[slots.start : slots.stop] * local.left

    def explains(carrier: _Carrier) -> float:
        return float(np.abs(carrier.waves() @ to_explain.T).max(initial=0.0))

    sizes = np.array([explains(carrier) for carrier in carriers])
    chosen = np.sort(np.argsort(-sizes, kind="stable")[: by.most_paired])
    return [carriers[i] for i in chosen]


def _best_of(
    found: list[tuple[float, int, _Wave]], n_best: int, graph: Graph, n_tried: int
) -> Iterator[Proposal]:
    """Add the waves that explain most, each to its slot."""
    found.sort(key=lambda one: -one[0])
    for _, slot, wave in found[:n_best]:
        draft = Draft(graph)
        wave.put(draft, slot)
        yield Proposal("wave", draft.freeze(), n_tried)


def _output_slots(graph: Graph) -> range:
    return range(graph.first_output_slot, len(graph.slots()))


def waves_for_sums(seen: Seen) -> Iterator[Proposal]:
    """Put one wave in the place of all terms of a sum that are of the same inputs.

    What grows term by term often ends as a series for something simple.
    """
    graph, local, by = seen.graph, _linearised(seen), seen.tactics.waves
    inside = _inputs_inside(graph)
    carriers = _simple_carriers(graph, local, by)
    scanned = [(carrier, carrier.waves()) for carrier in carriers]
    found: list[tuple[int, float, Graph]] = []
    for slot, linear in enumerate(graph.slots()):
        for group in _groups(linear, inside):
            within = frozenset().union(*(inside[source] for source in group))
            value = sum(linear[source] * local.features[source] for source in group)
            likenesses = [
                one
                for carrier, waves in scanned
                if all(inside[s] <= within for s in carrier.factors[0])
                and carrier.factors[0].keys() != group
                and (one := _alike(value, local.effects[slot], carrier, waves, by))
                is not None
            ]
            likenesses.sort(key=lambda one: one.left_out)
            found += [
                (compact(graph_with).n_parameters, one.left_out, graph_with)
                for one in likenesses[: by.n_alike]
                if one.left_out <= by.left_out
                and (graph_with := _with_wave(graph, slot, group, one)) is not None
            ]
    yield from _both_ends(found, by.n_sums)


def _with_wave(
    graph: Graph, slot: int, group: frozenset[int], one: "_Likeness"
) -> Graph | None:
    """Put a wave and its constant in the place of some terms of a slot."""
    draft = Draft(graph)
    terms = draft.slots()[slot]
    for source in group:
        del terms[source]
    terms[CONSTANT] = terms.get(CONSTANT, 0.0) + one.constant
    one.wave.put(draft, slot)
    return draft.freeze()


def _both_ends(
    found: list[tuple[int, float, Graph]], n_best: int
) -> Iterator[Proposal]:
    """By turns the formula that is shortest and the one that fits best."""
    shortest = sorted(found, key=lambda one: one[:2])
    closest = sorted(found, key=lambda one: one[1])
    proposed: list[Graph] = []
    for one in itertools.chain.from_iterable(zip(closest, shortest, strict=True)):
        if len(proposed) < n_best and not any(one[2] is other for other in proposed):
            proposed.append(one[2])
    for graph in proposed:
        yield Proposal("wave for a sum", graph)


class _Likeness(NamedTuple):
    """A wave and a constant that are nearly the value of a sum."""

    left_out: float  # share of the sum's effect
    wave: _Wave
    constant: float


def _alike(
    value: Array, effect: Array, carrier: _Carrier, waves: Array, by: Waves
) -> _Likeness | None:
    """The wave of a carrier that is most like a value, where that has an effect."""
    frequencies = carrier.frequencies
    size = np.linalg.norm(effect)
    if not len(frequencies) or not size > 0:
        return None
    weight = np.abs(effect) / size  # a constant's effect, of length 1
    target = weight * (value - weight**2 @ value)
    total = float(target @ target)
    if not total > 0:
        return None
    gain, *_ = _explained(waves * weight, weight[:, None], target)
    k = int(np.argmax(gain))
    if 1.0 - gain[k] / total > 2 * by.left_out:  # too much, also between frequencies
        return None
    near = frequencies[k] + frequencies[0] * np.linspace(-0.5, 0.5, 9)
    between = np.exp(1j * np.outer(near, carrier.values))
    gain, a, b = _explained(between * weight, weight[:, None], target)
    k = int(np.argmax(gain))
    nearly = a[k] * between[k].imag + b[k] * between[k].real
    constant = float(weight**2 @ (value - nearly))
    wave = _Wave(((carrier, float(near[k])),), float(a[k]), float(b[k]))
    return _Likeness(1.0 - float(gain[k]) / total, wave, constant)


def _explained(waves: Array, present: Array, left: Array) -> tuple[Array, Array, Array]:
    """How much of what is left each wave explains, and the weights of sine and cosine.

    `present` (N, P) is an orthonormal basis of what is explained already.
    """
    sine, cosine = waves.imag.copy(), waves.real.copy()
    s, c = sine @ present, cosine @ present
    ss = np.einsum("ij,ij->i", sine, sine) - np.einsum("ij,ij->i", s, s)
    cc = np.einsum("ij,ij->i", cosine, cosine) - np.einsum("ij,ij->i", c, c)
    sc = np.einsum("ij,ij->i", sine, cosine) - np.einsum("ij,ij->i", s, c)
    ls, lc = sine @ left, cosine @ left
    determinant = ss * cc - sc**2
    is_usable = determinant > 1e-6 * ss * cc
    determinant = np.where(is_usable, determinant, np.inf)
    a = (cc * ls - sc * lc) / determinant
    b = (ss * lc - sc * ls) / determinant
    gain = a * ls + b * lc
    return np.where(np.isfinite(gain), gain, 0.0), a, b


def _frequencies(values: Array, weight: Array, by: Waves) -> Array:
    extent = np.ptp(values)
    spread = np.sqrt(weight @ (values - weight @ values) ** 2)
    if not (np.isfinite(extent) and extent > 0):
        return np.empty(0)
    step = np.pi / extent
    n = min(int(np.ceil(by.fastest / spread / step)), by.most_frequencies)
    return step * np.arange(1, n + 1)


def _simple_carriers(graph: Graph, local: _Linearised, by: Waves) -> list[_Carrier]:
    """Every feature, and every sum that is fed into something."""
    sums: list[Linear] = [{i: 1.0} for i in range(graph.n_features)]
    for terms in graph.sums():
        if terms not in sums:
            sums.append(terms)
    values = (sum(w * local.features[s] for s, w in terms.items()) for terms in sums)
    return [
        _Carrier((terms,), value, _frequencies(value, local.weight, by))
        for terms, value in zip(sums, values, strict=True)
    ]


def _products(
    carriers: list[_Carrier], local: _Linearised, by: Waves
) -> Iterator[_Carrier]:
    for i, one in enumerate(carriers):
        for other in carriers[i:]:
            factors = (*one.factors, *other.factors)
            values = one.values * other.values
            yield _Carrier(factors, values, _frequencies(values, local.weight, by))


def _inputs_inside(graph: Graph) -> list[frozenset[int]]:
    """The inputs that each feature depends on."""
    inside = [frozenset((i,)) for i in range(graph.n_inputs)]
    for node in graph.nodes:
        sources = {s for linear in node.arguments for s in linear if s != CONSTANT}
        inside.append(frozenset().union(*(inside[s] for s in sources)))
    return inside


def _groups(linear: Linear, inside: list[frozenset[int]]) -> set[frozenset[int]]:
    """Terms of a sum that are of some inputs and no others, for any such inputs."""
    terms = [source for source in linear if source != CONSTANT]
    return {frozenset(s for s in terms if inside[s] <= inside[of]) for of in terms}

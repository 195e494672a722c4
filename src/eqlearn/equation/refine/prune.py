"""Pruning: connections are removed while the information criterion falls.

Which one can go is told by the Optimal Brain Surgeon: at the optimum, removing the
parameters K raises the squared error by about w_K (H⁻¹_KK)⁻¹ w_K once all others have
been readjusted, H being the Gauss-Newton Hessian.
"""

import math
from collections.abc import Iterator

import numpy as np

from eqlearn._types import Array
from eqlearn.equation.refine.criterion import (
    EXACT,
    Scored,
    cost,
    most_parameters,
    refit,
    score,
    sse_to_reach,
)
from eqlearn.network.canonical import canonical
from eqlearn.network.graph import CONSTANT, COSINE, Connection, Graph, sine_slots
from eqlearn.network.kernels import evaluate, tape
from eqlearn.training.levenberg import (
    Samples,
    fit,
    inverse,
    inverse_scale,
    normal_equations,
)

#: How much coarser each pruning is than the one before, in squares.
_COARSER = 1.5
# A sine whose phase is this close to a cosine's is pruned to a cosine, not to a sine.
_NEAR_COSINE = 0.4


def prune(
    graph: Graph,
    samples: Samples,
    *,
    floor: float = EXACT,
    n_first: int = 30,
    n_singles: int = 6,
) -> Scored:
    """Remove connections one batch after another until nothing more can go.

    Each removal is refitted and kept only if the criterion falls, so the result is
    never worse than the graph was. `n_singles` of the cheapest are tried one by one.
    """
    graph = _thinned(canonical(graph, samples.x), samples)
    best = refit(graph, samples, floor=floor, n_iterations=n_first)
    if not math.isfinite(best.bic):
        return best
    failed: set[Connection] = set()
    while True:
        smaller = _remove_some(best, samples, floor, n_singles, failed)
        if smaller is None:
            break
        best, failed = smaller, set()
    graph, sse, _ = fit(
        best.graph, samples, n_iterations=30, tolerance=1e-9, damping=1e-6
    )
    return score(graph, sse, samples, floor)


def cut_back(graph: Graph, samples: Samples, most: int) -> Scored:
    """Prune as if there were more and more noise, until few parameters are left.

    Of a large formula that imitates a law this leaves the terms that matter most, from
    which another may grow. The target is of unit size: more noise there cannot be.
    """
    found = refit(graph, samples)
    floor = found.sse / samples.n_residuals
    while found.graph.n_parameters > most and floor < 1.0:
        floor *= _COARSER
        found = prune(found.graph, samples, floor=floor)
    return refit(found.graph, samples)


def _thinned(graph: Graph, samples: Samples) -> Graph:
    """Drop the smallest terms of a graph with more parameters than data can tell."""
    most = most_parameters(samples.n_residuals)
    while (excess := graph.n_parameters - most) > 0:
        size = np.sqrt(np.mean(evaluate(graph, tape(graph), samples.x)[0] ** 2, axis=1))
        sizes = [*size.tolist(), 1.0]  # the constant's last, where CONSTANT finds it
        slots = graph.slots()
        smallest = sorted(
            graph.parameters(),
            key=lambda key: abs(slots[key[0]][key[1]]) * sizes[key[1]],
        )
        graph = canonical(graph.without(set(smallest[:excess])), samples.x)
    return graph


def _remove_some(
    best: Scored,
    samples: Samples,
    floor: float,
    n_singles: int,
    failed: set[Connection],
) -> Scored | None:
    """Find a removal that lowers the criterion; note single removals that did not."""
    for gone, start in _removals(best, samples, floor, n_singles, failed):
        single = len(gone) == 1
        reduced = canonical(_without(start, gone), samples.x)
        if reduced.is_empty:
            continue
        n = samples.n_residuals
        target = sse_to_reach(best.bic, n, reduced.n_parameters, floor)
        graph, sse, _ = fit(
            reduced,
            samples,
            n_iterations=12,
            tolerance=1e-4,
            target=target if single else None,
        )
        if sse < target:
            return score(graph, sse, samples, floor)
        if single:
            failed |= gone
    return None


def _removals(
    best: Scored,
    samples: Samples,
    floor: float,
    n_singles: int,
    failed: set[Connection],
) -> Iterator[tuple[set[Connection], Graph]]:
    """Yield what to remove, most promising first, with the others readjusted."""
    graph, n = best.graph, samples.n_residuals
    keys = graph.parameters()
    if keys:
        hessian, _, _ = normal_equations(graph, samples)
        slots, cosines = graph.slots(), _near_cosines(graph)
        # How far each parameter is from what its removal would set it to.
        distance = np.array(
            [slots[s][f] - (COSINE if (s, f) in cosines else 0.0) for s, f in keys]
        )
        scale = inverse_scale(hessian)
        inverted = inverse(hessian) / scale[:, None] / scale
        u = distance / scale
        order = np.argsort(u**2 / np.maximum(np.diag(inverted), 1e-300))
        for size in _batch_sizes(best, n, floor, u, inverted, order):
            chosen = order[:size]
            yield (
                {keys[i] for i in chosen},
                _readjusted(graph, u, scale, inverted, chosen),
            )
        singles = [i for i in order if keys[i] not in failed][:n_singles]
        for i in singles:
            moved = _readjusted(graph, u, scale, inverted, np.array([i]))
            yield {keys[i]}, moved
    # Fixed weights are none of the parameters, but their terms can go as well.
    for key in sorted(graph.fixed):
        if key not in failed and _has_other_terms(graph, key):
            yield {key}, graph


def _near_cosines(graph: Graph) -> set[Connection]:
    """Phases so close to a cosine's that removing them means to make it one."""
    slots = graph.slots()
    return {
        (slot, CONSTANT)
        for slot in sine_slots(graph)
        if CONSTANT in slots[slot]
        and abs(slots[slot][CONSTANT] - COSINE) < _NEAR_COSINE
    }


def _without(graph: Graph, gone: set[Connection]) -> Graph:
    """Remove connections; a phase near a cosine's becomes exactly that."""
    cosines = gone & _near_cosines(graph)
    slots = graph.slots()
    for slot, source in cosines:
        slots[slot] = {**slots[slot], source: COSINE}
    return graph.with_slots(slots).without(gone - cosines)


def _has_other_terms(graph: Graph, key: Connection) -> bool:
    slot, source = key
    others = graph.slots()[slot].keys() - {source}
    if slot >= graph.first_output_slot:  # a denominator
        return bool(others)
    # A factor or a cosine needs an input.
    return source != CONSTANT and bool(others - {CONSTANT})


def _batch_sizes(
    best: Scored, n: int, floor: float, u: Array, inverted: Array, order: Array
) -> Iterator[int]:
    """Sizes of joint removals worth trying: the best predicted one, then halves."""
    gains = {}
    for size in (2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64):
        if size > len(order) // 3 + 1 or size >= len(order):
            break
        chosen = order[:size]
        rise = u[chosen] @ np.linalg.solve(inverted[np.ix_(chosen, chosen)], u[chosen])
        before = best.sse / n + floor
        lost = n * math.log1p(max(rise, 0.0) / n / before)
        gains[size] = size * cost(n) - lost
    size = max(gains, key=lambda s: gains[s], default=0)
    if size and gains[size] <= 0:
        size = 0
    while size > 1:
        yield size
        size //= 2


def _readjusted(
    graph: Graph, u: Array, scale: Array, inverted: Array, chosen: Array
) -> Graph:
    """Move all parameters to where the others compensate for the chosen ones best."""
    block = inverted[np.ix_(chosen, chosen)]
    move = -scale * (inverted[:, chosen] @ np.linalg.solve(block, u[chosen]))
    moves = iter(move.tolist())
    weights = [
        w + (0.0 if key in graph.fixed else next(moves))
        for key, w in graph.connections()
    ]
    return graph.with_weights(np.array(weights))

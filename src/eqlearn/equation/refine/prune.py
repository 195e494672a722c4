"""Pruning: connections are removed while the information criterion falls.

Which one can go is told by the Optimal Brain Surgeon: at the optimum, removing the
parameters K raises the squared error by about w_K (H⁻¹_KK)⁻¹ w_K once all others have
been readjusted, H being the Gauss-Newton Hessian.
"""

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from eqlearn._types import Array, Integers
from eqlearn.equation.refine.criterion import Scored, refit, score
from eqlearn.equation.refine.shared_frequencies import tie
from eqlearn.equation.refine.tactics import STANDARD, Tactics
from eqlearn.network.canonical import canonical
from eqlearn.network.graph import CONSTANT, COSINE, Connection, Graph, sine_slots
from eqlearn.network.kernels import evaluate, tape
from eqlearn.training.levenberg import fit, inverse, inverse_scale, normal_equations
from eqlearn.training.samples import Samples


def prune(graph: Graph, samples: Samples, tactics: Tactics = STANDARD) -> Scored:
    """Remove connections one batch after another until nothing more can go.

    Each removal is refitted and kept only if the criterion falls, so the result is
    never worse than the graph was.
    """
    by = tactics.pruning
    graph = _thinned(canonical(graph, samples.x), samples, tactics)
    best = refit(graph, samples, tactics, n_iterations=by.n_first)
    if not math.isfinite(best.bic):
        return best
    failed: set[Connection] = set()
    while True:
        smaller = _remove_some(best, samples, tactics, failed)
        if smaller is None:
            break
        best, failed = smaller, set()
    graph, sse, _ = fit(
        best.graph, samples, n_iterations=by.n_last, tolerance=1e-9, damping=1e-6
    )
    return score(graph, sse, samples, tactics)


def prune_in_stages(
    graph: Graph, samples: Samples, tactics: Tactics = STANDARD
) -> Scored:
    """Prune as if there were noise of several sizes, and keep the best.

    With little or no noise every imitation of a term is worth its parameters; pruning
    that tolerates an error of 1 % first lets it go, and the refit tells whether what
    is left was the formula.
    """
    by, natural = tactics.pruning, prune(graph, samples, tactics)
    candidates = [natural]
    for stage in by.stages:
        if natural.sse / samples.n_residuals < by.below_stage * stage:
            coarse = prune(natural.graph, samples, tactics.tolerating(stage))
            candidates.append(score(coarse.graph, coarse.sse, samples, tactics))
    best = min(candidates, key=lambda candidate: candidate.bic)
    return tie(best, samples, tactics)


def cut_back(
    graph: Graph, samples: Samples, most: int, tactics: Tactics = STANDARD
) -> Scored:
    """Prune as if there were more and more noise, until few parameters are left.

    Of a large formula that imitates a law this leaves the terms that matter most, from
    which another may grow. The target is of unit size: more noise there cannot be.
    """
    found = refit(graph, samples, tactics)
    tolerated = found.sse / samples.n_residuals
    while found.graph.n_parameters > most and tolerated < 1.0:
        tolerated *= tactics.pruning.coarser
        found = prune(found.graph, samples, tactics.tolerating(tolerated))
    return refit(found.graph, samples, tactics)


def _thinned(graph: Graph, samples: Samples, tactics: Tactics) -> Graph:
    """Drop the smallest terms of a graph with more parameters than data can tell."""
    most = tactics.criterion.most_parameters(samples.n_residuals)
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
    best: Scored, samples: Samples, tactics: Tactics, failed: set[Connection]
) -> Scored | None:
    """Find a removal that lowers the criterion; note single removals that did not."""
    by, criterion = tactics.pruning, tactics.criterion
    for gone, start in _removals(best, samples, tactics, failed):
        single = len(gone) == 1
        reduced = canonical(_without(start, gone, by.near_cosine), samples.x)
        if reduced.is_empty:
            continue
        n = samples.n_residuals
        target = criterion.sse_to_reach(
            best.bic, n, reduced.n_parameters, criterion.charge(reduced)
        )
        graph, sse, _ = fit(
            reduced,
            samples,
            n_iterations=by.n_iterations,
            tolerance=by.tolerance,
            target=target if single else None,
        )
        if sse < target:
            return score(graph, sse, samples, tactics)
        if single:
            failed |= gone
    return None


def _removals(
    best: Scored, samples: Samples, tactics: Tactics, failed: set[Connection]
) -> Iterator[tuple[set[Connection], Graph]]:
    """Yield what to remove, most promising first, with the others readjusted."""
    graph, keys = best.graph, best.graph.parameters()
    if keys:
        at = _optimum(graph, samples, tactics.pruning.near_cosine)
        for size in _batch_sizes(best, samples.n_residuals, tactics, at):
            chosen = at.order[:size]
            yield {keys[i] for i in chosen}, at.readjusted(graph, chosen)
        singles = [i for i in at.order if keys[i] not in failed]
        for i in singles[: tactics.pruning.n_singles]:
            yield {keys[i]}, at.readjusted(graph, np.array([i]))
    # Fixed weights are none of the parameters, but their terms can go as well.
    for key in sorted(graph.fixed):
        if key not in failed and _has_other_terms(graph, key):
            yield {key}, graph


class _Optimum(NamedTuple):
    """The neighbourhood of a fitted graph, in parameters of equal curvature."""

    u: Array  # (P,) how far each is from what its removal would set it to
    scale: Array  # (P,) of the parameters
    inverted: Array  # (P, P) inverse of the Hessian
    order: Integers  # (P,) the cheapest removal first

    def rise(self, chosen: Integers) -> float:
        """By how much the squared error rises without the chosen ones, about."""
        block = self.inverted[np.ix_(chosen, chosen)]
        return float(self.u[chosen] @ np.linalg.solve(block, self.u[chosen]))

    def readjusted(self, graph: Graph, chosen: Integers) -> Graph:
        """Move all parameters to where the others compensate for the chosen ones."""
        block = self.inverted[np.ix_(chosen, chosen)]
        solved = np.linalg.solve(block, self.u[chosen])
        moves = iter((-self.scale * (self.inverted[:, chosen] @ solved)).tolist())
        weights = [
            w + (0.0 if key in graph.fixed else next(moves))
            for key, w in graph.connections()
        ]
        return graph.with_weights(np.array(weights))


def _optimum(graph: Graph, samples: Samples, near_cosine: float) -> _Optimum:
    hessian, _, _ = normal_equations(graph, samples)
    slots, cosines = graph.slots(), _near_cosines(graph, near_cosine)
    distance = np.array(
        [
            slots[s][f] - (COSINE if (s, f) in cosines else 0.0)
            for s, f in graph.parameters()
        ]
    )
    scale = inverse_scale(hessian)
    inverted = inverse(hessian) / scale[:, None] / scale
    u = distance / scale
    order = np.argsort(u**2 / np.maximum(np.diag(inverted), 1e-300))
    return _Optimum(u, scale, inverted, order)


def _near_cosines(graph: Graph, near: float) -> set[Connection]:
    """Phases so close to a cosine's that removing them means to make it one."""
    slots = graph.slots()
    return {
        (slot, CONSTANT)
        for slot in sine_slots(graph)
        if CONSTANT in slots[slot] and abs(slots[slot][CONSTANT] - COSINE) < near
    }


def _without(graph: Graph, gone: set[Connection], near_cosine: float) -> Graph:
    """Remove connections; a phase near a cosine's becomes exactly that."""
    cosines = gone & _near_cosines(graph, near_cosine)
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


def _batch_sizes(best: Scored, n: int, tactics: Tactics, at: _Optimum) -> Iterator[int]:
    """Sizes of joint removals worth trying: the best predicted one, then halves."""
    criterion, gains = tactics.criterion, {}
    for size in tactics.pruning.batches:
        if size > len(at.order) // 3 + 1 or size >= len(at.order):
            break
        before = best.sse / n + criterion.exact
        rise = max(at.rise(at.order[:size]), 0.0)
        lost = criterion.n_counted(n) * math.log1p(rise / n / before)
        gains[size] = size * criterion.cost(n) - lost
    size = max(gains, key=lambda s: gains[s], default=0)
    if size and gains[size] <= 0:
        size = 0
    while size > 1:
        yield size
        size //= 2

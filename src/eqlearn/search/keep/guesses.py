"""Formulas that are given from the start: fitted, pruned, and put into the pool."""

from collections.abc import Iterator, Sequence

from eqlearn.equation.refine.criterion import Scored, refit
from eqlearn.equation.refine.prune import prune_in_stages
from eqlearn.network.canonical import canonical
from eqlearn.network.graph import Graph
from eqlearn.network.transform import rescaled, to_origins
from eqlearn.search.keep.pool import Pool
from eqlearn.search.task import Task, numerical_context
from eqlearn.training.samples import Samples

#: Of all guesses, those that fit best are fitted to the end, and the very best pruned:
#: a formula with free letters begins at dozens of places, most of which lead nowhere.
N_FITTED, N_PRUNED = 8, 3
_N_STEPS = 200
#: Steps of a fit of letters alone, which are few.
_N_OF_LETTERS = 30


def put_guesses(pool: Pool, guesses: Sequence[Graph]) -> None:
    """Put what guesses come to into a pool; no attempt has found them, so no votes."""
    if not guesses:
        return
    task = pool.task
    with numerical_context(task):
        data = task.search_rows()
        begun = [one for graph in guesses for one in _begun(graph, task, data)]
        ranked = _distinct(begun, pool)[:N_FITTED]
        fitted = [
            refit(one.graph, data, task.tactics, n_iterations=_N_STEPS)
            for one in ranked
        ]
        fitted.sort(key=lambda one: one.bic)
        pruned = [
            prune_in_stages(one.graph, data, task.tactics) for one in fitted[:N_PRUNED]
        ]
        for found in (*fitted, *pruned):
            pool.add(found, votes=0)


def _begun(graph: Graph, task: Task, data: Samples) -> Iterator[Scored]:
    """What a guess comes to: as it is written, from there on, and all free at once.

    What is given in a formula, like the numbers inside of an arc cosine, is soon lost
    in a fit whose letters are far off. Nor need it be pruned back if it is right.
    """
    begun = to_origins(graph, task.origins)
    scaled = rescaled(begun, 1.0 / task.x_scale, [1.0 / task.y_scale])
    if scaled.fixed:
        held = refit(scaled, data, task.tactics, n_iterations=_N_OF_LETTERS)
        yield held
        yield refit(canonical(held.graph, data.x), data, task.tactics)
    yield refit(canonical(scaled, data.x), data, task.tactics)


def _distinct(begun: Sequence[Scored], pool: Pool) -> list[Scored]:
    """Those that differ, the best first; starts that lead to one place count once."""
    found: list[Scored] = []
    same = pool.task.strategy.pooling.same
    # What has no value on the data cannot be ranked.
    for one in sorted((b for b in begun if b.bic == b.bic), key=lambda b: b.bic):
        if all(abs(one.bic - other.bic) > same for other in found):
            found.append(one)
    return found

"""Attempts that begin with a formula of the pool and let it grow."""

from typing import Any

from eqlearn.equation.criterion import Scored, refit
from eqlearn.equation.grow import ALL_ADDITIONS, FEW_ADDITIONS, Growth, grow
from eqlearn.network.document import from_document, to_document
from eqlearn.network.graph import Graph
from eqlearn.search.jobs import Job, Specification, Step, Stopwatch, read, written
from eqlearn.search.task import (
    N_SEARCH,
    Task,
    computing,
    pruned_in_stages,
    scored,
    scored_from,
)

#: A formula that has not become better by this factor, in squares, is the one it was.
BETTER = 4.0


def growth_job(target: int, index: int, start: Graph, with_planes: bool) -> Job:
    """Grow a formula, in the place of the batch of attempts with this index."""
    specification = {"graph": to_document(start), "planes": with_planes}
    return Job(f"y{target + 1}/grow/{index}", growth, specification, str(target))


def growth(task: Task, specification: Specification, state: bytes | None) -> Step:
    """Grow for the length of a segment."""
    watch = Stopwatch()
    with computing(task):
        start = from_document(specification["graph"])
        # Far points tell formulas apart; while one is still wrong they only mislead.
        data = task.near().rows(N_SEARCH)
        begun = refit(start, data)
        at = Growth(begun, begun) if state is None else _growth_from(read(state))
        additions = ALL_ADDITIONS if specification["planes"] else FEW_ADDITIONS
        at = grow(at, data, additions, is_over=watch.is_over)
        if not at.is_done:
            return Step(written(_document(at)), False)
        found = pruned_in_stages(at.best.graph, task.rows(N_SEARCH))
    # A formula that stayed what it was is no second witness of itself.
    is_new = BETTER * at.best.sse < begun.sse
    return Step(written(scored(found) if is_new else None), True)


def grown_in(state: bytes | None) -> Scored | None:
    """What a formula has grown to; None if it is no other, or time was up before."""
    document = None if state is None else read(state)
    if document is None or "best" in document:
        return None
    return scored_from(document)


def _document(at: Growth) -> dict[str, Any]:
    return {**at._asdict(), "present": scored(at.present), "best": scored(at.best)}


def _growth_from(document: dict[str, Any]) -> Growth:
    return Growth(**document)._replace(
        present=scored_from(document["present"]), best=scored_from(document["best"])
    )

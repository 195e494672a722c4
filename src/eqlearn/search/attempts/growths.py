"""Attempts that begin with a formula of the pool and let it grow."""

from typing import Any

from eqlearn.equation.refine.criterion import Scored, refit
from eqlearn.equation.refine.grow import ALL_ADDITIONS, FEW_ADDITIONS, Growth, grow
from eqlearn.equation.refine.prune import cut_back
from eqlearn.jobs.job import Job, Specification, Step, Stopwatch, read, written
from eqlearn.network.document import from_document, to_document
from eqlearn.network.graph import Graph
from eqlearn.search.task import (
    Task,
    computing,
    pruned_in_stages,
    scored,
    scored_from,
)
from eqlearn.training.samples import Samples

#: A formula that has not become better by this factor, in squares, is the one it was.
BETTER = 4.0
#: Parameters of a formula that grows as it is; a larger one is first cut back to these.
MOST_PARAMETERS = 25
CUT_BACK_TO = 20


def growth_job(target: int, index: int, start: Graph, with_planes: bool) -> Job:
    """Grow a formula, in the place of the batch of attempts with this index."""
    specification = {"graph": to_document(start), "planes": with_planes}
    return Job(f"y{target + 1}/grow/{index}", growth, specification, str(target))


def growth(task: Task, specification: Specification, state: bytes | None) -> Step:
    """Grow for the length of a segment."""
    watch = Stopwatch()
    with computing(task):
        # Far points tell formulas apart; while one is still wrong they only mislead.
        data = task.near().compared()
        if state is None:
            begun = _begun(from_document(specification["graph"]), data)
            first_sse, at = begun.sse, Growth(begun, begun)
        else:
            first_sse, at = _growth_from(read(state))
        additions = ALL_ADDITIONS if specification["planes"] else FEW_ADDITIONS
        at = grow(at, data, additions, is_over=watch.is_over)
        if not at.is_done:
            return Step(written(_document(first_sse, at)), False)
        found = pruned_in_stages(at.best.graph, task.compared())
    # A formula that stayed what it was is no second witness of itself.
    is_new = BETTER * at.best.sse < first_sse
    return Step(written(scored(found) if is_new else None), True)


def _begun(start: Graph, data: Samples) -> Scored:
    if start.n_parameters > MOST_PARAMETERS:
        return cut_back(start, data, CUT_BACK_TO)
    return refit(start, data)


def grown_in(state: bytes | None) -> Scored | None:
    """What a formula has grown to; None if it is no other, or time was up before."""
    document = None if state is None else read(state)
    if document is None or "best" in document:
        return None
    return scored_from(document)


def _document(first_sse: float, at: Growth) -> dict[str, Any]:
    formulas = {"present": scored(at.present), "best": scored(at.best)}
    return {**at._asdict(), **formulas, "first_sse": first_sse}


def _growth_from(document: dict[str, Any]) -> tuple[float, Growth]:
    first_sse = document.pop("first_sse")
    formulas = {name: scored_from(document[name]) for name in ("present", "best")}
    return first_sse, Growth(**{**document, **formulas})

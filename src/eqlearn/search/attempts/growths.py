"""Attempts that begin with a formula of the pool and let it grow."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from eqlearn._types import Array
from eqlearn.equation.refine.criterion import Scored, refit
from eqlearn.equation.refine.grow import Growth, grow
from eqlearn.equation.refine.moves import ALL_ADDITIONS, FEW_ADDITIONS
from eqlearn.equation.refine.prune import cut_back, prune_in_stages
from eqlearn.jobs.codec import from_bytes, to_bytes
from eqlearn.jobs.job import Job, Specification, Step, Stopwatch
from eqlearn.network.document import from_document, to_document
from eqlearn.network.graph import Graph
from eqlearn.search.strategy import Growths
from eqlearn.search.task import Task, numerical_context
from eqlearn.training.samples import Samples


@dataclass(frozen=True)
class GrowthSeeds:
    """The formulas that grow instead of batches of attempts, by index of the batch."""

    sown: tuple[tuple[int, Graph], ...] = ()

    def is_turn(self, index: int, by: Growths) -> bool:
        """Whether a formula grows in the place of this batch, if there is one."""
        return index >= by.before and index % by.of_batches in by.turns

    def at(self, index: int) -> Graph | None:
        """The formula that grows in the place of this batch."""
        return dict(self.sown).get(index)

    def sow(self, index: int, seed: Graph) -> "GrowthSeeds":
        """Let a formula grow in the place of this batch."""
        others = tuple(one for one in self.sown if one[0] != index)
        return GrowthSeeds((*others, (index, seed)))

    def next_seed(
        self, index: int, formulas: Sequence[Graph], data: Samples, by: Growths
    ) -> Graph | None:
        """The best formula of the size whose turn it is that was not tried yet.

        If there is one that differs from all that were, by a share of its error, it is
        that one: the others would grow to the same.
        """
        sown = [graph for i, graph in self.sown if i != index]
        least, most = by.seed_sizes[len(sown) // 2 % len(by.seed_sizes)]
        unsown = [
            graph
            for graph in formulas
            if graph.n_parameters <= by.largest
            and not any(graph is other for other in sown)
        ]
        new = [graph for graph in unsown if least <= graph.n_parameters <= most]
        new = new or unsown
        with np.errstate(all="ignore"):
            before = [_values(graph, data) for graph in sown]
            different = (g for g in new if _is_different(g, before, data, by))
            return next(different, new[0] if new else None)


def _is_different(
    graph: Graph, before: list[Array], data: Samples, by: Growths
) -> bool:
    """Whether a formula would grow from elsewhere than those with these values."""
    weight, values = data.root_weight**2, _values(graph, data)
    least = by.different**2 * (weight @ (values - data.y[0]) ** 2)
    return all(weight @ (values - other) ** 2 > least for other in before)


def _values(graph: Graph, data: Samples) -> Array:
    """What a formula says of the data that attempts are compared on (N,)."""
    return graph.evaluate(data.labelled.T)[0][:, 0]


def growth_job(target: int, index: int, start: Graph, with_planes: bool) -> Job:
    """Grow a formula, in the place of the batch of attempts with this index."""
    specification = {"graph": to_document(start), "planes": with_planes}
    return Job(f"y{target + 1}/grow/{index}", growth, specification, str(target))


def growth(task: Task, specification: Specification, state: bytes | None) -> Step:
    """Grow for the length of a segment."""
    watch, tactics = Stopwatch(), task.tactics
    with numerical_context(task):
        # Far points tell formulas apart; while one is still wrong they only mislead.
        data = task.near().search_rows()
        if state is None:
            begun = _begun(task, from_document(specification["graph"]), data)
            first_sse, at = begun.sse, Growth(begun, begun)
        else:
            document = from_bytes(state)
            first_sse = document.pop("first_sse")
            at = Growth.from_document(document)
        additions = ALL_ADDITIONS if specification["planes"] else FEW_ADDITIONS
        at = grow(at, data, additions, tactics, is_over=watch.is_over)
        if not at.is_done:
            document = {**at.to_document(), "first_sse": first_sse}
            return Step(to_bytes(document), False)
        found = prune_in_stages(at.best.graph, task.search_rows(), tactics)
    # A formula that stayed what it was is no second witness of itself.
    is_new = task.strategy.growths.better * at.best.sse < first_sse
    return Step(to_bytes(found.to_document() if is_new else None), True)


def _begun(task: Task, start: Graph, data: Samples) -> Scored:
    by = task.strategy.growths
    if start.n_parameters > by.most_parameters:
        return cut_back(start, data, by.cut_back_to, task.tactics)
    return refit(start, data, task.tactics)


def grown_in(state: bytes | None) -> Scored | None:
    """What a formula has grown to; None if it is no other, or time was up before."""
    document = None if state is None else from_bytes(state)
    if document is None or "best" in document:
        return None
    return Scored.from_document(document)

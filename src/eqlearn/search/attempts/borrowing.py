"""Targets of one table often share units and denominators: one lends to the others.

With the lender's denominator b and units φ fixed, y = Σ aₖφₖ / b is linear in a.
"""

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TypeAlias

import numpy as np

from eqlearn._types import Array
from eqlearn.equation.refine.criterion import Scored, refit
from eqlearn.equation.refine.prune import prune_in_stages
from eqlearn.equation.refine.tactics import Criterion
from eqlearn.jobs.codec import from_bytes, to_bytes
from eqlearn.jobs.job import Job, Specification, Stage, Step
from eqlearn.network.document import from_document, to_document
from eqlearn.network.graph import CONSTANT, Graph, Node
from eqlearn.search.strategy import Borrowing
from eqlearn.search.task import Task, numerical_context
from eqlearn.training.levenberg import mean_square
from eqlearn.training.rational import Library
from eqlearn.training.samples import Samples


@dataclass
class Lending:
    """What a target has to offer: its best formula after each round of attempts."""

    offers: list[Graph] = field(default_factory=list)
    is_settled: bool = False  # whether there will be no more rounds
    refined: Graph | None = None  # at last

    def is_ready(self, number: int) -> bool:
        """Whether it is known what there is after this round."""
        return self.is_settled or len(self.offers) > number

    def offer(self, number: int) -> Graph:
        """The best formula after this round, or after the last one before."""
        return self.offers[min(number, len(self.offers) - 1)]

    def has_news(self, number: int) -> bool:
        """Whether this round has changed the offer."""
        return number == 0 or self.offer(number) != self.offer(number - 1)


#: Numbers of targets, and what they have to offer.
Offers: TypeAlias = list[tuple[int, Graph]]


def loans(
    target: int,
    residual: float,
    criterion: Criterion,
    offers: Callable[[], Offers],
    take: Callable[[Scored], None],
    *,
    is_ready: Callable[[], bool],
    share: float,
) -> Stage:
    """Try what other targets offer, once all of it is there, and take what it gives.

    `residual` is the mean squared one of the target's best formula so far.
    """

    def job(index: int) -> Job | None:
        useful = [offer for offer in offers() if offer[1].nodes]
        if residual < criterion.nothing_left or index >= len(useful):
            return None
        return borrow_job(target, *useful[index], residual)

    def take_state(index: int, state: bytes | None) -> bool:
        del index
        if (found := borrowed(state)) is not None:
            take(found)
        return False

    return Stage(job, take_state, share=share, is_ready=is_ready)


def borrow_job(target: int, lender: int, graph: Graph, residual: float) -> Job:
    """Try for one target what was found for another.

    `residual` is the mean squared one of the best formula so far.
    """
    specification = {"graph": to_document(graph), "residual": residual}
    name = f"y{target + 1}/borrow/y{lender + 1}"
    return Job(name, borrow, specification, str(target))


def borrow(task: Task, specification: Specification, state: bytes | None) -> Step:
    """Fit a numerator of the lender's units over its denominator, and prune it."""
    del state
    strategy, tactics = task.strategy, task.tactics
    choose = partial(step_by_step, by=strategy.borrowing, criterion=tactics.criterion)
    most = strategy.fractions.hopeless * specification["residual"]
    with numerical_context(task):
        lender = from_document(specification["graph"])
        few, many = task.search_rows(), task.rows(strategy.rows.prune)
        starts = [
            (numerator_over(lender, few, strategy.borrowing), few),
            (numerator_over(lender, many, strategy.borrowing, choose), many),
        ]
        found = [
            refit(prune_in_stages(start, data, tactics).graph, many, tactics)
            for start, data in starts
            if start is not None and mean_square(start, few) <= most
        ]
        best = min(found, key=lambda one: one.bic, default=None)
        # Others of the pool are judged by few rows.
        lent = best and refit(best.graph, few, tactics).to_document()
    return Step(to_bytes(lent), True)


def borrowed(state: bytes | None) -> Scored | None:
    """What a job found, if anything."""
    document = None if state is None else from_bytes(state)
    return None if document is None else Scored.from_document(document)


def numerator_over(
    lender: Graph,
    data: Samples,
    by: Borrowing,
    choose: Callable[[Array, Array], list[int]] | None = None,
) -> Graph | None:
    """The least-squares fit of inputs, lent units and products of both, over lent b.

    None if there are too many of them, or if b vanishes somewhere. `choose` picks some
    of their values (K, N) for a target (N,); by default all that are independent.
    """
    nodes, features = list(lender.nodes), [CONSTANT, *range(lender.n_features)]
    if len(features) * (len(features) + 1) // 2 > by.most_features:
        return None
    for i, j in itertools.combinations_with_replacement(features[1:], 2):
        nodes.append(Node("multiply", ({i: 1.0}, {j: 1.0})))
        features.append(lender.n_inputs + len(nodes) - 1)
    below = lender.outputs[0][1]
    lib = Library(lender.n_inputs, tuple(nodes), tuple(features), tuple(below))
    y = data.y[0] * data.root_weight
    above, parts = lib.columns(data.labelled)
    b = np.array(list(below.values())) @ parts
    if np.abs(b).min() == 0:
        return None
    columns = above / b * data.root_weight
    if not np.all(np.isfinite(columns)):
        return None
    kept = _independent(columns, by) if choose is None else choose(columns, y)
    a = np.linalg.lstsq(columns[kept].T, y, rcond=1e-12)[0]
    numerator = {features[k]: float(w) for k, w in zip(kept, a, strict=True)}
    return lib.graph(numerator, below)


def step_by_step(
    columns: Array, y: Array, by: Borrowing, criterion: Criterion
) -> list[int]:
    """Rows that explain most, one after the other, as long as each is worth its cost.

    Where noise hides what tells features apart, these are more often the right ones
    than what pruning leaves of all: everything lent is exact while they are chosen.
    """
    kept: list[int] = []
    rest, left = columns.copy(), y.copy()
    size = np.einsum("kn,kn->k", columns, columns)
    sse = float(left @ left)
    while sse > 0 and len(kept) < by.most_chosen:
        norm = np.einsum("kn,kn->k", rest, rest)
        usable = norm > by.dependent**2 * size
        gain = np.where(usable, (rest @ left) ** 2 / np.where(usable, norm, 1.0), 0.0)
        k = int(np.argmax(gain))
        won = criterion.n_counted(len(y)) * -np.log1p(-min(gain[k] / sse, 1 - 1e-15))
        if won < criterion.cost(len(y)):
            break
        kept.append(k)
        direction = rest[k] / np.sqrt(norm[k])
        left = left - direction * (direction @ left)
        rest -= np.outer(rest @ direction, direction)
        sse = float(left @ left)
    return kept


def _independent(columns: Array, by: Borrowing) -> list[int]:
    """Rows that those before do not explain, by Gram and Schmidt."""
    kept: list[int] = []
    basis = np.empty((0, columns.shape[1]))
    for k, column in enumerate(columns):
        size = np.linalg.norm(column)
        rest = column - basis.T @ (basis @ column)
        rest -= basis.T @ (basis @ rest)  # twice is enough
        left = np.linalg.norm(rest)
        if left > by.dependent * size:
            kept.append(k)
            basis = np.vstack([basis, rest / left])
    return kept

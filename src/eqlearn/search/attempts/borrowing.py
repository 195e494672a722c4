"""Targets of one table often share units and denominators: one lends to the others.

With the lender's denominator b and units φ fixed, y = Σ aₖφₖ / b is linear in a.
"""

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from eqlearn._types import Array
from eqlearn.equation.refine.criterion import Scored, cost, refit
from eqlearn.jobs.job import Job, Specification, Stage, Step, read, written
from eqlearn.network.document import from_document, to_document
from eqlearn.network.graph import CONSTANT, Graph, Node
from eqlearn.search.attempts.feature_fractions import HOPELESS, mean_square
from eqlearn.search.task import (
    N_PRUNE,
    Task,
    computing,
    is_exact,
    pruned_in_stages,
    scored,
    scored_from,
)
from eqlearn.training.rational import Library
from eqlearn.training.samples import Samples

#: With more features than this pruning takes too long.
MOST_FEATURES = 200
#: A feature that those before explain but for this share of its size is left out:
#: nearly equal ones get huge weights of opposite signs, which pruning cannot undo.
DEPENDENT = 1e-2
#: Features that are chosen one after the other, at most.
MOST_CHOSEN = 20


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
    own: Scored,
    data: Samples,
    offers: Callable[[], Offers],
    take: Callable[[Scored], None],
    *,
    is_ready: Callable[[], bool],
    share: float,
) -> Stage:
    """Try what other targets offer, once all of it is there, and take what it gives.

    `own` is the target's best formula so far, with its error on the data.
    """
    known = own.sse / data.n_residuals

    def job(index: int) -> Job | None:
        useful = [offer for offer in offers() if offer[1].nodes]
        if is_exact(own, data) or index >= len(useful):
            return None
        return borrow_job(target, *useful[index], known)

    def take_state(index: int, state: bytes | None) -> bool:
        del index
        if (found := borrowed(state)) is not None:
            take(found)
        return False

    return Stage(job, take_state, share=share, is_ready=is_ready)


def borrow_job(target: int, lender: int, graph: Graph, known: float) -> Job:
    """Try for one target what was found for another.

    `known` is the mean squared residual of the best formula so far.
    """
    specification = {"graph": to_document(graph), "known": known}
    name = f"y{target + 1}/borrow/y{lender + 1}"
    return Job(name, borrow, specification, str(target))


def borrow(task: Task, specification: Specification, state: bytes | None) -> Step:
    """Fit a numerator of the lender's units over its denominator, and prune it."""
    del state
    with computing(task):
        lender = from_document(specification["graph"])
        few, many = task.compared(), task.rows(N_PRUNE)
        starts = [
            (numerator_over(lender, few), few),
            (numerator_over(lender, many, step_by_step), many),
        ]
        found = [
            refit(pruned_in_stages(start, data).graph, many)
            for start, data in starts
            if start is not None
            and mean_square(start, few) <= HOPELESS * specification["known"]
        ]
        best = min(found, key=lambda one: one.bic, default=None)
        # Others of the pool are judged by few rows.
        lent = None if best is None else scored(refit(best.graph, few))
    return Step(written(lent), True)


def borrowed(state: bytes | None) -> Scored | None:
    """What a job found, if anything."""
    document = None if state is None else read(state)
    return None if document is None else scored_from(document)


def numerator_over(
    lender: Graph,
    data: Samples,
    choose: Callable[[Array, Array], list[int]] | None = None,
) -> Graph | None:
    """The least-squares fit of inputs, lent units and products of both, over lent b.

    None if there are too many of them, or if b vanishes somewhere. `choose` picks some
    of their values (K, N) for a target (N,); by default all that are independent.
    """
    nodes, features = list(lender.nodes), [CONSTANT, *range(lender.n_features)]
    if len(features) * (len(features) + 1) // 2 > MOST_FEATURES:
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
    kept = _independent(columns) if choose is None else choose(columns, y)
    a = np.linalg.lstsq(columns[kept].T, y, rcond=1e-12)[0]
    numerator = {features[k]: float(w) for k, w in zip(kept, a, strict=True)}
    return lib.graph(numerator, below)


def step_by_step(columns: Array, y: Array) -> list[int]:
    """Rows that explain most, one after the other, as long as each is worth its cost.

    Where noise hides what tells features apart, these are more often the right ones
    than what pruning leaves of all: everything lent is exact while they are chosen.
    """
    kept: list[int] = []
    rest, left = columns.copy(), y.copy()
    size = np.einsum("kn,kn->k", columns, columns)
    sse = float(left @ left)
    while sse > 0 and len(kept) < MOST_CHOSEN:
        norm = np.einsum("kn,kn->k", rest, rest)
        usable = norm > DEPENDENT**2 * size
        gain = np.where(usable, (rest @ left) ** 2 / np.where(usable, norm, 1.0), 0.0)
        k = int(np.argmax(gain))
        if len(y) * -np.log1p(-min(gain[k] / sse, 1 - 1e-15)) < cost(len(y)):
            break
        kept.append(k)
        direction = rest[k] / np.sqrt(norm[k])
        left = left - direction * (direction @ left)
        rest -= np.outer(rest @ direction, direction)
        sse = float(left @ left)
    return kept


def _independent(columns: Array) -> list[int]:
    """Rows that those before do not explain, by Gram and Schmidt."""
    kept: list[int] = []
    basis = np.empty((0, columns.shape[1]))
    for k, column in enumerate(columns):
        size = np.linalg.norm(column)
        rest = column - basis.T @ (basis @ column)
        rest -= basis.T @ (basis @ rest)  # twice is enough
        left = np.linalg.norm(rest)
        if left > DEPENDENT * size:
            kept.append(k)
            basis = np.vstack([basis, rest / left])
    return kept

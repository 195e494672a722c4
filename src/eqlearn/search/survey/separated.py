"""Laws that fall apart into laws of fewer inputs each, which are looked for one by one.

Where the target is a sum or a product of a function of some inputs and one of the rest,
or has an offset and a slope that vary with some, each of these functions is a law in a
table of fewer inputs. All of them together are then fitted to the target.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from eqlearn._types import Array
from eqlearn.equation.refine.criterion import Scored
from eqlearn.equation.refine.prune import prune_in_stages
from eqlearn.network.canonical import canonical
from eqlearn.network.draft import Draft
from eqlearn.network.graph import CONSTANT, Graph
from eqlearn.search.attempts.input_views import View
from eqlearn.search.attempts.links import put_in, quotient, softened
from eqlearn.search.attempts.monomials import ONE, product, weighted_sum
from eqlearn.search.attempts.simple_powers import with_simple_powers
from eqlearn.search.smooth.smooth_splits import Group, SmoothSplit, Way, splits
from eqlearn.search.survey.looks import fractions, looks_at, power_laws, views_of
from eqlearn.search.task import Task


def separated(view: View, task: Task) -> Iterator[Scored]:
    """Laws made of laws of fewer variables than a view has."""
    data = task.search_rows()
    seen = view.of(task).first(data.n_labelled)
    for split in splits(seen.search_rows(), task.strategy.separation):
        # A product is one through every link that is a power: once is enough.
        if view.link is not None and split.way is Way.PRODUCT:
            continue
        for graph in _composed(split, seen):
            full = canonical(view.composed(graph, len(data.x)), data.x)
            found = prune_in_stages(full, data, task.tactics)
            yield with_simple_powers(found, data, task.tactics)


#: A formula, and the variables that its inputs are.
_Part = tuple[Graph, Group]


def _composed(split: SmoothSplit, seen: Task) -> Iterator[Graph]:
    """Formulas of all parts in one: each part is what those before it leave."""
    look = _Parts(split, seen)
    one = np.ones_like(split.a)
    if split.way is Way.SUM:
        for a in look.laws(split.first, split.b, one, split.a):
            # The smooth sum has its constant anywhere; that of the law is in the rest.
            a = _without_constant(a)
            known = look.values(a)
            rest = split.b + np.mean(split.a - known)
            for b in look.laws(split.second, known, one, rest):
                yield _together([[a], [b]], seen.x.shape[1])
        return
    for b in look.laws(split.second, split.start, split.a, split.b):
        if split.way is Way.VARYING:
            yield from _with_varying(look, b)
            continue
        for a in look.laws(split.first, split.start, look.values(b), split.a):
            yield _together([[a, b]], seen.x.shape[1], float(split.start[0]))


def _with_varying(look: "_Parts", b: _Part) -> Iterator[Graph]:
    """Formulas whose slope by `b` and whose start are laws of the other inputs."""
    split, one = look.split, np.ones_like(look.split.a)
    b = _without_constant(b)
    factor = look.values(b)
    # A constant in b is a part of the start: the slope times it.
    start = split.start + split.a * np.mean(split.b - factor)
    for a in look.laws(split.first, start, factor, split.a):
        for s in look.laws(split.first, look.values(a) * factor, one, start):
            yield _together([[a, b], [s]], look.seen.x.shape[1])


@dataclass(frozen=True)
class _Parts:
    """Looks for the parts of a split in what is seen."""

    split: SmoothSplit
    seen: Task

    def values(self, part: _Part) -> Array:
        """The values of a part at the rows."""
        graph, group = part
        return graph.evaluate(self.seen.x[:, list(group)])[0][:, 0]

    def laws(
        self, group: Group, start: Array, factor: Array, smooth: Array
    ) -> Iterator[_Part]:
        """Laws of a part in y = start + factor · part, if there are good ones.

        One that is short and leaves hardly more than a smooth function is enough: no
        more can be told of it. It may still be an imitation, with the errors of the
        other parts in it, of a shorter one that leaves as little as matters.
        """
        part = self._table(group, start, factor)
        if part is None:
            return
        by, rows = self.seen.strategy.separation, part.search_rows()
        n = len(smooth)
        left = float(np.sum(((rows.y[0] - smooth) * rows.root_weight) ** 2))
        left *= n / max(n - self.split.n_terms, 1)  # smooth functions follow some noise
        enough = left * math.exp(by.behind / n)
        good: list[Scored] = []
        for found in _laws_of(part):
            # All that a look finds is compared: what comes first need not be shortest.
            good += [one for one in found if one.sse < by.hopeless * left + 1e-20]
            best = min(good, key=_criterion, default=None)
            is_short = best is not None and best.graph.n_parameters <= by.short
            if best is not None and is_short and best.sse < enough:
                break
        for one in _best_and_shortest(good, enough):
            yield one.graph, group

    def _table(self, group: Group, start: Array, factor: Array) -> Task | None:
        """The part as the target of a table of its own inputs."""
        seen, chosen, rows = self.seen, list(group), self.seen.search_rows()
        root = softened(rows.root_weight * np.abs(factor))
        y = np.where(root > 0, (rows.y[0] - start) / factor, 0.0)
        weight = root**2 / np.mean(root**2)
        if not (np.isfinite(y).all() and np.isfinite(weight).all() and y.any()):
            return None
        return replace(
            seen,
            x=np.ascontiguousarray(seen.x[:, chosen]),
            y=y[:, None],
            weight=weight,
            low=seen.low[chosen],
            high=seen.high[chosen],
            x_scale=seen.x_scale[chosen],
            origins=(),
            y_scale=1.0,
            n_far=0,
        )


def _criterion(one: Scored) -> float:
    return one.bic


def _best_and_shortest(good: list[Scored], enough: float) -> list[Scored]:
    """The best law, and the shortest that leaves little enough if it is shorter."""
    if not good:
        return []
    best = min(good, key=_criterion)
    fewer = [
        one
        for one in good
        if one.sse < enough and one.graph.n_parameters < best.graph.n_parameters
    ]
    short = min(fewer, key=lambda one: (one.graph.n_parameters, one.bic), default=None)
    return [best] if short is None else [best, short]


def _laws_of(part: Task) -> Iterator[Iterator[Scored]]:
    """What short looks find in a table of few inputs, look by look."""
    inputs = tuple(range(part.x.shape[1]))
    links = part.strategy.separation.links
    views = [view for view in views_of(part, inputs) if view.link in links]
    # A power that noise hides is a fraction all the same, and shorter than what
    # links make of it: neither is enough without the other.
    yield chain(power_laws(part, inputs), fractions(part, views))
    for order in part.strategy.separation.order:
        for look in looks_at(views, order):
            yield look.found(part)


def _without_constant(part: _Part) -> _Part:
    """A formula without the constant that is added to it, if it has one."""
    graph, group = part
    ((above, below),) = graph.outputs
    if below.keys() != {CONSTANT} or above.keys() <= {CONSTANT}:
        return part
    rest = {source: weight for source, weight in above.items() if source != CONSTANT}
    return replace(graph, outputs=((rest, below),), fixed=frozenset(), ties={}), group


def _together(terms: list[list[_Part]], n_inputs: int, offset: float = 0.0) -> Graph:
    """A sum of products of parts as one formula of all that is seen."""
    draft = Draft(Graph(n_inputs, (), ()))
    fractions_of = [[put_in(draft, *part) for part in term] for term in terms]
    if len(terms) == 1 and not offset:
        above, below = zip(*fractions_of[0], strict=True)
        top, bottom = product(draft, above), product(draft, below)
        return weighted_sum(draft, [top], np.ones(1), bottom)
    features = [
        product(draft, [quotient(draft, one) for one in term]) for term in fractions_of
    ]
    weights = np.array([*(1.0 for _ in features), offset])
    return weighted_sum(draft, [*features, ONE], weights)

"""Looks: each asks one view for one kind of formula, and answers with what it found."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from eqlearn._types import Array
from eqlearn.equation.refine.criterion import Scored
from eqlearn.equation.refine.prune import prune_in_stages
from eqlearn.network.canonical import canonical
from eqlearn.network.graph import CONSTANT, Graph, Linear
from eqlearn.search.attempts.feature_fractions import FeatureFraction, solve
from eqlearn.search.attempts.input_views import Inputs, View
from eqlearn.search.attempts.links import LINKS
from eqlearn.search.attempts.simple_powers import with_simple_powers
from eqlearn.search.survey import dictionaries
from eqlearn.search.survey.built_laws import Wanted, built_laws
from eqlearn.search.survey.curves import curves
from eqlearn.search.survey.differences import with_complements, with_differences
from eqlearn.search.survey.families import families
from eqlearn.search.survey.fast_waves import fast_waves
from eqlearn.search.survey.pursuit import (
    Beam,
    Dictionary,
    SparseSum,
    WeightedRows,
    fitted,
    pursue,
)
from eqlearn.search.survey.quadratics import quadratics
from eqlearn.search.survey.ranked import ranked, with_logs
from eqlearn.search.survey.reductions import dimensionless_views, reduced_views
from eqlearn.search.survey.terms import Summand, graph_of
from eqlearn.search.survey_strategy import LookOrder, Survey
from eqlearn.search.task import Task
from eqlearn.training.levenberg import fit
from eqlearn.training.samples import Samples

_LINEAR = FeatureFraction(1, 0)
_ARCS = ("sin", "cos", "tan")
_ALL = (None, "log", "inverse", "square", "inverse square", "root")
_SHARES = ("logit", "complement", "survival", "failure")
#: Links through which each kind of term is looked for; None is the target as it is.
_THROUGH: dict[str, tuple[str | None, ...]] = {
    "small": (*_ALL, *_SHARES, *_ARCS),
    "whole sums": (*_ALL, *_SHARES, *_ARCS),
    "sums": (*_ALL, *_SHARES, *_ARCS),
    "exp": (None, "inverse", "log", "square"),
    "bends": (None, "square"),
    "powers": (None, "inverse", "log", "square", "complement"),
    "waves": (None, "square"),
    "fast waves": (None,),
    "curves": (None,),
    "families": (None, "log", "square"),
    "damped": (None,),
    "splits": (None, "square", "inverse"),
    "quadratics": (None,),
    "built": (*_ALL, *_SHARES, *_ARCS),
    "beside": (None, "log", "square"),
    "pairs": (None, "log", "inverse", "square", "logit", *_ARCS),
}


#: Variables from which on differences of them are looked for through every link.
_MANY = 4


def power_laws(task: Task, inputs: Inputs) -> Iterator[Scored]:
    """Products of powers of inputs, under every link."""
    data = task.search_rows()
    plain = View(inputs)
    linked = (plain.through(name, task) for name in LINKS)
    for view in [plain, *(one for one in linked if one is not None)]:
        inner, logs = view.through("log", task), with_logs(view, task)
        if inner is None or logs is None or logs.units is None:
            continue
        if logs.units.n_outputs < len(plain.inputs):
            continue
        seen = View((), logs.units, inner.steps)
        found = solve(seen.of(task), _LINEAR)
        if found is not None:
            yield _in_full(seen, found, data, task)


def exact_fractions(task: Task, view: View) -> Iterator[Scored]:
    """Fractions of the table as it is that leave nothing, the smallest first."""
    perfect, n = task.strategy.fractions.perfect, task.strategy.survey.n_rows
    for one in sorted(ranked(task, [view])[:3], key=lambda one: one.number):
        if one.error < perfect * n:
            found = solve(one.view.of(task), one.fraction)
            if found is not None:
                yield _in_full(one.view, found, task.search_rows(), task)


def fractions(task: Task, views: Sequence[View]) -> Iterator[Scored]:
    """The most promising fractions of all views."""
    data = task.search_rows()
    for one in ranked(task, views)[: task.strategy.survey.n_fractions]:
        found = solve(one.view.of(task), one.fraction)
        if found is not None and math.isfinite(found.bic):
            yield _in_full(one.view, found, data, task)


def _in_full(view: View, found: Scored, data: Samples, task: Task) -> Scored:
    full = view.in_full(found, data, task.tactics)
    return with_simple_powers(full, data, task.tactics)


class SoFar(NamedTuple):
    """What the best formula so far says about others."""

    residual: float  # its mean squared one
    most_constants: float  # of a formula that can be better

    def to_document(self) -> list[float | None]:
        """Both numbers as JSON can hold them: infinite ones are None."""
        return [value if math.isfinite(value) else None for value in self]

    @classmethod
    def from_document(cls, document: Sequence[float | None]) -> "SoFar":
        """Read what `to_document` wrote."""
        return cls(*(math.inf if value is None else value for value in document))


NOTHING_YET = SoFar(math.inf, math.inf)


@dataclass(frozen=True)
class Look:
    """A view, and what is asked of it."""

    view: View
    kind: str  # of dictionary: sums, exp, waves, powers, damped
    outer: int = 0  # size of the monomials beside an atom; of sums, 0 is the largest
    base: int | None = None  # size of the monomials that are there from the start

    def found(self, task: Task, so_far: SoFar = NOTHING_YET) -> Iterator[Scored]:
        """Formulas of the target, the most promising first.

        Sums that leave much more than the best formula so far are given up.
        """
        if self.kind in _SPECIAL:
            yield from _SPECIAL[self.kind](self.view, task)
            return
        seen, data = self.view.of(task), task.search_rows()
        few = rows_of(seen)
        if not np.isfinite(few.x).all() or not np.isfinite(few.y).all():
            return
        for graph in self._graphs(few, seen, task, so_far):
            found = completed(self.view, graph, data, task, so_far)
            if found is not None and math.isfinite(found.bic):
                least = min(so_far.residual, found.sse / data.n_residuals)
                so_far = so_far._replace(residual=least)
                yield found

    def _graphs(
        self, few: WeightedRows, seen: Task, task: Task, so_far: SoFar
    ) -> Iterator[Graph]:
        """Formulas of what is seen, the most promising first."""
        if self.kind in _BUILT:
            has_inputs, in_logs = self.base is not None, self.view.link in _OF_LOGS
            wanted = Wanted(self.outer, has_inputs, in_logs)
            yield from built_laws(few, seen.x_scale, wanted, task.strategy.building)
            return
        by, rows = task.strategy.survey, seen.search_rows()
        for one in self._sums(few, by, so_far.most_constants):
            kept = _kept(list(one.terms), rows, task)
            if kept is not None and len(kept[0]) <= so_far.most_constants + by.spare:
                yield graph_of(*kept, len(rows.x))

    def to_document(self) -> dict[str, Any]:
        """The look as JSON can hold it."""
        return {**vars(self), "view": self.view.to_document()}

    @classmethod
    def from_document(cls, document: dict[str, Any]) -> "Look":
        """Read what `to_document` wrote."""
        return cls(**{**document, "view": View.from_document(document["view"])})

    def _sums(
        self, few: WeightedRows, by: Survey, most_constants: float
    ) -> list[SparseSum]:
        base = self._base(few)
        if self.kind == "small":
            one = fitted(base, few)
            return [] if one is None else [one]
        dictionary = self._dictionary(few, by)
        n_terms = 5 if self.kind in _SUMS else 3 if self.base is None else 2
        n_same = 3 if len(few.x) == 1 and self.kind not in _SUMS else 1
        beam = Beam(n_terms, n_same=n_same, most_constants=most_constants + len(base))
        n, k = len(few.y), len(dictionary.terms)
        ranked_sums = [
            (_rank(one, n, k, len(base)), number, one)
            for number, one in enumerate(pursue(dictionary, few, beam, base))
        ]
        return [one for _, _, one in sorted(ranked_sums)[: by.n_kept]]

    def _base(self, few: WeightedRows) -> list[Summand]:
        if self.base is None:
            return []
        if self.kind == "small":
            return dictionaries.small_terms(self.base, few)
        return dictionaries.plain_terms(self.base, dictionaries.positive_rows(few.x))

    def _dictionary(self, few: WeightedRows, by: Survey) -> Dictionary:
        if self.kind in _SUMS:
            size = self.outer or by.sizes[min(len(few.x), len(by.sizes)) - 1]
            return _SUMS[self.kind](few, size)
        if self.kind == "damped":
            return dictionaries.damped_waves(few)
        size = max(2, self.outer) if self.base is None else self.outer
        return dictionaries.atomic(_ATOMS[self.kind], few, self.outer, size)


def views_of(task: Task, inputs: Inputs) -> list[View]:
    """The reduced table, or the table as it is, through every link."""
    plain = View(inputs)
    found = []
    groups, are_sure = dimensionless_views(task) if task.group_sets else ([], False)
    groups = [v for group in groups for v in reduced_views(group, task) or [group]]
    if groups and not _are_shown(plain, groups, task):
        for one in groups:
            linked = [one.through(name, task) for name in LINKS]
            found += [one, *(v for v in linked if v is not None)]
        if are_sure:
            return found
    reduced = reduced_views(plain, task) or [plain]
    most = min(v.n_variables for v in reduced)
    for one in reduced:
        linked = [one.through(name, task) for name in (*_ALL[1:], *_SHARES)]
        seen = [v for v in linked if v is not None]
        if one.n_variables >= _MANY:
            # Of 1/r², which no polynomial says, the differences are seen in r².
            seen = [with_differences(v, task) for v in seen]
        found += [one, *seen]
    for name in _ARCS:
        views = _of_angles(name, plain, reduced, task)
        found += [v for v in views if v.n_variables <= most]
        # Of an angle a law needs no more variables than of its sine.
        most = min([most, *(v.n_variables for v in views)])
    for whole in (with_complements(one, task) for one in reduced):
        if whole is not None:
            found += [v for v in (whole, whole.through("log", task)) if v is not None]
    twice = [v.through("log", task) for v in found if v.link == "log"]
    return found + [v for v in twice if v is not None]


def _of_angles(
    name: str, plain: View, reduced: Sequence[View], task: Task
) -> list[View]:
    """Views of the target as an angle, reduced anew.

    What is a function of one variable is so through any link.
    """
    view = plain.through(name, task)
    if view is None:
        return []
    of_one = [v for v in reduced if v.n_variables == 1]
    if of_one and len(plain.inputs) > 1:
        linked = [v.through(name, task) for v in of_one if not v.steps]
        return [v for v in linked if v is not None]
    return reduced_views(view, task) or [view]


def _are_shown(plain: View, groups: Sequence[View], task: Task) -> bool:
    """Whether the data show a reduction to fewer variables than groups have."""
    fewest = min(view.n_variables for view in groups)
    return any(view.n_variables < fewest for view in reduced_views(plain, task))


def looks_at(views: Sequence[View], order: LookOrder) -> Iterator[Look]:
    """Looks of one kind at all views that are asked for it."""
    kind, outer, base, most = order
    for view in views:
        if view.link in _THROUGH[kind] and view.n_variables <= most:
            yield Look(view, kind, outer, base)


def looks_of(views: Sequence[View], inputs: Inputs, order: LookOrder) -> Iterator[Look]:
    """The same, and at the table as it is where fewer variables may hide the law."""
    plain = View(inputs)
    is_hidden = order[0] in _AS_IT_IS and plain not in views
    yield from looks_at([*views, plain] if is_hidden else views, order)


#: Kinds that say more of inputs than of groups of them: roots are of sums.
_AS_IT_IS = ("quadratics", "built", "beside", "pairs")
#: Kinds whose terms are built by rule: one, one beside the inputs, or two.
_BUILT = ("built", "beside", "pairs")
#: Links whose targets are logarithms: sums of logarithms are products under them.
_OF_LOGS = ("log", "logit", "complement", "survival", "failure")
#: Kinds of sums of monomials, by the dictionary that they are picked from.
_SUMS = {"whole sums": dictionaries.whole_sums, "sums": dictionaries.sums}
#: Kinds of looks that pick no terms from a dictionary.
_SPECIAL = {
    "curves": curves,
    "families": families,
    "fast waves": fast_waves,
    "quadratics": quadratics,
}
#: The atoms of a kind of look.
_ATOMS = {
    "exp": ("exp",),
    "bends": ("tanh", "atan"),
    "waves": ("sin", "cos"),
    "powers": ("power", "shifted log"),
}


def _rank(one: SparseSum, n: int, n_columns: int, n_base: int) -> float:
    picked = len(one.terms) - n_base
    price = one.n_parameters * math.log(n) + 2.0 * picked * math.log(n_columns)
    return n * math.log(one.sse / n + 1e-24) + price


def rows_of(seen: Task) -> WeightedRows:
    """The first rows that count, for picking terms."""
    data = seen.search_rows()
    keep = np.flatnonzero(data.root_weight > 0)[: seen.strategy.survey.n_rows]
    root = data.root_weight[keep]
    x, y = np.ascontiguousarray(data.x[:, keep]), data.y[0, keep] * root
    return WeightedRows(x, y, root, seen.x_scale)


def completed(
    view: View, graph: Graph, data: Samples, task: Task, so_far: SoFar
) -> Scored | None:
    """A formula of what is seen as one of the target itself, fitted and pruned.

    One that leaves too much is given up.
    """
    by = task.strategy.survey
    full = canonical(view.composed(graph, len(data.x)), data.x)
    start = fit(full, data, n_iterations=by.n_iterations)
    if not start.sse / data.n_residuals <= by.hopeless * so_far.residual:
        return None
    found = prune_in_stages(start.graph, data, task.tactics)
    return with_simple_powers(found, data, task.tactics)


def _kept(
    terms: list[Summand], rows: Samples, task: Task
) -> tuple[list[Summand], Array] | None:
    """The terms that matter, with their weights.

    They are told as they are, as inputs of a sum, before a formula is made of them.
    """
    with np.errstate(all="ignore"):
        columns = np.array([term.values(rows.x) for term in terms])
    size = np.sqrt(np.mean(columns**2, axis=1))
    if not np.isfinite(size).all() or not (size > 0).all():
        return None
    columns, root = columns / size[:, None], rows.root_weight
    weights = np.linalg.lstsq((columns * root).T, rows.y[0] * root, rcond=1e-13)[0]
    if len(terms) <= 3:
        return terms, weights / size
    total: Linear = dict(enumerate(weights.tolist()))
    start = Graph(len(terms), (), ((total, {CONSTANT: 1.0}),))
    told = rows._replace(x=np.ascontiguousarray(columns))
    ((above, below),) = prune_in_stages(start, told, task.tactics).graph.outputs
    one = below[CONSTANT]
    chosen = [k for k in above if k != CONSTANT]
    kept = [terms[k] for k in chosen]
    scaled = [above[k] / one / size[k] for k in chosen]
    if CONSTANT in above:
        kept.append(Summand((0.0,) * len(rows.x)))
        scaled.append(above[CONSTANT] / one)
    return (kept, np.array(scaled)) if kept else None

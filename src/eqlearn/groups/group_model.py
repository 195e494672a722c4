"""From forms told apart to the model that is kept, with a table of constants."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from eqlearn._types import Array, Integers
from eqlearn.equation.prove.domain import domain_report
from eqlearn.errors import printable
from eqlearn.groups.group_search import FoundByGroup
from eqlearn.groups.group_settings import STANDARD
from eqlearn.groups.grouped_fit import GroupedFit, GroupedRows, fitted, values_by_row
from eqlearn.groups.lettered import Lettered, lettered, letters
from eqlearn.groups.sharing import Told
from eqlearn.knowledge.constraining.constraint_checks import n_breached
from eqlearn.model.group_constants import GroupConstant, Groups
from eqlearn.model.model import Model, Verdict
from eqlearn.network.graph import Graph
from eqlearn.search.conclude.to_model import model_of
from eqlearn.search.keep.final_fits import Candidate
from eqlearn.search.learn import Found

#: Every so many rows of a group, one is held out of a fit to measure its error.
_HELD_OUT = 5


@dataclass(frozen=True, eq=False)
class _Named:
    """A form, and the names of its constants that differ between groups."""

    told: Told
    target: str
    names: tuple[str, ...]


def group_model(
    found: Sequence[FoundByGroup],
    x: Array,
    y: Array,
    domain: Array,
    *,
    column: str,
    names: Sequence[str],
    inputs: Sequence[str],
    targets: Sequence[str],
    **how: Any,
) -> Model:
    """Put what was found by group together, as a model with constants as inputs.

    `how` is what `model_of` takes besides.
    """
    named = _named(found, [*inputs, column], targets)
    letter_names = [name for some in named for one in some for name in one.names]
    forms = _forms(found, named, letter_names, len(inputs))
    rows = found[0].rows
    constants = tuple(_constants(named, forms))
    groups = Groups(column, tuple(names), tuple(map(int, rows.counts)), constants)
    table = np.array([one.values for one in constants]).reshape(-1, len(names))
    ends = np.stack([table.min(axis=1), table.max(axis=1)], axis=1)
    domain = np.vstack([domain, ends])
    model = model_of(
        [_found(*each, domain) for each in zip(found, named, forms, strict=True)],
        np.concatenate([x, table[:, rows.labels].T], axis=1),
        y,
        domain,
        inputs=[*inputs, *letter_names],
        targets=targets,
        **how,
    )
    outcomes = [
        replace(outcome, verdict=_with_groups(outcome.verdict, some[0], groups))
        for outcome, some in zip(model.outcomes, named, strict=True)
    ]
    groups = replace(groups, rms=_errors_by_group(model, x, y, rows.labels, table))
    return replace(model, groups=groups, outcomes=tuple(outcomes))


def _errors_by_group(
    model: Model, x: Array, y: Array, labels: Integers, table: Array
) -> tuple[tuple[float, ...], ...]:
    """The error of each equation in each group."""
    x = np.concatenate([x, table[:, labels].T], axis=1)
    counts = np.bincount(labels, minlength=table.shape[1])
    found = []
    for one in model.equations:
        left = one.graph.evaluate(x)[0][:, 0] - y[:, model.targets.index(one.target)]
        squares = np.bincount(labels, left**2, minlength=table.shape[1])
        errors = np.sqrt(squares / np.maximum(counts, 1))
        found.append(tuple(np.where(np.isfinite(errors), errors, np.inf).tolist()))
    return tuple(found)


def _forms(
    found: Sequence[FoundByGroup],
    named: Sequence[Sequence[_Named]],
    letter_names: Sequence[str],
    n_measured: int,
) -> list[list[Lettered]]:
    """All forms with letters, which are inputs after those that are measured."""
    places = {name: n_measured + k for k, name in enumerate(letter_names)}
    n_inputs = n_measured + len(places)
    return [
        [
            lettered(form.told.fit, one.rows, [places[n] for n in form.names], n_inputs)
            for form in some
        ]
        for one, some in zip(found, named, strict=True)
    ]


def _named(
    found: Sequence[FoundByGroup], taken: Sequence[str], targets: Sequence[str]
) -> list[list[_Named]]:
    """Names for constants: of the best form of each target a letter."""
    free = letters([*taken, *targets])
    named: list[list[_Named]] = []
    for one, target in zip(found, targets, strict=True):
        some: list[_Named] = []
        for number, told in enumerate(one.forms, 1):
            again = letters([*taken, *targets])
            names = (
                next(free) if number == 1 else f"{next(again)}_{number}"
                for varies in told.fit.varies
                if varies
            )
            at = "" if len(named) == 0 or number == 1 else f"_{len(named) + 1}"
            some.append(_Named(told, target, tuple(f"{name}{at}" for name in names)))
        named.append(some)
    return named


def _constants(
    named: Sequence[Sequence[_Named]], forms: Sequence[Sequence[Lettered]]
) -> Iterator[GroupConstant]:
    for some, of_target in zip(named, forms, strict=True):
        for one, form in zip(some, of_target, strict=True):
            for name, values, errors in zip(
                one.names, form.values.tolist(), form.errors.tolist(), strict=True
            ):
                yield GroupConstant(name, one.target, tuple(values), tuple(errors))


def _found(
    one: FoundByGroup,
    named: Sequence[_Named],
    forms: Sequence[Lettered],
    domain: Array,
) -> Found:
    """The forms as candidates, in the order of their criterion."""
    candidates = []
    for name, form in zip(named, forms, strict=True):
        (report,) = domain_report(form.graph, *domain.T, n_boxes=1)
        candidates.append(
            Candidate(
                graph=form.graph,
                snapped=form.graph,
                constants=form.shared,
                bic=name.told.criterion,
                rms=math.sqrt(name.told.fit.sse / len(one.rows.y)),
                votes=0,
                has_pole=report.has_pole,
                validation=held_out_error(name.told.fit, one.rows),
                n_broken=n_breached(one.constraints, _values_of(form.graph), *domain.T),
            )
        )
    facts = one.n_attempts, one.seconds, one.ended, one.failures
    return Found(tuple(candidates), *facts)


def _values_of(graph: Graph) -> Callable[[Array], Array]:
    return lambda points: np.asarray(graph.evaluate(points)[0][:, 0])


def held_out_error(found: GroupedFit, rows: GroupedRows) -> float:
    """The error in every fifth row of each group, of a fit that has not seen it."""
    turn = np.zeros(len(rows.y), dtype=int)
    for group in range(rows.n_groups):
        own = np.flatnonzero(rows.labels == group)
        turn[own] = np.arange(len(own)) % _HELD_OUT
    out = turn == _HELD_OUT - 1
    if not out.any():
        return math.nan
    rest = GroupedRows(
        rows.x[~out], rows.y[~out], rows.labels[~out], rows.n_groups, rows.root[~out]
    )
    again = fitted(
        found.graph, found.varies, found.values, rest, STANDARD.n_steps
    ).values
    with np.errstate(all="ignore"):
        values = values_by_row(found.graph, again[:, rows.labels[out]], rows.x[out])
        error = float(np.sqrt(np.mean((values - rows.y[out]) ** 2)))
    return error if math.isfinite(error) else math.inf


def _with_groups(verdict: Verdict, best: _Named, groups: Groups) -> Verdict:
    """Add what the groups share, and what they do not."""
    fit, n = best.told.fit, len(groups.names)
    told = f"One form for {n} groups by {printable(groups.column, 60)}"
    if not best.names:
        said = f"{told}: all constants are the same in all of them."
    else:
        own = ", ".join(best.names)
        said = f"{told}: {own} differ{'s' * (len(best.names) == 1)} between them"
        n_shared = len(fit.varies) - len(best.names)
        same = f"{n_shared} constant{'s are' if n_shared > 1 else ' is'} the same"
        said += f", {same} in all." if n_shared else "."
    return replace(verdict, reasons=(said, *verdict.reasons))

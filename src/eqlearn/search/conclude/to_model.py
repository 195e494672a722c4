"""From what a search found to the model that is kept: selection, verdicts, formulas."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from eqlearn._types import Array
from eqlearn.equation.refine.constants import covariance
from eqlearn.equation.write.display import formula_text
from eqlearn.jobs.store import versions
from eqlearn.model.model import ENDS, Equation, Json, Model, Outcome
from eqlearn.search.conclude import selection as criteria
from eqlearn.search.conclude.effective_rows import recounted
from eqlearn.search.conclude.judged_rows import JudgedRows
from eqlearn.search.conclude.verdict import verdict
from eqlearn.search.keep.final_fits import Candidate
from eqlearn.search.learn import Found
from eqlearn.search.one_thread import one_thread
from eqlearn.search.strategy import STANDARD
from eqlearn.training.losses import as_squares
from eqlearn.training.samples import samples


@one_thread()
def model_of(
    found: Sequence[Found],
    x: Array,
    y: Array,
    domain: Array,
    *,
    inputs: Sequence[str],
    targets: Sequence[str],
    weight: Array | None = None,
    selection: str = criteria.DEFAULT,
    loss: str = "squared",
    far: tuple[Array, Array] | None = None,
    is_flat: bool = False,
    parameters: Mapping[str, Json] | None = None,
) -> Model:
    """Choose an equation for each target, judge it, and put all together.

    Parameters
    ----------
    found : sequence of Found
        What the search came to, for each target.
    x, y : arrays (N, D) and (N, M)
        What it was given.
    domain : array (D, 2)
        Where the equations will be used.
    inputs, targets : sequences of str
        The names of the columns.
    weight : array (N,)
        How much each row counts.
    selection : str
        The criterion that picks among the candidates.
    loss : str
        What residuals cost in the search.
    far : (x, y)
        Labelled points far out.
    is_flat : bool
        Whether the target was a plain list.
    parameters : mapping
        What is kept of how the search was asked for.
    """
    found = [
        recounted(one, x, y[:, m], weight) if one.candidates[0].network is None else one
        for m, one in enumerate(found)
    ]
    tables, picks = tables_of(found), picks_of(found, selection)
    ranges = np.stack([x.min(axis=0), x.max(axis=0)], axis=1)
    return Model(
        inputs=tuple(inputs),
        targets=tuple(targets),
        equations=tuple(
            _with_covariance(equation, x, y[:, m], weight, loss, one.crowding)
            for m, (one, table, pick, target) in enumerate(
                zip(found, tables, picks, targets, strict=True)
            )
            for equation in _equations(one, table, pick, inputs, target, selection)
        ),
        domain=tuple((float(low), float(high)) for low, high in domain),
        ranges=tuple((float(low), float(high)) for low, high in ranges),
        n_rows=len(x),
        outcomes=tuple(
            _outcome(one, pick, rows, inputs, loss)
            for one, pick, rows in zip(
                found, picks, _judged_rows(x, y, domain, weight, far), strict=True
            )
        ),
        seconds=max(one.seconds for one in found),
        is_flat=is_flat,
        parameters=parameters or {},
        versions=versions(),
    )


def tables_of(found: Sequence[Found]) -> list[criteria.Candidates]:
    """The numbers that criteria look at, for each target.

    The paper picks a network for all targets at once (Eq. 9): networks as they were
    trained have the errors of all their outputs together. Who failed for one target
    has failed.
    """
    own = [_table_of(one.candidates) for one in found]
    if not _are_networks(found):
        return own
    numbers = [[one.network for one in each.candidates] for each in found]

    def total(columns: list[Array]) -> list[Array]:
        """Add up what there is of each network; of one that is not there, ∞."""
        known = [
            dict(zip(some, column, strict=True))
            for some, column in zip(numbers, columns, strict=True)
        ]
        return [
            np.array([sum(of.get(n, math.inf) for of in known) for n in some])
            for some in numbers
        ]

    validation = total([table.validation**2 for table in own])
    bic = total([table.bic for table in own])
    far = [table.extrapolation**2 for table in own if table.extrapolation is not None]
    # Far points are given for all targets, or for none.
    distant = map(np.sqrt, total(far)) if far else [None] * len(own)
    return [
        criteria.Candidates(np.sqrt(squares), table.size, information, outside)
        for table, squares, information, outside in zip(
            own, validation, bic, distant, strict=True
        )
    ]


def _are_networks(found: Sequence[Found]) -> bool:
    """Whether candidates are outputs of networks that have several."""
    candidates = [candidate for one in found for candidate in one.candidates]
    return len(found) > 1 and all(c.network is not None for c in candidates)


def picks_of(found: Sequence[Found], selection: str) -> list[int]:
    """Which candidate of each target a criterion picks: the same network, of such."""
    picks = [criteria.chosen(table, selection) for table in tables_of(found)]
    if not _are_networks(found):
        return picks
    number = found[0].candidates[picks[0]].network
    same = [
        [i for i, c in enumerate(one.candidates) if c.network == number]
        for one in found
    ]
    # No network has all targets, if this one has not.
    return [some[0] if some else pick for some, pick in zip(same, picks, strict=True)]


def _table_of(candidates: Sequence[Candidate]) -> criteria.Candidates:
    far = [candidate.extrapolation for candidate in candidates]
    has_far = all(error is not None for error in far)
    # What breaks more constraints than another is no choice for any criterion.
    broken = np.array([candidate.n_broken for candidate in candidates])
    barred = np.where(broken > min(broken.tolist(), default=0), math.inf, 0.0)
    return criteria.Candidates(
        validation=barred + [candidate.validation for candidate in candidates],
        size=np.array([candidate.n_units for candidate in candidates], dtype=float),
        bic=barred + [candidate.bic for candidate in candidates],
        extrapolation=np.array(far, dtype=float) if has_far else None,
    )


def _judged_rows(
    x: Array,
    y: Array,
    domain: Array,
    weight: Array | None,
    far: tuple[Array, Array] | None,
) -> Iterator[JudgedRows]:
    """What the verdict of each target looks at."""
    for m, column in enumerate(y.T):
        rows = JudgedRows.of(x, column, domain, STANDARD.judging, weight)
        yield rows if far is None else replace(rows, far=(far[0], far[1][:, m]))


def _outcome(
    found: Found, pick: int, rows: JudgedRows, inputs: Sequence[str], loss: str
) -> Outcome:
    (ended,) = (known for known in ENDS if known == found.ended)
    judged = verdict(found, pick, rows, inputs, loss)
    return Outcome(judged, ended, found.n_attempts)


def _equations(
    found: Found,
    table: criteria.Candidates,
    pick: int,
    inputs: Sequence[str],
    target: str,
    selection: str,
) -> list[Equation]:
    """The candidates as equations: the pick first, the others as it was picked."""
    places = {
        f"rank_{name}": criteria.ranks(criteria.criterion(name)(table)) + 1
        for name in criteria.available(table)
    }
    rows = [
        Equation(
            target=target,
            graph=one.graph,
            snapped=one.snapped,
            constants=one.constants,
            rms=one.rms,
            bic=one.bic,
            complexity=one.complexity,
            votes=one.votes,
            has_pole=one.has_pole,
            is_chosen=i == pick,
            formula=formula_text(one.snapped, inputs, target),
            scores=_scores(one, {name: float(p[i]) for name, p in places.items()}),
        )
        for i, one in enumerate(found.candidates)
        if np.isfinite(one.bic) or i == pick
    ]
    rows.sort(key=lambda row: row.scores[f"rank_{selection}"])
    if any(one.network is not None for one in found.candidates):
        return rows
    # Several forms of one formula are one to a reader: the best of them is listed.
    chosen = {row.formula for row in rows if row.is_chosen}
    first = {row.formula: row for row in reversed(rows) if row.formula not in chosen}
    return [row for row in rows if row.is_chosen or first.get(row.formula) is row]


def _with_covariance(
    one: Equation,
    x: Array,
    y: Array,
    weight: Array | None,
    loss: str,
    crowding: float,
) -> Equation:
    """The chosen equation with the covariance of its constants, if there is one."""
    few = one.graph.n_parameters <= STANDARD.judging.most_parameters
    if not one.is_chosen or not few:
        return one
    n = STANDARD.rows.prune
    mean = None if weight is None else weight[:n] / np.mean(weight[:n])
    rows = samples(x[:n], y[:n, None], weight=mean)
    known = covariance(one.graph, as_squares(loss, one.graph, rows))
    # What more rows say, they say in proportion to their number, unless they crowd.
    known = known * min(1.0, n / len(x)) * (1.0 + crowding * len(x))
    if not np.isfinite(known).all():
        return one
    return replace(one, covariance=tuple(map(tuple, known.tolist())))


def _scores(one: Candidate, places: dict[str, float]) -> dict[str, float]:
    errors = {
        "validation_error": one.validation,
        "extrapolation_error": one.extrapolation,
        "relative_error": one.relative,
    }
    finite = {k: v for k, v in errors.items() if v is not None and np.isfinite(v)}
    return {**finite, **places}

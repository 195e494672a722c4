"""From what a search found to the model that is kept: selection, ranks, formulas."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from eqlearn._types import Array
from eqlearn.equation.write.display import formula_text
from eqlearn.jobs.store import versions
from eqlearn.model.model import Equation, Model
from eqlearn.search.conclude import selection
from eqlearn.search.keep.final_fits import Candidate
from eqlearn.search.learn import Found


def model_of(
    found: Sequence[Found],
    x: Array,
    domain: Array,
    *,
    inputs: Sequence[str],
    targets: Sequence[str],
    criterion: str = selection.DEFAULT,
    settings: Mapping[str, Any],
) -> Model:
    """Choose an equation for each target and put all that is known together."""
    equations = [
        equation
        for one, target in zip(found, targets, strict=True)
        for equation in _equations(one, inputs, target, criterion)
    ]
    ranges = np.stack([x.min(axis=0), x.max(axis=0)], axis=1)
    return Model(
        inputs=tuple(inputs),
        targets=tuple(targets),
        equations=tuple(equations),
        domain=tuple((float(low), float(high)) for low, high in domain),
        ranges=tuple((float(low), float(high)) for low, high in ranges),
        n_rows=len(x),
        settings=settings,
        versions=versions(),
    )


def table_of(candidates: Sequence[Candidate]) -> selection.Candidates:
    """The numbers that criteria look at."""
    far = [candidate.extrapolation for candidate in candidates]
    has_far = all(error is not None for error in far)
    return selection.Candidates(
        validation=np.array([candidate.validation for candidate in candidates]),
        size=np.array([candidate.n_units for candidate in candidates], dtype=float),
        bic=np.array([candidate.bic for candidate in candidates]),
        extrapolation=np.array(far, dtype=float) if has_far else None,
    )


def picked(found: Found, criterion: str) -> int:
    """Which of the candidates a criterion picks."""
    return selection.chosen(table_of(found.candidates), criterion)


def _equations(
    found: Found, inputs: Sequence[str], target: str, criterion: str
) -> list[Equation]:
    table = table_of(found.candidates)
    pick = picked(found, criterion)
    places = {
        f"rank_{name}": selection.ranks(selection.criterion(name)(table)) + 1
        for name in selection.available(table)
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
    # The pick first, the others by the criterion that picked it.
    return sorted(rows, key=lambda row: row.scores[f"rank_{criterion}"])


def _scores(one: Candidate, places: dict[str, float]) -> dict[str, float]:
    errors = {
        "validation_error": one.validation,
        "extrapolation_error": one.extrapolation,
    }
    finite = {k: v for k, v in errors.items() if v is not None and np.isfinite(v)}
    return {**finite, **places}

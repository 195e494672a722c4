"""Choosing by hand: candidates by their numbers, from 1 for each target."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeAlias

from eqlearn.errors import is_whole, must, unknown
from eqlearn.model.model import KINDS, Equation, Model, Outcome, Verdict

#: The number of a candidate, for all targets or by the name of each.
CandidateChoice: TypeAlias = int | Mapping[str, int]


def candidates_of(model: Model, target: str) -> tuple[Equation, ...]:
    """The candidates of a target; the first is number 1, which the search prefers."""
    return tuple(one for one in model.equations if one.target == target)


def candidate_number(model: Model, equation: Equation) -> int:
    """The number of a candidate among those of its target."""
    places = candidates_of(model, equation.target)
    return 1 + next(at for at, one in enumerate(places) if one is equation)


def rechosen(model: Model, candidate: CandidateChoice | None) -> Model:
    """The model with other candidates in the place of those the search has chosen.

    The verdict was on another equation then: it says so, and trusts the choice no more
    than it would a plausible one.
    """
    if candidate is None:
        return model
    picks = {
        target: _picked(model, target, number)
        for target, number in _numbers(model, candidate).items()
    }
    # By identity: two candidates may be equal in all but their place.
    equations = tuple(
        replace(one, is_chosen=one is picks[one.target]) if one.target in picks else one
        for one in model.equations
    )
    outcomes = tuple(
        _judged(model, picks[target], outcome) if target in picks else outcome
        for target, outcome in zip(model.targets, model.outcomes, strict=True)
    )
    return replace(model, equations=equations, outcomes=outcomes)


def _numbers(model: Model, candidate: CandidateChoice) -> Mapping[str, int]:
    if not isinstance(candidate, Mapping):
        return dict.fromkeys(model.targets, candidate)
    for target in candidate:
        if target not in model.targets:
            raise unknown("candidate", target, model.targets)
    return candidate


def _picked(model: Model, target: str, number: object) -> Equation:
    places = candidates_of(model, target)
    if not is_whole(number) or not 1 <= number <= len(places):
        what = f"a number from 1 to {len(places)}, one of the candidates"
        where = f"for {target!r}" if len(model.targets) > 1 else ""
        raise must("candidate", what, number, where=where)
    return places[number - 1]


def _judged(model: Model, pick: Equation, outcome: Outcome) -> Outcome:
    if pick.is_chosen:
        return outcome
    at = KINDS.index(outcome.verdict.kind)
    kind = KINDS[max(at, KINDS.index("plausible"))]
    before = next(
        one for one in model.equations if one.target == pick.target and one.is_chosen
    )
    reason = (
        f"It was chosen by hand, as candidate {candidate_number(model, pick)}: the "
        f"search has chosen candidate {candidate_number(model, before)}, and judged it "
        f"{outcome.verdict.kind}."
    )
    return replace(outcome, verdict=Verdict(kind, (reason,)))

"""Constraints of a model: of each chosen equation, whether they are proved."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from eqlearn._types import Array
from eqlearn.errors import printable
from eqlearn.knowledge.constraining.constraint_checks import breach
from eqlearn.knowledge.constraining.constraint_proofs import (
    KeptConstraint,
    judged_constraint,
)
from eqlearn.knowledge.constraining.constraints import Constraint
from eqlearn.knowledge.known import known_by
from eqlearn.model.model import Equation, Model, Outcome

#: What equations are marked with, beside their errors.
BROKEN = "broken_constraints"
_ADVICE = "Check what is known against the data, or give the search more time."


def with_judged_constraints(
    model: Model, known: Sequence[Sequence[Constraint]]
) -> Model:
    """The model with what is proved of its chosen equations in their verdicts.

    An equation that breaks a constraint is doubtful, however well it fits; all are
    marked with how many they break.
    """
    if not any(known):
        return model
    by_target = dict(zip(model.targets, known, strict=True))
    outcomes = tuple(
        _judged(outcome, one, by_target[one.target], model)
        for outcome, one in zip(model.outcomes, model.chosen, strict=True)
    )
    marked = tuple(
        _marked(one, by_target[one.target], model) for one in model.equations
    )
    return replace(model, outcomes=outcomes, equations=marked)


def kept_by(model: Model) -> list[tuple[Equation, KeptConstraint]]:
    """How the chosen equations keep the constraints that a model was asked for."""
    known = known_by(model).constraints
    low, high = np.reshape(model.domain, (-1, 2)).T
    return [
        (equation, judged_constraint(constraint, equation.snapped, low, high))
        for equation, some in zip(model.chosen, known, strict=True)
        for constraint in some
    ]


def _judged(
    outcome: Outcome, one: Equation, known: Sequence[Constraint], model: Model
) -> Outcome:
    low, high = np.reshape(model.domain, (-1, 2)).T
    judged = [judged_constraint(c, one.snapped, low, high) for c in known]
    # One text that bounds both sides is said once, by the side that is proved least.
    worst: dict[str, KeptConstraint] = {}
    order = ("broken", "not proved", "proved")
    for kept in judged:
        before = worst.setdefault(kept.constraint.text, kept)
        if order.index(kept.keeping) < order.index(before.keeping):
            worst[kept.constraint.text] = kept
    names = [printable(name, 60) for name in model.inputs]
    sentences = tuple(printable(k.in_words(names), 400) for k in worst.values())
    verdict = outcome.verdict
    advice = verdict.advice
    is_broken = any(kept.keeping == "broken" for kept in judged)
    if is_broken:
        sentences = ("No equation was found that keeps all that is known.", *sentences)
        advice = (*advice, _ADVICE)
    kind = "doubtful" if is_broken and verdict.kind != "nothing" else verdict.kind
    told = replace(
        verdict, kind=kind, reasons=(*verdict.reasons, *sentences), advice=advice
    )
    return replace(outcome, verdict=told)


def _marked(one: Equation, known: Sequence[Constraint], model: Model) -> Equation:
    low, high = np.reshape(model.domain, (-1, 2)).T

    def values_at(points: Array) -> Array:
        return one.snapped.evaluate(points)[0][:, 0]

    n = len({c.text for c in known if breach(c, values_at, low, high) is not None})
    return replace(one, scores={**one.scores, BROKEN: float(n)})

"""What `form` may be: a known form, for all targets or for each."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from eqlearn._types import Array
from eqlearn.equation.read.outer_form import LIKE, OuterForm, outer_form
from eqlearn.errors import must, unknown
from eqlearn.model.model import Model


def given_forms(
    form: Any, inputs: Sequence[str], targets: Sequence[str], x: Array
) -> list[OuterForm]:
    """The form of each target, read and checked."""
    from eqlearn.known_form.form_graph import check_letters

    texts = _by_target(form, targets)
    found = [outer_form(texts[target], inputs) for target in targets]
    for one in found:
        check_letters(one, x)
    return found


def check_form_settings(learner: Any, groups: Any) -> None:
    """Refuse what cannot be combined with a form."""
    if groups is not None:
        hint = "Leave one of them out."
        raise must("form", "given without groups", learner.form, hint)
    if learner.recipe != "fast":
        hint = "Leave the recipe out, or the form."
        raise must("recipe", "fast where a form is given", learner.recipe, hint)
    if learner.guesses is not None:
        hint = "Write what you know into the form, or give guesses alone."
        raise must("guesses", "left out where a form is given", learner.guesses, hint)
    if learner.warm_start:
        hint = "Leave one of them out."
        raise must("warm_start", "left out where a form is given", True, hint)


def with_form(model: Model, form: Any) -> Model:
    """The model, whose verdicts say which form was given."""
    texts = _by_target(form, model.targets)
    outcomes = [
        replace(
            outcome,
            verdict=replace(
                outcome.verdict,
                reasons=(
                    f"It has the form that was given, {texts[target].strip()}.",
                    *outcome.verdict.reasons,
                ),
            ),
        )
        for target, outcome in zip(model.targets, model.outcomes, strict=True)
    ]
    return replace(model, outcomes=tuple(outcomes))


def _by_target(form: Any, targets: Sequence[str]) -> dict[str, str]:
    if isinstance(form, str):
        return dict.fromkeys(targets, "") | _split(form, targets)
    if not isinstance(form, Mapping):
        raise must("form", f"{LIKE}, or one for each target by name", form)
    for target in form:
        if target not in targets:
            raise unknown("form", target, targets)
    missing = [target for target in targets if target not in form]
    if missing:
        hint = "Learn targets without a form apart from these."
        raise must(
            "form", f"given for every target, {missing[0]} too", dict(form), hint
        )
    return {target: _split(form[target], [target])[target] for target in targets}


def _split(text: Any, targets: Sequence[str]) -> dict[str, str]:
    """The form of each target; one that begins with y = is for that target."""
    if not isinstance(text, str):
        raise must("form", LIKE, text)
    left, equals, right = text.partition("=")
    if not equals or left.count("`") % 2:
        return dict.fromkeys(targets, text)
    name = left.strip().strip("`")
    if name not in targets:
        raise unknown("form", name, targets, where=f"before the = in {text!r}")
    if len(targets) > 1:
        hint = "Give a form for each target by name, or learn the others apart."
        raise must("form", "given for every target", text, hint)
    return {name: right}

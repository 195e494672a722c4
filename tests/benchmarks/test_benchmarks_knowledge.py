"""Benchmarks of what users know: forms made of laws, and laws by subject."""

import numpy as np
import pytest

from benchmarks.group_laws import LAWS, N_GROUPS, TIMES
from benchmarks.knowledge import form_of
from eqlearn.equation.read.outer_form import outer_form
from eqlearn.problems.catalogue import TEXTBOOK, problem


def test_most_laws_have_a_form_with_one_unknown_function() -> None:
    forms = {name: form_of(problem(name)) for name in TEXTBOOK}
    read = {
        name: outer_form(form, problem(name).inputs)
        for name, form in forms.items()
        if form is not None
    }
    assert all(len(form.functions) == 1 for form in read.values())
    assert len(read) > 0.8 * len(TEXTBOOK)


def test_a_form_is_the_law_less_its_largest_part() -> None:
    assert form_of(problem("newton-cooling")) == "`Ta` + (`T0` - `Ta`)*f(`t`)"


@pytest.mark.parametrize("name", LAWS)
def test_every_law_by_subject_has_values(name: str) -> None:
    law = LAWS[name]
    middle = [np.full(len(TIMES), (low + high) / 2) for low, high in law.ranges]
    assert np.isfinite(law.values(TIMES, *middle)).all()
    assert N_GROUPS >= 5

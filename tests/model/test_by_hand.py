"""Choosing by hand: candidates by number, and what the verdict says then."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from line_models import model

from eqlearn.errors import EqlearnError
from eqlearn.model.by_hand import candidate_number, candidates_of, rechosen
from eqlearn.model.model import Model


def slopes(chosen: Model) -> list[float]:
    return list(map(float, chosen.predict(np.ones((1, 1)))[0]))


def test_candidates_are_numbered_for_each_target() -> None:
    known = model()
    assert [candidate_number(known, one) for one in known.equations] == [1, 2, 3, 1, 2]
    assert len(candidates_of(known, "y")) == 3


def test_without_a_number_nothing_changes() -> None:
    known = model()
    assert rechosen(known, None) is known


def test_a_number_chooses_for_all_targets() -> None:
    assert slopes(rechosen(model(), 2)) == [2.0, 5.0]
    assert slopes(rechosen(model(), 1)) == [1.0, 4.0]


def test_numbers_by_target_leave_the_others() -> None:
    chosen = rechosen(model(), {"y": 3})
    assert slopes(chosen) == [3.0, 4.0]
    assert chosen.outcomes[1] == model().outcomes[1]


def test_numbers_stay_when_another_is_chosen() -> None:
    chosen = rechosen(model(), {"y": 3})
    assert candidate_number(chosen, chosen.chosen[0]) == 3
    assert slopes(rechosen(chosen, {"y": 2})) == [2.0, 4.0]


def test_equal_candidates_are_told_apart() -> None:
    known = model()
    copy = replace(known.equations[1])  # equal to the second, and another one
    twins = replace(known, equations=(*known.equations[:2], copy, *known.equations[3:]))
    chosen = rechosen(twins, {"y": 3})
    assert [one.is_chosen for one in candidates_of(chosen, "y")] == [False, False, True]


@pytest.mark.parametrize(
    ("before", "after"),
    [("trusted", "plausible"), ("plausible", "plausible"), ("doubtful", "doubtful")],
)
def test_a_choice_by_hand_is_trusted_no_more_than_plausible(
    before: str, after: str
) -> None:
    verdict = rechosen(model(before), {"y": 2}).verdicts[0]
    assert verdict.kind == after
    assert verdict.reasons == (
        "It was chosen by hand, as candidate 2: the search has chosen candidate 1, and "
        f"judged it {before}.",
    )


def test_the_choice_of_the_search_keeps_its_verdict() -> None:
    assert rechosen(model(), 1).outcomes == model().outcomes


@pytest.mark.parametrize(
    ("candidate", "message"),
    [
        (0, "`candidate` must be a number from 1 to 3, one of the candidates; got 0"),
        (3, "a number from 1 to 2, one of the candidates; got 3 for 'z'"),
        ("2", "must be a number from 1 to 3"),
        (True, "must be a number from 1 to 3"),
        (1.0, "must be a number from 1 to 3"),
        ({"w": 1}, "`candidate` must be one of 'y', 'z'; got 'w'"),
        ({"y": 4}, "a number from 1 to 3, .*; got 4 for 'y'"),
    ],
)
def test_other_numbers_are_refused(candidate: Any, message: str) -> None:
    with pytest.raises(EqlearnError, match=message):
        rechosen(model(), candidate)

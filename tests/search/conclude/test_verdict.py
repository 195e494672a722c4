"""What makes a result trusted, plausible, doubtful or nothing, reason by reason."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from found import LINE, MEAN, ONE, candidate, found

from eqlearn.model.model import Verdict
from eqlearn.network.graph import CONSTANT, Graph
from eqlearn.search.conclude.verdict import verdict

# Of spread 1, and a domain that is wider than the data.
Y = np.array([-1.0, 1.0] * 20)
DOMAIN = np.array([[-3.0, 3.0]])

STEEP = Graph(1, (), (({0: 2.5}, ONE),))
NEARLY = Graph(1, (), (({0: 2.01}, ONE),))


def judged(*candidates: Any, pick: int = 0, **changes: Any) -> Verdict:
    return verdict(found(*candidates, **changes), pick, Y, DOMAIN)


def test_what_several_attempts_agree_on_is_trusted() -> None:
    agreed = "3 of 9 independent attempts ended in it"
    reason = f"{agreed}, and 1 % of the target's spread is left."
    assert judged(candidate()) == Verdict("trusted", (reason,))


def test_an_exact_formula_needs_no_second_attempt() -> None:
    said = judged(candidate(rms=1e-12, votes=1))
    assert said.kind == "trusted"
    assert said.reasons[0].startswith("The formula is exact")


@pytest.mark.parametrize(
    ("changes", "reason", "advice"),
    [
        ({"votes": 1}, "Only 1 of 9 attempts ended in it.", "Give it more time"),
        ({"votes": 0}, "None of 9 attempts ended in it.", "Give it more time"),
        (
            {"rms": 0.5},
            "50 % of the target's spread is left unexplained.",
            "Measure mo",
        ),
    ],
)
def test_a_doubt_comes_with_advice(
    changes: dict[str, Any], reason: str, advice: str
) -> None:
    said = judged(candidate(**changes))
    assert said.kind == "doubtful"
    assert reason in said.reasons
    assert said.advice[0].startswith(advice)


@pytest.mark.parametrize(
    ("changes", "ended", "reason"),
    [
        ({"has_pole": True}, "finished", "It has a pole in the domain of use."),
        ({}, "time", "Time was up before the attempts agreed."),
        ({}, "interrupt", "The search was interrupted."),
    ],
)
def test_what_limits_its_use_leaves_it_plausible(
    changes: dict[str, Any], ended: str, reason: str
) -> None:
    said = judged(candidate(**changes), ended=ended)
    assert (said.kind, said.reasons[-1], said.advice) == ("plausible", reason, ())


def test_a_rival_that_differs_outside_the_data_is_a_doubt() -> None:
    said = judged(candidate(), candidate(STEEP, bic=-99.0))
    assert said.kind == "doubtful"
    assert "Others fit nearly as well and differ outside the data." in said.reasons
    assert "further out" in said.advice[0]
    # One that is far behind, or says the same, is none.
    assert judged(candidate(), candidate(STEEP, bic=0.0)).kind == "trusted"
    assert judged(candidate(), candidate(NEARLY, bic=-99.0)).kind == "trusted"


def test_a_mean_is_nothing() -> None:
    said = judged(candidate(MEAN, votes=9), failures=(("y1/net/3", "a\x1bcrash"),))
    assert said.kind == "nothing"
    assert said.reasons == (
        "No formula explains more of the target than its mean does.",
        r"Of the steps of the search 1 failed, y1/net/3 by a\x1bcrash.",
    )
    assert said.advice == (
        "Measure more, or inputs that are missing; other functions may help.",
    )


def test_the_candidate_that_was_picked_is_judged() -> None:
    some = candidate(), candidate(MEAN, bic=0.0)
    assert [judged(*some, pick=pick).kind for pick in (0, 1)] == ["trusted", "nothing"]


def test_a_target_without_spread_is_not_divided_by() -> None:
    flat = verdict(found(candidate(rms=0.1)), 0, 0 * Y, DOMAIN)
    assert flat.kind == "trusted"


def test_a_rival_that_is_nowhere_finite_settles_nothing() -> None:
    nowhere = replace(LINE, outputs=(({0: 1.0}, {CONSTANT: 0.0}),))
    assert judged(candidate(), candidate(nowhere, bic=-99.0)).kind in (
        "trusted",
        "doubtful",
    )

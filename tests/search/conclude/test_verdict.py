"""What makes a result trusted, plausible, doubtful or nothing, reason by reason."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from found import LINE, MEAN, ONE, candidate, found

from eqlearn._types import Array
from eqlearn.model.model import Verdict
from eqlearn.network.graph import CONSTANT, Graph, Node
from eqlearn.search.conclude.judged_rows import JudgedRows
from eqlearn.search.conclude.verdict import verdict
from eqlearn.search.strategy import STANDARD

DOMAIN = np.array([[-3.0, 3.0]])
RNG = np.random.default_rng(0)
X = RNG.uniform(-1.5, 1.5, (200, 1))
NOISE = 0.02 * RNG.normal(size=200)
Y = 2.0 * X[:, 0] + NOISE

FREE = replace(LINE, fixed=frozenset({(1, CONSTANT)}))
STEEP = Graph(1, (), (({0: 2.5}, ONE),))
NEARLY = Graph(1, (), (({0: 2.01}, ONE),))
RMS = float(np.std(NOISE))


def rows(y: Array = Y) -> JudgedRows:
    return JudgedRows.of(X, y, DOMAIN, STANDARD.judging)


def line(**changes: Any) -> Any:
    return candidate(**{"graph": FREE, "rms": RMS, **changes})


def judged(*candidates: Any, pick: int = 0, y: Array = Y, **changes: Any) -> Verdict:
    return verdict(found(*candidates, **changes), pick, rows(y), ["t"])


def test_what_leaves_noise_and_has_no_rival_is_trusted() -> None:
    said = judged(line())
    agreed = "3 of 9 independent attempts ended in it"
    assert said.kind == "trusted"
    assert said.reasons[0] == f"{agreed}, and 1.1 % of the target's spread is left."
    assert said.advice == ()


def test_a_large_lead_is_enough_though_no_second_attempt_ended_in_it() -> None:
    said = judged(line(votes=1), candidate(STEEP, bic=0.0))
    assert said.kind == "trusted"
    assert "Every formula that says something else is far behind." in said.reasons


def test_many_votes_are_not_enough_if_another_is_close() -> None:
    said = judged(line(votes=9), candidate(STEEP, bic=-99.0))
    assert said.kind == "doubtful"
    assert "with a chance of 38 % one of them is the law" in said.reasons[1]
    assert "further out" in said.advice[0]
    # One that is far behind, or says the same, is none.
    assert judged(line(), candidate(STEEP, bic=0.0)).kind == "trusted"
    assert judged(line(), candidate(NEARLY, bic=-99.0)).kind == "trusted"


def test_an_exact_formula_needs_no_more() -> None:
    said = judged(line(rms=1e-12, votes=1), candidate(STEEP, bic=-99.0))
    assert said.kind == "trusted"
    assert said.reasons[0].startswith("The formula is exact")


def test_what_is_left_must_be_noise() -> None:
    said = judged(line(), y=Y + 0.05 * np.sin(20 * X[:, 0]))
    assert said.kind == "doubtful"
    assert "What it leaves is not noise: there is a wave along t in it." in said.reasons
    assert said.advice == (
        "Other functions, or an input that is missing, may explain it.",
    )


def test_what_is_mostly_noise_is_doubtful() -> None:
    noise = np.random.default_rng(1).normal(size=200)
    said = judged(line(rms=1.0), y=2.0 * X[:, 0] + noise)
    assert said.kind == "doubtful"
    (much,) = (r for r in said.reasons if "of the target's spread is left" in r)
    # No function of these inputs would leave less.
    assert "another input is missing, or it is noise" in much
    assert said.advice[0].startswith("Measure what else the target depends on")


def test_what_other_functions_would_explain_is_no_sign_of_a_missing_input() -> None:
    y = 2.0 * X[:, 0] + 2.0 * np.sin(8 * X[:, 0])
    said = judged(line(rms=1.4), y=y)
    assert "left unexplained." in said.reasons[0]
    assert "other functions may help" in said.advice[0]


def test_that_all_others_are_far_behind_is_no_comfort_beside_a_doubt() -> None:
    wavy = Y + 0.05 * np.sin(20 * X[:, 0])
    both = line(votes=1), candidate(STEEP, bic=0.0)
    assert not any("far behind" in reason for reason in judged(*both, y=wavy).reasons)


def test_a_target_that_never_changes_is_said_to() -> None:
    said = judged(candidate(MEAN, rms=0.0), y=np.full(200, 3.7))
    told = "The target is 3.7 in every row: there is nothing to explain."
    assert (said.kind, said.reasons) == ("nothing", (told,))
    assert said.advice == ("Measure where the target changes.",)


def test_a_wave_that_imitates_a_saturation_has_it_as_a_rival() -> None:
    y = np.tanh(1.2 * X[:, 0]) + 0.1 * RNG.normal(size=200)
    wave = Graph(
        1, (Node("sin", ({0: 1.0},)),), (({1: 1.0}, ONE),), frozenset({(2, CONSTANT)})
    )
    said = judged(line(graph=wave, rms=0.1), y=y)
    assert said.kind == "doubtful"
    assert any("Others fit nearly as well" in reason for reason in said.reasons)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"ended": "time"}, "Time was up before the attempts agreed."),
        ({"ended": "interrupt"}, "The search was interrupted."),
    ],
)
def test_how_it_ended_is_said_and_is_no_evidence(
    changes: dict[str, Any], said: str
) -> None:
    judgement = judged(line(), **changes)
    assert (judgement.kind, judgement.reasons[-1]) == ("trusted", said)


def over(zero: float) -> Graph:
    """2t / (1 - t / zero) with a free numerator."""
    below = {CONSTANT: 1.0, 0: -1.0 / zero}
    return Graph(1, (), (({0: 2.0}, below),), frozenset({(1, CONSTANT), (1, 0)}))


@pytest.mark.parametrize(
    ("zero", "kind", "where"),
    [
        (2.5, "plausible", "It has a pole in the domain of use."),
        (0.77, "doubtful", "It has a pole within the range of the data."),
    ],
)
def test_a_pole_limits_its_use_and_one_among_the_rows_is_a_doubt(
    zero: float, kind: str, where: str
) -> None:
    exact = over(zero).evaluate(X)[0][:, 0]
    pole = line(graph=over(zero), rms=RMS, has_pole=True)
    said = judged(pole, y=exact + NOISE)
    assert where in said.reasons
    assert said.kind == kind
    # Of a formula that leaves nothing the pole is the law's own: said, and no doubt.
    said = judged(replace(pole, rms=1e-12), y=exact)
    assert where in said.reasons
    assert said.kind == "trusted"


def test_a_mean_is_nothing() -> None:
    noise = np.random.default_rng(2).normal(size=200)
    failures = (("y1/net/3", "a\x1bcrash"),)
    said = judged(candidate(MEAN, votes=9), y=noise, failures=failures)
    assert said.kind == "nothing"
    assert said.reasons == (
        "No formula explains more of the target than its mean does.",
        r"1 step of the search failed and was left out: a\x1bcrash.",
    )
    assert said.advice == (
        "Measure more, or inputs that are missing; other functions may help.",
    )


def test_a_law_that_was_not_found_in_time_is_not_said_to_be_missing() -> None:
    said = judged(candidate(MEAN), ended="time")
    told = "The target depends on the inputs, but the search ended too early."
    assert (said.kind, said.reasons) == ("nothing", (told,))


def test_the_candidate_that_was_picked_is_judged() -> None:
    some = line(), candidate(MEAN, bic=0.0)
    assert [judged(*some, pick=pick).kind for pick in (0, 1)] == ["trusted", "nothing"]


def test_a_target_without_spread_is_not_divided_by() -> None:
    judged(line(rms=0.1), y=0.0 * Y)
    judged(line(rms=0.0), y=0.0 * Y)


def test_a_rival_that_is_nowhere_finite_differs() -> None:
    nowhere = replace(LINE, outputs=(({0: 1.0}, {CONSTANT: 0.0}),))
    assert judged(line(), candidate(nowhere, bic=-99.0)).kind == "doubtful"


def test_wild_rows_are_named_where_no_formula_was_found_or_none_can_be_believed() -> (
    None
):
    wild = Y.copy()
    wild[16] = 40.1
    nothing = judged(candidate(MEAN), y=wild)
    assert "One row does not follow (row 17: 40.1, expected " in nothing.reasons[1]
    assert nothing.advice[0].startswith("Check the rows that do not follow")
    mostly_noise = judged(candidate(STEEP, rms=0.5), y=wild)
    assert mostly_noise.kind == "doubtful"
    assert any("row 17: 40.1" in reason for reason in mostly_noise.reasons)


def test_by_a_robust_loss_wild_rows_are_named_and_the_others_judge() -> None:
    y = Y.copy()
    y[[4, 50]] = 30.0
    both = found(line(), candidate(STEEP, bic=0.0))
    by_squares = verdict(both, 0, rows(y), ["t"])
    robust = verdict(both, 0, rows(y), ["t"], "huber")
    assert any('loss="huber"' in advice for advice in by_squares.advice)
    assert robust.kind == "trusted"
    assert robust.reasons[-1].startswith("2 rows do not follow (row ")
    assert robust.reasons[-1].endswith("by the loss, they count for nothing.")
    assert robust.advice == ()


def test_by_a_relative_loss_rows_count_by_what_is_expected_of_them() -> None:
    weight = rows().relative_to(FREE).weight
    assert weight is not None
    near, far = np.argmin(np.abs(X[:, 0] - 0.5)), np.argmin(np.abs(X[:, 0] - 1.0))
    expected = (X[far, 0] / X[near, 0]) ** 2
    assert weight[near] / weight[far] == pytest.approx(expected)

"""What makes a result trusted, plausible, doubtful or nothing, reason by reason."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from found import LINE, MEAN, ONE, candidate, found

from eqlearn._types import Array
from eqlearn.data.scale import domain_of_use
from eqlearn.model.model import Verdict
from eqlearn.network.graph import CONSTANT, Graph, Node
from eqlearn.search.conclude.judged_rows import JudgedRows
from eqlearn.search.conclude.verdict import verdict
from eqlearn.search.strategy import STANDARD
from eqlearn.training.levenberg import fit

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
    assert "Every formula found that says something else is far behind." in said.reasons


def test_what_differs_only_between_two_words_is_no_rival() -> None:
    """An input `kind=oak` is 0 or 1, where k and sin(pi*k/2) are the same."""
    ours = Graph(2, (), (({0: 2.0, 1: 1.0}, ONE),), fixed=FREE.fixed)
    bent = Graph(2, (Node("sin", ({1: np.pi / 2},)),), (({0: 2.0, 2: 1.0}, ONE),))
    both = line(graph=ours), candidate(bent, rms=RMS, bic=-99.5)
    k = np.resize([0.0, 1.0, 1.0], len(X))

    def said_of(x: Array) -> Verdict:
        domain = np.stack(domain_of_use(x), axis=1)
        rows = JudgedRows.of(x, Y + k, domain, STANDARD.judging)
        return verdict(found(*both), 0, rows, ["x", "kind=oak"])

    assert said_of(np.c_[X, k]).kind == "trusted"
    # Of another input there is more between its values, and beyond.
    k[0] = 1e-9
    assert said_of(np.c_[X, k]).kind == "doubtful"


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


def test_a_close_imitation_of_a_law_without_noise_is_not_exact() -> None:
    smooth = 1e-10 * np.sin(3 * X[:, 0])
    said = judged(line(rms=float(np.std(smooth))), y=2.0 * X[:, 0] + smooth)
    assert said.kind == "doubtful"
    assert not any("exact" in reason for reason in said.reasons)
    assert any("What it leaves is not noise" in reason for reason in said.reasons)
    # The digits that a table leaves out are in no order.
    digits = np.round(2.0 * X[:, 0], 9)
    assert judged(line(rms=3e-10), y=digits).kind == "trusted"


def test_a_long_formula_that_is_not_quite_exact_must_have_been_found_again() -> None:
    chain = [Node("sin", ({k: 1.0},)) for k in range(20)]
    long = Graph(1, tuple(chain), (({20: 2.0}, ONE),))
    digits = np.round(long.evaluate(X)[0][:, 0], 9)
    said = judged(line(graph=long, rms=3e-10, votes=1), y=digits)
    assert said.kind == "plausible"
    assert any("only one independent attempt ended in it" in r for r in said.reasons)


def test_a_long_formula_found_once_must_predict_what_was_held_out() -> None:
    rng = np.random.default_rng(3)
    x = np.linspace(-2.0, 2.0, 40)[:, None]
    powers = [Node("multiply", ({0: 1.0}, {k: 1.0})) for k in range(8)]
    terms = dict.fromkeys((CONSTANT, *range(9)), 0.1)
    fixed = {(slot, source) for slot in range(16) for source in (0, slot // 2)}
    series = Graph(1, tuple(powers), ((terms, ONE),), frozenset({*fixed, (17, -1)}))
    y = np.sin(2 * x[:, 0]) + 0.1 * rng.normal(size=40)
    domain = np.array([[-2.0, 2.0]])
    data = JudgedRows.of(x, y, domain, STANDARD.judging)
    fitted = fit(series, data.samples)
    rms = float(np.sqrt(fitted.sse / 40))

    def said(votes: int) -> Verdict:
        one = candidate(graph=fitted.graph, rms=rms, votes=votes)
        return verdict(found(one), 0, data, ["t"])

    misses = "Fitted without the"
    assert any(reason.startswith(misses) for reason in said(1).reasons)
    assert not any(reason.startswith(misses) for reason in said(5).reasons)


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
    cut_short = judged(line(rms=1.0), y=2.0 * X[:, 0] + noise, ended="time")
    assert cut_short.advice == said.advice  # more time finds no missing input


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
        ({"ended": "time"}, "Time was up."),
        ({"ended": "interrupt"}, "The search was interrupted."),
    ],
)
def test_how_it_ended_is_said_and_is_no_evidence(
    changes: dict[str, Any], said: str
) -> None:
    judgement = judged(line(), **changes)
    assert (judgement.kind, judgement.reasons[-1]) == ("trusted", said)


def test_more_time_is_advised_where_a_search_ended_before_it_could_be_trusted() -> None:
    wavy = Y + 0.05 * np.sin(20 * X[:, 0])
    more = "Give it more time or another seed."
    assert judged(line(), ended="time").advice == ()
    assert judged(line(), y=wavy, ended="time").advice[-1] == more
    assert judged(line(), y=wavy, ended="interrupt").advice[-1] == more
    assert more not in judged(line(), y=wavy).advice


def test_that_others_are_far_behind_is_not_said_of_an_input_that_others_stand_for() -> (
    None
):
    x = np.column_stack([X[:, 0], X[:, 0]])
    graph = Graph(2, (), (({0: 2.0}, ONE),), frozenset({(1, CONSTANT)}))
    other = Graph(2, (), (({0: 2.5}, ONE),))
    data = JudgedRows.of(x, Y, np.repeat(DOMAIN, 2, axis=0), STANDARD.judging)
    both = found(line(graph=graph), candidate(other, bic=0.0))
    said = verdict(both, 0, data, ["t", "u"])
    assert any("The rows do not tell t from other inputs" in r for r in said.reasons)
    assert not any("far behind" in reason for reason in said.reasons)


def test_a_column_to_be_left_out_is_named_once() -> None:
    rng = np.random.default_rng(1)
    a, b = rng.uniform(1.0, 5.0, (2, 200))
    y = a * b + NOISE
    x = np.column_stack([a, b, 1.02 * y])
    copy = Graph(3, (), (({2: 0.98}, ONE),), frozenset({(1, CONSTANT)}))
    domain = np.stack([x.min(axis=0) - 2.0, x.max(axis=0) + 2.0], axis=1)
    data = JudgedRows.of(x, y, domain, STANDARD.judging)
    one = line(graph=copy, rms=1e-3 * data.spread)
    said = verdict(found(one), 0, data, ["a", "b", "total"])
    assert any("total was not varied by itself" in reason for reason in said.reasons)
    (advice,) = [a for a in said.advice if "Leave" in a]
    assert advice.startswith("Leave total out if it was computed from the target")


def test_where_few_rows_count_nothing_is_found_and_that_is_said() -> None:
    wander = np.cumsum(0.1 * np.random.default_rng(2).normal(size=200))
    wild = np.where(np.arange(200) == 7, 50.0, wander)
    crowding = 1 / 12 - 1 / 200
    said = judged(candidate(MEAN), y=wild, crowding=crowding, ended="time")
    assert said.kind == "nothing"
    assert said.reasons == (
        "No formula explains more of the target than its mean does.",
        "Successive rows are off alike, as by a drift or a slow sensor: "
        "200 rows count as about 12.",
    )
    assert said.advice == ("More rows, or rows over a wider range, would settle it.",)


def test_rows_that_are_too_few_for_they_belong_together_are_told_from_all() -> None:
    rng = np.random.default_rng(4)
    x = rng.uniform(-1, 1, (400, 1))
    y = 2.0 * x[:, 0] + np.cumsum(0.02 * rng.normal(size=400))
    best = found(line(rms=float(np.std(y - 2.0 * x[:, 0]))))
    data = JudgedRows.of(x, y, DOMAIN, STANDARD.judging)
    said = verdict(best, 0, data, ["t"])
    (few,) = (reason for reason in said.reasons if "too few to tell" in reason)
    assert few.startswith("Of 400 rows, the ")
    assert few.endswith(
        " that are far enough apart are too few to tell noise from part of a law."
    )


def over(zero: float) -> Graph:
    """2t / (1 - t / zero), both constants fitted."""
    below = {CONSTANT: 1.0, 0: -1.0 / zero}
    return Graph(1, (), (({0: 2.0}, below),), frozenset({(1, CONSTANT)}))


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


def test_a_pole_that_no_fit_has_placed_is_the_law_s_own() -> None:
    exact = over(2.5).evaluate(X)[0][:, 0]
    fitted = line(graph=over(2.5), rms=RMS, has_pole=True)
    given = replace(over(2.5), fixed=frozenset({(1, CONSTANT), (1, 0), (0, 0)}))
    said = judged(replace(fitted, snapped=given), y=exact + NOISE)
    assert "It has a pole in the domain of use." in said.reasons
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
    assert mostly_noise.advice[0].startswith("Check the rows that do not follow")
    assert len(mostly_noise.advice) > 1


def test_by_a_robust_loss_wild_rows_are_named_and_the_others_judge() -> None:
    y = Y.copy()
    y[[4, 50]] = 30.0
    both = found(line(), candidate(STEEP, bic=0.0))
    by_squares = verdict(both, 0, rows(y), ["t"])
    robust = verdict(both, 0, rows(y), ["t"], "huber")
    assert any("the loss huber" in advice for advice in by_squares.advice)
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


def by_weights(weight: Array, graph: Graph, y: Array) -> Verdict:
    weight = weight / np.mean(weight)
    left = y - graph.evaluate(X)[0][:, 0]
    rms = float(np.sqrt(np.mean(weight * left**2)))
    seen = JudgedRows.of(X, y, DOMAIN, STANDARD.judging, weight)
    one = candidate(graph=graph, rms=rms, votes=1)
    return verdict(found(one), 0, seen, ["t"])


def test_a_formula_that_a_few_rows_decide_by_their_weights_is_doubtful() -> None:
    """It goes through those that count, which looked like an exact law."""
    heaviest = 2.0 * X[:, 0] + NOISE * (np.arange(200) < 199)
    weight = np.logspace(-300, 300, 200)
    said = by_weights(weight, FREE, heaviest)
    assert said.kind == "doubtful"
    assert not any("exact" in reason for reason in said.reasons)
    assert any("the rows count as 1.0, for 1 constants" in one for one in said.reasons)


def test_an_exact_law_is_one_by_any_weights() -> None:
    assert (
        by_weights(np.logspace(-300, 300, 200), FREE, 2.0 * X[:, 0]).kind == "trusted"
    )


def test_weights_of_errors_over_many_decades_are_no_fault() -> None:
    errors = np.logspace(-6, 0, 200)
    y = 2.0 * X[:, 0] + errors * RNG.normal(size=200)
    said = by_weights(errors**-2, FREE, y)
    assert not any("By their weights" in reason for reason in said.reasons)

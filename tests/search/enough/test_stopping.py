"""When a search stops, case by case."""

from dataclasses import replace
from typing import Any

import pytest

from eqlearn.search.enough.residual_structure import Left
from eqlearn.search.enough.stopping import (
    DECISIVE,
    Ahead,
    Evidence,
    Reason,
    reason_to_stop,
)
from eqlearn.search.strategy import Stopping

BY = Stopping(close=15.0, votes=3, networks=4, networks_of_structure=8, patience=10)
#: Nothing speaks for an end: a formula of five constants, found once.
OPEN = Evidence(
    n_attempts=60,
    most_attempts=400,
    least_attempts=24,
    is_exact=False,
    is_mean=False,
    left=Left.UNKNOWN,
    n_parameters=5,
    n_votes=1,
    n_networks=1,
    n_agreeing=1,
    n_in_vain=0,
)


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({}, None),
        ({"n_attempts": 400}, Reason.ATTEMPTS),
        ({"n_attempts": 400, "is_exact": True}, Reason.ATTEMPTS),
        ({"is_exact": True}, Reason.EXACT),
        ({"is_exact": True, "n_attempts": 1}, Reason.EXACT),
        # Nothing beats the mean: believed once the inputs were taken as angles.
        ({"is_mean": True}, Reason.MEAN),
        ({"is_mean": True, "n_attempts": 23}, None),
        ({"is_mean": True, "n_attempts": 23, "n_networks": 9}, None),
        # Networks agree by no rule, so they are believed at any time.
        ({"n_networks": 4}, Reason.NETWORKS),
        ({"n_networks": 4, "n_attempts": 10}, Reason.NETWORKS),
        ({"n_networks": 3}, None),
        ({"n_networks": 4, "left": Left.NOISE}, Reason.NETWORKS),
        ({"n_networks": 4, "left": Left.UNCLEAR}, Reason.NETWORKS),
        # If part of the law is left, they share an imitation: it takes twice as many.
        ({"n_networks": 7, "left": Left.STRUCTURE}, None),
        ({"n_networks": 8, "left": Left.STRUCTURE}, Reason.NETWORKS),
        # Fractions agree by themselves at first, and where part of the law is left.
        ({"n_votes": 3}, Reason.VOTES),
        ({"n_votes": 2}, None),
        ({"n_votes": 9, "n_attempts": 23}, None),
        ({"n_votes": 9, "left": Left.STRUCTURE}, None),
        # What differs in an idle term is one formula.
        ({"n_agreeing": 3}, Reason.VOTES),
        ({"n_agreeing": 3, "n_attempts": 23}, None),
        # Only noise is left: ten attempts in vain for each parameter are enough.
        ({"n_in_vain": 50, "left": Left.NOISE}, Reason.PATIENCE),
        ({"n_in_vain": 49, "left": Left.NOISE}, None),
        ({"n_in_vain": 50, "left": Left.NOISE, "n_parameters": 6}, None),
        ({"n_in_vain": 399, "left": Left.UNKNOWN}, None),
        ({"n_in_vain": 399, "left": Left.STRUCTURE}, None),
        ({"n_in_vain": 50, "left": Left.NOISE, "n_attempts": 20}, None),
    ],
)
def test_when_a_search_stops(changed: dict[str, Any], reason: Reason | None) -> None:
    assert reason_to_stop(replace(OPEN, **changed), BY) is reason


def test_the_numbers_are_those_of_the_strategy() -> None:
    twice = replace(OPEN, n_votes=2)
    assert reason_to_stop(twice, replace(BY, votes=2)) is Reason.VOTES


def test_a_formula_is_new_if_it_is_better_by_more_than_a_close_one_may_be() -> None:
    first = Ahead().after(-100.0, 7, BY)
    assert first == Ahead(-100.0, 7)
    assert first.after(-110.0, 12, BY) == first  # it may be the same law
    assert first.after(-116.0, 12, BY) == Ahead(-116.0, 12)


LEADS = Stopping(
    lead=30.0,
    lead_in_doubt=300.0,
    most_parameters=6,
    beyond_doubt=100.0,
    kinds_before_doubt_ends=4,
    few_parameters=4,
    fewest_parameters=2,
    clear=10.0,
    kinds_of_size=(8, 8, 9, 12, 16),
)
NOISE = replace(OPEN, left=Left.NOISE)


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"lead": 30.0}, Reason.LEAD),
        ({"lead": 29.0}, None),
        ({"lead": 30.0, "n_parameters": 6}, Reason.LEAD),
        ({"lead": 1e9, "n_parameters": 7}, None),
        # Until inputs were taken as angles, a long one may imitate sines.
        ({"lead": 30.0, "n_parameters": 4, "least_attempts": 99}, Reason.LEAD),
        ({"lead": 1e9, "n_parameters": 5, "least_attempts": 99}, None),
        # Alone of its size, it may be less ahead of longer ones, once some were tried.
        ({"lead": 10.0, "lead_of_size": 100.0, "n_kinds": 4}, Reason.LEAD),
        ({"lead": 9.0, "lead_of_size": 100.0, "n_kinds": 4}, None),
        ({"lead": 10.0, "lead_of_size": 99.0, "n_kinds": 4}, None),
        ({"lead": 10.0, "lead_of_size": 100.0, "n_kinds": 3}, None),
        # What is left may be part of a law: one in fifty times it looks so by chance.
        ({"lead": 299.0, "left": Left.UNCLEAR}, None),
        ({"lead": 300.0, "left": Left.UNCLEAR}, Reason.LEAD),
        # Of an imitation not every constant is simple.
        ({"lead": 60.0, "left": Left.UNCLEAR, "n_odd": 0}, Reason.LEAD),
        ({"lead": 59.0, "left": Left.UNCLEAR, "n_odd": 0}, None),
        ({"lead": 1e9, "left": Left.STRUCTURE}, None),
        ({"lead": 1e9, "left": Left.UNKNOWN}, None),
        # Few rows do not tell what is left: the shortest formulas are enough.
        (
            {"lead": 30.0, "left": Left.UNKNOWN, "n_parameters": 2, "n_kinds": 4},
            Reason.LEAD,
        ),
        ({"lead": 1e9, "left": Left.UNKNOWN, "n_parameters": 3, "n_kinds": 4}, None),
        ({"lead": 1e9, "left": Left.UNKNOWN, "n_parameters": 2, "n_kinds": 3}, None),
    ],
)
def test_a_short_formula_that_is_far_ahead_is_enough(
    changed: dict[str, Any], reason: Reason | None
) -> None:
    assert reason_to_stop(replace(NOISE, **changed), LEADS) is reason


@pytest.mark.parametrize(
    ("n_parameters", "lead", "lead_of_size", "n_kinds", "reason"),
    [
        # The shortest are beyond doubt at any time.
        (2, 30.0, 30.0, 0, Reason.LEAD),
        (2, 29.0, 29.0, 7, None),
        # Short ones are once nothing of their size comes near and the cheapest kinds
        # were tried: what is longer may be as close as what is not enough.
        (3, 10.0, 100.0, 4, Reason.LEAD),
        (4, 10.0, 100.0, 4, Reason.LEAD),
        (4, 9.0, 100.0, 4, None),
        (4, 30.0, 99.0, 4, None),
        (4, 1e9, 1e9, 3, None),
        (5, 1e9, 1e9, 4, None),
    ],
)
def test_before_other_kinds_were_looked_for_only_short_formulas_are_enough(
    n_parameters: int,
    lead: float,
    lead_of_size: float,
    n_kinds: int,
    reason: Reason | None,
) -> None:
    early = replace(
        NOISE,
        is_surveyed=False,
        n_parameters=n_parameters,
        lead=lead,
        lead_of_size=lead_of_size,
        n_kinds=n_kinds,
    )
    assert reason_to_stop(early, LEADS) is reason


@pytest.mark.parametrize(
    ("n_odd", "n_kinds", "reason"),
    [(1, 0, Reason.LEAD), (2, 0, None), (2, 2, None), (2, 3, Reason.LEAD)],
)
def test_constants_that_are_not_simple_may_stand_for_a_law_that_has_none(
    n_odd: int, n_kinds: int, reason: Reason | None
) -> None:
    """Of m/√(1 - v²/c²), 0.998 m exp(0.553 v²/c²) is an imitation."""
    plain = replace(
        NOISE, is_surveyed=False, n_parameters=2, lead=30.0, lead_of_size=30.0
    )
    by = replace(LEADS, most_odd=1, kinds_before_odd=3)
    assert reason_to_stop(replace(plain, n_odd=n_odd, n_kinds=n_kinds), by) is reason


def test_four_constants_are_no_size_before_inputs_were_taken_as_angles() -> None:
    ahead = replace(NOISE, lead_of_size=99.0, n_kinds=16, least_attempts=99)
    assert reason_to_stop(replace(ahead, n_parameters=3), LEADS) is Reason.SIZE
    assert reason_to_stop(replace(ahead, n_parameters=4), LEADS) is None


@pytest.mark.parametrize("changed", [{"n_networks": 99}, {"n_votes": 99}])
def test_before_other_kinds_were_looked_for_nobody_agrees(
    changed: dict[str, Any],
) -> None:
    agreed = replace(NOISE, **changed)
    assert reason_to_stop(agreed, LEADS) is not None
    assert reason_to_stop(replace(agreed, is_surveyed=False), LEADS) is None


@pytest.mark.parametrize(
    ("n_parameters", "lead_of_size", "n_kinds", "reason"),
    [
        # Ahead of its size: all formulas of its size were looked for.
        (3, 10.0, 9, Reason.SIZE),
        (3, 10.0, 8, None),
        (1, 10.0, 8, Reason.SIZE),
        (4, 10.0, 12, Reason.SIZE),
        # As good as another: those with one constant more have had their chance too.
        (3, 9.0, 11, None),
        (3, 9.0, 12, Reason.SIZE),
        (4, 9.0, 15, None),
        (4, 9.0, 16, Reason.SIZE),
        # Of many constants it is not known which kinds find them all.
        (5, 1e9, 99, None),
    ],
)
def test_the_shortest_formula_is_enough_once_all_of_its_size_were_looked_for(
    n_parameters: int, lead_of_size: float, n_kinds: int, reason: Reason | None
) -> None:
    evidence = replace(
        NOISE, n_parameters=n_parameters, lead_of_size=lead_of_size, n_kinds=n_kinds
    )
    for is_surveyed in (True, False):
        surveyed = replace(evidence, is_surveyed=is_surveyed)
        assert reason_to_stop(surveyed, LEADS) is reason
    unclear = replace(evidence, left=Left.UNCLEAR)
    assert reason_to_stop(unclear, LEADS) is None


def test_reasons_that_end_all_doubt_are_not_those_of_patience() -> None:
    assert set(DECISIVE) == {Reason.EXACT, Reason.LEAD, Reason.SIZE}


def test_a_sum_waits_until_other_functions_were_looked_for() -> None:
    # r - r²/2 stands for log(1 + r), u + u³/6 for an arc sine.
    short = replace(
        OPEN,
        n_attempts=0,
        n_parameters=1,
        left=Left.NOISE,
        is_surveyed=False,
        lead=60.0,
    )
    assert reason_to_stop(short, Stopping()) is Reason.LEAD
    in_terms = replace(short, is_plain=False)
    assert reason_to_stop(in_terms, Stopping()) is None
    later = replace(in_terms, n_kinds=Stopping().kinds_before_doubt_ends)
    assert reason_to_stop(later, Stopping()) is not None


def test_before_other_kinds_a_sum_must_be_no_series_and_far_ahead_of_all() -> None:
    sum_of_terms = replace(
        OPEN,
        is_surveyed=False,
        is_plain=False,
        left=Left.NOISE,
        n_attempts=0,
        n_parameters=3,
        n_kinds=0,
        lead=120.0,
        lead_of_size=500.0,
    )
    assert reason_to_stop(sum_of_terms, BY) is None
    no_series = replace(sum_of_terms, is_no_series=True)
    assert reason_to_stop(no_series, BY) is Reason.LEAD
    assert reason_to_stop(replace(no_series, lead=90.0), BY) is None
    assert reason_to_stop(replace(no_series, lead_of_size=90.0), BY) is None
    assert reason_to_stop(replace(no_series, n_parameters=5), BY) is None

"""When a search stops, case by case."""

from dataclasses import replace
from typing import Any

import pytest

from eqlearn.search.keep.residual_structure import Left
from eqlearn.search.keep.stopping import Ahead, Evidence, Reason, reason_to_stop
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

"""Looks and batches of attempts take turns, unless attempts only wait for looks."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tasks import target_of, task_of

from eqlearn.jobs.job import Stage
from eqlearn.search import fast_plan
from eqlearn.search.enough.residual_structure import Left
from eqlearn.search.enough.stopping import Evidence
from eqlearn.search.fast_plan import FastPlan
from eqlearn.search.strategy import STANDARD

N_LOOKS = 3


class Looking:
    """A survey in which nothing is ever found."""

    is_open, n_kinds = True, STANDARD.survey.n_quick

    def __init__(self, *given: Any) -> None:
        pass

    def first(self) -> Stage:
        return Stage(lambda index: None, lambda index, state: False)

    opening = first

    def looks(self) -> Iterator[Stage]:
        yield from (self.first() for _ in range(N_LOOKS))


def evidence(n_networks: int) -> Evidence:
    """What there is to show for a long formula that networks have found so often."""
    return Evidence(
        n_attempts=20,
        most_attempts=400,
        least_attempts=10,
        is_exact=False,
        is_mean=False,
        left=Left.NOISE,
        n_parameters=9,
        n_votes=0,
        n_networks=n_networks,
        n_agreeing=0,
        n_in_vain=0,
        is_surveyed=False,
    )


@pytest.mark.parametrize(("agree", "n_batches"), [(False, N_LOOKS), (True, 0)])
def test_what_attempts_agree_on_only_waits_for_looks(
    agree: bool, n_batches: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fast_plan, "SurveyPlan", Looking)
    x = np.random.default_rng(0).uniform(1, 2, (60, 2))
    task = replace(task_of(x, x[:, 0] * x[:, 1]), survey_units=("exp",))
    plan = FastPlan(target_of(task))
    shown = evidence(STANDARD.stopping.networks if agree else 0)
    monkeypatch.setattr(plan, "_evidence", lambda: shown)
    asked: list[tuple[int, int]] = []

    def attempts(first: int, end: int) -> Stage:
        asked.append((first, end))
        plan._learned += [plan._learned[-1]] * (end - first)  # that came to nothing
        return Looking().first()

    monkeypatch.setattr(plan, "_attempts", attempts)
    for _ in plan._round(0, 50):
        pass
    # When there is nothing more to look for, all the other batches are there to make.
    *by_turns, last = asked
    assert by_turns == [(k, k + 1) for k in range(n_batches)]
    assert last == (n_batches, 50)

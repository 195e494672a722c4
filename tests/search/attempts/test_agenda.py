import itertools
import math
from collections.abc import Iterator

import numpy as np
import pytest
from tasks import task_of

from eqlearn.search.attempts import agenda
from eqlearn.search.attempts.agenda import (
    Attempt,
    attempts,
    batch,
    batch_job,
    n_before,
    n_until_angles,
    outcomes,
)
from eqlearn.search.attempts.feature_fractions import first_fractions
from eqlearn.search.attempts.input_views import View
from eqlearn.search.strategy import STANDARD
from eqlearn.search.task import Task


def table(n_inputs: int = 2) -> Task:
    rng = np.random.default_rng(0)
    x = rng.uniform(1, 2, (60, n_inputs))
    return task_of(x, x[:, 0] ** 2 + 0.01 * rng.normal(size=60))


def kinds(n_inputs: int, n: int) -> str:
    """N for a network, f for fractions, attempt by attempt."""
    stream = itertools.islice(attempts(table(n_inputs)), n)
    return "".join("N" if one.is_network else "f" for one in stream)


def test_small_fractions_come_first_then_networks_and_larger_ones_by_turns() -> None:
    n_first = len(first_fractions(2, STANDARD.fractions))
    assert kinds(2, n_first + 7) == "f" * n_first + "f" + "NfNfNf"
    n_first = len(first_fractions(4, STANDARD.fractions))
    assert kinds(4, n_first + 7) == "f" * n_first + "f" + "NNfNNf"


@pytest.mark.parametrize("n_inputs", [1, 2, 4, 6])
def test_by_then_every_input_or_four_of_them_were_angles(n_inputs: int) -> None:
    n = n_until_angles(n_inputs, STANDARD)
    taken = [
        argument.angles
        for one in itertools.islice(attempts(table(n_inputs)), n)
        for argument in getattr(one.make, "args", ())
        if hasattr(argument, "angles") and argument.angles
    ]
    assert len(taken) == min(n_inputs, 4)


def test_half_of_the_jobs_can_always_be_under_way() -> None:
    before = [n_before(index, STANDARD) for index in range(41)]
    assert before[:5] == [0, 0, 0, 1, 2]
    assert before[40] == 20
    assert all(later >= earlier for earlier, later in itertools.pairwise(before))


def test_a_batch_is_cut_between_attempts_and_goes_on_alike(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    task, job = table(), batch_job(0, 0, View((0, 1)), 0, math.inf)
    whole = batch(task, job.specification, None)
    assert whole.is_done
    monkeypatch.setattr("eqlearn.jobs.job.SEGMENT_SECONDS", 0.0)
    step = batch(task, job.specification, None)
    assert len(outcomes(step.state, STANDARD)) == 1
    while not step.is_done:
        step = batch(task, job.specification, step.state)
    assert step.state == whole.state
    assert len(outcomes(step.state, STANDARD)) == STANDARD.agenda.batch


def test_attempts_are_told_the_least_residual_so_far(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told: list[float] = []

    def listening(task: Task) -> Iterator[Attempt]:
        real = next(attempts(task))

        def make(residual: float) -> object:
            told.append(residual)
            return real.make(residual)

        return itertools.repeat(Attempt(make, False))  # type: ignore[arg-type]

    task, job = table(), batch_job(0, 3, View((0, 1)), 0, 0.5)
    monkeypatch.setattr(agenda, "attempts", listening)
    batch(task, job.specification, None)
    assert told[0] == 0.5
    assert told[1] == told[2] < 1e-3


def test_a_failed_batch_has_as_many_attempts_without_outcome() -> None:
    assert [one.found for one in outcomes(None, STANDARD)] == [None] * 4

"""Learning motion within a time limit."""

import math
import time

import pytest

from eqlearn.dynamics import candidate_sources
from eqlearn.dynamics.asked import Asked
from eqlearn.network.graph import Graph


def test_sums_of_terms_are_broken_off_when_their_time_is_over(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """R-22: in long logs each takes seconds; those that are found by then count."""

    class Seen:
        def grounds(self, state: int, asked: Asked) -> int:
            return state

    def slow(state: int, by: object) -> list[Graph]:
        while state:
            time.sleep(0.01)
        return []

    monkeypatch.setattr(candidate_sources, "pursued", slow)
    asked, begin = Asked(known={}, time_limit=1.0), time.monotonic()
    deadline = candidate_sources.Watch(begin, 0.0).sums_deadline(asked)
    assert begin < deadline < begin + 1.0
    sums = candidate_sources.simple_sums(Seen(), [0, 1, 2], begin + 0.2, asked)  # type: ignore[arg-type]
    assert sums == {0: []}
    unlimited = Asked(known={})
    assert candidate_sources.Watch(begin, 0.0).sums_deadline(unlimited) == math.inf

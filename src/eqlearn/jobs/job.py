"""Work cut into pure segments, and the order in which their results count.

A job is a chain of segments, each a pure function of the data, the job's
specification and the state that the segment before it left. So a job can be stopped
between any two segments, on any machine, and go on elsewhere with the same result.
"""

import hashlib
import json
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol, TypeAlias

#: How long a segment works before it hands its state back; from the environment, so
#: that it reaches worker processes too.
SEGMENT_SECONDS = float(os.environ.get("EQLEARN_SEGMENT_SECONDS", "2.0"))

#: What a job is about, as JSON can hold it.
Specification: TypeAlias = Mapping[str, Any]


class Step(NamedTuple):
    """What a segment leaves behind."""

    state: bytes  # all that the next segment needs; the result if it was the last
    is_done: bool
    metrics: Mapping[str, Any] = {}  # how it went, for people and plots


#: (data, specification, state) → step; the first segment gets None for a state.
Segment: TypeAlias = Callable[[Any, Specification, bytes | None], Step]


@dataclass(frozen=True)
class Job:
    """A piece of work, cut into segments."""

    name: str
    segment: Segment
    specification: Specification
    data: str  # which of the data it is computed from
    stays_local: bool = False  # whether its data are too large to be sent to a worker
    key: str = field(init=False)  # the same in every run for the same work

    def __post_init__(self) -> None:
        text = json.dumps(self.specification, sort_keys=True)
        digest = hashlib.sha256(text.encode()).hexdigest()[:16]
        object.__setattr__(self, "key", f"{self.name}:{digest}")


@dataclass(frozen=True)
class Stage:
    """Jobs that may run side by side; their results are taken in order of index.

    `job(i)` is None when there are no more. `take(i, state)` gets what job i left, or
    None if it failed or never ran, and tells whether the stage is over. Job i may be
    asked for once `before(i)` results are taken: what it depends on is then known.
    When time is up, what is there is taken, but the first `at_least` jobs are run.
    Until `is_ready`, what the stage needs of other plans is not there.
    """

    job: Callable[[int], Job | None]
    take: Callable[[int, bytes | None], bool]
    before: Callable[[int], int] = lambda index: 0
    share: float = 1.0  # of the time limit, at which its time is up
    at_least: int = 0
    is_ready: Callable[[], bool] = lambda: True


@dataclass(frozen=True)
class Together:
    """Plans that go on side by side; what comes after waits for the last of them."""

    plans: Sequence["Plan"]


class Plan(Protocol):
    """A search: stage after stage, each built on the results of those before."""

    def stages(self) -> Iterator[Stage | Together]:
        """Give the next stage when the last one is over."""
        ...


def attempted(
    data: Any, segment: Segment, specification: Specification, state: bytes | None
) -> tuple[Step | None, str]:
    """Compute one segment; what goes wrong in it is a result too: why there is none."""
    try:
        return segment(data, specification, state), ""
    except Exception as error:  # a candidate's failure must not end the search
        return None, f"{type(error).__name__}: {error}"


class Stopwatch:
    """Tells a segment when it has worked long enough."""

    def __init__(self, seconds: float | None = None) -> None:
        seconds = SEGMENT_SECONDS if seconds is None else seconds
        self._end = time.monotonic() + seconds

    def is_over(self) -> bool:
        """Whether it is time to hand the state back."""
        return time.monotonic() > self._end

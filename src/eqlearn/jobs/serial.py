"""What a backend is, and the simplest one: this process.

A backend is told to start segments and asked what has ended. It knows nothing of
stages, stores or equations; workers touch no files.
"""

import gc
import math
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from types import FrameType
from typing import Any, NamedTuple, Protocol

from eqlearn.jobs.job import Job, Step, attempted


class EndedSegment(NamedTuple):
    """A segment that ended: by a step, an error of its own, or its worker's death."""

    job: Job
    step: Step | None
    error: str = ""
    n_deaths: int = 0


class Started(NamedTuple):
    """A segment that waits to be computed."""

    job: Job
    state: bytes | None
    stop_at: float


class Backend(Protocol):
    """What the runner needs of a place to compute."""

    @property
    def n_workers(self) -> int:
        """How many segments can be computed at the same time."""
        ...

    def start(self, job: Job, state: bytes | None, stop_at: float = math.inf) -> None:
        """Begin the next segment of a job; from `stop_at` on it would be for nothing.

        That is a time of `time.monotonic`, at which the runner will drop it.
        """
        ...

    def ended(self, timeout: float) -> list[EndedSegment]:
        """Wait until a segment has ended, but not longer than this many seconds."""
        ...

    def drop(self, keys: Collection[str]) -> None:
        """Forget segments of these jobs that have not ended."""
        ...


def computed(data: Any, job: Job, state: bytes | None) -> EndedSegment:
    """Compute one segment; what goes wrong in it is a result too."""
    return EndedSegment(job, *attempted(data, job.segment, job.specification, state))


class Serial:
    """Computes in this process, one segment each time it is asked what has ended."""

    n_workers = 1

    def __init__(self, data: Mapping[str, Any]) -> None:
        self._data = data
        self._waiting: deque[Started] = deque()

    def start(self, job: Job, state: bytes | None, stop_at: float = math.inf) -> None:
        """Put a segment in line."""
        self._waiting.append(Started(job, state, stop_at))

    def ended(self, timeout: float) -> list[EndedSegment]:
        """Compute the first in line."""
        del timeout
        if not self._waiting:
            return []
        job, state, stop_at = self._waiting[0]
        try:
            with cut_off(stop_at - time.monotonic()):
                ended = computed(self._data[job.data], job, state)
        except TimeIsUp:
            return []  # still in line, until it is dropped
        self._waiting.popleft()
        return [ended]

    def drop(self, keys: Collection[str]) -> None:
        """Take segments out of the line."""
        kept = [waiting for waiting in self._waiting if waiting.job.key not in keys]
        self._waiting = deque(kept)

    def move_to(self, other: "Backend") -> None:
        """Hand over what is in line."""
        while self._waiting:
            other.start(*self._waiting.popleft())


class TimeIsUp(BaseException):
    """Ends what would come too late; not for `except Exception` within it."""


@contextmanager
def cut_off(seconds: float) -> Iterator[None]:
    """Raise `TimeIsUp` in the midst of what is done in this block, after so long.

    By a signal: in other threads than the first, and where somebody has set an alarm
    already, the block is let go on to its end.
    """
    is_first = threading.current_thread() is threading.main_thread()
    if math.isinf(seconds) or not is_first or not hasattr(signal, "setitimer"):
        yield
        return
    if signal.getitimer(signal.ITIMER_REAL)[0]:
        yield
        return
    block = sys._getframe(2)  # this generator and its manager come first

    def ring(number: int, frame: FrameType | None) -> None:
        frames = list(_outwards(frame))
        if block not in frames:  # left at the very moment when it rang before
            _turned_off(before)
        elif any(_is_uninterrupted(one) for one in frames[: frames.index(block)]):
            signal.setitimer(signal.ITIMER_REAL, _MOMENT, _AGAIN)
        else:
            raise TimeIsUp

    before = signal.signal(signal.SIGALRM, ring)
    try:
        signal.setitimer(signal.ITIMER_REAL, max(seconds, 1e-3), _AGAIN)
        yield
    finally:
        try:
            _turned_off(before)
        finally:  # it may ring here, too, and once at most
            _turned_off(before)


def _turned_off(before: Any) -> None:
    """Silence the alarm, and leave signals to whom they were left before."""
    signal.setitimer(signal.ITIMER_REAL, 0.0)
    signal.signal(signal.SIGALRM, before)


# Packages that call back from native code, through which no exception may pass, and
# those that would leave a module half loaded, or a lock closed for ever; how long
# (seconds) they are let go on before the next try.
_UNINTERRUPTED = ("numba.", "llvmlite.", "weakref.", "importlib.", "coverage.")
_MOMENT = 0.05
# Seconds after which it rings again: somebody may have caught what was raised.
_AGAIN = 1.0


def _outwards(frame: FrameType | None) -> Iterator[FrameType]:
    while frame is not None:
        yield frame
        frame = frame.f_back


def _is_uninterrupted(frame: FrameType) -> bool:
    """Whether what is raised here is lost, or does harm.

    Python ignores what is raised in a `__del__` or a callback of the garbage collector.
    """
    called = frame.f_code
    ignored = (getattr(callback, "__code__", None) for callback in gc.callbacks)
    return (
        f"{frame.f_globals.get('__name__', '')}.".startswith(_UNINTERRUPTED)
        or called.co_name == "__del__"
        or any(called is code for code in ignored)
    )

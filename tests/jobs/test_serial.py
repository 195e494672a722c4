"""R-22: a time limit is kept, however long a segment would take."""

import gc
import os
import signal
import sys
import threading
import time
import weakref
from collections.abc import Iterator
from pathlib import Path
from types import FunctionType
from typing import Any

import pytest
from patience import within
from short_jobs import count, fail, job, one_result

from eqlearn.jobs import backends, serial
from eqlearn.jobs.backends import backend
from eqlearn.jobs.job import Job, Specification, Stage, Step
from eqlearn.jobs.runner import run
from eqlearn.jobs.serial import Serial, TimeIsUp, _is_uninterrupted, cut_off
from eqlearn.jobs.store import Memory


def work(data: Any, specification: Specification, state: bytes | None) -> Step:
    """Compute for a while, and let nothing that goes wrong end it."""
    end = time.monotonic() + specification["seconds"]
    while time.monotonic() < end:
        try:
            sum(range(1000))
        except Exception:
            continue
    return Step(str(os.getpid()).encode(), True)


class LongThenLast:
    """A plan of two long jobs, then one that must always be done."""

    def __init__(self) -> None:
        self.states: list[bytes | None] = []

    def stages(self) -> Iterator[Stage]:
        long = [Job(f"long{i}", work, {"seconds": 60.0}, "data") for i in range(2)]
        yield self._stage(long, share=0.5)
        yield self._stage([Job("last", work, {"seconds": 0.1}, "data")], at_least=1)

    def _stage(self, jobs: list[Job], **options: Any) -> Stage:
        return Stage(
            lambda index: jobs[index] if index < len(jobs) else None,
            self._take,
            **options,
        )

    def _take(self, index: int, state: bytes | None) -> bool:
        self.states.append(state)
        return False


@pytest.mark.parametrize("n_processes", [1, 2])
def test_a_long_segment_does_not_outlast_the_limit(
    n_processes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backends, "BOOT_AFTER", 0.0)
    plan, begin = LongThenLast(), time.monotonic()
    with backend({"data": None}, jobs=n_processes) as place, within(2.0, after=4.0):
        ending = run([plan], place, Memory(), time_limit=4.0)
    assert ending.reason == "time" and plan.states[-1] is not None
    assert plan.states[:-1] in ([None], [None, None])
    assert time.monotonic() - begin > 2.0


def test_what_is_cut_off_is_forgotten_only_when_it_is_dropped(tmp_path: Path) -> None:
    place = Serial({"data": None})
    long = Job("long", work, {"seconds": 60.0}, "data")
    place.start(long, None, time.monotonic() + 0.2)
    assert place.ended(1.0) == [] and place.ended(1.0) == []
    place.drop([long.key])
    place.start(job(count, tmp_path / "n", length=1), None)
    (ended,) = place.ended(1.0)
    assert ended.step == Step(b".", True)


def test_nothing_is_cut_off_in_time() -> None:
    before = signal.getsignal(signal.SIGALRM)
    with cut_off(60.0):
        pass
    with pytest.raises(TimeIsUp), cut_off(0.01):
        time.sleep(10)
    assert signal.getsignal(signal.SIGALRM) is before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_the_alarm_of_somebody_else_stays() -> None:
    signal.setitimer(signal.ITIMER_REAL, 100.0)
    try:
        with cut_off(0.01):
            time.sleep(0.1)
        assert signal.getitimer(signal.ITIMER_REAL)[0] > 90
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)


def test_in_a_thread_a_segment_comes_to_its_end() -> None:
    done: list[bool] = []

    def patient() -> None:
        with cut_off(0.01):
            time.sleep(0.1)
        done.append(True)

    thread = threading.Thread(target=patient)
    thread.start()
    thread.join()
    assert done == [True]


def test_an_error_in_a_segment_is_its_result() -> None:
    ended = one_result(Serial({"data": None}), fail)
    assert ended.step is None and ended.error == "ValueError: it broke"


@pytest.mark.parametrize(
    "name", ["numba.core", "importlib._bootstrap", "coverage.collector"]
)
def test_a_compiler_is_not_interrupted(name: str) -> None:
    """No exception passes through native code that calls back.

    One that ends an import leaves half of a package, and one in the midst of what
    counts lines for `make coverage` left its lock closed for ever.
    """
    ended: list[float] = []
    compiling = FunctionType(
        _compile.__code__, {"__name__": name, "time": time, "ended": ended}
    )
    with pytest.raises(TimeIsUp), cut_off(0.4):
        compiling(0.8)
        time.sleep(5)
    assert ended


def test_what_stands_around_a_block_does_not_keep_its_alarm_from_ringing() -> None:
    """As in a script that is imported, and learns an equation at once."""

    def learn() -> None:
        with pytest.raises(TimeIsUp), cut_off(0.05):
            time.sleep(5)

    importing = FunctionType(
        _call.__code__, {"__name__": "importlib._bootstrap", "learn": learn}
    )
    with within(2.0):
        importing()


def _call() -> None:
    learn()  # type: ignore[name-defined] # noqa: F821


def _compile(seconds: float) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pass
    ended.append(end)  # type: ignore[name-defined] # noqa: F821


def test_an_alarm_that_is_lost_rings_again() -> None:
    """What is raised in a callback of the garbage collector is ignored."""
    rung: list[float] = []

    def ring(number: int, frame: object) -> None:
        rung.append(time.monotonic())
        if len(rung) > 1:
            raise TimeIsUp

    with pytest.raises(TimeIsUp), cut_off(0.01):
        signal.signal(signal.SIGALRM, ring)
        time.sleep(30)
    assert len(rung) == 2


def test_no_alarm_rings_where_python_would_ignore_it() -> None:
    """What is raised there is lost, and told as an error of nobody's."""
    reached: list[bool] = []

    def look() -> None:
        reached.append(_is_uninterrupted(sys._getframe(1)))

    def collecting(phase: str, info: dict[str, int]) -> None:
        look()

    class Dying:
        def __del__(self) -> None:
            look()

    gc.callbacks.append(collecting)
    gc.collect(0)
    gc.callbacks.remove(collecting)
    assert reached == [True, True]  # when it starts, and when it stops
    Dying()
    value = Dying()
    weakref.finalize(value, look)  # called by a method of weakref
    del value
    assert reached == [True] * 5
    look()
    assert not reached[-1]


def test_an_alarm_that_outlives_its_block_is_silent() -> None:
    """Or it would ring in whatever comes next, again and again."""

    def left() -> Any:
        block = cut_off(0.02)
        block.__enter__()
        return block

    block = left()
    time.sleep(0.1)
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    assert signal.getsignal(signal.SIGALRM) == signal.SIG_DFL
    block.__exit__(None, None, None)


def test_an_alarm_that_rings_while_its_block_is_left_is_turned_off(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    turned_off, calls = serial._turned_off, list[int]()

    def rung(before: Any) -> None:
        calls.append(1)
        if len(calls) == 1:
            raise TimeIsUp
        turned_off(before)

    monkeypatch.setattr(serial, "_turned_off", rung)
    with pytest.raises(TimeIsUp), cut_off(30.0):
        pass
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)

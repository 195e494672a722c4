"""Run functions one by one in processes of their own, so that a crash costs one run."""

import math
import os
import signal
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, Generic, TypeVar
from unittest.mock import patch

#: What a function is to do in one process.
Work = TypeVar("Work")

#: One thread each: runs side by side must not fight for cores.
ONE_THREAD = {
    "MKL_NUM_THREADS": "1",
    "NUMBA_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
}

#: Set to "processor", this variable has runs count the time that they compute, so that
#: time limits and times do not depend on what else the machine is doing.
CLOCK = "EQLEARN_BENCHMARK_CLOCK"

#: Seconds by the clock that one of computing may take on a machine with other work.
_SLOWEST = 30.0

#: A process that ended by an error, and one that took too long.
FAILED = CRASHED, STOPPED = "crashed", "stopped"


@dataclass(frozen=True)
class Failure:
    """What came instead of a result."""

    status: str  # one of `FAILED`
    message: str


@dataclass(frozen=True)
class _Running(Generic[Work]):
    work: Work
    process: BaseProcess
    patience: float  # seconds
    stop_at: float


def in_processes(
    function: Callable[[Work], Any],
    works: Iterable[Work],
    n_processes: int,
    patience: Callable[[Work], float],
) -> Iterator[tuple[Work, Any]]:
    """Yield each work with the function's result or a `Failure`, as they end.

    At most `n_processes` run at a time; one that needs more than `patience` seconds is
    stopped. Where time is what a run computes, it may take many times as long by the
    clock. `function` must be importable, works and results must pickle.
    """
    times = _SLOWEST if clock() == "processor" else 1.0
    waiting = deque(works)
    running: dict[Connection, _Running[Work]] = {}
    try:
        while waiting or running:
            while waiting and len(running) < n_processes:
                work = waiting.popleft()
                connection, process = _start(function, work)
                seconds = patience(work) * times
                stop_at = time.monotonic() + seconds
                running[connection] = _Running(work, process, seconds, stop_at)
            for connection, result in _ended(running):
                run = running.pop(connection)
                _end(connection, run.process)
                yield run.work, result
    finally:
        for connection, run in running.items():
            run.process.kill()
            _end(connection, run.process)


def _ended(
    running: Mapping[Connection, _Running[Work]],
) -> list[tuple[Connection, Any]]:
    """Wait until one has a result or its time is over; what came of all that have."""
    left = max(0.0, min(run.stop_at for run in running.values()) - time.monotonic())
    ready = wait(list(running), None if math.isinf(left) else left)
    ended: list[tuple[Connection, Any]] = []
    for connection, run in running.items():
        if connection in ready:
            ended.append((connection, _receive(connection, run.process)))
        elif time.monotonic() >= run.stop_at:
            run.process.kill()
            ended.append((connection, Failure(STOPPED, f"after {run.patience:.0f} s")))
    return ended


def _start(
    function: Callable[[Work], Any], work: Work
) -> tuple[Connection, BaseProcess]:
    # Spawned, not forked: NumPy reads the number of threads when first imported.
    context = get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    # No daemon: those may not have workers of their own.
    process = context.Process(target=_child, args=(theirs, function, work))
    # Safe: a file multiprocessing.py in the working directory must not be run instead.
    with patch.dict(os.environ, {**ONE_THREAD, "PYTHONSAFEPATH": "1"}):
        process.start()
    theirs.close()
    return ours, process


def clock() -> str:
    """What time is counted by: "wall", or "processor"."""
    return os.environ.get(CLOCK, "wall")


def count_work_only() -> None:
    """Let all clocks of this process, and its alarm, go by what it computes.

    That is the whole of a search without workers; of workers' work it sees nothing.
    """
    time.monotonic = time.perf_counter = time.process_time
    for name, other in (("SIGALRM", "SIGPROF"), ("ITIMER_REAL", "ITIMER_PROF")):
        if hasattr(signal, other):
            setattr(signal, name, getattr(signal, other))


def _child(connection: Connection, function: Callable[[Work], Any], work: Work) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent to answer
    threading.Thread(target=_end_with_parent, daemon=True).start()
    if clock() == "processor":
        count_work_only()
    try:
        connection.send(function(work))
    except Exception:
        connection.send(Failure(CRASHED, traceback.format_exc(limit=-3)))


def _end_with_parent() -> None:
    """End this process with its parent: a run of hours must not go on unseen."""
    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


def _receive(connection: Connection, process: BaseProcess) -> Any:
    try:
        return connection.recv()
    except EOFError:  # the process died without a result
        process.join()
        return Failure(CRASHED, f"exit code {process.exitcode}")


def _end(connection: Connection, process: BaseProcess) -> None:
    connection.close()
    process.join(timeout=10)  # it may be held up at its exit, after the result
    if process.is_alive():
        process.kill()
        process.join()

"""Run functions one by one in processes of their own, so that a crash costs one run."""

import math
import os
import signal
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, Generic, TypeVar
from unittest.mock import patch

Job = TypeVar("Job")

#: One thread each: runs side by side must not fight for cores.
ONE_THREAD = {
    "MKL_NUM_THREADS": "1",
    "NUMBA_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
}


#: It ended by an error of its own, or took too long.
FAILED = CRASHED, STOPPED = "crashed", "stopped"


@dataclass(frozen=True)
class Failure:
    """What came instead of a result."""

    status: str  # one of `FAILED`
    message: str


@dataclass(frozen=True)
class _Running(Generic[Job]):
    job: Job
    process: BaseProcess
    stop_at: float


def in_processes(
    function: Callable[[Job], Any],
    jobs: Iterable[Job],
    n_processes: int,
    patience: Callable[[Job], float],
) -> Iterator[tuple[Job, Any]]:
    """Yield each job with the function's result or a `Failure`, as they end.

    At most `n_processes` run at a time; one that needs more than `patience` seconds is
    stopped. `function` must be importable, jobs and results must pickle.
    """
    waiting = deque(jobs)
    running: dict[Connection, _Running[Job]] = {}
    try:
        while waiting or running:
            while waiting and len(running) < n_processes:
                job = waiting.popleft()
                connection, process = _start(function, job)
                stop_at = time.monotonic() + patience(job)
                running[connection] = _Running(job, process, stop_at)
            first_stop = min(run.stop_at for run in running.values())
            left = max(0.0, first_stop - time.monotonic())
            ready = wait(list(running), None if math.isinf(left) else left)
            for connection in list(running):
                run = running[connection]
                if connection in ready:
                    result = _receive(connection, run.process)
                elif time.monotonic() >= run.stop_at:
                    run.process.kill()
                    result = Failure(STOPPED, f"after {patience(run.job):.0f} s")
                else:
                    continue
                del running[connection]
                _end(connection, run.process)
                yield run.job, result
    finally:
        for connection, run in running.items():
            run.process.kill()
            _end(connection, run.process)


def _start(function: Callable[[Job], Any], job: Job) -> tuple[Connection, BaseProcess]:
    # Spawned, not forked: NumPy reads the number of threads when first imported.
    context = get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    # No daemon: those may not have workers of their own.
    process = context.Process(target=_child, args=(theirs, function, job))
    with patch.dict(os.environ, ONE_THREAD):
        process.start()
    theirs.close()
    return ours, process


def _child(connection: Connection, function: Callable[[Job], Any], job: Job) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent to answer
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        connection.send(function(job))
    except Exception:
        connection.send(Failure(CRASHED, traceback.format_exc(limit=-3)))


def _end_with_parent() -> None:
    """Leave nothing behind that goes on for hours and holds what others need."""
    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


def _receive(connection: Connection, process: BaseProcess) -> Any:
    try:
        return connection.recv()
    except EOFError:  # it died without a word
        process.join()
        return Failure(CRASHED, f"exit code {process.exitcode}")


def _end(connection: Connection, process: BaseProcess) -> None:
    connection.close()
    process.join(timeout=10)  # it may be held up at its exit, after the result
    if process.is_alive():
        process.kill()
        process.join()

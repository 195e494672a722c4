"""Where segments are computed: in this process, or by Dask in many.

A backend is told to start segments and asked what has ended. It knows nothing of
stages, stores or equations; workers touch no files.
"""

import logging
import math
import os
import re
import signal
import socket
import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import closing, contextmanager, suppress
from functools import partial
from multiprocessing import resource_tracker, spawn
from typing import Any, NamedTuple, Protocol
from uuid import uuid4

from eqlearn.errors import is_whole, must
from eqlearn.jobs.job import Job, Step

#: A search that is not over by then (seconds) gets worker processes.
BOOT_AFTER = 6.0
#: How long to try to reach a scheduler, in seconds.
CONNECT_SECONDS = 10.0
RESUME = "Start the same command again to go on."

logger = logging.getLogger(__name__)


class EndedSegment(NamedTuple):
    """A segment that ended: by a step, an error of its own, or its worker's death."""

    job: Job
    step: Step | None
    error: str = ""
    n_deaths: int = 0


class Backend(Protocol):
    """What the runner needs of a place to compute."""

    @property
    def n_workers(self) -> int:
        """How many segments can be computed at the same time."""
        ...

    def start(self, job: Job, state: bytes | None) -> None:
        """Begin the next segment of a job."""
        ...

    def ended(self, timeout: float) -> list[EndedSegment]:
        """Wait until a segment has ended, but not longer than this many seconds."""
        ...

    def drop(self, keys: Collection[str]) -> None:
        """Forget segments of these jobs that have not ended."""
        ...


def computed(data: Any, job: Job, state: bytes | None) -> EndedSegment:
    """Compute one segment; what goes wrong in it is a result too."""
    try:
        return EndedSegment(job, job.segment(data, job.specification, state))
    except Exception as error:  # a candidate's failure must not end the search
        return EndedSegment(job, None, f"{type(error).__name__}: {error}")


class Serial:
    """Computes in this process, one segment each time it is asked what has ended."""

    n_workers = 1

    def __init__(self, data: Mapping[str, Any]) -> None:
        self._data = data
        self._waiting: deque[tuple[Job, bytes | None]] = deque()

    def start(self, job: Job, state: bytes | None) -> None:
        """Put a segment in line."""
        self._waiting.append((job, state))

    def ended(self, timeout: float) -> list[EndedSegment]:
        """Compute the first in line."""
        del timeout
        if not self._waiting:
            return []
        job, state = self._waiting.popleft()
        return [computed(self._data[job.data], job, state)]

    def drop(self, keys: Collection[str]) -> None:
        """Take segments out of the line."""
        kept = [waiting for waiting in self._waiting if waiting[0].key not in keys]
        self._waiting = deque(kept)

    def move_to(self, other: "Backend") -> None:
        """Hand over what is in line."""
        while self._waiting:
            other.start(*self._waiting.popleft())


class Cluster:
    """Computes on the workers of a Dask cluster."""

    def __init__(self, client: Any, data: Mapping[str, Any]) -> None:
        self._client = client
        self._data = data
        self._sent: dict[str, str] = {}
        self._running: dict[Any, Job] = {}
        self._home = Serial(data)

    @property
    def n_workers(self) -> int:
        """Workers at present: a cluster may grow and shrink."""
        return max(1, len(self._client.scheduler_info(n_workers=-1)["workers"]))

    def start(self, job: Job, state: bytes | None) -> None:
        """Submit a segment, or keep it here if its data are too large to send."""
        if job.stays_local:
            self._home.start(job, state)
            return
        from eqlearn.jobs.worker import compute

        sent = self._at_workers(job.data)
        future = self._client.submit(compute, sent, job, state, pure=False)
        self._running[future] = job

    def _at_workers(self, name: str) -> str:
        """What the data are called at every worker, also one that comes later.

        As a future they would be at one worker, and Dask prefers that one for all that
        depends on them: the others would go hungry.
        """
        if name not in self._sent:
            from eqlearn.jobs.worker import WorkerData

            data, called = WorkerData(self._data[name]), f"eqlearn-{uuid4().hex}"
            try:
                self._client.register_plugin(data, name=called)
            except OSError:  # a worker has just died
                self._client.register_plugin(data, name=called)
            self._sent[name] = called
        return self._sent[name]

    def close(self) -> None:
        """Leave nothing behind at the workers."""
        if self._client.status != "running":
            return
        for called in self._sent.values():
            with suppress(OSError):  # a worker has just died
                self._client.unregister_worker_plugin(called)

    def ended(self, timeout: float) -> list[EndedSegment]:
        """Wait for the first of the running segments."""
        if done := self._home.ended(timeout):
            return done
        if not self._running:
            return []
        import distributed

        try:
            with self._client.as_current():
                distributed.wait(
                    list(self._running), timeout, return_when="FIRST_COMPLETED"
                )
        except (TimeoutError, distributed.TimeoutError, distributed.CancelledError):
            pass
        over = [future for future in self._running if future.done()]
        outcomes = [_outcome(self._running.pop(future), future) for future in over]
        # A lost scheduler takes the segments with it, and that is no fault of theirs.
        # Asked last: it may be lost while they are fetched.
        if self._client.status != "running":
            what = "the address of a running scheduler"
            raise must("scheduler", what, "a lost connection", RESUME)
        for future in over:
            # At once: Dask computes again what a dead worker had and someone may want.
            future.release()
        return outcomes

    def drop(self, keys: Collection[str]) -> None:
        """Cancel what is submitted; a segment already running ends for nothing."""
        self._home.drop(keys)
        dropped = [f for f, job in self._running.items() if job.key in keys]
        for future in dropped:
            del self._running[future]
        if dropped:
            self._client.cancel(dropped)


def _outcome(job: Job, future: Any) -> EndedSegment:
    import distributed

    lost = EndedSegment(job, None, "the cluster lost it", n_deaths=1)
    if future.status == "finished":
        try:
            ended: EndedSegment = future.result()
        except (distributed.CancelledError, OSError):
            return lost
        return ended
    if future.status != "error":
        return lost
    error = future.exception()
    if isinstance(error, distributed.KilledWorker):
        n_deaths = error.allowed_failures + 1
        return EndedSegment(job, None, "its worker process died", n_deaths)
    return EndedSegment(job, None, f"{type(error).__name__}: {error}")


class GrowingBackend:
    """Computes in this process until the workers of a local cluster are ready.

    Starting processes takes seconds; a short search is over before.
    """

    def __init__(
        self, n_workers: int, data: Mapping[str, Any], preload: Sequence[str] = ()
    ) -> None:
        self._boot = partial(local_cluster, n_workers, preload)
        self._data = data
        self._here = Serial(data)
        self._there: Cluster | None = None
        self._boot_at = time.monotonic() + BOOT_AFTER
        self._ready: Future[tuple[Any, Any]] | None = None

    @property
    def n_workers(self) -> int:
        """One at first."""
        return 1 if self._there is None else self._there.n_workers

    def start(self, job: Job, state: bytes | None) -> None:
        """Begin a segment here or there."""
        (self._there or self._here).start(job, state)

    def ended(self, timeout: float) -> list[EndedSegment]:
        """Move to the workers if they are ready; tell what has ended."""
        if self._ready is None and time.monotonic() > self._boot_at:
            self._ready = _in_background(self._boot)
        if self._there is None and self._ready is not None and self._ready.done():
            self._move(self._ready)
        return (self._there or self._here).ended(timeout)

    def _move(self, ready: Future[tuple[Any, Any]]) -> None:
        """Go to the workers, or stay here for good if they could not be started."""
        if error := ready.exception():
            logger.warning("No worker processes, going on in this one: %s", error)
            self._ready, self._boot_at = None, math.inf
            return
        _, client = ready.result()
        self._there = Cluster(client, self._data)
        self._here.move_to(self._there)

    def drop(self, keys: Collection[str]) -> None:
        """Forget segments, here or there."""
        (self._there or self._here).drop(keys)

    def close(self) -> None:
        """Stop the workers, if there are any, without waiting for them to be gone."""
        if self._ready is not None:
            _in_background(partial(_stop, self._ready))


def _in_background(work: Callable[[], Any]) -> Future[Any]:
    """Do something in a thread of its own, which the process waits for at its end."""
    promise: Future[Any] = Future()

    def do() -> None:
        try:
            promise.set_result(work())
        except Exception as error:
            promise.set_exception(error)

    threading.Thread(target=do).start()
    return promise


def _stop(booting: Future[tuple[Any, Any]]) -> None:
    cluster, client = booting.result()
    client.close()
    cluster.close()


def local_cluster(n_workers: int, preload: Sequence[str] = ()) -> tuple[Any, Any]:
    """Start worker processes of one thread each, which listen to this machine only.

    They import the modules of `preload` now, not in their first segment: compiled
    kernels take a second.
    """
    import dask
    import distributed

    _leave_main_out()
    # For good, as it is read when a worker dies: 15 seconds later Dask would look once
    # whether it is back, and give it up if it has just died again.
    dask.config.set({"distributed.deploy.lost-worker-timeout": "1 day"})
    # For good too: a cluster that ends would give a voice to one that goes on.
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), 1)
    settings = {
        "distributed.worker.preload": ["eqlearn.jobs.worker", *preload],
        "distributed.worker.profile.enabled": False,
        # Without Dask's MALLOC_TRIM_THRESHOLD_, which gives memory back to the system
        # after every small array and takes it again: half as slow again.
        "distributed.nanny.pre-spawn-environ": threads,
    }
    with dask.config.set(settings), _deaf_to_interrupts():
        cluster = distributed.LocalCluster(
            n_workers=n_workers,
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            worker_dashboard_address="127.0.0.1:0",
            silence_logs=logging.CRITICAL,
            # The runner counts the deaths that a candidate causes, in one place.
            scheduler_kwargs={"allowed_failures": 0},
        )
    return cluster, distributed.Client(cluster, set_as_default=False)


@contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    """Block Ctrl-C in all threads and processes that are started meanwhile.

    A terminal sends it to every process; a worker would die of it while it starts.
    """
    # Started later, it would unblock the signals of the thread that starts workers.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _leave_main_out() -> None:
    """Keep worker processes from importing the user's script: it would run again.

    What they need of it, a unit of the user's own, comes along with the data.
    """
    prepared = spawn.get_preparation_data
    if prepared.__module__ == __name__:
        return

    def without_main(name: str) -> dict[str, Any]:
        data = prepared(name)
        if name.startswith("Dask Worker"):
            data.pop("init_main_from_name", None)
            data.pop("init_main_from_path", None)
        return data

    spawn.get_preparation_data = without_main


@contextmanager
def backend(
    data: Mapping[str, Any],
    *,
    jobs: int | None = None,
    scheduler: str | None = None,
    preload: Sequence[str] = (),
) -> Iterator[Backend]:
    """Open the place to compute: a given cluster, several processes, or this one.

    Processes that are started here import the modules of `preload` first.
    """
    if scheduler is not None:
        with _client_of(scheduler) as client, closing(Cluster(client, data)) as there:
            yield there
    elif n_processes(jobs) == 1:
        yield Serial(data)
    else:
        growing = GrowingBackend(n_processes(jobs), data, preload)
        try:
            yield growing
        finally:
            growing.close()


def n_processes(jobs: int | None, name: str = "jobs") -> int:
    """How many processes are meant: as scikit-learn's `n_jobs`, but None is all."""
    if jobs is None:
        jobs = -1
    if not is_whole(jobs) or jobs == 0:
        raise must(name, "a number of processes, or -1 for every core", jobs)
    return int(jobs) if jobs > 0 else max(1, _n_cores() + 1 + int(jobs))


def _n_cores() -> int:
    """The cores this process may use; not every system tells, then it is all."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def check_scheduler(address: str) -> None:
    """Knock at the door: Dask takes long to give up, and says so at great length."""
    if address.startswith("inproc://"):  # a cluster within this process has no door
        return
    found = re.fullmatch(r"(?:tcp|tls|wss?)://\[?(.+?)\]?:([0-9]{1,5})", address)
    try:
        if found is None:
            raise OSError("no address")
        place = found[1], int(found[2])
        socket.create_connection(place, timeout=CONNECT_SECONDS).close()
    except (OSError, OverflowError, UnicodeError) as error:
        what = "the address of a running Dask scheduler, like tcp://10.0.0.1:8786"
        raise must("scheduler", what, address) from error


@contextmanager
def _client_of(address: str) -> Iterator[Any]:
    import distributed

    check_scheduler(address)
    try:
        client = distributed.Client(
            address, timeout=CONNECT_SECONDS, set_as_default=False
        )
    except (OSError, ValueError, TimeoutError) as error:
        what = "the address of a running Dask scheduler, like tcp://10.0.0.1:8786"
        raise must("scheduler", what, address) from error
    try:
        _wait_for_a_worker(client, address)
        yield client
    finally:
        client.close()


def _wait_for_a_worker(client: Any, address: str) -> None:
    """Nobody would tell that there is none: segments would wait for one for ever."""
    try:
        client.wait_for_workers(1, timeout=CONNECT_SECONDS)
    except TimeoutError as error:
        hint = f"Start one: dask worker {address}."
        got = f"none at {address} for {CONNECT_SECONDS:.0f} s"
        raise must("scheduler", "one that has workers", got, hint) from error

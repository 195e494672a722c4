"""Worker processes on this machine, each at the other end of a pipe of its own.

No port is opened, so nobody but this process can give them work. A worker that dies,
freezes or is needed elsewhere is replaced; what it computed counts as lost.
"""

import logging
import math
import os
import signal
import socket
import struct
import subprocess
import sys
import time
from collections import deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

from eqlearn.jobs import process_worker
from eqlearn.jobs.code_identity import code_identity
from eqlearn.jobs.job import Job
from eqlearn.jobs.serial import EndedSegment, Serial, Started

#: A worker that has computed nothing for so long (seconds) is given up. It is not
#: asked to answer: compiled code cannot, but it takes time of a core.
PATIENCE = 6.0
#: Time of a core (seconds) that is a sign of life.
_SIGN_OF_LIFE = 0.02
#: How long a worker may go on with what nobody wants while others wait for it.
_LONGEST_FOR_NOTHING = 2.0
#: How long a segment waits for a worker before it is computed in this process.
_LONGEST_WAIT = 1.0
#: Workers that come to nothing, one after the other, before no more are started.
_MOST_STILLBORN = 3
#: Share of the machine's memory for all workers and this process together.
_SHARE_OF_MEMORY = 0.8
#: Bytes that a worker takes before it has computed much, and some to compute with.
LEAST_SHARE = 0.4 * 2.0**30
#: One thread each: they must not fight for cores.
_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")

logger = logging.getLogger(__name__)

_DIED = "its worker process died"
_GREW = "its worker process took more memory than its share"
_FROZE = f"its worker process did nothing for {PATIENCE:.0f} s"


class Processes:
    """Computes in processes that are started here, and end with this one."""

    def __init__(
        self,
        n_workers: int,
        data: Mapping[str, Any],
        preload: Sequence[str] = (),
        memory: float | None = None,
    ) -> None:
        self._data, self._preload = data, tuple(preload)
        self._waiting: deque[Started] = deque()
        self._deadly: set[str] = set()  # jobs whose worker died, never computed here
        self._waits_since = math.inf
        self._home = Serial(data)
        self._n_stillborn = 0
        self._us = code_identity()
        self._most_memory = _memory_each(n_workers, memory)
        self.workers: list[_Worker] = []
        try:
            for _ in range(n_workers):
                self.workers.append(_Worker(self._preload))
        except BaseException:
            self.close()
            raise

    @property
    def n_workers(self) -> int:
        """How many segments can be computed at the same time."""
        return max(1, len(self.workers))

    def is_ready(self) -> bool:
        """Whether every worker has come up, or none can."""
        self._collect(0.0)
        return all(one.is_ready for one in self.workers)

    def start(self, job: Job, state: bytes | None, stop_at: float = math.inf) -> None:
        """Put a segment in line, or keep it here if its data are too large to send."""
        if job.stays_local or not self.workers:
            self._home.start(job, state, stop_at)
        else:
            self._waiting.append(Started(job, state, stop_at))
            self._hand_out()

    def ended(self, timeout: float) -> list[EndedSegment]:
        """Wait for the first of the running segments."""
        if done := self._home.ended(timeout):
            return done
        self._hand_out()
        ended = self._collect(timeout) + self._given_up()
        self._hand_out()
        self._help_out()
        return ended

    def drop(self, keys: Collection[str]) -> None:
        """Forget segments; one already running ends for nothing."""
        self._home.drop(keys)
        self._waiting = deque(one for one in self._waiting if one.job.key not in keys)
        for worker in self.workers:
            if worker.job is not None and worker.job.key in keys:
                worker.job = None

    def close(self) -> None:
        """End the workers, whatever they do."""
        while self.workers:
            self.workers.pop().end()

    def _hand_out(self) -> None:
        idle = [worker for worker in self.workers if worker.is_idle]
        while idle and self._waiting:
            worker, started = idle.pop(), self._waiting.popleft()
            try:
                self._give(worker, started.job, started.state)
            except OSError:  # it has just died, or does not read; nothing was begun
                self._waiting.appendleft(started)
                self._replace(worker)

    def _help_out(self) -> None:
        """Compute here what has long waited for a worker: all are busy, or start."""
        now = time.monotonic()
        self._waits_since = min(self._waits_since, now) if self._waiting else math.inf
        if now - self._waits_since > _LONGEST_WAIT:
            first = self._waiting[0]
            if first.job.key not in self._deadly:
                self._home.start(*self._waiting.popleft())

    def _give(self, worker: "_Worker", job: Job, state: bytes | None) -> None:
        new = [] if job.data in worker.known else [self._data[job.data]]
        worker.send((job.data, new, job.segment, job.specification, state))
        worker.begin(job)

    def _collect(self, timeout: float) -> list[EndedSegment]:
        """What has come from the workers: results, first words and last ones."""
        by_connection: dict[Any, _Worker] = {
            one.connection: one for one in self.workers
        }
        ended = []
        for connection in wait(list(by_connection), timeout):
            worker = by_connection[connection]
            try:
                answer: Any = worker.connection.recv()
            except (EOFError, OSError):
                ended += self._lost(worker, _DIED)
                continue
            if worker.is_ready:
                ended += [EndedSegment(job, *answer) for job in worker.finish()]
                if worker.memory() > self._most_memory:
                    self._replace(worker)
            elif answer == self._us:
                worker.is_ready, self._n_stillborn = True, 0
            else:
                self._replace(worker, f"they would be of {answer}, not {self._us}")
        return ended

    def _given_up(self) -> list[EndedSegment]:
        """Replace workers that are frozen, or busy for nothing while others wait."""
        ended = []
        for worker in list(self.workers):
            if worker.is_frozen():
                ended += self._lost(worker, _FROZE)
            elif worker.is_busy and worker.memory() > self._most_memory:
                ended += self._lost(worker, _GREW)
            elif self._waiting and worker.is_busy_for_nothing:
                self._replace(worker)
        return ended

    def _lost(self, worker: "_Worker", why: str) -> list[EndedSegment]:
        self._replace(worker, "they end while they start")
        jobs = worker.finish()
        self._deadly.update(job.key for job in jobs)
        return [EndedSegment(job, None, why, n_deaths=1) for job in jobs]

    def _replace(self, worker: "_Worker", why: str = "") -> None:
        """Start another worker, unless the last ones came to nothing."""
        self.workers.remove(worker)
        worker.end()
        self._n_stillborn += not worker.is_ready
        if self._n_stillborn < _MOST_STILLBORN:
            try:
                self.workers.append(_Worker(self._preload))
            except OSError as error:
                why = str(error)
        if not self.workers:
            logger.warning("No worker processes, going on in this one: %s", why)
            while self._waiting:
                self._home.start(*self._waiting.popleft())


class _Worker:
    """One worker process, and what it is doing."""

    def __init__(self, preload: Sequence[str]) -> None:
        ours, theirs = socket.socketpair()
        with ours, theirs:
            for end in (ours, theirs):
                end.setblocking(True)  # whatever time-out the user has set for all
            # A worker that neither reads nor writes must not hold us up.
            for option in (socket.SO_SNDTIMEO, socket.SO_RCVTIMEO):
                seconds = struct.pack("ll", int(PATIENCE), 0)
                ours.setsockopt(socket.SOL_SOCKET, option, seconds)
            with _deaf_to_interrupts():
                self._process = subprocess.Popen(
                    _command(theirs.fileno()),
                    stdin=subprocess.DEVNULL,
                    pass_fds=[theirs.fileno()],
                    env={**os.environ, **_ONE_THREAD},
                )
            self.connection = Connection(ours.detach())
        self.job: Job | None = None  # that is wanted
        self.known: set[str] = set()  # data it has
        self.is_ready = self.is_busy = False
        self._since = self._seen_at = time.monotonic()
        self._seen_time = 0.0  # of a core
        try:
            self.send((safe_path(), tuple(preload)))
        except OSError:
            pass  # it has died already, which is seen when it is listened to

    def send(self, message: tuple[Any, ...]) -> None:
        """Tell it something, functions of the user's own script included."""
        import cloudpickle

        self.connection.send_bytes(cloudpickle.dumps(message))

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    @property
    def is_idle(self) -> bool:
        """Whether it waits for work."""
        return self.is_ready and not self.is_busy

    @property
    def is_busy_for_nothing(self) -> bool:
        """Whether it has long been computing what nobody wants any more."""
        is_long = time.monotonic() - self._since > _LONGEST_FOR_NOTHING
        return self.is_busy and self.job is None and is_long

    def begin(self, job: Job) -> None:
        """Note that it was given a segment."""
        self.job, self.is_busy = job, True
        self.known.add(job.data)
        self._since = self._seen_at = time.monotonic()

    def finish(self) -> list[Job]:
        """Note that its segment is over; that segment, if somebody wants it."""
        jobs = [] if self.job is None else [self.job]
        self.job, self.is_busy = None, False
        return jobs

    def is_frozen(self) -> bool:
        """Whether it should be computing and has long taken no time of a core."""
        import psutil

        now = time.monotonic()
        if self.is_idle or now - self._seen_at < PATIENCE / 4:
            return False
        process = psutil.Process(self.pid)
        try:
            times, state = process.cpu_times(), process.status()
        except psutil.Error:
            return False  # it has died, which is seen when it is listened to
        if times.user + times.system - self._seen_time >= _SIGN_OF_LIFE:
            self._seen_at, self._seen_time = now, times.user + times.system
            return False
        return state == psutil.STATUS_STOPPED or now - self._seen_at > PATIENCE

    def memory(self) -> float:
        """How much it takes, in bytes."""
        import psutil

        try:
            return float(psutil.Process(self.pid).memory_info().rss)
        except psutil.Error:
            return 0.0  # it has died, which is seen when it is listened to

    def end(self) -> None:
        """Kill it: there is nothing in it that is not known here."""
        self.connection.close()
        self._process.kill()
        self._process.wait()


def _memory_each(n_workers: int, memory: float | None) -> float:
    """Bytes that a worker may take before it is started anew: an even share.

    This process has a share, too. Without a limit it is most of the machine's memory.
    """
    import psutil

    most = float(psutil.virtual_memory().total)
    return (_SHARE_OF_MEMORY * most if memory is None else memory) / (n_workers + 1)


def n_that_fit(n_workers: int, memory: float | None) -> int:
    """How many workers have a share that is enough to compute with."""
    if memory is None:
        return n_workers
    return max(1, min(n_workers, int(memory // LEAST_SHARE) - 1))


def _command(channel: int) -> list[str]:
    """How a worker is started: nothing is imported from the working directory (-P).

    As a file, for only this process knows where it has found the package.
    """
    options = ["-P", *("-I" for _ in range(sys.flags.isolated))]
    options += ["-O"] * sys.flags.optimize
    options += [f"-W{option}" for option in sys.warnoptions]
    return [sys.executable, *options, process_worker.__file__, str(channel)]


def safe_path() -> list[str]:
    """Where a worker looks for modules: as we do, but last in the working directory.

    There a file may be named like a module of Python's, by accident or design. Yet the
    user's own modules may be there.
    """
    here = Path.cwd()
    is_here = [Path(entry or ".").resolve() == here for entry in sys.path]
    first = [entry for entry, last in zip(sys.path, is_here, strict=True) if not last]
    return [*first, *([str(here)] if any(is_here) else [])]


@contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    """Block Ctrl-C in processes that are started meanwhile.

    A terminal sends it to every process; a worker would die of it.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)

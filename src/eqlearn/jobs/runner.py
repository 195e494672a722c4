"""Drives plans to their end: hands out segments, stores what they leave, goes on.

Results count in order of index, whoever computed them and when, so that the answer
depends on the data and the settings alone; a time limit aside.
"""

import math
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import NamedTuple, TypeAlias

from eqlearn.jobs.job import Job, Plan, Stage
from eqlearn.jobs.serial import Backend, EndedSegment
from eqlearn.jobs.store import Memory, Record, Store

#: How often a segment is tried whose worker dies of it.
MOST_TRIES = 3
#: How long to wait for a result before looking at the clock again.
WAIT_SECONDS = 0.2


class Event(NamedTuple):
    """What just happened in a run, for a callback."""

    job: Job
    status: str  # running, done or failed
    n_done: int
    n_running: int
    n_failed: int
    seconds: float  # of work on the run so far


EventCallback: TypeAlias = Callable[[Event], None]


class Ending(NamedTuple):
    """How a run ended."""

    reason: str  # finished, time or interrupt
    seconds: float


class Interrupts:
    """Counts Ctrl-C: one ends the search in good order, a second one at once."""

    def __init__(self) -> None:
        self.n = 0

    def handle(self, number: int, frame: FrameType | None) -> None:
        """Receive a signal."""
        self.n += 1
        if self.n > 1:
            raise KeyboardInterrupt

    @contextmanager
    def listening(self) -> Iterator["Interrupts"]:
        """Catch signals, where that is possible: in the main thread."""
        if threading.current_thread() is not threading.main_thread():
            yield self
            return
        before = signal.signal(signal.SIGINT, self.handle)
        try:
            yield self
        finally:
            signal.signal(signal.SIGINT, before)


def run(
    plans: Sequence[Plan],
    backend: Backend,
    store: Memory | Store,
    *,
    time_limit: float | None = None,
    interrupts: Interrupts | None = None,
    callback: EventCallback = lambda event: None,
) -> Ending:
    """Drive all plans to their end, or until time is up or Ctrl-C was pressed.

    What the store has of an earlier session is not computed again, and counts towards
    the time limit (seconds).
    """
    session = _Session(plans, backend, store, callback)
    reason = "finished"
    while not session.is_over:
        if interrupts is not None and interrupts.n:
            reason = "interrupt"
        end = 0.0 if reason == "interrupt" else time_limit or math.inf
        if session.cut_short(end) and reason == "finished":
            reason = "time"
        session.hand_out(end)
        session.collect(end)
    return Ending(reason, session.seconds)


class _Session:
    """One process's work on a run."""

    def __init__(
        self,
        plans: Sequence[Plan],
        backend: Backend,
        store: Memory | Store,
        callback: EventCallback,
    ) -> None:
        self.tracks = [_Track(plan) for plan in plans]
        self._backend, self._store, self._callback = backend, store, callback
        self._waiting: deque[tuple[_Track, Job, bytes | None]] = deque()
        self._running: dict[str, _Track] = {}
        self._suspects: set[str] = set()  # jobs that are tried for the last time
        self._n_done = self._n_failed = 0
        self._begin = time.monotonic() - store.seconds

    @property
    def seconds(self) -> float:
        """Work on the run so far, earlier sessions included."""
        return time.monotonic() - self._begin

    @property
    def is_over(self) -> bool:
        """Whether every plan has come to its end."""
        return not self._leaves()

    def _leaves(self) -> list["_Track"]:
        return [leaf for track in self.tracks for leaf in track.leaves()]

    def cut_short(self, end: float) -> bool:
        """End the stages whose share of `end` seconds is over; tell if any was."""
        is_any_cut = False
        while late := [leaf for leaf in self._leaves() if self._is_late(leaf, end)]:
            for track in late:
                # What an earlier session left is there too, to be counted.
                self._replay(track)
                if self._is_late(track, end):
                    track.cut(lambda key: self._store.find(key).state)
                    is_any_cut = True
        return is_any_cut

    def _is_late(self, track: "_Track", end: float) -> bool:
        return track.can_be_cut and self.seconds >= track.share * end

    def _replay(self, track: "_Track") -> None:
        """Ask for all that an earlier session began."""
        while (job := track.next_job()) is not None:
            record = self._store.find(job.key)
            if record.status == "new":
                return
            self._admit(track, job, record)

    def hand_out(self, end: float) -> None:
        """Start segments as long as there are workers for them; time is until `end`."""
        self._forget_unwanted()
        n_workers, begun = self._backend.n_workers, []
        while len(self._running) < self._n_at_once(n_workers):
            if not self._waiting and not self._ask():
                break
            track, job, state = self._waiting.popleft()
            if state is None:
                begun.append(job.key)
            track.count_one()
            self._running[job.key] = track
            seconds = track.share * end if track.can_cut(job.key) else math.inf
            self._backend.start(job, state, self._begin + seconds)
        if begun:
            self._store.begin(begun)

    def _forget_unwanted(self) -> None:
        unwanted = [k for k, track in self._running.items() if not track.wants(k)]
        self._backend.drop(unwanted)
        for key in unwanted:
            del self._running[key]
        self._waiting = deque(w for w in self._waiting if w[0].wants(w[1].key))
        self._suspects &= {*self._running, *(job.key for _, job, _ in self._waiting)}

    def _n_at_once(self, n_workers: int) -> int:
        # One for each worker, so that its death costs one segment. While another starts
        # anew a worker may have two, and none is surely the one it died of: the last
        # try is made alone.
        return 1 if self._suspects else n_workers

    def _ask(self) -> bool:
        """Put the next job in line, if there is one."""
        while (found := self._next_job()) is not None:
            track, job = found
            self._admit(track, job, self._store.find(job.key))
            if self._waiting:
                return True
        return False

    def _next_job(self) -> tuple["_Track", Job] | None:
        for track in sorted(self._leaves(), key=lambda track: track.turn):
            job = track.next_job()
            if job is not None:
                return track, job
            if track not in track.leaves():  # its stage was over, others have begun
                return self._next_job()
        return None

    def _admit(self, track: "_Track", job: Job, record: Record) -> None:
        """Put a job in line where an earlier session left it, if it is not over."""
        track.ask_for(job)
        if record.status in ("done", "failed"):
            self._settle(track, job, record.status, record.state)
        else:
            self._queue(track, job, record.state, record.n_tries)

    def _queue(
        self, track: "_Track", job: Job, state: bytes | None, n_tries: int = 0
    ) -> None:
        if n_tries < MOST_TRIES - 1:
            self._waiting.append((track, job, state))
        else:
            self._waiting.appendleft((track, job, state))
            self._suspects.add(job.key)

    def collect(self, end: float) -> None:
        """Wait for segments to end; store what they left before it counts."""
        done: list[tuple[_Track, Job, bytes]] = []
        for ended in self._backend.ended(WAIT_SECONDS):
            track = self._running.pop(ended.job.key, None)
            if track is None:
                continue
            if ended.step is None:
                self._retry_or_fail(track, ended)
                continue
            job, step = ended.job, ended.step
            self._suspects.discard(job.key)
            self._store.save(job.key, step, self.seconds)
            if step.is_done:
                done.append((track, job, step.state))
                continue
            if track.wants(job.key):
                self._queue(track, job, step.state)
            self._report(job, "running")
        if done:
            self.hand_out(end)  # no worker needs to wait while results are judged
        for track, job, state in done:
            self._settle(track, job, "done", state)

    def _retry_or_fail(self, track: "_Track", ended: EndedSegment) -> None:
        """Try a segment again whose worker died; give up on one that fails itself."""
        job, record = ended.job, self._store.find(ended.job.key)
        n_tries = record.n_tries + max(ended.n_deaths, 1)
        is_final = not ended.n_deaths or n_tries >= MOST_TRIES
        self._store.fail(job.key, ended.error, n_tries, is_final)
        self._suspects.discard(job.key)
        if is_final:
            self._settle(track, job, "failed", None)
        else:
            self._queue(track, job, record.state, n_tries)

    def _settle(
        self, track: "_Track", job: Job, status: str, state: bytes | None
    ) -> None:
        self._n_done += status == "done"
        self._n_failed += status == "failed"
        track.put(job.key, state if status == "done" else None)
        self._report(job, status)

    def _report(self, job: Job, status: str) -> None:
        n_running = len(self._running) + len(self._waiting)
        counts = self._n_done, n_running, self._n_failed
        self._callback(Event(job, status, *counts, self.seconds))


class _Track:
    """A plan on its way: which stage, and which results wait for their turn."""

    def __init__(self, plan: Plan, root: "_Track | None" = None) -> None:
        self._parts = plan.stages()
        self._root = root or self
        self._n_handed = 0  # segments, those of branches included
        self._advance()

    def _advance(self) -> None:
        part = next(self._parts, None)
        self.is_over = part is None
        self._branches: list[_Track] | None = None
        self._stage = Stage(lambda i: None, lambda i, state: True)
        self._n_asked = self._n_taken = 0
        self._has_no_more = self._is_cut = False
        self._indices: dict[str, int] = {}
        self._results: dict[int, bytes | None] = {}
        if isinstance(part, Stage):
            self._stage = part
        elif part is not None:
            self._branches = [_Track(plan, self._root) for plan in part.plans]

    def leaves(self) -> list["_Track"]:
        """The tracks that have a stage to work on: this one, or its branches."""
        while self._branches is not None:
            leaves = [leaf for branch in self._branches for leaf in branch.leaves()]
            if leaves:
                return leaves
            self._advance()
        return [] if self.is_over else [self]

    @property
    def turn(self) -> tuple[int, int, int]:
        """Whose turn it is: plans share the workers evenly, and so do their branches.

        A branch goes ahead of its results only if there is nothing surer to do.
        """
        return self._root._n_handed, self._n_asked - self._n_taken, self._n_handed

    def count_one(self) -> None:
        """Note that a segment was handed out."""
        for track in {self, self._root}:
            track._n_handed += 1

    @property
    def share(self) -> float:
        """The share of a time limit at which the present stage ends."""
        return self._stage.share

    def next_job(self) -> Job | None:
        """The next job that may be started, if there is one now."""
        index = self._n_asked
        if (
            self.is_over
            or self._branches is not None
            or self._is_asked_for
            or self._stage.before(index) > self._n_taken
            or not self._stage.is_ready()
        ):
            return None
        job = self._stage.job(index)
        if job is None:
            self._has_no_more = True
            self._take()
            return self.next_job()
        return job

    def ask_for(self, job: Job) -> None:
        """Note that the next job is on its way."""
        self._indices[job.key] = self._n_asked
        self._n_asked += 1

    @property
    def _is_asked_for(self) -> bool:
        """Whether every job of the stage that is to run was handed out."""
        is_enough = self._is_cut and self._n_asked >= self._stage.at_least
        return self._has_no_more or is_enough

    def wants(self, key: str) -> bool:
        """Whether the result of a job still counts."""
        index = self._indices.get(key, -1)
        return index >= self._n_taken and index not in self._results

    def put(self, key: str, state: bytes | None) -> None:
        """Give back what a job left; None if it failed."""
        if self.wants(key):
            self._results[self._indices[key]] = state
            self._take()

    def _take(self) -> None:
        while self._n_taken in self._results:
            index = self._n_taken
            self._n_taken += 1
            if self._stage.take(index, self._results.pop(index)):
                self._advance()
                return
        if self._is_asked_for and self._n_taken == self._n_asked:
            self._advance()

    @property
    def can_be_cut(self) -> bool:
        """Whether there is a stage to be ended."""
        return not (self.is_over or self._is_cut or self._branches is not None)

    def can_cut(self, key: str) -> bool:
        """Whether a job counts no more when the time of its stage is up."""
        return self.can_be_cut and self._indices[key] >= self._stage.at_least

    def cut(self, reached: Callable[[str], bytes | None]) -> None:
        """Time is up: count what is there, and go on to the next stage.

        `reached` tells the state of a job that has not come to its end.
        """
        self._is_cut = True
        for key, index in self._indices.items():
            if index >= self._stage.at_least and self.wants(key):
                self._results[index] = reached(key)
        self._take()

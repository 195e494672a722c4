"""Where segments are computed: in this process, in several, or on a Dask cluster."""

import logging
import math
import os
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from functools import partial
from typing import Any

from eqlearn.errors import is_whole, must
from eqlearn.jobs.cluster import Cluster, client_of
from eqlearn.jobs.job import Job
from eqlearn.jobs.processes import Processes, n_that_fit
from eqlearn.jobs.serial import Backend, EndedSegment, Serial

#: A search that is not over by then (seconds) gets worker processes.
BOOT_AFTER = 6.0

logger = logging.getLogger(__name__)


class GrowingBackend:
    """Computes in this process until workers of its own are ready.

    Starting processes takes seconds; a short search is over before.
    """

    def __init__(
        self,
        n_workers: int,
        data: Mapping[str, Any],
        preload: Sequence[str] = (),
        memory: float | None = None,
    ) -> None:
        self._start = partial(Processes, n_workers, data, preload, memory)
        self._here = Serial(data)
        self._there: Processes | None = None
        self._place: Serial | Processes = self._here
        self._boot_at = time.monotonic() + BOOT_AFTER

    @property
    def n_workers(self) -> int:
        """One at first."""
        return self._place.n_workers

    def start(self, job: Job, state: bytes | None, stop_at: float = math.inf) -> None:
        """Begin a segment here or there."""
        self._place.start(job, state, stop_at)

    def ended(self, timeout: float) -> list[EndedSegment]:
        """Move to the workers if they are ready; tell what has ended."""
        if self._there is None and time.monotonic() > self._boot_at:
            self._boot()
        elif self._place is not self._there and self._there and self._there.is_ready():
            self._here.move_to(self._there)
            self._place = self._there
        return self._place.ended(timeout)

    def _boot(self) -> None:
        """Start workers, or stay here for good if that cannot be done."""
        try:
            self._there = self._start()
        except OSError as error:
            logger.warning("No worker processes, going on in this one: %s", error)
            self._boot_at = math.inf

    def drop(self, keys: Collection[str]) -> None:
        """Forget segments, here or there."""
        self._place.drop(keys)

    def close(self) -> None:
        """End the workers, if there are any."""
        if self._there is not None:
            self._there.close()


@contextmanager
def backend(
    data: Mapping[str, Any],
    *,
    jobs: int | None = None,
    scheduler: str | None = None,
    preload: Sequence[str] = (),
    memory: float | None = None,
) -> Iterator[Backend]:
    """Open the place to compute: a given cluster, several processes, or this one.

    Processes that are started here import the modules of `preload` first. With this one
    they share so many bytes of memory: fewer are started, and those that grow are
    started anew.
    """
    n_workers = n_that_fit(n_processes(jobs), memory)
    if scheduler is not None:
        with client_of(scheduler) as client, closing(Cluster(client, data)) as there:
            yield there
    elif n_workers == 1:
        yield Serial(data)
    else:
        growing = GrowingBackend(n_workers, data, preload, memory)
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

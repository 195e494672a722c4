"""A backend whose segments end in any order, to show that it does not matter."""

import math
from collections.abc import Callable, Collection, Mapping
from typing import Any

from eqlearn.jobs.job import Job
from eqlearn.jobs.serial import EndedSegment


class Workers:
    """Ends segments in a given order, as if computed by several workers."""

    def __init__(
        self,
        n_workers: int,
        order: Callable[[list[Job]], Job] = lambda jobs: jobs[-1],
        deadly: Collection[str] = (),
        data: Mapping[str, Any] | None = None,
    ) -> None:
        self.n_workers, self._data = n_workers, data or {}
        self._order, self._deadly = order, deadly
        self.waiting: dict[str, tuple[Job, bytes | None]] = {}
        self.started: list[str] = []
        self.together: list[set[str]] = []  # what else was there when one ended
        self.dropped: list[str] = []

    def start(self, job: Job, state: bytes | None, stop_at: float = math.inf) -> None:
        self.started.append(job.name)
        self.waiting[job.key] = job, state

    def ended(self, timeout: float) -> list[EndedSegment]:
        if not self.waiting:
            return []
        self.together.append({job.name for job, _ in self.waiting.values()})
        chosen = self._order([job for job, _ in self.waiting.values()])
        if chosen.name in self._deadly:
            # Nobody can tell which of a dead worker's segments it died of.
            killed = [job for job, _ in self.waiting.values()]
            self.waiting.clear()
            return [
                EndedSegment(job, None, "its worker process died", 1) for job in killed
            ]
        job, state = self.waiting.pop(chosen.key)
        data = self._data.get(job.data)
        return [EndedSegment(job, job.segment(data, job.specification, state))]

    def drop(self, keys: Collection[str]) -> None:
        for key in keys:
            self.dropped.append(self.waiting.pop(key)[0].name)

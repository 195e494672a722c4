"""Jobs of a moment for tests of where they are computed, and what may go wrong."""

import os
import signal
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from eqlearn.jobs.job import Job, Segment, Specification, Stage, Step
from eqlearn.jobs.serial import Backend, EndedSegment


def note(specification: Specification) -> None:
    with Path(specification["notes"]).open("a") as file:
        file.write(f"{os.getpid()}\n")


def count(data: Any, specification: Specification, state: bytes | None) -> Step:
    """Note which process it is, and append one letter a segment up to a length."""
    note(specification)
    time.sleep(specification.get("seconds", 0.0))
    state = (state or b"") + b"."
    return Step(state, len(state) >= specification["length"])


def leave(data: Any, specification: Specification, state: bytes | None) -> Step:
    note(specification)
    os._exit(3)


def be_killed(data: Any, specification: Specification, state: bytes | None) -> Step:
    note(specification)
    os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(60)
    raise AssertionError


def fail(data: Any, specification: Specification, state: bytes | None) -> Step:
    raise ValueError("it broke")


def length(data: bytes, specification: Specification, state: bytes | None) -> Step:
    return Step(str(len(data)).encode(), True)


class Listed:
    """A plan of given jobs."""

    def __init__(self, jobs: list[Job]) -> None:
        self._jobs = jobs
        self.states: list[bytes | None] = []

    def stages(self) -> Iterator[Stage]:
        yield Stage(
            lambda index: self._jobs[index] if index < len(self._jobs) else None,
            self._take,
        )

    def _take(self, index: int, state: bytes | None) -> bool:
        self.states.append(state)
        return False


def job(segment: Segment, notes: Path, **specification: Any) -> Job:
    return Job(notes.name, segment, {"notes": str(notes), **specification}, "data")


def one_result(
    place: Backend, segment: Segment, specification: Mapping[str, Any] | None = None
) -> EndedSegment:
    place.start(Job("one", segment, specification or {}, "data"), None)
    for _ in range(100):
        if ended := place.ended(1.0):
            return ended[0]
    raise AssertionError


def process_ids(notes: Path) -> list[int]:
    return [int(line) for line in notes.read_text().split()] if notes.exists() else []

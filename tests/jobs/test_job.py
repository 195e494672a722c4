import math
import time

import pytest

from eqlearn.jobs import job as jobs
from eqlearn.jobs.codec import from_bytes, to_bytes
from eqlearn.jobs.job import Job, Specification, Step, Stopwatch


def segment(data: object, specification: Specification, state: bytes | None) -> Step:
    return Step(b"", True)


def key(specification: Specification, name: str = "a") -> str:
    return Job(name, segment, specification, "data").key


def test_a_key_depends_on_name_and_specification_only() -> None:
    assert key({"a": 1, "b": [2, 3]}) == key({"b": [2, 3], "a": 1})
    assert key({"a": 1}) != key({"a": 2})
    assert key({"a": 1}) != key({"a": 1}, name="b")
    assert key({"a": 0.1}) == key({"a": 0.1 + 1e-18})
    assert key({"a": (1, 2)}) == key({"a": [1, 2]})  # as it comes back from JSON


def test_a_key_tells_neighbouring_floats_apart() -> None:
    assert key({"a": 0.1}) != key({"a": math.nextafter(0.1, 1)})


def test_what_is_written_is_read_back_exactly() -> None:
    document = {"a": [0.1, 1e-300, 2**53], "b": None, "λ": "…", "c": math.inf}
    assert from_bytes(to_bytes(document)) == document
    assert to_bytes(document) == to_bytes(from_bytes(to_bytes(document)))


def test_a_stopwatch_is_over_after_its_time() -> None:
    watch = Stopwatch(0.01)
    time.sleep(0.02)
    assert watch.is_over()
    assert not Stopwatch(60.0).is_over()


def test_the_length_of_a_segment_can_be_changed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert not Stopwatch().is_over()
    monkeypatch.setattr(jobs, "SEGMENT_SECONDS", -1.0)
    assert Stopwatch().is_over()

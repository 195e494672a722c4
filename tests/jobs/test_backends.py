import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from short_jobs import Listed, count, job, process_ids

from eqlearn.errors import EqlearnError
from eqlearn.jobs import backends
from eqlearn.jobs.backends import GrowingBackend, backend, n_processes
from eqlearn.jobs.runner import run
from eqlearn.jobs.store import Memory


def test_a_search_moves_to_the_workers_when_they_are_ready(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backends, "BOOT_AFTER", 0.1)
    growing = GrowingBackend(2, {"data": None})
    plan = Listed(
        [job(count, tmp_path / f"{i}", length=20, seconds=0.05) for i in range(8)]
    )
    try:
        run([plan], growing, Memory())
        assert growing.n_workers == 2
    finally:
        growing.close()
    assert plan.states == [b"." * 20] * 8
    used = [pid for i in range(8) for pid in process_ids(tmp_path / f"{i}")]
    assert used[0] == os.getpid()
    assert len(set(used)) == 3


def test_without_workers_the_search_goes_on_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(backends, "BOOT_AFTER", 0.0)
    monkeypatch.setattr(sys, "executable", "/no/such/python")
    plan = Listed([job(count, tmp_path / "n", length=5, seconds=0.02)])
    with backend({"data": None}, jobs=2) as place:
        run([plan], place, Memory())
    assert plan.states == [b"....."]
    (warning,) = caplog.messages
    assert warning.startswith("No worker processes, going on in this one: ")


SCRIPT = """
import os
from eqlearn.jobs import backends
from eqlearn.jobs.job import Job, Stage, Step
from eqlearn.jobs.runner import run
from eqlearn.jobs.store import Memory

class Plan:
    def stages(self):
        yield Stage(lambda i: job if i == 0 else None, lambda i, state: True)

print("begin", flush=True)
backends.BOOT_AFTER = 0.0
here = os.getpid()
job = Job("a", lambda d, s, t: Step(b"", os.getpid() != here), {}, "data")
with backends.backend({"data": None}, jobs=2) as place:
    run([Plan()], place, Memory())
print("end", flush=True)
"""


def test_a_plain_script_is_not_run_again_by_its_workers(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    ran = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, timeout=120
    )
    assert ran.stdout.split() == ["begin", "end"]
    assert ran.stderr == "" and ran.returncode == 0


@pytest.mark.parametrize(
    ("jobs", "expected"), [(None, 4), (1, 1), (7, 7), (-1, 4), (-2, 3), (-9, 1)]
)
def test_the_number_of_processes(
    jobs: int | None, expected: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(range(4)))
    assert n_processes(jobs) == expected


def test_where_the_system_does_not_tell_all_cores_are_used(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: 8)
    assert n_processes(-1) == 8


@pytest.mark.parametrize("jobs", [0, 1.5, "2", True])
def test_a_wrong_number_of_processes_is_refused(jobs: Any) -> None:
    with pytest.raises(EqlearnError, match="`jobs` must be a number of processes"):
        n_processes(jobs)

import math
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from subprocess import Popen
from typing import Any

import psutil
import pytest

from eqlearn.reproduce.subprocesses import (
    CLOCK,
    ONE_THREAD,
    Failure,
    in_processes,
)


def test_a_crash_costs_one_run() -> None:
    def results(function: Callable[[Any], Any], *jobs: float) -> list[Any]:
        done = in_processes(function, jobs, 2, lambda job: 60)
        return [result for _, result in sorted(done)]

    error, root = results(math.sqrt, -1, 4)
    assert error.status == "crashed"
    assert error.message.rstrip().endswith(("math domain error", "input, got -1.0"))
    assert root == 2
    assert results(os._exit, 3) == [Failure("crashed", "exit code 3")]


def test_a_run_without_end_is_stopped() -> None:
    ((_, result),) = in_processes(time.sleep, [600], 1, lambda job: 0.5)
    assert result.status == "stopped"


def test_a_run_that_counts_what_it_computes_may_wait_for_the_processor(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(CLOCK, "processor")
    ((_, result),) = in_processes(time.sleep, [3.0], 1, lambda job: 2.0)
    assert result is None


def test_no_run_outlives_its_parent() -> None:
    program = (
        "import time\n"
        "from eqlearn.reproduce.subprocesses import in_processes\n"
        "list(in_processes(time.sleep, [60.0], 1, lambda job: 100.0))\n"
    )
    with Popen([sys.executable, "-c", program]) as process:
        parent = psutil.Process(process.pid)
        while not (children := parent.children(recursive=True)):
            time.sleep(0.1)
        time.sleep(1.0)
        process.kill()
    _, alive = psutil.wait_procs(children, timeout=20)
    assert not alive


def test_a_run_computes_with_one_thread() -> None:
    ((_, threads),) = in_processes(os.getenv, [next(iter(ONE_THREAD))], 1, lambda _: 60)
    assert threads == "1"


def test_code_in_the_working_directory_is_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trap = 'from pathlib import Path\nPath("sprung").touch()\n'
    (tmp_path / "multiprocessing.py").write_text(trap)
    monkeypatch.chdir(tmp_path)
    ((_, result),) = in_processes(abs, [-3], 1, lambda work: 60.0)
    assert result == 3
    assert not (tmp_path / "sprung").exists()


def test_limits_may_count_what_is_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    def seconds_asleep() -> float:
        ((_, passed),) = in_processes(passed_asleep, [0.5], 1, lambda work: 60.0)
        return float(passed)

    monkeypatch.delenv(CLOCK, raising=False)
    assert seconds_asleep() >= 0.5
    monkeypatch.setenv(CLOCK, "processor")
    assert seconds_asleep() < 0.2


def passed_asleep(seconds: float) -> float:
    """How long the clock says that sleeping took."""
    begin = time.monotonic()
    time.sleep(seconds)
    return time.monotonic() - begin

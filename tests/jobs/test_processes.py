"""Workers of our own: closed to others, replaced when they die or freeze."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from patience import within
from short_jobs import (
    Listed,
    be_killed,
    count,
    fail,
    job,
    leave,
    length,
    one_result,
    process_ids,
)

from eqlearn import __version__
from eqlearn.jobs import processes
from eqlearn.jobs.job import Job, Segment, Specification, Step
from eqlearn.jobs.processes import Processes
from eqlearn.jobs.runner import MOST_TRIES, run
from eqlearn.jobs.serial import EndedSegment
from eqlearn.jobs.store import Memory

NOBODY = 65534


def wait_for(place: Processes) -> Processes:
    end = time.monotonic() + 60
    while not place.is_ready():
        assert time.monotonic() < end
        time.sleep(0.05)
    return place


@pytest.fixture(scope="module")
def shared() -> Iterator[Processes]:
    place = Processes(2, {"data": bytes(20_000_000)})
    yield place
    place.close()


@pytest.fixture
def place(shared: Processes) -> Processes:
    return wait_for(shared)


@pytest.fixture
def own_place() -> Iterator[Processes]:
    place = Processes(2, {"data": None})
    try:
        yield wait_for(place)
    finally:
        place.close()


def process_id(data: Any, specification: Specification, state: bytes | None) -> Step:
    return Step(str(os.getpid()).encode(), True)


def spin(data: Any, specification: Specification, state: bytes | None) -> Step:
    """Compute without a word for longer than a frozen worker is waited for."""
    end = time.process_time() + specification["seconds"]
    while time.process_time() < end:
        pass
    return Step(b"", True)


def n_ports(pid: int) -> int:
    """How many doors a process has that others can knock at."""
    sockets = psutil.Process(pid).net_connections("inet")
    return sum(one.status == psutil.CONN_LISTEN for one in sockets)


def test_nobody_else_gets_in() -> None:
    """R-19: no port, and no channel that another user could open."""
    before = n_ports(os.getpid())
    place = Processes(2, {"data": None})
    try:
        wait_for(place)
        assert n_ports(os.getpid()) == before
        workers = [worker.pid for worker in place.workers]
        assert [n_ports(pid) for pid in workers] == [0, 0]
        assert what_another_user_can_open(workers) == ""
    finally:
        place.close()


def what_another_user_can_open(pids: list[int]) -> str:
    if os.getuid() != 0:
        return ""  # only root can be another user
    program = """
import os, sys
for pid in sys.argv[1:]:
    try:
        channels = os.listdir(f"/proc/{pid}/fd")
    except PermissionError:
        continue
    print(pid, channels)
"""
    command = ["/usr/bin/python3", "-c", program, *map(str, pids)]
    if not Path(command[0]).exists():
        command[0] = sys.executable
    probe = subprocess.run(
        command, user=NOBODY, extra_groups=[], capture_output=True, text=True, cwd="/"
    )
    assert probe.returncode == 0, probe.stderr
    return probe.stdout


def is_deaf(pid: int | str) -> bool:
    """Whether a process has blocked Ctrl-C from its first moment on."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    (blocked,) = [line.split()[1] for line in lines if line.startswith("SigBlk")]
    return bool(int(blocked, 16) & 1 << (signal.SIGINT - 1))


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc")
def test_workers_never_hear_an_interrupt(place: Processes) -> None:
    assert all(is_deaf(worker.pid) for worker in place.workers)
    assert not is_deaf("self")


@pytest.mark.parametrize("deadly", [leave, be_killed])
def test_a_deadly_job_is_given_up_and_its_neighbours_finish(
    place: Processes, tmp_path: Path, deadly: Segment
) -> None:
    bad = job(deadly, tmp_path / "bad")
    good = [job(count, tmp_path / f"good{i}", length=3, seconds=0.05) for i in range(6)]
    plan, store = Listed([*good[:1], bad, *good[1:]]), Memory()
    run([plan], place, store)
    assert plan.states == [b"...", None, *[b"..."] * 5]
    assert store.failures() == {bad.key: "its worker process died"}
    assert len(process_ids(tmp_path / "bad")) == MOST_TRIES


def test_a_killed_worker_costs_at_most_one_segment(
    place: Processes, tmp_path: Path
) -> None:
    jobs = [job(count, tmp_path / f"{i}", length=3, seconds=0.1) for i in range(8)]
    plan, store = Listed(jobs), Memory()
    victim = place.workers[0].pid
    kill = threading.Timer(0.45, os.kill, (victim, signal.SIGKILL))
    kill.start()
    run([plan], place, store)
    kill.join()
    assert plan.states == [b"..."] * 8
    assert store.failures() == {}
    n_begun = sum(len(process_ids(tmp_path / f"{i}")) for i in range(8))
    assert 24 <= n_begun <= 25


@pytest.mark.parametrize("n_frozen", [1, 2])
def test_a_frozen_worker_is_given_up(
    own_place: Processes, tmp_path: Path, n_frozen: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "PATIENCE", 3.0)
    jobs = [job(count, tmp_path / f"{i}", length=6, seconds=0.1) for i in range(8)]
    plan, store = Listed(jobs), Memory()
    victims = [worker.pid for worker in own_place.workers][:n_frozen]
    for pid in victims:
        threading.Timer(0.3, os.kill, (pid, signal.SIGSTOP)).start()
    with within(15):
        run([plan], own_place, store)
    assert plan.states == [b"......"] * 8 and store.failures() == {}
    assert not any(psutil.pid_exists(pid) for pid in victims)


def test_a_stopped_worker_is_not_waited_for(own_place: Processes) -> None:
    """R-22: near the time limit there is no time for it."""
    own_place.start(Job("spin", spin, {"seconds": 60.0}, "data"), None)
    begin = time.monotonic()
    (busy,) = [worker for worker in own_place.workers if worker.is_busy]
    os.kill(busy.pid, signal.SIGSTOP)
    while not (ended := own_place.ended(0.1)):
        assert time.monotonic() - begin < processes.PATIENCE
    assert ended[0].step is None and ended[0].n_deaths == 1


def test_a_worker_that_grows_within_a_segment_is_given_up() -> None:
    """R-30: memory is bounded at any time, not only between segments."""
    place = Processes(1, {"data": None}, memory=600e6)
    try:
        ended = one_result(wait_for(place), swell)
    finally:
        place.close()
    assert ended.step is None and "more memory than its share" in ended.error


def swell(data: Any, specification: Specification, state: bytes | None) -> Step:
    """Take ever more memory, and do not come to an end."""
    mine = []
    while True:
        mine.append(bytes(range(256)) * 40_000)
        time.sleep(0.05 if len(mine) < 60 else 1.0)


def test_fewer_workers_are_started_than_would_not_fit() -> None:
    share = processes.LEAST_SHARE
    assert processes.n_that_fit(8, None) == 8
    assert processes.n_that_fit(8, 4 * share) == 3
    assert processes.n_that_fit(8, share / 2) == 1
    assert processes.n_that_fit(2, 100 * share) == 2


def test_frozen_while_it_waits_it_is_given_up_when_it_gets_work(
    own_place: Processes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "PATIENCE", 3.0)
    for worker in own_place.workers:
        os.kill(worker.pid, signal.SIGSTOP)
    plan = Listed([job(count, tmp_path / f"{i}", length=2) for i in range(3)])
    run([plan], own_place, Memory())
    assert plan.states == [b".."] * 3


def test_a_worker_that_computes_in_silence_is_not_given_up(
    own_place: Processes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "PATIENCE", 1.0)
    assert one_result(own_place, spin, {"seconds": 3.0}).step == Step(b"", True)


HOARD: list[bytes] = []


def hoard(data: Any, specification: Specification, state: bytes | None) -> Step:
    """Never give memory back."""
    HOARD.append(bytes(range(256)) * 400_000)
    return process_id(data, specification, state)


def test_a_worker_that_grows_is_started_anew(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(processes, "_memory_each", lambda n_workers, memory: 300e6)
    place = Processes(1, {"data": None})
    try:
        ended = [one_result(wait_for(place), hoard) for _ in range(8)]
    finally:
        place.close()
    used = {one.step.state for one in ended if one.step is not None}
    assert 1 < len(used) < 8
    # Seen after a segment or, on a slow machine, within it: then that is lost.
    assert {one.error for one in ended} <= {"", processes._GREW}


def test_what_nobody_wants_holds_nobody_up(
    own_place: Processes, tmp_path: Path
) -> None:
    long = [Job(f"long{i}", spin, {"seconds": 60.0}, "data") for i in range(2)]
    for one in long:
        own_place.start(one, None)
    own_place.drop([one.key for one in long])
    plan = Listed([job(count, tmp_path / "n", length=1)])
    with within(20):
        run([plan], own_place, Memory())
    assert plan.states == [b"."]


def test_an_error_in_a_segment_is_its_result(place: Processes) -> None:
    ended = one_result(place, fail)
    assert ended.step is None and ended.n_deaths == 0
    assert ended.error == "ValueError: it broke"


def test_large_data_are_sent(place: Processes) -> None:
    assert one_result(place, length).step == Step(b"20000000", True)


def test_data_too_large_to_send_stay_at_home(place: Processes, tmp_path: Path) -> None:
    home = Job("home", count, {"notes": str(tmp_path / "n"), "length": 1}, "data", True)
    run([Listed([home])], place, Memory())
    assert process_ids(tmp_path / "n") == [os.getpid()]


def test_all_workers_get_work(place: Processes, tmp_path: Path) -> None:
    jobs = [job(count, tmp_path / f"{i}", length=1, seconds=0.1) for i in range(20)]
    run([Listed(jobs)], place, Memory())
    used = [pid for i in range(20) for pid in process_ids(tmp_path / f"{i}")]
    assert min(used.count(worker.pid) for worker in place.workers) >= 4


def test_dropped_segments_are_forgotten(place: Processes, tmp_path: Path) -> None:
    dropped = job(count, tmp_path / "dropped", length=1)
    kept = job(count, tmp_path / "kept", length=1)
    place.start(dropped, None)
    place.start(kept, None)
    place.drop([dropped.key])
    ended: list[EndedSegment] = []
    while not ended:
        ended = place.ended(1.0)
    assert [one.job for one in ended] == [kept]
    assert place.ended(0.3) == []


def test_workers_end_with_whoever_started_them() -> None:
    program = """
import os, signal, time
from eqlearn.jobs.processes import Processes
place = Processes(2, {})
while not place.is_ready():
    time.sleep(0.05)
print(*(worker.pid for worker in place.workers), flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True
    )
    pids = [int(word) for word in ran.stdout.split()]
    assert len(pids) == 2
    end = time.monotonic() + 60
    while any(map(psutil.pid_exists, pids)):
        assert time.monotonic() < end
        time.sleep(0.05)


def test_workers_with_another_code_are_not_used(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """R-23: as if files had been changed since this process was started."""
    monkeypatch.setattr(processes, "code_identity", lambda: "eqlearn 0.0 (code 0)")
    place = Processes(2, {"data": None})
    try:
        wait_for(place)
        plan = Listed([job(count, tmp_path / "n", length=2)])
        run([plan], place, Memory())
    finally:
        place.close()
    assert plan.states == [b".."] and set(process_ids(tmp_path / "n")) == {os.getpid()}
    (warning,) = caplog.messages
    assert f"they would be of eqlearn {__version__} " in warning
    assert "not eqlearn 0.0 (code 0)" in warning


def imported_from(data: Any, specification: Specification, state: bytes | None) -> Step:
    import colorsys  # of Python's modules one that nothing has imported so far

    import own_module  # type: ignore[import-not-found]

    return Step(f"{colorsys.__file__} {own_module.__file__}".encode(), True)


@pytest.mark.parametrize("entry", ["", "."])
def test_code_in_the_working_directory_is_not_run(
    entry: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R-21: not instead of Python's own modules; the user's own are found there."""
    trap = 'from pathlib import Path\nPath("sprung").touch()\n'
    for name in ("multiprocessing", "colorsys", "numpy", "pickle", "site", "os"):
        (tmp_path / f"{name}.py").write_text(trap)
    (tmp_path / "own_module.py").touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(entry)
    place = Processes(1, {"data": None}, ["eqlearn.search.fast_plan"])
    try:
        ended = one_result(wait_for(place), imported_from)
    finally:
        place.close()
    assert ended.step is not None, ended.error
    python, own = ended.step.state.decode().split()
    assert own == str(tmp_path / "own_module.py")
    assert not python.startswith(str(tmp_path))
    assert not (tmp_path / "sprung").exists()

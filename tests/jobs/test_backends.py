import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from eqlearn.errors import EqlearnError
from eqlearn.jobs import backends
from eqlearn.jobs.backends import (
    Backend,
    Cluster,
    EndedSegment,
    GrowingBackend,
    Serial,
    backend,
    n_processes,
)
from eqlearn.jobs.job import Job, Segment, Specification, Stage, Step
from eqlearn.jobs.runner import MOST_TRIES, run
from eqlearn.jobs.store import Memory
from eqlearn.network.graph import CONSTANT, Graph, Node
from eqlearn.network.units import own_units, register_unit
from eqlearn.search.learn import learn
from eqlearn.search.request import Request
from eqlearn.search.task import Task, numerical_context


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


def use_own_unit(task: Task, specification: Specification, state: bytes | None) -> Step:
    with numerical_context(task):
        graph = Graph(1, (Node("bell", ({0: 1.0},)),), (({1: 1.0}, {CONSTANT: 1.0}),))
        value = graph.evaluate(np.zeros((1, 1)))[0][0, 0]
    return Step(str(value).encode(), True)


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


def test_a_local_cluster_listens_to_this_machine_only(client: Any) -> None:
    psutil = pytest.importorskip("psutil")
    workers = client.run(os.getpid).values()
    processes = [psutil.Process(pid) for pid in (os.getpid(), *workers)]
    connections = [c for p in processes for c in p.net_connections("inet")]
    listening = {c.laddr.ip for c in connections if c.status == psutil.CONN_LISTEN}
    assert listening == {"127.0.0.1"}
    assert {c.raddr.ip for c in connections if c.raddr} == {"127.0.0.1"}


def test_the_cluster_says_nothing(client: Any) -> None:
    # At its logger: what LocalCluster silences is loud again when another one ends.
    for name in ("scheduler", "nanny", "core"):
        logger = logging.getLogger(f"distributed.{name}")
        assert not logger.isEnabledFor(logging.WARNING)


def is_deaf(pid: int | str) -> bool:
    """Whether a process has blocked Ctrl-C from its first moment on."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    (blocked,) = [line.split()[1] for line in lines if line.startswith("SigBlk")]
    return bool(int(blocked, 16) & 1 << (signal.SIGINT - 1))


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc")
def test_workers_never_hear_an_interrupt(client: Any) -> None:
    assert all(map(is_deaf, client.run(os.getpid).values()))
    assert not is_deaf("self")


@pytest.mark.parametrize("deadly", [leave, be_killed])
def test_a_deadly_job_is_given_up_and_its_neighbours_finish(
    client: Any, tmp_path: Path, deadly: Segment
) -> None:
    bad = job(deadly, tmp_path / "bad")
    good = [job(count, tmp_path / f"good{i}", length=3, seconds=0.05) for i in range(6)]
    plan, store = Listed([*good[:1], bad, *good[1:]]), Memory()
    run([plan], Cluster(client, {"data": None}), store)
    assert plan.states == [b"...", None, *[b"..."] * 5]
    assert store.failures() == {bad.key: "its worker process died"}
    assert 1 < len(process_ids(tmp_path / "bad")) <= MOST_TRIES


def test_a_killed_worker_costs_at_most_one_segment(client: Any, tmp_path: Path) -> None:
    jobs = [job(count, tmp_path / f"{i}", length=3, seconds=0.1) for i in range(8)]
    plan, store = Listed(jobs), Memory()
    victims = list(client.run(os.getpid).values())
    kill = threading.Timer(0.45, os.kill, (victims[0], signal.SIGKILL))
    kill.start()
    run([plan], Cluster(client, {"data": None}), store)
    kill.join()
    assert plan.states == [b"..."] * 8
    assert store.failures() == {}
    n_begun = sum(len(process_ids(tmp_path / f"{i}")) for i in range(8))
    assert 24 <= n_begun <= 25


def test_an_error_in_a_segment_is_its_result(client: Any) -> None:
    for place in (Serial({"data": None}), Cluster(client, {"data": None})):
        ended = one_result(place, fail)
        assert ended.step is None and ended.n_deaths == 0
        assert ended.error == "ValueError: it broke"


def test_large_data_are_sent_without_a_warning(client: Any) -> None:
    place = Cluster(client, {"data": bytes(20_000_000)})
    assert one_result(place, length).step == Step(b"20000000", True)


def test_data_too_large_to_send_stay_at_home(client: Any, tmp_path: Path) -> None:
    home = Job("home", count, {"notes": str(tmp_path / "n"), "length": 1}, "data", True)
    plan = Listed([home])
    run([plan], Cluster(client, {"data": None}), Memory())
    assert process_ids(tmp_path / "n") == [os.getpid()]


def test_all_workers_get_work(client: Any, tmp_path: Path) -> None:
    jobs = [job(count, tmp_path / f"{i}", length=1, seconds=0.1) for i in range(20)]
    run([Listed(jobs)], Cluster(client, {"data": None}), Memory())
    used = [pid for i in range(20) for pid in process_ids(tmp_path / f"{i}")]
    assert min(used.count(pid) for pid in client.run(os.getpid).values()) >= 8


def n_data(dask_worker: Any) -> int:
    """How many data a worker keeps."""
    return sum(name.startswith("eqlearn-") for name in dask_worker.plugins)


def test_an_existing_cluster_is_used_and_left_alone(
    cluster: tuple[Any, Any], client: Any, tmp_path: Path
) -> None:
    workers = set(client.run(os.getpid).values())
    before = set(client.run(n_data).values())
    plan = Listed([job(count, tmp_path / f"{i}", length=1) for i in range(4)])
    address = cluster[0].scheduler_address
    with backend({"data": None}, scheduler=address) as place:
        assert place.n_workers == 2
        run([plan], place, Memory())
    used = {pid for i in range(4) for pid in process_ids(tmp_path / f"{i}")}
    assert used <= workers
    assert set(client.run(os.getpid).values()) == workers
    assert set(client.run(n_data).values()) == before


@pytest.mark.parametrize("address", ["nonsense", "tcp://127.0.0.1:1", "gopher://x:1"])
def test_a_wrong_address_is_refused_in_one_line(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backends, "CONNECT_SECONDS", 0.5)
    with (
        pytest.raises(EqlearnError, match="`scheduler` must be the address") as caught,
        backend({}, scheduler=address),
    ):
        pass
    assert "\n" not in str(caught.value) and address in str(caught.value)


def test_a_scheduler_without_workers_is_refused_in_one_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr(backends, "CONNECT_SECONDS", 0.5)
    with (
        distributed.LocalCluster(
            n_workers=0, processes=False, dashboard_address="127.0.0.1:0"
        ) as empty,
        pytest.raises(EqlearnError, match="must be one that has workers") as caught,
        backend({}, scheduler=empty.scheduler_address),
    ):
        pass
    assert "dask worker" in str(caught.value) and "\n" not in str(caught.value)


# While it is waited for long segments; in the midst of fetching short ones.
@pytest.mark.parametrize("seconds", [0.1, 0.0])
def test_a_lost_scheduler_ends_the_search_in_one_line(
    tmp_path: Path, seconds: float
) -> None:
    distributed = pytest.importorskip("distributed")
    slow = job(count, tmp_path / "slow", length=100_000, seconds=seconds)
    store = Memory()
    with distributed.LocalCluster(
        n_workers=1,
        processes=False,
        dashboard_address="127.0.0.1:0",
        silence_logs=logging.CRITICAL,
    ) as doomed:
        stop = threading.Timer(0.5, doomed.close)
        with (
            pytest.raises(EqlearnError, match="a lost connection") as caught,
            backend({"data": None}, scheduler=doomed.scheduler_address) as place,
        ):
            stop.start()
            run([Listed([slow])], place, store)
    assert "Start the same command again" in str(caught.value)
    assert store.failures() == {}
    assert store.find(slow.key).n_tries == 0


def test_units_of_the_users_own_reach_the_workers(client: Any, table: None) -> None:
    register_unit("bell", lambda xp, z: xp.exp(-z * z))
    one = np.ones(1)
    task = Task(
        one[:, None], one[:, None], -one, one, one, own_units=own_units(("bell",))
    )
    assert one_result(Cluster(client, {"data": task}), use_own_unit).step == Step(
        b"1.0", True
    )


def test_a_search_with_own_units_goes_all_the_way_on_workers(
    cluster: tuple[Any, Any], table: None
) -> None:
    # Formulas with the unit come back to workers that have not met it: to be refined,
    # and to be fitted to every row.
    register_unit("hill", lambda xp, z: xp.exp(-z * z))
    rng = np.random.default_rng(0)
    x = rng.uniform(-2, 2, (300, 1))
    y = 2 * np.exp(-((1.5 * x) ** 2)) + 0.001 * rng.normal(size=x.shape)
    (found,) = learn(
        Request(
            x,
            y,
            units=("sin", "multiply", "hill"),
            max_attempts=16,
            scheduler=cluster[0].scheduler_address,
        )
    )
    assert found.failures == ()
    assert any(node.unit == "hill" for node in found.candidates[0].graph.nodes)


def test_dropped_segments_are_forgotten(client: Any, tmp_path: Path) -> None:
    for place in (Serial({"data": None}), Cluster(client, {"data": None})):
        dropped = job(count, tmp_path / "dropped", length=1)
        kept = job(count, tmp_path / "kept", length=1)
        place.start(dropped, None)
        place.start(kept, None)
        place.drop([dropped.key])
        ended: list[EndedSegment] = []
        while not ended:
            ended = place.ended(1.0)
        assert [one.job for one in ended] == [kept]
        assert place.ended(0.1) == []


def test_a_search_moves_to_the_workers_when_they_are_ready(
    cluster: tuple[Any, Any],
    client: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(backends, "BOOT_AFTER", 0.1)
    monkeypatch.setattr(backends, "local_cluster", lambda n, preload: cluster)
    growing = GrowingBackend(2, {"data": None})
    plan = Listed(
        [job(count, tmp_path / f"{i}", length=4, seconds=0.05) for i in range(8)]
    )
    run([plan], growing, Memory())
    assert plan.states == [b"...."] * 8
    assert growing.n_workers == 2
    used = [pid for i in range(8) for pid in process_ids(tmp_path / f"{i}")]
    assert used[0] == os.getpid()
    assert set(used) - {os.getpid()} == set(client.run(os.getpid).values())


def test_without_workers_the_search_goes_on_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(n_workers: int, preload: Sequence[str]) -> None:
        raise OSError("no more processes")

    monkeypatch.setattr(backends, "BOOT_AFTER", 0.0)
    monkeypatch.setattr(backends, "local_cluster", refuse)
    plan = Listed([job(count, tmp_path / "n", length=5, seconds=0.02)])
    with backend({"data": None}, jobs=2) as place:
        run([plan], place, Memory())
    assert plan.states == [b"....."]
    (warning,) = caplog.messages
    assert warning == "No worker processes, going on in this one: no more processes"


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

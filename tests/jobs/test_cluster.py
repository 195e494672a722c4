import logging
import os
import signal
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
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

from eqlearn.errors import EqlearnError
from eqlearn.jobs import cluster as cluster_module
from eqlearn.jobs.backends import backend
from eqlearn.jobs.cluster import Cluster
from eqlearn.jobs.code_identity import code_identity
from eqlearn.jobs.job import Job, Segment, Specification, Step
from eqlearn.jobs.runner import MOST_TRIES, run
from eqlearn.jobs.serial import EndedSegment, Serial
from eqlearn.jobs.store import Memory
from eqlearn.network.graph import CONSTANT, Graph, Node
from eqlearn.network.units import own_units, register_unit
from eqlearn.search.learn import learn
from eqlearn.search.request import Request
from eqlearn.search.task import Task, numerical_context


def use_own_unit(task: Task, specification: Specification, state: bytes | None) -> Step:
    with numerical_context(task):
        graph = Graph(1, (Node("bell", ({0: 1.0},)),), (({1: 1.0}, {CONSTANT: 1.0}),))
        value = graph.evaluate(np.zeros((1, 1)))[0][0, 0]
    return Step(str(value).encode(), True)


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
    # The segment it was computing, and one that was ready and not yet fetched.
    assert 24 <= n_begun <= 26


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
    assert min(used.count(pid) for pid in client.run(os.getpid).values()) >= 4


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
    monkeypatch.setattr(cluster_module, "CONNECT_SECONDS", 0.5)
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
    monkeypatch.setattr(cluster_module, "CONNECT_SECONDS", 0.5)
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


def test_workers_with_another_code_are_refused_by_both_names(
    cluster: tuple[Any, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """R-23: before the search, or by themselves if they come later."""
    ours = code_identity()
    monkeypatch.setattr(cluster_module, "code_identity", lambda: "eqlearn 9.9 (code x)")
    with (
        pytest.raises(EqlearnError, match=r"workers have eqlearn 9\.9") as caught,
        backend({}, scheduler=cluster[0].scheduler_address),
    ):
        pass
    assert ours in str(caught.value) and "\n" not in str(caught.value)
    place = Cluster(cluster[1], {"data": None})
    with pytest.raises(EqlearnError, match=r"workers have eqlearn 9\.9"):
        one_result(place, fail)


def test_an_open_scheduler_is_said_to_be_open_once(
    cluster: tuple[Any, Any],
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(cluster_module, "_WARNED", set())
    for _ in range(2):
        with backend({}, scheduler=cluster[0].scheduler_address):
            pass
    (warning,) = caplog.messages
    assert "takes work from anyone" in warning and "tls://" in warning


def test_a_frozen_worker_is_given_up(
    client: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R-2: and has cost the segments that it had, no more."""
    monkeypatch.setattr(cluster_module, "PATIENCE", 5.0)
    lost: list[EndedSegment] = []

    class Watched(Cluster):
        def ended(self, timeout: float) -> list[EndedSegment]:
            ended = super().ended(timeout)
            lost.extend(one for one in ended if one.step is None)
            return ended

    frozen = next(iter(client.run(os.getpid).values()))
    place = Watched(client, {"data": None})
    jobs = [job(count, tmp_path / f"{i}", length=4, seconds=0.1) for i in range(4)]
    place.start(job(count, tmp_path / "first", length=1), None)  # data are brought
    while not place.ended(1.0):
        pass
    os.kill(frozen, signal.SIGSTOP)
    plan, store = Listed(jobs), Memory()
    try:
        run([plan], place, store)
    finally:
        os.kill(frozen, signal.SIGCONT)
    assert plan.states == [b"...."] * 4
    assert 1 <= len(lost) <= 2  # one it had begun, one for afterwards
    assert all("did not answer" in one.error for one in lost)

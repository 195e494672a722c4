"""The same seed gives the same table of equations, byte by byte [R-12]."""

import math
import os
import random
import signal
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import closing, nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from eqlearn.jobs import backends
from eqlearn.jobs.job import Job
from eqlearn.jobs.runner import MOST_TRIES
from eqlearn.jobs.serial import EndedSegment, computed
from eqlearn.jobs.store import Store
from eqlearn.search import learn as searching
from eqlearn.search.learn import Found, Progress, learn
from eqlearn.search.request import Request


def search(directory: Path, **options: Any) -> Found:
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, (80, 2))
    above = np.stack([np.sin(3 * x[:, 0]), x[:, 0] ** 2 * x[:, 1] + 1], axis=1)
    y = above / (1 + x[:, 1:] ** 2) + 0.05 * rng.normal(size=(80, 2))
    # Enough attempts that the targets lend each other what they have found.
    settings: dict[str, Any] = {"max_attempts": 20, "jobs": 1, **options}
    callback = settings.pop("callback", lambda progress: None)
    found, _ = learn(Request(x, y, run_dir=directory, **settings), callback)
    return found


def table(directory: Path) -> list[tuple[int, int, str]]:
    with closing(sqlite3.connect(directory / "run.db")) as connection:
        return connection.execute("SELECT * FROM results").fetchall()


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Any]]:
    directory = tmp_path_factory.mktemp("expected")
    assert search(directory).ended == "finished"
    with closing(sqlite3.connect(directory / "run.db")) as connection:
        keys = [key for (key,) in connection.execute("SELECT key FROM jobs")]
    assert any("/borrow/" in key for key in keys)
    yield table(directory)


def test_workers_give_the_same_table(
    expected: list[Any],
    cluster: tuple[Any, Any],
    client: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    search(tmp_path / "cluster", scheduler=cluster[0].scheduler_address)
    assert table(tmp_path / "cluster") == expected
    monkeypatch.setattr(backends, "BOOT_AFTER", 0.0)
    search(tmp_path / "local", jobs=2)
    assert table(tmp_path / "local") == expected


class Hard:
    """Three workers that end in any order, and die twice in a segment at most."""

    n_workers = 3

    def __init__(self, data: Any, rng: random.Random) -> None:
        self._data, self._rng = data, rng
        self._running: dict[str, tuple[Job, bytes | None]] = {}
        self.deaths: Counter[tuple[str, bytes | None]] = Counter()

    def start(self, job: Job, state: bytes | None, stop_at: float = math.inf) -> None:
        self._running[job.key] = job, state

    def ended(self, timeout: float) -> list[EndedSegment]:
        if not self._running:
            return []
        key = self._rng.choice(list(self._running))
        job, state = self._running.pop(key)
        if self.deaths[key, state] < MOST_TRIES - 1 and self._rng.random() < 0.4:
            self.deaths[key, state] += 1
            return [EndedSegment(job, None, "its worker died", n_deaths=1)]
        return [computed(self._data[job.data], job, state)]

    def drop(self, keys: Collection[str]) -> None:
        for key in keys:
            self._running.pop(key, None)


def test_workers_that_die_give_the_same_table(
    expected: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R-2: whichever they are, and whatever others have done meanwhile."""
    made: list[Hard] = []

    def backend(data: Any, **options: Any) -> Any:
        made.append(Hard(data, random.Random(0)))
        return nullcontext(made[0])

    monkeypatch.setattr(searching, "backend", backend)
    found = search(tmp_path)
    assert made[0].deaths.total() > 5 and not found.failures
    assert table(tmp_path) == expected


def test_an_interrupted_search_is_resumed_to_the_same_table(
    expected: list[Any], tmp_path: Path
) -> None:
    n_seen = 0

    def press(progress: Progress) -> None:
        nonlocal n_seen
        n_seen += 1
        if n_seen == 3:
            os.kill(os.getpid(), signal.SIGINT)

    endings: list[str] = []
    while "finished" not in endings:
        n_seen = 0
        found = search(tmp_path, callback=press if len(endings) < 3 else lambda p: None)
        assert found.candidates  # the best so far
        endings.append(found.ended)
    assert endings[0] == "interrupt"
    assert table(tmp_path) == expected


KILLED = """
import os, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from test_determinism import Store, search
save, n_left = Store.save, int(sys.argv[3])
def mortal(self, *arguments):
    global n_left
    save(self, *arguments)
    n_left -= 1
    if not n_left:
        os.kill(os.getpid(), 9)
Store.save = mortal
search(Path(sys.argv[1]))
"""


def test_a_killed_search_is_resumed_to_the_same_table(
    expected: list[Any], tmp_path: Path
) -> None:
    here = str(Path(__file__).parent)
    for n_segments in (1, 4):
        killed = subprocess.run(
            [sys.executable, "-c", KILLED, str(tmp_path), here, str(n_segments)]
        )
        assert killed.returncode == -signal.SIGKILL
    with closing(sqlite3.connect(tmp_path / "run.db")) as connection:
        ((n_kept,),) = connection.execute("SELECT sum(n_segments) FROM jobs")
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert n_kept == 5
    search(tmp_path)
    assert table(tmp_path) == expected


def test_a_finished_search_is_not_made_again(
    expected: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    search(tmp_path)
    monkeypatch.setattr(Store, "save", lambda *arguments: pytest.fail("computed"))
    assert search(tmp_path).ended == "finished"
    assert table(tmp_path) == expected

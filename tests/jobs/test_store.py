import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from eqlearn.errors import EqlearnError
from eqlearn.jobs.job import Step
from eqlearn.jobs.store import SCHEMA_VERSION, Memory, Record, Store, versions

SETTINGS = {"recipe": "fast", "seed": 0, "units": ["sin", "multiply"]}
IDENTITY = {"settings": SETTINGS, "data": "0123456789abcdef"}


@pytest.fixture(params=["memory", "store"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Memory | Store]:
    if request.param == "memory":
        yield Memory()
        return
    with Store(tmp_path, IDENTITY) as opened:
        yield opened


def step(state: bytes, is_done: bool = False) -> Step:
    return Step(state, is_done, {"n": len(state)})


def query(directory: Path, statement: str, *values: object) -> list[tuple[Any, ...]]:
    connection = sqlite3.connect(directory / "run.db")
    try:
        with connection:
            return connection.execute(statement, values).fetchall()
    finally:
        connection.close()


def refusal(directory: Path, identity: Mapping[str, object]) -> str:
    with pytest.raises(EqlearnError) as caught:
        Store(directory, identity)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_records_follow_a_candidate(store: Memory | Store) -> None:
    assert store.find("a") == Record()
    store.begin(["a"])
    store.save("a", step(b"1"), 1.0)
    assert store.find("a") == Record("running", 1, state=b"1")
    store.fail("a", "its worker process died", 1, False)
    assert store.find("a") == Record("running", 1, 1, "its worker process died", b"1")
    store.save("a", step(b"22", is_done=True), 2.5)
    assert store.find("a") == Record("done", 2, state=b"22")
    assert store.failures() == {}


def test_deaths_in_the_first_segment_are_counted(store: Memory | Store) -> None:
    store.begin(["a"])
    store.fail("a", "its worker process died", 2, False)
    assert store.find("a") == Record("running", 0, 2, "its worker process died")
    store.fail("a", "its worker process died", 3, True)
    assert store.find("a").status == "failed"
    assert store.failures() == {"a": "its worker process died"}


def test_everything_is_there_the_next_time(tmp_path: Path) -> None:
    with Store(tmp_path, IDENTITY) as store:
        store.save("a", step(b"1"), 1.0)
        store.save("b", step(b"", is_done=True), 2.5)
        store.conclude([[{"rms": 0.1}, {"rms": 0.2}]], "interrupt")
    with Store(tmp_path, IDENTITY) as store:
        assert store.find("a") == Record("running", 1, state=b"1")
        assert store.find("b") == Record("done", 1, state=b"")
        assert store.seconds == 2.5
    assert query(tmp_path, "SELECT * FROM results") == [
        (0, 0, '{"rms":0.1}'),
        (0, 1, '{"rms":0.2}'),
    ]
    assert "numpy" in json.loads(known(tmp_path)["versions"])


def test_a_run_that_goes_on_is_running_again(tmp_path: Path) -> None:
    with Store(tmp_path, IDENTITY) as store:
        store.conclude([], "interrupt")
    assert json.loads(known(tmp_path)["status"]) == "interrupt"
    with Store(tmp_path, IDENTITY):
        assert json.loads(known(tmp_path)["status"]) == "running"


def known(directory: Path) -> dict[str, str]:
    return dict(query(directory, "SELECT name, value FROM run"))


def test_only_the_last_two_states_are_kept_and_all_metrics(tmp_path: Path) -> None:
    with Store(tmp_path, IDENTITY) as store:
        for n in range(1, 6):
            store.save("a", step(b"." * n), n)
    kept = query(tmp_path, "SELECT segment FROM states ORDER BY segment")
    assert kept == [(4,), (5,)]
    metrics = query(tmp_path, "SELECT metrics FROM metrics ORDER BY segment")
    assert [json.loads(row)["n"] for (row,) in metrics] == [1, 2, 3, 4, 5]


def test_every_write_is_on_disk_before_it_counts(tmp_path: Path) -> None:
    with Store(tmp_path, IDENTITY) as store:
        pragmas = {
            name: store._connection.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("journal_mode", "synchronous", "user_version")
        }
        assert pragmas == {
            "journal_mode": "wal",
            "synchronous": 2,  # FULL
            "user_version": SCHEMA_VERSION,
        }
        store.save("a", step(b"1"), 1.0)
        assert not store._connection.in_transaction


def test_another_schema_is_refused(tmp_path: Path) -> None:
    Store(tmp_path, IDENTITY).__exit__(None, None, None)
    query(tmp_path, "PRAGMA user_version = 99")
    message = refusal(tmp_path, IDENTITY)
    assert "schema 99" in message and "new directory" in message


@pytest.mark.parametrize(
    ("identity", "what"),
    [
        ({**IDENTITY, "data": "f" * 16}, "`data` must be the same as before"),
        (
            {**IDENTITY, "settings": {**SETTINGS, "seed": 1}},
            "`seed` must be 0 as before; got 1",
        ),
        (
            {**IDENTITY, "settings": {**SETTINGS, "recipe": {"l1": [1]}}},
            "`recipe` must be 'fast' as before; got {'l1': [1]}",
        ),
    ],
)
def test_a_different_run_is_refused_by_what_differs(
    tmp_path: Path, identity: Mapping[str, object], what: str
) -> None:
    with Store(tmp_path, IDENTITY) as store:
        store.save("a", step(b"1"), 1.0)
    message = refusal(tmp_path, identity)
    assert what in message and str(tmp_path) in message
    with Store(tmp_path, IDENTITY) as store:  # nothing was touched, nor kept open
        assert store.find("a").state == b"1"


def test_other_versions_than_before_are_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    for _ in range(2):
        Store(tmp_path, IDENTITY).__exit__(None, None, None)
    assert not caplog.records
    older = json.dumps({**versions(), "numpy": "1.0"})
    query(tmp_path, f"UPDATE run SET value = '{older}' WHERE name = 'versions'")
    Store(tmp_path, IDENTITY).__exit__(None, None, None)
    (record,) = caplog.records
    assert "begun with numpy 1.0 (now" in record.getMessage()


def test_a_long_setting_is_shown_in_short(tmp_path: Path) -> None:
    grid = {"recipe": {"l1": [10.0**-k for k in range(60)]}}
    Store(tmp_path, {"settings": grid}).__exit__(None, None, None)
    assert len(refusal(tmp_path, {"settings": {"recipe": "fast"}})) < 400


HOLD = """
import sys
from pathlib import Path
from eqlearn.jobs.store import Store
with Store(Path(sys.argv[1]), {}):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_the_lock_names_its_holder_and_dies_with_it(tmp_path: Path) -> None:
    command = [sys.executable, "-c", HOLD, str(tmp_path)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None and holder.stdout.readline() == "held\n"
        message = refusal(tmp_path, {})
        assert f"process {holder.pid}" in message
        assert "one process at a time" in message
        holder.kill()
    with Store(tmp_path, {}) as store:
        assert store.seconds == 0.0


def test_one_process_cannot_open_a_run_twice(tmp_path: Path) -> None:
    with Store(tmp_path, IDENTITY):
        assert f"process {os.getpid()}" in refusal(tmp_path, IDENTITY)
    Store(tmp_path, IDENTITY).__exit__(None, None, None)


def test_a_damaged_state_costs_one_segment(tmp_path: Path) -> None:
    with Store(tmp_path, IDENTITY) as store:
        store.save("a", step(b"1"), 1.0)
        store.save("a", step(b"22", is_done=True), 2.0)
    query(tmp_path, "UPDATE states SET state = x'00' WHERE segment = 2")
    with Store(tmp_path, IDENTITY) as store:
        assert store.find("a") == Record("running", 1, state=b"1")
        store.save("a", step(b"33", is_done=True), 3.0)
        assert store.find("a") == Record("done", 2, state=b"33")


@pytest.mark.parametrize("name", ["settings", "versions", "seconds"])
def test_damaged_settings_are_refused_in_one_line(tmp_path: Path, name: str) -> None:
    with Store(tmp_path, {"settings": {"seed": 1}}) as store:
        store.save("a", Step(b"1", True), 1.0)
    with closing(sqlite3.connect(tmp_path / "run.db")) as connection, connection:
        connection.execute("UPDATE run SET value = '{]' WHERE name = ?", (name,))
    with pytest.raises(
        EqlearnError, match="a damaged one' in .*Choose another"
    ) as said:
        with Store(tmp_path, {"settings": {"seed": 1}}) as store:
            print(store.seconds)
    assert "\n" not in str(said.value)


def test_if_all_states_are_damaged_a_candidate_begins_anew(tmp_path: Path) -> None:
    with Store(tmp_path, IDENTITY) as store:
        for n in range(3):
            store.save("a", step(b"." * n, is_done=n == 2), 1.0)
    query(tmp_path, "UPDATE states SET checksum = 0")
    with Store(tmp_path, IDENTITY) as store:
        assert store.find("a") == Record("running")
        store.save("a", step(b"1"), 4.0)
        assert store.find("a") == Record("running", 1, state=b"1")


def test_what_is_no_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / "run.db").write_text("a shopping list " * 100)
    message = refusal(tmp_path, IDENTITY)
    assert "not a database" in message and "Choose another directory" in message
    assert (tmp_path / "run.db").read_text().startswith("a shopping list")


def test_somebody_elses_database_is_refused(tmp_path: Path) -> None:
    query(tmp_path, "CREATE TABLE recipes (name TEXT)")
    assert "schema 0" in refusal(tmp_path, IDENTITY)


def test_a_cut_off_file_is_refused_or_read(tmp_path: Path) -> None:
    with Store(tmp_path, IDENTITY) as store:
        store.save("a", step(os.urandom(100_000)), 1.0)
    file = tmp_path / "run.db"
    os.truncate(file, file.stat().st_size // 2)
    with pytest.raises(EqlearnError) as caught, Store(tmp_path, IDENTITY) as store:
        store.find("a")
    assert "malformed" in str(caught.value) and "\n" not in str(caught.value)


def test_a_place_that_cannot_be_written_to_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert "Not a directory" in refusal(tmp_path / "file" / "run", IDENTITY)
    assert "File exists" in refusal(tmp_path / "file", IDENTITY)
    (tmp_path / "run" / "run.db").mkdir(parents=True)
    assert "unable to open database file" in refusal(tmp_path / "run", IDENTITY)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_directory_is_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    assert "check the permissions" in refusal(tmp_path, IDENTITY)


FILL = """
import resource, sys
from pathlib import Path
from eqlearn.errors import EqlearnError
from eqlearn.jobs.job import Step
from eqlearn.jobs.store import Store

limit = int(sys.argv[2])
state = b"." * (limit // 40)
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
n_saved = 0
try:
    with Store(Path(sys.argv[1]), {}) as store:
        while n_saved < 100:
            store.save(f"k{n_saved}", Step(state, True), n_saved)
            n_saved += 1
except EqlearnError as error:
    print(n_saved, error)
"""


# The limit is met in the lock, in the tables, in the log, and in the file itself.
@pytest.mark.parametrize("limit", [1000, 10_000, 40_000, 200_000, 4_500_000])
def test_a_full_disk_is_survived(tmp_path: Path, limit: int) -> None:
    command = [sys.executable, "-c", FILL, str(tmp_path / "run"), str(limit)]
    filled = subprocess.run(command, capture_output=True, text=True)
    assert filled.stderr == "" and filled.returncode == 0
    (line,) = filled.stdout.splitlines()
    n_saved, message = line.split(" ", 1)
    assert "everything finished is kept" in message
    with Store(tmp_path / "run", {}) as store:  # there is room again
        for n in range(int(n_saved)):
            assert store.find(f"k{n}").state == b"." * (limit // 40)
        store.save("next", Step(b"1", True), 1.0)
    assert query(tmp_path / "run", "PRAGMA integrity_check") == [("ok",)]

"""The run directory: every finished segment is on disk before its result is used.

One SQLite file, `run.db`, written by one process at a time; `run.lock` names it. What
is in it is what is known: the same command on the same directory goes on from there.
"""

import json
import logging
import os
import platform
import sqlite3
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, TypeAlias

from eqlearn.errors import EqlearnError, must, printable
from eqlearn.jobs.codec import to_bytes
from eqlearn.jobs.job import Step

logger = logging.getLogger(__name__)

#: Raised when the tables change; older files are refused, not guessed at.
SCHEMA_VERSION = 2
#: Segments of a job whose states are kept: the latest and the one before.
N_STATES = 2
#: Letters of a setting that are shown where it differs.
LONGEST_SETTING = 80

_TABLES = """
CREATE TABLE run (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE jobs (
    key TEXT PRIMARY KEY,
    status TEXT NOT NULL CHECK (status IN ('running', 'done', 'failed')),
    n_segments INTEGER NOT NULL DEFAULT 0,
    n_tries INTEGER NOT NULL DEFAULT 0,
    error TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE TABLE states (
    key TEXT NOT NULL, segment INTEGER NOT NULL, state BLOB NOT NULL,
    checksum INTEGER NOT NULL, PRIMARY KEY (key, segment)
) STRICT;
CREATE TABLE metrics (
    key TEXT NOT NULL, segment INTEGER NOT NULL, metrics TEXT NOT NULL,
    PRIMARY KEY (key, segment)
) STRICT;
CREATE TABLE results (
    question INTEGER NOT NULL, rank INTEGER NOT NULL, result TEXT NOT NULL,
    PRIMARY KEY (question, rank)
) STRICT;
"""


#: What a run came to: for each question it was asked, results as JSON can hold them.
Results: TypeAlias = Sequence[Sequence[Mapping[str, Any]]]


class OtherRun(EqlearnError):
    """A directory has a run that was asked for something else."""


class Record(NamedTuple):
    """What is known of a job."""

    status: str = "new"
    n_segments: int = 0
    n_tries: int = 0  # of the present segment, that ended in a worker's death
    error: str = ""
    state: bytes | None = None


class Memory:
    """Keeps records for as long as the process lives: a search without a directory."""

    seconds = 0.0

    def __init__(self) -> None:
        self._records: dict[str, Record] = {}

    def find(self, key: str) -> Record:
        """Look a job up."""
        return self._records.get(key, Record())

    def begin(self, keys: list[str]) -> None:
        """Nothing to note: what was running is lost with the process."""

    def save(self, key: str, step: Step, seconds: float) -> None:
        """Keep what a segment left."""
        del seconds
        record = self.find(key)
        status = "done" if step.is_done else "running"
        self._records[key] = Record(status, record.n_segments + 1, state=step.state)

    def fail(self, key: str, error: str, n_tries: int, is_final: bool) -> None:
        """Keep why a segment did not end."""
        record = self.find(key)
        status = "failed" if is_final else "running"
        self._records[key] = record._replace(
            status=status, error=error, n_tries=n_tries
        )

    def failures(self) -> dict[str, str]:
        """The failed jobs, with the reason."""
        return {k: r.error for k, r in self._records.items() if r.status == "failed"}

    def conclude(self, results: Results, status: str) -> None:
        """Nothing to write: the caller has the results."""


class Store:
    """Keeps records in a run directory, for this process or the next."""

    def __init__(self, directory: Path, identity: Mapping[str, Any]) -> None:
        self._file = directory / "run.db"
        with _one_line(self._file):
            directory.mkdir(parents=True, exist_ok=True)
            self._lock = Lock(directory / "run.lock")
            try:
                self._connection = _connected(self._file)
                try:
                    self._settle(identity)
                except BaseException:
                    self._connection.close()
                    raise
            except BaseException:
                self._lock.release()
                raise

    def __enter__(self) -> "Store":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._connection.close()
        self._lock.release()

    @property
    def seconds(self) -> float:
        """How long the run has been worked on, all sessions together."""
        with _one_line(self._file):
            return float(self._value("seconds") or 0.0)

    def _settle(self, identity: Mapping[str, Any]) -> None:
        """Make the tables of a new run, or see that this is the same run again."""
        if self._schema_version() is None:
            with self._connection:
                self._connection.execute("BEGIN IMMEDIATE")
                for statement in filter(str.strip, _TABLES.split(";")):
                    self._connection.execute(statement)
                for name, value in {**identity, **_origin()}.items():
                    self._set(name, json.dumps(value))
                self._set("status", json.dumps("running"))
                self._connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
            return
        for name, value in identity.items():
            stored = json.loads(self._value(name) or "null")
            if json.loads(json.dumps(value)) != stored:
                other = _difference(self._file.parent, name, stored, value)
                raise OtherRun(str(other))
        self._compare_versions()
        with self._connection:
            self._set("status", json.dumps("running"))

    def _compare_versions(self) -> None:
        """Say what has changed: the run can go on, but nobody could repeat it."""
        before, now = json.loads(self._value("versions") or "{}"), versions()
        changed = [
            f"{name} {before.get(name)} (now {number})"
            for name, number in now.items()
            if before.get(name) != number
        ]
        if changed:
            logger.warning(
                "The run in %s was begun with %s. To repeat it number for number, "
                "choose a new directory.",
                self._file.parent,
                ", ".join(changed),
            )

    def _schema_version(self) -> int | None:
        (found,) = self._connection.execute("PRAGMA user_version").fetchone()
        (n_tables,) = self._connection.execute(
            "SELECT count(*) FROM sqlite_master"
        ).fetchone()
        if not n_tables:
            return None
        if found != SCHEMA_VERSION:
            what = f"a run of this version of eqlearn (schema {SCHEMA_VERSION})"
            hint, where = "Choose a new directory.", f"in {self._file}"
            other = must("run_dir", what, f"schema {found}", hint, where=where)
            raise OtherRun(str(other))
        return int(found)

    def _value(self, name: str) -> str | None:
        row = self._connection.execute(
            "SELECT value FROM run WHERE name = ?", (name,)
        ).fetchone()
        return None if row is None else str(row[0])

    def _set(self, name: str, value: str) -> None:
        self._connection.execute(
            "INSERT OR REPLACE INTO run (name, value) VALUES (?, ?)", (name, value)
        )

    def find(self, key: str) -> Record:
        """Look a job up, with its latest state that is whole."""
        with _one_line(self._file):
            row = self._connection.execute(
                "SELECT status, n_segments, n_tries, error FROM jobs WHERE key = ?",
                (key,),
            ).fetchone()
            if row is None:
                return Record()
            record = Record(*row)
            states = self._connection.execute(
                "SELECT segment, state, checksum FROM states WHERE key = ?"
                " ORDER BY segment DESC",
                (key,),
            )
            for segment, state, checksum in states:
                if zlib.crc32(state) == checksum:
                    # A damaged last state costs one segment, and its end is undone.
                    is_last = segment == record.n_segments
                    status = record.status if is_last else "running"
                    return record._replace(
                        status=status, n_segments=segment, state=state
                    )
            if record.status == "failed":
                return record
            return record._replace(status="running", n_segments=0)

    def begin(self, keys: list[str]) -> None:
        """Note which jobs are being worked on."""
        with _one_line(self._file), self._connection:
            self._connection.executemany(
                "INSERT OR IGNORE INTO jobs (key, status) VALUES (?, 'running')",
                [(key,) for key in keys],
            )

    def save(self, key: str, step: Step, seconds: float) -> None:
        """Write what a segment left, all of it or nothing."""
        segment = self.find(key).n_segments + 1
        status = "done" if step.is_done else "running"
        with _one_line(self._file), self._connection as connection:
            connection.execute(
                "INSERT INTO jobs (key, status, n_segments) VALUES (?, ?, ?)"
                " ON CONFLICT (key) DO UPDATE SET status = excluded.status,"
                " n_segments = excluded.n_segments, n_tries = 0, error = ''",
                (key, status, segment),
            )
            connection.execute(
                "INSERT OR REPLACE INTO states VALUES (?, ?, ?, ?)",
                (key, segment, step.state, zlib.crc32(step.state)),
            )
            connection.execute(
                "DELETE FROM states WHERE key = ? AND segment <= ?",
                (key, segment - N_STATES),
            )
            if step.metrics:
                connection.execute(
                    "INSERT OR REPLACE INTO metrics VALUES (?, ?, ?)",
                    (key, segment, json.dumps(step.metrics)),
                )
            self._set("seconds", json.dumps(seconds))

    def fail(self, key: str, error: str, n_tries: int, is_final: bool) -> None:
        """Write why a segment did not end."""
        status = "failed" if is_final else "running"
        with _one_line(self._file), self._connection:
            self._connection.execute(
                "INSERT INTO jobs (key, status, n_tries, error)"
                " VALUES (?, ?, ?, ?) ON CONFLICT (key) DO UPDATE SET"
                " status = excluded.status, n_tries = excluded.n_tries,"
                " error = excluded.error",
                (key, status, n_tries, error),
            )

    def failures(self) -> dict[str, str]:
        """The failed jobs, with the reason."""
        with _one_line(self._file):
            rows = self._connection.execute(
                "SELECT key, error FROM jobs WHERE status = 'failed' ORDER BY key"
            )
            return dict(rows.fetchall())

    def conclude(self, results: Results, status: str) -> None:
        """Write the results of each question, best first."""
        rows = [
            (question, rank, to_bytes(result).decode())
            for question, ranked in enumerate(results)
            for rank, result in enumerate(ranked)
        ]
        with _one_line(self._file), self._connection as connection:
            connection.execute("DELETE FROM results")
            connection.executemany("INSERT INTO results VALUES (?, ?, ?)", rows)
            self._set("status", json.dumps(status))


def _connected(file: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(file, timeout=10, isolation_level=None)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
    except sqlite3.Error:
        connection.close()
        raise
    # Every `with connection` is one transaction; single statements commit at once.
    connection.isolation_level = "IMMEDIATE"
    return connection


def versions() -> dict[str, str]:
    """The versions of everything that has a say in the numbers."""
    packages = ("eqlearn", "jax", "numba", "numpy", "scipy", "sympy")
    return {
        "python": platform.python_version(),
        **{name: version(name) for name in packages},
    }


def _origin() -> dict[str, Any]:
    created = datetime.now(UTC).isoformat(timespec="seconds")
    return {"created": created, "versions": versions()}


def _difference(directory: Path, name: str, stored: Any, given: Any) -> EqlearnError:
    """Say which setting differs from the run's, innermost first."""
    if isinstance(stored, Mapping) and isinstance(given, Mapping):
        for inner in sorted(stored.keys() | given.keys()):
            if stored.get(inner) != json.loads(json.dumps(given.get(inner))):
                return _difference(
                    directory, inner, stored.get(inner), given.get(inner)
                )
    hint = "Choose another directory, or the settings and data of this run."
    where = f"for the run in {directory}"
    if name == "data":  # their fingerprints tell nobody anything
        return must(name, "the same as before", "other data", hint, where=where)
    before = printable(repr(stored), LONGEST_SETTING)
    return must(name, f"{before} as before", given, hint, where=where)


def remove_run(directory: Path) -> None:
    """Forget what a directory has of a run, unless a process is at work there."""
    with _one_line(directory):
        lock = Lock(directory / "run.lock")
        for name in ("run.db", "run.db-wal", "run.db-shm"):
            (directory / name).unlink(missing_ok=True)
        lock.release()


def training_curves(directory: Path) -> list[dict[str, Any]]:
    """What segments of training reported, batch after batch in order of epochs."""
    file = directory / "run.db"
    if not file.exists():
        return []
    with _one_line(file), closing(_connected(file)) as connection:
        rows = connection.execute(
            "SELECT metrics FROM metrics WHERE key LIKE 'train/%' ORDER BY key, segment"
        )
        return [json.loads(text) for (text,) in rows]


class Lock:
    """Keeps a second writer out; the operating system lifts it if we are killed."""

    def __init__(self, file: Path) -> None:
        self._connection = sqlite3.connect(file, timeout=0, isolation_level=None)
        me = f"process {os.getpid()} on {platform.node()}"
        try:
            self._connection.execute("CREATE TABLE IF NOT EXISTS holder (name TEXT)")
            self._connection.execute("BEGIN IMMEDIATE")
            self._connection.execute("DELETE FROM holder")
            self._connection.execute("INSERT INTO holder VALUES (?)", (me,))
            self._connection.execute("COMMIT")
            # Held until released: others may still read whose it is.
            self._connection.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError as error:
            holder = self._holder()
            self._connection.close()
            if "locked" not in str(error):
                raise
            hint = "Wait for it to end, or choose another directory."
            raise must(
                "run_dir", "used by one process at a time", holder, hint
            ) from error

    def _holder(self) -> str:
        try:
            row = self._connection.execute("SELECT name FROM holder").fetchone()
        except sqlite3.Error:
            row = None
        return str(row[0]) if row else "another process"

    def release(self) -> None:
        """Let others in."""
        self._connection.close()


@contextmanager
def _one_line(file: Path) -> Iterator[None]:
    """Turn what SQLite and the file system say into one line with what to do."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        is_damaged = "malformed" in str(error) or "not a database" in str(error)
        hint = (
            "Choose another directory."
            if is_damaged
            else "Free some space or check the permissions, then start the same "
            "command again: everything finished is kept."
        )
        raise must(
            "run_dir", "a place to write to", str(error), hint, where=f"for {file}"
        ) from error
    except EqlearnError:
        raise
    except (ValueError, TypeError, AttributeError) as error:
        # SQLite sees what is wrong with its pages, and not with what is in them.
        what, hint = "a run that was left as it is", "Choose another directory."
        raise must(
            "run_dir", what, "a damaged one", hint, where=f"in {file}"
        ) from error
    except OSError as error:
        reason = error.strerror or str(error)
        hint = "Choose a directory that can be written to."
        raise must(
            "run_dir", "a place to write to", reason, hint, where=f"for {file}"
        ) from error

"""Reliability: what the search promises, broken as hard as we can, in figures.

    python -m benchmarks.reliability                 # all promises, about an hour
    python -m benchmarks.reliability --quick         # smaller numbers, some minutes
    python -m benchmarks.reliability --only R-1 R-9

A promise is one line here and one JSON line in benchmarks/results/reliability.jsonl.
The search that is broken is `benchmarks.reliability_search`: 12 candidates, or 24 for
R-2, in segments of a tenth of a second, so that there is much to break.
"""

import argparse
import hashlib
import json
import math
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import psutil

from benchmarks.reliability_tests import TESTS, counts
from eqlearn.reproduce.section4.runs import circumstances
from eqlearn.reproduce.subprocesses import ONE_THREAD

RESULTS = Path("benchmarks/results/reliability.jsonl")
SEGMENT_SECONDS = 0.1
#: Seconds after Ctrl-C in which a search ends: a segment, and what is fitted last.
LONGEST_STOP = 5.0
#: Memory for a large table, in sizes of it, beside what a small one takes.
MOST_MEMORY = 3.0
#: Bytes that a fit may leave behind, on average: less than its own table and model.
MOST_LEFT = 300_000
#: A search of seconds that has not ended by then never will.
PATIENCE = 900.0


@dataclass(frozen=True)
class Sizes:
    """How often each thing is done."""

    kills: int = 50
    worker_kills: int = 20
    interrupts: int = 20
    full_disks: int = 10
    rows: int = 5_000_000
    repeats: int = 3
    fits: int = 200


QUICK = Sizes(
    kills=6,
    worker_kills=4,
    interrupts=4,
    full_disks=4,
    rows=1_000_000,
    repeats=1,
    fits=30,
)


@dataclass
class Verdict:
    """Whether a promise was kept, and the figures that say so."""

    is_kept: bool
    figures: dict[str, Any]
    text: str


@dataclass
class Search:
    """The small search in a directory of its own."""

    root: Path
    options: tuple[str, ...] = ()
    directory: Path = field(init=False)

    def __post_init__(self) -> None:
        self.directory = Path(tempfile.mkdtemp(dir=self.root))

    @contextmanager
    def running(self, *options: str) -> Iterator[subprocess.Popen[str]]:
        """Start or resume it, as the leader of a process group, up to its beginning."""
        command = [sys.executable, "-m", "benchmarks.reliability_search"]
        environment = {"EQLEARN_SEGMENT_SECONDS": str(SEGMENT_SECONDS), **ONE_THREAD}
        process = subprocess.Popen(
            [*command, str(self.directory), *self.options, *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            env={**os.environ, **environment},
        )
        try:
            assert process.stdout is not None
            process.stdout.readline()
            yield process
        finally:
            with _nothing_to_kill():
                os.killpg(process.pid, signal.SIGKILL)
            process.communicate()

    def finish(self, *options: str) -> dict[str, Any]:
        """Let it come to its end; what it printed."""
        with self.running(*options) as process:
            return result(process)

    def query(self, statement: str) -> list[tuple[Any, ...]]:
        """Ask the store."""
        file = self.directory / "run.db"
        if not file.exists():
            return []
        with closing(sqlite3.connect(file)) as connection:
            return connection.execute(statement).fetchall()

    def is_intact(self) -> bool:
        """Whether SQLite finds nothing wrong with the store."""
        return self.query("PRAGMA integrity_check") in ([("ok",)], [])

    def table(self) -> str:
        """A digest of the table of equations."""
        rows = self.query("SELECT * FROM results ORDER BY question, rank")
        return hashlib.sha256(repr(rows).encode()).hexdigest()[:16]

    def noted(self, what: str) -> Counter[str]:
        """How many segments of each candidate were begun, saved, ..., as noted."""
        notes = self.directory / "notes"
        lines = notes.read_text().splitlines() if notes.exists() else []
        parts = [line.split("\t") for line in lines]
        return Counter(key for word, *keys in parts if word == what for key in keys)

    def n_lost(self) -> int:
        """How many segments were saved but are not in the store."""
        tables = self.query("SELECT name FROM sqlite_master WHERE name = 'jobs'")
        rows = self.query("SELECT key, n_segments FROM jobs") if tables else []
        known = {key: int(n_segments) for key, n_segments in rows}
        saved = self.noted("save")
        return sum(max(0, n - known.get(key, 0)) for key, n in saved.items())


def result(process: subprocess.Popen[str]) -> dict[str, Any]:
    """What a search printed at its end, and the lines of its complaints."""
    out, err = process.communicate(timeout=PATIENCE)
    found = {"ended": "error"} if process.returncode else json.loads(out)
    return {**found, "lines": err.strip().splitlines()}


@contextmanager
def _nothing_to_kill() -> Iterator[None]:
    try:
        yield
    except ProcessLookupError:
        pass


@cache
def uninterrupted(root: Path, *options: str) -> tuple[str, float]:
    """The table that every search with these options must come to, and its seconds."""
    search = Search(root, options)
    found = search.finish()
    assert found["ended"] == "finished" and not found["failures"], found
    return search.table(), found["seconds"]


def killed_searches(sizes: Sizes, root: Path, rng: random.Random) -> Verdict:
    """R-1: kill the whole process group at random moments; resume each time."""
    n_lost = n_intact = n_same = n_runs = n_kills = n_saved = n_resumed = 0
    expected, seconds = uninterrupted(root)
    while n_kills < sizes.kills:
        search, n_runs, is_over = Search(root), n_runs + 1, False
        while not is_over:
            with search.running() as process:
                if n_kills < sizes.kills:
                    try:
                        process.wait(rng.uniform(0, seconds / 6))
                    except subprocess.TimeoutExpired:
                        os.killpg(process.pid, signal.SIGKILL)
                        process.wait()
                        n_kills += 1
                        n_lost += search.n_lost()
                        n_intact += search.is_intact()
                        continue
                ended = result(process)["ended"]
            is_over = True
            n_resumed += ended == "finished"
            n_same += search.table() == expected
            n_saved += search.noted("save").total()
    is_kept = n_lost == 0 and n_intact == n_kills and n_same == n_resumed == n_runs
    figures = {
        "kills": n_kills,
        "searches": n_runs,
        "finished": n_resumed,
        "segments": n_saved,
        "lost": n_lost,
        "intact": n_intact,
        "same": n_same,
    }
    text = (
        f"{n_kills} kills of the process group in {n_runs} searches: {n_resumed} came "
        f"to their end, {n_lost} of {n_saved} finished segments lost, store intact "
        f"{n_intact}/{n_kills}, same table {n_same}/{n_runs}"
    )
    return Verdict(is_kept, figures, text)


def lost_workers(sizes: Sizes, root: Path, rng: random.Random) -> Verdict:
    """R-2: kill workers while they compute, from outside and by faults of their own."""
    more = ("--candidates", "24")
    expected, _ = uninterrupted(root, *more)
    n_kills, killed, repeated, same = 0, [], [], []
    while n_kills < sizes.worker_kills:
        search = Search(root, more)
        n_before = n_kills
        with search.running("--jobs", "2") as process:
            while process.poll() is None:
                time.sleep(rng.uniform(0.5, 3.0))
                workers = _workers(process.pid)
                # Both are computing, so that a kill hits a segment and not a start.
                is_busy = len(workers) == 2 and search.noted("start")
                if is_busy and n_kills < sizes.worker_kills:
                    with _nothing_to_kill():
                        os.kill(rng.choice(workers), signal.SIGKILL)
                        n_kills += 1
            found = result(process)
        killed.append(n_kills - n_before)
        repeated.append(_n_repeated(search))
        same.append(found.get("failures") == [] and search.table() == expected)
    chaos = Search(root, more)
    found = chaos.finish("--jobs", "2", "--lifetime", "20")
    given_up = found.get("failures")
    same.append(given_up == [] and chaos.table() == expected)
    is_cheap = all(n <= k for n, k in zip(repeated, killed, strict=True))
    figures = {
        "kills": n_kills,
        "repeated": sum(repeated),
        "repeated_by_segfaults": _n_repeated(chaos),
        "given_up_by_segfaults": given_up,
        "same": sum(same),
        "searches": len(same),
    }
    text = (
        f"{n_kills} workers killed in {len(killed)} searches of 24 candidates: "
        f"{sum(repeated)} segments repeated, same table {sum(same[:-1])}/{len(killed)};"
        f" workers that segfault after 20 s of a core on average: "
        f"{_n_repeated(chaos)} repeated, {given_up} given up, same table "
        f"{int(same[-1])}/1"
    )
    return Verdict(all(same) and is_cheap, figures, text)


def _workers(pid: int) -> list[int]:
    """The worker processes of a search that have come up."""
    try:
        children = psutil.Process(pid).children()
        return [
            child.pid
            for child in children
            if "process_worker" in " ".join(child.cmdline())
            and child.cpu_times().user > 1
        ]
    except psutil.Error:
        return []


def _n_repeated(search: Search) -> int:
    """How many segments of attempts were begun again, of those that were wanted."""
    begun, saved = _by_name(search.noted("begin")), _by_name(search.noted("save"))
    wanted = begun.keys() - _by_name(search.noted("drop")).keys()
    return sum(begun[name] - saved[name] for name in wanted)


def _by_name(counts: Counter[str]) -> Counter[str]:
    """Counts by the name of a candidate, whatever its specification."""
    return Counter(key.split(":")[0] for key in counts.elements())


def bad_candidates(sizes: Sizes, root: Path, rng: random.Random) -> Verdict:
    """R-3: one candidate kills its worker each time, one goes NaN."""
    search = Search(root, ("--bad", "--jobs", "2"))
    found = search.finish()
    reasons = dict(found.get("failures", []))
    n_attempts = _by_name(search.noted("start"))["y1/attempt/3"]
    is_kept = (
        found["ended"] == "finished"
        and reasons.keys() == {"y1/attempt/3", "y1/attempt/5"}
        and n_attempts == 3
    )
    text = f"ended: {found['ended']}, deadly one tried {n_attempts} times; {reasons}"
    return Verdict(is_kept, {"attempts": n_attempts, "failures": reasons}, text)


def interrupts(sizes: Sizes, root: Path, rng: random.Random) -> Verdict:
    """R-9: Ctrl-C at random moments; each search is resumed, and interrupted again."""
    expected, seconds = uninterrupted(root)
    delays: list[float] = []
    n_answers = n_same = n_runs = 0
    while len(delays) < sizes.interrupts:
        n_runs += 1
        search, is_over = Search(root), False
        while not is_over:
            with search.running("--jobs", rng.choice("12")) as process:
                if len(delays) < sizes.interrupts:
                    time.sleep(rng.uniform(0.1, seconds / 3))
                    begin = time.monotonic()
                    if process.poll() is None:
                        os.killpg(process.pid, signal.SIGINT)  # as a terminal does
                        found = result(process)
                        delays.append(found.get("at", math.inf) - begin)
                        is_quiet = not found["lines"]
                        n_answers += is_quiet and found.get("n_candidates", 0) > 0
                    else:
                        found = result(process)
                else:
                    found = result(process)
            is_over = found["ended"] in ("finished", "error")
        n_same += search.table() == expected
    is_soon = max(delays) < LONGEST_STOP
    is_kept = n_answers == len(delays) and n_same == n_runs and is_soon
    figures = {
        "interrupts": len(delays),
        "answers": n_answers,
        "searches": n_runs,
        "same": n_same,
        "longest_s": round(max(delays), 2),
        "median_s": round(sorted(delays)[len(delays) // 2], 2),
    }
    text = (
        f"{len(delays)} interrupts: {n_answers} gave the best equation so far, after "
        f"{figures['median_s']} s (median; longest {figures['longest_s']} s), "
        f"{n_same}/{n_runs} resumed to the same table"
    )
    return Verdict(is_kept, figures, text)


def full_disks(sizes: Sizes, root: Path, rng: random.Random) -> Verdict:
    """R-10: a largest file size that the store meets again and again."""
    expected, _ = uninterrupted(root)
    search = Search(root)
    n_refused = n_intact = n_lost = 0
    for k in range(sizes.full_disks):
        limit = round(2000 * 1.6**k)
        found = search.finish("--largest-file", str(limit))
        lines = found["lines"]
        n_refused += len(lines) == 1 and "everything finished is kept" in lines[0]
        n_intact += search.is_intact()
        n_lost += search.n_lost()
    last = search.finish()
    is_same = last["ended"] == "finished" and search.table() == expected
    n = sizes.full_disks
    is_kept = n_refused == n_intact == n and n_lost == 0 and is_same
    figures = {"disks": n, "refused": n_refused, "intact": n_intact, "lost": n_lost}
    text = (
        f"{n} full disks: one line {n_refused}/{n}, store intact {n_intact}/{n}, "
        f"{n_lost} finished segments lost; with room again the same table: {is_same}"
    )
    return Verdict(is_kept, {**figures, "same": is_same}, text)


def large_tables(sizes: Sizes, root: Path, rng: random.Random) -> Verdict:
    """R-11: the memory of `eqlearn fit` on a table of ten columns."""
    del rng
    small, (large, n_bytes) = _peak(root, 1000)[0], _peak(root, sizes.rows)
    share = (large - small) / n_bytes
    figures = {
        "rows": sizes.rows,
        "table_mb": round(n_bytes / 1e6),
        "peak_mb": round(large / 1e6),
        "small_mb": round(small / 1e6),
    }
    text = (
        f"a table of {sizes.rows:,} rows, {n_bytes / 1e6:.0f} MB: at most "
        f"{large / 1e6:.0f} MB, {share:.1f} times the table more than a small one"
    )
    return Verdict(share <= MOST_MEMORY, figures, text)


def _peak(root: Path, n_rows: int) -> tuple[int, int]:
    """The most memory of a search on so many rows, and the size of the table."""
    rng = np.random.default_rng(0)
    columns: dict[str, Any] = {
        f"x{i + 1}": rng.uniform(-1, 1, n_rows) for i in range(9)
    }
    y = np.sin(np.pi * columns["x1"]) / (columns["x2"] ** 2 + 1)
    columns["y"] = y + 0.01 * rng.normal(size=n_rows)
    table = root / f"table-{n_rows}.npz"
    np.savez(table, **columns)
    options = ["--target", "y", "--jobs", "1", "--time", "40s", "--quiet"]
    options += ["--out", str(root / f"run-{n_rows}")]
    program = "from eqlearn.cli.main import main; main()"
    command = [sys.executable, "-c", program, "fit", str(table), *options]
    peak = 0
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        while process.poll() is None:
            with suppress(psutil.Error):
                peak = max(peak, psutil.Process(process.pid).memory_info().rss)
            time.sleep(0.01)
    table.unlink()
    if process.returncode:
        raise SystemExit(f"eqlearn fit ended with {process.returncode}")
    return peak, 8 * n_rows * len(columns)


def same_answers(sizes: Sizes, root: Path, rng: random.Random) -> Verdict:
    """R-12: again, on one process and on two workers, both recipes."""
    n_same = n_runs = 0
    others: list[dict[str, Any]] = []
    for recipe in ("fast", "paper"):
        expected, _ = uninterrupted(root, "--recipe", recipe)
        for jobs in ("1", "2"):
            for _ in range(sizes.repeats):
                search = Search(root, ("--recipe", recipe))
                found = search.finish("--jobs", jobs)
                n_runs += 1
                n_same += search.table() == expected
                if search.table() != expected:
                    told = {"recipe": recipe, "jobs": jobs, "table": search.table()}
                    others.append({**told, "expected": expected, **found})
    text = (
        f"same bytes {n_same}/{n_runs}: both recipes, in one process and on 2 workers"
    )
    figures = {"runs": n_runs, "same": n_same, "others": others}
    return Verdict(n_same == n_runs, figures, text)


def this_machine_only(sizes: Sizes, root: Path, rng: random.Random) -> Verdict:
    """R-16: every address that a search with workers listens on or talks to."""
    seen: set[str] = set()
    listening = 0
    search = Search(root)
    with search.running("--jobs", "2") as process:
        while process.poll() is None:
            for connection in _connections(process.pid):
                seen.add(connection.laddr.ip)
                seen.update([connection.raddr.ip] if connection.raddr else [])
                listening = max(listening, connection.status == psutil.CONN_LISTEN)
            time.sleep(0.2)
        result(process)
    is_kept = not seen and not listening
    text = f"addresses of all connections of the search and its workers: {sorted(seen)}"
    return Verdict(is_kept, {"addresses": sorted(seen)}, text)


def _connections(pid: int) -> list[Any]:
    try:
        leader = psutil.Process(pid)
        processes = [leader, *leader.children(recursive=True)]
        return [c for process in processes for c in process.net_connections("inet")]
    except psutil.Error:
        return []


def many_fits(sizes: Sizes, root: Path, rng: random.Random) -> Verdict:
    """R-30: fits in one process leave no memory, thread, file or process behind."""
    command = [sys.executable, "-m", "benchmarks.reliability_soak", str(sizes.fits)]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    found = json.loads(ran.stdout)
    early, late = found["early"], found["late"]
    each = (late["bytes"] - early["bytes"]) / (0.9 * sizes.fits)
    same = all(late[name] <= early[name] for name in ("threads", "files", "children"))
    text = (
        f"{sizes.fits} fits leave {each / 1000:.0f} kB each; threads "
        f"{early['threads']} → {late['threads']}, files {early['files']} → "
        f"{late['files']}"
    )
    return Verdict(same and each < MOST_LEFT, found, text)


def tested(
    places: Sequence[str], sizes: Sizes, root: Path, rng: random.Random
) -> Verdict:
    """A promise that tests keep; what cannot be tested here is skipped."""
    del sizes, root, rng
    figures = counts(places)
    is_kept = "passed" in figures and figures.keys() <= {"passed", "skipped"}
    text = ", ".join(f"{n} {word}" for word, n in figures.items())
    return Verdict(is_kept, dict(figures), f"{text}: {' '.join(places)}")


Check = Callable[[Sizes, Path, random.Random], Verdict]
PROMISES: dict[str, Check] = {
    "R-1": killed_searches,
    "R-2": lost_workers,
    "R-3": bad_candidates,
    "R-9": interrupts,
    "R-10": full_disks,
    "R-11": large_tables,
    "R-12": same_answers,
    "R-16": this_machine_only,
    "R-30": many_fits,
    **{name: partial(tested, places) for name, places in TESTS.items()},
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Check promises; the exit code is the number of those not kept."""
    options = _parser().parse_args(arguments)
    sizes = QUICK if options.quick else Sizes()
    n_broken = 0
    options.out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as root, options.out.open("a") as file:
        for name in options.only or PROMISES:
            begin = time.monotonic()
            verdict = PROMISES[name](sizes, Path(root), random.Random(options.seed))
            seconds = round(time.monotonic() - begin, 1)
            n_broken += not verdict.is_kept
            word = "kept" if verdict.is_kept else "NOT KEPT"
            print(f"{name:5} {word}: {verdict.text} ({seconds} s)", flush=True)
            line = {"promise": name, "kept": verdict.is_kept, **verdict.figures}
            shared = {"quick": options.quick, "seed": options.seed, "seconds": seconds}
            file.write(json.dumps({**line, **shared, **circumstances(1)}) + "\n")
            file.flush()
    return n_broken


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.reliability",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--only", nargs="+", choices=PROMISES, metavar="R-1", help="only these")
    add("--quick", action="store_true", help="smaller numbers")
    add("--seed", type=int, default=0, help="of the random moments")
    add("--out", type=Path, default=RESULTS, help="where to add the results")
    return parser


if __name__ == "__main__":
    sys.exit(main())

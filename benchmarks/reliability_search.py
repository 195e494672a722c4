"""The small search that `benchmarks.reliability` kills, interrupts and starves.

    python -m benchmarks.reliability_search RUN_DIRECTORY --jobs 2

Prints `ready` when the search begins and one JSON line when it has ended. The file
`notes` of the run directory tells which segments were handed to workers (`start`),
begun by one (`begin`, attempts only), no longer wanted (`drop`) and saved (`save`,
after the fact), so that it can be compared with what the store has; between a word and
the keys of jobs, in which there may be spaces, are tabs.
"""

import argparse
import json
import math
import os
import random
import resource
import signal
import sys
import threading
import time
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import numpy as np

from eqlearn.equation.refine.criterion import Scored
from eqlearn.errors import EqlearnError
from eqlearn.jobs import backends
from eqlearn.jobs.codec import to_bytes
from eqlearn.jobs.job import Job, Specification, Step
from eqlearn.jobs.processes import Processes
from eqlearn.jobs.store import Store
from eqlearn.network.graph import CONSTANT, Graph
from eqlearn.search import fast_plan as fast
from eqlearn.search.attempts.agenda import batch, batch_job
from eqlearn.search.attempts.grid_networks import Grid
from eqlearn.search.learn import learn
from eqlearn.search.request import Request
from eqlearn.search.strategy import STANDARD


def main() -> None:
    """Search, and say how it ended."""
    options = _parser().parse_args()
    if options.largest_file is not None:
        limit = (options.largest_file, options.largest_file)
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
    if options.jobs > 1:
        backends.BOOT_AFTER = 0.0
    options.directory.mkdir(parents=True, exist_ok=True)
    notes = str(options.directory / "notes")
    watched = _watched(notes, options.bad, options.lifetime)
    setattr(fast, "batch_job", watched)  # noqa: B010
    _note(notes, Processes, "start", lambda job, *rest: f"start\t{job.key}")
    _note(notes, Processes, "drop", lambda keys: "\t".join(("drop", *keys)))
    _note(notes, Store, "save", lambda key, step, seconds: f"save\t{key}")
    print("ready", flush=True)
    try:
        print(json.dumps(_search(options)), flush=True)
    except EqlearnError as error:
        sys.exit(f"{error}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.reliability_search")
    add = parser.add_argument
    add("directory", type=Path)
    add("--recipe", choices=("fast", "paper"), default="fast")
    add("--candidates", type=int, default=12)
    add("--jobs", type=int, default=1, help="processes, from the beginning")
    add("--bad", action="store_true", help="one deadly candidate, one without numbers")
    add("--lifetime", type=float, help="seconds a worker computes, on average")
    add("--largest-file", type=int, help="bytes; a disk that is full beyond")
    return parser


def _search(options: argparse.Namespace) -> dict[str, Any]:
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, (150, 3))
    y = np.sin(3 * x[:, 0] * x[:, 1]) / (1 + x[:, 2] ** 2) + np.cos(4 * x[:, 2])
    y += 0.05 * rng.normal(size=len(y))
    l1 = tuple(np.geomspace(1e-5, 1e-3, options.candidates).tolist())
    grid = Grid(l1, (2,), units_per_type=2, n_epochs=120, n_together=1, refine=False)
    begin = time.monotonic()
    (found,) = learn(
        Request(
            x,
            y[:, None],
            recipe=grid if options.recipe == "paper" else "fast",
            max_attempts=STANDARD.agenda.batch * options.candidates,
            jobs=options.jobs,
            run_dir=options.directory,
        )
    )
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # what is there is only to be said
    return {
        "ended": found.ended,
        "n_candidates": len(found.candidates),
        "failures": [[name.split(":")[0], why] for name, why in found.failures],
        "seconds": time.monotonic() - begin,
        "at": time.monotonic(),  # the same clock for all processes
    }


def _append(notes: str, line: str) -> None:
    """Write a line at once, so that it outlives this process."""
    with open(notes, "ab", buffering=0) as file:
        file.write(f"{line}\n".encode())


def _note(notes: str, kind: type, method: str, line: Callable[..., str]) -> None:
    """Note calls of a method, each after it has returned."""
    original = getattr(kind, method)

    @wraps(original)
    def noted(self: Any, *arguments: Any) -> None:
        original(self, *arguments)
        _append(notes, line(*arguments))

    setattr(kind, method, noted)


def _watched(notes: str, is_bad: bool, lifetime: float | None) -> Callable[..., Job]:
    """Batches of attempts that note when they begin, some of them bad."""

    def watched_job(target: int, index: int, *arguments: Any) -> Job:
        job = batch_job(target, index, *arguments)
        bad = BAD.get(index) if is_bad else None
        extra = {"notes": notes, "key": job.key, "lifetime": lifetime}
        specification = {**job.specification, **extra}
        return Job(job.name, bad or attempt, specification, job.data)

    return watched_job


def attempt(data: Any, specification: Specification, state: bytes | None) -> Step:
    """Note which batch it is, then make its attempts."""
    _append(specification["notes"], f"begin\t{specification['key']}")
    lifetime = specification["lifetime"]
    if lifetime is not None and _is_worker() and threading.active_count() == 1:
        end = time.process_time() + random.expovariate(1 / lifetime)
        threading.Thread(target=die_at, args=(end,), daemon=True).start()
    return batch(data, specification, state)


def die_at(end: float) -> None:
    """Die of a segmentation fault when this process has computed for so long.

    Not when so much time has passed: on a busy machine a segment takes longer, and one
    whose worker has died of it three times is rightly given up.
    """
    while time.process_time() < end:
        time.sleep(0.01)
    os.kill(os.getpid(), signal.SIGSEGV)


def _is_worker() -> bool:
    return Path(sys.argv[0]).name == "process_worker.py"


def die(data: Any, specification: Specification, state: bytes | None) -> Step:
    """Kill the worker that computes it; before there are workers, get nowhere."""
    if _is_worker():
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(0.1)
    return Step(b"", False)


def lose_the_numbers(
    data: Any, specification: Specification, state: bytes | None
) -> Step:
    """Come to a formula with a weight that is not a number."""
    graph = Graph(3, (), (({0: math.nan}, {CONSTANT: 1.0}),))
    return Step(to_bytes([Scored(graph, 0.0, 0.0).to_document()]), True)


#: Batches that go wrong with --bad.
BAD = {3: die, 5: lose_the_numbers}


if __name__ == "__main__":
    main()

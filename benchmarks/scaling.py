"""Scaling: the same search on 1 and on 2 workers, and what it would be on 64.

    python -m benchmarks.scaling                  # on a quiet machine, some minutes
    python -m benchmarks.scaling --attempts 40    # a shorter search
    python -m benchmarks.scaling --only simulated

Three parts, each one JSON line in benchmarks/results/scaling.jsonl:

- `search`: a fixed number of attempts at a random expression on the workers of a
  local cluster, 1 and 2 by turns. The clusters are up before the clock starts. All
  must give the same equations. Memory is the peak of a worker process. Beside it the
  ceiling: how much more two workers compute than one without anything to coordinate,
  which on a machine with something else to do is less than twice as much.
- `overhead`: what writing the store and handing out segments takes of the coordinator
  in these searches, as a share of their time.
- `simulated`: 1000 candidates of one segment that only sleeps, on the real scheduler
  with 1 to 64 workers (threads of this process); efficiency is the time that sleeping
  alone would take over the time it took.
"""

import argparse
import json
import logging
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from eqlearn.jobs import runner
from eqlearn.jobs.cluster import Cluster
from eqlearn.jobs.job import Job, Specification, Stage, Step
from eqlearn.jobs.runner import run
from eqlearn.jobs.store import Memory, Store
from eqlearn.problems import problem
from eqlearn.reproduce.section4.runs import circumstances
from eqlearn.search.attempts.agenda import batch_job
from eqlearn.search.attempts.input_views import View
from eqlearn.search.learn import learn
from eqlearn.search.prepare import tasks_of
from eqlearn.search.request import Request
from eqlearn.search.strategy import STANDARD

RESULTS = Path("benchmarks/results/scaling.jsonl")
#: What we want of two workers, and of store and scheduling together.
WANTED_SPEEDUP = 1.8
MOST_OVERHEAD = 0.03
#: What the coordinator does besides waiting, by its methods.
STORE = ((Store, ("begin", "find", "save", "fail", "conclude")),)
SCHEDULING = (
    (Cluster, ("start", "drop")),
    (runner._Session, ("cut_short", "hand_out")),
)
#: Simulated candidates for each worker, at most.
LONGEST_QUEUE = 16
WORKERS = (1, 2, 4, 8, 16, 32, 64)
Line = dict[str, Any]


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print, and write the figures down."""
    options = _parser().parse_args(arguments)
    parts: dict[str, Callable[[argparse.Namespace], Iterator[Line]]] = {
        "search": searched,
        "simulated": simulated,
    }
    options.out.parent.mkdir(parents=True, exist_ok=True)
    with options.out.open("a") as file:
        for name in options.only or parts:
            for line in parts[name](options):
                print(line.pop("text"), flush=True)
                file.write(json.dumps({**line, **circumstances(1)}) + "\n")
                file.flush()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.scaling",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--only", nargs="+", choices=("search", "simulated"), help="only these parts")
    add("--attempts", type=int, default=120, help="of the search")
    add("--repeats", type=int, default=3, help="of the search, the median counts")
    add("--candidates", type=int, default=1000, help="of the simulation")
    add("--sleep", type=float, default=2.0, help="seconds of a simulated segment")
    add("--workers", type=int, nargs="+", default=WORKERS, help="of the simulation")
    add("--out", type=Path, default=RESULTS, help="where to add the results")
    return parser


def searched(options: argparse.Namespace) -> Iterator[Line]:
    """Compare 1 and 2 workers, by turns in one run."""
    clusters = {n: local_cluster(n) for n in (1, 2)}
    seconds: dict[int, list[float]] = {1: [], 2: []}
    ceilings: list[float] = []
    shares: list[float] = []
    answers: set[str] = set()
    try:
        for n, (cluster, _) in clusters.items():  # compiled, loaded and sent once
            _search(cluster.scheduler_address, 2 * n)
        for _ in range(options.repeats):
            for n, (cluster, _) in clusters.items():
                with timed(STORE + SCHEDULING) as spent:
                    took, answer = _search(cluster.scheduler_address, options.attempts)
                seconds[n].append(took)
                shares.append(spent[0] / took)
                answers.add(answer)
            alone, both = (_at_once(client, n) for n, (_, client) in clusters.items())
            ceilings.append(2 * alone / both)
        memory = clusters[2][1].run(peak_memory)
    finally:
        for cluster, client in clusters.values():
            client.close()
            cluster.close()
    one, two = (statistics.median(seconds[n]) for n in (1, 2))
    largest, ceiling = max(memory.values()), statistics.median(ceilings)
    yield {
        "part": "search",
        "attempts": options.attempts,
        "seconds": {n: [round(s, 2) for s in some] for n, some in seconds.items()},
        "speedup": round(one / two, 3),
        "ceiling": round(ceiling, 3),
        "answers": len(answers),
        "worker_mb": round(largest),
        "text": f"{options.attempts} attempts: {one:.1f} s on 1 worker, {two:.1f} s on "
        f"2, {one / two:.2f} times as fast (wanted {WANTED_SPEEDUP}, the machine's "
        f"ceiling {ceiling:.2f}); the same "
        f"equations: {len(answers) == 1}; {largest:.0f} MB a worker",
    }
    share = statistics.median(shares)
    yield {
        "part": "overhead",
        "share": round(share, 4),
        "text": f"store and scheduling: {100 * share:.2f} % of the time "
        f"(wanted at most {100 * MOST_OVERHEAD:.0f} %)",
    }


def local_cluster(n_workers: int) -> tuple[Any, Any]:
    """Workers of Dask on this machine, and a client."""
    import distributed

    cluster = distributed.LocalCluster(
        n_workers=n_workers,
        threads_per_worker=1,
        host="127.0.0.1",
        dashboard_address=None,
        silence_logs=logging.CRITICAL,
    )
    return cluster, distributed.Client(cluster, set_as_default=False)


def _search(scheduler: str, n_attempts: int) -> tuple[float, str]:
    """Search with a store; the seconds it took, and what it found."""
    law = problem("RE3-1")
    x, y = law.sample(1000, np.random.default_rng(0))
    with tempfile.TemporaryDirectory() as directory:
        begin = time.monotonic()
        found = learn(
            Request(
                x, y, max_attempts=n_attempts, scheduler=scheduler, run_dir=directory
            )
        )
        took = time.monotonic() - begin
    return took, repr(
        [[one.to_document() for one in target.candidates] for target in found]
    )


def _at_once(client: Any, n: int) -> float:
    """The seconds that n workers take for as many pieces of the same work."""
    begin = time.monotonic()
    client.gather([client.submit(_work, k, pure=False) for k in range(n)])
    return time.monotonic() - begin


def _work(number: int) -> None:
    """Make some attempts, the same whatever the number."""
    del number
    law = problem("RE3-1")
    x, y = law.sample(1000, np.random.default_rng(0))
    (task,) = tasks_of(Request(x, y, seed=0))
    for index in range(3, 6):
        job = batch_job(
            0, index, View((0, 1, 2, 3)), STANDARD.agenda.batch * index, np.inf
        )
        step = Step(b"", False)
        while not step.is_done:
            step = job.segment(task, job.specification, step.state or None)


def peak_memory() -> float:
    """The most memory that this process has ever used, in megabytes."""
    kilobytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return kilobytes / (1024 if sys.platform != "darwin" else 1024**2)


@contextmanager
def timed(methods: Sequence[tuple[type, Sequence[str]]]) -> Iterator[list[float]]:
    """Sum the time spent in these methods, not counting one inside another twice."""
    spent, depth = [0.0], [0]
    originals = [
        (kind, name, getattr(kind, name)) for kind, some in methods for name in some
    ]

    def clocked(original: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:
            depth[0] += 1
            begin = time.perf_counter()
            try:
                return original(*arguments, **named)
            finally:
                depth[0] -= 1
                if not depth[0]:
                    spent[0] += time.perf_counter() - begin

        return call

    for kind, name, original in originals:
        setattr(kind, name, clocked(original))
    try:
        yield spent
    finally:
        for kind, name, original in originals:
            setattr(kind, name, original)


def doze(data: Any, specification: Specification, state: bytes | None) -> Step:
    """Compute nothing, for so many seconds."""
    time.sleep(specification["seconds"])
    return Step(b"", True)


class Simulation:
    """A plan of candidates that only sleep."""

    def __init__(self, n_candidates: int, seconds: float) -> None:
        self._n, self._seconds = n_candidates, seconds

    def stages(self) -> Iterator[Stage]:
        """One stage of jobs that depend on nothing."""
        yield Stage(self._job, lambda index, state: False)

    def _job(self, index: int) -> Job | None:
        if index >= self._n:
            return None
        return Job(f"doze/{index}", doze, {"seconds": self._seconds}, "nothing")


def simulated(options: argparse.Namespace) -> Iterator[Line]:
    """Let more and more workers sleep."""
    import distributed

    for n_workers in options.workers:
        # Few workers would take minutes to show what they show at once.
        n = min(options.candidates, LONGEST_QUEUE * n_workers)
        with (
            distributed.LocalCluster(
                n_workers=n_workers,
                threads_per_worker=1,
                processes=False,
                protocol="tcp",
                host="127.0.0.1",
                dashboard_address=None,
                silence_logs=logging.CRITICAL,
            ) as cluster,
            distributed.Client(cluster, set_as_default=False) as client,
        ):
            workers = Cluster(client, {"nothing": None})
            run([Simulation(2 * n_workers, 0.01)], workers, Memory())
            begin = time.monotonic()
            run([Simulation(n, options.sleep)], workers, Memory())
            took = time.monotonic() - begin
        ideal = -(-n // n_workers) * options.sleep
        yield {
            "part": "simulated",
            "workers": n_workers,
            "candidates": n,
            "segment_s": options.sleep,
            "seconds": round(took, 2),
            "efficiency": round(ideal / took, 3),
            "text": f"{n_workers:3} workers: {n} candidates of {options.sleep} s in "
            f"{took:.1f} s, efficiency {100 * ideal / took:.0f} %",
        }


if __name__ == "__main__":
    main()

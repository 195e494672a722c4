"""One form for many subjects: are form and shared constants found?

    python -m benchmarks.group_laws               # all laws, 20 s each
    python -m benchmarks.group_laws --law decay --time 60
    python -m benchmarks.group_laws --table       # of the file, run nothing

Eight subjects of eleven rows, with noise of 2 % of the spread. A law is found if its
values, for every subject and half as far again as the data, are within 3 % of the true
ones (root mean square, of their spread), and shared is told if as many constants differ
between subjects as in the law. A run has one process, and is a JSON line in
benchmarks/results/group_laws.jsonl; one that is there is not made again.
"""

import argparse
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from eqlearn import EquationLearner
from eqlearn.reproduce.commit import commit
from eqlearn.reproduce.jsonl import Line, append_line, number, whole_lines

RESULTS = Path("benchmarks/results/group_laws.jsonl")
SEED, N_GROUPS, NOISE = 1, 8, 0.02
TIMES = np.array([0.25, 0.5, 1, 2, 3, 5, 8, 12, 16, 20, 24])
#: How far the values of a law that is found may be off, of their spread.
CLOSE = 0.03


class GroupLaw(NamedTuple):
    """A law of time and of the constants of a subject."""

    values: Callable[..., Any]  # of times, and of one array for each constant
    ranges: tuple[tuple[float, float], ...]  # of the constants that differ


LAWS: Mapping[str, GroupLaw] = {
    "line": GroupLaw(lambda t, a, b: a * t + b, ((1, 3), (-1, 1))),
    "decay": GroupLaw(lambda t, a, k: a * np.exp(-k * t), ((5, 12), (0.08, 0.2))),
    "decay-offset": GroupLaw(
        lambda t, a, k: a * np.exp(-k * t) + 1.5, ((5, 12), (0.08, 0.2))
    ),
    "michaelis-rate": GroupLaw(lambda t, v: v * t / (6 + t), ((50, 120),)),
    "michaelis-affinity": GroupLaw(lambda t, k: 90 * t / (k + t), ((3, 12),)),
    "logistic": GroupLaw(lambda t, a: a / (1 + 25 * np.exp(-0.4 * t)), ((3, 6),)),
    "absorption": GroupLaw(
        lambda t, k: 12 * k / (k - 0.1) * (np.exp(-0.1 * t) - np.exp(-k * t)),
        ((0.6, 1.6),),
    ),
    "power": GroupLaw(lambda t, a: a * t**0.7, ((1, 4),)),
    "log-growth": GroupLaw(lambda t, a: a + 2.3 * np.log(t), ((1, 4),)),
    "gompertz": GroupLaw(lambda t, a: a * np.exp(-3.0 * np.exp(-0.3 * t)), ((3, 9),)),
    "root": GroupLaw(lambda t, a, c: a * np.sqrt(t) + c, ((1, 4), (0, 3))),
    "tanh": GroupLaw(lambda t, a, b: a * np.tanh(b * t), ((5, 9), (0.1, 0.3))),
}


def judged(law: GroupLaw, seconds: float) -> Line:
    """Learn a law from the rows of all subjects, and compare it with the truth."""
    rng = np.random.default_rng(SEED)
    constants = [rng.uniform(low, high, N_GROUPS) for low, high in law.ranges]
    group = np.repeat(np.arange(N_GROUPS), len(TIMES))
    t = np.tile(TIMES, N_GROUPS)
    y = law.values(t, *(one[group] for one in constants))
    y = y + NOISE * np.std(y) * rng.normal(size=len(y))
    table = pd.DataFrame({"t": t, "subject": [f"s{i + 1}" for i in group]})
    begin, processor = time.perf_counter(), time.process_time()
    learner = EquationLearner(time_limit=seconds, n_jobs=1)
    learner.fit(table, y, groups="subject")
    spent = time.perf_counter() - begin, time.process_time() - processor
    far = np.linspace(TIMES[0], 1.5 * TIMES[-1], 60)
    off, size = [], []
    for number_of, name in enumerate(learner.groups_.index):
        true = law.values(far, *(one[number_of] for one in constants))
        off.append(learner.predict(pd.DataFrame({"t": far}), groups=name) - true)
        size.append(np.std(true))
    error = float(np.sqrt(np.mean(np.square(off))) / np.mean(size))
    n_own = sum(not name.endswith(("rows", "_error")) for name in learner.groups_)
    return {
        "found": bool(error < CLOSE),
        "error": number(error),
        "n_own": n_own,
        "shared_told": n_own == len(law.ranges),
        "seconds": number(spent[0]),
        "processor": number(spent[1]),
        "equation": learner.equation_,
    }


def table() -> str:
    """How many laws were found, and of how many the shared constants are told."""
    lines = list(whole_lines(RESULTS))
    n_found = sum(line["found"] for line in lines)
    n_told = sum(line["found"] and line["shared_told"] for line in lines)
    return f"{n_found} of {len(lines)} laws found, {n_told} with what subjects share"


def main(arguments: Sequence[str] | None = None) -> None:
    """Make the runs that are missing, then print the table."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.group_laws",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--law", nargs="+", default=list(LAWS), choices=list(LAWS))
    parser.add_argument("--time", type=float, default=20.0, help="seconds")
    parser.add_argument("--table", action="store_true")
    options = parser.parse_args(arguments)
    there = {line["law"] for line in whole_lines(RESULTS)}
    for name in options.law if not options.table else ():
        if name in there:
            continue
        found = judged(LAWS[name], options.time)
        line = {"law": name, "seed": SEED, "limit": options.time, "commit": commit()}
        append_line(RESULTS, {**line, **found})
        print(name, found, flush=True)
    print(table())


if __name__ == "__main__":
    main()

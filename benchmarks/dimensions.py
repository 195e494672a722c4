"""What dimensions are worth: textbook laws with and without the units of their columns.

    python -m benchmarks.dimensions               # 5 s of a core each, 1 % noise
    python -m benchmarks.dimensions --problem virial rlc-impedance --seconds 10
    python -m benchmarks.dimensions --table       # of the file, run nothing

All runs have one process and end by the time that it has computed, not by the clock, so
that other work on the machine does not count. A run is a JSON line in
benchmarks/results/dimensions.jsonl, and one that is there is not made again.
"""

import argparse
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.law_dimensions import LAW_DIMENSIONS
from eqlearn import EqlearnError, EquationLearner
from eqlearn.problems import has_true_form
from eqlearn.problems.catalogue import problem
from eqlearn.reproduce.commit import commit
from eqlearn.reproduce.jsonl import Line, append_line, number, whole_lines

RESULTS = Path("benchmarks/results/dimensions.jsonl")
SEED = 1
#: Share of the limit by which a run may be late: a step is not broken off.
LATE = 0.3


def judged(name: str, noise: float, seconds: float, **known: Any) -> Line:
    """Learn a law in so many seconds of a core; tell whether it has the true form."""
    import pandas

    asked = problem(name)
    x, y = asked.sample(asked.n_train, np.random.default_rng(SEED), noise=noise)
    begin = time.process_time()

    def is_late(best: object) -> bool:
        del best
        return time.process_time() - begin > seconds

    learner = EquationLearner(n_jobs=1, callback=is_late, **known)
    try:
        table = pandas.DataFrame(x, columns=list(asked.inputs))
        learner.fit(table, pandas.Series(y[:, 0], name=asked.outputs[0]))
        formula, equation = learner.sympy(), learner.equation_
    except EqlearnError as error:
        formula, equation = None, str(error)
    spent = time.process_time() - begin
    is_true = has_true_form(formula, asked, np.random.default_rng(SEED))
    return {"true_form": is_true, "seconds": number(spent), "equation": equation}


def conduct(names: Sequence[str], noise: float, seconds: float) -> None:
    """Make the runs that are missing, and say of each how it ended."""
    lines = whole_lines(RESULTS)
    there = {(line["problem"], line["noise"], line["limit"]) for line in lines}
    judged("spring-energy", 0.0, 1.0)  # compiles, which is no part of any run
    for name in names:
        if (name, noise, seconds) in there:
            continue
        dimensions, constants = LAW_DIMENSIONS[name]
        line: Line = {"problem": name, "noise": noise, "limit": seconds, "seed": SEED}
        known = {"dimensions": dimensions, "constants": constants}
        line |= {"commit": commit(), **known}
        line["without"] = judged(name, noise, seconds)
        line["with"] = judged(name, noise, seconds, **known)
        append_line(RESULTS, line)
        print(_told(line), flush=True)


def _told(line: Line) -> str:
    parts = []
    for name in ("without", "with"):
        run = line[name]
        found = "found" if run["true_form"] else "not found"
        parts.append(f"{name} dimensions {found} in {run['seconds']} s")
    return f"{line['problem']}: {', '.join(parts)}"


def table() -> str:
    """How many laws were found with and without dimensions, by noise and limit."""
    lines = list(whole_lines(RESULTS))
    rows = ["noise  limit  laws  found without  with  only with  only without"]
    for noise, limit in sorted({(line["noise"], line["limit"]) for line in lines}):
        some = [one for one in lines if (one["noise"], one["limit"]) == (noise, limit)]
        pairs = [
            (_in_time(o["without"], limit), _in_time(o["with"], limit)) for o in some
        ]
        counts = [
            sum(plain for plain, _ in pairs),
            sum(known for _, known in pairs),
            sum(known and not plain for plain, known in pairs),
            sum(plain and not known for plain, known in pairs),
        ]
        rows.append(
            f"{noise:<5}  {limit:<5}  {len(some):>4}  {counts[0]:>13}  {counts[1]:>4}  "
            f"{counts[2]:>9}  {counts[3]:>12}"
        )
    return "\n".join(rows)


def _in_time(run: Line, limit: float) -> bool:
    """Whether the law was found in time; steps that had begun may end after it."""
    return bool(run["true_form"] and run["seconds"] <= (1.0 + LATE) * limit)


def main(arguments: Sequence[str] | None = None) -> None:
    """Make the runs that are missing, then print the table."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.dimensions",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--problem", nargs="+", default=list(LAW_DIMENSIONS))
    parser.add_argument("--noise", type=float, default=0.01)
    parser.add_argument("--seconds", type=float, default=5.0, help="of a core")
    parser.add_argument("--table", action="store_true")
    options = parser.parse_args(arguments)
    if not options.table:
        conduct(options.problem, options.noise, options.seconds)
    print(table())


if __name__ == "__main__":
    main()

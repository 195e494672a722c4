"""Pure noise: how often is a formula found where there is nothing to find?

    python -m benchmarks.pure_noise                  # all tables that are not there yet
    python -m benchmarks.pure_noise --tables 10 --time 20
    python -m benchmarks.pure_noise --table

Fifty tables of 50 to 2000 rows and 1 to 10 inputs, in which the target has nothing to
do with the inputs. Any formula but the mean is a false find. A run is a JSON line in
benchmarks/results/pure_noise.jsonl, and each has a process of its own.
"""

import argparse
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import numpy as np

from eqlearn._types import Array
from eqlearn.baselines.methods import METHODS
from eqlearn.baselines.question import Question
from eqlearn.reproduce.commit import commit
from eqlearn.reproduce.jsonl import Line, append_line, whole_lines
from eqlearn.reproduce.section4.runs import circumstances
from eqlearn.reproduce.subprocesses import Failure, in_processes
from eqlearn.reproduce.text_tables import TextTable

RESULTS = Path("benchmarks/results/pure_noise.jsonl")
N_TABLES, SECONDS = 50, 60.0
#: False finds among all tables that are let pass.
MOST_FOUND = 1

FEWEST_ROWS, MOST_ROWS, MOST_INPUTS = 50, 2000, 10
_HEADER = ("tables", "limit", "false finds", "median s", "to reach", "reached")

Draw = Callable[[np.random.Generator, int | tuple[int, int]], Array]
#: What targets and inputs are drawn from: thin and heavy tails, one side and two.
NOISES: dict[str, Draw] = {
    "normal": lambda rng, n: rng.standard_normal(n),
    "uniform": lambda rng, n: rng.uniform(-1, 1, n),
    "heavy": lambda rng, n: rng.standard_t(4, n),
    "skewed": lambda rng, n: rng.exponential(1, n),
}


@dataclass(frozen=True)
class NoiseTable:
    """One table by its number, which decides everything about it."""

    number: int
    seconds: float = SECONDS

    def draw(self) -> tuple[Line, Array, Array]:
        """Return what it is like, its inputs (N, D) and its target (N, 1)."""
        rng = np.random.default_rng([2020, self.number])
        rows = round(float(np.exp(rng.uniform(*np.log([FEWEST_ROWS, MOST_ROWS])))))
        n_inputs = 1 + self.number % MOST_INPUTS
        noise = list(NOISES)[int(rng.integers(len(NOISES)))]
        measured = ("uniform", "normal", "skewed")[int(rng.integers(3))]
        x = NOISES[measured](rng, (rows, n_inputs))
        x = x * 10.0 ** rng.integers(-3, 4, n_inputs) + rng.choice([0.0, 5.0], n_inputs)
        # Half of the targets lie about 0, half far from it.
        level, unit = rng.choice([0.0, 20.0]), 10.0 ** rng.integers(-3, 4)
        y = unit * (level + NOISES[noise](rng, rows))
        facts = {"table": self.number, "rows": rows, "inputs": n_inputs}
        return {**facts, "noise": noise, "measured": measured}, x, y[:, None]


def perform(asked: NoiseTable) -> Line:
    """Search one table, and tell whether anything but a constant came out."""
    facts, x, y = asked.draw()
    names = tuple(f"x{d + 1}" for d in range(x.shape[1]))
    question = Question(x, y, names, asked.number, asked.seconds, y.std(axis=0))
    method = METHODS["eqlearn"].load()
    start = time.perf_counter()
    (answer,) = method(question)
    seconds = round(time.perf_counter() - start, 2)
    formula = None if answer is None else answer.learned.expression
    found = formula is not None and bool(formula.free_symbols)
    shown = str(formula) if found else ""
    return {**facts, "status": "ok", "seconds": seconds, "found": found} | {
        "formula": shown,
        "commit": commit(),
    }


def noise_table(lines: Sequence[Line]) -> TextTable:
    """Count the false finds."""
    newest = {(line["limit"], line["table"]): line for line in lines}
    rows = []
    for limit in sorted({SECONDS, *(limit for limit, _ in newest)}):
        some = [line for (of, _), line in newest.items() if of == limit]
        found = sum(bool(line.get("found", True)) for line in some)
        seconds = [line["seconds"] for line in some if "seconds" in line]
        is_over = found > MOST_FOUND
        done = "met" if len(some) == N_TABLES else f"open: {len(some)} tables so far"
        rows.append(
            (
                str(N_TABLES),
                f"{limit:g} s",
                f"{found} of {len(some)}" if some else "–",
                f"{median(seconds):.1f}" if seconds else "–",
                f"at most {MOST_FOUND}",
                "not met" if is_over else done,
            )
        )
    return TextTable("Pure noise", _HEADER, rows)


def main(arguments: Sequence[str] | None = None) -> None:
    """Search the tables that are missing, then print the count."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.pure_noise",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--tables", type=int, default=N_TABLES, metavar="N", help="the first N only")
    add("--time", type=float, default=SECONDS, help="time limit of a table in seconds")
    add("--table", action="store_true", help="print the count, run nothing")
    add("--out", type=Path, default=RESULTS, metavar="FILE", help="results")
    options = parser.parse_args(arguments)
    known = {(line["limit"], line["table"]) for line in whole_lines(options.out)}
    asked = [
        NoiseTable(number, options.time)
        for number in range(1, options.tables + 1)
        if (options.time, number) not in known
    ]
    if not options.table and asked:
        _search(asked, options.out)
    print(noise_table(list(whole_lines(options.out))).text())


def _search(asked: Sequence[NoiseTable], path: Path) -> None:
    for one, result in in_processes(perform, asked, 1, lambda t: 3 * t.seconds + 180):
        if isinstance(result, Failure):  # counts as a find: it is no mean
            result = {"table": one.number, **vars(result)}
        append_line(path, {**circumstances(1), "limit": one.seconds, **result})
        found = result.get("formula") if result.get("found") else "nothing"
        print(f"table {one.number}: {found}", flush=True)


if __name__ == "__main__":
    main()

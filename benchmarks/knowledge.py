"""What a guess is worth: textbook laws that the plain search does not find in time.

    python -m benchmarks.knowledge                # 10 s without, then 5 s with a guess
    python -m benchmarks.knowledge --noise 0 --problem manning virial
    python -m benchmarks.knowledge --table        # of the file, run nothing

The guess is the law with every constant that is no small whole number or simple
fraction replaced by a free letter, as someone would write it who knows the form from a
book and no number of it. Only laws that the plain search has not found in its time get
one. All runs have one process. A run is a JSON line in
benchmarks/results/knowledge.jsonl, and one that is there is not made again.
"""

import argparse
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import sympy

from eqlearn import EqlearnError, EquationLearner
from eqlearn.problems import has_true_form
from eqlearn.problems.catalogue import TEXTBOOK, problem
from eqlearn.problems.definition import Problem
from eqlearn.reproduce.commit import commit
from eqlearn.reproduce.jsonl import Line, append_line, number, whole_lines

RESULTS = Path("benchmarks/results/knowledge.jsonl")
SEED = 1
#: Fractions that someone knows who knows the form of a law.
LARGEST_PART = 9


def guess_of(asked: Problem) -> str:
    """A law as text, with letters in the place of its constants."""
    (law,) = asked.expressions()
    letters = iter(f"k{number}" for number in range(1, 1000))
    # Backticks: a column may have the name of a letter, or of a number.
    renamed = {sympy.Symbol(name): sympy.Symbol(f"`{name}`") for name in asked.inputs}
    return str(_opened(law, letters).xreplace(renamed))


def _opened(law: sympy.Expr, letters: Any) -> sympy.Expr:
    if law.is_Number or law.is_NumberSymbol:
        is_known = law.is_Rational and max(abs(law.p), law.q) <= LARGEST_PART
        return law if is_known else sympy.Symbol(next(letters))
    if not law.args:
        return law
    parts = [_opened(part, letters) for part in law.args]
    return law.func(*parts)


def judged(asked: Problem, noise: float, seconds: float, guess: str | None) -> Line:
    """Learn a law, with or without a guess, and tell whether it is the true form."""
    x, y = asked.sample(asked.n_train, np.random.default_rng(SEED), noise=noise)
    names = dict(enumerate(asked.inputs))
    learner = EquationLearner(
        time_limit=seconds, n_jobs=1, guesses=None if guess is None else [guess]
    )
    begin = time.perf_counter()
    try:
        learner.fit(_frame(x, list(names.values())), y[:, 0])
        formula, equation = learner.sympy(), learner.equation_
    except EqlearnError as error:
        formula, equation = None, str(error)
    spent = time.perf_counter() - begin
    is_true = has_true_form(formula, asked, np.random.default_rng(SEED))
    return {"true_form": is_true, "seconds": number(spent), "equation": equation}


def _frame(x: Any, names: Sequence[str]) -> Any:
    import pandas

    return pandas.DataFrame(x, columns=list(names))


def conduct(names: Sequence[str], noise: float, plain: float, guessed: float) -> None:
    """Make the runs that are missing, and say of each how it ended."""
    there = {(line["problem"], line["noise"]) for line in whole_lines(RESULTS)}
    for name in names:
        if (name, noise) in there:
            continue
        asked = problem(name)
        line: Line = {"problem": name, "noise": noise, "seed": SEED, "commit": commit()}
        line |= {
            "limits": [plain, guessed],
            "without": judged(asked, noise, plain, None),
        }
        if not line["without"]["true_form"]:
            guess = guess_of(asked)
            line |= {"guess": guess, "with": judged(asked, noise, guessed, guess)}
        append_line(RESULTS, line)
        print(_told(line), flush=True)


def _told(line: Line) -> str:
    parts = [f"{line['problem']}:"]
    for name in ("without", "with"):
        if name in line:
            run = line[name]
            found = "found" if run["true_form"] else "not found"
            parts.append(f"{name} a guess {found} in {run['seconds']} s;")
    return " ".join(parts)


def table() -> str:
    """How many laws a guess has found, by noise."""
    lines = list(whole_lines(RESULTS))
    rows = ["noise  laws  found without  of the others, with a guess"]
    for noise in sorted({line["noise"] for line in lines}):
        some = [line for line in lines if line["noise"] == noise]
        others = [line["with"] for line in some if "with" in line]
        n_without = len(some) - len(others)
        n_with = sum(run["true_form"] for run in others)
        rows.append(
            f"{noise:<5}  {len(some):>4}  {n_without:>13}  {n_with} of {len(others)}"
        )
    return "\n".join(rows)


def main(arguments: Sequence[str] | None = None) -> None:
    """Make the runs that are missing, then print the table."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.knowledge",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--problem", nargs="+", default=list(TEXTBOOK))
    parser.add_argument("--noise", type=float, default=0.01)
    parser.add_argument("--plain", type=float, default=10.0, help="seconds without")
    parser.add_argument("--guessed", type=float, default=5.0, help="seconds with one")
    parser.add_argument("--table", action="store_true")
    options = parser.parse_args(arguments)
    if not options.table:
        conduct(options.problem, options.noise, options.plain, options.guessed)
    print(table())


if __name__ == "__main__":
    main()

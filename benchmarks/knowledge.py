"""What knowing helps: textbook laws that the plain search does not find in time.

    python -m benchmarks.knowledge                # 10 s without, then 5 s with a guess
    python -m benchmarks.knowledge --form         # the laws not found, by a known form
    python -m benchmarks.knowledge --lost         # anew, the laws not found before
    python -m benchmarks.knowledge --noise 0 --problem manning virial
    python -m benchmarks.knowledge --table        # of the file, run nothing

The guess is the law with every constant that is no small whole number or simple
fraction replaced by a free letter, as someone would write it who knows the form from a
book and no number of it. Only laws that the plain search has not found in its time get
one. A known form is the law with an unknown function in the place of its largest part
that has at most two thirds of its operations, and letters for constants as in a guess.
All runs have one process; processor seconds are kept beside those of the clock, which
are more on a machine that others use too. A run is a JSON line in
benchmarks/results/knowledge.jsonl, and one that is there is not made again unless
--lost asks for it; of several of a law the last one counts.
"""

import argparse
import time
from collections.abc import Iterable, Mapping, Sequence
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
#: Of a law's operations, those that a function may stand for in a known form.
LARGEST_SHARE = 2 / 3


def guess_of(asked: Problem) -> str:
    """A law as text, with letters in the place of its constants."""
    (law,) = asked.expressions()
    letters = iter(f"k{number}" for number in range(1, 1000))
    # Backticks: a column may have the name of a letter, or of a number.
    renamed = {sympy.Symbol(name): sympy.Symbol(f"`{name}`") for name in asked.inputs}
    return str(_opened(law, letters).xreplace(renamed))


def form_of(asked: Problem) -> str | None:
    """A law with an unknown function for a part of it; None if it has no such part."""
    (law,) = asked.expressions()
    total = sympy.count_ops(law)
    parts = [
        part
        for part in sympy.preorder_traversal(law)
        if part.args and part.free_symbols and part != law
        if 1 <= sympy.count_ops(part) <= LARGEST_SHARE * total
    ]
    if not parts:
        return None
    # Of several as large the first, as they are printed: the same on every machine.
    part = min(parts, key=lambda one: (-sympy.count_ops(one), str(one)))
    name = next(letter for letter in "fghqw" if letter not in asked.inputs)
    symbols = sorted(part.free_symbols, key=lambda one: asked.inputs.index(one.name))
    outer = law.xreplace({part: sympy.Function(name)(*symbols)})
    letters = iter(f"k{number}" for number in range(1, 1000))
    renamed = {sympy.Symbol(name): sympy.Symbol(f"`{name}`") for name in asked.inputs}
    return str(_opened(outer, letters).xreplace(renamed))


def _opened(law: sympy.Expr, letters: Any) -> sympy.Expr:
    if law.is_Number or law.is_NumberSymbol:
        is_known = law.is_Rational and max(abs(law.p), law.q) <= LARGEST_PART
        return law if is_known else sympy.Symbol(next(letters))
    if not law.args:
        return law
    parts = [_opened(part, letters) for part in law.args]
    return law.func(*parts)


def judged(
    asked: Problem,
    noise: float,
    seconds: float,
    guess: str | None = None,
    form: str | None = None,
) -> Line:
    """Learn a law, by what is known of it, and tell whether it is the true form."""
    x, y = asked.sample(asked.n_train, np.random.default_rng(SEED), noise=noise)
    names = dict(enumerate(asked.inputs))
    learner = EquationLearner(
        time_limit=seconds,
        n_jobs=1,
        guesses=None if guess is None else [guess],
        form=form,
    )
    begin, processor = time.perf_counter(), time.process_time()
    try:
        learner.fit(_frame(x, list(names.values())), y[:, 0])
        formula, equation = learner.sympy(), learner.equation_
    except EqlearnError as error:
        formula, equation = None, str(error)
    spent = time.perf_counter() - begin
    is_true = has_true_form(formula, asked, np.random.default_rng(SEED))
    return {
        "true_form": is_true,
        "seconds": number(spent),
        "processor": number(time.process_time() - processor),
        "equation": equation,
    }


def _frame(x: Any, names: Sequence[str]) -> Any:
    import pandas

    return pandas.DataFrame(x, columns=list(names))


def lost_laws(names: Sequence[str], noise: float) -> list[str]:
    """The laws that the plain search did not find when it was last asked."""
    lines = _last(line for line in whole_lines(RESULTS) if "in_form" not in line)
    return [name for name in names if "with" in lines.get((name, noise), {})]


def _missing(names: Sequence[str], noise: float, *, in_form: bool) -> list[str]:
    """The laws that have no line yet."""
    lines = (line for line in whole_lines(RESULTS) if ("in_form" in line) == in_form)
    there = _last(lines)
    return [name for name in names if (name, noise) not in there]


def _last(lines: Iterable[Line]) -> dict[tuple[str, float], Line]:
    """The last line of each law at each noise."""
    return {(line["problem"], line["noise"]): line for line in lines}


def conduct(names: Sequence[str], noise: float, plain: float, guessed: float) -> None:
    """Make these runs, and say of each how it ended."""
    for name in names:
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


def conduct_forms(names: Sequence[str], noise: float, seconds: float) -> None:
    """Learn these laws within a form that is known."""
    for name in names:
        form = form_of(problem(name))
        if form is None:
            continue
        line: Line = {"problem": name, "noise": noise, "seed": SEED, "commit": commit()}
        found = judged(problem(name), noise, seconds, form=form)
        append_line(
            RESULTS, {**line, "limits": [seconds], "form": form, "in_form": found}
        )
        told = "found" if found["true_form"] else "not found"
        times = f"{found['seconds']} s ({found['processor']} s of a processor)"
        print(f"{name}: in the form {form} {told} in {times}", flush=True)


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
    rows = ["noise  laws  found without  of the others, with a guess, in a known form"]
    for noise in sorted({line["noise"] for line in lines}):
        every = [line for line in lines if line["noise"] == noise]
        some = list(_last(line for line in every if "in_form" not in line).values())
        known = _last(line for line in every if "in_form" in line)
        lost = [line["problem"] for line in some if "with" in line]
        forms = [known[n, noise]["in_form"] for n in lost if (n, noise) in known]
        others = [line["with"] for line in some if "with" in line]
        n_without = len(some) - len(others)
        n_with = sum(run["true_form"] for run in others)
        rows.append(
            f"{noise:<5}  {len(some):>4}  {n_without:>13}  {n_with} of {len(others)}, "
            f"{sum(run['true_form'] for run in forms)} of {len(forms)}"
        )
        rows.append(_by_either(some, known, noise))
    return "\n".join(rows)


def _by_either(
    some: Sequence[Line], known: Mapping[tuple[str, float], Line], noise: float
) -> str:
    """How many of the lost laws a guess or a form has found, and how quickly."""
    lost = [line for line in some if "with" in line]
    in_forms = {line["problem"]: known.get((line["problem"], noise)) for line in lost}
    runs = [
        [line["with"], *([one["in_form"]] if (one := in_forms[name]) else [])]
        for line in lost
        for name in [line["problem"]]
    ]
    found = [[run for run in each if run["true_form"]] for each in runs]

    def within(seconds: float, clock: str) -> int:
        return sum(any(r.get(clock, 1e9) <= seconds for r in each) for each in found)

    return (
        f"       by one of them {sum(map(bool, found))} of {len(lost)}; within 5 s of "
        f"the clock {within(5.0, 'seconds')}, of a processor {within(5.0, 'processor')}"
    )


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
    parser.add_argument("--form", action="store_true", help="by known forms instead")
    parser.add_argument("--lost", action="store_true", help="those lost before, anew")
    parser.add_argument("--table", action="store_true")
    options = parser.parse_args(arguments)
    names = options.problem
    if options.form or options.lost:
        names = lost_laws(names, options.noise)
    if not options.lost:
        names = _missing(names, options.noise, in_form=options.form)
    if options.form and not options.table:
        conduct_forms(names, options.noise, options.guessed)
    elif not options.table:
        conduct(names, options.noise, options.plain, options.guessed)
    print(table())


if __name__ == "__main__":
    main()

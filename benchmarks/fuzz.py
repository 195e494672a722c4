"""A fuzzing campaign: whatever comes in, one line of ours comes out, and soon.

    python -m benchmarks.fuzz --hours 2              # goes on where the last one ended
    python -m benchmarks.fuzz --only options --round 17

A round is some hundred cases: model files, tables, formulas, lines of every command,
broken run directories, and signals at random moments. Its number decides all of them.
Each round is a JSON line in benchmarks/results/fuzz.jsonl, and so is each finding: an
exception not ours, exit code 70, a traceback, an answer of several lines, a hang.
"""

import argparse
import contextlib
import io
import math
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

import numpy as np

from benchmarks.fuzz_cases import break_directory, formula, model_text, table_text
from benchmarks.fuzz_commands import command_line
from eqlearn import EquationLearner
from eqlearn.cli.main import main as command
from eqlearn.data.read import read_table
from eqlearn.errors import EqlearnError
from eqlearn.learners.given_guesses import guessed_graphs
from eqlearn.reproduce.jsonl import append_line, whole_lines
from eqlearn.reproduce.section4.runs import circumstances

RESULTS = Path("benchmarks/results/fuzz.jsonl")
#: Seconds of a core after which something hangs; by the clock it may be ten times that.
LONGEST = {
    "models": 15.0,
    "tables": 5.0,
    "formulas": 5.0,
    "options": 30.0,
    "directories": 40.0,
    "signals": 120.0,
}
#: Seconds that a search of 20 s may take on a busy machine.
PATIENCE = 600.0
CASES = {
    "models": 150,
    "tables": 150,
    "formulas": 150,
    "options": 24,
    "directories": 12,
    "signals": 1,
}
#: Exit codes that are documented, and no fault of ours.
FINE = (0, 1, 2, 130)


@dataclass(frozen=True)
class Case:
    """One thing to try, decided by its numbers."""

    kind: str
    round: int
    number: int
    seeds: Path  # a folder with a table, far points and a finished run of them

    def rng(self) -> random.Random:
        """A stream of random numbers of its own."""
        return random.Random(f"{self.kind} {self.round} {self.number}")


def models(case: Case) -> str:
    """Load a hostile model file, and use it in every way if it is taken."""
    content = model_text(case.rng(), (case.seeds / "run/model.json").read_bytes())
    file = Path("model.json")
    file.write_bytes(content)
    try:
        learner = EquationLearner.load(file)
    except EqlearnError as error:
        return _said(str(error))
    x = np.ones((3, learner.n_features_in_))
    ways: tuple[Callable[[], object], ...] = (
        lambda: learner.predict(x),
        lambda: (learner.equation_, learner.equations_, learner.constants_),
        lambda: (learner.domain_report_, learner.verdict_),
        lambda: (learner.latex(), learner.python(), learner.c(), learner.sympy()),
        lambda: learner.save("again.json"),
    )
    for way in ways:
        try:
            way()
        except EqlearnError as error:
            if problem := _said(str(error)):
                return problem
    return ""


def tables(case: Case) -> str:
    """Read a hostile table."""
    file = Path("hostile.csv")
    file.write_bytes(table_text(case.rng()))
    try:
        table = read_table(str(file))
    except EqlearnError as error:
        return _said(str(error))
    is_finite = np.isfinite(table.values).all()
    return "" if is_finite else "a table with values that are not finite"


def formulas(case: Case) -> str:
    """Read a formula to begin with, and evaluate what it became."""
    text, x = formula(case.rng()), np.linspace(1, 2, 40).reshape(20, 2)
    try:
        ((*graphs,),) = guessed_graphs([text], ("a", "b"), ("y",), x, 0)
    except EqlearnError as error:
        return _said(str(error))
    for graph in graphs:
        graph.evaluate(x)
    return ""


def command_lines(case: Case) -> str:
    """Run any command with hostile options."""
    for name in ("table.csv", "far.csv", "log.csv"):
        shutil.copy(case.seeds / name, name)
    for name in ("run", "run2"):
        shutil.copytree(case.seeds / name, name)
    return _ended(command_line(case.rng()))


def directories(case: Case) -> str:
    """Break a run directory, then show it, predict by it and search again."""
    shutil.copytree(case.seeds / "run", "run")
    shutil.copy(case.seeds / "table.csv", "table.csv")
    rng = case.rng()
    for _ in range(rng.choice((1, 1, 2))):
        break_directory(rng, Path("run"))
    lines = (
        ["show", "run"],
        ["predict", "run", "table.csv"],
        ["report", "run"],
        ["fit", "table.csv", "--target", "y", "--time", "3s", "--jobs", "1"]
        + ["--out", "run", "--quiet"],
    )
    return next(filter(None, map(_ended, lines)), "")


def signals(case: Case) -> str:
    """Send signals to a search at random moments; then it must come to its end."""
    shutil.copy(case.seeds / "table.csv", "table.csv")
    rng = case.rng()
    program = [sys.executable, "-m", "eqlearn", "fit", "table.csv", "--target", "y"]
    program += ["--out", "run", "--jobs", "2", "--time", "20s", "--quiet"]
    for _ in range(3):
        names = ("SIGINT", "SIGTERM", "SIGKILL", "SIGHUP", "SIGTSTP", "SIGSEGV")
        number = signal.Signals[rng.choice(names)]
        process = subprocess.Popen(
            program, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        )
        time.sleep(rng.uniform(0.2, 8))
        process.send_signal(number)
        time.sleep(0.3)
        process.send_signal(signal.SIGCONT)
        try:
            _, said = process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            return f"no end after {number.name}"
        if process.returncode not in (*FINE, -number):
            return f"{number.name}: exit code {process.returncode}: {said[-300:]}"
        if "Traceback" in said:
            return f"{number.name}: {said[-300:]}"
    ended = subprocess.run(program, capture_output=True, text=True, timeout=PATIENCE)
    if ended.returncode != 0:
        return f"resumed: exit code {ended.returncode}: {ended.stderr[-300:]}"
    with contextlib.closing(sqlite3.connect("run/run.db")) as store:
        (verdict,) = store.execute("PRAGMA integrity_check").fetchone()
    return "" if verdict == "ok" else f"run.db: {verdict}"


def _said(line: str) -> str:
    """What is wrong with a message, if anything."""
    return "" if line.isprintable() else f"not one printable line: {line[:200]!r}"


def _ended(arguments: list[str]) -> str:
    """Run a command line in this process; what is wrong with its end, if anything."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            command(arguments)
        except SystemExit as error:
            code = error.code
    said = err.getvalue()
    if code not in FINE:
        return f"{arguments}: exit code {code}: {said[-300:]}"
    refusals = [line for line in said.splitlines() if line.startswith("Error: ")]
    if code == 2 and not (len(refusals) == 1 and said.endswith(f"{refusals[0]}\n")):
        return f"{arguments}: refused by {said[-300:]!r}"
    return ""


KINDS: dict[str, Callable[[Case], str]] = {
    "models": models,
    "tables": tables,
    "formulas": formulas,
    "options": command_lines,
    "directories": directories,
    "signals": signals,
}


class Hang(BaseException):
    """What is raised in a case that takes too long."""


def tried(case: Case) -> str:
    """Try one case in an empty directory; what is wrong, if anything."""
    with (
        tempfile.TemporaryDirectory() as folder,
        _in(folder),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        is_over = threading.Event()
        watch = threading.Thread(
            target=_watch, args=(LONGEST[case.kind], is_over), daemon=True
        )
        watch.start()
        try:
            return KINDS[case.kind](case)
        except Hang:
            return f"not done after {LONGEST[case.kind]:.0f} s"
        except Exception as error:
            return f"{type(error).__name__}: {error}"[:400]
        finally:
            is_over.set()


def _watch(seconds: float, is_over: threading.Event) -> None:
    """Break off what computes for longer, or waits for much longer on a busy machine.

    Not by an alarm: that is how a search keeps its time limit.
    """
    begin, worked = time.monotonic(), time.process_time()
    while not is_over.wait(min(0.5, seconds)):
        if time.process_time() - worked > seconds:
            break
        if time.monotonic() - begin > 10 * seconds:
            break
    else:
        return
    os.kill(os.getpid(), signal.SIGUSR1)


def _hang(number: int, frame: FrameType | None) -> None:
    raise Hang


@contextlib.contextmanager
def _in(folder: str) -> Iterator[None]:
    before = os.getcwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def make_seeds(folder: Path) -> None:
    """Tables and finished runs of a short law: what is then broken."""
    rng = random.Random(0)

    def rows(low: float, high: float, n: int) -> str:
        pairs = [(rng.uniform(low, high), rng.uniform(low, high)) for _ in range(n)]
        lines = [
            f"{a},{b},{3 * a / b + math.sin(2 * a) + rng.gauss(0, 0.01)}"
            for a, b in pairs
        ]
        return "\n".join(["a,b,y", *lines, ""])

    (folder / "table.csv").write_text(rows(1, 2, 60))
    (folder / "far.csv").write_text(rows(2, 3, 10))
    (folder / "log.csv").write_text(_log(rng))
    line = ["fit", "table.csv", "--target", "y", "--jobs", "1", "--quiet"]
    runs = [["--out", "run", "--time", "10s"], ["--out", "run2", "--time", "1s"]]
    with _in(str(folder)):
        for place in runs:
            if problem := _ended([*line, *place]):
                raise SystemExit(problem)


def _log(rng: random.Random) -> str:
    """Two swings that die away, as a log of motion."""
    lines = ["run,t,p,v,u"]
    for run, size in enumerate((1.0, -2.0)):
        for i in range(60):
            t = i / 10
            p, v = size * math.cos(t) * math.exp(-t / 9), -size * math.sin(t)
            lines.append(f"{run},{t},{p + rng.gauss(0, 0.01)},{v},{rng.random()}")
    return "\n".join([*lines, ""])


def main(arguments: Sequence[str] | None = None) -> int:
    """Fuzz for so long; the exit code tells whether anything was found."""
    wanted = _parser().parse_args(arguments)
    signal.signal(signal.SIGUSR1, _hang)
    out = wanted.out.absolute()
    out.parent.mkdir(parents=True, exist_ok=True)
    end, n_found = time.monotonic() + 3600 * wanted.hours, 0
    done = [line["round"] for line in whole_lines(out) if "cases" in line]
    number = max(done, default=-1) + 1 if wanted.round is None else wanted.round
    with tempfile.TemporaryDirectory() as folder:
        make_seeds(Path(folder))
        while True:
            n_found += one_round(number, Path(folder), wanted.only or list(KINDS), out)
            number += 1
            if wanted.round is not None or time.monotonic() > end:
                return int(n_found > 0)


def one_round(number: int, seeds: Path, kinds: Sequence[str], out: Path) -> int:
    """Try all cases of a round; how many findings."""
    found: Counter[str] = Counter()
    begin, shared = time.monotonic(), circumstances(1)
    for kind in kinds:
        for i in range(CASES[kind]):
            if problem := tried(Case(kind, number, i, seeds)):
                found[kind] += 1
                print(f"round {number}, {kind} {i}: {problem}", flush=True)
                where = {"kind": kind, "round": number, "number": i}
                append_line(out, {**where, "problem": problem, **shared})
    seconds = round(time.monotonic() - begin, 1)
    cases = {kind: CASES[kind] for kind in kinds}
    line = {"round": number, "cases": cases, "found": dict(found), "seconds": seconds}
    append_line(out, {**line, **shared})
    n_found = sum(found.values())
    print(f"round {number}: {n_found} findings ({seconds} s)", flush=True)
    return n_found


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.fuzz",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--hours", type=float, default=2.0, help="begin no round after so long")
    add("--only", nargs="+", choices=KINDS, metavar="models", help="only these")
    add("--round", type=int, help="one round, by its number")
    add("--out", type=Path, default=RESULTS, help="where to add the results")
    return parser


if __name__ == "__main__":
    sys.exit(main())

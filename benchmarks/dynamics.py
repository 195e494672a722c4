"""Equations of motion: how often the true form is found, and a new start followed.

Systems of benchmarks/motions, half of them unseen: nothing may be chosen by what
becomes of those. It may be broken off and goes on where it was:

    python -m benchmarks.dynamics                             # the seen half
    python -m benchmarks.dynamics --half unseen
    python -m benchmarks.dynamics --half drawn                # at random, for verdicts
    python -m benchmarks.dynamics --noise 0.01 --variant uneven
    python -m benchmarks.dynamics --system lorenz pendulum --seeds 3 --redo
    python -m benchmarks.dynamics --method pysindy-cubic pysindy-waves pysindy-weak
    python -m benchmarks.dynamics --table

A run is a JSON line in benchmarks/results/dynamics.jsonl; the newest line of a run
counts. Noise is a share of each state's spread. The true form is that of every equation
of a system; a start that was not learned from is followed if R² is above 0.9 in every
state, chaotic systems over two Lyapunov times. Times are seconds of one core.
"""

import argparse
import time
from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path
from statistics import median
from typing import Any, TypeAlias

import numpy as np

from benchmarks.motion_peers import learned_by
from benchmarks.motions import SEEN, SYSTEMS, UNSEEN, System, recording
from benchmarks.motions.drawn import drawn
from benchmarks.motions.judging import constants_within, follows, laws, true_forms
from eqlearn.equation.write.display import to_sympy
from eqlearn.equation.write.formulas import formulas
from eqlearn.errors import EqlearnError
from eqlearn.reproduce.commit import commit
from eqlearn.reproduce.jsonl import Line, append_line, number, whole_lines
from eqlearn.reproduce.subprocesses import clock, count_work_only
from eqlearn.reproduce.text_tables import TextTable

RESULTS = Path("benchmarks/results/dynamics.jsonl")
NOISES = (0.0, 0.01, 0.05)
OURS, PEERS = "eqlearn", ("pysindy-cubic", "pysindy-waves", "pysindy-weak")
N_DRAWN = 24
SETS: dict[str, Callable[[], tuple[System, ...]]] = {
    "seen": lambda: SEEN,
    "unseen": lambda: UNSEEN,
    "drawn": lambda: drawn(N_DRAWN),
}
KEY = ("method", "system", "noise", "variant", "seed")


def main(arguments: Sequence[str] | None = None) -> None:
    """Make the runs that are missing, then print the table."""
    options = _parser().parse_args(arguments)
    if clock() == "processor":
        count_work_only()
    known = {} if options.redo else newest(options.out)
    if not options.table:
        chosen = SETS[options.half]()
        if options.system:
            chosen = tuple(SYSTEMS[name] for name in options.system)
        seeds = range(1, options.seeds + 1)
        for method, noise, system, seed in product(
            options.method, options.noise, chosen, seeds
        ):
            if (method, system.name, noise, options.variant, seed) not in known:
                line = learned(method, system, noise, options.variant, seed)
                append_line(options.out, line)
                print(_said(line, options.half == "unseen"), flush=True)
    print(table(list(newest(options.out).values())).text())


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.dynamics",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--half", choices=SETS, default="seen")
    add("--system", nargs="+", choices=SYSTEMS, help="only these systems")
    add("--noise", type=float, nargs="+", default=list(NOISES))
    add("--method", nargs="+", choices=(OURS, *PEERS), default=[OURS])
    add("--variant", choices=("even", "uneven"), default="even")
    add("--seeds", type=int, default=1, help="seeds 1 to N of the noise")
    add("--redo", action="store_true", help="repeat runs that are in the file")
    add("--table", action="store_true", help="print the table of the file, run nothing")
    add("--out", type=Path, default=RESULTS, help=f"results, {RESULTS} by default")
    return parser


def newest(path: Path) -> dict[tuple[Any, ...], Line]:
    """The newest line of each run."""
    return {tuple(line[name] for name in KEY): line for line in whole_lines(path)}


def learned(method: str, system: System, noise: float, variant: Any, seed: int) -> Line:
    """Learn one system and judge what was learned."""
    runs = recording(system, noise, seed, variant)
    line: Line = {
        "method": method,
        "system": system.name,
        "half": _half(system),
        "noise": noise,
        "variant": variant,
        "seed": seed,
        "commit": commit(),
    }
    begin, work = time.perf_counter(), time.process_time()
    learn = _by_eqlearn if method == OURS else _by_a_peer
    try:
        judge = learn(method, system, runs)
    except EqlearnError as error:
        return line | {"status": str(error), "form": []} | _times(begin, work)
    return line | {"status": "ok"} | _times(begin, work) | judge()


#: What judges a system that was learned, which is not part of learning.
Judge: TypeAlias = Callable[[], Line]


def _by_eqlearn(method: str, system: System, runs: list[Any]) -> Judge:
    from eqlearn import DynamicsLearner

    learner = DynamicsLearner(n_jobs=1)
    learner.fit(
        [run.states for run in runs],
        [run.t for run in runs],
        [run.inputs for run in runs] if system.inputs else None,
        state_names=system.states,
        input_names=system.inputs,
    )
    return lambda: judged(system, learner)


def _by_a_peer(method: str, system: System, runs: list[Any]) -> Judge:
    found = learned_by(method, system, runs)

    def judge() -> Line:
        is_followed, r2 = follows(system, found.simulate)
        return {
            "form": true_forms(system, list(found.rates)),
            "follows": is_followed,
            "r2": [number(one) for one in r2],
            "equations": [str(rate) for rate in found.rates],
        }

    return judge


def _half(system: System) -> str:
    if system in SEEN:
        return "seen"
    return "unseen" if system in UNSEEN else "drawn"


def _times(begin: float, work: float) -> Line:
    """Seconds by the clock and of one core, which differ on a busy machine."""
    return {
        "seconds": number(time.perf_counter() - begin),
        "core_seconds": number(time.process_time() - work),
    }


def judged(system: System, learner: Any) -> Line:
    """What is to be known of a learned system."""
    chosen = learner.model_.chosen
    shown = formulas([one.graph for one in chosen], system.names)
    forms = true_forms(system, list(to_sympy(shown)))
    within: list[bool] = []
    if all(forms):
        for law, one in zip(laws(system), chosen, strict=True):
            errors = np.array([constant.error for constant in one.constants])
            within += constants_within(law, one.graph, errors)
    is_followed, r2 = follows(system, learner.simulate)
    return {
        "form": forms,
        "follows": is_followed,
        "r2": [number(one) for one in r2],
        "within_2_errors": within,
        "verdict": [one.kind for one in learner.verdict_],
        "equations": learner.equation_.split("\n"),
    }


def _has_form(line: Line) -> bool:
    return bool(line["form"]) and all(line["form"])


def _said(line: Line, is_hidden: bool) -> str:
    """What is printed of a run; of an unseen one nothing but that it is done."""
    head = f"{line['system']:22} noise {line['noise']:<5} {line['core_seconds']:5.1f} s"
    if is_hidden:
        return head
    marks = f"form {int(_has_form(line))} follows {int(line.get('follows', False))}"
    wrong = [] if _has_form(line) else line.get("equations", [line["status"]])
    return "\n    ".join([f"{head}  {marks}", *wrong])


HEADER = (
    *(
        "method",
        "half",
        "noise",
        "steps",
        "systems",
        "true form",
        "followed",
        "constants",
    ),
    *("trusted, true", "trusted, wrong", "median s", "largest s", "commits"),
)


def table(lines: list[Line]) -> TextTable:
    """Counts by half, noise and steps."""
    groups: dict[tuple[Any, ...], list[Line]] = {}
    names = ("method", "half", "variant", "noise")
    for line in sorted(lines, key=lambda one: tuple(one[name] for name in names)):
        groups.setdefault(tuple(line[name] for name in names), []).append(line)
    rows = []
    for (method, half, variant, noise), some in groups.items():
        within = [one for line in some for one in line.get("within_2_errors", [])]
        share = f"{100 * np.mean(within):.0f} %" if within else ""
        rows.append(
            (
                method,
                half,
                f"{noise:g}",
                variant,
                str(len(some)),
                _share(list(map(_has_form, some))),
                _share([bool(line.get("follows")) for line in some]),
                share,
                _trusted(some, is_true=True),
                _trusted(some, is_true=False),
                f"{median(line['core_seconds'] for line in some):.1f}",
                f"{max(line['core_seconds'] for line in some):.1f}",
                ", ".join(sorted({line["commit"] for line in some})),
            )
        )
    notes = [
        "constants: share within two standard errors of the truth, where all is true",
        "trusted: equations of the true form, and of a wrong one, that are called so",
    ]
    return TextTable("Equations of motion", HEADER, rows, notes)


def _trusted(lines: list[Line], *, is_true: bool) -> str:
    """How many equations are trusted, of those that have the true form or not."""
    verdicts = [
        verdict
        for line in lines
        for has_form, verdict in zip(
            line["form"], line.get("verdict", ()), strict=False
        )
        if has_form == is_true
    ]
    if not verdicts:
        return ""
    return f"{verdicts.count('trusted')} of {len(verdicts)}"


def _share(passed: list[bool]) -> str:
    return f"{sum(passed)} ({100 * sum(passed) / len(passed):.0f} %)"


if __name__ == "__main__":
    main()

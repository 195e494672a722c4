"""What the commands share: options, how they print and end, how lists are typed."""

import json
import os
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from eqlearn.errors import must, printable

if TYPE_CHECKING:
    from eqlearn.model.model import Model
    from eqlearn.report.findings import Finding

Jobs = Annotated[
    int,
    typer.Option(
        metavar="N", min=-1, max=1024, help="Processes; -1 is one for every core."
    ),
]
JsonOption = Annotated[
    bool, typer.Option("--json", help="Print the result as one line of JSON.")
]
Quiet = Annotated[bool, typer.Option("--quiet", help="No progress and no notes.")]
Directory = Annotated[
    Path, typer.Option("--out", metavar="DIR", help="Where everything is kept.")
]

FOUND, NOTHING_FOUND, REFUSED, INTERNAL, INTERRUPTED = 0, 1, 2, 70, 130

EXIT_CODES = """\b
Exit codes:
  0    done; after fit: an equation for every target
  1    fit found nothing that explains some target better than its mean
  2    the request or the data cannot be used; one line says why
  70   an error of eqlearn itself; EQLEARN_DEBUG=1 shows where
  130  interrupted; fit keeps the best so far, the same command goes on
"""


def say(text: str) -> None:
    """Print for people: what could drive a terminal is escaped."""
    typer.echo("\n".join(printable(line, len(line)) for line in text.split("\n")))


def tell(line: str) -> None:
    """Print on the standard error, on one line."""
    typer.echo(printable(line, len(line)), err=True)


def deliver(text: str) -> None:
    """Print for programs as it is, and on a terminal escaped as for people."""
    if sys.stdout.isatty():
        say(text.rstrip("\n"))
    else:
        # Not by Typer, which would leave out what looks like a terminal's colours.
        sys.stdout.write(text)
        sys.stdout.flush()


def completing(*words: str) -> Callable[[str], list[str]]:
    """Complete the words of an option, one or a list with commas."""

    def complete(incomplete: str) -> list[str]:
        # Of a list with commas, the last word is being typed.
        before, comma, last = incomplete.rpartition(",")
        return [before + comma + word for word in words if word.startswith(last)]

    return complete


def end_at_once() -> NoReturn:
    """End without waiting for worker processes; they end when this one is gone."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(INTERRUPTED)


def names(texts: Sequence[str]) -> list[str]:
    """Split lists of names at commas, except at those after a backslash."""
    return [
        name.replace("\\,", ",")
        for text in texts
        for name in re.split(r"(?<!\\),", text)
    ]


def whole_numbers(option: str, text: str, like: str, n_digits: int) -> tuple[int, ...]:
    """Read a list of whole numbers with commas between."""
    if not re.fullmatch(rf"[0-9]{{1,{n_digits}}}(,[0-9]{{1,{n_digits}}})*", text):
        what = f"whole numbers with commas between, like {like}"
        raise must(option, what, text)
    return tuple(int(number) for number in text.split(","))


def print_result(
    model: "Model",
    findings: Sequence["Finding"],
    run: Path,
    *,
    as_json: bool,
    quiet: bool = False,
) -> None:
    """Print what was found: for people, or as one line for programs."""
    from eqlearn.report.text import summary

    text = summary(model, findings).rstrip()
    report = (run if run.is_dir() else run.parent) / "report.html"
    if report.exists():
        text += f"\n\nReport: {report}"
    if not as_json:
        say(text)
        return
    for line in [] if quiet else text.split("\n"):
        tell(line)
    typer.echo(json_line(model, findings, run))


def json_line(model: "Model", findings: Sequence["Finding"], run: Path) -> str:
    """The result for programs: README.md describes it, and it only ever grows."""
    from eqlearn.equation.write.display import formula_text
    from eqlearn.equation.write.export import safe_names

    columns = (*model.inputs, *model.targets)
    safe = dict(zip(columns, safe_names(columns), strict=True))

    def written(one: "Finding", inputs: Sequence[str]) -> str:
        text = formula_text(one.chosen.snapped, inputs, one.target, None)
        return text[len(f"{one.target} = ") :]

    def by_target(fact: Callable[["Finding"], object]) -> dict[str, object]:
        return {one.target: fact(one) for one in findings}

    result: dict[str, object] = {
        "equations": by_target(lambda one: written(one, model.inputs)),
        "run": str(run),
        "seconds": model.seconds,
        "validation_rms": by_target(lambda f: f.chosen.scores.get("validation_error")),
        "complexity": by_target(lambda f: f.chosen.complexity),
        "verdict": by_target(lambda f: f.verdict.kind),
        "names": safe,
        "expressions": by_target(
            lambda one: written(one, [safe[name] for name in model.inputs])
        ),
    }
    if model.groups is not None:
        from eqlearn.model.model_tables import group_rows

        # What the data do not tell has no number in JSON.
        result["groups"] = [
            {
                key: None if value == float("inf") else value
                for key, value in row.items()
            }
            for row in group_rows(model)
        ]
    return json.dumps(result)


def code_after_fit(model: "Model", run_dir: Path) -> int:
    """The exit code that tells what a search has found."""
    if model.was_interrupted:
        tell(f"Interrupted; this is the best so far. {how_to_resume(run_dir)}")
        return INTERRUPTED
    is_missing = any(verdict.kind == "nothing" for verdict in model.verdicts)
    return NOTHING_FOUND if is_missing else FOUND


def how_to_resume(run_dir: Path) -> str:
    """Say what is left of a run that was interrupted."""
    if not run_dir.is_dir():
        return "Nothing was begun."
    return f"The same command goes on from what is in {run_dir}."

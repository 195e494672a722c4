"""Our figures beside the paper's: what was identified, and the errors far outside."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import median
from typing import Any

import numpy as np

from eqlearn.problems import Agreement, problem
from eqlearn.reproduce.jsonl import Line
from eqlearn.reproduce.section4.experiments import EXPERIMENTS, published
from eqlearn.reproduce.section4.judging import agreement_of
from eqlearn.reproduce.section4.runs import TIMES, TO_THE_END
from eqlearn.reproduce.text_tables import TextTable

#: How methods are called in print.
METHODS = {
    "eqlearn": "EQL÷, fast recipe",
    "eqlearn-paper": "EQL÷, paper's recipe",
    "eqlearn-refined": "EQL÷, paper's recipe, refined",
    "eql": "EQL",
    "mlp": "MLP",
    "svr": "SVR",
    "pyoperon": "pyoperon",
    "gplearn": "gplearn",
    "sindy": "SINDy, without the true terms",
    "sindy-informed": "SINDy, with the true terms",
    "zero": "constant 0",
}
#: Problems whose published errors are mean squares over all outputs.
IN_SQUARES = EXPERIMENTS["pendulum"].problems

NOTES = (
    "errors: median [least, most] over the runs, at 5000 points of the extrapolation "
    "domain; root mean squares, of all outputs together",
    "as there: as the paper measures, against targets with the noise of the training "
    "data, so that the true formula has the noise as its error",
    "cores: of one run; a method that had less time than its grid takes has tried a "
    "part of the grid, or trained for fewer epochs",
    "identified: the true formula once constants are rounded to three decimals, and "
    "within 1 % of the target's spread over three times the training range; close: "
    "within 1 %, but another formula or other constants",
)
SQUARES_NOTE = (
    "cart-pendulum, as there: mean squared error per output. As published, the angle "
    "is π/2 times x2, outputs are divided by 1, 1, 5 and 10, and the noise is 0.1 as "
    "in the released data, or (quiet) 0.01 as in the text. cart-pendulum and "
    "cart-pendulum-noisy are Eq. 12 as printed, with noise 0.01 and 0.1"
)
RANDOM_NOTE = (
    "random expressions: the paper does not print its own; ours are drawn by its rules "
    "and some more, which leave out those with poles nearby, of great length or too "
    "steep to sample. The paper's figures are of other expressions under the same names"
)


_SAME = ("problem", "rows", "noise", "far", "method", "limit")


def table(name: str, lines: Iterable[Line]) -> TextTable:
    """Lay the results of an experiment out, by problem, far points and method."""
    experiment = EXPERIMENTS[name]
    groups: dict[tuple[Any, ...], list[Line]] = {}
    for line in sorted(lines, key=_place(name)):
        if line["status"] != "not possible":
            groups.setdefault(tuple(line[k] for k in _SAME), []).append(line)
    extra = {"pendulum": [SQUARES_NOTE], "random": [RANDOM_NOTE]}
    columns = {**COLUMNS, **(SQUARES if name == "pendulum" else {})}
    rows = [[cell(some) for cell in columns.values()] for some in groups.values()]
    return TextTable(
        experiment.title, list(columns), rows, [*NOTES, *extra.get(name, [])]
    )


def _place(name: str) -> Callable[[Line], tuple[int, ...]]:
    problems, methods = EXPERIMENTS[name].problems, list(METHODS)

    def place(line: Line) -> tuple[int, ...]:
        method = methods.index(line["method"])
        return problems.index(line["problem"]), line["far"], method, line["seed"]

    return place


def _count(which: Agreement) -> Callable[[list[Line]], str]:
    return lambda lines: str(sum(agreement_of(line) == which for line in lines))


def _in_paper(where: str) -> Callable[[list[Line]], str]:
    def cell(lines: list[Line]) -> str:
        which, n_far, method = (lines[0][key] for key in ("problem", "far", "method"))
        found = published(which, method, n_far, where)
        return "–" if found is None else str(found)

    return cell


def _spread_of(error: Callable[[Line], float]) -> Callable[[list[Line]], str]:
    return lambda lines: _spread([error(line) for line in lines])


def limit_of(line: Line) -> str:
    """The time limit of a run: seconds, times ours, or none."""
    limit: str = line["limit"]
    return limit if limit in (*TIMES, TO_THE_END) else f"{limit} s"


def commits_of(lines: Sequence[Line]) -> str:
    """Name the commits that made lines."""
    return ", ".join(sorted({line.get("commit") or "–" for line in lines}))


def seconds_of(line: Line) -> float:
    """How long a run took."""
    if "seconds" in line:
        return float(line["seconds"])
    # A crash has no time of its own: it counts as its whole limit.
    return float(line["time_limit"] or math.inf)


def against_truth(line: Line) -> float:
    """The RMS distance to the noise-free truth at far points, of all outputs."""
    return math.sqrt(_square(line))


def mean_square(line: Line) -> float:
    """The mean squared distance to the noise-free truth at far points, per output."""
    return _square(line) / len(problem(line["problem"]).outputs)


def as_published(line: Line, where: str = "outside") -> float:
    """The error as the paper measures it, at noisy points."""
    asked = problem(line["problem"])
    noise = line["noise"] * asked.noise_scale
    square = _square(line, where) + float(np.sum(noise**2))
    if line["problem"] in IN_SQUARES:
        return square / len(asked.outputs)
    return math.sqrt(square)


def _square(line: Line, where: str = "outside") -> float:
    errors = [output[f"rms_{where}"] for output in line.get("outputs", [])]
    if not errors or None in errors:
        return math.inf
    return math.fsum(error**2 for error in errors)


#: What methods tell of their search, by the remarks that it takes.
_TRIED = {
    ("tried", "grid"): "{tried} of {grid}",
    ("rows",): "{rows} rows",
    ("epochs",): "epochs: {epochs}",
}


def _tried(lines: list[Line]) -> str:
    """How much of its grid a method went through, or how it was shortened."""
    told = [output for line in lines for output in line.get("outputs", [])]
    texts = [
        text.format(**{name: _range([o[name] for o in told]) for name in names})
        for names, text in _TRIED.items()
        if told and all(name in output for output in told for name in names)
    ]
    return ", ".join(texts) or "–"


def _range(values: Sequence[Any]) -> str:
    low, high = min(values), max(values)
    return str(low) if low == high else f"{low}–{high}"


def _spread(values: Sequence[float]) -> str:
    if len(values) == 1:
        return _number(values[0])
    low, middle, high = min(values), median(values), max(values)
    return f"{_number(middle)} [{_number(low)}, {_number(high)}]"


def _number(value: float) -> str:
    if not math.isfinite(value):
        return "∞"
    return "0" if value < 1e-9 else f"{value:.2g}"


#: What a table says of the runs that differ in their seed only.
COLUMNS: Mapping[str, Callable[[list[Line]], str]] = {
    "problem": lambda lines: str(lines[0]["problem"]),
    "method": lambda lines: METHODS[lines[0]["method"]],
    "far points": lambda lines: str(lines[0]["far"] or "none"),
    "time limit": lambda lines: limit_of(lines[0]),
    "runs": lambda lines: str(len(lines)),
    "identified": _count("identified"),
    "close": _count("close"),
    "paper": _in_paper("outside"),
    "ours, as there": _spread_of(as_published),
    "against the truth": _spread_of(against_truth),
    "median s": lambda lines: f"{median(map(seconds_of, lines)):.1f}",
    "cores": lambda lines: _range([line.get("workers", 1) for line in lines]),
    "tried": _tried,
    "commits": commits_of,
}
#: And where the paper has errors inside the training range too, in squares.
SQUARES: Mapping[str, Callable[[list[Line]], str]] = {
    "MSE against the truth": _spread_of(mean_square),
    "paper, inside": _in_paper("inside"),
    "inside, as there": _spread_of(lambda line: as_published(line, "inside")),
}

"""How often each criterion would have picked the right candidate of a search.

The lines of runs keep what criteria see of every candidate, and its error. So today's
criteria can be compared on searches of any age.
"""

import math
from collections.abc import Iterable, Mapping
from functools import partial
from typing import NamedTuple

import numpy as np

from eqlearn._types import Array, Booleans
from eqlearn.problems import problem
from eqlearn.problems.identify import LARGEST_RELATIVE_RMS
from eqlearn.reproduce.jsonl import Line
from eqlearn.reproduce.section4.experiments import OURS
from eqlearn.reproduce.text_tables import TextTable
from eqlearn.search.conclude.selection import (
    DEFAULT,
    Candidates,
    SelectionCriterion,
    available,
    chosen,
    criterion,
    v_int_s,
)

#: α of V^int-S, as in the paper's figure on selection; β is 1 - α.
ALPHAS = tuple(i / 20 for i in range(21))

_HEADER = ("far points", "criterion", "runs", "right picks")
_NOTES = (
    "right picks: runs in which this criterion picks a candidate within 1 % of the "
    "target's spread over three times the training range, for every output",
    "runs: all of our fast recipe, on every problem, in which the criterion can be "
    "computed",
)


class Choice(NamedTuple):
    """The candidates of one output, and which of them are right."""

    candidates: Candidates
    is_right: Booleans
    is_copy: bool  # the output is one of the inputs


class Picks(NamedTuple):
    """How often a criterion picks the right candidate, of searches that found one."""

    n_searches: int
    v_int_s: Mapping[float, float]  # shares, by α
    default: float


def right_picks(lines: Iterable[Line]) -> Picks | None:
    """Count the right picks of V^int-S and of the default in our searches."""
    found = [
        choice
        for line in _ours(lines)
        for choice in choices(line)
        if choice.is_right.any() and not choice.is_copy
    ]
    if not found:
        return None

    def share(score: SelectionCriterion) -> float:
        picked = [c.is_right[np.argmin(score(c.candidates))] for c in found]
        return float(np.mean(picked))

    by_alpha = {a: share(partial(v_int_s, alpha=a, beta=1 - a)) for a in ALPHAS}
    return Picks(len(found), by_alpha, share(criterion(DEFAULT)))


def selection_table(lines: Iterable[Line]) -> TextTable:
    """How often each criterion picks the true formula, without and with far points."""
    fared: dict[tuple[int, str], list[bool]] = {}
    for line in _ours(lines):
        outputs = choices(line)
        for name in available(outputs[0].candidates) if outputs else ():
            picked = [c.is_right[chosen(c.candidates, name)] for c in outputs]
            fared.setdefault((line["far"], name), []).append(all(picked))
    rows = [
        [str(n_far) if n_far else "none", name, str(len(found)), str(sum(found))]
        for (n_far, name), found in sorted(fared.items())
    ]
    return TextTable("Selection", _HEADER, rows, _NOTES)


def choices(line: Line) -> list[Choice]:
    """Read the candidates of each output; empty if the line does not tell."""
    outputs = line.get("outputs", [])
    if not outputs or not all(output.get("candidates") for output in outputs):
        return []
    truths = problem(line["problem"]).expressions()
    return [
        _choice(output["candidates"], is_copy=truth.is_Symbol)
        for output, truth in zip(outputs, truths, strict=True)
    ]


def _choice(rows: list[Line], *, is_copy: bool) -> Choice:
    def column(name: str) -> Array:
        values = [row[name] for row in rows]
        return np.array([math.inf if value is None else value for value in values])

    seen = {name: column(name) for name in rows[0] if name != "relative_rms"}
    return Choice(
        Candidates(**seen), column("relative_rms") < LARGEST_RELATIVE_RMS, is_copy
    )


def _ours(lines: Iterable[Line]) -> list[Line]:
    return [line for line in lines if line["method"] == OURS["fast"]]

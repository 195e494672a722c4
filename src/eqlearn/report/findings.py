"""What a report says of each target, as values: the text and the page only lay it out.

A model may come from a file of a stranger: its names are shown as mere text.
"""

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from eqlearn._types import Array
from eqlearn.equation.prove.domain import domain_report
from eqlearn.equation.write.display import formula_text
from eqlearn.equation.write.names import visible
from eqlearn.errors import printable
from eqlearn.knowledge.measuring.model_dimensions import dimension_rows
from eqlearn.model.courses import NEXT_VALUE, RATE
from eqlearn.model.model import Equation, Json, Model, Verdict
from eqlearn.model.model_tables import (
    constant_rows,
    equation_rows,
    group_errors,
    shown_constants,
)
from eqlearn.network.graph import CONSTANT, Graph
from eqlearn.search.conclude.selection import CRITERIA, DEFAULT

#: Candidates that are listed; a search lists some thirteen for each target.
MOST_LISTED = 30
#: Letters of a name in formulas that are text; pages show the whole name elsewhere.
LONGEST_NAME = 60

#: How each criterion chooses, as the end of a sentence.
CHOOSES: Mapping[str, str] = {
    "information": "the information criterion: the error on the rows, with a charge "
    "for every constant and for every choice that was made on the way",
    "v_int_s": "V^int-S of the paper (Eq. 9): the error on rows that were held out, "
    "and the number of units",
    "v_int_ex": "V^int&ex of the paper (Eq. 10): the errors on rows that were held "
    "out and at the far points",
    "v_ranks": "the ranks of the original EQL: the place by error on rows that were "
    "held out, and the place by number of units",
}


@dataclass(frozen=True)
class Finding:
    """All that is known of one target."""

    number: int  # of the target, from 0
    target: str
    chosen: Equation
    others: tuple[Equation, ...]  # the other candidates, the best first
    verdict: Verdict
    constants: tuple[Mapping[str, Any], ...]  # of the chosen one, as fitted
    domain: str  # what is proved or found of the denominator in the domain of use


def findings(model: Model) -> tuple[Finding, ...]:
    """Put together what is known of each target."""
    constants = constant_rows(model.chosen, distinct(model.inputs))
    if measured := dimension_rows(model):
        pairs = zip(constants, measured, strict=True)
        constants = [{**row, **more} for row, more in pairs]
    low, high = np.reshape(model.domain, (-1, 2)).T
    return tuple(
        Finding(
            number,
            chosen.target,
            chosen,
            tuple(
                one
                for one in model.equations
                if one.target == chosen.target and one is not chosen
            ),
            model.outcomes[number].verdict,
            tuple(row for row in constants if row["target"] == chosen.target),
            domain_report(chosen.snapped, low, high)[0].in_words(model.inputs),
        )
        for number, chosen in enumerate(model.chosen)
    )


def headline(finding: Finding) -> str:
    """Say in one sentence how far an equation can be trusted."""
    return finding.verdict.headline


def criterion(model: Model) -> str:
    """The name of the criterion that chose."""
    name = model.parameters.get("selection")
    return name if isinstance(name, str) and name in CRITERIA else DEFAULT


def how_chosen(model: Model, finding: Finding) -> str:
    """Say how the equation was chosen."""
    n = 1 + len(finding.others)
    if n == 1:
        return "There was no other candidate."
    return f"Chosen from {n} candidates by {CHOOSES[criterion(model)]}."


def what_came_second(model: Model, finding: Finding) -> str:
    """Say what came second, and by how much."""
    if not finding.others:
        return ""
    second = finding.others[0]
    text = f"Second came {formula(second, model)} with an error of {second.rms:.3g}"
    behind = second.bic - finding.chosen.bic
    if criterion(model) != "information" or not behind > 0:
        return f"{text} and a complexity of {second.complexity}."
    lead = f"{behind:.3g}" if behind < 1000 else f"{behind:,.0f}"
    size = f"a complexity of {second.complexity}"
    return f"{text} and {size}, {lead} behind by the criterion."


def knee(finding: Finding) -> Equation | None:
    """The candidate up to which the error falls most steeply with size.

    None unless it is shorter than the chosen one.
    """
    everything = (finding.chosen, *finding.others)
    front: list[Equation] = []
    for one in sorted(everything, key=lambda one: (one.complexity, one.rms)):
        if math.isfinite(one.rms) and (not front or one.rms < front[-1].rms):
            front.append(one)
    if len(front) < 2:
        return None
    least = 1e-12 * front[0].rms  # what is exact has no logarithm

    def fall(step: tuple[Equation, Equation]) -> float:
        before, after = step
        gained = math.log(before.rms / max(after.rms, least))
        return gained / max(after.complexity - before.complexity, 1)

    _, found = max(itertools.pairwise(front), key=fall)
    is_shorter = found.complexity < finding.chosen.complexity
    return found if is_shorter else None


def what_is_shorter(
    model: Model, finding: Finding, *, after_second: bool = False
) -> str:
    """Name the shortest formula after which little is gained, if it was not chosen.

    Not once more if it came second and `what_came_second` stands right before.
    """
    found = knee(finding)
    if found is None:
        return ""
    why = "up to it the error falls most steeply"
    if after_second and found is finding.others[0]:
        return f"That one is shorter: {why}."
    return (
        f"Shorter is {formula(found, model)} with an error of {found.rms:.3g} and a "
        f"complexity of {found.complexity}: {why}."
    )


def formula(equation: Equation, model: Model) -> str:
    """Write an equation in one harmless line of text."""
    target = shown(equation.target, model.targets.index(equation.target))
    return formula_text(equation.snapped, distinct(model.inputs), target)


def shown(name: str, number: int) -> str:
    """A name as a piece of one line of text."""
    return printable(visible(name, number), LONGEST_NAME)


def columns_said(model: Model) -> str:
    """How many columns it was learned from: inputs, or states of motion as well."""
    n_states = sum(
        target in (RATE.format(name), NEXT_VALUE.format(name))
        for name, target in zip(model.inputs, model.targets, strict=False)
    )
    n_states = n_states if n_states == len(model.targets) else 0
    counts = {"state": n_states, "input": len(model.measured) - n_states}
    said = [f"{n} {what}{'s' * (n != 1)}" for what, n in counts.items() if n]
    return " and ".join(said) or "0 inputs"


def distinct(names: Sequence[str]) -> tuple[str, ...]:
    """Names that can be shown in a line of text, still different from each other."""
    # Of thousands: kept, and without looking through all that came before.
    return _distinct_names(tuple(names))


@lru_cache(maxsize=8)
def _distinct_names(names: tuple[str, ...]) -> tuple[str, ...]:
    found: dict[str, None] = {}
    copies: Counter[str] = Counter()
    for number, name in enumerate(names):
        word = stem = shown(name, number)
        while word in found:
            copies[stem] += 1
            word = f"{stem}⟨{copies[stem] + 1}⟩"
        found[word] = None
    return tuple(found)


@dataclass(frozen=True)
class Column:
    """A column of the table of candidates."""

    heading: str
    key: str  # of the rows of `equation_rows`
    written: Callable[[float], str]


def _short(value: float) -> str:
    return f"{value:.3g}"


def _whole(value: float) -> str:
    return f"{value:.0f}"


_COLUMNS = (
    Column("error", "rms", _short),
    Column("held out", "validation_error", _short),
    Column("far points", "extrapolation_error", _short),
    Column("complexity", "complexity", _whole),
    Column("units", "active_units", _whole),
    Column("votes", "votes", _whole),
    Column("criterion", "information", "{:.1f}".format),
    *(Column(f"rank by {name}", f"rank_{name}", _whole) for name in CRITERIA),
)


@dataclass(frozen=True)
class CandidateTable:
    """The table of candidates of one target, the chosen one first."""

    headings: tuple[str, ...]
    equations: tuple[Equation, ...]
    cells: tuple[tuple[str, ...], ...]  # for each equation
    n_more: int


def candidates(finding: Finding) -> CandidateTable:
    """List the candidates, with a column for each number that any of them has."""
    everything = (finding.chosen, *finding.others)
    equations = everything[:MOST_LISTED]
    rows = equation_rows(equations)
    columns = [
        column
        for column in _COLUMNS
        if any(math.isfinite(row.get(column.key, math.nan)) for row in rows)
    ]
    return CandidateTable(
        tuple(column.heading for column in columns),
        equations,
        tuple(tuple(_cell(row, column) for column in columns) for row in rows),
        len(everything) - len(equations),
    )


def _cell(row: Mapping[str, Any], column: Column) -> str:
    value = row.get(column.key, math.nan)
    return column.written(value) if math.isfinite(value) else "–"


def with_error(value: float, error: float) -> str:
    """Write a constant and its standard error, rounded to two digits of the error.

    Examples
    --------
    >>> with_error(3.14131, 0.00137)
    '3.1413 ± 0.0014'
    """
    if not math.isfinite(error):
        return f"{value:.4g}, not determined by the data"
    if error <= abs(value) * 1e-12:
        return f"{value:.12g}, exact to rounding"
    # With an exponent only where a plain number would be mostly zeros.
    decimals = 1 - math.floor(math.log10(error))
    if not 0 <= decimals <= 8:
        digits = max(0, decimals + math.floor(math.log10(abs(value) or error)))
        return f"{value:.{digits}e} ± {error:.1e}"
    return f"{value:.{decimals}f} ± {error:.{decimals}f}"


def measured(row: Mapping[str, Any]) -> str:
    """Write a constant with its error and, where it is known, what it is in."""
    text = with_error(row["value"], row["standard_error"])
    own = row.get("dimension", "1")
    if own == "1":
        return text
    in_si = row["si_value"]
    is_same = in_si is None or math.isclose(in_si, row["value"], rel_tol=1e-9)
    shown = f"{text} {own}" if is_same else f"{text} = {in_si:.4g} {own}"
    return f"{shown} = {row['named']}" if row.get("named") else shown


def group_cells_of(
    model: Model, finding: Finding
) -> tuple[list[tuple[str, ...]], tuple[str, ...]]:
    """The constants of each group in the chosen equation, and the headings."""
    groups = model.groups
    if groups is None:
        return [], ()
    used = [
        one
        for one in shown_constants(model)
        if model.inputs.index(one.name) in finding.chosen.snapped.used_inputs
    ]
    # Of a model file from before they were kept there are none.
    errors = group_errors(model).get(finding.chosen.target)
    known = [] if errors is None else [errors]
    rows = [
        (
            printable(name, LONGEST_NAME),
            str(groups.n_rows[at]),
            *(with_error(one.values[at], one.errors[at]) for one in used),
            *(f"{errors[at]:.3g}" for errors in known),
        )
        for at, name in enumerate(groups.names)
    ]
    headings = printable(groups.column, LONGEST_NAME), "rows"
    names = *(one.name for one in used), *("error" for _ in known)
    return (rows if used or known else []), (*headings, *names)


def simple(value: float | None) -> str:
    """Write a snapped constant: as a fraction, of π too, where it is one."""
    if value is None:
        return "–"
    import sympy

    from eqlearn.equation.write.symbolic import recognised

    number = recognised(sympy.Float(value))
    return f"{value:.6g}" if number.is_Float else str(number).replace("pi", "π")


def units_of(finding: Finding) -> Iterator[tuple[str, Graph]]:
    """The units that the table of constants mentions, each as a graph of its own."""
    graph = finding.chosen.graph
    places = " ".join(str(row["of"]) for row in finding.constants)
    for k, node in enumerate(graph.nodes):
        name = f"{node.unit} {k + 1}"
        if name in places:
            output = {graph.n_inputs + k: 1.0}, {CONSTANT: 1.0}
            yield name, Graph(graph.n_inputs, graph.nodes[: k + 1], (output,))


def errors(finding: Finding, n_rows: int) -> tuple[tuple[str, str], ...]:
    """The errors and the size of an equation, each with its description."""
    chosen, scores = finding.chosen, finding.chosen.scores
    at_far = scores.get("extrapolation_error")
    which = f"{n_rows:,} rows" if at_far is None else f"{n_rows:,} rows and far points"
    facts = [
        (f"error on {which} (root mean square)", f"{chosen.rms:.3g}"),
        ("error on rows held out", scores.get("validation_error")),
        ("error at far points", at_far),
        ("complexity (units and connections)", f"{chosen.complexity}"),
        # Looks count, too, not only what are called attempts; motions are not counted.
        ("times it was found", f"{chosen.votes}" if chosen.votes else None),
    ]
    return tuple(
        (name, fact if isinstance(fact, str) else f"{fact:.3g}")
        for name, fact in facts
        if fact is not None
    )


def search_facts(model: Model) -> tuple[tuple[str, str], ...]:
    """How the search was asked for and how it went, one fact after the other."""
    facts: dict[str, Json] = {
        **model.parameters,
        "ended": [outcome.ended for outcome in model.outcomes],
        "attempts": [outcome.n_attempts for outcome in model.outcomes],
        "seconds": model.seconds,
    }
    return tuple((name, _in_words(value)) for name, value in facts.items())


def _in_words(value: Json) -> str:
    match value:
        case None:
            return "default"
        case bool():
            return "yes" if value else "no"
        case float():
            return f"{value:.6g}"
        case list() | tuple():
            return ", ".join(map(_in_words, value))
        case Mapping():
            return ", ".join(f"{k}: {_in_words(v)}" for k, v in value.items())
    return str(value)


# Constants of all candidates, beyond which a band takes longer than its plot.
_MOST_IN_BAND = 400


def band_reach(model: Model, number: int) -> Callable[[Array], Array] | None:
    """How far 95 % of new measurements of a target are off, at inputs (N, D).

    None if the formulas are too long for that.
    """
    if sum(one.graph.n_parameters for one in model.equations) > _MOST_IN_BAND:
        return None
    # Here: to say what was found takes no SciPy.
    from eqlearn.model.prediction import interval_reach

    def reach(points: Array) -> Array:
        with np.errstate(all="ignore"):
            return interval_reach(model, points, 0.95)[:, number]

    return reach

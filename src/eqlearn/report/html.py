"""The report as one page that needs nothing else: no script, no network, no file.

Names and settings are text wherever they stand: the templates escape everything but
the MathML and SVG that are built element by element.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from eqlearn._types import Array
from eqlearn.equation.write.display import DIGITS, latex
from eqlearn.equation.write.formulas import formulas
from eqlearn.equation.write.names import visible
from eqlearn.errors import EqlearnError
from eqlearn.model.by_hand import candidate_number
from eqlearn.model.model import Equation, Model
from eqlearn.network.graph import Graph
from eqlearn.report import findings as found
from eqlearn.report import plots
from eqlearn.report.findings import Finding, band_reach
from eqlearn.report.motion_plots import Panel
from eqlearn.report.svg import inline
from eqlearn.report.typeset import Typeset, in_words, typeset

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Inputs along which slices are drawn: those of the formula first.
MOST_SLICES = 12
#: Letters of the widest piece of an equation in a table.
WIDEST_CELL = 44
#: Letters of a fact about the search.
_LONGEST_FACT = 400


def page(
    model: Model,
    findings: Sequence[Finding],
    x: Array,
    y: Array,
    *,
    curves: Sequence[Mapping[str, Any]],
    panels: Sequence[Panel] = (),
) -> str:
    """Write the page; x (N, D) and y (N, M) are the data or a sample of them."""
    sections = [
        _section(model, finding, x, y[:, finding.number]) for finding in findings
    ]
    text = _environment().get_template("report.html.j2")
    return text.render(
        model=model,
        columns_said=found.columns_said(model),
        targets=[visible(name, m) for m, name in enumerate(model.targets)],
        inputs=[
            (visible(name, i), *model.ranges[i], *model.domain[i])
            for i, name in enumerate(model.inputs)
        ],
        sections=sections,
        phases=_phases(curves),
        motion=[(_svg(p.figure, p.caption, p.name), p.caption) for p in panels],
        n_shown=len(x),
        origin=model.origin.facts(),
        search=[(name, _cut(value)) for name, value in found.search_facts(model)],
        formula_colour=plots.FORMULA,
        measured_colour=plots.MEASURED,
    )


def in_a_notebook(model: Model) -> str:
    """Each equation and how far it can be trusted, as a piece of a page."""
    return "".join(
        Markup('<div class="eqlearn-equation">{}<p>{}</p></div>').format(
            _typeset(one.chosen.snapped, model, one).html, found.headline(one)
        )
        for one in found.findings(model)
    )


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("eqlearn.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["number"] = "{:.4g}".format
    # Names from a file may have control characters, which no page may have.
    environment.filters["visible"] = lambda text: visible(str(text), 0)
    return environment


def _section(model: Model, finding: Finding, x: Array, y: Array) -> dict[str, Any]:
    """All that the page says of one target."""
    return {
        "id": f"target-{finding.number + 1}",
        "target": visible(finding.target, finding.number),
        "kind": finding.verdict.kind,
        "headline": found.headline(finding),
        "verdict": finding.verdict,
        "errors": found.errors(finding, model.n_rows),
        "domain": finding.domain,
        **_formula(model, finding),
        **_constants(model, finding),
        **_candidates(model, finding),
        **_plots(finding, x, y),
        **_slices(model, finding, x, y),
    }


def _formula(model: Model, finding: Finding) -> dict[str, Any]:
    return {
        "equation": _typeset(finding.chosen.snapped, model, finding).html,
        "in_short": _in_a_table(finding.chosen, model, finding),
        "as_fitted": _typeset(finding.chosen.graph, model, finding).html,
        "text": found.formula(finding.chosen, model),
        "latex": _latex(finding.chosen, model),
    }


def _constants(model: Model, finding: Finding) -> dict[str, Any]:
    groups, headings = found.group_cells_of(model, finding)
    return {
        "groups": groups,
        "group_headings": headings,
        "constants": [
            (
                visible(row["of"], 0),
                found.measured(row),
                found.simple(row["snapped"]),
            )
            for row in finding.constants
        ],
        "units": [
            typeset(graph, found.distinct(model.inputs), name).html
            for name, graph in found.units_of(finding)
        ],
    }


def _candidates(model: Model, finding: Finding) -> dict[str, Any]:
    table = found.candidates(finding)
    lines = zip(_rivals(finding), plots.RIVALS, strict=False)
    return {
        "how_chosen": found.how_chosen(model, finding),
        "table": table,
        "candidates": [
            (_in_a_table(one, model, finding), one, candidate_number(model, one), cells)
            for one, cells in zip(table.equations, table.cells, strict=True)
        ],
        "rivals": [
            (f"candidate {candidate_number(model, one)}", colour, plots.DASHES[dashes])
            for one, (colour, dashes) in lines
        ],
    }


def _rivals(finding: Finding) -> tuple[Equation, ...]:
    """The candidates that are drawn beside the chosen one."""
    return finding.others[: len(plots.RIVALS)]


def slice_inputs(finding: Finding) -> tuple[list[int], list[int]]:
    """The inputs that candidates depend on: those to draw, and those left out."""
    graphs = [finding.chosen.graph, *(one.graph for one in finding.others)]
    used = [_inputs_of(graph) for graph in graphs]
    by_formula = [i for some in used for i in sorted(some)]
    order = list(dict.fromkeys(by_formula))
    return sorted(order[:MOST_SLICES]), sorted(order[MOST_SLICES:])


def _inputs_of(graph: Graph) -> set[int]:
    return {s for linear in graph.slots() for s in linear if 0 <= s < graph.n_inputs}


def _plots(finding: Finding, x: Array, y: Array) -> dict[str, Any]:
    """How well the formula fits, and what it was chosen from."""
    with np.errstate(all="ignore"):
        predicted = finding.chosen.snapped.evaluate(x)[0][:, 0]
    target = finding.target
    figures = {
        "fit": ("predicted against measured", plots.plot_fit(y, predicted, target)),
        "residuals": (
            "residuals against prediction",
            plots.plot_residuals(y, predicted, target),
        ),
        "histogram": (
            "distribution of the residuals",
            plots.plot_histogram(y, predicted),
        ),
    }
    if finding.others:
        listed = (finding.chosen, *finding.others)
        label = "error against complexity of the candidates"
        figures["front"] = label, plots.plot_front(listed)
    name = visible(target, finding.number)
    drawn = {
        key: _svg(figure, f"{name}: {label}", f"{_prefix(finding)}-{key}")
        for key, (label, figure) in figures.items()
    }
    return {"front": "", **drawn}


def _slices(model: Model, finding: Finding, x: Array, y: Array) -> dict[str, Any]:
    """The formula along each input, as far as they can be shown."""
    drawn, left_out = slice_inputs(finding)
    panels = plots.slice_panels(
        finding.chosen.snapped,
        x,
        y,
        model.inputs,
        finding.target,
        rivals=[one.snapped for one in _rivals(finding)],
        domain=model.domain,
        inputs=drawn,
        reach=band_reach(model, finding.number),
    )
    name = visible(finding.target, finding.number)
    labels = [f"{name} along {visible(model.inputs[i], i)}" for i in drawn]
    return {
        "slices": [
            _svg(panel, label, f"{_prefix(finding)}-slice{k}")
            for k, (panel, label) in enumerate(zip(panels, labels, strict=True), 1)
        ],
        "left_out": [visible(model.inputs[i], i) for i in left_out],
    }


def _prefix(finding: Finding) -> str:
    """What makes the names inside a picture different from those of other targets."""
    return f"t{finding.number + 1}"


def _phases(curves: Sequence[Mapping[str, Any]]) -> list[Markup]:
    if not curves:
        return []
    return [
        _svg(
            plots.plot_phases(curves, quantity),
            f"{name} over the phases of training",
            f"phases-{quantity}",
        )
        for quantity, (name, _) in plots.CURVES.items()
    ]


def _svg(figure: "Figure", label: str, prefix: str) -> Markup:
    return Markup(inline(figure, label, prefix))


def _in_a_table(equation: Equation, model: Model, finding: Finding) -> Markup:
    """An equation for a column of a table: as text if a piece of it is too wide."""
    html, widest = _typeset(equation.snapped, model, finding)
    is_wide = widest > WIDEST_CELL
    return in_words(found.formula(equation, model)) if is_wide else html


def _typeset(graph: Graph, model: Model, finding: Finding) -> Typeset:
    target = found.shown(finding.target, finding.number)
    return typeset(graph, found.distinct(model.inputs), target)


def _latex(equation: Equation, model: Model) -> str:
    one = formulas([equation.snapped], model.inputs, [equation.target])
    try:
        return latex(one, DIGITS, recognise=True)
    except EqlearnError:  # too long to be read as a formula
        return "–"


def _cut(text: str) -> str:
    if len(text) <= _LONGEST_FACT:
        return text
    return f"{text[:_LONGEST_FACT]}…"

"""Curves that groups of measurements usually follow, as starts for fits.

A search of a few rows, or of groups that differ, sees such a curve only blurred.
"""

import numpy as np

from eqlearn.equation.read.starts import start_graphs
from eqlearn.equation.refine.criterion import refit
from eqlearn.errors import EqlearnError
from eqlearn.groups.form_starts import FormStart, size_of_groups
from eqlearn.groups.grouped_fit import GroupedRows
from eqlearn.training.samples import FLOOR, samples

#: Of an input x: growth, decay, saturation, absorption, dose and response, a peak.
CURVES = (
    "a + b*x",
    "a + b*x + c*x^2",
    "a*x^b",
    "a + b*log(x)",
    "a*exp(-b*x)",
    "a*exp(-b*x) + c",
    "a*exp(-b*x) + c*exp(-d*x)",
    "a*(exp(-b*x) - exp(-c*x))",
    "a*x*exp(-b*x)",
    "a*x/(b + x)",
    "a*x/(b + x) + c",
    "a*x^b/(c + x^b)",
    "a/(b + x)",
    "a/(1 + b*exp(-c*x))",
    "a/(1 + b*exp(-c*x)) + d",
    "a*exp(-b*exp(-c*x))",
    "a*exp(-b*(x - c)^2)",
)
#: Of the places where the fit of a curve may begin, so many are tried.
_N_BEGUN = 8


def usual_curves(
    rows: GroupedRows, units: frozenset[str], rng: np.random.Generator
) -> list[FormStart]:
    """Each curve fitted to all groups, brought to one size; of one input only."""
    if rows.x.shape[1] != 1:
        return []
    sizes = size_of_groups(rows)
    y = rows.y / sizes[rows.labels]
    data = samples(rows.x, y[:, None], weight=rows.root**2, floor=FLOOR)
    found = []
    for text in CURVES:
        try:
            begun = start_graphs(text, ["x"], rows.x, rng)
        except EqlearnError:  # it has no values here: the logarithm of 0
            continue
        if not {node.unit for node in begun[0].nodes} <= units:
            continue
        fits = [refit(graph, data) for graph in begun[:_N_BEGUN]]
        best = min(fits, key=lambda one: one.sse if one.sse == one.sse else np.inf)
        found.append(FormStart(best.graph, sizes))
    return found

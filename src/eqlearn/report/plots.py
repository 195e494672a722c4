"""Plots of a formula, as matplotlib axes."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from eqlearn._types import Array
from eqlearn.network.graph import Graph

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def plot_slices(
    graph: Graph, x: Array, y: Array, names: Sequence[str], target: str
) -> "Figure":
    """Plot the formula along each input, well beyond the data.

    The other inputs stay at their upper quartiles, where products do not vanish as they
    often would at the medians. Dots are measurements carried to the slice: the formula
    there plus the measurement's own residual.
    """
    from matplotlib.figure import Figure

    n = x.shape[1]
    figure = Figure(figsize=(4.2 * n, 3.6), layout="constrained")
    axes = figure.subplots(1, n, sharey=True, squeeze=False)[0]
    centre = np.quantile(x, 0.75, axis=0)
    low, high = x.min(axis=0), x.max(axis=0)
    residuals = y - _values(graph, x)
    shown = np.linspace(0, len(x) - 1, min(len(x), 150)).astype(int)
    for i, axis in enumerate(axes):
        reach = high[i] - low[i]
        line = np.linspace(low[i] - reach, high[i] + reach, 601)
        carried = _values(graph, _slice(centre, i, x[shown, i])) + residuals[shown]
        axis.axvspan(low[i], high[i], color="0.92", label="measured range")
        axis.plot(
            x[shown, i], carried, ".", ms=3, color="tab:blue", label="measurements"
        )
        axis.plot(
            line,
            _values(graph, _slice(centre, i, line)),
            color="tab:red",
            lw=1.3,
            label="formula",
        )
        axis.set_xlabel(names[i])
    axes[0].set_ylabel(target)
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=3, frameon=False)
    return figure


def _slice(centre: Array, along: int, values: Array) -> Array:
    points = np.tile(centre, (len(values), 1))
    points[:, along] = values
    return points


def _values(graph: Graph, x: Array) -> Array:
    with np.errstate(all="ignore"):
        return graph.evaluate(x)[0][:, 0]

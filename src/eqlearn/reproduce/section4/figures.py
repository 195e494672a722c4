"""The figures of the paper's section 4, drawn from the lines of an experiment."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from eqlearn.problems import problem
from eqlearn.report.plots import FAINT, FORMULA, INK, MEASURED, drawing
from eqlearn.reproduce.jsonl import Line
from eqlearn.reproduce.section4.criteria_compared import right_picks
from eqlearn.reproduce.section4.runs import ONE_TIME, TIMES
from eqlearn.reproduce.section4.tables import METHODS, against_truth

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_LOOKS = {
    "eqlearn": (FORMULA, "-"),
    "eqlearn-paper": (FORMULA, "--"),
    "eqlearn-refined": (FORMULA, ":"),
    "eql": ("#2f9e63", "--"),
    "mlp": (MEASURED, "-."),
    "svr": ("#b07cd8", ":"),
    "pyoperon": ("#c98a1b", "--"),
    "gplearn": ("#c98a1b", ":"),
    "sindy": ("#7a8a99", "--"),
    "sindy-informed": ("#7a8a99", ":"),
}


def plot_slices(lines: Iterable[Line], has_far: bool = False) -> "Figure | None":
    """Plot truth and methods along x1 = x2 = ... = x, far outside the data.

    Of every method the run with the median error is drawn; an output that all of them
    have to copy from an input is left out.
    """
    chosen = _median_runs(
        line
        for line in lines
        if bool(line["far"]) == has_far and line["method"] in _LOOKS
    )
    cuts = [
        (which, m)
        for which in sorted({which for which, *_ in chosen})
        for m, expression in enumerate(problem(which).expressions())
        if not expression.is_Symbol
    ]
    if not cuts:
        return None
    n_columns = 2 if len(cuts) in (1, 3) else 3
    # A panel more than there are cuts, for the names.
    with drawing(n_columns, len(cuts) // n_columns + 1) as (figure, axes):
        for axis, (which, m) in zip(axes, cuts, strict=False):
            _plot_slice(
                axis, which, m, [chosen[key] for key in chosen if key[0] == which]
            )
        for axis in axes[len(cuts) :]:
            axis.set_axis_off()
        names = {
            text: line
            for axis in axes
            for line, text in zip(*axis.get_legend_handles_labels(), strict=True)
        }
        axes[len(cuts)].legend(names.values(), names, loc="center left", frameon=False)
    return figure


def _median_runs(lines: Iterable[Line]) -> dict[tuple[str, str], Line]:
    """The run of median error for each problem and method, of those with a slice."""
    groups: dict[tuple[str, str], list[Line]] = {}
    for line in lines:
        if line.get("slice"):
            groups.setdefault((line["problem"], _name(line)), []).append(line)
    return {
        key: sorted(some, key=against_truth)[(len(some) - 1) // 2]
        for key, some in groups.items()
    }


def _name(line: Line) -> str:
    """What a line is called in a legend."""
    limit = f", {line['limit']} our time" if line["limit"] in TIMES else ""
    return METHODS[line["method"]] + limit


def _plot_slice(axis: "Axes", which: str, m: int, runs: list[Line]) -> None:
    asked = problem(which)
    low, high = asked.box[0]
    x = np.array(runs[0]["slice"]["x"])
    truth = asked.evaluate(np.repeat(x[:, None], len(asked.inputs), axis=1))[:, m]
    axis.axvspan(low, high, color=FAINT, lw=0)
    axis.plot(x, truth, color=INK, lw=3.2, alpha=0.35, label="truth")
    for run in sorted(
        runs, key=lambda run: (list(_LOOKS).index(run["method"]), _name(run))
    ):
        values = np.array(run["slice"]["y"][m], float)
        colour, dashes = _LOOKS[run["method"]]
        width = 0.7 if run["limit"] == ONE_TIME else 1.3
        axis.plot(x, values, dashes, color=colour, lw=width, label=_name(run))
    spread = float(np.ptp(truth)) or 1.0
    axis.set_ylim(truth.min() - 0.6 * spread, truth.max() + 0.6 * spread)
    axis.set_title(f"{which}: {asked.outputs[m]}", size=9)
    first, *_, last = asked.inputs
    between = " = " if len(asked.inputs) == 2 else " = … = "
    axis.set_xlabel(f"{first}{between}{last} = x")


def plot_selection(lines: Iterable[Line]) -> "Figure | None":
    """Plot how often V^int-S picks the right candidate, over its weight α."""
    picks = right_picks(lines)
    if picks is None:
        return None
    with drawing() as (figure, (axis,)):
        shares = 100 * np.array(list(picks.v_int_s.values()))
        axis.plot(list(picks.v_int_s), shares, color=MEASURED, label="V$^{int-S}$")
        label = "default criterion"
        axis.axhline(100 * picks.default, color=FORMULA, lw=1.2, label=label)
        axis.set(
            xlabel="α, the weight of the validation error",
            ylabel="right picks, %",
            ylim=(0, 103),
        )
        axis.set_title(f"{picks.n_searches} searches that found the formula", size=9)
        axis.legend(frameon=False)
    return figure


_ALONG = "Along x1 = x2 = … = x, far outside the data (shaded); the median runs"
_CAPTIONS = {
    "slices": _ALONG,
    "slices-far": f"{_ALONG}, with far points",
    "selection": "How often V^int-S picks the right candidate, over its weight α",
    "alpha": "How often V^int-S picks the right candidate, over its weight α",
}


def caption(key: str) -> str:
    """What a figure shows, by the name of its file."""
    return _CAPTIONS[key.partition("-")[2]]


def drawn(name: str, lines: Sequence[Line]) -> "dict[str, Figure]":
    """All figures of an experiment, by the names of their files."""
    figures = {
        f"{name}-slices": plot_slices(lines),
        f"{name}-slices-far": plot_slices(lines, has_far=True),
        f"{name}-selection": plot_selection(lines),
    }
    return {key: figure for key, figure in figures.items() if figure is not None}

"""Plots of a formula, as matplotlib figures: on paper, and on pages light and dark."""

import math
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from eqlearn._types import Array
from eqlearn.equation.write.names import visible
from eqlearn.errors import check_known, printable
from eqlearn.model.model import Equation
from eqlearn.network.graph import Graph
from eqlearn.training.schedule import Schedule

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Axes and letters; a page replaces it by a colour of its own, light or dark.
INK = "#20262c"
#: The measured range and the domain of use, replaced likewise.
SHADE = "#e3e6e9"
FAINT = "#f2f3f5"
#: Measurements and the formula, in colours that show on white and on black, and that
#: nobody takes for each other: the first two of looks.mplstyle.
MEASURED = "#0072b2"
FORMULA = "#d55e00"
#: Other candidates: colours and dashes.
RIVALS = (("#009e73", "--"), ("#cc79a7", "-."), ("#a6761d", ":"))
DASHES = {"--": "dashed", "-.": "dash-dotted", ":": "dotted"}
#: What the band about a formula is called.
BAND = "95 % of measurements"
#: How far such a band reaches above and below, at inputs (N, D).
Reach = Callable[[Array], Array]
#: More points than this are drawn as one image instead of a mark each.
MOST_MARKS = 300
#: Of more points than this only some are drawn.
MOST_POINTS = 20_000
#: Letters of a name on an axis.
LONGEST_LABEL = 40

_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")

#: Fonts, axes and colours of all plots, here and in the docs: looks.mplstyle. Only the
#: layout is not taken from there: measuring every letter takes as long as drawing.
_LOOKS: list[Any] = ["eqlearn.looks", {"figure.constrained_layout.use": False}]
_PANEL = (4.2, 3.1)
_COLUMNS = {0: 1, 1: 1, 2: 2, 4: 2}  # by the number of panels; otherwise 3
_MARGINS = {"left": 0.19, "right": 0.97, "bottom": 0.17, "top": 0.91}
#: How many times the range of the measured targets is drawn above and below it.
_BEYOND = 3


def plot_slices(
    graph: Graph,
    x: Array,
    y: Array,
    names: Sequence[str],
    target: str,
    *,
    rivals: Sequence[Graph] = (),
    domain: Sequence[tuple[float, float]] | None = None,
    inputs: Sequence[int] | None = None,
    reach: Reach | None = None,
) -> "Figure":
    """Plot the formula along each input, well beyond the data.

    The other inputs stay at their upper quartiles, where products do not vanish as they
    often would at the medians. Dots are measurements carried to the slice: the formula
    there plus the measurement's own residual. Where rivals leave the formula, the data
    do not decide. `inputs` says which to plot, by number; by default all. `reach` says
    how far 95 % of new measurements at given inputs are from the formula, at most.
    """
    slices = _Slices(graph, x, y, names, target, rivals, domain, inputs, reach)
    n = len(slices.cuts)
    n_columns = _COLUMNS.get(n, 3)
    with drawing(n_columns, max(1, -(-n // n_columns))) as (figure, axes):
        for axis in axes[n:]:
            axis.remove()
        for k, axis in enumerate(axes[:n]):
            slices.draw(axis, k, has_target=k % n_columns == 0)
        handles, labels = axes[0].get_legend_handles_labels() if n else ([], [])
        n_beside = 2 if n_columns == 1 else 4  # as wide as the panels
        legend: Any = {"loc": "outside upper center", "ncols": n_beside}
        figure.legend(handles, labels, frameon=False, **legend)
    return figure


def slice_panels(
    graph: Graph,
    x: Array,
    y: Array,
    names: Sequence[str],
    target: str,
    *,
    rivals: Sequence[Graph] = (),
    domain: Sequence[tuple[float, float]] | None = None,
    inputs: Sequence[int] | None = None,
    reach: Reach | None = None,
) -> list["Figure"]:
    """Plot as `plot_slices` does, each input in a figure of its own, without legend."""
    slices = _Slices(graph, x, y, names, target, rivals, domain, inputs, reach)
    panels = []
    for k in range(len(slices.cuts)):
        with drawing() as (figure, (axis,)):
            slices.draw(axis, k, has_target=True)
        panels.append(figure)
    return panels


def plot_fit(measured: Array, predicted: Array, target: str) -> "Figure":
    """Plot predicted against measured values (N,), and the line where they agree."""
    with drawing() as (figure, (axis,)):
        _scatter(axis, measured, predicted)
        ends = [float(np.min(measured)), float(np.max(measured))]
        axis.plot(ends, ends, color=FORMULA, lw=1.2)
        label(axis, "x", f"measured {short_name(target)}")
        label(axis, "y", "predicted")
    return figure


def plot_residuals(measured: Array, predicted: Array, target: str) -> "Figure":
    """Plot residuals against predictions: a pattern is a term that is missing."""
    with drawing() as (figure, (axis,)):
        _scatter(axis, predicted, measured - predicted)
        axis.axhline(0.0, color=FORMULA, lw=1.2)
        label(axis, "x", f"predicted {short_name(target)}")
        label(axis, "y", "measured − predicted")
    return figure


def plot_histogram(measured: Array, predicted: Array) -> "Figure":
    """Plot how the residuals are distributed, with the normal curve of their size."""
    residuals = measured - predicted
    residuals = residuals[np.isfinite(residuals)]
    with drawing() as (figure, (axis,)):
        # A range too narrow for its numbers cannot be cut into bins.
        size = float(np.std(residuals)) if len(residuals) else 0.0
        centre = float(np.mean(residuals)) if len(residuals) else 0.0
        if size > 1e-12 * abs(centre):
            n_bins = int(np.clip(np.sqrt(len(residuals)), 8, 60))
            counts, edges, _ = axis.hist(residuals, n_bins, color=MEASURED, alpha=0.8)
            line = np.linspace(edges[0], edges[-1], 200)
            bell = np.exp(-0.5 * ((line - centre) / size) ** 2)
            share = (edges[1] - edges[0]) / (size * np.sqrt(2 * np.pi))
            axis.plot(line, len(residuals) * share * bell, color=FORMULA, lw=1.2)
        else:
            axis.bar([centre], [len(residuals)], 0.1, color=MEASURED)
            axis.set_xlim(centre - 1, centre + 1)
        label(axis, "x", "measured − predicted")
        label(axis, "y", "rows")
    return figure


def plot_front(equations: Sequence[Equation]) -> "Figure":
    """Plot error against complexity: where the line bends, more terms gain little."""
    sizes = np.array([one.complexity for one in equations], dtype=float)
    errors = np.array([one.rms for one in equations])
    # An exact formula has no place on a logarithmic axis.
    positive = errors[errors > 0]
    floor = float(positive.min()) / 10 if len(positive) else 1e-16
    errors = np.maximum(errors, floor)
    with drawing() as (figure, (axis,)):
        order = np.lexsort([errors, sizes])
        least = np.minimum.accumulate(errors[order])
        axis.step(sizes[order], least, where="post", color=INK, lw=0.8)
        for one, size, error in zip(equations, sizes, errors, strict=True):
            mark = "o" if one.is_chosen else "."
            color = FORMULA if one.is_chosen else MEASURED
            axis.plot(size, error, mark, color=color, ms=9, zorder=3)
        axis.set_xlim(sizes.min() - 1, sizes.max() + 1)
        axis.locator_params(axis="x", integer=True)
        axis.margins(y=0.15)
        _use_decades(axis, errors)
        label(axis, "x", "complexity")
        label(axis, "y", "error (root mean square)")
    return figure


#: What is known of networks in training, with its name and whether it spans decades.
CURVES: Mapping[str, tuple[str, bool]] = {
    "l1_norm": ("Σ |weight|", True),
    "n_active": ("weights that are not zero", False),
    "validation": ("error on rows held out", True),
}
#: The phases, where along the axis their names stand, and by which side.
PHASES: Mapping[str, tuple[float, Literal["center", "right"]]] = {
    "free": (0.125, "center"),
    "L1 penalty": (0.6, "center"),
    "zeros stay": (1.0, "right"),
}


def plot_phases(
    curves: Sequence[Mapping[str, Any]], quantity: str = "l1_norm"
) -> "Figure":
    """Plot networks over the three phases of their training, a line for each.

    Each curve is what one segment of training left: the `epoch` it ended with, and for
    each network the numbers of `CURVES`. A falling epoch begins another batch of
    networks. `n_epochs` is where training was to end; by default where it did.
    """
    check_known("quantity", quantity, CURVES)
    name, spans_decades = CURVES[quantity]
    schedule = Schedule(1)
    ends = (0.0, schedule.l1_start, schedule.l1_stop, 1.0)
    seen = [np.zeros(0)]
    with drawing() as (figure, (axis,)):
        axis.axvspan(*ends[1:3], color=FAINT, lw=0)
        axis.axvspan(*ends[2:4], color=SHADE, lw=0)
        for batch in _batches(curves):
            end = max(float(batch[-1].get("n_epochs", batch[-1]["epoch"])), 1.0)
            shares = [float(curve["epoch"]) / end for curve in batch]
            values = np.array([np.ravel(curve[quantity]) for curve in batch], float)
            positive = np.isfinite(values) & ((values > 0) | (not spans_decades))
            values = np.where(positive, values, np.nan)
            seen.append(values[positive])
            mark = "." if len(batch) == 1 else ""  # one point is no line
            axis.plot(shares, values, mark + "-", color=MEASURED, lw=0.9, alpha=0.7)
        above: Any = {
            "transform": axis.get_xaxis_transform(),
            "va": "bottom",
            "size": 8,
        }
        for phase, (at, side) in PHASES.items():
            axis.text(at, 1.01, phase, ha=side, **above)
        axis.set_xlim(0, 1)
        if spans_decades:
            _use_decades(axis, np.concatenate(seen))
        label(axis, "x", "share of the epochs")
        label(axis, "y", name)
    return figure


def _batches(
    curves: Sequence[Mapping[str, Any]],
) -> Iterator[list[Mapping[str, Any]]]:
    """Cut curves into batches of the same networks: within one, epochs only grow."""
    batch: list[Mapping[str, Any]] = []
    for curve in curves:
        if batch and curve["epoch"] <= batch[-1]["epoch"]:
            yield batch
            batch = []
        batch.append(curve)
    if batch:
        yield batch


@contextmanager
def drawing(
    n_columns: int = 1, n_rows: int = 1
) -> Iterator[tuple["Figure", list["Axes"]]]:
    """Make a figure of panels, whatever style the user has set."""
    from matplotlib import style
    from matplotlib.figure import Figure

    with style.context(_LOOKS):
        size = _PANEL[0] * n_columns, _PANEL[1] * n_rows
        # One panel has fixed margins.
        is_one = n_columns == n_rows == 1
        figure = Figure(figsize=size, layout=None if is_one else "constrained")
        margins = _MARGINS if is_one else None
        axes = figure.subplots(n_rows, n_columns, squeeze=False, gridspec_kw=margins)
        for axis in axes.flat:
            axis.locator_params(nbins=6)
            axis.ticklabel_format(scilimits=(-3, 4))
        yield figure, list(axes.flat)


def _use_decades(axis: "Axes", values: Array) -> None:
    """Make the axis logarithmic if the values span a decade, and label decades only."""
    from matplotlib.ticker import NullFormatter

    positive = values[values > 0]
    if len(positive) and positive.max() >= 10 * positive.min():
        axis.set_yscale("log")
        axis.yaxis.set_minor_formatter(NullFormatter())
        # As letters: to read mathematics takes longer than to draw all the rest.
        axis.yaxis.set_major_formatter(lambda value, position: power_of_ten(value))


def power_of_ten(value: float) -> str:
    """A power of ten as text, 10⁻³; what is none, as the next."""
    return "10" + str(round(math.log10(value))).translate(_RAISED)


@contextmanager
def without_missing_glyphs() -> Iterator[None]:
    """Draw names in letters that matplotlib's font lacks: browsers have them."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from font")
        warnings.filterwarnings("ignore", "Matplotlib currently does not support")
        yield


def label(axis: "Axes", which: str, text: str) -> None:
    """Name an axis, `x` or `y`, by plain text."""
    # A column may be called "$x$": it is a name, not mathematics.
    axis.set(**{f"{which}label": text})
    getattr(axis, f"{which}axis").label.set_parse_math(False)


def short_name(name: str, number: int = 0) -> str:
    """A name as it is shown: harmless, and cut if it is long."""
    return printable(visible(name, number), LONGEST_LABEL)


def _scatter(axis: "Axes", x: Array, y: Array) -> None:
    is_finite = np.isfinite(x) & np.isfinite(y)
    x, y = _some(x[is_finite], MOST_POINTS), _some(y[is_finite], MOST_POINTS)
    axis.plot(
        x,
        y,
        ".",
        ms=4,
        mew=0,
        alpha=0.8,
        color=MEASURED,
        rasterized=len(x) > MOST_MARKS,
    )


def _some(values: Any, most: int) -> Any:
    kept = np.linspace(0, len(values) - 1, min(len(values), most)).astype(int)
    return values[kept]


class _Cut(NamedTuple):
    """A line along one input, the others at their upper quartiles."""

    along: int
    line: Array  # (K,) values of the input, well beyond the data
    points: Array  # (K, D)


class _Slices:
    """Formulas along several inputs, with one range of the target for all."""

    def __init__(
        self,
        graph: Graph,
        x: Array,
        y: Array,
        names: Sequence[str],
        target: str,
        rivals: Sequence[Graph],
        domain: Sequence[tuple[float, float]] | None,
        inputs: Sequence[int] | None,
        reach: Reach | None,
    ) -> None:
        self._graph, self._x, self._y, self._reach = graph, x, y, reach
        self._names, self._target = names, target
        self._rivals, self._domain = rivals, domain
        along = range(x.shape[1]) if inputs is None else inputs
        self.cuts = [_cut(x, i, domain) for i in along]
        self._low, self._high = self._limits()

    def draw(self, axis: "Axes", k: int, *, has_target: bool) -> None:
        """Draw the k-th cut."""
        cut = self.cuts[k]
        column = self._x[:, cut.along]
        if self._domain is not None:
            ends = self._domain[cut.along]
            axis.axvspan(*ends, color=FAINT, lw=0, label="domain of use")
        ends = column.min(), column.max()
        axis.axvspan(*ends, color=SHADE, lw=0, label="measured range")
        if self._reach is not None:
            self._draw_band(axis, cut, self._reach)
        self._draw_measurements(axis, cut)
        styles = zip(self._rivals, RIVALS, strict=False)
        for number, (rival, (color, dashes)) in enumerate(styles, start=2):
            self._draw_line(axis, cut, rival, f"candidate {number}", color, dashes)
        self._draw_line(axis, cut, self._graph, "formula", FORMULA, "-")
        label(axis, "x", short_name(self._names[cut.along], cut.along))
        label(axis, "y", short_name(self._target) if has_target else "")
        axis.set(xlim=(cut.line[0], cut.line[-1]), ylim=(self._low, self._high))

    def _draw_band(self, axis: "Axes", cut: _Cut, reach: Reach) -> None:
        """Where 95 % of new measurements should be."""
        values, wide = _along(self._graph, cut.points), reach(cut.points)
        ends = self._clipped(values - wide), self._clipped(values + wide)
        style: Any = {"color": FORMULA, "alpha": 0.18, "lw": 0, "label": BAND}
        axis.fill_between(cut.line, *ends, **style)

    def _draw_measurements(self, axis: "Axes", cut: _Cut) -> None:
        kept = _some(np.arange(len(self._x)), MOST_MARKS // 2)
        x, y = self._x[kept], self._y[kept]
        at = np.tile(cut.points[0], (len(kept), 1))
        at[:, cut.along] = x[:, cut.along]
        with np.errstate(invalid="ignore"):  # where the formula is infinite
            carried = _values(self._graph, at) + y - _values(self._graph, x)
        style: Any = {"ms": 4, "mew": 0, "color": MEASURED, "label": "measurements"}
        axis.plot(x[:, cut.along], self._clipped(carried), ".", **style)

    def _draw_line(
        self, axis: "Axes", cut: _Cut, graph: Graph, label: str, color: str, dashes: str
    ) -> None:
        values = self._clipped(_along(graph, cut.points))
        axis.plot(cut.line, values, dashes, color=color, lw=1.4, label=label)

    def _clipped(self, values: Array) -> Array:
        # Far outside is far enough: 1e300 would overflow where it is drawn.
        size = self._high - self._low
        return np.clip(values, self._low - size, self._high + size)

    def _limits(self) -> tuple[float, float]:
        """A range of the target that shows the formula, but no pole to infinity."""
        # By quantiles: a few measurements may themselves be close to a pole.
        low, high = np.quantile(self._y, [0.02, 0.98]).tolist()
        spread = (high - low) or max(abs(low), 1.0)
        lines = [_along(self._graph, cut.points) for cut in self.cuts]
        values = np.concatenate([*lines, self._y])
        values = values[np.isfinite(values)]
        bottom = max(float(values.min()), low - _BEYOND * spread)
        top = min(float(values.max()), high + _BEYOND * spread)
        margin = 0.06 * ((top - bottom) or spread)
        return bottom - margin, top + margin


def _cut(x: Array, along: int, domain: Sequence[tuple[float, float]] | None) -> _Cut:
    low, high = float(x[:, along].min()), float(x[:, along].max())
    reach = (high - low) or max(abs(low), 1.0)
    # What has one sign keeps it: few laws hold for masses below zero.
    start = max(low - reach, 0.0) if low >= 0 else low - reach
    end = min(high + reach, 0.0) if high <= 0 else high + reach
    if domain is not None:
        start, end = min(start, domain[along][0]), max(end, domain[along][1])
    line = np.linspace(start, end, 601)
    points = np.tile(np.quantile(x, 0.75, axis=0), (len(line), 1))
    points[:, along] = line
    return _Cut(along, line, points)


def _along(graph: Graph, points: Array) -> Array:
    """Values along a line, with a gap where the denominator changes its sign."""
    with np.errstate(all="ignore"):
        values, denominators = graph.evaluate(points)
    values, signs = values[:, 0], np.sign(denominators[:, 0])
    values[1:][signs[1:] != signs[:-1]] = np.nan
    return np.where(np.isfinite(values), values, np.nan)


def _values(graph: Graph, x: Array) -> Array:
    with np.errstate(all="ignore"):
        return graph.evaluate(x)[0][:, 0]

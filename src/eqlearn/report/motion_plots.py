"""Plots of learned motion: courses through time, what is left, the field of rates."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from eqlearn._types import Array, Booleans
from eqlearn.model.courses import Courses
from eqlearn.model.model import Model
from eqlearn.report.plots import (
    FORMULA,
    INK,
    MEASURED,
    RIVALS,
    drawing,
    label,
    short_name,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Trajectories and states that are drawn; more would not be told apart.
MOST_RUNS, MOST_STATES = 3, 6
_N_ARROWS, _N_STARTS = 17, 9
#: Of the drawn range: fixed points nearer are one, further out are not drawn.
_SAME, _BEYOND = 1e-3, 0.25
_NEWTON_STEPS, _DIFFERENCE = 40, 1e-6
_FORECAST = RIVALS[0][0]


class Panel(NamedTuple):
    """A plot and what it shows."""

    name: str  # of its file
    caption: str
    figure: "Figure"


class FixedPoint(NamedTuple):
    """A state that stays, and whether neighbours come to it."""

    state: Array
    is_stable: bool


def motion_panels(model: Model, courses: Courses) -> list[Panel]:
    """All plots of a learned motion."""
    panels = []
    for k in range(min(courses.n_measured, MOST_STATES)):
        name = short_name(model.inputs[k], k)
        caption = (
            f"{name}: measured (dots), simulated (red), and simulated with constants "
            "from the first three quarters only (green, dashed)."
        )
        panels.append(Panel(f"course-{k + 1}", caption, plot_course(model, courses, k)))
    for k in range(min(courses.n_measured, MOST_STATES)):
        caption = "What simulation leaves, in time: a pattern would be a missing term."
        panels.append(Panel(f"left-{k + 1}", caption, plot_left(model, courses, k)))
    panels.append(
        Panel("portrait", _portrait_caption(model), plot_portrait(model, courses))
    )
    return panels


def plot_course(model: Model, courses: Courses, state: int) -> "Figure":
    """Plot one state through time, measured and simulated."""
    with drawing() as (figure, (axis,)):
        for rows in _runs(courses):
            dots: Any = {"ms": 3.5, "mew": 0, "color": MEASURED, "zorder": 3}
            axis.plot(courses.t[rows], courses.measured[rows, state], ".", **dots)
            for part in _pieces(courses, rows):
                line: Any = {"lw": 1.3, "color": FORMULA}
                axis.plot(courses.t[part], courses.simulated[part, state], **line)
                ahead: Any = {"lw": 1.3, "color": _FORECAST, "ls": "--"}
                axis.plot(courses.t[part], _within(courses, part, state), **ahead)
        label(axis, "x", "time")
        label(axis, "y", short_name(model.inputs[state], state))
    return figure


def _within(courses: Courses, part: Booleans, state: int) -> Array:
    """The forecast, with gaps where it is far off all that was measured."""
    low, high = courses.measured[:, state].min(), courses.measured[:, state].max()
    reach, values = high - low, courses.forecast[part, state]
    is_far = ~(np.abs(values - (low + high) / 2) < reach)
    return np.where(is_far, np.nan, values)


def plot_left(model: Model, courses: Courses, state: int) -> "Figure":
    """Plot measured less simulated values in time."""
    left = courses.measured[:, state] - courses.simulated[:, state]
    with drawing() as (figure, (axis,)):
        for rows in _runs(courses):
            axis.plot(courses.t[rows], left[rows], ".", ms=3, mew=0, color=MEASURED)
        axis.axhline(0.0, color=FORMULA, lw=1.2)
        label(axis, "x", "time")
        label(axis, "y", f"{short_name(model.inputs[state], state)}: what is left")
    return figure


def plot_portrait(model: Model, courses: Courses) -> "Figure":
    """Plot the field of rates over two states, or the rate of the only one."""
    with drawing() as (figure, (axis,)):
        draw = _draw_field if len(model.targets) > 1 else _draw_rate
        draw(axis, model, courses)
    return figure


def _draw_rate(axis: "Axes", model: Model, courses: Courses) -> None:
    low, high = _ends(model, 0)
    line = np.linspace(low, high, 400)
    points = _points(model, {0: line})
    with np.errstate(all="ignore"):
        rates = model.predict(points)[:, 0]
    axis.axhline(0.0, color=INK, lw=0.6)
    axis.plot(line, rates, color=FORMULA, lw=1.4)
    for point in fixed_points(model):
        fill = INK if point.is_stable else "white"
        axis.plot(point.state[0], 0.0, "o", ms=6, mfc=fill, mec=INK, zorder=4)
    label(axis, "x", short_name(model.inputs[0], 0))
    label(axis, "y", short_name(model.targets[0], 0))


def _draw_field(axis: "Axes", model: Model, courses: Courses) -> None:
    ends = [_ends(model, k) for k in range(2)]
    a, b = np.meshgrid(*(np.linspace(*one, _N_ARROWS) for one in ends))
    with np.errstate(all="ignore"):
        rates = model.predict(_points(model, {0: a.ravel(), 1: b.ravel()}))[:, :2]
    # In units of the picture, so that directions are those that are seen.
    sizes = np.array([high - low for low, high in ends])
    length = np.linalg.norm(rates / sizes, axis=1)[:, None]
    arrows = np.where(np.isfinite(length) & (length > 0), rates / length, 0.0)
    style: Any = {"color": INK, "alpha": 0.35, "width": 0.003, "angles": "xy"}
    axis.quiver(a.ravel(), b.ravel(), *arrows.T, **style)
    if courses.n_measured > 1:
        for rows in _runs(courses):
            dots: Any = {"ms": 2.5, "mew": 0, "color": MEASURED, "zorder": 3}
            axis.plot(*courses.measured[rows, :2].T, ".", **dots)
            for part in _pieces(courses, rows):
                axis.plot(*courses.simulated[part, :2].T, color=FORMULA, lw=1.2)
    for point in fixed_points(model) if len(model.targets) == 2 else ():
        fill = INK if point.is_stable else "white"
        axis.plot(*point.state[:2], "o", ms=6, mfc=fill, mec=INK, zorder=4)
    axis.set(xlim=ends[0], ylim=ends[1])
    label(axis, "x", short_name(model.inputs[0], 0))
    label(axis, "y", short_name(model.inputs[1], 1))


def fixed_points(model: Model) -> list[FixedPoint]:
    """States near the data where all rates are zero, inputs at their middles."""
    n = len(model.targets)
    ends = [_ends(model, k) for k in range(n)]
    sizes = np.array([high - low for low, high in ends])
    n_starts = _N_STARTS if n < 3 else 3
    starts = np.meshgrid(*(np.linspace(*one, n_starts) for one in ends))
    found: list[FixedPoint] = []
    for start in np.stack([one.ravel() for one in starts], axis=1):
        state = _newton(model, start, sizes)
        if state is None or any(
            np.max(np.abs(one.state - state) / sizes) < _SAME for one in found
        ):
            continue
        slopes = _slopes(model, state, sizes)
        is_stable = bool(np.all(np.linalg.eigvals(slopes).real < 0))
        found.append(FixedPoint(state, is_stable))
    return found


def _newton(model: Model, state: Array, sizes: Array) -> Array | None:
    begin = state
    for _ in range(_NEWTON_STEPS):
        rates, slopes = _rates(model, state), _slopes(model, state, sizes)
        if not (np.isfinite(rates).all() and np.isfinite(slopes).all()):
            return None
        step = np.linalg.lstsq(slopes, rates, rcond=1e-12)[0]
        state = state - np.asarray(step)
        if np.max(np.abs(state - begin) / sizes) > 2.0:
            return None
        if np.max(np.abs(step) / sizes) < 1e-10:
            return state if _is_shown(model, state) else None
    return None


def _is_shown(model: Model, state: Array) -> bool:
    ends = [_ends(model, k) for k in range(len(state))]
    return all(low <= x <= high for x, (low, high) in zip(state, ends, strict=True))


def _rates(model: Model, state: Array) -> Array:
    columns = {k: state[k : k + 1] for k in range(len(state))}
    with np.errstate(all="ignore"):
        found: Array = model.predict(_points(model, columns))[0]
    return found


def _slopes(model: Model, state: Array, sizes: Array) -> Array:
    columns = []
    for k, size in enumerate(sizes):
        step = np.zeros(len(state))
        step[k] = _DIFFERENCE * size
        change = _rates(model, state + step) - _rates(model, state - step)
        columns.append(change / (2 * step[k]))
    return np.stack(columns, axis=1)


def _points(model: Model, columns: dict[int, Array]) -> Array:
    """Rows of all inputs: some columns given, the others at their middles."""
    n = len(next(iter(columns.values())))
    middles = [(low + high) / 2 for low, high in model.ranges]
    found = np.tile(middles, (n, 1))
    for place, values in columns.items():
        found[:, place] = values
    return found


def _ends(model: Model, k: int) -> tuple[float, float]:
    low, high = model.ranges[k]
    reach = (high - low) or max(abs(low), 1.0)
    # What has one sign keeps it: few laws hold for numbers of rabbits below zero.
    least = max(low - _BEYOND * reach, 0.0) if low >= 0 else low - _BEYOND * reach
    return least, high + _BEYOND * reach


def _portrait_caption(model: Model) -> str:
    points = "Filled dots are fixed points that motion comes to, hollow ones it leaves."
    if len(model.targets) == 1:
        return f"The rate along the state. {points}"
    if len(model.targets) == 2:
        return f"Phase portrait: arrows are the learned rates. {points}"
    return (
        "The first two states; arrows are the learned rates, others at their middles."
    )


def _runs(courses: Courses) -> list[Booleans]:
    return [courses.run == run for run in np.unique(courses.run)[:MOST_RUNS]]


def _pieces(courses: Courses, rows: Booleans) -> Sequence[Booleans]:
    return [courses.piece == piece for piece in np.unique(courses.piece[rows])]

"""Plots of learned motion: courses through time, what is left, the field of rates."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from eqlearn._types import Array, Booleans
from eqlearn.model.courses import NEXT_VALUE, Courses
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

#: Trajectories of one time, and states, that are drawn: more are not told apart.
MOST_RUNS, MOST_STATES = 3, 6
_N_ARROWS, _N_STARTS = 17, 9
#: Of the drawn range: fixed points nearer are one, further out are not drawn.
_SAME, _BEYOND = 1e-3, 0.25
_NEWTON_STEPS, _DIFFERENCE = 40, 1e-6
#: Of the largest change in the drawn range: what counts as none.
_NO_CHANGE = 1e-6
#: Of the fastest way to a fixed point or from it: slower is a circle about it.
_CIRCLES = 1e-5
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
    stays = line if _is_map(model) else np.zeros(len(line))
    axis.plot(line, stays, color=INK, lw=0.6)
    axis.plot(line, rates, color=FORMULA, lw=1.4)
    for point in fixed_points(model):
        (x,) = point.state
        fill, y = INK if point.is_stable else "white", x if _is_map(model) else 0.0
        axis.plot(x, y, "o", ms=6, mfc=fill, mec=INK, zorder=4)
    label(axis, "x", short_name(model.inputs[0], 0))
    label(axis, "y", short_name(model.targets[0], 0))


def _draw_field(axis: "Axes", model: Model, courses: Courses) -> None:
    ends = [_ends(model, k) for k in range(2)]
    a, b = np.meshgrid(*(np.linspace(*one, _N_ARROWS) for one in ends))
    rates = _changes(model, {0: a.ravel(), 1: b.ravel()})[:, :2]
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
            way: Any = {"ls": ":", "lw": 0.5} if _is_map(model) else {"lw": 1.2}
            for part in _pieces(courses, rows):
                axis.plot(*courses.simulated[part, :2].T, color=FORMULA, **way)
    for point in fixed_points(model) if len(model.targets) == 2 else ():
        fill = INK if point.is_stable else "white"
        axis.plot(*point.state[:2], "o", ms=6, mfc=fill, mec=INK, zorder=4)
    axis.set(xlim=ends[0], ylim=ends[1])
    label(axis, "x", short_name(model.inputs[0], 0))
    label(axis, "y", short_name(model.inputs[1], 1))


def fixed_points(model: Model) -> list[FixedPoint]:
    """States near the data that stay as they are, inputs at their middles."""
    n = len(model.targets)
    ends = [_ends(model, k) for k in range(n)]
    sizes = np.array([high - low for low, high in ends])
    n_starts = _N_STARTS if n < 3 else 3
    starts = np.meshgrid(*(np.linspace(*one, n_starts) for one in ends))
    begins = np.stack([one.ravel() for one in starts], axis=1)
    usual = np.abs(_changes(model, dict(enumerate(begins.T))))
    largest = np.max(np.where(np.isfinite(usual), usual, 0.0), axis=0)
    found: list[FixedPoint] = []
    for start in begins:
        state = _newton(model, start, sizes)
        if state is None or any(
            np.max(np.abs(one.state - state) / sizes) < _SAME for one in found
        ):
            continue
        # Steps also end where changes are least, and are not zero at all.
        if np.all(np.abs(_change(model, state)) <= _NO_CHANGE * largest):
            found.append(FixedPoint(state, _is_stable(model, state, sizes)))
    return found


def _is_stable(model: Model, state: Array, sizes: Array) -> bool:
    """Whether neighbours come to a fixed point, instead of leaving or circling it."""
    modes = np.linalg.eigvals(_slopes(model, state, sizes))
    if _is_map(model):
        return bool(np.all(np.abs(1.0 + modes) < 1.0 - _CIRCLES))
    return bool(np.all(modes.real < -_CIRCLES * np.abs(modes).max()))


def _newton(model: Model, state: Array, sizes: Array) -> Array | None:
    begin = state
    for _ in range(_NEWTON_STEPS):
        rates, slopes = _change(model, state), _slopes(model, state, sizes)
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


def _is_map(model: Model) -> bool:
    return model.targets[0] == NEXT_VALUE.format(model.inputs[0])


def _changes(model: Model, columns: dict[int, Array]) -> Array:
    """How all states change: their rates, or the step of a map."""
    with np.errstate(all="ignore"):
        found: Array = model.predict(_points(model, columns))
        if _is_map(model):
            found[:, list(columns)] -= np.stack(list(columns.values()), axis=1)
    return found


def _change(model: Model, state: Array) -> Array:
    columns = {k: state[k : k + 1] for k in range(len(state))}
    found: Array = _changes(model, columns)[0]
    return found


def _slopes(model: Model, state: Array, sizes: Array) -> Array:
    columns = []
    for k, size in enumerate(sizes):
        step = np.zeros(len(state))
        step[k] = _DIFFERENCE * size
        change = _change(model, state + step) - _change(model, state - step)
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
    """What the last plot shows: of one state, of two, of the first two."""
    points = (
        "Filled dots are fixed points that motion comes to, hollow ones others: it "
        "leaves or circles them."
    )
    is_map, n = _is_map(model), len(model.targets)
    if n == 1 and is_map:
        return f"The next state along the state, and where both are alike. {points}"
    if n == 1:
        return f"The rate along the state. {points}"
    arrows = "point to the next states" if is_map else "are the learned rates"
    if n == 2:
        return f"Phase portrait: arrows {arrows}. {points}"
    return f"The first two states; arrows {arrows}, others at their middles."


def _runs(courses: Courses) -> list[Booleans]:
    """Rows of the trajectories that are drawn: few at any time, so that one shows them.

    Those that gaps split follow each other in time, and all of them are drawn.
    """
    kept: list[Booleans] = []
    for run in np.unique(courses.run):
        rows = courses.run == run
        first, last = courses.t[rows].min(), courses.t[rows].max()
        beside = [courses.t[one] for one in kept]
        if sum(first < t.max() and t.min() < last for t in beside) < MOST_RUNS:
            kept.append(rows)
    return kept


def _pieces(courses: Courses, rows: Booleans) -> Sequence[Booleans]:
    return [courses.piece == piece for piece in np.unique(courses.piece[rows])]

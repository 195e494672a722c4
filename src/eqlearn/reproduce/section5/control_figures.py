"""The figures of section 5: rewards, trajectories, noise, and a film of a swing-up."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from eqlearn._types import Array
from eqlearn.control import swingup
from eqlearn.control.film import Picture
from eqlearn.control.rollouts import Trajectory
from eqlearn.report.plots import FORMULA, INK, MEASURED, RIVALS, drawing
from eqlearn.reproduce.jsonl import Line
from eqlearn.reproduce.section5.control_experiments import NAMES, piece_of
from eqlearn.reproduce.section5.control_tables import chosen, noises, noisy_rollouts

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_STYLES: dict[str, Any] = {
    "eql": {"color": FORMULA, "marker": "o"},
    "mlp": {"color": RIVALS[0][0], "marker": "s", "linestyle": "--"},
    "true": {"color": INK, "marker": "None", "linestyle": ":"},
}
# Above the axes, where no bar can be.
_LEGEND: Any = {
    "loc": "lower center",
    "bbox_to_anchor": (0.5, 0.98),
    "ncols": 3,
    "frameon": False,
    "fontsize": 8.5,
}


def plot_rewards(lines: Sequence[Line]) -> "Figure":
    """Plot rewards against the number of rollouts; bars are the least and greatest."""
    numbers = sorted({piece_of(line).rollouts for line in chosen(lines)} - {0})
    with drawing() as (figure, (axis,)):
        for shift, model in ((-0.04, "eql"), (0.04, "mlp")):
            groups = [chosen(lines, model, rollouts=number) for number in numbers]
            _draw_rewards(axis, model, np.array(numbers) + shift, groups)
        true = chosen(lines, "true")
        if true:
            level = np.mean([line["rewards"] for line in true])
            axis.axhline(float(level), label=NAMES["true"], **_line_of("true"))
        axis.set(xlabel="rollouts K", ylabel="reward of a run", xticks=numbers)
        axis.set_xlim(numbers[0] - 0.5, numbers[-1] + 0.5)
        axis.legend(**_LEGEND)
    return figure


def plot_noise(lines: Sequence[Line]) -> "Figure":
    """Plot rewards against noise of the sensors and of the actions, if there is any."""
    by_kind = {kind: noises(lines, kind) for kind in ("sensor", "action")}
    panels = {kind: levels for kind, levels in by_kind.items() if levels}
    with drawing(len(panels), 1) as (figure, axes):
        for axis, (kind, levels) in zip(axes, panels.items(), strict=True):
            if axis is not axes[0]:
                axis.sharey(axes[0])
            step = max(levels) / 100
            for shift, model in ((-step, "eql"), (step, "true")):
                some = {"rollouts": noisy_rollouts(lines)} if model == "eql" else {}
                groups = [
                    chosen(lines, model, **some, **{f"{kind}_noise": level})
                    for level in levels
                ]
                _draw_rewards(axis, model, np.array(levels) + shift, groups)
            axis.set(xlabel=f"{kind} noise σ", xticks=levels)
            axis.set_xticklabels([f"{level:g}" for level in levels])
        axes[0].set_ylabel("reward of a run")
        axes[0].legend(**_LEGEND)
    return figure


def _draw_rewards(
    axis: "Axes", model: str, at: Array, groups: Sequence[Sequence[Line]]
) -> None:
    measured = [k for k, group in enumerate(groups) if group]
    if not measured:
        return
    rewards = [
        np.concatenate([line["rewards"] for line in groups[k]]) for k in measured
    ]
    means = np.array([some.mean() for some in rewards])
    least = np.array([some.min() for some in rewards])
    greatest = np.array([some.max() for some in rewards])
    spread = [means - least, greatest - means]
    style: Any = {"capsize": 3, "lw": 1.4, "ms": 5, **_STYLES[model]}
    axis.errorbar(at[measured], means, spread, label=NAMES[model], **style)


def _line_of(model: str) -> dict[str, Any]:
    style = {**_STYLES[model], "lw": 1.4}
    del style["marker"]
    return style


def plot_trajectories(training: Trajectory, controlled: Trajectory) -> "Figure":
    """Plot angle, position and action over time: learned from, and controlled."""
    columns = (("a training rollout", training), ("controlled", controlled))
    with drawing(2, 3) as (figure, axes):
        figure.set_size_inches(8.4, 5.4)
        axes[1].sharey(axes[0])  # the angles
        for column, (title, run) in enumerate(columns):
            times = np.arange(len(run.states)) * run.dt
            angle, position, push = axes[column::2]
            angle.plot(times, run.states[:, 2] / np.pi, color=MEASURED, lw=1.2)
            position.plot(times, run.states[:, 0], color=MEASURED, lw=1.2)
            push.step(times[:-1], run.actions[:, 0], color=INK, lw=0.6)
            angle.set_title(title, fontsize=9.5)
            push.set_xlabel("time (s)")
            push.set_ylim(-1.1, 1.1)
            for upright in (0, 2):
                angle.axhline(upright, color=FORMULA, lw=0.8, ls=":")
            for axis in (angle, position, push):
                axis.set_xlim(0, times[-1])
        style: Any = {"color": FORMULA, "size": 8, "ha": "right", "va": "top"}
        axes[1].text(controlled.dt * len(controlled.actions), 1.95, "upright", **style)
        for axis, name in zip(axes[::2], ("θ / π", "x (m)", "action"), strict=True):
            axis.set_ylabel(name)
    return figure


def frames(run: Trajectory) -> list[Picture]:
    """Draw the cart-pole at every step of a trajectory, as the environment does."""
    pushes = np.append(0.0, run.actions[:, 0])
    return [
        swingup.draw(state, push)
        for state, push in zip(run.states, pushes, strict=True)
    ]

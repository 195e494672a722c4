"""The results of section 5 as tables: plain text, Markdown and HTML."""

from collections.abc import Iterator, Sequence
from html import escape
from typing import Any

import numpy as np

from eqlearn.reproduce.jsonl import Line
from eqlearn.reproduce.section5.control_equations import true_coefficients, true_text
from eqlearn.reproduce.section5.control_experiments import NAMES, Piece, piece_of
from eqlearn.reproduce.text_tables import TextTable, figure, page

#: How planners are called in print.
PLANNED = {
    "shooting": "random shooting, as in the paper",
    "cem": "the cross-entropy method",
    "mppi": "path integrals",
}
#: A cell of something that was not measured.
NONE = "–"
#: What is less than this share is rounding.
_LEAST = 1e-5


def tables(lines: Sequence[Line]) -> list[TextTable]:
    """Make all tables that there are lines for."""
    found = [_by_rollouts(lines), _by_noise(lines), _by_experiment(lines)]
    found.append(_coefficients(lines))
    return [table for table in found if table.rows]


def _by_rollouts(lines: Sequence[Line]) -> TextTable:
    true = chosen(lines, "true")
    rows = []
    for number in sorted({piece_of(line).rollouts for line in chosen(lines)} - {0}):
        for model in ("eql", "mlp"):
            some = chosen(lines, model, rollouts=number)
            if some:
                rows.append((str(number), NAMES[model], *_fared(some, true)))
    if true:
        rows.append((NONE, NAMES["true"], *_fared(true, true)))
    remark = (
        "K rollouts of random actions, the last one wilder if there are several: by "
        f"that one models are selected{_learned_from(lines)}. {_planned(lines)} A run "
        "lasts 10 seconds; upright means cos θ > 0.95 for the last 2 of them. A pole "
        "that is upright throughout would get a reward of 500."
    )
    headings = ("K", "model", "upright", "reward", "of the true", "learning", "a step")
    return TextTable("Reward against the number of rollouts", headings, rows, [remark])


def _learned_from(lines: Sequence[Line]) -> str:
    is_all = any(not piece_of(line).selects for line in lines)
    return ", but equations are learned from it, too" if is_all else ""


def _planned(lines: Sequence[Line]) -> str:
    used = dict.fromkeys(piece_of(line).planner for line in lines)
    return f"Planned by {' and '.join(PLANNED[name] for name in used)}."


def _by_noise(lines: Sequence[Line]) -> TextTable:
    rows = []
    rollouts = noisy_rollouts(lines)
    for kind in ("sensor", "action"):
        for noise in noises(lines, kind):
            true = chosen(lines, "true", **{f"{kind}_noise": noise})
            eql = chosen(lines, "eql", rollouts=rollouts, **{f"{kind}_noise": noise})
            for model, some in (("eql", eql), ("true", true)):
                if some:
                    cells = _fared(some, true)
                    rows.append((kind, f"{noise:g}", NAMES[model], *cells))
    remark = (
        f"K = {rollouts}. Noise of this standard deviation is on every state "
        "that is measured, or on every action, in the rollouts and in the runs."
    )
    headings = ("noise", "σ", "model", "upright", "reward", "of the true", "learning")
    return TextTable("Robustness to noise", (*headings, "a step"), rows, [remark])


def noisy_rollouts(lines: Sequence[Line]) -> int:
    """Rollouts of the experiments with noise."""
    pieces = map(piece_of, lines)
    noisy = [p.rollouts for p in pieces if p.sensor_noise or p.action_noise]
    return max(noisy, default=0)


def noises(lines: Sequence[Line], kind: str) -> list[float]:
    """The levels of sensor or action noise, with 0 in front; none if only that."""
    name = f"{kind}_noise"
    found = {getattr(piece_of(line), name) for line in lines} - {0.0}
    return [0.0, *sorted(found)] if found else []


def _by_experiment(lines: Sequence[Line]) -> TextTable:
    rows = []
    for line in lines:
        piece = piece_of(line)
        if piece.model == "eql":
            rows.append(
                (
                    _told(piece),
                    f"{line['seconds']:.0f} s",
                    _percent(line["largest_deviation"]),
                    _percent(_largest(line["largest_errors"])),
                    f"{line['upright']} of {len(line['rewards'])}",
                    f"{np.mean(line['rewards']):.1f}",
                    f"{line['milliseconds']:.2f} ms",
                )
            )
    remark = (
        "The largest relative deviation of a coefficient from its physical value, and "
        "the largest error of a rate over all angles, in units of the rate's spread."
    )
    headings = ("experiment", "learning", "coefficients", "rates", "upright", "reward")
    title = "The equations that were learned"
    return TextTable(title, (*headings, "a step"), rows, [remark])


def _coefficients(lines: Sequence[Line]) -> TextTable:
    exact = [line["coefficients"] for line in chosen(lines, "eql")]
    rows = []
    for name, value in true_coefficients().items() if exact else ():
        found = [one[name] for one in exact if one[name] is not None]
        off = max((abs(one / value - 1) for one in found), default=np.inf)
        ends = [f"{one:.5g}" for one in (min(found), max(found))] if found else [NONE]
        learned = " to ".join(dict.fromkeys(ends))
        rows.append((name, f"{value:.5g}", learned, _percent(float(off))))
    remark = (
        "Of the experiments without noise, with the fractions written so that their "
        "denominators begin with 1."
    )
    headings = ("coefficient", "physical", "learned", "largest deviation")
    return TextTable("Physical and learned coefficients", headings, rows, [remark])


def chosen(
    lines: Sequence[Line], model: str | None = None, **wanted: float
) -> list[Line]:
    """The lines of a model, without noise where none is asked for."""
    conditions: dict[str, Any] = {"sensor_noise": 0.0, "action_noise": 0.0, **wanted}
    if model is not None:
        conditions["model"] = model
    return [
        line
        for line in lines
        if all(line["piece"][name] == value for name, value in conditions.items())
    ]


def _fared(lines: Sequence[Line], true: Sequence[Line]) -> Iterator[str]:
    rewards = _rewards(lines)
    yield f"{sum(line['upright'] for line in lines)} of {len(rewards)}"
    yield f"{rewards.mean():.1f} [{rewards.min():.1f}, {rewards.max():.1f}]"
    yield _percent(rewards.mean() / _rewards(true).mean()) if true else NONE
    seconds = [line["seconds"] for line in lines if "seconds" in line]
    yield f"{np.median(seconds):.0f} s" if seconds else NONE
    yield f"{np.median([line['milliseconds'] for line in lines]):.1f} ms"


def _rewards(lines: Sequence[Line]) -> Any:
    return np.concatenate([line["rewards"] for line in lines])


def _told(piece: Piece) -> str:
    return str(piece).removeprefix(f"{NAMES[piece.model]}, ")


def _largest(values: dict[str, float | None]) -> float | None:
    found = [value for value in values.values() if value is not None]
    return max(found) if len(found) == len(values) else None


def _percent(share: float | None) -> str:
    if share is None or not np.isfinite(share):
        return NONE
    if abs(share) < _LEAST:
        return f"< {100 * _LEAST:g} %"
    return f"{100 * share:.2g} %" if abs(share) < 0.995 else f"{100 * share:.0f} %"


def _equation_lines(lines: Sequence[Line]) -> Iterator[str]:
    yield "true"
    yield from (f"    {text}" for text in true_text())
    for line in lines:
        if line["piece"]["model"] == "eql":
            yield f"learned, {_told(piece_of(line))}"
            yield from (f"    {text}" for text in line["equations"])


TITLE = "Control with learned equations of motion"
EQUATIONS = "Equations of motion"


def markdown(lines: Sequence[Line], images: dict[str, str]) -> str:
    """Write the tables, the images by their captions, and all equations."""
    parts = [f"# {TITLE}", ""]
    for table in tables(lines):
        parts += [f"## {table.title}", "", *table.notes, "", table.markdown_table(), ""]
    for caption, name in images.items():
        parts += [f"## {caption}", "", f"![{caption}]({name})", ""]
    parts += [f"## {EQUATIONS}", "", "```", *_equation_lines(lines), "```"]
    return "\n".join(parts) + "\n"


def text(lines: Sequence[Line]) -> str:
    """Write the tables in columns, and all equations."""
    parts = [TITLE, "", *(table.text() for table in tables(lines))]
    parts += [EQUATIONS, "", *_equation_lines(lines)]
    return "\n".join(parts) + "\n"


def html(lines: Sequence[Line], images: dict[str, str]) -> str:
    """Write the same as a page."""
    equations = escape("\n".join(_equation_lines(lines)))
    parts = [table.html() for table in tables(lines)]
    parts += [figure(caption, name) for caption, name in images.items()]
    parts += [f"<h2>{EQUATIONS}</h2>\n<pre>{equations}</pre>\n"]
    return page(TITLE, "".join(parts))

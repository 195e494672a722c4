"""What is made of the lines of section 5: tables, figures and an animation."""

from collections.abc import Sequence
from pathlib import Path

from eqlearn.control import logs
from eqlearn.control.film import write_gif
from eqlearn.data.write_table import replacing
from eqlearn.report.svg import png
from eqlearn.reproduce.jsonl import Line
from eqlearn.reproduce.section5 import control_figures as figures
from eqlearn.reproduce.section5.control_experiments import (
    Piece,
    piece_of,
    trajectory_path,
)
from eqlearn.reproduce.section5.control_tables import (
    chosen,
    html,
    markdown,
    noises,
    text,
)

FILM = "swingup.gif"


def write_results(out: Path, lines: Sequence[Line]) -> tuple[Path, ...]:
    """Write tables (`control.md`, .txt, .html), figures and film, and name them."""
    images = {}
    files = {}
    if any(line["piece"]["rollouts"] for line in chosen(lines)):
        images["Reward against rollouts"] = "control-rewards.png"
        files["control-rewards.png"] = png(figures.plot_rewards(lines))
    if noises(lines, "sensor") or noises(lines, "action"):
        images["Reward under noise"] = "control-noise.png"
        files["control-noise.png"] = png(figures.plot_noise(lines))
    shown = _shown(out, lines)
    if shown is not None:
        training, controlled = (
            logs.read(trajectory_path(out, shown, kind))
            for kind in ("training", "controlled")
        )
        caption = f"Trajectories, {shown}"
        images[caption] = "control-trajectories.png"
        figure = figures.plot_trajectories(training, controlled)
        files["control-trajectories.png"] = png(figure)
        images["A swing-up with learned equations"] = FILM
        write_gif(out / FILM, figures.frames(controlled), controlled.dt)
    files["control.txt"] = text(lines).encode()
    files["control.md"] = markdown(lines, images).encode()
    files["control.html"] = html(lines, images).encode()
    for name, content in files.items():
        with replacing(str(out / name)) as file:
            file.write(content)
    films = [FILM] if shown is not None else []
    return tuple(out / name for name in [*reversed(files), *films])


def _shown(out: Path, lines: Sequence[Line]) -> Piece | None:
    """Choose the piece whose trajectories are shown: K = 2 as in the paper, or near."""
    found = [piece_of(line) for line in chosen(lines, "eql")]
    kept = [
        piece for piece in found if trajectory_path(out, piece, "controlled").exists()
    ]
    return min(kept, key=lambda p: (abs(p.rollouts - 2), p.experiment), default=None)

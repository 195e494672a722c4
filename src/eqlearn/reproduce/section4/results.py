"""What is made of the lines of section 4: tables, figures and pages."""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from eqlearn._types import Tell
from eqlearn.data.write_table import replacing
from eqlearn.errors import unknown
from eqlearn.jobs.backends import n_processes
from eqlearn.report.svg import png
from eqlearn.reproduce.jsonl import Line
from eqlearn.reproduce.section4.criteria_compared import selection_table
from eqlearn.reproduce.section4.experiments import (
    EXPERIMENTS,
    OURS,
    methods_of,
    runs_of,
)
from eqlearn.reproduce.section4.figures import caption, drawn, plot_selection
from eqlearn.reproduce.section4.missing_runs import conduct
from eqlearn.reproduce.section4.phases import watched
from eqlearn.reproduce.section4.runs import read_lines
from eqlearn.reproduce.section4.tables import table
from eqlearn.reproduce.text_tables import TextTable, figure, page

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LINES = "runs.jsonl"
SELECTION = "selection"
PHASES = "phases"
#: Experiments that the selection is judged by, at least.
FOR_SELECTION = ("division", "formulas")


def reproduce(
    names: Sequence[str],
    out: Path,
    *,
    recipe: str = "fast",
    methods: Sequence[str] | None = None,
    n_seeds: int | None = None,
    seconds: float | None = None,
    jobs: int = -1,
    tell: Tell = print,
) -> list[Path]:
    """Conduct experiments, go on where they were left, and write what came out.

    The selection has no runs of its own: it looks at what is there, and has those of
    `FOR_SELECTION` made if they are not. Ctrl-C leaves tables of what is there.
    """
    n_workers = n_processes(jobs)
    asked = [name for name in names if name in EXPERIMENTS]
    _check_methods(methods or (), asked, recipe)
    wanted = partial(runs_of, n_seeds=n_seeds, seconds=seconds)
    runs = [
        run for name in asked for run in wanted(name, recipe=recipe, methods=methods)
    ]
    if SELECTION in names and not asked:
        ours = [OURS["fast"]]
        runs += [run for name in FOR_SELECTION for run in wanted(name, methods=ours)]
    try:
        own = [run for run in runs if run.method in OURS.values()]
        conduct(own, out / LINES, n_workers=n_workers, tell=tell)
        # Rivals compute in one process each, so several go on side by side.
        rivals = [run for run in runs if run not in own]
        conduct(rivals, out / LINES, n_at_once=n_workers, tell=tell)
        if PHASES in names:
            _save(out, {f"{PHASES}.png": png(watched(out))})
    finally:
        written = write_results(out, [name for name in names if name != PHASES])
    return written + [out / f"{PHASES}.png"] * (PHASES in names)


def _check_methods(methods: Iterable[str], asked: Sequence[str], recipe: str) -> None:
    """Refuse a method that none of the experiments has; not each has every one."""
    known = dict.fromkeys(
        method for name in asked for method in methods_of(name, recipe)
    )
    for method in methods:
        if asked and method not in known:
            raise unknown("methods", method, known)


def write_results(out: Path, names: Iterable[str]) -> list[Path]:
    """Write tables and figures of the experiments that there are lines of."""
    lines = list(read_lines(out / LINES).values())
    written: list[Path] = []
    for name in names:
        if name == SELECTION:
            alpha = plot_selection(lines)
            figures = {} if alpha is None else {"selection-alpha": alpha}
            written += _write(out, name, selection_table(lines), figures)
            continue
        own = lines_of(name, lines)
        if own:
            written += _write(out, name, table(name, own), drawn(name, own))
    return written


def lines_of(name: str, lines: Iterable[Line]) -> list[Line]:
    """Take the lines that an experiment is about, whoever made them."""
    return [line for line in lines if line["problem"] in EXPERIMENTS[name].problems]


def _write(
    out: Path, name: str, layout: TextTable, figures: "Mapping[str, Figure]"
) -> list[Path]:
    images = {f"{key}.png": png(drawing) for key, drawing in figures.items()}
    captions = {f"{key}.png": caption(key) for key in figures}
    shown = "".join(f"![{text}]({file})\n\n" for file, text in captions.items())
    inner = "".join(figure(text, file) for file, text in captions.items())
    files = {
        **images,
        f"{name}.txt": layout.text().encode(),
        f"{name}.md": f"{layout.markdown()}\n{shown}".encode(),
        f"{name}.html": page(layout.title, layout.html() + inner).encode(),
    }
    return _save(out, files)


def _save(out: Path, files: Mapping[str, bytes]) -> list[Path]:
    for name, content in files.items():
        with replacing(str(out / name)) as file:
            file.write(content)
    return [out / name for name in files]

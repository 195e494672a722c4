"""What is made of the lines of section 4: tables, figures and pages."""

from collections.abc import Iterable, Mapping
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from eqlearn.data.write import replacing
from eqlearn.report.svg import png
from eqlearn.reproduce.experiments import EXPERIMENTS
from eqlearn.reproduce.figures import drawn, plot_selection
from eqlearn.reproduce.layout import Layout
from eqlearn.reproduce.runs import read_lines
from eqlearn.reproduce.tables import selection_table, table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LINES = "runs.jsonl"
SELECTION = "selection"

_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<meta name="viewport" content="width=device-width">
<style>
body {{ font: 16px/1.5 sans-serif; max-width: 75em; margin: 2em auto; padding: 0 1em }}
table {{ border-collapse: collapse; display: block; overflow-x: auto }}
td, th {{ border-bottom: 1px solid #8886; padding: 0.2em 0.7em; text-align: left }}
img {{ max-width: 100%; background: white }}
:root {{ color-scheme: light dark }}
</style></head><body>
{body}
</body></html>
"""


def write_results(out: Path, names: Iterable[str]) -> list[Path]:
    """Write tables and figures of the experiments that there are lines of."""
    lines = list(read_lines(out / LINES).values())
    written: list[Path] = []
    for name in names:
        if name == SELECTION:
            figure = plot_selection(lines)
            figures = {} if figure is None else {"selection-alpha": figure}
            written += _write(out, name, selection_table(lines), figures)
            continue
        own = [line for line in lines if line["problem"] in EXPERIMENTS[name].problems]
        if own:
            written += _write(out, name, table(name, own), drawn(name, own))
    return written


def _write(
    out: Path, name: str, layout: Layout, figures: "Mapping[str, Figure]"
) -> list[Path]:
    images = {f"{key}.png": png(figure) for key, figure in figures.items()}
    shown = "".join(f"![{key}]({key}.png)\n\n" for key in figures)
    inner = "".join(
        f'<p><img src="{key}.png" alt="{escape(key)}">\n' for key in figures
    )
    page = _PAGE.format(title=escape(layout.title), body=layout.html() + inner)
    files = {
        **images,
        f"{name}.txt": layout.text().encode(),
        f"{name}.md": f"{layout.markdown()}\n{shown}".encode(),
        f"{name}.html": page.encode(),
    }
    for file_name, content in files.items():
        with replacing(str(out / file_name)) as file:
            file.write(content)
    return [out / file_name for file_name in files]

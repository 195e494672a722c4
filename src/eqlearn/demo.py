"""The first thing a newcomer runs: an equation from measurements that come along."""

import csv
from importlib.resources import files
from pathlib import Path

import numpy as np

from eqlearn._types import Array


def run(directory: Path = Path("eqlearn-demo")) -> None:
    """Learn the bundled equation, print it, and write a report with a plot."""
    from eqlearn.equation.symbolic import expressions, recognised, rounded
    from eqlearn.report.plots import plot_slices
    from eqlearn.report.progress import shown
    from eqlearn.search.learn import learn

    names, table = bundled_table()
    x, y = table[:, :-1], table[:, -1]
    print(f"{len(table)} noisy measurements of {names[-1]}, depending on ", end="")
    print(f"{' and '.join(names[:-1])}. Searching the equation ...", flush=True)

    with shown(names[:-1], names[-1:]) as progress:
        (found,) = learn(x, y[:, None], callback=progress, time_limit=60)
    best = found.candidates[0]
    fitted = f"{names[-1]} = {rounded(expressions(best.graph, names[:-1])[0])}"
    simple = expressions(best.snapped, names[:-1])[0]
    formula = f"{names[-1]} = {rounded(recognised(simple))}"
    directory.mkdir(exist_ok=True)
    figure = plot_slices(best.graph, x, y, names[:-1], names[-1])
    figure.savefig(directory / "slices.png", dpi=150)
    (directory / "report.md").write_text(
        f"# An equation from {len(table)} measurements\n\n"
        f"    {formula}\n\n"
        f"With every constant as it was fitted: `{fitted}`. Those that lie within "
        "their standard errors of a simple value were set to it.\n\n"
        f"The residuals have a root mean square of {best.rms:.3g}. "
        f"{best.votes} of {found.n_attempts} attempts from different starts ended in "
        f"this formula, after {found.seconds:.1f} seconds.\n\n"
        "![The formula along each input](slices.png)\n",
        encoding="utf-8",
    )
    print(f"\n{formula}\n")
    print(f"As fitted: {fitted}")
    print(f"Residuals: {best.rms:.3g} (root mean square). ", end="")
    print(f"{best.votes} of {found.n_attempts} attempts from different starts agree.")
    print(f"Report: {directory / 'report.md'}")


def bundled_table() -> tuple[list[str], Array]:
    """Read the measurements that come with the package."""
    text = files("eqlearn").joinpath("demo.csv").read_text(encoding="utf-8")
    header, *rows = csv.reader(text.splitlines())
    return header, np.array(rows, dtype=float)

"""The first thing a newcomer runs: an equation from measurements that come along."""

from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from eqlearn.model.model import Model

#: Where the demo keeps its run.
DIRECTORY = Path("eqlearn-demo")
#: Seconds; on an idle machine the search takes a few.
TIME_LIMIT = 60.0


def run(run_dir: Path = DIRECTORY) -> "Model":
    """Learn the bundled equation, print it, and write a report."""
    from eqlearn.fit_table import fit_table
    from eqlearn.report.text import summary

    table = copied_table(run_dir)
    n_rows = len(table.read_text(encoding="utf-8").splitlines()) - 1
    print(f"{n_rows} noisy measurements of y, depending on x1 and x2, are in {table}.")
    print("Searching the equation ...\n", flush=True)
    fitted = fit_table(
        str(table), ["y"], run_dir, time_limit=TIME_LIMIT, verbose="1min"
    )
    print(summary(fitted.model, fitted.findings).strip())
    print(f"\nReport: {run_dir / 'report.html'}")
    print("For a table of your own: eqlearn fit TABLE --target COLUMN")
    return fitted.model


def copied_table(run_dir: Path) -> Path:
    """Put the measurements that come with the package where they can be looked at."""
    from eqlearn.data.write_table import beside

    run_dir.mkdir(parents=True, exist_ok=True)
    table = run_dir / "demo.csv"
    with beside(table, follow=False) as file:
        file.write(files("eqlearn").joinpath("demo.csv").read_bytes())
    return table

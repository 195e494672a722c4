"""The first thing a newcomer runs: an equation from measurements that come along."""

from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from eqlearn.model.model import Model

#: Where the demo keeps its run.
DIRECTORY = Path("eqlearn-demo")
#: Far more than the search takes, on any machine that is not busy otherwise.
TIME_LIMIT = 60.0


def run(directory: Path = DIRECTORY) -> "Model":
    """Learn the bundled equation, print it, and write a report."""
    from eqlearn.report.text import summary
    from eqlearn.run_directory import fit_table

    table = copied_table(directory)
    n_rows = len(table.read_text(encoding="utf-8").splitlines()) - 1
    print(f"{n_rows} noisy measurements of y, depending on x1 and x2, are in {table}.")
    print("Searching the equation ...\n", flush=True)
    model = fit_table(str(table), ["y"], directory, time_limit=TIME_LIMIT, verbose=True)
    print(summary(model).strip())
    print(f"\nReport: {directory / 'report.html'}")
    print("For a table of your own: eqlearn fit TABLE --target COLUMN")
    return model


def copied_table(directory: Path) -> Path:
    """Put the measurements that come with the package where they can be looked at."""
    directory.mkdir(parents=True, exist_ok=True)
    table = directory / "demo.csv"
    table.write_bytes(files("eqlearn").joinpath("demo.csv").read_bytes())
    return table

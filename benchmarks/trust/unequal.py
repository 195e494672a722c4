"""Unequal noise: is it taken for a part of the law?

The form of a law is given and fitted to rows whose noise is larger in some places than
in others. What is left is noise: a warning of structure in it is false. That its size
changes is to be said, and not where it does not.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import numpy as np

from benchmarks.trust.coverage import FORMS, GivenForm, law_of
from eqlearn._types import Array
from eqlearn.reproduce.commit import commit
from eqlearn.reproduce.jsonl import Line
from eqlearn.reproduce.text_tables import TextTable
from eqlearn.search.conclude.judged_rows import JudgedRows
from eqlearn.search.conclude.signs import size_change_sign, structure_sign
from eqlearn.search.strategy import STANDARD
from eqlearn.training.levenberg import fit

RESULTS = Path("benchmarks/results/trust_unequal.jsonl")
NOISE = 0.05
N_TABLES = 25  # of each form and noise

Sizes = Callable[[Array, Array, np.random.Generator], Array]


def _equal(x: Array, values: Array, rng: np.random.Generator) -> Array:
    return np.ones(len(x))


def _with_value(x: Array, values: Array, rng: np.random.Generator) -> Array:
    return np.abs(values) / float(np.mean(np.abs(values)))


def _along_input(x: Array, values: Array, rng: np.random.Generator) -> Array:
    return 0.2 + 2 * _share(x[:, 0]) ** 2


def _at_both_ends(x: Array, values: Array, rng: np.random.Generator) -> Array:
    return 0.3 + 4 * (_share(x[:, 0]) - 0.5) ** 2


def _share(column: Array) -> Array:
    return np.asarray((column - column.min()) / np.ptp(column), float)


def _two_instruments(x: Array, values: Array, rng: np.random.Generator) -> Array:
    return np.where(x[:, 0] > np.median(x[:, 0]), 3.0, 0.5)


def _bursts(x: Array, values: Array, rng: np.random.Generator) -> Array:
    return np.where(rng.random(len(x)) < 0.1, 4.0, 0.7)


SIZES: dict[str, Sizes] = {
    "equal": _equal,
    "with the value": _with_value,
    "along an input": _along_input,
    "at both ends": _at_both_ends,
    "of two instruments": _two_instruments,
    "in bursts": _bursts,
}


def unequal_lines() -> Iterator[Line]:
    """Count warnings, for every kind of noise, over forms and tables."""
    for name, sizes in SIZES.items():
        said = [_said(sizes, form, seed) for form in FORMS for seed in range(N_TABLES)]
        structure, size = np.mean(said, axis=0)
        yield {
            "noise": name,
            "tables": len(said),
            "structure": round(float(structure), 4),
            "size": round(float(size), 4),
        }


def _said(sizes: Sizes, form: GivenForm, seed: int) -> tuple[bool, bool]:
    """Whether structure is said of pure noise, and a change of its size."""
    rng = np.random.default_rng([seed, len(form.text), 7])
    n = round(float(np.exp(rng.uniform(np.log(60), np.log(1000)))))
    low, high = np.transpose(form.ranges)
    x = rng.uniform(low, high, (n, len(low)))
    law = law_of(form, x)
    values = law.evaluate(x)[0][:, 0]
    size = NOISE * float(np.std(values)) * sizes(x, values, rng)
    y = values + size * rng.standard_normal(n)
    rows = JudgedRows.of(x, y, np.stack([low, high], axis=1), STANDARD.judging)
    graph, by = fit(law, rows.samples).graph, STANDARD.residuals
    names = [f"x{i + 1}" for i in range(len(low))]
    warning = structure_sign(graph, rows, names, by)
    return (
        warning is not None and warning.bearing == "doubt",
        size_change_sign(graph, rows, names, by) is not None,
    )


def count_unequal() -> None:
    """Count anew, and keep the counts as they are now."""
    lines = [{"commit": commit(), **line} for line in unequal_lines()]
    RESULTS.write_text("".join(f"{json.dumps(line)}\n" for line in lines), "utf-8")
    print(unequal_table(lines).text())


def unequal_table(lines: Iterable[Line]) -> TextTable:
    """The shares of tables of which each is said."""
    rows = [
        (
            *(line["noise"], line["commit"], str(line["tables"])),
            *(f"{line[name]:.1%}" for name in ("structure", "size")),
        )
        for line in lines
    ]
    header = ("size of noise", "commit", "tables", "false warnings", "change of size")
    return TextTable("Unequal noise", header, rows, ("To reach: 5 % false at most.",))

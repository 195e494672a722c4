"""Choosing targets and inputs from a table by their names."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from eqlearn._types import Array
from eqlearn.data.read import read_raw
from eqlearn.data.table import (
    CHOOSE_UNIT,
    USUAL_SIZE,
    Table,
    column_label,
    column_of,
    has_usual_size,
    sizes,
)
from eqlearn.errors import EqlearnError, malformed, must, printable

# Fewer could not tell a line from chance. Of what some more leave open, the verdict
# speaks: people bring eight planets.
FEWEST_ROWS = 5


@dataclass(frozen=True, eq=False)
class ChosenColumns:
    """What an equation is learned from: inputs and targets, by name."""

    x: Array  # (N, D)
    y: Array  # (N, M)
    inputs: tuple[str, ...]  # (D,)
    targets: tuple[str, ...]  # (M,)
    warnings: tuple[str, ...]  # the table's and those about the choice


def choose_columns(
    table: Table, target: str | Sequence[str], inputs: str | Sequence[str] | None = None
) -> ChosenColumns:
    """Take targets and inputs out of a table.

    Parameters
    ----------
    table : Table
        Where they are.
    target : str or sequence of str
        The columns to find equations for.
    inputs : str or sequence of str, optional
        The columns to find them in; all others by default.

    Returns
    -------
    ChosenColumns
        Constant columns and repeated rows are accepted with a warning.
    """
    targets = _found(table.source, table.names, "target", target)
    others = _all_but(table, targets, inputs)
    chosen = _found(table.source, table.names, "inputs", others)
    for at in chosen:
        if at in targets:
            what, hint = "other columns than the target", "Leave it out of one of them."
            raise must("inputs", what, table.names[at], hint, where=_where(table))
    if len(table.values) < FEWEST_ROWS:
        what, got = f"have at least {FEWEST_ROWS} rows", f"{len(table.values)}"
        raise malformed(table.source, what, got, "Measure more samples.")
    for at in (*chosen, *targets):
        _check_magnitude(table, at)
    return ChosenColumns(
        table.values[:, chosen],
        table.values[:, targets],
        tuple(table.names[at] for at in chosen),
        tuple(table.names[at] for at in targets),
        (*table.warnings, *_remarks(table, targets, chosen)),
    )


@contextmanager
def names_first(source: str, asked: Mapping[str, Sequence[str]]) -> Iterator[None]:
    """Of a table that cannot be used and lacks a named column, tell of the column.

    Parameters
    ----------
    source : str
        The table.
    asked : mapping of str to sequence of str
        The columns that were named for each parameter.
    """
    try:
        yield
    except EqlearnError as error:
        try:
            names = read_raw(source).names
        except EqlearnError:
            raise error from None
        if len(names) > 1:  # what has one column may be separated otherwise
            for parameter, columns in asked.items():
                _found(source, names, parameter, columns)
        raise


def _all_but(
    table: Table, targets: list[int], inputs: str | Sequence[str] | None
) -> str | Sequence[str]:
    if inputs is not None:
        return inputs
    others = [name for at, name in enumerate(table.names) if at not in targets]
    if not others:
        what, got = "have inputs beside the target", "no other column"
        raise malformed(table.source, what, got, "Add the columns it depends on.")
    return others


def _found(
    source: str, columns: Sequence[str], asked: str, names: str | Sequence[str]
) -> list[int]:
    wanted = [names] if isinstance(names, str) else list(names)
    if not wanted:
        hint = f"There are {printable(', '.join(columns))}."
        where = f"for `{printable(source)}`"
        raise must(asked, "at least one column", wanted, hint, where=where)
    found = [column_of(columns, name, asked=asked, source=source) for name in wanted]
    for at in found:
        if found.count(at) > 1:
            what, hint = "columns named once each", "Name it once."
            raise must(asked, what, columns[at], hint, where="twice")
    return found


def _where(table: Table) -> str:
    return f"for `{printable(table.source)}`"


def _check_magnitude(table: Table, at: int) -> None:
    (largest,) = sizes(table.values[:, [at]])
    if has_usual_size(largest):
        return
    raise malformed(
        table.source,
        f"have columns whose {USUAL_SIZE}",
        f"{largest}",
        CHOOSE_UNIT,
        column=column_label(table.names, at),
    )


def _remarks(table: Table, targets: list[int], chosen: list[int]) -> list[str]:
    said = f"`{printable(table.source)}`: "
    columns = [(at, "target", "its equation is this number") for at in targets]
    columns += [(at, "input", "no equation can depend on it") for at in chosen]
    remarks = [
        f"{said}{role} {column_label(table.names, at)} is constant; {so}"
        for at, role, so in columns
        if table.values[:, at].min() == table.values[:, at].max()
    ]
    repeated = _count_repeated(table.values, [*chosen, *targets])
    if repeated:
        rows = (
            "1 row repeats another"
            if repeated == 1
            else f"{repeated:,} rows repeat others"
        )
        remarks.append(f"{said}{rows}; errors look smaller")
    return remarks


def _count_repeated(values: Array, columns: list[int]) -> int:
    """Count rows that equal an earlier one, by hashes: sorting whole rows is slower."""
    hashes = np.zeros(len(values), dtype=np.uint64)
    for at in columns:
        hashes ^= (values[:, at] + 0.0).view(np.uint64)  # -0.0 becomes 0.0
        hashes *= np.uint64(0x9E3779B97F4A7C15)
        hashes ^= hashes >> np.uint64(29)
    hashes.sort()
    return int(np.count_nonzero(hashes[1:] == hashes[:-1]))

"""Tables as files have them: columns of numbers, truth values, words or gaps."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from eqlearn._types import Array, Booleans
from eqlearn.data.cells import advice, is_missing, number
from eqlearn.data.table import column_label
from eqlearn.errors import EqlearnError, malformed

#: Values of one column as the file has them, of whatever type.
RawColumn: TypeAlias = NDArray[Any]

#: What a cell may say instead of 1 and 0.
TRUTH = {"true": 1.0, "false": 0.0, "yes": 1.0, "no": 0.0}
_LONGEST_WHOLE = 18  # digits that fit into an integer of 64 bits


@dataclass(frozen=True, eq=False)
class RawTable:
    """Named columns as a file has them."""

    names: tuple[str, ...]
    columns: tuple[RawColumn, ...]  # (D,) of N values; cells of text are strings
    source: str  # the file, as the user named it
    rows: Sequence[int]  # (N,) the number of each row, as messages give it
    decimal: str = "."  # the sign before decimals, in cells of text
    warnings: tuple[str, ...] = ()

    def taken(self, chosen: Sequence[int]) -> "RawTable":
        """Some of the columns, in this order."""
        return replace(
            self,
            names=tuple(self.names[at] for at in chosen),
            columns=tuple(self.columns[at] for at in chosen),
        )

    def kept(self, is_kept: Booleans) -> "RawTable":
        """Some of the rows."""
        return replace(
            self,
            columns=tuple(column[is_kept] for column in self.columns),
            rows=[row for row, keep in zip(self.rows, is_kept, strict=True) if keep],
        )


def missing_cells(column: RawColumn) -> Booleans:
    """Where a column has no value."""
    if column.dtype.kind == "f":
        return np.isnan(column)
    if column.dtype.kind not in "OUT":
        return np.zeros(len(column), dtype=bool)
    return np.array([_is_gap(value) for value in column], dtype=bool)


def _is_gap(value: object) -> bool:
    if isinstance(value, str):
        return is_missing(value)
    return value is None or (isinstance(value, float) and np.isnan(value))


def is_words(column: RawColumn) -> bool:
    """Whether a column has words in it, and nothing that is meant as a number.

    What is a number with a mistake in it, a date or a number with its unit is no word.
    """
    if column.dtype.kind not in "OUT":
        return False
    cells = {value for value in column.tolist() if not _is_gap(value)}
    generic = advice("word")
    return bool(cells) and all(
        isinstance(cell, str) and cell.lower() not in TRUTH and advice(cell) == generic
        for cell in cells
    )


def raw_numbers(table: RawTable, at: int) -> Array:
    """The numbers of a column, truth values as 1 and 0, or which cell is none."""
    column = table.columns[at]
    if column.dtype.kind in "biuf":
        values = column.astype(float)
    else:
        values = np.array([_number(v, table.decimal) for v in column.tolist()])
    wrong = np.flatnonzero(~np.isfinite(values))
    if len(wrong):
        raise _wrong_value(table, at, int(wrong[0]), len(wrong) - 1)
    return values


def _number(value: Any, decimal: str) -> float:
    if isinstance(value, str):
        truth = TRUTH.get(value.strip().lower())
        return number(value, decimal) if truth is None else truth
    try:
        return float(value)
    except (TypeError, ValueError):
        return float("nan")


def _wrong_value(table: RawTable, at: int, first: int, n_more: int) -> EqlearnError:
    value = table.columns[at].tolist()[first]
    text = value if isinstance(value, str) else "" if _is_gap(value) else str(value)
    label = column_label(table.names, at)
    return malformed(
        table.source,
        "hold a finite number in every cell",
        "a missing value" if value is None else repr(value),
        advice(text, table.decimal),
        row=table.rows[first],
        column=label + (f" (and at least {n_more:,} more)" if n_more else ""),
    )


def as_typed(table: RawTable, at: int) -> RawColumn:
    """A column of text as what its cells are: whole numbers, numbers or text."""
    column = table.columns[at]
    if column.dtype.kind not in "OU" or not all(
        isinstance(value, str) for value in column.tolist()
    ):
        return column
    cells = [value.strip() for value in column.tolist()]
    if all(_is_whole(cell) for cell in cells):
        return np.array([int(cell) for cell in cells], dtype=np.int64)
    gaps = [is_missing(cell) for cell in cells]
    pairs = zip(cells, gaps, strict=True)
    values = np.array([np.nan if gap else number(c, table.decimal) for c, gap in pairs])
    if not all(gaps) and np.isfinite(values[~np.array(gaps)]).all():
        return values
    return column


def _is_whole(cell: str) -> bool:
    digits = cell.removeprefix("-")
    return digits.isdecimal() and digits.isascii() and len(digits) <= _LONGEST_WHOLE

"""Sheets of Excel: the first one, with names in its first row."""

import math
import re
from collections.abc import Sequence
from typing import IO, Any

import numpy as np

from eqlearn.data.formats.parsing import check_size, parsing
from eqlearn.data.raw import RawColumn, RawTable, raw_numbers
from eqlearn.data.table import Table, check_memory, check_unique, chosen_columns
from eqlearn.errors import malformed, printable

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")  # what no sheet can hold
_LONGEST_CELL = 32_767


def read_sheet(
    source: str, only: Sequence[str] | None = None, without: Sequence[str] = ()
) -> Table:
    """Read columns of finite numbers."""
    sheet = read_sheet_raw(source)
    kept = sheet.taken(chosen_columns(source, sheet.names, only, without))
    check_size(source, len(kept.rows), len(kept.names))
    columns = [raw_numbers(kept, at) for at in range(len(kept.names))]
    return Table(kept.names, np.column_stack(columns), source, kept.warnings)


def read_sheet_raw(source: str) -> RawTable:
    """Read the cells of the first sheet as they are; formulas as their last values."""
    openpyxl = _imported(source)
    with parsing(source, "Excel"):
        book = openpyxl.load_workbook(source, read_only=True, data_only=True)
        sheet, *others = book.worksheets
        check_memory(source, 6 * 8 * (sheet.max_row or 0) * (sheet.max_column or 0))
        numbered = enumerate(sheet.iter_rows(values_only=True), 1)
        rows = [(n, row) for n, row in numbered if any(v is not None for v in row)]
        book.close()
    names, width = _names_of(source, rows)
    body = [(n, row[:width]) for n, row in rows[1:]]
    check_size(source, len(body), width)
    columns = []
    for at in range(width):
        column = np.empty(len(body), dtype=object)
        column[:] = [row[at] if at < len(row) else None for _, row in body]
        columns.append(column)
    shown = printable(source, 160)
    notes = [f"`{shown}`: only the first sheet, `{printable(sheet.title)}`, is read"]
    rows_read = [n for n, _ in body]
    remarks = tuple(notes if others else ())
    return RawTable(names, tuple(columns), source, rows_read, warnings=remarks)


def _imported(source: str) -> Any:
    try:
        import openpyxl
    except ModuleNotFoundError as error:
        hint = 'Run pip install "eqlearn[excel]", or save the sheet as CSV.'
        what = "be CSV, TSV or .npz where openpyxl is not installed"
        raise malformed(source, what, "an Excel file", hint) from error
    return openpyxl


def _names_of(
    source: str, rows: Sequence[tuple[int, Sequence[Any]]]
) -> tuple[tuple[str, ...], int]:
    """The names in the first row that has any, up to the last of them."""
    number, first = rows[0] if rows else (1, ())
    width = max((at + 1 for at, v in enumerate(first) if v is not None), default=0)
    names = tuple("" if value is None else str(value) for value in first[:width])
    if not names or all(isinstance(value, int | float) for value in first[:width]):
        hint = "Put names, such as x1, x2, y, into the first row."
        got = "numbers" if names else "an empty sheet"
        raise malformed(
            source, "start with the names of its columns", got, hint, row=number
        )
    check_unique(source, names, row=number)
    return names, width


def write_sheet(
    file: IO[bytes], path: str, names: Sequence[str], columns: Sequence[RawColumn]
) -> None:
    """Write columns of any type as the only sheet of a file."""
    book = _imported(path).Workbook(write_only=True)
    sheet = book.create_sheet("table")
    for row in (
        list(names),
        *zip(*(column.tolist() for column in columns), strict=True),
    ):
        sheet.append([_storable(value) for value in row])
    book.save(file)


def _storable(value: Any) -> Any:
    """A value as a sheet can hold it: no NaN, no text that is taken for a formula."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, str):
        plain = _CONTROL.sub("\ufffd", value[:_LONGEST_CELL])
        return f"'{plain}" if plain.startswith("=") else plain
    return value

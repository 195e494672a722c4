"""Tables written as text: one line per sample, cells between separators.

Blocks that hold nothing but digits, signs and separators go to NumPy or pandas, which
then have nothing to guess. Others are read cell by cell, which finds the mistake.
"""

import csv
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import IO, Any

import numpy as np

from eqlearn._types import Array
from eqlearn.data.cells import (
    advice,
    is_decimal_comma,
    is_missing,
    is_number,
    may_be_grouped,
    number,
)
from eqlearn.data.formats.text_file import LINE_END, Opener, line_ends, text_file
from eqlearn.data.raw import RawTable
from eqlearn.data.table import (
    Table,
    check_memory,
    check_unique,
    chosen_columns,
    column_label,
    empty_table,
)
from eqlearn.errors import EqlearnError, malformed, printable

# The order decides between separators that fit equally well.
SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", " ": "blanks"}

_BOM = b"\xef\xbb\xbf"
_BLOCK = 4 * 2**20
# Bytes that NumPy has read before pandas, three times as quick, would be loaded.
_FEW = 2**20
_SAMPLE_ROWS = 100
_SAMPLE_CELLS = 10_000
_GAPS = (b"e ", b"E ", b"+ ", b"- ")  # pandas takes +1e 5 for a number
_LONG_INTEGER = re.compile(rb"(?<![\d.eE])[+-]?\d{16,75}(?![\d.eE])")
_WORD = re.compile(r'"([^"]*)"|(\S+)')

Cells = list[str]


@dataclass(frozen=True)
class FileLayout:
    """How the rows of a file are written, as its first lines tell."""

    source: str
    names: tuple[str, ...]  # of all columns, empty ones at the end too
    separator: str  # a blank stands for any run of blanks and tabs
    decimal: str
    padding: int  # empty columns at the end: rows end with separators
    row: int  # the row of the names, as a spreadsheet numbers it
    start: int  # where the rows start, in bytes behind a byte order mark

    @property
    def width(self) -> int:
        """Cells that hold numbers."""
        return len(self.names) - self.padding


def read_delimited(
    path: str,
    usual: str | None,
    only: Sequence[str] | None = None,
    without: Sequence[str] = (),
    unpacked: Opener | None = None,
) -> Table:
    """Read a text file; `usual` is the separator that its name promises, if any."""
    text = text_file(path, unpacked)
    with text.opened() as file:
        block = _next_block(file).removeprefix(_BOM)
        layout = _layout_of(path, block, usual)
        names = layout.names[: layout.width]
        chosen = chosen_columns(path, names, only, without)
        values = empty_table(path, text.n_lines, len(chosen))
        filled, n_blank, row, is_rounded = 0, 0, layout.row + 1, False
        block = block[layout.start :]
        while block:
            numbers = _numbers(block, layout, row, chosen)
            if filled + len(numbers) > text.n_lines:
                raise malformed(path, "stay as it is", "a change", "Read it again.")
            values[filled : filled + len(numbers)] = numbers
            filled += len(numbers)
            is_rounded = is_rounded or _is_rounded(block, numbers)
            n_lines_here = line_ends(block) + (not block.endswith((b"\n", b"\r")))
            n_blank += n_lines_here - len(numbers) - _blank_at_end(block)
            row += n_lines_here
            block = _next_block(file)
    if not filled:
        raise _without_rows(path)
    kept = tuple(names[at] for at in chosen)
    remarks = text.remarks() + _remarks(layout, usual, n_blank, is_rounded)
    return Table(kept, values[:filled], path, remarks)


def read_cells(
    path: str, usual: str | None, unpacked: Opener | None = None
) -> RawTable:
    """Read the cells of a text file as they are written."""
    text = text_file(path, unpacked)
    with text.opened() as file:
        block = _next_block(file).removeprefix(_BOM)
        layout = _layout_of(path, block, usual)
        names = layout.names[: layout.width]
        # A short text takes about as much as six numbers.
        check_memory(path, 6 * 8 * text.n_lines * len(names))
        row, rows = layout.row + 1, list[tuple[int, Cells]]()
        block = block[layout.start :]
        while block:
            rows += _rows(block.decode("utf-8", "replace"), layout, row)
            row += line_ends(block)
            block = _next_block(file)
    if not rows:
        raise _without_rows(path)
    columns = zip(*(cells[: len(names)] for _, cells in rows), strict=True)
    return RawTable(
        names,
        tuple(np.array(column, dtype=object) for column in columns),
        path,
        rows=[row for row, _ in rows],
        decimal=layout.decimal,
        warnings=text.remarks() + _remarks(layout, usual, 0, False),
    )


def _without_rows(path: str) -> EqlearnError:
    hint = "Add the samples, one line each."
    return malformed(path, "have rows below the names", "none", hint)


def _next_block(file: IO[bytes]) -> bytes:
    return file.read(_BLOCK) + file.readline()


def _blank_at_end(block: bytes) -> int:
    tail = block[len(block.rstrip()) :]
    return max(line_ends(tail) - 1, 0)


def _layout_of(source: str, block: bytes, usual: str | None) -> FileLayout:
    """Find names, separator and decimal sign in the first lines of a file."""
    text = block.decode("utf-8", "replace")
    if not text.strip():
        hint = "Start with a line of column names."
        raise malformed(source, "be a table", "an empty file", hint)
    # Sorting is stable: the promised separator first, the others in their order.
    signs = sorted(SEPARATORS, key=lambda sign: sign != usual)
    samples = {sign: _sample(text, sign) for sign in signs}
    separator = max(signs, key=lambda sign: _likeness(samples[sign], sign))
    decimal = _decimal_of(samples[separator], separator)
    row, n_lines, names = _first_row(source, text, separator)
    first = samples[separator][1] if len(samples[separator]) > 1 else []
    padding = _padding_of(names, first)
    _check_header(source, names, first, row)
    check_unique(source, names[: len(names) - padding], row=row)
    start = _end_of_line(block, n_lines)
    return FileLayout(source, tuple(names), separator, decimal, padding, row, start)


def _sample(text: str, separator: str) -> list[Cells]:
    """Return the first rows that are not blank, as far as they can be read."""
    rows: list[Cells] = []
    try:
        for _, cells in islice(_records(text, separator), 2 * _SAMPLE_ROWS):
            if not _is_blank(cells):
                rows.append(cells)
    except csv.Error:
        pass  # reading everything will tell in which row
    return rows[:_SAMPLE_ROWS]


def _records(text: str, separator: str) -> Iterator[tuple[int, Cells]]:
    """Split text into rows of cells, each with the number of its last line."""
    lines = io.StringIO(text, newline="")
    if separator == " ":
        for number_of_line, line in enumerate(lines, 1):
            words = _WORD.findall(line)
            yield number_of_line, [quoted or bare for quoted, bare in words]
    else:
        reader = csv.reader(lines, delimiter=separator, strict=True)
        for cells in reader:
            yield reader.line_num, cells


def _is_blank(cells: Cells) -> bool:
    return not cells or (len(cells) == 1 and not cells[0].strip())


def _likeness(sample: list[Cells], separator: str) -> int:
    """Score a separator: best if names and numbers fall into as many cells."""
    if not sample or len(sample[0]) < 2:
        return 0
    if len(sample) < 2 or len(sample[0]) != len(sample[1]):
        return 1
    return 3 if _are_numbers(sample[1], separator) else 2


def _are_numbers(cells: Cells, separator: str = " ") -> bool:
    decimals = "." if separator == "," else ".,"
    return all(is_number(cell, decimals) or is_missing(cell) for cell in cells)


def _decimal_of(sample: list[Cells], separator: str) -> str:
    """Return the decimal sign; a comma only where nothing speaks against it."""
    cells = list(islice((cell for row in sample[1:] for cell in row), _SAMPLE_CELLS))
    commas = [cell for cell in cells if is_decimal_comma(cell)]
    if separator == "," or not commas or any("." in cell for cell in cells):
        return "."
    # Between semicolons, a comma is a decimal sign. Elsewhere 1,234 may be a number of
    # more than a thousand.
    if separator != ";" and all(map(may_be_grouped, commas)):
        return "."
    return ","


def _first_row(source: str, text: str, separator: str) -> tuple[int, int, Cells]:
    """Return the row of the names, the lines up to their end, and the names."""
    row, n_lines = 1, 0
    try:
        for n_lines, cells in _records(text, separator):
            if not _is_blank(cells):
                return row, n_lines, cells
            row += 1
    except csv.Error as error:
        raise _unreadable(source, str(error), row) from error
    hint = "Start with a line of column names."
    raise malformed(source, "be a table", "only blank lines", hint)


def _padding_of(names: Cells, first: Cells) -> int:
    """Count the empty columns at the end that separators without cells leave."""
    if len(first) != len(names):
        return 0
    padding = 0
    while padding < len(names) - 1 and not (
        names[-1 - padding].strip() or first[-1 - padding].strip()
    ):
        padding += 1
    return padding


def _check_header(source: str, names: Cells, first: Cells, row: int) -> None:
    joined = "".join(names)
    if "\0" in joined:
        hint = "The file is damaged or not text."
        raise malformed(source, "be text", "a NUL byte", hint, row=row)
    if names[0].startswith("#") and first and len(first) != len(names):
        hint = "Remove the lines that start with #."
        what = "start with the names of its columns"
        raise malformed(source, what, "a comment", hint, row=row)
    if _are_numbers(names) and any(is_number(name, ".,") for name in names):
        hint = "Add a first line of names, such as x1,x2,y."
        what = "start with the names of its columns"
        raise malformed(source, what, "numbers", hint, row=row)


def _end_of_line(block: bytes, n_lines: int) -> int:
    end = next(islice(LINE_END.finditer(block), n_lines - 1, None), None)
    return end.end() if end else len(block)


def _numbers(block: bytes, layout: FileLayout, row: int, chosen: list[int]) -> Array:
    """Read a block that starts at some row."""
    if not block.strip():
        return np.empty((0, len(chosen)))
    numbers = _plain_numbers(block, layout.separator, layout.decimal)
    if numbers is None:
        return _cell_by_cell(block, layout, row, chosen)
    # Missing cells are NaN: expected in the padding, a mistake to be named elsewhere.
    inside, padding = numbers[:, : layout.width], numbers[:, layout.width :]
    fits = layout.width <= numbers.shape[1] <= len(layout.names)
    if fits and np.isfinite(inside).all() and np.isnan(padding).all():
        return inside[:, chosen]
    return _cell_by_cell(block, layout, row, chosen)


def _plain_numbers(block: bytes, separator: str, decimal: str) -> Array | None:
    """Read a block in which nothing can be misread, or return None."""
    blanks = "\t" if separator == " " else ""
    plain = f"0123456789+-eE \r\n{separator}{decimal}{blanks}"
    if block.translate(None, plain.encode()) or not block.strip():
        return None
    if separator != " " and b" " in block and any(gap in block for gap in _GAPS):
        return None
    numbers_of = _by_numpy if len(block) <= _FEW else _by_pandas
    try:
        return numbers_of(block, separator, decimal)
    except ValueError:
        return None


def _by_numpy(block: bytes, separator: str, decimal: str) -> Array:
    lines = io.BytesIO(block.replace(decimal.encode(), b"."))
    cut = None if separator == " " else separator
    return np.loadtxt(lines, comments=None, delimiter=cut, ndmin=2)


def _by_pandas(block: bytes, separator: str, decimal: str) -> Array:
    import pandas

    numbers: Array = pandas.read_csv(
        io.BytesIO(block),
        header=None,
        sep=r"\s+" if separator == " " else separator,
        decimal=decimal,
        dtype=float,
        engine="c",
        **_to_the_last_digit(pandas.__version__),
    ).to_numpy()
    return numbers


def _to_the_last_digit(version: str) -> dict[str, Any]:
    """Options that pandas needs before 3.1; since then it is its only way."""
    major, minor = version.split(".")[:2]
    is_exact = (int(major), int(minor)) >= (3, 1)
    return {} if is_exact else {"float_precision": "round_trip"}


def _cell_by_cell(
    block: bytes, layout: FileLayout, row: int, chosen: list[int]
) -> Array:
    """Read a block that might be misread, and name its first mistake."""
    rows: list[tuple[int, Cells]] = []
    broken: EqlearnError | None = None
    try:
        for numbered in _rows(block.decode("utf-8", "replace"), layout, row):
            rows.append(numbered)  # those before a broken row are kept
    except EqlearnError as error:
        broken = error
    cells = [cells[at] for _, cells in rows for at in chosen]
    numbers = _numbers_of_cells(cells, layout.decimal).reshape(-1, len(chosen))
    wrong = np.isnan(numbers)
    if wrong.any():
        first, which = np.argwhere(wrong)[0].tolist()
        row, found = rows[first]
        more = int(wrong[:, which].sum()) - 1
        raise _wrong_cell(layout, row, found, chosen[which], more)
    if broken:
        raise broken
    return numbers


def _numbers_of_cells(cells: Cells, decimal: str) -> Array:
    """Return the cells' numbers, NaN for those that are none."""
    # Once the quotes are gone, most cells are plain. With one cell per line, none can
    # be taken for two.
    numbers = _plain_numbers("\n".join(cells).encode(), ";", decimal)
    if numbers is not None and numbers.shape == (len(cells), 1):
        if np.isfinite(numbers).all():
            return numbers
    return np.array([number(cell, decimal) for cell in cells])


def _wrong_cell(
    layout: FileLayout, row: int, cells: Cells, at: int, more: int
) -> EqlearnError:
    label = column_label(layout.names, at)
    return malformed(
        layout.source,
        "hold a finite number in every cell",
        repr(cells[at]),
        advice(cells[at], layout.decimal),
        row=row,
        column=label + (f" (and at least {more:,} more)" if more else ""),
    )


def _rows(text: str, layout: FileLayout, row: int) -> Iterator[tuple[int, Cells]]:
    """Split text into rows of as many cells as there are names."""
    before = 0
    try:
        for n_lines, cells in _records(text, layout.separator):
            if n_lines > before + 1:
                raise _unreadable(layout.source, "a cell of several lines", row)
            if not _is_blank(cells):
                _check_width(cells, layout, row)
                yield row, cells
            before, row = n_lines, row + 1
    except csv.Error as error:
        raise _unreadable(layout.source, str(error), row) from error


def _check_width(cells: Cells, layout: FileLayout, row: int) -> None:
    is_padding = not "".join(cells[layout.width :]).strip()
    if layout.width <= len(cells) <= len(layout.names) and is_padding:
        return
    n = f"{layout.width} cell{'s' * (layout.width > 1)}"
    what = f"have {n} in every row, as many as names"
    got, hint = f"{len(cells)}", "Remove the cells without a name, or add their names."
    if cells[0].startswith("#"):
        got, hint = "a comment", "Remove the lines that start with #."
    elif layout.width == 1:  # as of a title, which spreadsheets put above their tables
        hint = "Let the file begin with the names of its columns."
    elif len(cells) < layout.width:
        label = column_label(layout.names, len(cells))
        hint = f"Fill in column {label} and any after it."
    raise malformed(layout.source, what, got, hint, row=row)


def _unreadable(source: str, problem: str, row: int) -> EqlearnError:
    what = "keep every cell on one line, with its quotes closed"
    return malformed(source, what, problem, "Check the quotes in this row.", row=row)


def _is_rounded(block: bytes, numbers: Array) -> bool:
    """Whether whole numbers have more digits than a float can hold."""
    if not np.any(np.abs(numbers) > 2**53):
        return False
    written = map(int, _LONG_INTEGER.findall(block))
    return any(int(float(one)) != one for one in written)


def _remarks(
    layout: FileLayout, usual: str | None, n_blank: int, is_rounded: bool
) -> tuple[str, ...]:
    """Say what was read in another way than a glance at the file suggests."""
    names = layout.names[: layout.width]
    unnamed = [str(at + 1) for at, name in enumerate(names) if not name.strip()]
    separators = SEPARATORS[layout.separator]
    remarks = (
        (
            usual not in (None, layout.separator) and len(names) > 1,
            f"cells are separated by {separators}, whatever the file's name suggests",
        ),
        (layout.decimal == ",", "decimal commas are read as points, 1,5 as 1.5"),
        (
            layout.padding > 0,
            "rows end with separators; the empty columns are left out",
        ),
        (is_rounded, "whole numbers beyond 2^53 are rounded to 16 digits"),
        (n_blank > 0, f"blank lines between the rows are left out ({n_blank})"),
        (
            bool(unnamed),
            f"column {', '.join(unnamed)} has no name; leave it out if it counts rows",
        ),
        (
            names[0].startswith("#"),
            f"the # in the name `{printable(names[0])}` is kept",
        ),
    )
    said = f"`{printable(layout.source, 160)}`: "
    return tuple(said + remark for applies, remark in remarks if applies)

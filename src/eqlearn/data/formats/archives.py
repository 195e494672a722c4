"""Tables of NumPy: .npz archives of arrays."""

import zipfile
from collections.abc import Sequence
from typing import Any

import numpy as np

from eqlearn.data.formats.parsing import (
    check_finite,
    check_size,
    is_rounded,
    no_numbers,
    parsing,
    rounding_remarks,
)
from eqlearn.data.raw import RawColumn, RawTable
from eqlearn.data.table import (
    Table,
    check_memory,
    check_unique,
    chosen_columns,
    column_label,
    empty_table,
)
from eqlearn.errors import malformed, printable


def read_npz(
    source: str, only: Sequence[str] | None = None, without: Sequence[str] = ()
) -> Table:
    """Read columns of finite numbers."""
    columns = _named_arrays(source)
    names = [name for name, _ in columns]
    chosen = chosen_columns(source, names, only, without)
    kept = [names[at] for at in chosen]
    rows = len(columns[0][1]) if columns else 0
    check_size(source, rows, len(kept))
    values, rounded = empty_table(source, rows, len(kept)), set()
    for at, (name, numbers) in enumerate(columns[at] for at in chosen):
        if numbers.dtype.kind not in "iuf":
            raise no_numbers(source, kept, at, str(numbers.dtype), numbers.dtype.kind)
        _check_length(source, kept, at, numbers, rows)
        with np.errstate(over="ignore"):  # what is too large is named below
            values[:, at] = numbers
        rounded |= {name} if is_rounded(numbers) else set()
    check_finite(source, kept, values, 0)
    return Table(tuple(kept), values, source, rounding_remarks(source, rounded))


def read_npz_raw(source: str) -> RawTable:
    """Read columns of whatever type, as they are."""
    pairs = _named_arrays(source)
    names = tuple(name for name, _ in pairs)
    rows = len(pairs[0][1]) if pairs else 0
    check_size(source, rows, len(names))
    for at, (_, column) in enumerate(pairs):
        _check_length(source, names, at, column, rows)
    columns = tuple(column for _, column in pairs)
    return RawTable(names, columns, source, range(1, rows + 1))


def _named_arrays(source: str) -> list[tuple[str, RawColumn]]:
    with parsing(source, ".npz"), zipfile.ZipFile(source) as archive:
        # What the archive says its content will take, before any of it is unpacked.
        size = sum(member.file_size for member in archive.infolist())
        check_memory(source, size)
    with parsing(source, ".npz"), np.load(source, allow_pickle=False) as arrays:
        columns = [
            column
            for key in arrays.files
            for column in _npz_columns(source, key, arrays)
        ]
    check_unique(source, [name for name, _ in columns])
    return columns


def _npz_columns(source: str, key: str, arrays: Any) -> list[tuple[str, RawColumn]]:
    """Return an array as named columns; those of a matrix x are x_1, x_2, ..."""
    label = f"`{printable(key)}`"
    try:
        array = arrays[key]
    except ValueError as error:
        hint = "Save arrays of numbers; objects are never loaded."
        raise malformed(
            source, "hold arrays of numbers", str(error), hint, column=label
        ) from error
    shape = np.shape(array)
    if len(shape) == 1:
        return [(key, array)]
    if len(shape) == 2:
        single = shape[1] == 1
        each = enumerate(array.T, 1)
        return [(key if single else f"{key}_{at}", column) for at, column in each]
    got = f"an array of shape {shape}"
    what = "hold arrays of samples, or of samples by columns"
    raise malformed(source, what, got, "Save columns.", column=label)


def _check_length(
    source: str, names: Sequence[str], at: int, column: RawColumn, rows: int
) -> None:
    if len(column) != rows:
        what = f"have columns of equal length, {rows:,} as the first"
        hint = "Save one value per sample."
        label = column_label(names, at)
        raise malformed(source, what, f"{len(column):,} values", hint, column=label)

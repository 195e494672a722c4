"""Reading tables from files: CSV and its relatives, Parquet and .npz."""

import os
import stat
import warnings
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from eqlearn._types import Array
from eqlearn.data.delimited import read_delimited
from eqlearn.data.table import (
    Table,
    check_memory,
    check_unique,
    chosen_columns,
    column_label,
    empty_table,
)
from eqlearn.errors import EqlearnError, malformed, printable

#: Values of one column as the file has them, of whatever type.
RawColumn: TypeAlias = NDArray[Any]

_NUMBERS = "hold a finite number in every cell"
_NO_NUMBERS = "Leave the column out, or turn it into numbers."
_TRUTH = "Write 1 and 0 for true and false."
_TIME = "Write times as numbers, such as seconds since the start."
_HINT_OF_KIND = {
    "b": _TRUTH,
    "M": _TIME,
    "m": _TIME,
    "c": "Write real and imaginary parts as two columns.",
}
_UNPACK = "Unpack it first."
_RENAME = "Give the file the ending of its format."

# How files start that are no text, what they are called, and what to do about them
# where a file's name promises something else.
_SIGNATURES = (
    (b"PAR1", "Parquet", "Let its name end in .parquet."),
    (b"PK\x03\x04", "a zip archive", "Save a sheet as CSV; let .npz end in .npz."),
    (b"PK\x05\x06", "an empty zip archive", "Write it again."),
    (b"\x1f\x8b", "a gzip file", _UNPACK),
    (b"BZh", "a bzip2 file", _UNPACK),
    (b"\xfd7zXZ", "an xz file", _UNPACK),
    (b"\x28\xb5\x2f\xfd", "a zstd file", _UNPACK),
    (b"\x93NUMPY", "a .npy file", "Save it with names by numpy.savez."),
    (b"\x89HDF", "an HDF5 file", "Export it as CSV."),
    (b"\xd0\xcf\x11\xe0", "an old Excel file", "Save the sheet as CSV."),
    (b"%PDF", "a PDF file", "Export the table as CSV."),
    (b"\xff\xfe", "text in UTF-16", "Save it as UTF-8."),
    (b"\xfe\xff", "text in UTF-16", "Save it as UTF-8."),
)


def read_table(
    path: str | os.PathLike[str], only: Sequence[str] | None = None
) -> Table:
    """Read a table of finite numbers, or say in one line why it is none.

    Parameters
    ----------
    path : str or path-like
        A file ending in .csv, .tsv, .tab, .txt, .dat, .parquet, .pq or .npz. In text,
        commas, semicolons, tabs and blanks are recognised as separators.
    only : sequence of str, optional
        The columns to read; others may then hold text or gaps. All by default.

    Returns
    -------
    Table
        Names as in the file, and warnings about what was read otherwise than written.

    Raises
    ------
    EqlearnError
        Naming the file, the column and the row: as a spreadsheet numbers it for text,
        counted from 1 for Parquet and .npz, which have no line of names.
    """
    source = os.fspath(path)
    with _named(source):
        # Reading a pipe could wait for ever, and a device never ends.
        check_regular(source)
        with open(source, "rb") as file:
            start = file.read(8)
        return _reader_of(source, start)(source, only=only)


@contextmanager
def _named(source: str) -> Iterator[None]:
    """Turn what the system says about a file into one of our errors."""
    try:
        yield
    except FileNotFoundError as error:
        raise _missing(source) from error
    except OSError as error:
        hint = "Check the path and its permissions."
        reason = error.strerror or str(error)
        raise malformed(source, "be readable", reason, hint) from error


def check_regular(source: str) -> None:
    """Refuse what is no file on a disk."""
    try:
        mode = os.stat(source).st_mode
    except ValueError as error:  # a NUL, or what the system's encoding cannot say
        hint = "Check the path."
        raise malformed(source, "be a path", str(error), hint) from error
    if stat.S_ISDIR(mode):
        raise malformed(source, "be a file", "a directory", "Name a file in it.")
    if not stat.S_ISREG(mode):
        hint = "Save its content to a file first."
        raise malformed(source, "be a file", "a pipe or a device", hint)


def _missing(source: str) -> EqlearnError:
    folder, name = os.path.split(source)
    try:
        there = os.listdir(folder or ".")
    except OSError:
        there = []
    near = get_close_matches(name, there, n=1)
    hint = f"Did you mean `{printable(near[0])}`?" if near else "Check the path."
    return malformed(source, "be an existing file", "none of this name", hint)


def _reader_of(source: str, start: bytes) -> Callable[..., Table]:
    """Choose the reader by the file's name, and see that its content agrees."""
    suffix = os.path.splitext(source)[1].lower()
    found = [kind for kind in _SIGNATURES if start.startswith(kind[0])]
    signature, kind, hint = found[0] if found else (b"", "something else", _RENAME)
    if suffix not in FORMATS:
        listed = ", ".join(FORMATS)
        got = kind if found else suffix or "no ending"
        raise malformed(source, f"end in one of {listed}", got, hint)
    wanted = FORMATS[suffix]
    if signature != wanted.signature:
        what = f"be {wanted.called}, as its name says"
        raise malformed(source, what, kind if start else "an empty file", hint)
    return wanted.read


def _read_parquet(source: str, only: Sequence[str] | None = None) -> Table:
    parquet = import_parquet(source)
    with _parsing(source, "Parquet"), parquet.ParquetFile(source) as file:
        names = file.schema_arrow.names
        check_unique(source, names)
        chosen = chosen_columns(source, names, only)
        for at in chosen:
            _check_type(source, names, at, file.schema_arrow.field(at).type)
        kept = [names[at] for at in chosen]
        values = empty_table(source, file.metadata.num_rows, len(kept))
        filled, rounded = 0, set()
        for batch in file.iter_batches(columns=kept):
            for at, name in enumerate(kept):
                numbers = _parquet_numbers(source, kept, at, batch.column(name), filled)
                values[filled : filled + len(batch), at] = numbers
                rounded |= {name} if _is_rounded(numbers) else set()
            _check_finite(source, kept, values[filled : filled + len(batch)], filled)
            filled += len(batch)
    _check_size(source, filled, len(kept))
    return Table(tuple(kept), values[:filled], source, _remarks(source, rounded))


def import_parquet(source: str) -> Any:
    """Import what reads and writes Parquet, or say how to install it."""
    try:
        from pyarrow import parquet
    except ModuleNotFoundError as error:
        hint = 'Run pip install "eqlearn[parquet]", or use CSV.'
        what = "be CSV, TSV or .npz where pyarrow is not installed"
        raise malformed(source, what, "Parquet", hint) from error
    return parquet


def _check_type(source: str, names: Sequence[str], at: int, kind: Any) -> None:
    from pyarrow import types

    if types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind):
        return
    hints = (
        (types.is_boolean, _TRUTH),
        (types.is_temporal, _TIME),
        (types.is_nested, "Give every number a column of its own."),
    )
    hint = next((hint for applies, hint in hints if applies(kind)), _NO_NUMBERS)
    label = column_label(names, at)
    raise malformed(source, _NUMBERS, f"{kind} values", hint, column=label)


def _parquet_numbers(
    source: str, names: Sequence[str], at: int, column: Any, filled: int
) -> RawColumn:
    if column.null_count:
        row = filled + int(np.argmax(column.is_null().to_numpy(zero_copy_only=False)))
        hint = "Fill the cell in or remove the row."
        label = column_label(names, at)
        raise malformed(
            source, _NUMBERS, "a missing value", hint, row=row + 1, column=label
        )
    numbers: RawColumn = column.to_numpy(zero_copy_only=False)
    return numbers if numbers.dtype.kind in "iuf" else numbers.astype(float)


def _read_npz(source: str, only: Sequence[str] | None = None) -> Table:
    with _parsing(source, ".npz"), zipfile.ZipFile(source) as archive:
        # What the archive says its content will take, before any of it is unpacked.
        size = sum(member.file_size for member in archive.infolist())
        check_memory(source, size)
    with _parsing(source, ".npz"), np.load(source, allow_pickle=False) as arrays:
        columns = [
            column
            for key in arrays.files
            for column in _npz_columns(source, key, arrays)
        ]
    names = [name for name, _ in columns]
    check_unique(source, names)
    chosen = chosen_columns(source, names, only)
    kept = [names[at] for at in chosen]
    rows = len(columns[0][1]) if columns else 0
    _check_size(source, rows, len(kept))
    values, rounded = empty_table(source, rows, len(kept)), set()
    for at, (name, numbers) in enumerate(columns[at] for at in chosen):
        _check_array(source, kept, at, numbers, rows)
        with np.errstate(over="ignore"):  # what is too large is named below
            values[:, at] = numbers
        rounded |= {name} if _is_rounded(numbers) else set()
    _check_finite(source, kept, values, 0)
    return Table(tuple(kept), values, source, _remarks(source, rounded))


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


def _check_array(
    source: str, names: Sequence[str], at: int, numbers: RawColumn, rows: int
) -> None:
    label = column_label(names, at)
    if numbers.dtype.kind not in "iuf":
        hint = _HINT_OF_KIND.get(numbers.dtype.kind, _NO_NUMBERS)
        got = f"{numbers.dtype} values"
        raise malformed(source, _NUMBERS, got, hint, column=label)
    if len(numbers) != rows:
        what = f"have columns of equal length, {rows:,} as the first"
        hint = "Save one value per sample."
        raise malformed(source, what, f"{len(numbers):,} values", hint, column=label)


def _check_size(source: str, n_rows: int, n_columns: int) -> None:
    if not (n_rows and n_columns):
        got = f"{n_rows} rows of {n_columns} columns"
        raise malformed(source, "have rows and columns", got, "Add the samples.")


def _check_finite(
    source: str, names: Sequence[str], values: Array, filled: int
) -> None:
    if np.isfinite(values).all():
        return
    row, at = np.argwhere(~np.isfinite(values))[0].tolist()
    more = int((~np.isfinite(values[:, at])).sum()) - 1
    also = f" (and at least {more:,} more)" if more else ""
    raise malformed(
        source,
        _NUMBERS,
        f"{values[row, at]}",
        "Remove the row.",
        row=filled + row + 1,
        column=column_label(names, at) + also,
    )


def _is_rounded(numbers: RawColumn) -> bool:
    """Whether whole numbers are too long for a float to hold all their digits."""
    if numbers.dtype.kind not in "iu" or numbers.dtype.itemsize < 8 or not numbers.size:
        return False
    return int(numbers.max()) > 2**53 or int(numbers.min()) < -(2**53)


def _remarks(source: str, rounded: set[str]) -> tuple[str, ...]:
    shown = printable(source, 160)
    return tuple(
        f"`{shown}`: numbers beyond 2^53 are rounded in column `{printable(name)}`"
        for name in sorted(rounded)
    )


@contextmanager
def _parsing(source: str, called: str) -> Iterator[None]:
    """Name a damaged file, whatever the parser of its format raises over it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    except (EqlearnError, FileNotFoundError, PermissionError):
        raise
    except Exception as error:
        reason = str(error).strip().partition("\n")[0] or type(error).__name__
        hint = "Copy or write it again."
        raise malformed(source, f"be a whole {called} file", reason, hint) from error


class Format(NamedTuple):
    """How files of a format start, what they are called, and what reads them."""

    signature: bytes
    called: str
    read: Callable[..., Table]


_ANY = Format(b"", "text", partial(read_delimited, usual=None))
_TABS = Format(b"", "text", partial(read_delimited, usual="\t"))
_PARQUET = Format(b"PAR1", "Parquet", _read_parquet)

FORMATS = {
    ".csv": Format(b"", "text", partial(read_delimited, usual=",")),
    ".tsv": _TABS,
    ".tab": _TABS,
    ".txt": _ANY,
    ".dat": _ANY,
    ".parquet": _PARQUET,
    ".pq": _PARQUET,
    ".npz": Format(b"PK\x03\x04", "an .npz archive", _read_npz),
}

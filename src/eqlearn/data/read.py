"""Reading tables from files: the format is chosen by the name, the content agrees."""

import os
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from functools import partial
from typing import Any, NamedTuple

from eqlearn.data.delimited import read_cells, read_delimited
from eqlearn.data.formats.archives import read_npz, read_npz_raw
from eqlearn.data.formats.columnar import (
    ArrowOpener,
    feather_file,
    parquet_file,
    read_columnar,
    read_columnar_raw,
)
from eqlearn.data.formats.excel import read_sheet, read_sheet_raw
from eqlearn.data.formats.text_file import (
    naming_damage,
    unpacked_gzip,
    unpacked_zip,
)
from eqlearn.data.raw import RawTable
from eqlearn.data.table import Table
from eqlearn.errors import EqlearnError, malformed, printable

_UNPACK = "Unpack it first."
_RENAME = "Give the file the ending of its format."

# How files start that are no text, what they are called, and what to do about them
# where a file's name promises something else.
_SIGNATURES = (
    (b"PAR1", "Parquet", "Let its name end in .parquet."),
    (b"ARROW1", "Feather", "Let its name end in .feather."),
    (b"FEA1", "Feather of version 1", "Write it again as .parquet or .feather."),
    (b"PK\x03\x04", "a zip archive", "Let its name end in .zip, .npz or .xlsx."),
    (b"PK\x05\x06", "an empty zip archive", "Write it again."),
    (b"\x1f\x8b", "a gzip file", "Let its name end in .gz."),
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
    path: str | os.PathLike[str],
    only: Sequence[str] | None = None,
    without: Sequence[str] = (),
) -> Table:
    """Read a table of finite numbers, or say in one line why it is none.

    Parameters
    ----------
    path : str or path-like
        A file ending in .csv, .tsv, .tab, .txt, .dat, .parquet, .pq, .feather, .npz or
        .xlsx; text may be packed, as .csv.gz or .zip. In text, commas, semicolons, tabs
        and blanks are recognised as separators.
    only : sequence of str, optional
        The columns to read; others may then hold text or gaps. All by default.
    without : sequence of str
        Columns that are left out.

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
    table: Table = _read(os.fspath(path), "read", only=only, without=without)
    return table


def read_raw(path: str | os.PathLike[str]) -> RawTable:
    """Read a table as it is: columns of numbers, truth values, words or gaps."""
    table: RawTable = _read(os.fspath(path), "read_raw")
    return table


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
        got = "a NUL character in it" if "\0" in source else str(error)
        raise malformed(source, "be a path", got, "Check the path.") from error
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


def _read(source: str, which: str, **options: Any) -> Any:
    """Read a file by the reader of its format."""
    with _named(source):
        # Reading a pipe could wait for ever, and a device never ends.
        check_regular(source)
        with open(source, "rb") as file:
            start = file.read(8)
        suffix = os.path.splitext(source)[1].lower()
        if suffix in PACKINGS:
            return _read_packed(source, start, suffix, which, options)
        return getattr(_format_of(source, start, suffix), which)(source, **options)


def _read_packed(
    source: str, start: bytes, suffix: str, which: str, options: dict[str, Any]
) -> Any:
    signature, called, unpacked = PACKINGS[suffix]
    if not start.startswith(signature):
        got = "something else" if start else "an empty file"
        raise malformed(source, f"be {called}, as its name says", got, _RENAME)
    name, opener = unpacked(source)
    inner = os.path.splitext(name)[1].lower()
    if inner not in FORMATS or not FORMATS[inner].is_text:
        text = [ending for ending, one in FORMATS.items() if one.is_text]
        what = f"hold a file that ends in one of {', '.join(text)}"
        raise malformed(source, what, f"`{printable(name)}`", _UNPACK)
    with opener() as file, naming_damage(source):
        _check_signature(source, file.read(8), FORMATS[inner])
    return getattr(FORMATS[inner], which)(source, unpacked=opener, **options)


def _format_of(source: str, start: bytes, suffix: str) -> "Format":
    """Choose the format by the file's name, and see that its content agrees."""
    if suffix not in FORMATS:
        _, kind, hint = _signature_of(start)
        listed = ", ".join((*FORMATS, *PACKINGS))
        got = kind or suffix or "no ending"
        raise malformed(source, f"end in one of {listed}", got, hint)
    _check_signature(source, start, FORMATS[suffix])
    return FORMATS[suffix]


def _check_signature(source: str, start: bytes, wanted: "Format") -> None:
    signature, kind, hint = _signature_of(start)
    if signature != wanted.signature:
        what = f"be {wanted.called}, as its name says"
        got = (kind or "something else") if start else "an empty file"
        raise malformed(source, what, got, hint)


def _signature_of(start: bytes) -> tuple[bytes, str, str]:
    found = (kind for kind in _SIGNATURES if start.startswith(kind[0]))
    return next(found, (b"", "", _RENAME))


class Format(NamedTuple):
    """How files of a format start, what they are called, and what reads them."""

    signature: bytes
    called: str
    read: Callable[..., Table]  # columns of numbers
    read_raw: Callable[..., RawTable]  # columns as they are
    is_text: bool = False


def _text(usual: str | None) -> Format:
    read = partial(read_delimited, usual=usual)
    return Format(b"", "text", read, partial(read_cells, usual=usual), is_text=True)


def _arrow(signature: bytes, called: str, opened: ArrowOpener) -> Format:
    read = partial(read_columnar, opened=opened)
    return Format(signature, called, read, partial(read_columnar_raw, opened=opened))


_ZIP = b"PK\x03\x04"
_PARQUET = _arrow(b"PAR1", "Parquet", parquet_file)

FORMATS = {
    ".csv": _text(","),
    ".tsv": _text("\t"),
    ".tab": _text("\t"),
    ".txt": _text(None),
    ".dat": _text(None),
    ".parquet": _PARQUET,
    ".pq": _PARQUET,
    ".feather": _arrow(b"ARROW1", "Feather", feather_file),
    ".npz": Format(_ZIP, "an .npz archive", read_npz, read_npz_raw),
    ".xlsx": Format(_ZIP, "an Excel file", read_sheet, read_sheet_raw),
}

#: How text may be packed: what such files start with, and what is in them.
PACKINGS = {
    ".gz": (b"\x1f\x8b", "a gzip file", unpacked_gzip),
    ".zip": (_ZIP, "a zip archive", unpacked_zip),
}

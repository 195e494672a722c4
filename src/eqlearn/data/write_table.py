"""Writing tables: all of a file or nothing, and every digit of a number."""

import csv
import io
import os
import re
import shutil
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import IO
from uuid import uuid4

import numpy as np

from eqlearn._types import Array
from eqlearn.data.formats.columnar import write_feather, write_parquet
from eqlearn.data.formats.excel import write_sheet
from eqlearn.data.raw import RawColumn, RawTable, as_typed
from eqlearn.data.read import check_regular
from eqlearn.data.table import Table
from eqlearn.errors import malformed, must

_ROWS_AT_ONCE = 10_000
_PLAIN_NAME = re.compile(r"\w[\w.]*")


def write_table(
    path: str | os.PathLike[str],
    table: Table | RawTable,
    extra: Mapping[str, Array] | None = None,
) -> tuple[str, ...]:
    """Write a table and extra columns behind it; the path's ending says the format.

    Parameters
    ----------
    path : str or path-like
        An existing file is replaced, once the new one is complete.
    table : Table or RawTable
        The columns that come first; of a raw one, types and cells of text stay.
    extra : mapping of str to array, optional
        More columns (N,), such as predictions. One that is named as another column
        gets a number behind its name.

    Returns
    -------
    tuple of str
        The names as written.
    """
    path = os.fspath(path)
    suffix = os.path.splitext(path)[1].lower()
    if suffix not in WRITERS:
        what = f"end in one of {', '.join(WRITERS)}"
        hint = "Give the file one of these endings."
        raise malformed(path, what, suffix or "no ending", hint)
    is_text = WRITERS[suffix] in (_commas, _tabs)
    columns = _all_columns(path, table, extra or {}, is_text=is_text)
    with replacing(path) as file:
        WRITERS[suffix](file, path, tuple(columns), list(columns.values()))
    return tuple(columns)


def csv_text(table: Table | RawTable, extra: Mapping[str, Array]) -> str:
    """A table and extra columns behind it as CSV, for which no file is needed."""
    columns = _all_columns("table", table, extra, is_text=True)
    file = io.BytesIO()
    _commas(file, "table", tuple(columns), list(columns.values()))
    # As bytes: a name may have line ends of its own, which must stay as they are.
    return file.getvalue().decode("utf-8")


def _all_columns(
    path: str, table: Table | RawTable, extra: Mapping[str, Array], *, is_text: bool
) -> dict[str, RawColumn]:
    columns = _columns_of(table, is_text=is_text)
    n_rows = len(table.values if isinstance(table, Table) else table.rows)
    for name, values in extra.items():
        if np.shape(values) != (n_rows,):
            what = f"one number for each of the {n_rows} rows"
            raise must(name, what, np.asarray(values))
        columns[_unused(name, columns)] = np.asarray(values, dtype=float)
    _check_names(path, columns)
    return columns


def _columns_of(table: Table | RawTable, *, is_text: bool) -> dict[str, RawColumn]:
    if isinstance(table, Table):
        return dict(zip(table.names, table.values.T, strict=True))
    if is_text and table.decimal == ".":
        return dict(zip(table.names, table.columns, strict=True))
    # Predictions have decimal points: beside them numbers have no decimal commas.
    return {name: as_typed(table, at) for at, name in enumerate(table.names)}


def _unused(name: str, taken: Mapping[str, RawColumn]) -> str:
    candidate, count = name, 1
    while candidate in taken:
        count += 1
        candidate = f"{name}_{count}"
    return candidate


def _check_names(path: str, names: Mapping[str, RawColumn]) -> None:
    for name in names:
        if "\0" in name:
            what, got = "have names without NUL characters", repr(name)
            raise malformed(path, what, got, "Rename the column.")


@contextmanager
def replacing(path: str) -> Iterator[IO[bytes]]:
    """Yield a new file that takes the place of another when all went well."""
    try:
        with beside(path) as file:
            yield file
    except OSError as error:
        hint = "Check the path, its permissions and the space left."
        reason = error.strerror or str(error)
        raise malformed(path, "be writable", reason, hint) from error


@contextmanager
def beside(path: str | os.PathLike[str], *, follow: bool = True) -> Iterator[IO[bytes]]:
    """Do the same, and let errors of the file system through.

    A link is followed if it is the user's own and `follow` says so; otherwise it is
    replaced: who has put it there might have chosen a file to be overwritten.
    """
    folder, name = os.path.split(os.fspath(path))
    target = os.path.join(os.path.realpath(folder or "."), name)
    if os.path.islink(target) and follow and os.lstat(target).st_uid == os.getuid():
        target = os.path.realpath(target)
    temporary = os.path.join(os.path.dirname(target), f".{uuid4().hex}.part")
    try:
        if os.path.exists(target) and not os.path.islink(target):
            check_regular(os.fspath(path))
        with open(temporary, "xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if os.path.exists(target) and not os.path.islink(target):
            shutil.copymode(target, temporary)
        os.replace(temporary, target)
    finally:
        with suppress(OSError):
            os.unlink(temporary)


def _write_text(
    file: IO[bytes],
    path: str,
    names: Sequence[str],
    columns: Sequence[RawColumn],
    *,
    separator: str,
) -> None:
    del path
    text = io.TextIOWrapper(file, encoding="utf-8", newline="")
    rows = csv.writer(text, delimiter=separator, lineterminator="\n")
    # Quotes keep blanks and other separators in names from being taken for more.
    quoted = csv.writer(
        text, delimiter=separator, lineterminator="\n", quoting=csv.QUOTE_ALL
    )
    header = rows if all(map(_PLAIN_NAME.fullmatch, names)) else quoted
    header.writerow(names)
    for start in range(0, len(columns[0]), _ROWS_AT_ONCE):
        end = start + _ROWS_AT_ONCE
        parts = [column[start:end].tolist() for column in columns]
        rows.writerows(zip(*parts, strict=True))
    text.flush()
    text.detach()


def _write_npz(
    file: IO[bytes], path: str, names: Sequence[str], columns: Sequence[RawColumn]
) -> None:
    del path
    # Not numpy.savez: it takes names as keywords, and one of them may be "file".
    with zipfile.ZipFile(file, "w") as archive:
        for name, column in zip(names, columns, strict=True):
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                # Never as objects, which would be refused when they are read.
                plain = column.astype(str) if column.dtype.kind == "O" else column
                np.lib.format.write_array(member, np.ascontiguousarray(plain))


_commas = partial(_write_text, separator=",")
_tabs = partial(_write_text, separator="\t")

WRITERS: dict[str, Callable[..., None]] = {
    ".csv": _commas,
    ".tsv": _tabs,
    ".tab": _tabs,
    ".txt": _tabs,
    ".dat": _tabs,
    ".parquet": write_parquet,
    ".pq": write_parquet,
    ".feather": write_feather,
    ".npz": _write_npz,
    ".xlsx": write_sheet,
}

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
from eqlearn.data.read import check_regular, import_parquet
from eqlearn.data.table import Table
from eqlearn.errors import malformed, must

_ROWS_AT_ONCE = 10_000
_PLAIN_NAME = re.compile(r"\w[\w.]*")


def write_table(
    path: str | os.PathLike[str],
    table: Table,
    extra: Mapping[str, Array] | None = None,
) -> tuple[str, ...]:
    """Write a table and extra columns behind it; the path's ending says the format.

    Parameters
    ----------
    path : str or path-like
        An existing file is replaced, once the new one is complete.
    table : Table
        The columns that come first.
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
    columns = dict(zip(table.names, table.values.T, strict=True))
    for name, values in (extra or {}).items():
        if np.shape(values) != (len(table.values),):
            what = f"one number for each of the {len(table.values)} rows"
            raise must(name, what, np.asarray(values))
        columns[_unused(name, columns)] = np.asarray(values, dtype=float)
    _check_names(path, columns)
    with replacing(path) as file:
        WRITERS[suffix](file, path, tuple(columns), list(columns.values()))
    return tuple(columns)


def _unused(name: str, taken: Mapping[str, Array]) -> str:
    candidate, count = name, 1
    while candidate in taken:
        count += 1
        candidate = f"{name}_{count}"
    return candidate


def _check_names(path: str, names: Mapping[str, Array]) -> None:
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
    columns: Sequence[Array],
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
        part = [column[start : start + _ROWS_AT_ONCE] for column in columns]
        rows.writerows(np.column_stack(part).tolist())
    text.flush()
    text.detach()


def _write_parquet(
    file: IO[bytes], path: str, names: Sequence[str], columns: Sequence[Array]
) -> None:
    parquet = import_parquet(path)
    import pyarrow

    arrays = [pyarrow.array(np.ascontiguousarray(column)) for column in columns]
    parquet.write_table(pyarrow.table(arrays, names=list(names)), file)


def _write_npz(
    file: IO[bytes], path: str, names: Sequence[str], columns: Sequence[Array]
) -> None:
    del path
    # Not numpy.savez: it takes names as keywords, and one of them may be "file".
    with zipfile.ZipFile(file, "w") as archive:
        for name, column in zip(names, columns, strict=True):
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.ascontiguousarray(column))


_commas = partial(_write_text, separator=",")
_tabs = partial(_write_text, separator="\t")

WRITERS: dict[str, Callable[..., None]] = {
    ".csv": _commas,
    ".tsv": _tabs,
    ".tab": _tabs,
    ".txt": _tabs,
    ".dat": _tabs,
    ".parquet": _write_parquet,
    ".pq": _write_parquet,
    ".npz": _write_npz,
}

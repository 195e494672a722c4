"""Tables of Apache Arrow: Parquet and Feather, column by column."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from eqlearn._types import Array
from eqlearn.data.formats.parsing import (
    FILL_IN,
    NUMBERS,
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
    check_unique,
    chosen_columns,
    column_label,
    empty_table,
)
from eqlearn.errors import malformed


@dataclass(frozen=True)
class ArrowFile:
    """What an open file of this kind offers."""

    schema: Any
    n_rows: int
    batches: Callable[[list[str]], Iterator[Any]]  # rows of the named columns


#: Opens a file of one of the two formats.
ArrowOpener = Callable[[str], AbstractContextManager[ArrowFile]]


def imported_arrow(source: str, called: str = "Parquet") -> Any:
    """Import what reads and writes these files, or say how to install it."""
    try:
        import pyarrow
    except ModuleNotFoundError as error:
        hint = 'Run pip install "eqlearn[parquet]", or use CSV.'
        what = "be CSV, TSV or .npz where pyarrow is not installed"
        raise malformed(source, what, called, hint) from error
    return pyarrow


@contextmanager
def parquet_file(source: str) -> Iterator[ArrowFile]:
    """Open a Parquet file."""
    imported_arrow(source, "Parquet")
    from pyarrow import parquet

    with parsing(source, "Parquet"), parquet.ParquetFile(source) as file:

        def batches(names: list[str]) -> Iterator[Any]:
            return iter(file.iter_batches(columns=names))

        yield ArrowFile(file.schema_arrow, file.metadata.num_rows, batches)


@contextmanager
def feather_file(source: str) -> Iterator[ArrowFile]:
    """Open a Feather file, which is one of Arrow."""
    pyarrow = imported_arrow(source, "Feather")
    with parsing(source, "Feather"), pyarrow.memory_map(source) as mapped:
        file = pyarrow.ipc.open_file(mapped)

        def batches(names: list[str]) -> Iterator[Any]:
            for number in range(file.num_record_batches):
                yield file.get_batch(number).select(names)

        everything = (file.get_batch(i) for i in range(file.num_record_batches))
        yield ArrowFile(file.schema, sum(map(len, everything)), batches)


def read_columnar(
    source: str,
    only: Sequence[str] | None = None,
    without: Sequence[str] = (),
    *,
    opened: ArrowOpener,
) -> Table:
    """Read columns of finite numbers."""
    with opened(source) as file:
        names = file.schema.names
        check_unique(source, names)
        chosen = chosen_columns(source, names, only, without)
        for at in chosen:
            _check_type(source, names, at, file.schema.field(at).type)
        kept = [names[at] for at in chosen]
        values = empty_table(source, file.n_rows, len(kept))
        filled, rounded = 0, set()
        for batch in file.batches(kept):
            for at, name in enumerate(kept):
                numbers = _arrow_numbers(source, kept, at, batch.column(name), filled)
                values[filled : filled + len(batch), at] = numbers
                rounded |= {name} if is_rounded(numbers) else set()
            check_finite(source, kept, values[filled : filled + len(batch)], filled)
            filled += len(batch)
    check_size(source, filled, len(kept))
    return Table(
        tuple(kept), values[:filled], source, rounding_remarks(source, rounded)
    )


def read_columnar_raw(source: str, *, opened: ArrowOpener) -> RawTable:
    """Read columns of whatever type, as they are."""
    with opened(source) as file:
        names = list(file.schema.names)
        check_unique(source, names)
        empty_table(source, file.n_rows, len(names))  # a check that there is room
        batches = list(file.batches(names))
        columns = [
            _arrow_values([batch.column(name) for batch in batches]) for name in names
        ]
    check_size(source, file.n_rows, len(names))
    return RawTable(tuple(names), tuple(columns), source, range(1, file.n_rows + 1))


def _arrow_values(parts: Sequence[Any]) -> RawColumn:
    """A column as NumPy has it; one with gaps as objects, so that types stay."""
    if any(part.null_count for part in parts):
        values = [value for part in parts for value in part.to_pylist()]
        found = np.empty(len(values), dtype=object)
        found[:] = values
        return found
    arrays = [part.to_numpy(zero_copy_only=False) for part in parts]
    return np.concatenate(arrays)


def _check_type(source: str, names: Sequence[str], at: int, kind: Any) -> None:
    from pyarrow import types

    if types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind):
        return
    kinds = ((types.is_boolean, "b"), (types.is_temporal, "M"), (types.is_nested, "V"))
    found = next((letter for applies, letter in kinds if applies(kind)), "O")
    raise no_numbers(source, names, at, str(kind), found)


def _arrow_numbers(
    source: str, names: Sequence[str], at: int, column: Any, filled: int
) -> RawColumn:
    if column.null_count:
        row = filled + int(np.argmax(column.is_null().to_numpy(zero_copy_only=False)))
        label = column_label(names, at)
        raise malformed(
            source, NUMBERS, "a missing value", FILL_IN, row=row + 1, column=label
        )
    numbers: RawColumn = column.to_numpy(zero_copy_only=False)
    return numbers if numbers.dtype.kind in "iuf" else numbers.astype(float)


def write_parquet(file: Any, path: str, names: Sequence[str], columns: Any) -> None:
    """Write columns of any type as Parquet."""
    table = _arrow_table(path, "Parquet", names, columns)
    from pyarrow import parquet

    parquet.write_table(table, file)


def write_feather(file: Any, path: str, names: Sequence[str], columns: Any) -> None:
    """Write columns of any type as Feather."""
    table = _arrow_table(path, "Feather", names, columns)
    from pyarrow import feather

    feather.write_feather(table, file)


def _arrow_table(
    path: str, called: str, names: Sequence[str], columns: Sequence[Array | RawColumn]
) -> Any:
    pyarrow = imported_arrow(path, called)
    arrays = [
        pyarrow.array(
            column.tolist()
            if column.dtype.kind in "OU"
            else np.ascontiguousarray(column)
        )
        for column in columns
    ]
    return pyarrow.table(arrays, names=list(names))

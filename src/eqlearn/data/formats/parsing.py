"""What all readers of files share: the mistakes that columns of any kind may have."""

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np

from eqlearn._types import Array
from eqlearn.data.cells import AS_NUMBERS
from eqlearn.data.raw import RawColumn
from eqlearn.data.table import column_label
from eqlearn.errors import EqlearnError, malformed, printable

NUMBERS = "hold a finite number in every cell"
FILL_IN = "Fill the cell in or remove the row."
NO_NUMBERS = "Turn it into numbers."
#: What to do about columns of each of NumPy's kinds that are no numbers.
_HINT_OF_KIND = {
    "b": "Write 1 and 0 for true and false.",
    "M": AS_NUMBERS,
    "m": AS_NUMBERS,
    "c": "Write real and imaginary parts as two columns.",
    "V": "Give every number a column of its own.",
}


def no_numbers(
    source: str, names: Sequence[str], at: int, called: str, kind: str
) -> EqlearnError:
    """Build the error for a column of another type."""
    hint = _HINT_OF_KIND.get(kind, NO_NUMBERS)
    label = column_label(names, at)
    return malformed(source, NUMBERS, f"{called} values", hint, column=label)


def check_size(source: str, n_rows: int, n_columns: int) -> None:
    """Refuse a table without rows or without columns."""
    if not (n_rows and n_columns):
        got = f"{n_rows} rows of {n_columns} columns"
        raise malformed(source, "have rows and columns", got, "Add the samples.")


def check_finite(source: str, names: Sequence[str], values: Array, filled: int) -> None:
    """Refuse NaN and infinity, naming the first; `filled` rows came before."""
    if np.isfinite(values).all():
        return
    row, at = np.argwhere(~np.isfinite(values))[0].tolist()
    more = int((~np.isfinite(values[:, at])).sum()) - 1
    also = f" (and at least {more:,} more)" if more else ""
    raise malformed(
        source,
        NUMBERS,
        f"{values[row, at]}",
        "Remove the row.",
        row=filled + row + 1,
        column=column_label(names, at) + also,
    )


def is_rounded(numbers: RawColumn) -> bool:
    """Whether whole numbers are too long for a float to hold all their digits."""
    if numbers.dtype.kind not in "iu" or numbers.dtype.itemsize < 8 or not numbers.size:
        return False
    return int(numbers.max()) > 2**53 or int(numbers.min()) < -(2**53)


def rounding_remarks(source: str, rounded: set[str]) -> tuple[str, ...]:
    """Say which columns lose digits."""
    shown = printable(source, 160)
    return tuple(
        f"`{shown}`: numbers beyond 2^53 are rounded in column `{printable(name)}`"
        for name in sorted(rounded)
    )


@contextmanager
def parsing(source: str, called: str) -> Iterator[None]:
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

"""The table of numbers that comes in, and the checks of arrays given instead."""

import os
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from eqlearn._types import Array, Numbers
from eqlearn.errors import malformed, must, printable, unknown

#: Fourth powers of what is smaller or larger leave the range of floats.
SMALLEST, LARGEST = 1e-75, 1e75
USUAL_SIZE = f"largest value is between {SMALLEST} and {LARGEST} in size"
CHOOSE_UNIT = "Choose another unit."
#: Of two numbers in such a ratio the smaller changes nothing in their sum.
LARGEST_RATIO = 1e15
#: Sizes of an input, in ranges of it, beyond which powers of it lose half their digits.
LARGEST_OFFSET = 1e6


@dataclass(frozen=True, eq=False)
class Table:
    """Named columns of finite numbers, and what a user should know about them."""

    names: tuple[str, ...]  # (D,) exactly as in the file
    values: Array  # (N, D) floats
    source: str  # the file, as the user named it
    warnings: tuple[str, ...] = ()


def columns_named(
    names: Sequence[str], wanted: Sequence[str], *, source: str = ""
) -> list[int]:
    """Find many columns by name, in their order, as `column_of` finds one."""
    places = {name: at for at, name in reversed(list(enumerate(names)))}
    return [
        places[name] if name in places else column_of(names, name, source=source)
        for name in wanted
    ]


def column_of(
    names: Sequence[str], wanted: str, *, asked: str = "column", source: str = ""
) -> int:
    """Find a column by name; blanks around it and how accents are coded are forgiven.

    Parameters
    ----------
    names : sequence of str
        The names to choose from.
    wanted : str
        The name as the user typed it.
    asked : str
        The parameter it was typed for, for the message.
    source : str
        The file the names come from, for the message.
    """
    if wanted in names:
        return names.index(wanted)
    same = [at for at, name in enumerate(names) if _plain(name) == _plain(wanted)]
    where = f"for `{printable(source)}`" if source else ""
    if not same:
        raise unknown(asked, wanted, names, where=where)
    if len(same) > 1:
        alike = tuple(names[at] for at in same)
        what = f"the name of one column, exactly one of {printable(repr(alike))}"
        raise must(asked, what, wanted, "Rename the columns.", where=where)
    return same[0]


def chosen_columns(
    source: str,
    names: Sequence[str],
    only: Sequence[str] | None,
    without: Sequence[str] = (),
) -> list[int]:
    """Return the columns to read, in the order of the file: all, or only some."""
    left_out = {
        column_of(names, name, asked="exclude", source=source) for name in without
    }
    if only is None:
        return [at for at in range(len(names)) if at not in left_out]
    if not only:
        hint = "Leave it out to read all columns."
        raise must("only", "at least one column", only, hint)
    return sorted(set(columns_named(names, only, source=source)))


def check_unique(source: str, names: Sequence[str], *, row: int | None = None) -> None:
    """Refuse names that occur twice: no one could say which column is meant."""
    seen: dict[str, int] = {}
    for at, name in enumerate(names):
        if name in seen:
            which = f"`{printable(name)}`" if name.strip() else "an empty name"
            raise malformed(
                source,
                "name every column differently",
                f"{which} for columns {seen[name] + 1} and {at + 1}",
                "Rename one of them.",
                row=row,
            )
        seen[name] = at


def column_label(names: Sequence[str], at: int) -> str:
    """Name a column in a message: by its name, or by its number if it has none."""
    name = names[at]
    return f"`{printable(name)}`" if name.strip() else f"{at + 1} (without a name)"


def empty_table(source: str, n_rows: int, n_columns: int) -> Array:
    """Make room for a table, or say that the machine has not enough of it."""
    check_memory(source, 8 * n_rows * n_columns)
    return np.empty((n_rows, n_columns))


def check_memory(source: str, n_bytes: int) -> None:
    """Refuse a table with which the machine could not work."""
    memory = _memory()
    # Reading takes little more than the numbers; fitting holds them about three times.
    if 3 * n_bytes > memory:
        raise malformed(
            source,
            f"fit three times into the memory of {memory / 2**30:,.1f} GB",
            f"{n_bytes / 2**30:,.1f} GB of numbers",
            "Take fewer rows or columns.",
        )


def _memory() -> float:
    try:
        return float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (AttributeError, ValueError, OSError):  # not every system tells
        return float("inf")


def _plain(name: str) -> str:
    return unicodedata.normalize("NFC", name).strip()


def checked_samples(x: Numbers, y: Numbers) -> tuple[Array, Array]:
    """Return inputs (N, D) and targets (N, M) as finite floats of equal length."""
    inputs, targets = checked_columns("x", x), checked_columns("y", y)
    if len(inputs) != len(targets):
        raise must("y", f"as long as x, {len(inputs)} rows", len(targets))
    return inputs, targets


def checked_columns(name: str, values: Numbers) -> Array:
    """Return a table of finite floats, or say which entry is none."""
    try:
        table = np.asarray(values, dtype=float)
    except (TypeError, ValueError) as error:
        raise must(name, "a table of numbers", type(values).__name__) from error
    if table.ndim != 2 or 0 in table.shape:
        raise must(name, "a table of samples by columns", table)
    bad = np.argwhere(~np.isfinite(table))
    if len(bad):
        row, column = bad[0]
        more = f" (and {len(bad) - 1} more)" if len(bad) > 1 else ""
        where = f"in row {row}, column {column}{more}"
        hint = "Remove these rows."
        raise must(name, "finite everywhere", table[row, column], hint, where=where)
    for column, largest in enumerate(sizes(table)):
        if not has_usual_size(largest):
            what, where = (
                f"a table of columns whose {USUAL_SIZE}",
                f"in column {column}",
            )
            raise must(name, what, largest, CHOOSE_UNIT, where=where)
    return table


def sizes(columns: Array) -> list[float]:
    """The largest size of a number in each column."""
    largest: Array = np.maximum(columns.max(axis=0), -columns.min(axis=0))
    return [float(size) for size in largest]


def has_usual_size(largest: float) -> bool:
    """Whether one can compute with numbers up to this size."""
    return largest == 0 or SMALLEST <= largest <= LARGEST


def checked_weight(weight: Numbers, n: int) -> Array:
    """Return one finite weight of at least zero for each of `n` samples."""
    try:
        values = np.asarray(weight, dtype=float)
    except (TypeError, ValueError) as error:
        raise must("weight", "a list of numbers", type(weight).__name__) from error
    if values.shape != (n,):
        raise must("weight", f"one number for each of the {n} samples", values)
    bad = np.flatnonzero(~(np.isfinite(values) & (values >= 0)))
    if len(bad):
        where = f"in row {bad[0]}"
        raise must("weight", "finite and at least 0", values[bad[0]], where=where)
    if not np.any(values > 0):
        raise must("weight", "above 0 for some samples", values)
    return values


def weight_remarks(weight: Array) -> list[str]:
    """What a user should know of weights that make some samples count for nothing."""
    counted = weight[weight > 0]
    least, most = float(counted.min()), float(counted.max())
    if most < LARGEST_RATIO * least:
        return []
    so = "beside the largest, the smallest count for nothing"
    return [f"weights from {least:.3g} to {most:.3g}: {so}"]


def offset_remarks(names: Sequence[str], x: Array) -> list[str]:
    """What a user should know of inputs that hardly differ beside their size."""
    low, high = x.min(axis=0), x.max(axis=0)
    size = np.maximum(np.abs(low), np.abs(high))
    is_far_off = (high > low) & (size > LARGEST_OFFSET * (high - low))
    return [
        f"input `{printable(names[i])}` is near {low[i]:.6g} and varies by "
        f"{high[i] - low[i]:.3g}: digits are lost; subtract its smallest value"
        for i in np.flatnonzero(is_far_off).tolist()
    ]


def checked_domain(domain: Numbers, n_inputs: int) -> tuple[Array, Array]:
    """Return the lowest and highest values of a domain of (low, high) per input."""
    try:
        ranges = np.asarray(domain, dtype=float)
    except (TypeError, ValueError) as error:
        what = "pairs of numbers (low, high)"
        raise must("domain", what, type(domain).__name__) from error
    if ranges.shape != (n_inputs, 2):
        raise must(
            "domain", f"one (low, high) for each of the {n_inputs} inputs", ranges
        )
    for column, (low, high) in enumerate(ranges.tolist()):
        if not -LARGEST <= low <= high <= LARGEST:
            what = f"low <= high, both within ±{LARGEST}, for input {column}"
            raise must("domain", what, (low, high))
    return ranges[:, 0], ranges[:, 1]

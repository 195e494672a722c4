"""Tables to learn from whose columns are not all numbers: words, truth values, gaps.

A column of words becomes inputs that are 1 where it has a word and 0 elsewhere.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

import numpy as np

from eqlearn._types import Array
from eqlearn.data.cells import CORRECT
from eqlearn.data.formats.parsing import FILL_IN
from eqlearn.data.raw import RawTable, is_words, missing_cells, raw_numbers
from eqlearn.data.read import read_raw, read_table
from eqlearn.data.table import Table, chosen_columns, column_label, column_of
from eqlearn.errors import EqlearnError, malformed, must, printable

#: The words of each column that has some, in order.
Categories: TypeAlias = Mapping[str, tuple[str, ...]]

#: Words of a column beyond which they are names of rows rather than kinds of them.
MOST_WORDS = 20
_MANY_WORDS = f"hold numbers or at most {MOST_WORDS} different words"


def read_mixed(
    source: str,
    only: Sequence[str] | None = None,
    without: Sequence[str] = (),
    *,
    numeric: Sequence[str] = (),
    categories: Sequence[str] = (),
    drop_missing: bool = False,
) -> tuple[Table, Categories]:
    """Read a table as numbers, and say which columns of it were words.

    Parameters
    ----------
    source : str
        The table.
    only, without : sequences of str
        The columns to read, all by default; columns to leave out.
    numeric : sequence of str
        Columns that must be numbers, such as targets.
    categories : sequence of str
        Columns whose numbers are kinds of rows rather than quantities.
    drop_missing : bool
        Leave out rows with a gap in any of the columns, and say how many.
    """
    choice = numeric, categories, drop_missing
    if categories or drop_missing:
        return _read_mixed(source, only, without, *choice)
    try:
        return read_table(source, only, without), {}
    except EqlearnError as refused:
        try:
            table, kinds = _read_mixed(source, only, without, *choice)
        except EqlearnError as error:
            # What is wrong with a column of words is news, and a gap; all else was
            # said before.
            line = str(error)
            is_news = line.endswith(FILL_IN) or _MANY_WORDS in line
            raise (error if is_news else refused) from None
        if len(table.names) <= len(set(numeric)):
            raise
        return table, kinds


def _read_mixed(
    source: str,
    only: Sequence[str] | None,
    without: Sequence[str],
    numeric: Sequence[str],
    categories: Sequence[str],
    drop_missing: bool,
) -> tuple[Table, Categories]:
    raw = read_raw(source)
    raw = raw.taken(chosen_columns(source, raw.names, only, without))
    words = _columns_of_words(raw, numeric, categories)
    return encoded_raw(without_gaps(raw) if drop_missing else raw, words)


def _columns_of_words(
    raw: RawTable, numeric: Sequence[str], categories: Sequence[str]
) -> list[int]:
    said = [
        column_of(raw.names, name, asked="categories", source=raw.source)
        for name in categories
    ]
    fixed = {column_of(raw.names, name, source=raw.source) for name in numeric}
    for at in fixed.intersection(said):
        what, hint = "inputs", "Leave it out of one of them."
        raise must("categories", what, raw.names[at], hint, where="as a target")
    return [
        at
        for at, column in enumerate(raw.columns)
        if at in said or (at not in fixed and is_words(column))
    ]


def without_gaps(raw: RawTable) -> RawTable:
    """Leave out the rows that have a gap, and say how many."""
    has_gap = np.any([missing_cells(column) for column in raw.columns], axis=0)
    n_dropped = int(np.sum(has_gap))
    if n_dropped == len(raw.rows):
        hint = "Leave out columns that are empty."
        raise malformed(raw.source, "have rows without gaps", "none", hint)
    if not n_dropped:
        return raw
    found = f"{n_dropped:,} of {len(raw.rows):,} rows have gaps and are left out"
    remark = f"`{printable(raw.source)}`: {found}"
    return replace(raw.kept(~has_gap), warnings=(*raw.warnings, remark))


def encoded_raw(raw: RawTable, words: Sequence[int]) -> tuple[Table, Categories]:
    """A table of numbers, in which these columns are encoded."""
    names: list[str] = []
    columns: list[Array] = []
    remarks = list(raw.warnings)
    categories: dict[str, tuple[str, ...]] = {}
    for at, name in enumerate(raw.names):
        if at not in words:
            names.append(name)
            columns.append(raw_numbers(raw, at))
            continue
        kinds = _kinds(raw, at)
        categories[name] = kinds
        given = encoded_column(name, kinds, cells_of(raw, at))
        names += given
        columns += given.values()
        remarks.append(f"`{printable(raw.source)}`: {_in_words(raw, at, given)}")
    return _checked_table(raw, names, columns, remarks), categories


def _checked_table(
    raw: RawTable, names: list[str], columns: list[Array], remarks: list[str]
) -> Table:
    for name in names:
        if names.count(name) > 1:
            hint = "Rename the column."
            raise malformed(raw.source, "have no other column of this name", name, hint)
    if not columns:
        hint = "Add the columns it depends on."
        raise malformed(raw.source, "have columns that vary", "none", hint)
    return Table(tuple(names), np.column_stack(columns), raw.source, tuple(remarks))


def cells_of(raw: RawTable, at: int) -> list[str]:
    """The cells of a column as texts, without blanks around them."""
    gaps = np.flatnonzero(missing_cells(raw.columns[at]))
    if len(gaps):
        hint = FILL_IN
        label = column_label(raw.names, at)
        what = "have no gaps"
        row = raw.rows[gaps[0]]
        raise malformed(
            raw.source, what, "a missing value", hint, row=row, column=label
        )
    return [str(value).strip() for value in raw.columns[at].tolist()]


def _kinds(raw: RawTable, at: int) -> tuple[str, ...]:
    kinds = tuple(sorted(set(cells_of(raw, at))))
    if len(kinds) <= MOST_WORDS:
        return kinds
    got = f"{len(kinds)} of them, such as {printable(repr(kinds[0]))}"
    label = column_label(raw.names, at)
    raise malformed(raw.source, _MANY_WORDS, got, CORRECT, column=label)


def encoded_column(
    name: str, kinds: Sequence[str], cells: Sequence[str]
) -> dict[str, Array]:
    """Inputs `name=kind` that are 1 or 0; the first of two kinds needs none."""
    told = kinds[1:] if len(kinds) <= 2 else kinds
    return {
        f"{name}={kind}": np.array([float(cell == kind) for cell in cells])
        for kind in told
    }


def _in_words(raw: RawTable, at: int, given: Mapping[str, Array]) -> str:
    label = column_label(raw.names, at)
    if not given:
        return f"column {label} has one word in all rows and is left out"
    inputs = ", ".join(f"`{printable(name)}`" for name in given)
    is_one = len(given) == 1
    what = f"input {inputs}, which is" if is_one else f"inputs {inputs}, which are"
    return f"column {label} has words; it becomes {what} 1 or 0"


def needed_columns(
    raw: RawTable, inputs: Sequence[str], categories: Categories
) -> RawTable:
    """The columns that inputs are computed from, or which of them are missing."""
    from_words = {
        given: name
        for name, kinds in categories.items()
        for given in encoded_column(name, kinds, ())
    }
    needed = [*dict.fromkeys(from_words.get(name, name) for name in inputs)]
    found = raw.taken(_places(raw, needed))
    return replace(found, names=tuple(needed))


def inputs_of(
    raw: RawTable, inputs: Sequence[str], categories: Categories
) -> tuple[Array, tuple[str, ...]]:
    """The inputs (N, D) of a model in a table, and what a user should know of them."""
    raw = needed_columns(raw, inputs, categories)
    found: dict[str, Array] = {}
    remarks: list[str] = []
    for at, name in enumerate(raw.names):
        if name not in categories:
            found[name] = raw_numbers(raw, at)
            continue
        cells = cells_of(raw, at)
        is_new = np.array([cell not in categories[name] for cell in cells])
        if is_new.any():
            new = printable(repr(cells[int(np.argmax(is_new))]))
            remarks.append(
                f"`{printable(raw.source)}`: column `{printable(name)}` has words that "
                f"were not learned from, such as {new}: no prediction there"
            )
        for given, column in encoded_column(name, categories[name], cells).items():
            found[given] = np.where(is_new, np.nan, column)
    return np.column_stack([found[name] for name in inputs]), tuple(remarks)


def _places(raw: RawTable, needed: Sequence[str]) -> list[int]:
    """Where columns are, or which of them are not there at all."""
    places: dict[str, int] = {}
    for name in needed:
        try:
            places[name] = column_of(raw.names, name, source=raw.source)
        except EqlearnError as error:
            # Of the same name but for blanks: said as it is, for it is no column less.
            if "exactly one of" in str(error):
                raise
    missing = [name for name in needed if name not in places]
    if missing:
        what = "have the columns that the equations need: "
        what += ", ".join(f"`{printable(name)}`" for name in needed)
        got = f"no {', '.join(f'`{printable(name)}`' for name in missing)}"
        has = printable(", ".join(raw.names), 160)
        raise malformed(raw.source, what, got, f"It has {has}; rename or add them.")
    return [places[name] for name in needed]


def group_cells(raw: RawTable, name: str) -> list[str]:
    """The group of each row, by a column of words or numbers that must be there."""
    (at,) = _places(raw, [name])
    cells_of(raw, at)  # which refuses gaps
    return [group_text(value) for value in raw.columns[at].tolist()]


def group_text(value: object) -> str:
    """A group as text: what reads 3 in one table and 3.0 in another is one group."""
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return str(int(value))
    return str(value).strip()


def read_groups(
    source: str,
    name: str,
    only: Sequence[str] | None = None,
    without: Sequence[str] = (),
    *,
    drop_missing: bool = False,
) -> list[str]:
    """The groups of the rows that `read_mixed` keeps of the same columns.

    Where gaps are to be left out, a row that only lacks its group has the group "".
    """
    raw = read_raw(source)
    at = column_of(raw.names, name, asked="groups", source=source)
    if not drop_missing:
        return group_cells(raw, raw.names[at])
    used = raw.taken(chosen_columns(source, raw.names, only, without))
    has_gap = np.any([missing_cells(one) for one in used.columns], axis=0)
    column = raw.kept(~has_gap).columns[at]
    pairs = zip(column.tolist(), missing_cells(column), strict=True)
    return ["" if is_missing else group_text(value) for value, is_missing in pairs]

"""What `groups` may be: a column of the inputs, or a group for each row."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from eqlearn._types import Array, Booleans, Integers
from eqlearn.data.mixed import group_text
from eqlearn.errors import must, unknown
from eqlearn.model.file_schema import MOST_GROUPS
from eqlearn.model.group_constants import Groups

_EACH = "a group for each row, or the name of a column of `X`"
#: What a group is called that has no name of its own.
DEFAULT_COLUMN = "group"


@dataclass(frozen=True, eq=False)
class TakenGroups:
    """The groups of rows: what tells them apart, their names, and each row's number."""

    column: str
    names: tuple[str, ...]
    labels: Integers  # (N,)

    def kept(self, rows: Booleans) -> "TakenGroups":
        """The groups of some of the rows."""
        return numbered(self.column, [self.names[i] for i in self.labels[rows]])


def taken_groups(X: Any, groups: Any) -> tuple[Any, TakenGroups | None]:
    """The inputs without a column that tells groups apart, and the groups."""
    if groups is None:
        return X, None
    rest, column, cells = split_off(X, groups)
    if len(cells) != len(X):
        raise must("groups", f"as long as `X`, {len(X)} rows", len(cells))
    taken = numbered(column, [_checked(cell, row) for row, cell in enumerate(cells)])
    n, n_rows = len(taken.names), len(taken.labels)
    if n < 2:
        hint = "Leave `groups` out, or check the column."
        raise must("groups", "of at least two groups", f"{n}", hint)
    if n > MOST_GROUPS:
        hint = "Is it a number of rows?"
        raise must("groups", f"of at most {MOST_GROUPS} groups", f"{n}", hint)
    if n_rows < 2 * n:
        hint = "Is it a number of rows?"
        what = "groups of several rows each"
        raise must("groups", what, f"{n} groups of {n_rows} rows", hint)
    return rest, taken


def numbered(column: str, cells: Sequence[str]) -> TakenGroups:
    """Groups in the order in which they come."""
    names = tuple(dict.fromkeys(cells))
    numbers = {name: number for number, name in enumerate(names)}
    return TakenGroups(column, names, np.array([numbers[cell] for cell in cells], int))


def split_off(X: Any, groups: Any) -> tuple[Any, str, list[Any]]:
    """Inputs without the column of groups, its name, and its cells."""
    if isinstance(groups, str):
        columns = getattr(X, "columns", None)
        if columns is None:
            hint = "Give the groups as a list, or `X` as a data frame."
            raise must("groups", "a list where `X` has no column names", groups, hint)
        if groups not in list(columns):
            raise unknown("groups", groups, [str(name) for name in columns])
        if len(list(columns)) == 1:
            hint = "Add columns that the target depends on."
            raise must("X", "of other columns beside the groups", groups, hint)
        cells = np.asarray(X[groups]).tolist()
        rest = X.drop(columns=groups) if hasattr(X, "iloc") else X.drop(groups)
        return rest, groups, cells
    name = getattr(groups, "name", None)
    if isinstance(groups, bytes | dict) or not hasattr(groups, "__len__"):
        raise must("groups", _EACH, groups)
    array = np.asarray(groups, dtype=object)
    if array.ndim != 1:
        raise must("groups", f"{_EACH}, in one dimension", array.shape)
    return X, name if isinstance(name, str) and name else DEFAULT_COLUMN, array.tolist()


def _checked(cell: Any, row: int) -> str:
    is_missing = cell is None or cell != cell or str(cell) in ("<NA>", "NaT")
    name = "" if is_missing else group_text(cell)
    if not name:
        hint = "Fill it in, or leave the row out."
        raise must(
            "groups", "known in every row", "a gap", hint, where=f"in row {row + 1}"
        )
    return name


def check_settings(learner: Any, extrapolation: Any) -> None:
    """Refuse what cannot be combined with groups."""
    if extrapolation is not None:
        hint = "Put far points among the rows, each with its group."
        raise must(
            "extrapolation", "left out where there are groups", "far points", hint
        )
    if learner.recipe != "fast":
        hint = "Leave the recipe out, or the groups."
        raise must("recipe", "fast where there are groups", learner.recipe, hint)


def rows_with_constants(
    known: Groups | None, X: Any, groups: Any, validated: Any
) -> tuple[Array, Array | None]:
    """Inputs (N, D) and the constants of each row's group; and errors of these.

    `validated` checks the measured inputs.
    """
    if known is None:
        if groups is not None:
            hint = "Leave it out, or `fit` with groups."
            raise must("groups", "given where groups were learned", groups, hint)
        return validated(X), None
    X, cells = _cells(known, X, groups)
    x = validated(X)
    if len(cells) != len(x):
        raise must("groups", f"as long as `X`, {len(x)} rows", len(cells))
    return np.concatenate([x, known.columns(cells)], axis=1), known.errors(cells)


def _cells(known: Groups, X: Any, groups: Any) -> tuple[Any, list[Any]]:
    columns = [str(name) for name in getattr(X, "columns", ())]
    if groups is None and known.column in columns:
        groups = known.column
    if groups is None:
        hint = f"Give one for each row, such as {known.names[0]!r}, or one for all."
        raise must("groups", f"given, by {known.column}", None, hint)
    if isinstance(groups, str) and groups not in columns:
        known.number_of(groups)
        rest = X
        if known.column in columns:
            rest, _, _ = split_off(X, known.column)
        return rest, [groups] * len(X)
    rest, _, cells = split_off(X, groups)
    if not isinstance(groups, str) and known.column in columns:
        rest, _, _ = split_off(X, known.column)
    return rest, [_checked(cell, row) for row, cell in enumerate(cells)]

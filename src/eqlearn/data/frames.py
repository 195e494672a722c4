"""Data frames of pandas or polars that have columns of words beside numbers."""

from typing import Any

import numpy as np

from eqlearn.data.mixed import Categories, encoded_raw, inputs_of
from eqlearn.data.raw import RawTable, is_words
from eqlearn.errors import must


def encoded_frame(name: str, frame: Any) -> tuple[Any, Categories]:
    """The same frame with inputs of 1 and 0 in the place of each column of words.

    Whatever has no named columns, or no words in them, is returned as it is.
    """
    raw = _raw_of(name, frame)
    words = [] if raw is None else [i for i, c in enumerate(raw.columns) if is_words(c)]
    if raw is None or not words:
        return frame, {}
    table, categories = encoded_raw(raw, words)
    return _frame(table.names, table.values), categories


def encoded_like(
    name: str, frame: Any, inputs: tuple[str, ...], categories: Categories
) -> Any:
    """A frame encoded as the one that was learned from."""
    raw = _raw_of(name, frame) if categories else None
    if raw is None:
        return frame
    # A column that had one word only has become no input, but is still there.
    has_words = any(one in raw.names for one in categories)
    if set(inputs) <= set(raw.names) and not has_words:
        return frame
    values, new_words = inputs_of(raw, inputs, categories)
    if new_words:
        what = "of words that were learned from"
        raise must(name, what, "others", new_words[0].partition(": ")[2] + ".")
    return _frame(inputs, values)


def _raw_of(name: str, frame: Any) -> RawTable | None:
    columns = getattr(frame, "columns", None)
    if columns is None or not all(isinstance(one, str) for one in columns):
        return None
    arrays = tuple(np.asarray(frame[one]) for one in columns)
    if any(array.ndim != 1 for array in arrays):  # a name that occurs twice
        return None
    n_rows = len(frame)
    return RawTable(tuple(columns), arrays, name, range(n_rows))


def _frame(names: tuple[str, ...], values: Any) -> Any:
    import pandas

    return pandas.DataFrame(values, columns=list(names), copy=False)

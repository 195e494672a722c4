"""Checks of the numbers that come in; reading files is for later."""

import numpy as np

from eqlearn._types import Array
from eqlearn.errors import must


def checked_samples(x: Array, y: Array) -> tuple[Array, Array]:
    """Return inputs (N, D) and targets (N, M) as finite floats of equal length."""
    x, y = checked_columns("x", x), checked_columns("y", y)
    if len(x) != len(y):
        raise must("y", f"as long as x, {len(x)} rows", len(y))
    return x, y


def checked_columns(name: str, values: Array) -> Array:
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
    return table


def checked_domain(domain: Array, n_inputs: int) -> tuple[Array, Array]:
    """Return the lowest and highest values of a domain of (low, high) per input."""
    ranges = np.asarray(domain, dtype=float)
    if ranges.shape != (n_inputs, 2):
        raise must(
            "domain", f"one (low, high) for each of the {n_inputs} inputs", ranges
        )
    for column, (low, high) in enumerate(ranges.tolist()):
        if not (np.isfinite(low) and np.isfinite(high) and low < high):
            what = f"finite with low < high for input {column}"
            raise must("domain", what, (low, high))
    return ranges[:, 0], ranges[:, 1]

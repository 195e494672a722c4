"""How much memory something may take, as people write it."""

import re

from eqlearn.errors import is_whole, must

_WRITTEN = r"\s*(\d{1,12}(?:\.\d{1,12})?)\s*([KMGT]?)i?B?\s*"
_UNITS_OF_MEMORY = {"": 1.0, "K": 2.0**10, "M": 2.0**20, "G": 2.0**30, "T": 2.0**40}
#: With less no process could load what it computes with.
LEAST = 0.5 * 2.0**30


def n_bytes(memory: float | str | None) -> float | None:
    """Memory in bytes: a number of them, or a text like "800M" or "4G".

    Examples
    --------
    >>> n_bytes("4G") == 4 * 2**30
    True
    """
    if memory is None:
        return None
    found = re.fullmatch(_WRITTEN, memory, re.I) if isinstance(memory, str) else None
    if found is not None:
        amount = float(found[1]) * _UNITS_OF_MEMORY[found[2].upper()]
    elif isinstance(memory, float) or is_whole(memory):
        amount = float(memory)
    else:
        raise must("memory", 'bytes, or a text like "800M" or "4G"', memory)
    if not LEAST <= amount < float("inf"):
        raise must("memory", "at least 512M", memory)
    return amount

"""How long something may take, as people write it."""

import re

from eqlearn.errors import is_whole, must

_WRITTEN = r"\s*(\d+(?:\.\d+)?)\s*([smhd]?)\s*"
_UNITS_OF_TIME = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


def seconds(limit: float | str | None) -> float | None:
    """A time limit in seconds: a number, or a text like "90s", "5m" or "2h".

    Examples
    --------
    >>> seconds("5m")
    300.0
    """
    if limit is None or isinstance(limit, float):
        return limit
    if is_whole(limit):
        return float(limit)
    found = re.fullmatch(_WRITTEN, limit) if isinstance(limit, str) else None
    if found is None:
        raise must("time_limit", 'seconds, or a text like "90s" or "5m"', limit)
    return float(found[1]) * _UNITS_OF_TIME[found[2] or "s"]

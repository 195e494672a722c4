"""How long something may take, as people write it."""

import re

from eqlearn.errors import must

_UNITS_OF_TIME = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


def seconds(limit: float | str | None) -> float | None:
    """A time limit in seconds: a number, or a text like "90s", "5m" or "2h".

    Examples
    --------
    >>> seconds("5m")
    300.0
    """
    if not isinstance(limit, str):
        return limit
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([smhd]?)\s*", limit)
    if found is None:
        raise must("time_limit", 'seconds, or a text like "90s" or "5m"', limit)
    return float(found[1]) * _UNITS_OF_TIME[found[2] or "s"]

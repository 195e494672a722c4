"""How long something may take, as people write it."""

import re

from eqlearn.errors import is_whole, must

_PART = r"(\d+(?:\.\d+)?)\s*([a-z]*)"
_WRITTEN = rf"\s*{_PART}(?:\s*{_PART})*\s*"
#: Seconds in each unit, by all of its names.
_UNITS_OF_TIME = {
    name: length
    for length, names in (
        (1.0, " s sec secs second seconds"),
        (60.0, "m min mins minute minutes"),
        (3600.0, "h hr hrs hour hours"),
        (86400.0, "d day days"),
    )
    for name in names.split(" ")
}


def seconds(limit: float | str | None, name: str = "time_limit") -> float | None:
    """A time limit in seconds: a number, or a text like "90s", "5min" or "1h 30m".

    Examples
    --------
    >>> seconds("5min")
    300.0
    """
    if limit is None or isinstance(limit, float):
        return limit
    if is_whole(limit):
        return float(limit)
    text = limit.strip().lower() if isinstance(limit, str) else ""
    parts = re.findall(_PART, text) if re.fullmatch(_WRITTEN, text) else []
    is_one = len(parts) == 1 or all(unit for _, unit in parts)
    if not parts or not is_one or any(unit not in _UNITS_OF_TIME for _, unit in parts):
        raise must(name, 'seconds, or a text like "90s" or "5min"', limit)
    return sum(float(number) * _UNITS_OF_TIME[unit] for number, unit in parts)

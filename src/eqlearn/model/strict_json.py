"""JSON from strangers: read as plain data within limits, and written to be read.

Nothing that is read can exhaust the stack, the memory or the patience of the reader:
nesting, integers and objects have a largest size, and numbers are finite.
"""

import json
import math
import re
from collections import Counter
from typing import Any

import numpy as np

from eqlearn.errors import must
from eqlearn.network.document import MOST_INPUTS, MOST_UNITS

_DEEPEST = 32
_LONGEST_INTEGER = 16  # digits with a sign, all that a float can tell apart
_MOST_KEYS = 1 + MOST_INPUTS + MOST_UNITS  # weights of one linear combination
_WIDTH = 88


def to_bytes(document: dict[str, Any]) -> bytes:
    """Write a document as JSON, with what fits into a line on one line."""
    try:
        compact = json.dumps(document, allow_nan=False, default=_plain)
    except (TypeError, ValueError, RecursionError) as error:
        hint = "Use finite numbers, text, lists and dictionaries."
        raise must("model", "of values that JSON has", str(error), hint) from error
    _refuse_deep(compact)
    # Through the text, in which tuples and arrays have become lists.
    return (_laid_out(json.loads(compact)) + "\n").encode()


def from_bytes(content: bytes) -> Any:
    """Read JSON; what is none, or beyond the limits, is refused in one line."""
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        where = f"at byte {error.start}"
        raise must("content", "text in UTF-8", content[:8], where=where) from error
    _refuse_deep(text)
    try:
        return json.loads(
            text,
            object_pairs_hook=_without_duplicates,
            parse_int=_integer,
            parse_float=_finite,
            parse_constant=_finite,
        )
    except json.JSONDecodeError as error:
        where = f"in line {error.lineno}, column {error.colno}"
        raise must("content", "JSON", error.msg, where=where) from error


def _plain(value: object) -> object:
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    raise TypeError(f"no {type(value).__name__}")


def _laid_out(value: Any, indent: int = 0) -> str:
    line = json.dumps(value)
    if len(line) + indent <= _WIDTH or not isinstance(value, list | dict):
        return line
    if isinstance(value, list):
        rows = [_laid_out(item, indent + 1) for item in value]
    else:
        rows = [
            f"{json.dumps(key)}: {_laid_out(item, indent + 1)}"
            for key, item in value.items()
        ]
    pad = "\n" + " " * indent
    return f"{line[0]}{pad} {f',{pad} '.join(rows)}{pad}{line[-1]}"


# Possessive, so that a string that never ends is read once only.
_STRING_OR_BRACKET = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[\[{]|[\]}]', re.DOTALL)
_STEPS = {"[": 1, "{": 1, "]": -1, "}": -1}


def _refuse_deep(text: str) -> None:
    """Refuse nesting that would exhaust the stack of whoever reads it."""
    depth = 0
    for match in _STRING_OR_BRACKET.finditer(text):
        depth += _STEPS.get(match[0], 0)
        if depth > _DEEPEST:
            where = f"at character {match.start()}"
            raise must("nesting", f"at most {_DEEPEST} deep", depth, where=where)


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(pairs) > _MOST_KEYS:
        raise must("keys", f"at most {_MOST_KEYS} in one object", len(pairs))
    if len(found) < len(pairs):
        ((twice, _),) = Counter(key for key, _ in pairs).most_common(1)
        raise must("keys", "different from each other", twice, "It is there twice.")
    return found


def _integer(digits: str) -> int:
    if len(digits) > _LONGEST_INTEGER:
        what = f"of at most {_LONGEST_INTEGER} digits"
        raise must("integers", what, f"{digits[:8]}… of {len(digits)}")
    return int(digits)


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise must("numbers", "finite", digits)
    return number

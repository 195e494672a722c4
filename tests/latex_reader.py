"""Reads the LaTeX of a formula back into numbers: an independent judge of the export.

It knows what SymPy writes for the units of this library, and nothing else.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

TOKEN = re.compile(
    r"\\mathrm\{(?:[^{}]|\{[^{}]*\})*\}|\\[A-Za-z]+|\d+(?:\.\d+)?"
    r"|[A-Za-z](?:_\{\d+\})?|[-+^{}()|]|\s+|."
)
FUNCTIONS: dict[str, Callable[..., Any]] = {
    r"\sin": np.sin,
    r"\cos": np.cos,
    r"\log": np.log,
    r"\tanh": np.tanh,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
}


def latex_values(text: str, columns: Mapping[str, Any]) -> Any:
    """Compute a formula; `columns` are values by the LaTeX of their names."""
    tokens = [token for token in TOKEN.findall(text) if token.strip()]
    reader = _Reader(tokens, columns)
    value = reader.sum()
    if reader.tokens:
        raise ValueError(f"cannot read {reader.tokens[:5]} in {text}")
    return value


class _Reader:
    def __init__(self, tokens: list[str], columns: Mapping[str, Any]) -> None:
        self.tokens = tokens
        self.columns = columns

    def next(self) -> str:
        return self.tokens[0] if self.tokens else ""

    def take(self, *expected: str) -> str:
        token = self.tokens.pop(0)
        if expected and token not in expected:
            raise ValueError(f"{token!r} instead of {expected}")
        return token

    def sum(self) -> Any:
        total = 0.0
        while self.next() not in ("", "}", r"\right"):
            sign = 1.0
            if self.next() in ("+", "-"):
                sign = -1.0 if self.take() == "-" else 1.0
            total = total + sign * self.product()
        return total

    def product(self) -> Any:
        value = self.power()
        while self.next() not in ("", "+", "-", "}", r"\right"):
            if self.next() == r"\cdot":
                self.take()
            value = value * self.power()
        return value

    def power(self) -> Any:
        token = self.take()
        if token == r"\operatorname":  # what TeX has no command for: asin, acos, atan
            token = "".join(iter(lambda: self.take(), "}")).lstrip("{")
        if token in FUNCTIONS:
            exponent = self.exponent()
            value = FUNCTIONS[token](self.braced()) ** exponent
            return value ** self.exponent()  # of a logarithm it stands behind
        base = self.base(token)
        exponent = self.exponent()
        return np.exp(exponent) if token == "e" else base**exponent

    def exponent(self) -> Any:
        if self.next() != "^":
            return 1.0
        self.take()
        return self.braced()

    def base(self, token: str) -> Any:
        if token in self.columns:
            return self.columns[token]
        if token == r"\frac":
            return self.braced() / self.braced()
        if token == r"\sqrt":
            return np.sqrt(self.braced())
        if token == r"\pi":
            return np.pi
        if token == "{":
            value = self.sum()
            self.take("}")
            return value
        if token == r"\left":
            self.take("(")
            value = self.sum()
            self.take(r"\right")
            self.take(")")
            return value
        return np.e if token == "e" else float(token)

    def braced(self) -> Any:
        self.take("{")
        value = self.sum()
        self.take("}")
        return value

"""The grammar of formulas that users write: text becomes a tree, and no code is run.

    sum      = product { ("+" | "-") product }
    product  = factor { ("*" | "/") factor }
    factor   = ("+" | "-") factor | power
    power    = atom [ ("^" | "**") factor ]
    atom     = number | name | name "(" sum { "," sum } ")" | "(" sum ")"

A name is a word, or anything between backticks: `T [K]`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NoReturn

from eqlearn.errors import must

_TOKEN = re.compile(
    r"\s*(?:(?P<number>(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?)|`(?P<quoted>[^`]+)`"
    r"|(?P<word>[^\W\d]\w*)|(?P<sign>\*\*|[-+*/^(),·×−]))"
)
#: Signs that people also write, and what is meant.
_MEANT = {"**": "^", "·": "*", "×": "*", "−": "-"}
#: What no one types; longer or deeper ones would only keep the parser busy.
LONGEST, DEEPEST = 2_000, 40

LIKE = "a formula like a*sin(b*x) + c"


@dataclass(frozen=True)
class Parsed:
    """A number, a name, or an operator or function with its arguments."""

    kind: str  # number, name or call
    text: str  # the name, or what is called: + - * / ^ or a function
    value: float = 0.0  # of a number
    arguments: tuple["Parsed", ...] = ()

    def names(self) -> Iterator[str]:
        """All names in it, functions left out."""
        if self.kind == "name":
            yield self.text
        for argument in self.arguments:
            yield from argument.names()

    def functions(self) -> Iterator[str]:
        """All functions and operators in it."""
        if self.kind == "call":
            yield self.text
        for argument in self.arguments:
            yield from argument.functions()


def parsed(text: str, asked: str = "guesses", like: str = LIKE) -> Parsed:
    """Read a formula, or say in one line where it cannot be read.

    `asked` is the parameter that has it, and `like` what it should look like.

    Examples
    --------
    >>> tuple(parsed("a*sin(b*x) + c").names())
    ('a', 'b', 'x', 'c')
    """
    if not isinstance(text, str) or not text.strip():
        raise must(asked, like, text)
    if len(text) > LONGEST:
        raise must(asked, f"formulas of at most {LONGEST:,} letters", len(text))
    return _Parser(text, asked, like).whole()


class _Parser:
    """Reads one text from left to right."""

    def __init__(self, text: str, asked: str, like: str) -> None:
        self._text, self._asked, self._like = text, asked, like
        self._at, self._depth = 0, 0
        self._kind, self._token = "", ""
        self._advance()

    def whole(self) -> Parsed:
        found = self._sum()
        if self._kind:
            self._fail(f"{self._token!r} does not fit there")
        return found

    def _advance(self) -> None:
        self._begin = self._at
        match = _TOKEN.match(self._text, self._at)
        if match is None:
            if self._text[self._at :].strip():
                sign = self._text[self._at :].strip()[0]
                self._fail(f"{sign!r} is no part of a formula")
            self._kind, self._token = "", ""
            return
        self._at = match.end()
        self._kind = str(match.lastgroup) if match.lastgroup in _KINDS else "number"
        self._token = _MEANT.get(match[self._kind], match[self._kind])

    def _takes(self, *signs: str) -> str:
        """The sign that comes next, if it is one of these; it is passed over."""
        if self._kind != "sign" or self._token not in signs:
            return ""
        taken = self._token
        self._advance()
        return taken

    def _sum(self) -> Parsed:
        self._depth += 1
        if self._depth > DEEPEST:
            self._fail("there are too many brackets in each other")
        found = self._product()
        while sign := self._takes("+", "-"):
            found = _call(sign, found, self._product())
        self._depth -= 1
        return found

    def _product(self) -> Parsed:
        found = self._factor()
        while sign := self._takes("*", "/"):
            found = _call(sign, found, self._factor())
        return found

    def _factor(self) -> Parsed:
        n_minus = 0
        while sign := self._takes("+", "-"):
            n_minus += sign == "-"
        found = self._power()
        return _call("-", number(0.0), found) if n_minus % 2 else found

    def _power(self) -> Parsed:
        base = self._atom()
        if not self._takes("^"):
            return base
        self._depth += 1
        if self._depth > DEEPEST:
            self._fail("there are too many powers in each other")
        found = _call("^", base, self._factor())
        self._depth -= 1
        return found

    def _atom(self) -> Parsed:
        kind, token = self._kind, self._token
        if kind == "sign" and token == "(":
            self._advance()
            found = self._sum()
            self._close()
            return found
        if kind in ("", "sign"):
            what = f"{token!r}" if token else "its end"
            self._fail(f"a number, a name or a bracket is missing before {what}")
        self._advance()
        if kind == "number":
            return number(float(token))
        if kind == "word" and self._takes("("):
            arguments = [self._sum()]
            while self._takes(","):
                arguments.append(self._sum())
            self._close()
            return _call(token, *arguments)
        return Parsed("name", token)

    def _close(self) -> None:
        if not self._takes(")"):
            self._fail("a closing bracket is missing")

    def _fail(self, why: str) -> NoReturn:
        where = f"At letter {self._begin + 1}: {why}."
        raise must(self._asked, self._like, self._text, where)


_KINDS = ("number", "quoted", "word", "sign")


def number(value: float) -> Parsed:
    """A number as a formula."""
    return Parsed("number", "", value)


def _call(name: str, *arguments: Parsed) -> Parsed:
    return Parsed("call", name, 0.0, arguments)

"""Known forms: what a user knows of an equation, with functions that nobody knows yet.

In "A*exp(-f(x, z)) + g(x)" the functions f and g are to be learned, and A is a constant
that is free; a number would be one that is given.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial

import numpy as np

from eqlearn._types import Array
from eqlearn.equation.read.grammar import Parsed, parsed
from eqlearn.equation.read.starts import NUMBERS, columns_by_name, known_functions
from eqlearn.errors import must, unknown
from eqlearn.network.units import UNITS, unit

LIKE = "a form like A*exp(-f(x)) + c, with a function f that is to be learned"
#: More functions, or functions of more inputs, no table tells apart.
MOST_FUNCTIONS, MOST_ARGUMENTS = 4, 12
_GREEK = "alpha beta gamma delta epsilon kappa lambda mu nu rho sigma tau phi omega"
_LETTER = re.compile(rf"([^\W\d_]|{'|'.join(_GREEK.split())})(_?\d{{1,3}})?")
_BINARY: Mapping[str, Callable[[Array, Array], Array]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
    "^": np.power,
}
_UNARY: Mapping[str, Callable[[Array], Array]] = {
    "tan": np.tan,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "ln": np.log,
    "log10": np.log10,
}


@dataclass(frozen=True)
class UnknownFunction:
    """A function that is to be learned, and what it is a function of."""

    name: str
    arguments: tuple[Parsed, ...]
    texts: tuple[str, ...]  # the arguments as they were written, for people


@dataclass(frozen=True)
class OuterForm:
    """A form that is known but for some functions and constants."""

    text: str
    tree: Parsed
    columns: Mapping[str, int]
    functions: tuple[UnknownFunction, ...]
    letters: tuple[str, ...]

    def values(
        self, x: Array, letters: Mapping[str, float], functions: Mapping[str, Array]
    ) -> Array:
        """The target (N,) by the values (N,) of the functions, for inputs (N, D)."""
        known = {**NUMBERS, **letters, **self._named(x)}
        return _value(self.tree, known, functions, len(x))

    def arguments(self, function: UnknownFunction, x: Array) -> Array:
        """What a function is a function of, (N, K)."""
        known = {**NUMBERS, **self._named(x)}
        found = [_value(one, known, {}, len(x)) for one in function.arguments]
        return np.stack(found, axis=1)

    def _named(self, x: Array) -> dict[str, Array | float]:
        return {name: x[:, at] for name, at in self.columns.items()}


def outer_form(text: str, inputs: Sequence[str]) -> OuterForm:
    """Read a form of these inputs, or say in one line what is wrong with it."""
    tree = parsed(text, "form", LIKE)
    columns = columns_by_name(inputs)
    calls = [call for call in _calls(tree) if call.text not in known_functions()]
    functions: dict[str, UnknownFunction] = {}
    for call in calls:
        found = _function(call, text, columns)
        before = functions.setdefault(call.text, found)
        if before.arguments != found.arguments:
            what = f"of one list of arguments for {call.text}"
            raise must("form", what, text, "Name the other function otherwise.")
    if not functions:
        hint = "Formulas without such a function are given by `guesses`."
        raise must("form", LIKE, text, hint)
    if len(functions) > MOST_FUNCTIONS:
        raise must("form", f"of at most {MOST_FUNCTIONS} functions", len(functions))
    _check_known_calls(tree, text)
    letters = _letters(tree, text, columns, functions)
    return OuterForm(text, tree, columns, tuple(functions.values()), letters)


def _calls(tree: Parsed) -> Iterator[Parsed]:
    if tree.kind == "call" and tree.text not in _BINARY:
        yield tree
    for argument in tree.arguments:
        yield from _calls(argument)


def _function(call: Parsed, text: str, columns: Mapping[str, int]) -> UnknownFunction:
    near = get_close_matches(call.text.lower(), known_functions(), n=1, cutoff=0.7)
    if near and len(call.text) > 2:
        hint = (
            f"Did you mean {near[0]!r}? A function to be learned is called f, g or h."
        )
        raise must("form", "of known functions, or of f, g, h", call.text, hint)
    if call.text in columns:
        hint = "Call the function otherwise; between a number and a name put *."
        raise must("form", f"with {call.text} as a column only", text, hint)
    if len(call.arguments) > MOST_ARGUMENTS:
        what = f"of functions of at most {MOST_ARGUMENTS} inputs"
        raise must("form", what, len(call.arguments))
    for argument in call.arguments:
        inner = [one.text for one in _calls(argument)]
        strange = [name for name in inner if name not in known_functions()]
        if strange:
            what = f"without {strange[0]} inside of {call.text}"
            hint = "A function to be learned takes columns, or formulas of columns."
            raise must("form", what, text, hint)
        names = [name for name in argument.names() if name not in NUMBERS]
        for name in names:
            if name not in columns:
                where = f"as an argument of {call.text}"
                raise unknown("form", name, columns, where=where)
        if not names:
            hint = "Name the columns it depends on."
            raise must("form", f"with columns as arguments of {call.text}", text, hint)
    if len(set(call.arguments)) < len(call.arguments):
        raise must("form", f"with different arguments of {call.text}", text)
    return UnknownFunction(
        call.text, call.arguments, tuple(map(_written, call.arguments))
    )


def _check_known_calls(tree: Parsed, text: str) -> None:
    for call in _calls(tree):
        if call.text in known_functions():
            arity = unit(call.text).arity if call.text in UNITS else 1
            if len(call.arguments) != arity:
                ending = "s" * (arity > 1)
                raise must(
                    "form", f"with {arity} argument{ending} of {call.text}", text
                )


def _letters(
    tree: Parsed,
    text: str,
    columns: Mapping[str, int],
    functions: Mapping[str, UnknownFunction],
) -> tuple[str, ...]:
    counts = Counter(name for name in tree.names() if name not in columns)
    for name in counts:
        if name in functions:
            hint = f"Write it with its inputs: {functions[name].name}(...)."
            raise must("form", f"with inputs of {name} wherever it stands", text, hint)
        if name not in NUMBERS and not _LETTER.fullmatch(name):
            where = f"in {text!r}, where constants are single letters"
            raise unknown("form", name, columns, where=where)
    return tuple(name for name in counts if name not in NUMBERS)


def _value(
    tree: Parsed,
    known: Mapping[str, Array | float],
    functions: Mapping[str, Array],
    n: int,
) -> Array:
    if tree.kind == "number":
        return np.full(n, tree.value)
    if tree.kind == "name":
        return np.broadcast_to(np.asarray(known[tree.text], dtype=float), n)
    if tree.text in functions:
        return functions[tree.text]
    arguments = [_value(one, known, functions, n) for one in tree.arguments]
    if tree.text in _BINARY:
        return _BINARY[tree.text](*arguments)
    compute = _UNARY.get(tree.text) or partial(unit(tree.text), np)
    return compute(*arguments)


def _written(tree: Parsed) -> str:
    if tree.kind == "number":
        return f"{tree.value:g}"
    if tree.kind == "name":
        return tree.text
    if tree.text in _BINARY:
        left, right = map(_written, tree.arguments)
        return f"({left} {tree.text} {right})"
    return f"{tree.text}({', '.join(map(_written, tree.arguments))})"

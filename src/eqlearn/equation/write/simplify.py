"""Simplification with a time limit that holds.

SymPy's `simplify` can run for ever inside one call, where no exception reaches it. So
it runs in a process of its own, `python -m eqlearn.equation.write.simplify`, that is
killed when time is up. Expressions travel as JSON: a list of nodes, each naming
earlier ones.
"""

import json
import math
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from eqlearn.equation.write.arrangements import ARRANGEMENTS, arranged_exactly
from eqlearn.errors import check_known, must

# What an expression can be made of besides numbers and symbols, by SymPy's names.
_FUNCTIONS = (
    *("Add", "Mul", "Pow", "exp", "log", "sin", "cos", "tan", "cot", "sec", "csc"),
    *("sinh", "cosh", "tanh", "coth", "asin", "acos", "atan", "Abs", "sign"),
)
_CONSTANTS = ("Pi", "Exp1")
_N_POINTS = 64
_USUAL_RANGE = (-2.0, 2.0)
#: How far a simpler form may be from the original, relative to its size.
TOLERANCE = 1e-9


def simplified(
    expression: Any,
    seconds: float = 8.0,
    ranges: Mapping[Any, tuple[float, float]] | None = None,
) -> tuple[Any, str]:
    """Simplify a SymPy expression, or say in a note why it stayed as it is.

    The simpler form is only used if it computes the same numbers, where the symbols are
    in `ranges`, (low, high) for each, or else between -2 and 2.
    """
    import sympy

    if not (math.isfinite(seconds) and seconds > 0):
        raise must("seconds", "above 0 and finite", seconds)
    symbols = sorted(expression.free_symbols, key=lambda symbol: symbol.name)
    try:
        question = json.dumps(
            {"seconds": seconds, "nodes": _nodes(expression, symbols)}
        )
        answer = _ask(question, seconds)
        simpler = _expression(answer, symbols)
    except _NotSimplified as reason:
        return expression, f"not simplified: {reason}"
    if sympy.count_ops(simpler) >= sympy.count_ops(expression):
        return expression, ""
    ends = [(ranges or {}).get(symbol, _USUAL_RANGE) for symbol in symbols]
    if not _are_equal(expression, simpler, symbols, ends):
        return expression, "not simplified: the simpler form has other values"
    return simpler, ""


def checked_arrangement(how: str | None) -> str | None:
    """Refuse what is no arrangement."""
    if how is not None:
        check_known("arranged", how, ARRANGEMENTS)
    return how


@lru_cache(maxsize=64)
def rearranged(expression: Any, how: str, seconds: float = 20.0) -> tuple[Any, str]:
    """A SymPy expression in one of the `ARRANGEMENTS`, or a note why it stayed.

    Like a simpler form it is only used if it computes the same numbers.
    """
    checked_arrangement(how)
    symbols = sorted(expression.free_symbols, key=lambda symbol: symbol.name)
    try:
        nodes = _nodes(expression, symbols)
        question = json.dumps({"seconds": seconds, "nodes": nodes, "how": how})
        other = _expression(_ask(question, seconds), symbols)
    except _NotSimplified as reason:
        return expression, f"not {how}: {reason}"
    for ends in (_USUAL_RANGE, (0.1, 2.0)):  # of a logarithm only the second has values
        if _are_equal(expression, other, symbols, [ends] * len(symbols)):
            return other, ""
    return expression, f"not {how}: that form has other values"


class _NotSimplified(Exception):
    """Why an expression stays as it is; caught in `simplified`."""


def _ask(question: str, seconds: float) -> list[list[Any]]:
    # -P, so that a file sympy.py in the working directory is not imported instead.
    command = [sys.executable, "-P", "-m", "eqlearn.equation.write.simplify"]
    try:
        child = subprocess.run(
            command, input=question, capture_output=True, text=True, timeout=seconds
        )
    except subprocess.TimeoutExpired as error:
        raise _NotSimplified(f"it takes more than {seconds:g} s") from error
    except OSError as error:
        raise _NotSimplified(f"no process for it, {error.strerror}") from error
    if child.returncode != 0:
        last = child.stderr.strip().rpartition("\n")[2]
        reason = last.rpartition(": ")[2]
        raise _NotSimplified(reason or f"its process ended with {child.returncode}")
    try:
        nodes: list[list[Any]] = json.loads(child.stdout)
    except ValueError as error:
        raise _NotSimplified("its process wrote something else") from error
    return nodes


def _nodes(expression: Any, symbols: Sequence[Any]) -> list[list[Any]]:
    """Write an expression as nodes, parts before the whole, equal parts once."""
    import sympy

    places: dict[Any, int] = {}
    leaves = {symbol: ["symbol", i] for i, symbol in enumerate(symbols)}
    leaves |= {getattr(sympy.S, name): ["constant", name] for name in _CONSTANTS}
    nodes: list[list[Any]] = []
    for part in sympy.postorder_traversal(expression):
        if part not in places:
            places[part] = len(nodes)
            nodes.append(leaves.get(part) or _node(part, places))
    return nodes


def _node(part: Any, places: Mapping[Any, int]) -> list[Any]:
    """Write a number, or a function of parts that are written already."""
    if part.is_Float:
        return ["float", float(part)]
    if part.is_Rational:
        return ["rational", str(part.p), str(part.q)]
    if part.func.__name__ in _FUNCTIONS and part.args:
        return [part.func.__name__, *(places[argument] for argument in part.args)]
    raise _NotSimplified(f"it has a {type(part).__name__}")


def _expression(nodes: Sequence[Sequence[Any]], symbols: Sequence[Any]) -> Any:
    """Build the expression of nodes; only what is in the tables can be in it."""
    import sympy

    built: list[Any] = []
    for kind, *content in nodes:
        match kind:
            case "symbol":
                built.append(symbols[content[0]])
            case "constant" if content[0] in _CONSTANTS:
                built.append(getattr(sympy.S, content[0]))
            case "float":
                built.append(sympy.Float(content[0]))
            case "rational":
                built.append(sympy.Rational(*map(int, content)))
            case _ if kind in _FUNCTIONS:
                arguments = [built[place] for place in content]
                built.append(getattr(sympy, kind)(*arguments))
            case _:
                raise _NotSimplified(f"it has a {kind!r}")
    return built[-1]


def _are_equal(
    expression: Any,
    simpler: Any,
    symbols: Sequence[Any],
    ends: Sequence[tuple[float, float]],
) -> bool:
    """Compare values where the original is finite; False if it is so nowhere."""
    import sympy

    # With symbols x1, x2, ...: lambdify runs the names that it prints.
    own = [sympy.Symbol(f"x{i + 1}") for i in range(len(symbols))]
    names = dict(zip(symbols, own, strict=True))
    low, high = np.reshape(ends, (-1, 2)).T
    points = np.random.default_rng(0).uniform(low, high, (_N_POINTS, len(symbols)))
    with np.errstate(all="ignore"):
        expected, values = (
            np.broadcast_to(
                sympy.lambdify(own, form.xreplace(names), "numpy")(*points.T), _N_POINTS
            )
            for form in (expression, simpler)
        )
        known = np.isfinite(expected)
        if not np.any(known):
            return False
        size = np.abs(expected[known]) + np.median(np.abs(expected[known]))
        apart = np.abs(values[known] - expected[known])
    return bool(np.all(apart <= TOLERANCE * size))


def _main() -> None:
    """Simplify the expression on standard input: all that the child process does."""
    import sympy

    question = json.loads(sys.stdin.read())
    if hasattr(signal, "alarm"):
        # The child ends itself, in case the parent is killed before it can kill it.
        signal.alarm(math.ceil(question["seconds"]) + 1)
    nodes = question["nodes"]
    n_symbols = 1 + max([node[1] for node in nodes if node[0] == "symbol"], default=-1)
    symbols = [sympy.Symbol(f"x{i + 1}", real=True) for i in range(n_symbols)]
    expression, how = _expression(nodes, symbols), question.get("how")
    simpler = (
        sympy.simplify(expression) if how is None else arranged_exactly(expression, how)
    )
    sys.stdout.write(json.dumps(_nodes(simpler, symbols)))


if __name__ == "__main__":
    _main()

"""Functions of a form as plain shapes: sums of one or two simple terms.

In A*exp(-f(x)) + g(x) much can be said by f or by g as long as both are any smooth
function. What makes one of them a plain shape, with the others as they may be, is most
likely what is meant; and then the others are told, too.
"""

import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product

import numpy as np
from scipy.special import fdtrc

from eqlearn._types import Array, Integers
from eqlearn.equation.read.grammar import parsed
from eqlearn.equation.read.starts import composed_graph
from eqlearn.known_form.composed_fit import (
    Composed,
    FormRows,
    Inner,
    SmoothInner,
    fitted,
)
from eqlearn.known_form.form_settings import FormSettings
from eqlearn.network.canonical import canonical, displayed

#: What the arguments of a function are called in its terms.
_NAMES = "uvwst"
#: Divisors are above this share of their largest value.
_FAR_FROM_ZERO = 1e-3
#: Terms that seldom stand beside others in a function of several arguments.
_CURVED = re.compile(r"log|sqrt|1/")
#: A step that gains less than this share of the squared error ranks nothing anew.
_ENOUGH = 1e-2


@dataclass(frozen=True, eq=False)
class _Shape:
    """Terms of a function, as text and in every row."""

    terms: tuple[str, ...]
    basis: Array  # (N, Q)


@dataclass(frozen=True, eq=False)
class _Shaped:
    """A form in which some functions have plain shapes."""

    composed: Composed
    shapes: Mapping[str, _Shape]


def plain_form(
    ways: Sequence[Composed],
    rows: FormRows,
    criterion: Callable[[Composed], float],
    deadline: float,
    by: FormSettings,
) -> Composed | None:
    """The form with plain shapes, told one after the other; None if there are none.

    It begins with smooth fits, of which one may be on the way and others not, and with
    any of the functions: what is left of the others tells which was right. At the end
    each function may take another shape, now that the others have theirs.
    """
    functions = ways[0].form.functions
    if any(len(one.arguments) > len(_NAMES) for one in functions):
        return None
    shapes = {
        one.name: list(_shapes(ways[0].form.arguments(one, rows.x)))
        for one in functions
    }

    def best_of(more: list[_Shaped]) -> list[_Shaped]:
        return sorted(more, key=lambda one: criterion(one.composed))[: by.n_shapes]

    best = [_Shaped(way, {}) for way in ways]
    for _ in functions:
        more = []
        for one, name in product(best, shapes):
            if time.monotonic() > deadline:
                return None
            if name not in one.shapes:
                more += _with_shapes(one, name, shapes[name], rows, criterion, by)
        best = best_of(more)
    for name in shapes if len(functions) > 1 else ():
        others = _with_shapes(best[0], name, shapes[name], rows, criterion, by)
        best = best_of([*best, *others])
    return _as_formulas(best[0], rows, by)


def _with_shapes(
    one: _Shaped,
    name: str,
    shapes: Sequence[_Shape],
    rows: FormRows,
    criterion: Callable[[Composed], float],
    by: FormSettings,
) -> list[_Shaped]:
    """The form with the likeliest shapes of one more function."""
    n = len(rows.y)
    seen = np.linspace(0, n - 1, min(n, by.n_plain_rows)).astype(int)
    few, of_few = _of_rows(one.composed, seen), _rows_of(rows, seen)
    ranked = []
    for at, shape in enumerate(shapes):
        part = _Shape(shape.terms, shape.basis[seen])
        begun = [
            fitted(s, of_few, by.n_look, _ENOUGH) for s in _starts(few, name, part)
        ]
        ranked.append((min(map(criterion, begun)), at))
    likely = [shapes[at] for _, at in sorted(ranked)[: by.n_shapes]]
    return [
        _Shaped(
            min(
                (fitted(s, rows, by.n_steps) for s in _starts(one.composed, name, own)),
                key=criterion,
            ),
            {**one.shapes, name: own},
        )
        for own in likely
    ]


def _starts(composed: Composed, name: str, shape: _Shape) -> Iterator[Composed]:
    """A shape as close as it can be to the function before, and one of size 1."""
    scale = np.sqrt(np.mean(shape.basis**2, axis=0)) + 1e-300
    before = composed.functions[name].values()
    near = np.linalg.lstsq(shape.basis / scale, before, rcond=None)[0] / scale
    for numbers in (near, 1.0 / scale / len(scale)):
        yield composed.with_function(name, SmoothInner(shape.basis, numbers))


def is_as_good(plain: Composed, smooth: Composed, n: int, unlikely: float) -> bool:
    """Whether nothing is left that polynomials would explain (F test)."""
    more, free = smooth.n_constants - plain.n_constants, n - smooth.n_constants
    if more <= 0 or free <= 0 or not np.isfinite(plain.sse):
        return False
    gained = max(plain.sse - smooth.sse, 0.0) / more
    return float(fdtrc(more, free, gained / (smooth.sse / free + 1e-300))) > unlikely


def _rows_of(rows: FormRows, seen: Integers) -> FormRows:
    return FormRows(rows.x[seen], rows.y[seen], rows.root[seen])


def _of_rows(composed: Composed, seen: Integers) -> Composed:
    functions = {
        name: replace(one, basis=one.basis[seen])
        for name, one in composed.functions.items()
        if isinstance(one, SmoothInner)
    }
    return replace(composed, functions=functions)


def _shapes(arguments: Array) -> Iterator[_Shape]:
    """Every term, and every two together; of several arguments only of powers."""
    terms = dict(_terms(arguments))
    is_alone = arguments.shape[1] == 1
    powers = [name for name in terms if is_alone or not _CURVED.match(name)]
    for chosen in (*combinations(terms, 1), *combinations(powers, 2)):
        yield _Shape(chosen, np.stack([terms[name] for name in chosen], axis=1))


def _terms(arguments: Array) -> Iterator[tuple[str, Array]]:
    """Simple terms of the arguments, those that have values in every row."""
    yield "1", np.ones(len(arguments))
    columns = dict(zip(_NAMES, arguments.T, strict=False))
    for name, u in columns.items():
        yield name, u
        yield f"{name}^2", u**2
        size = np.max(np.abs(u))
        if np.min(np.abs(u)) > _FAR_FROM_ZERO * size:
            yield f"1/{name}", 1.0 / u
        if np.min(u) > 0:
            yield f"log({name})", np.log(u)
        if np.min(u) >= 0:
            yield f"sqrt({name})", np.sqrt(u)
    for (a, u), (b, v) in combinations(columns.items(), 2):
        yield f"{a}*{b}", u * v
        for above, top, below, bottom in ((a, u, b, v), (b, v, a, u)):
            if np.min(np.abs(bottom)) > _FAR_FROM_ZERO * np.max(np.abs(bottom)):
                yield f"{above}/{below}", top / bottom


def _as_formulas(shaped: _Shaped, rows: FormRows, by: FormSettings) -> Composed | None:
    composed = shaped.composed
    for function in composed.form.functions:
        arguments = composed.form.arguments(function, rows.x)
        numbers = composed.functions[function.name].numbers.tolist()
        terms = shaped.shapes[function.name].terms
        text = " + ".join(f"k{at}*{term}" for at, term in enumerate(terms))
        letters = {f"k{at}": value for at, value in enumerate(numbers)}
        columns = {name: at for at, name in enumerate(_NAMES[: arguments.shape[1]])}
        graph = composed_graph(parsed(text), columns, letters, arguments, {})
        if graph is None:
            return None
        x = np.ascontiguousarray(arguments.T)
        inner = Inner(displayed(canonical(graph, x), x), arguments)
        composed = composed.with_function(function.name, inner)
    return fitted(composed, rows, by.n_steps)

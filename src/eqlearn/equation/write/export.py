"""Exports: formulas as SymPy, LaTeX, MathML, source code, functions and JSON.

Each form is one row of a table: what Python gets and what a file gets, how each is
written, and how the numbers that it says are computed. What is written is compared with
the graph before it is handed out.
"""

import json
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eqlearn._types import Array
from eqlearn.equation.write import languages, source
from eqlearn.equation.write.callables import (
    imported_torch,
    jax_function,
    numpy_function,
    torch_module,
)
from eqlearn.equation.write.display import DIGITS, latex, mathml, to_sympy
from eqlearn.equation.write.formulas import Formulas
from eqlearn.equation.write.names import identifiers
from eqlearn.errors import check_known, must, printable
from eqlearn.network.document import from_document, to_document
from eqlearn.network.graph import Graph

#: Largest difference between a form and its graph, relative to the target's size.
TOLERANCE = 1e-12
#: A difference that is said, relative to the target's size.
NOTICED = 1e-6
_N_POINTS = 64
_N_NUDGES = 8
#: Digits for values that are out of reach for floats, and the longest such formula.
_MORE_DIGITS, _MOST_OPERATIONS = 50, 500

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Writer:
    """How formulas are written, and what numbers (N, M) the result stands for."""

    write: Callable[..., Any]
    compute: Callable[[Any, Formulas, Array], Array]


@dataclass(frozen=True)
class Form:
    """What Python gets, and what a file gets.

    Forms to look at are rounded after SymPy has put their constants together; the
    others have the graph's own constants, rounded or not.
    """

    value: Writer
    text: Writer
    is_display: bool = False


def export(formulas: Formulas, form: str, digits: int | None = None) -> Any:
    """Write formulas in one of the `FORMS` for Python, and check what was written.

    `digits` rounds the constants for display; otherwise they are written in full.
    """
    return _exported(formulas, form, digits, is_text=False)


def export_text(formulas: Formulas, form: str, digits: int | None = None) -> str:
    """Write formulas in one of the `FORMS` as text, and check what was written.

    Without `digits`, LaTeX and MathML have a few of them, and the other forms all.
    """
    text = _exported(formulas, form, digits, is_text=True)
    return str(text).rstrip("\n") + "\n"


def _exported(
    formulas: Formulas, form: str, digits: int | None, *, is_text: bool
) -> Any:
    check_known("form", form, FORMS)
    row = FORMS[form]
    if formulas.arranged is not None and not row.is_display:
        what = (
            f"{', '.join(n for n in FORMS if FORMS[n].is_display)} for an arrangement"
        )
        hint = "Programs compute the same, however a formula is arranged."
        raise must("form", what, form, hint)
    write = (row.text if is_text else row.value).write
    if digits is not None:
        if type(digits) is not int or not 1 <= digits <= 17:
            raise must("digits", "a whole number from 1 to 17, or None", digits)
        if row.is_display:
            return write(formulas, digits)
        formulas = formulas.rounded(digits)
    return checked(formulas, form, write(formulas), is_text=is_text)


def checked(
    formulas: Formulas, form: str, written: Any, *, is_text: bool = False
) -> Any:
    """Return what was written if it computes the numbers of the graph, or raise.

    Compared are points of the inputs' ranges where the graph has a finite value. Forms
    may add in another order: where rounding weights and inputs would change the graph's
    own value, they may differ by as much.
    """
    compute = (FORMS[form].text if is_text else FORMS[form].value).compute
    x = _points(formulas)
    with np.errstate(all="ignore"):
        expected, _ = formulas.graph.evaluate(x)
        sensitive = _by_rounding(formulas.graph, x, expected)
        values = compute(written, formulas, x)
        size = np.abs(expected) + _typical_size(expected)
        apart = np.abs(values - expected)
        excess = apart - TOLERANCE * size - 100.0 * sensitive
        lost = apart / size
    wrong = np.argwhere(np.isfinite(expected + sensitive) & ~(excess <= 0.0))
    if len(wrong):
        row, target = wrong[0]
        got = f"{values[row, target]} instead of {expected[row, target]}"
        hint = f"Report this formula for {formulas.targets[target]!r} as a bug."
        raise must(form, "what the model computes", got, hint)
    _say_what_is_lost(formulas, form, lost)
    return written


def _say_what_is_lost(formulas: Formulas, form: str, apart: Array) -> None:
    """Say that a form, added up in another order, computes other numbers."""
    for target, column in zip(formulas.targets, apart.T, strict=True):
        most = float(np.max(column, where=np.isfinite(column), initial=0.0))
        if most > NOTICED:
            logger.warning(
                "As %s the formula for %s is off by up to %.1g of its size: large "
                "terms of it cancel, and rounding decides. Subtract a constant from "
                "inputs that hardly differ beside their size, and fit again.",
                *(form, printable(target), most),
            )


def _points(formulas: Formulas) -> NDArray[np.float64]:
    rng = np.random.default_rng(0)
    low, high = np.reshape(formulas.ranges, (-1, 2)).T
    return rng.uniform(low, high, (_N_POINTS, len(low)))


def _by_rounding(graph: Graph, x: Array, expected: Array) -> Array:
    """By how much values change if all weights and inputs move to a neighbour.

    Several times, to either side: in a single one changes may cancel.
    """
    rng = np.random.default_rng(1)
    weights = np.array([weight for _, weight in graph.connections()])

    def neighbour(numbers: Array) -> Array:
        side = rng.choice([-np.inf, np.inf], numbers.shape)
        moved: Array = np.nextafter(numbers, side)
        return moved

    moved = (
        graph.with_weights(neighbour(weights)).evaluate(neighbour(x))[0]
        for _ in range(_N_NUDGES)
    )
    found: Array = np.max([np.abs(values - expected) for values in moved], axis=0)
    return found


def _typical_size(values: Array) -> Array:
    finite = np.where(np.isfinite(values), np.abs(values), 0.0)
    return np.median(finite, axis=0)


def safe_names(names: Sequence[str]) -> list[str]:
    """Identifiers for columns that `sympify` takes for symbols, and nothing else."""
    import builtins

    import sympy

    # Sympify evaluates what it reads: no symbol may be called like a function.
    return identifiers(names, {*dir(sympy), *dir(builtins)})


def sympy_text(formulas: Formulas, digits: int | None = None) -> str:
    """Write a line for each target that `sympify` reads, whatever columns are called.

    Names that are no identifiers, or mean something to SymPy, are replaced; comments
    say by what.
    """
    import sympy

    words = safe_names(formulas.inputs)
    pairs = list(zip(words, formulas.inputs, strict=True))
    legend = [f"# {word}: column {name!r}" for word, name in pairs if word != name]
    renamed = {sympy.Symbol(name): sympy.Symbol(word) for word, name in pairs}
    found = to_sympy(formulas, digits, recognise=True)
    return "\n".join([*legend, *(str(one.xreplace(renamed)) for one in found)])


def _sympy_values(
    written: Sequence[Any], formulas: Formulas, x: Array
) -> NDArray[np.float64]:
    import sympy

    names = [sympy.Symbol(name) for name in formulas.inputs]
    inner = [sympy.Symbol(f"x{i + 1}") for i in range(len(names))]
    back = dict(zip(names, inner, strict=True))
    columns = []
    for expression in written:
        if expression.has(sympy.zoo, sympy.nan, sympy.oo, -sympy.oo):
            columns.append(np.nan)  # a logarithm of 0: no number, here and there
            continue
        # Made a function only with our own names: lambdify runs what it prints.
        ours = expression.xreplace(back)
        found = np.broadcast_to(sympy.lambdify(inner, ours, "numpy")(*x.T), len(x))
        columns.append(_with_more_digits(found, ours, inner, x))
    values = np.stack([np.broadcast_to(c, len(x)) for c in columns], axis=1)
    return np.where(np.imag(values) == 0.0, np.real(values), np.nan)


def _with_more_digits(found: Array, expression: Any, names: list[Any], x: Array) -> Any:
    """Compute again what was no number: as SymPy has it, parts may be beyond floats.

    Such as e^a x^b, which SymPy writes instead of e^(a + b log x).
    """
    import sympy

    is_number, values = np.isfinite(found), np.array(found, dtype=complex)
    if is_number.all() or sympy.count_ops(expression) > _MOST_OPERATIONS:
        return found
    for row in np.flatnonzero(~is_number):
        numbers = {name: sympy.Float(v) for name, v in zip(names, x[row], strict=True)}
        value = expression.xreplace(numbers).evalf(_MORE_DIGITS)
        values[row] = complex(value) if value.is_number and value.is_finite else np.nan
    beyond = values[~is_number]
    if (np.isfinite(beyond) & (beyond.imag == 0.0)).any():
        logger.warning(
            "As SymPy has the formula, parts of it are beyond floating-point numbers: "
            "compute it by evalf, or subtract a constant from inputs that hardly "
            "differ beside their size, and fit again."
        )
    return values


def _displayed_values(
    written: str, formulas: Formulas, x: Array, *, recognise: bool = False
) -> NDArray[np.float64]:
    """What is displayed is one SymPy expression per target: compute that."""
    del written
    return _sympy_values(to_sympy(formulas, recognise=recognise), formulas, x)


def _to_look_at(
    write: Callable[..., str], formulas: Formulas, digits: int = DIGITS
) -> str:
    return write(formulas, digits, recognise=True)


def _numpy_values(written: Callable[[Array], Array], _: Formulas, x: Array) -> Array:
    return written(x)


def _jax_values(written: Callable[[Array], Array], _: Formulas, x: Array) -> Array:
    import jax

    with jax.enable_x64(True):
        return np.asarray(written(x))


def _torch_values(written: Any, _: Formulas, x: Array) -> Array:
    torch = imported_torch()
    with torch.no_grad():
        values: Array = written(torch.tensor(x, dtype=torch.float64)).numpy()
    return values


def _source_values(written: str, _: Formulas, x: Array) -> NDArray[np.float64]:
    return source.python_values(written, x)


def json_text(formulas: Formulas) -> str:
    """Write names and graph as JSON, the graph as `from_document` reads it."""
    document = {
        "inputs": formulas.inputs,
        "targets": formulas.targets,
        "graph": to_document(formulas.graph),
    }
    return json.dumps(document, indent=1, allow_nan=False)


def _json_values(written: str, _: Formulas, x: Array) -> Array:
    return from_document(json.loads(written)["graph"]).evaluate(x)[0]


def _source_form(library: source.SourceLibrary, value: Writer | None = None) -> Form:
    write = partial(source.python_source, library=library)
    text = Writer(write, _source_values)
    return Form(value or text, text)


def _language_form(language: languages.Language) -> Form:
    write = partial(languages.language_source, language=language)
    return _text_form(write, partial(languages.language_values, language=language))


def _text_form(write: Callable[..., str], compute: Callable[..., Array]) -> Form:
    writer = Writer(write, compute)
    return Form(writer, writer)


def _display_form(value: Writer, text: Callable[..., str]) -> Form:
    # A file gets 1/3 and π for constants that are just these numbers.
    compute = partial(_displayed_values, recognise=True)
    return Form(value, Writer(text, compute), is_display=True)


#: Every form by name, in the order of `FORM_NAMES`.
FORMS: Mapping[str, Form] = {
    "sympy": _display_form(Writer(to_sympy, _sympy_values), sympy_text),
    "latex": _display_form(
        Writer(latex, _displayed_values), partial(_to_look_at, latex)
    ),
    "mathml": _display_form(
        Writer(mathml, _displayed_values), partial(_to_look_at, mathml)
    ),
    "python": _source_form(source.NUMPY),
    "numpy": _source_form(source.NUMPY, Writer(numpy_function, _numpy_values)),
    "c": _text_form(source.c_source, lambda text, _, x: source.c_values(text, x)),
    "matlab": _language_form(languages.MATLAB),
    "julia": _language_form(languages.JULIA),
    "fortran": _language_form(languages.FORTRAN),
    "modelica": _language_form(languages.MODELICA),
    "jax": _source_form(source.JAX, Writer(jax_function, _jax_values)),
    "torch": _source_form(source.TORCH, Writer(torch_module, _torch_values)),
    "json": _text_form(json_text, _json_values),
}

"""Formulas to look at: SymPy, LaTeX and MathML, with the user's names made harmless.

SymPy's printers see only x1, x2, ...; the names are put in when they are done, for
SymPy splits names at underscores and prints some of their characters as they are.
"""

import html
import logging
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from numbers import Integral
from typing import Any

from eqlearn.equation.write.formulas import Formulas, formulas
from eqlearn.equation.write.names import latex_name, markup_name, visible
from eqlearn.equation.write.simplify import rearranged
from eqlearn.equation.write.symbolic import (
    expressions,
    origins,
    recognised,
    rounded,
    with_joined_powers,
    with_joined_roots,
    with_powers,
)
from eqlearn.errors import EqlearnError, must
from eqlearn.network.graph import CONSTANT, Graph, Node

logger = logging.getLogger(__name__)

_AS_CODE = "Export it as code, JSON or a function."
#: A formula in one line repeats each unit wherever it is used, so its length can double
#: with every unit. Nobody reads one of more terms.
MOST_TERMS = 1_000
#: SymPy takes seconds for functions of functions that are nested deeper.
MOST_NESTED = 20


def to_sympy(
    formulas: Formulas,
    digits: int | None = None,
    *,
    recognise: bool = False,
    to_show: bool = False,
) -> tuple[Any, ...]:
    """Write each target as a SymPy expression of symbols with the inputs' names.

    `recognise` writes 1/3 and π/2 for constants that are just these numbers, `to_show`
    leaves (x - 1990) together.
    """
    import sympy

    inner = _inner_expressions(formulas, digits, recognise, to_show)
    names = [*formulas.inputs, *_from_origins(formulas, formulas.inputs)]
    outer = {symbol: sympy.Symbol(names[i]) for i, symbol in _symbols(inner)}
    return tuple(expression.xreplace(outer) for expression in inner)


def _symbols(expressions: tuple[Any, ...]) -> list[tuple[int, Any]]:
    """The symbols x1, x2, ... of expressions, each with its place among the inputs."""
    found = set().union(*(one.free_symbols for one in expressions))
    return [(int(symbol.name[1:]) - 1, symbol) for symbol in found]


def _from_origins(
    formulas: Formulas, names: Sequence[str], form: str = "({} {} {:.15g})"
) -> list[str]:
    """What inputs are called where they are taken from somewhere: (year - 1990)."""
    return [
        form.format(names[i], "-" if start > 0 else "+", abs(start))
        for i, start in origins(formulas.graph)
    ]


def _inner_expressions(
    formulas: Formulas, digits: int | None, recognise: bool, to_show: bool = True
) -> tuple[Any, ...]:
    """Expressions of x1, x2, ...: safe to be printed, and to be made functions of."""
    import sympy

    n_terms = max(_sizes(formulas.graph))
    if n_terms > MOST_TERMS:
        what = f"of at most {MOST_TERMS} terms to be one formula"
        got = n_terms if n_terms < 10**9 else "more than a billion"
        raise must("formulas", what, got, _AS_CODE)
    depth = _depth(formulas.graph)
    if depth > MOST_NESTED:
        what = f"nested at most {MOST_NESTED} deep to be one formula"
        raise must("formulas", what, depth, _AS_CODE)
    try:
        found = expressions(formulas.graph, to_show=to_show)
        positive = {sympy.Symbol(f"x{i + 1}") for i in _positive_inputs(formulas)}
        powers = (with_joined_powers(with_powers(one), positive) for one in found)
        found = tuple(map(with_joined_roots, powers))
        if recognise:
            found = tuple(map(recognised, found))
        if formulas.arranged is not None:
            found = tuple(_arranged(one, formulas.arranged) for one in found)
        if digits is not None:
            found = tuple(rounded(expression, digits) for expression in found)
    except (OverflowError, ValueError) as error:
        raise must("formulas", "of constants within range", str(error)) from error
    return found


def _positive_inputs(formulas: Formulas) -> Iterator[int]:
    return (i for i, (low, _) in enumerate(formulas.ranges) if low > 0)


def _arranged(expression: Any, how: str) -> Any:
    found, note = rearranged(expression, how)
    if note:
        logger.warning("A formula is shown as it was: %s.", note)
    return found


def _depth(graph: Graph) -> int:
    """How many units are inside one another, at most; a power is one product."""
    depths = [0] * graph.n_inputs
    products = {k for k, n in enumerate(graph.nodes, graph.n_inputs) if _is_product(n)}
    for node in graph.nodes:
        depth = 1
        for linear in node.arguments:
            goes_on = (
                _is_product(node) and len(linear) == 1 and linear.keys() <= products
            )
            inside = max((depths[s] for s in linear if s != CONSTANT), default=0)
            depth = max(depth, inside + (not goes_on))
        depths.append(depth)
    return max(depths, default=0)


def _is_product(node: Node) -> bool:
    return node.unit == "multiply"


def _sizes(graph: Graph) -> list[int]:
    """How many terms each output has when its units are written out."""
    sizes = {i: 1 for i in range(CONSTANT, graph.n_inputs)}
    for k, node in enumerate(graph.nodes):
        terms = sum(sizes[s] for linear in node.arguments for s in linear)
        sizes[graph.n_inputs + k] = 1 + terms
    return [sum(sizes[s] for s in [*a, *b]) for a, b in graph.outputs]


def latex(
    formulas: Formulas, digits: int | None = None, *, recognise: bool = False
) -> str:
    """Write `target = formula`, several aligned below each other."""
    sides = list(_latex_sides(formulas, digits, recognise))
    if len(sides) == 1:
        return " = ".join(sides[0])
    rows = r" \\ ".join(" &= ".join(side) for side in sides)
    return rf"\begin{{aligned}} {rows} \end{{aligned}}"


def latex_table(
    table: Sequence[Formulas],
    facts: Mapping[str, Sequence[object]] | None = None,
    digits: int | None = 4,
) -> str:
    """Write a table of formulas, with columns of facts: an error, a complexity.

    A fact is a sequence with one entry for each row, that is for each target.
    """
    sides = [s for formulas in table for s in _latex_sides(formulas, digits, False)]
    columns = dict(facts or {})
    for name, column in columns.items():
        if len(column) != len(sides):
            raise must(f"facts[{name!r}]", f"{len(sides)} entries", len(column))
    heads = ["target", "formula", *columns]
    rows = [
        [*side, *(_latex_cell(column[row]) for column in columns.values())]
        for row, side in enumerate(sides)
    ]
    lines = [
        rf"\begin{{tabular}}{{ll{'r' * len(columns)}}}",
        r"\hline",
        _latex_row([latex_name(head, i) for i, head in enumerate(heads)]),
        r"\hline",
        *map(_latex_row, rows),
        r"\hline",
        r"\end{tabular}",
    ]
    return "\n".join(lines)


def _latex_row(cells: Sequence[str]) -> str:
    return " & ".join(f"${cell}$" for cell in cells) + r" \\"


def _latex_cell(value: object) -> str:
    if isinstance(value, float):
        return _latex_number(float(f"{value:.4g}"))
    return str(value) if isinstance(value, Integral) else latex_name(str(value), 0)


def _latex_sides(
    formulas: Formulas, digits: int | None, recognise: bool
) -> Iterator[tuple[str, str]]:
    plain = [latex_name(name, i) for i, name in enumerate(formulas.inputs)]
    shown = [*plain, *_from_origins(formulas, plain, r"\left({} {} {:.15g}\right)")]
    inner = _inner_expressions(formulas, digits, recognise)
    names = {symbol: shown[i] for i, symbol in _symbols(inner)}
    printer = _latex_printer()({"symbol_names": names})
    for o, (target, formula) in enumerate(zip(formulas.targets, inner, strict=True)):
        yield latex_name(target, o), printer.doprint(formula)


@cache
def _latex_printer() -> Any:
    from sympy.printing.latex import LatexPrinter

    class FullPrecision(LatexPrinter):
        def _print_Float(self, number: Any) -> str:
            return _latex_number(float(number))

    return FullPrecision


def _latex_number(value: float) -> str:
    if math.isinf(value):
        return r"\infty" if value > 0 else r"-\infty"
    mantissa, _, exponent = repr(value).partition("e")
    return rf"{mantissa} \cdot 10^{{{int(exponent)}}}" if exponent else mantissa


def mathml(
    formulas: Formulas, digits: int | None = None, *, recognise: bool = False
) -> str:
    """Write one `math` element, with a table row for each of several targets."""
    names = [markup_name(name, i) for i, name in enumerate(formulas.inputs)]
    names += _from_origins(formulas, names)
    inner = _inner_expressions(formulas, digits, recognise)
    rows = [
        f"<mi>{markup_name(target, o)}</mi><mo>=</mo>"
        f"{_mathml_of(formula, names, digits)}"
        for o, (target, formula) in enumerate(zip(formulas.targets, inner, strict=True))
    ]
    body = f"<mrow>{rows[0]}</mrow>"
    if len(rows) > 1:
        cells = "".join(f"<mtr><mtd>{row}</mtd></mtr>" for row in rows)
        body = f"<mtable>{cells}</mtable>"
    math_ml = "http://www.w3.org/1998/Math/MathML"
    return f'<math xmlns="{math_ml}" display="block">{body}</math>'


def _mathml_of(formula: Any, names: Sequence[str], digits: int | None) -> str:
    text = _mathml_printer(digits)()._print(formula).toxml()
    # SymPy writes entities that only HTML knows; the characters are known everywhere.
    entity = r"&(?!amp;|lt;|gt;)\w+;"
    text = re.sub(entity, lambda match: html.unescape(match[0]), text)
    # Names come last and in one sweep: nothing looks at them again.
    return re.sub("\ue000x([0-9]+)", lambda match: names[int(match[1]) - 1], text)


@cache
def _mathml_printer(digits: int | None) -> Any:
    from sympy import Function, Mul, exp
    from sympy.printing.mathml import MathMLPresentationPrinter
    from sympy.printing.precedence import PRECEDENCE

    class PowerOfE(Function):
        precedence = PRECEDENCE["Pow"]

    class Safe(MathMLPresentationPrinter):
        def _text(self, tag: str, text: str) -> Any:
            element = self.dom.createElement(tag)
            element.appendChild(self.dom.createTextNode(text))
            return element

        def _print_Symbol(self, symbol: Any, style: str = "plain") -> Any:
            return self._text("mi", f"\ue000{symbol.name}")

        def _print_Float(self, number: Any) -> Any:
            value = float(number)
            if digits is not None:  # SymPy has multiplied what was rounded before
                value = float(f"{value:.{digits}g}")
            mantissa, _, exponent = repr(value).partition("e")
            if not exponent:
                return self._text("mn", mantissa)
            power = self.dom.createElement("msup")
            power.appendChild(self._text("mn", "10"))
            power.appendChild(self._text("mn", str(int(exponent))))
            row = self.dom.createElement("mrow")
            for part in (self._text("mn", mantissa), self._text("mo", "⋅"), power):
                row.appendChild(part)
            return row

        def _print_Exp1(self, constant: Any) -> Any:
            # SymPy's own character for it is missing or double-struck in most fonts.
            return self._text("mi", "e")

        def _print_exp(self, call: Any) -> Any:
            power = self.dom.createElement("msup")
            power.appendChild(self._print_Exp1(None))
            power.appendChild(self._print(call.args[0]))
            return power

        _print_PowerOfE = _print_exp

        def _print_Mul(self, product: Any) -> Any:
            # As a function that SymPy does not know, a factor exp(-x) stays one; else
            # it is written as 1/exp(x), unlike in all other forms.
            factors = [
                PowerOfE(*factor.args) if isinstance(factor, exp) else factor
                for factor in product.args
            ]
            return super()._print_Mul(Mul(*factors, evaluate=False))

    return Safe


#: Digits of constants in formulas that are shown.
DIGITS = 4


def formula_text(
    graph: Graph,
    inputs: Sequence[str],
    target: str,
    digits: int | None = DIGITS,
    arranged: str | None = None,
) -> str:
    """Write a formula in one line: 1/3 and π where a constant is just that.

    Names are written as they are, and a column without one by its number.
    """
    import sympy

    names = [
        name if name.strip() else visible(name, k) for k, name in enumerate(inputs)
    ]
    one = replace(formulas([graph], names, [target]), arranged=arranged)
    try:
        (expression,) = to_sympy(one, digits, recognise=True, to_show=True)
    except EqlearnError:  # nobody reads a formula of a thousand terms
        return f"{target} = (a formula of {graph.n_parameters} constants)"
    # A number alone would be printed with all its zeros: 1.11200000000000.
    return f"{target} = {sympy.sstr(expression, full_prec=False)}"

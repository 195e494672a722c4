"""Equations in MathML that fit on a phone and on paper: long ones go on in new lines.

Browsers break no line inside a `math` element, so that every term of a long sum is one
of its own.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from copy import deepcopy
from typing import NamedTuple
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from markupsafe import Markup

from eqlearn.equation.write.display import DIGITS, formula_text, mathml
from eqlearn.equation.write.formulas import formulas
from eqlearn.errors import EqlearnError
from eqlearn.network.graph import Graph

#: Letters of a numerator or denominator that stand in one line.
LONGEST_LINE = 56
#: Letters of an equation that stays in one piece.
LONGEST_PIECE = 30
_TIMES = "\u2062"
_MINUS = "−"
_SIGNS = {"+", _MINUS}
_FENCES = {"(", ")"}
#: Where a power stands is told from the height of its base: that of a letter like x.
_LETTER = "0.5em"


class Typeset(NamedTuple):
    """An equation as HTML with MathML in it."""

    html: Markup
    widest: int  # letters of the widest piece that cannot be broken


def typeset(graph: Graph, inputs: Sequence[str], target: str) -> Typeset:
    """Write `target = formula`."""
    try:
        text = mathml(formulas([graph], inputs, [target]), DIGITS, recognise=True)
    except EqlearnError:  # too long to be read as a formula
        return Typeset(in_words(formula_text(graph, inputs, target)), 0)
    # Without its namespace, which HTML gives to `math` by itself.
    root = ElementTree.fromstring(re.sub('^<math xmlns="[^"]*"', "<math", text))
    name, equals, formula = root[0]
    _space_products(formula)
    _level_powers(formula)
    for sign in formula.iter("mo"):
        sign.text = _MINUS if sign.text == "-" else sign.text
        if sign.text in _FENCES:  # as deep as what they hold, not as it is high
            sign.set("symmetric", "false")
    _break_fractions(formula)
    if _width([formula]) <= LONGEST_PIECE:
        pieces = [[name, equals, formula]]
    else:
        pieces = [[name, equals], *_terms(_bare(formula))]
    return Typeset(Markup(" ".join(map(_math, pieces))), max(map(_width, pieces)))


def in_words(text: str) -> Markup:
    """An equation as text that goes on in new lines wherever it must."""
    return Markup('<code class="words">{}</code>').format(text)


def _math(piece: Sequence[Element]) -> str:
    math = Element("math", {"displaystyle": "true"})
    math.extend(piece)
    return ElementTree.tostring(math, encoding="unicode")


def _letters(element: Element) -> str:
    return "".join(element.itertext())


def _width(parts: Iterable[Element]) -> int:
    """How many letters stand side by side; of a fraction, those of its longer part."""
    return sum(
        max((_width([child]) for child in part), default=0)
        if part.tag in {"mfrac", "mtable"}
        else len(part.text or "") + _width(part)
        for part in parts
    )


def _bare(element: Element) -> Element:
    """Take an element out of the rows that hold nothing else."""
    while element.tag == "mrow" and len(element) == 1:
        element = element[0]
    return element


def _terms(element: Element) -> Iterator[list[Element]]:
    """The terms of a sum, each with its sign in front."""
    term: list[Element] = []
    for part in element if _is_sum(element) else [element]:
        if term and part.tag == "mo" and _letters(part) in _SIGNS:
            yield term
            # The first in its row, it would be spaced like the sign of a number.
            part = deepcopy(part)
            part.set("form", "infix")
            term = []
        term.append(part)
    yield term


def _is_sum(element: Element) -> bool:
    signs = [part for part in element if part.tag == "mo" and _letters(part) in _SIGNS]
    return element.tag == "mrow" and bool(signs)


def _space_products(formula: Element) -> None:
    """Put a dot between factors: x1 x2 would read as one name, but 3 x1 would not."""
    for row in formula.iter("mrow"):
        for k, part in enumerate(row):
            if part.tag == "mo" and part.text == _TIMES:
                is_number = k > 0 and row[k - 1].tag == "mn"
                space = "0.16em" if is_number else "0.12em"
                part.text = _TIMES if is_number else "⋅"
                part.attrib |= {"lspace": space, "rspace": space}


def _level_powers(formula: Element) -> None:
    """Have the powers of b and c at one height, also in fonts not made for formulas."""
    for power in formula.iter("msup"):
        if power[0].tag == "mi":
            base = Element("mpadded", {"height": _LETTER})
            base.append(power[0])
            power[0] = base


def _break_fractions(formula: Element) -> None:
    for fraction in list(formula.iter("mfrac")):
        for k, part in enumerate(list(fraction)):
            if _width([part]) > LONGEST_LINE and _is_sum(_bare(part)):
                fraction[k] = _in_lines(_bare(part))


def _in_lines(total: Element) -> Element:
    """Write a sum as a table, with as many terms in a line as there is space for."""
    table = Element("mtable", {"class": "lines"})
    length = LONGEST_LINE
    for term in _terms(total):
        n_letters = _width(term)
        if length + n_letters > LONGEST_LINE:
            row = SubElement(SubElement(SubElement(table, "mtr"), "mtd"), "mrow")
            length = 0
        row.extend(term)
        length += n_letters
    return table

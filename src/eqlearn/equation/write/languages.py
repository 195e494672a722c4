"""Formulas as source code of other languages: MATLAB, Julia, Fortran and Modelica.

They are written from the lines of the program in C, expression by expression, and read
back as these without running them. What a language cannot say is refused.
"""

import ast
import re
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eqlearn._types import Array
from eqlearn.equation.write import source
from eqlearn.equation.write.formulas import Formulas
from eqlearn.errors import must, printable

#: Words that mean something in one of the languages, and so are no names of columns.
KEYWORDS = frozenset(
    "abstract algorithm allocatable annotation assert baremodule begin block call "
    "classdef connect connector constant contains default der discrete dimension do "
    "each elseif elsewhen end encapsulated entry equation eval exit expandable extends "
    "external final flow func function global i implicit import in initial inner input "
    "intent j let local loop macro model module mutable nothing otherwise outer output "
    "package parameter parfor partial persistent precision primitive procedure program "
    "protected public pure quote real record redeclare replaceable result return spmd "
    "stop stream subroutine terminate then time type undef use using when where within "
    "e pi eps inf nan ans size zeros missing".split()
)
_FUNCTIONS = "sin cos tan asin acos atan sinh cosh tanh exp log log10 sqrt abs".split()
_LEVELS: Mapping[type[ast.operator], int] = {
    ast.Add: 1,
    ast.Sub: 1,
    ast.Mult: 2,
    ast.Div: 2,
    ast.Pow: 4,
}
_NEGATION, _ATOM = 3, 5
_ZEROS = "zeros(size"
_LONGEST_LEGEND = 100
_LONGEST_LINE = 100  # Fortran allows 132 letters


@dataclass(frozen=True)
class Language:
    """How a language writes numbers, operators and the program around them."""

    called: str
    operators: Mapping[type[ast.operator], str]
    number: Callable[[str], str]
    program: Callable[["Lines"], Sequence[str]]
    assignment: str  # of a value to a name, in the program
    truth: tuple[str, str]  # what is around a comparison that is 1 or 0


@dataclass(frozen=True)
class Lines:
    """The lines of a program, in the words of its language."""

    inputs: list[str]
    targets: list[str]
    legend: list[str]
    units: list[str]  # names of the values on the way
    constants: list[str]  # targets in which there is no input
    body: list[str]


def language_source(formulas: Formulas, language: Language) -> str:
    """Write a function of the inputs that returns the targets."""
    program = source.program_of(formulas, KEYWORDS)
    values = [*program.units, *((name, text) for name, text, _ in program.outputs)]
    body = [
        language.assignment.format(name=name, value=_written(text, language))
        for name, text in values
    ]
    legend = [printable(line, _LONGEST_LEGEND) for line in program.legend(formulas)]
    units = [name for name, _ in program.units]
    constants = [name for name, _, is_constant in program.outputs if is_constant]
    lines = Lines(program.inputs, program.targets, legend, units, constants, body)
    return "\n".join([*language.program(lines), ""])


def language_values(
    text: str, formulas: Formulas, x: Array, *, language: Language
) -> NDArray[np.float64]:
    """Compute what a program says for inputs (N, D), without running it."""
    program = source.program_of(formulas, KEYWORDS)
    values: dict[str, Array] = dict(zip(program.inputs, np.transpose(x), strict=True))
    joined = re.sub(r"&\n\s*", "", text)
    before, after = language.assignment.split("{name}")[0], "{value}"
    end = language.assignment.split(after)[1]
    equals = language.assignment.split("{name}")[1].split(after)[0]
    pattern = rf"^\s*{re.escape(before)}(\w+){re.escape(equals)}(.*){re.escape(end)}$"
    for name, expression in re.findall(pattern, joined, re.MULTILINE):
        is_value = name in program.targets or re.fullmatch(r"u\d+", name)
        if is_value and _ZEROS not in expression:
            values[name] = source.value_of(_as_python(expression, language), values)
    columns = [np.broadcast_to(values[name], len(x)) for name in program.targets]
    return np.stack(columns, axis=1)


def _written(text: str, language: Language) -> str:
    return _expression(ast.parse(text, mode="eval").body, language)[0]


def _expression(node: ast.expr, language: Language) -> tuple[str, int]:
    """An expression in the language, and how strongly its outermost sign binds."""
    match node:
        case ast.Constant(value=int() | float() as value):
            return language.number(repr(float(value))), _ATOM
        case ast.Name(id=name):
            return name, _ATOM
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            text, level = _expression(operand, language)
            return f"-{text if level > _NEGATION else f'({text})'}", _NEGATION - 2
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _LEVELS:
            return _operation(left, type(op), right, language)
        case ast.Call(func=ast.Name(id="pow"), args=[base, exponent]):
            return _operation(base, ast.Pow, exponent, language)
        case ast.Call(func=ast.Name(id=name), args=[argument]):
            known = "abs" if name == "fabs" else name
            if known in _FUNCTIONS:
                return f"{known}({_expression(argument, language)[0]})", _ATOM
        case ast.Compare(left=left, ops=[op], comparators=[right]) if (
            type(op) in _COMPARISONS
        ):
            before, after = language.truth
            sides = [_expression(side, language)[0] for side in (left, right)]
            sign = _COMPARISONS[type(op)]
            return f"{before}{sides[0]} {sign} {sides[1]}{after}", _ATOM
    what = f"writable with functions of {language.called}"
    raise must("unit", what, ast.unparse(node))


def _operation(
    left: ast.expr, op: type[ast.operator], right: ast.expr, language: Language
) -> tuple[str, int]:
    level = _LEVELS[op]
    first, first_level = _expression(left, language)
    second, second_level = _expression(right, language)
    # What follows is bracketed where it binds no stronger, so that the order stays.
    if first_level < level or op is ast.Pow and first_level < _ATOM:
        first = f"({first})"
    if second_level <= level or second.startswith("-"):
        second = f"({second})"
    return f"{first} {language.operators[op]} {second}", level


def _as_python(text: str, language: Language) -> ast.expr:
    """The same expression as Python would write it."""
    before, after = language.truth
    plain = text.replace(before, "(") if before != "(" else text
    plain = plain.replace(after, ")") if after != ")" else plain
    plain = re.sub(r"(?<=[\d.])d(?=[-+]?\d)", "e", plain)
    for op, sign in language.operators.items():
        plain = plain.replace(f" {sign} ", f" {_PYTHON[op]} ")
    return ast.parse(plain.strip(), mode="eval").body


_COMPARISONS: Mapping[type[ast.cmpop], str] = {ast.Gt: ">", ast.Lt: "<"}
_PYTHON: Mapping[type[ast.operator], str] = {
    **{ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**"}
}
_CARETS = {**_PYTHON, ast.Pow: "^"}
_DOTTED = {**_PYTHON, ast.Mult: ".*", ast.Div: "./", ast.Pow: ".^"}


def _same(text: str) -> str:
    return text


def _double(text: str) -> str:
    """A number of double precision in Fortran, which takes 0.1 for a single one."""
    return text.replace("e", "d") if "e" in text else f"{text}d0"


def _matlab(lines: Lines) -> list[str]:
    results = ", ".join(lines.targets)
    left = f"[{results}]" if len(lines.targets) > 1 else results
    first = lines.inputs[0]
    return [
        f"function {left} = {source.FUNCTION}({', '.join(lines.inputs)})",
        "% Formulas found by eqlearn.",
        *(f"    % {line}" for line in lines.legend),
        *(f"    {line}" for line in lines.body),
        # A constant has to be as long as the inputs.
        *(f"    {name} = {name} + {_ZEROS}({first}));" for name in lines.constants),
        "end",
    ]


def _julia(lines: Lines) -> list[str]:
    results = ", ".join(lines.targets)
    return [
        "# Formulas found by eqlearn, for numbers; predict.(x, ...) is for arrays.",
        f"function {source.FUNCTION}({', '.join(lines.inputs)})",
        *(f"    # {line}" for line in lines.legend),
        *(f"    {line}" for line in lines.body),
        f"    return {results}",
        "end",
    ]


def _fortran(lines: Lines) -> list[str]:
    arguments = [*lines.inputs, *lines.targets]
    return [
        "! Formulas found by eqlearn.",
        *_broken(f"subroutine {source.FUNCTION}({', '.join(arguments)})"),
        "    implicit none",
        *(f"    double precision, intent(in) :: {name}" for name in lines.inputs),
        *(f"    double precision, intent(out) :: {name}" for name in lines.targets),
        *(f"    double precision :: {name}" for name in lines.units),
        *(f"    ! {line}" for line in lines.legend),
        *(part for line in lines.body for part in _broken(f"    {line}")),
        f"end subroutine {source.FUNCTION}",
    ]


def _broken(line: str) -> list[str]:
    """A statement of Fortran on lines that it allows."""
    parts = textwrap.wrap(
        line, _LONGEST_LINE, break_long_words=False, subsequent_indent="        "
    )
    # Before a name or number, never inside: blanks are where operators are.
    return [f"{part} &" for part in parts[:-1]] + parts[-1:]


def _modelica(lines: Lines) -> list[str]:
    return [
        f'function {source.FUNCTION} "Formulas found by eqlearn"',
        *(f"  // {line}" for line in lines.legend),
        *(f"  input Real {name};" for name in lines.inputs),
        *(f"  output Real {name};" for name in lines.targets),
        *(["protected"] if lines.units else []),
        *(f"  Real {name};" for name in lines.units),
        "algorithm",
        *(f"  {line}" for line in lines.body),
        f"end {source.FUNCTION};",
    ]


_BRACKETS = "(", ")"
_MERGED = "merge(1.0d0, 0.0d0, ", ")"
_CHOSEN = "(if ", " then 1.0 else 0.0)"

MATLAB = Language("MATLAB", _DOTTED, _same, _matlab, "{name} = {value};", _BRACKETS)
JULIA = Language("Julia", _CARETS, _same, _julia, "{name} = {value}", _BRACKETS)
FORTRAN = Language("Fortran", _PYTHON, _double, _fortran, "{name} = {value}", _MERGED)
MODELICA = Language(
    "Modelica", _CARETS, _same, _modelica, "{name} := {value};", _CHOSEN
)

"""Formulas as source code, a line for each unit in the order of the graph.

The operations are those of `Graph.evaluate`, one by one, so the numbers are the same
to the last bits. What is written can be read back without running it, and is checked:
functions of NumPy stand in for those of the library that it is written for.
"""

import ast
import operator
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eqlearn._types import Array
from eqlearn.equation.write.formulas import Formulas
from eqlearn.equation.write.names import identifiers
from eqlearn.errors import EqlearnError, must
from eqlearn.network.graph import CONSTANT, Graph, Linear, Node
from eqlearn.network.units import unit

#: The name of the function that is written.
FUNCTION = "predict"
_LONGEST_SUM = 200  # terms; compilers give up on sums of thousands
_LOCAL_NAMES = {FUNCTION, "numpy", "jax", "torch", "inputs", "outputs"}

# What C calls functions, as far as SymPy writes them in C99.
_C_FUNCTIONS = {"fabs": "abs", "pow": "power", "fmax": "maximum", "fmin": "minimum"}
_FUNCTIONS = {
    *_C_FUNCTIONS.values(),
    *"sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh arctanh".split(),
    *"asin acos atan asinh acosh atanh exp exp2 expm1 log log2 log10 log1p".split(),
    *"sqrt cbrt hypot floor ceil trunc sign zeros_like".split(),
}
# Identifiers of columns must not hide a function, neither Python's nor that of C.
_TAKEN = _LOCAL_NAMES | _FUNCTIONS | _C_FUNCTIONS.keys()


@dataclass(frozen=True)
class SourceLibrary:
    """A library of array functions that Python source can be written for."""

    module: str  # what is imported; functions are called by its full name
    printer: str  # SymPy's, as module:class
    filled: str  # an array like `x` with `value` everywhere
    number: str = "{value}"  # a number as the argument of a function


NUMPY = SourceLibrary(
    "numpy",
    "sympy.printing.numpy:NumPyPrinter",
    "numpy.full(numpy.shape({x}), {value})",
)
JAX = SourceLibrary(
    "jax.numpy",
    "sympy.printing.numpy:JaxPrinter",
    "jax.numpy.full(jax.numpy.shape({x}), {value})",
)
TORCH = SourceLibrary(
    "torch",
    "sympy.printing.pytorch:TorchPrinter",
    "{value} + torch.zeros_like({x})",
    # Its functions take tensors only.
    "torch.tensor({value}, dtype=torch.float64)",
)
_C = SourceLibrary("math.h", "sympy.printing.c:C99CodePrinter", "{value}")


def python_source(formulas: Formulas, library: SourceLibrary = NUMPY) -> str:
    """Write a function of one argument per input column, arrays of a library.

    It returns the target, or a tuple of the targets if there are several.
    """
    program = _program(formulas, library)
    inputs, targets = program.inputs, program.targets
    lines = [
        '"""Formulas found by eqlearn."""',
        "",
        f"import {library.module}",
        "",
        "",
        f"def {FUNCTION}({', '.join(inputs)}):",
        *(f"    # {line}" for line in program.legend(formulas)),
        *(f"    {name} = {value}" for name, value in program.units),
    ]
    for target, value, is_constant in program.outputs:
        if is_constant and inputs:
            value = library.filled.format(x=inputs[0], value=value)
        lines.append(f"    {target} = {value}")
    return "\n".join([*lines, f"    return {', '.join(targets)}", ""])


def c_source(formulas: Formulas) -> str:
    """Write a C99 function of an array of inputs that fills an array of outputs."""
    program = _program(formulas, _C)
    used = _used_inputs(formulas)
    lines = [
        "// Formulas found by eqlearn.",
        "#include <math.h>",
        "",
        f"void {FUNCTION}(const double *inputs, double *outputs)",
        "{",
        *(f"    // {line}" for line in program.legend(formulas)),
        *(
            f"    const double {name} = inputs[{i}];"
            for i, name in enumerate(program.inputs)
            if i in used
        ),
        *([] if used else ["    (void)inputs;"]),
        *(f"    const double {name} = {value};" for name, value in program.units),
        *(
            f"    outputs[{o}] = {value};"
            for o, (_, value, _) in enumerate(program.outputs)
        ),
    ]
    return "\n".join([*lines, "}", ""])


def python_values(source: str, x: Array) -> NDArray[np.float64]:
    """Compute what Python source says for inputs (N, D), without running it."""
    body = ast.parse(source).body[-1]
    if not isinstance(body, ast.FunctionDef):
        raise must("source", "a function", type(body).__name__)
    names = [argument.arg for argument in body.args.args]
    values = dict(zip(names, np.transpose(x), strict=True))
    for statement in body.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                values[name] = value_of(value, values)
            case ast.Return(value=ast.Tuple(elts=results)):
                return _columns([value_of(result, values) for result in results], x)
            case ast.Return(value=ast.expr() as result):
                return _columns([value_of(result, values)], x)
    raise must("source", "a function that returns", source)


def c_values(source: str, x: Array) -> NDArray[np.float64]:
    """Compute what C source says for inputs (N, D), without compiling it."""
    values: dict[str, Array] = {}
    results = []
    pattern = r"    (?:const double (\w+)|outputs\[\d+\]) = (.*);"
    for name, text in re.findall(pattern, source):
        column = re.fullmatch(r"inputs\[(\d+)\]", text)
        if column:
            values[name] = x[:, int(column[1])]
        else:
            value = value_of(ast.parse(text, mode="eval").body, values)
            values[name] = value
            results += [] if name else [value]
    return _columns(results, x)


def _columns(results: list[Array], x: Array) -> NDArray[np.float64]:
    return np.stack([np.broadcast_to(r, len(x)) for r in results], axis=1)


@dataclass(frozen=True)
class _Program:
    inputs: list[str]
    targets: list[str]
    units: list[tuple[str, str]]  # name and value of each unit
    outputs: list[tuple[str, str, bool]]  # name, value and whether no input is in it

    def legend(self, formulas: Formulas) -> list[str]:
        # repr leaves no line break, control or direction mark in a comment, and ends
        # in a quote: a backslash at the end would continue the line in C.
        columns = zip(
            [*self.inputs, *self.targets],
            [*formulas.inputs, *formulas.targets],
            strict=True,
        )
        return [f"{word}: column {name!r}" for word, name in columns]


def program_of(formulas: Formulas, keywords: Collection[str]) -> _Program:
    """The lines of the program in C, with names that also differ in lower case."""
    names = [name.lower() for name in (*formulas.inputs, *formulas.targets)]
    return _program(formulas, _C, identifiers(names, _TAKEN.union(keywords)))


def _program(
    formulas: Formulas, library: SourceLibrary, words: list[str] | None = None
) -> _Program:
    graph = formulas.graph
    words = words or identifiers([*formulas.inputs, *formulas.targets], _TAKEN)
    names = words[: graph.n_inputs]
    features = names + [f"u{k + 1}" for k in range(len(graph.nodes))]
    units = [
        (features[graph.n_inputs + k], _unit_text(library, node, features))
        for k, node in enumerate(graph.nodes)
    ]
    varying = _varying(graph)
    outputs = [
        (name, _fraction(a, b, features), varying.isdisjoint({*a, *b}))
        for name, (a, b) in zip(words[graph.n_inputs :], graph.outputs, strict=True)
    ]
    return _Program(names, words[graph.n_inputs :], units, outputs)


def _varying(graph: Graph) -> set[int]:
    """The features in which there is an input."""
    varying = set(range(graph.n_inputs))
    for k, node in enumerate(graph.nodes):
        if any(varying & linear.keys() for linear in node.arguments):
            varying.add(graph.n_inputs + k)
    return varying


def _used_inputs(formulas: Formulas) -> set[int]:
    graph = formulas.graph
    return {s for linear in graph.slots() for s in linear if 0 <= s < graph.n_inputs}


def _fraction(numerator: Linear, denominator: Linear, features: list[str]) -> str:
    above = _sum(numerator, features)
    if denominator == {CONSTANT: 1.0}:
        return above
    return f"{_atom(above)} / {_atom(_sum(denominator, features))}"


def _sum(linear: Linear, features: list[str]) -> str:
    """Write a linear combination, the constant first as `Graph.evaluate` adds."""
    rest = [(s, w) for s, w in linear.items() if s != CONSTANT]
    terms = [repr(float(linear[CONSTANT]))] if CONSTANT in linear else []
    terms += [_product(weight, features[source]) for source, weight in rest]
    if len(terms) > _LONGEST_SUM:
        terms = [f"({_added(part)})" for part in _batched(terms, _LONGEST_SUM)]
    return _added(terms) if terms else "0.0"


def _product(weight: float, feature: str) -> str:
    size = "" if abs(weight) == 1.0 else f"{abs(float(weight))!r} * "
    return f"{'-' * (weight < 0)}{size}{feature}"


def _batched(terms: list[str], size: int) -> list[list[str]]:
    return [terms[k : k + size] for k in range(0, len(terms), size)]


def _added(terms: Sequence[str]) -> str:
    first, *rest = terms
    signed = [f" - {t[1:]}" if t.startswith("-") else f" + {t}" for t in rest]
    return "".join([first, *signed])


def _atom(text: str) -> str:
    return text if re.fullmatch(r"[\w.]+", text) else f"({text})"


def _unit_text(library: SourceLibrary, node: Node, features: list[str]) -> str:
    """Write a unit by its SymPy form, in which the arguments stand as symbols."""
    import sympy

    def form(texts: list[str]) -> str:
        written = unit(node.unit)(sympy, *map(sympy.Symbol, texts))
        exact = {c: sympy.Float(float(c)) for c in (sympy.pi, sympy.E)}
        return _printer(library)(written.xreplace(exact))

    texts = [_argument(library, linear, features) for linear in node.arguments]
    letters = [chr(ord("a") + k) for k in range(len(texts))]
    # In f(a) the argument needs no parentheses; anywhere else it might.
    is_call = re.fullmatch(rf"([\w.]+\()?{', '.join(letters)}\)?", form(letters))
    return form(texts if is_call else [_atom(text) for text in texts])


def _argument(library: SourceLibrary, linear: Linear, features: list[str]) -> str:
    text = _sum(linear, features)
    is_number = linear.keys() <= {CONSTANT}
    return library.number.format(value=text) if is_number else text


@cache
def _printer(library: SourceLibrary) -> Callable[[Any], str]:
    module, _, name = library.printer.partition(":")
    base = getattr(import_module(module), name)
    exact = {"_print_Float": lambda self, number: repr(float(number))}
    printer = type("Exact", (base,), exact)({"allow_unknown_functions": False})

    def printed(form: Any) -> str:
        try:
            return str(printer.doprint(form))
        except Exception as error:
            what = f"writable with functions of {library.module}"
            raise must("unit", what, str(form)) from error

    return printed


_OPERATORS: dict[type, Callable[..., Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
    ast.USub: operator.neg,
    ast.Gt: lambda a, b: np.asarray(a > b, dtype=float),
    ast.Lt: lambda a, b: np.asarray(a < b, dtype=float),
}


def value_of(node: ast.expr, values: Mapping[str, Any]) -> Any:
    """Compute an expression, of known functions and of these values."""
    match node:
        case ast.Constant(value=int() | float() as number):
            return np.float64(number)
        case ast.Name(id=name) if name in values:
            return values[name]
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            return _OPERATORS[type(op)](value_of(left, values), value_of(right, values))
        case ast.UnaryOp(op=op, operand=operand) if type(op) in _OPERATORS:
            return _OPERATORS[type(op)](value_of(operand, values))
        case ast.Compare(left=left, ops=[op], comparators=[right]) if (
            type(op) in _OPERATORS
        ):
            return _OPERATORS[type(op)](value_of(left, values), value_of(right, values))
        case ast.Call(func=ast.Attribute(attr="full"), args=[_, filling]):
            return value_of(filling, values)
        case ast.Call(func=ast.Attribute(attr="tensor"), args=[number]):
            return value_of(number, values)
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=args):
            name = _C_FUNCTIONS.get(name, name)
            if name in _FUNCTIONS:
                return getattr(np, name)(*(value_of(a, values) for a in args))
    raise _unreadable(node)


def _unreadable(node: ast.expr) -> EqlearnError:
    hint = "Write the unit with functions that NumPy, SymPy and C have."
    return must("unit", "of known functions", ast.unparse(node), hint)

"""Reading a formula off a graph, as SymPy."""

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from eqlearn.network.graph import CONSTANT, COSINE, Graph, Linear
from eqlearn.network.units import unit


def expressions(
    graph: Graph, names: Sequence[str] | None = None, *, to_show: bool = False
) -> tuple[Any, ...]:
    """Write each output as a SymPy expression with the graph's exact constants.

    Inputs are called x1, x2, ... unless `names` says otherwise. `to_show` has symbols
    for what is in `origins`, numbered after the inputs: SymPy would multiply out.
    """
    import sympy

    names = names or [f"x{i + 1}" for i in range(graph.n_inputs)]
    used = graph.used_inputs  # of thousands of inputs most are not
    features: list[Any] = [
        sympy.Symbol(name) if i in used else None for i, name in enumerate(names)
    ]

    def combine(linear: Linear) -> Any:
        terms = [
            _number(w) * (sympy.Integer(1) if s == CONSTANT else features[s])
            for s, w in sorted(linear.items())
        ]
        return sympy.Add(*terms)

    n_shown = 0
    for node in graph.nodes:
        (first, *rest) = node.arguments
        if node.unit == "sin" and first.get(CONSTANT) == COSINE:
            without = {s: w for s, w in first.items() if s != CONSTANT}
            features.append(sympy.cos(combine(without)))
        else:
            arguments = [combine(linear) for linear in (first, *rest)]
            if to_show and node.unit == "origin":
                n_shown += 1
                features.append(sympy.Symbol(f"x{graph.n_inputs + n_shown}"))
                continue
            features.append(unit(node.unit)(sympy, *arguments))
    return tuple(
        combine(_divided(a, b)) / combine(_divided(b, b)) for a, b in graph.outputs
    )


def origins(graph: Graph) -> Iterator[tuple[int, float]]:
    """The inputs that are taken from somewhere, as x - 1990: which, and from where."""
    for node in graph.nodes:
        if node.unit == "origin":
            (argument,) = node.arguments
            (source,) = argument.keys() - {CONSTANT}
            yield source, -argument.get(CONSTANT, 0.0)


def _divided(linear: Linear, denominator: Linear) -> Linear:
    """Scale a part of a fraction such that the denominator reads 1 + ... or x + ..."""
    unit_term = denominator.get(CONSTANT) or max(denominator.values(), key=abs)
    return {source: weight / unit_term for source, weight in linear.items()}


def rounded(expression: Any, digits: int = 4) -> Any:
    """Round all constants to significant digits, for display."""
    import sympy

    floats = expression.atoms(sympy.Float)
    return expression.xreplace({f: _number(float(f"{f:.{digits}g}")) for f in floats})


#: Above this size only whole numbers are recognised.
LARGEST_FRACTION = 1e4


def recognised(expression: Any) -> Any:
    """Write constants that are fractions, or fractions of π, as what they are.

    Meant for snapped formulas: a constant that merely comes close stays a number.
    """
    import sympy

    expression = _without_inner_fractions(expression)
    names = {}
    for number in expression.atoms(sympy.Float):
        value = float(number)
        if not math.isfinite(value):  # as of constants beyond 1e308
            continue
        for measure in (sympy.Integer(1), sympy.pi):
            ratio = value / float(measure)
            # Between large numbers hardly any float is far from such a fraction.
            is_large = abs(ratio) > LARGEST_FRACTION
            fraction = Fraction(ratio).limit_denominator(1 if is_large else 100)
            if fraction and abs(ratio - fraction) <= 1e-14 * abs(ratio):
                simple = sympy.Rational(fraction.numerator, fraction.denominator)
                names[number] = simple * measure
                break
    return _whole_denominators(_plain_powers(expression.xreplace(names)))


def _without_inner_fractions(expression: Any) -> Any:
    """Write f/(1 - f/g) as f g/(g - f), and t² (a + v/t) as t (a t + v)."""
    import sympy

    def has_fractions(part: Any) -> bool:
        terms = part.args if part.is_Add else ()
        return any(sympy.fraction(term)[1].free_symbols for term in terms)

    def is_product_of_fractions(part: Any) -> bool:
        factors = part.args if part.is_Mul else (part,)
        bases = (factor.as_base_exp() for factor in factors)
        return any(has_fractions(base) and abs(power) == 1 for base, power in bases)

    def rewritten(part: Any) -> Any:
        factors = part.args if part.is_Mul else (part,)
        flat = [
            sympy.together(one) if has_fractions(one.as_base_exp()[0]) else one
            for one in factors
        ]
        whole = sympy.Mul(*flat)
        is_sum = len(flat) == 1 and part.is_Add  # which says more than one fraction
        return part if is_sum or whole.count_ops() > part.count_ops() else whole

    if expression.count_ops() > _LONGEST_REWRITTEN:
        return expression
    return expression.replace(is_product_of_fractions, rewritten)


# Operations of a formula that somebody may read, and that takes no time to rewrite.
_LONGEST_REWRITTEN = 150


def _plain_powers(expression: Any) -> Any:
    """Write (x^(3/2))^(1/2) as x^(3/4): where the inner one is defined they agree."""
    import sympy

    def is_power_of_power(part: Any) -> bool:
        return bool(part.is_Pow and part.base.is_Pow and not part.base.exp.is_Integer)

    def rewritten(part: Any) -> Any:
        inner, exponent = part.base, part.base.exp * part.exp
        return sympy.Pow(inner.base, exponent)

    return expression.replace(is_power_of_power, rewritten)


def _whole_denominators(expression: Any) -> Any:
    """Write a/(2·(x/2 + 1)) as a/(x + 2)."""
    import sympy

    def is_one_over_a_sum(part: Any) -> bool:
        return bool(part.is_Pow and part.exp == -1 and part.base.is_Add)

    def rewritten(part: Any) -> Any:
        content, primitive = part.base.primitive()
        return sympy.Mul(1 / content, 1 / primitive)

    return expression.replace(is_one_over_a_sum, rewritten)


def _number(value: float) -> Any:
    """Write whole numbers as integers, so that 1·x reads x."""
    import sympy

    if value == int(value) and abs(value) < 1e6:
        return sympy.Integer(int(value))
    return sympy.Float(value)

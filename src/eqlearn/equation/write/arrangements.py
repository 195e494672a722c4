"""One equation in several forms: expanded, factored, a fraction, split.

Algebra is done with fractions, however many digits a constant has: with rounded numbers
nothing would cancel. An equation without a denominator has no whole part to split off,
and stays as it is.
"""

from collections.abc import Callable, Mapping
from typing import Any

#: Denominators up to which a constant is written as a fraction.
_LARGEST_DENOMINATOR = 100
#: Whole numbers beyond it are what became of digits.
_LARGEST_WHOLE = 10_000


def expanded(expression: Any) -> Any:
    """Products multiplied out: x*(y + 1) as x*y + x."""
    import sympy

    return sympy.expand(expression, log=False, power_base=False, power_exp=False)


def factored(expression: Any) -> Any:
    """Sums as products: x*y + x as x*(y + 1)."""
    import sympy

    return sympy.factor(expression)


def fraction(expression: Any) -> Any:
    """All over one denominator: 1 + 1/x as (x + 1)/x."""
    import sympy

    return sympy.cancel(sympy.together(expression))


def split(expression: Any) -> Any:
    """The whole part split off: (x + 1)/x as 1 + 1/x."""
    import sympy

    above, below = sympy.fraction(sympy.cancel(sympy.together(expression)))
    if below.is_number:
        return expression
    generators = sorted(sympy.Poly(below).gens, key=str)
    whole, rest = sympy.div(above, below, *generators)
    return whole + rest / below


#: Every arrangement by name.
ARRANGEMENTS: Mapping[str, Callable[[Any], Any]] = {
    "expanded": expanded,
    "factored": factored,
    "fraction": fraction,
    "split": split,
}


def _tidied(product: Any) -> Any:
    """Take large whole numbers out of sums: 1e-9*(1000000000*x + 5) is x + 5e-9."""
    import sympy

    factors, content = [], sympy.Integer(1)
    for factor in product.args:
        base, power = factor.as_base_exp()
        largest = sympy.Integer(1)
        if base.is_Add and power.is_Integer:
            largest = max(map(abs, base.as_coefficients_dict().values()))
        if largest > _LARGEST_WHOLE:
            terms = (term / largest for term in base.args)
            factor = sympy.Add(*terms) ** power
            content *= largest**power
        if factor.is_Rational:
            content *= factor
        else:
            factors.append(factor)
    return sympy.Mul(content, *factors)


def arranged_exactly(expression: Any, how: str) -> Any:
    """An arrangement with fractions for all constants on the way, and numbers again."""
    import sympy

    floats = expression.atoms(sympy.Float)
    exact = expression.xreplace({f: sympy.Rational(repr(float(f))) for f in floats})
    found = ARRANGEMENTS[how](exact)
    if not floats:
        return found
    found = found.replace(lambda part: part.is_Mul, _tidied)
    return found.replace(
        lambda part: part.is_Rational and part.q > _LARGEST_DENOMINATOR,
        lambda part: sympy.Float(float(part)),
    )

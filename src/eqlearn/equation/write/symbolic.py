"""Reading a formula off a graph, as SymPy."""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence, Set
from fractions import Fraction
from itertools import combinations
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


def with_powers(expression: Any) -> Any:
    """Write exp(n*log(r + 1)) as (r + 1)**n: wherever the logarithm is, they agree."""
    import sympy

    def is_power(part: Any) -> bool:
        return isinstance(part, sympy.exp) and part.args[0].has(sympy.log)

    def rewritten(part: Any) -> Any:
        powers = map(_power, sympy.Add.make_args(part.args[0]))
        return sympy.Mul(*powers)

    return expression.replace(is_power, rewritten)


def _power(exponent: Any) -> Any:
    """What e to the power of n*log(u), or n*(log(u) + c), is."""
    import sympy

    rest: list[Any] = []
    bases: list[Any] = []
    for factor in sympy.Mul.make_args(exponent):
        base = sympy.exp(factor)
        is_power = base.count(sympy.exp) <= factor.count(sympy.exp)
        if is_power and factor.free_symbols:
            bases.append(base)
        else:
            rest.append(factor)
    if len(bases) != 1:  # of log(u)*log(v) neither is more of an exponent
        return sympy.exp(exponent)
    return bases[0] ** sympy.Mul(*rest)


def with_joined_powers(expression: Any, positive: Set[Any]) -> Any:
    """Write x²/(x³/z)^(2/5) as x^(4/5)*z^(2/5): the same where x and z are positive."""
    import sympy

    def is_of_product(factor: Any) -> bool:
        base, power = factor.as_base_exp()
        return bool(base.is_Mul and power.is_number and not power.is_integer)

    def spread(factor: Any) -> Any:
        """Each input with a power of its own; out of roots only whole powers."""
        base, power = factor.as_base_exp()
        is_root = (2 * power).is_integer
        apart: list[Any] = []
        left: list[Any] = []
        for one in base.args:
            inner, exponent = one.as_base_exp()
            is_told = inner in positive and exponent.is_number
            is_told &= not is_root or bool((exponent * power).is_integer)
            (apart if is_told else left).append((inner, exponent))
        if left and not is_root:
            return factor
        rest = sympy.Mul(*(b**e for b, e in left)) ** power
        return sympy.Mul(rest, *(b ** (e * power) for b, e in apart))

    def rewritten(part: Any) -> Any:
        factors = sympy.Mul.make_args(part)
        whole = sympy.Mul(*(spread(f) if is_of_product(f) else f for f in factors))
        is_plain = all(abs(e) == 1 for f in factors for e in _inner_powers(f))
        return part if is_plain and _n_inputs_in(whole) >= _n_inputs_in(part) else whole

    def has_powers(part: Any) -> bool:
        return any(map(is_of_product, sympy.Mul.make_args(part)))

    return _replaced_if_short(expression, has_powers, rewritten)


def _inner_powers(factor: Any) -> list[Any]:
    """The powers of what is in a power of a product."""
    base, _ = factor.as_base_exp()
    return [one.as_base_exp()[1] for one in base.args] if base.is_Mul else []


def with_joined_roots(expression: Any) -> Any:
    """Write √m/(√a √b) as √(m/(a b)): wherever these have values, it is the same."""
    import sympy

    def is_root(factor: Any) -> bool:
        base, power = factor.as_base_exp()
        return bool(abs(power) == sympy.Rational(1, 2) and base.free_symbols)

    def rewritten(part: Any) -> Any:
        roots = [factor for factor in part.args if is_root(factor)]
        rest = [factor for factor in part.args if not is_root(factor)]
        return sympy.Mul(*rest, sympy.sqrt(sympy.Mul(*(root**2 for root in roots))))

    def has_roots(part: Any) -> bool:
        return bool(part.is_Mul) and sum(map(is_root, part.args)) > 1

    return _replaced_if_short(expression, has_roots, rewritten)


def _n_inputs_in(product: Any) -> int:
    """How often inputs stand in a product."""
    import sympy

    return sum(1 for one in sympy.preorder_traversal(product) if one.is_Symbol)


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

    Meant for snapped formulas: a constant that merely comes close stays a number. Where
    a decimal is as short it stays, too: 3.4, not 17/5.
    """
    import sympy

    expression = _plain_roots(_without_inner_fractions(expression))
    names, powers = {}, {power.exp for power in expression.atoms(sympy.Pow)}
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
                if measure == 1 and _is_decimal(fraction, is_power=number in powers):
                    break
                simple = sympy.Rational(fraction.numerator, fraction.denominator)
                names[number] = simple * measure
                break
    found = _whole_denominators(_plain_powers(expression.xreplace(names)))
    return _with_shared_factors(_without_double_signs(found))


def _is_decimal(fraction: Fraction, *, is_power: bool) -> bool:
    """Whether it reads better as a decimal: x/2, x^(3/4) and 2/3 do not, 3.4 does."""
    rest = fraction.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    if rest > 1 or fraction.denominator == 1:
        return False
    has_five = fraction.denominator % 5 == 0
    return has_five or (abs(fraction.numerator) > 1 and not is_power)


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

    return _replaced_if_short(expression, is_product_of_fractions, rewritten)


# Operations of a formula that somebody may read, and that takes no time to rewrite.
_LONGEST_REWRITTEN = 150


def _replaced_if_short(
    expression: Any, is_meant: Callable[[Any], bool], rewritten: Callable[[Any], Any]
) -> Any:
    """The expression with every part that is meant rewritten, unless it is long."""
    if expression.count_ops() > _LONGEST_REWRITTEN:
        return expression
    return expression.replace(is_meant, rewritten)


def _plain_roots(expression: Any) -> Any:
    """Write √(c²/(c² - v²)) as 1/√(1 - v²/c²), where that is shorter or has a 1."""
    import sympy

    half = sympy.Rational(1, 2)

    def is_root(part: Any) -> bool:
        return bool(part.is_Pow and abs(part.exp) == half)

    def rewritten(part: Any) -> Any:
        above, below = sympy.fraction(part.base)
        sign = 1 if above.is_Add else -1
        total, divisor = (above, below) if above.is_Add else (below, above)
        if not total.is_Add or divisor.is_Add:
            return part
        front, inner = _fourth_powers(divisor)
        told = sympy.Add(*(term / inner for term in total.args))
        power = sign * part.exp
        found = sympy.Pow(told, power) / front ** (4 * power)
        has_number = any(term.is_number for term in told.args)
        return found if has_number or found.count_ops() < part.count_ops() else part

    return _replaced_if_short(expression, is_root, rewritten)


def _fourth_powers(product: Any) -> tuple[Any, Any]:
    """What is in a product to the power of 4, whose root has no sign, and the rest."""
    import sympy

    fourths, rest = [], []
    for factor in sympy.Mul.make_args(product):
        base, power = factor.as_base_exp()
        n = int(power) // 4 if base.is_Symbol and power.is_Integer else 0
        fourths.append(base**n)
        rest.append(factor / base ** (4 * n))
    return sympy.Mul(*fourths), sympy.Mul(*rest)


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


def _without_double_signs(expression: Any) -> Any:
    """Write -c/(v - c) as c/(c - v)."""
    import sympy

    def is_one_over_a_difference(factor: Any) -> bool:
        base, power = factor.as_base_exp()
        n_signs = sum(term.could_extract_minus_sign() for term in base.args)
        return bool(power == -1 and base.is_Add and 2 * n_signs >= len(base.args))

    def has_double_sign(part: Any) -> bool:
        is_negative = part.is_Mul and part.args[0].is_number and part.args[0] < 0
        return bool(is_negative and any(map(is_one_over_a_difference, part.args)))

    def rewritten(part: Any) -> Any:
        k = next(k for k, one in enumerate(part.args) if is_one_over_a_difference(one))
        turned = sympy.Add(*(-term for term in (1 / part.args[k]).args))
        rest = part.args[:k] + part.args[k + 1 :]
        return sympy.Mul(-1, *rest) / turned

    return expression.replace(has_double_sign, rewritten)


def _with_shared_factors(expression: Any) -> Any:
    """Write x exp(t) - y exp(t) + z as (x - y) exp(t) + z: what is bent, once."""
    import sympy

    def is_bent(factor: Any) -> bool:
        if factor.is_Pow:
            return not factor.exp.is_Integer and bool(factor.free_symbols)
        return bool(factor.is_Function)

    def rewritten(part: Any) -> Any:
        factors = (f for term in part.args for f in sympy.Mul.make_args(term))
        counts = Counter(filter(is_bent, factors))
        best = min((-n, str(one), one) for one, n in counts.items())[2]
        whole = sympy.collect(part, best)
        return whole if whole.count_ops() < part.count_ops() else part

    def has_shared_factor(part: Any) -> bool:
        if not part.is_Add:
            return False
        bent = [{*filter(is_bent, sympy.Mul.make_args(term))} for term in part.args]
        return any(a & b for a, b in combinations(bent, 2))

    return _replaced_if_short(expression, has_shared_factor, rewritten)


def _number(value: float) -> Any:
    """Write whole numbers as integers, so that 1·x reads x."""
    import sympy

    if value == int(value) and abs(value) < 1e6:
        return sympy.Integer(int(value))
    return sympy.Float(value)

"""Decide whether a learned formula has the form of a law, whatever its constants.

Noise makes constants inexact, and beyond sines and fractions there is no normal form to
compare. So the constants are fitted anew, to noise-free values of the law inside and
outside the training range. A formula has the true form if it then is the law, to less
than 1e-7 of the spread in both places, with no constant that could as well be 0 and
hardly more constants than the law has. What merely imitates the law leaves more, or
needs more constants. As found it must be near the law inside: a wave of another
frequency is another wave. Whatever goes wrong on the way counts as no.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
import sympy
from numpy.typing import NDArray
from scipy.optimize import least_squares

from eqlearn.problems.definition import Problem

#: What a true form leaves of the spread once its constants are fitted, at most.
LARGEST_REMAINDER = 1e-7
#: How far it may be off in the training range as it was found, in shares of the spread.
LARGEST_ERROR = 0.2
#: Constants beyond those of the law that it may have.
SPARE_CONSTANTS = 2

_N_POINTS = 500  # inside, and as many outside
_IDLE = 1e-6  # of the spread: the difference a constant must make
_RESTARTS = (0.0, 0.02, 0.1, 0.3)  # by how much the found constants are shaken
_MOST_STEPS = 200
# Redundant constants, as in a/(b + cx), leave singular values of rounding errors.
_RANK = 1e-9
# Exponents, and ratios of constants, that are structure: halves, thirds, ... of a few.
_LARGEST_DENOMINATOR = 6
_LARGEST_PART = 12
_SAME = 1e-6
# Where a formula is undefined, in spreads: no step into such a place is worth it.
_UNDEFINED = 1e3

# No number, no function of NumPy, nothing to solve, too deep for SymPy or Python.
_TROUBLE = (
    ArithmeticError,
    AttributeError,
    KeyError,
    NameError,
    RecursionError,
    SyntaxError,
    TypeError,
    ValueError,
)

_Constants = NDArray[np.float64]
_Values = NDArray[np.float64]


def has_true_form(
    expression: sympy.Expr | None,
    problem: Problem,
    rng: np.random.Generator,
    output: int = 0,
) -> bool:
    """Tell whether a formula of one output is the law but for its constants."""
    if expression is None:
        return False
    try:
        return _has_true_form(expression, problem, rng, output)
    except _TROUBLE:
        return False


def _has_true_form(
    expression: sympy.Expr, problem: Problem, rng: np.random.Generator, output: int
) -> bool:
    strange = {symbol.name for symbol in expression.free_symbols} - set(problem.inputs)
    if strange or expression.has(sympy.I, sympy.zoo, sympy.nan, sympy.oo):
        return False
    data = measured(problem, rng, output)
    law = OpenForm.of(problem.expressions()[output], problem.inputs)
    most = len(law.found) + SPARE_CONSTANTS
    # Coefficients of 1 are structure at first. In noise some were 0.998 and not seen.
    for opens_ones in (False, True):
        form = OpenForm.of(expression, problem.inputs, opens_ones=opens_ones)
        if not opens_ones and len(form.found) > 3 * most + 6:
            return False  # however redundant they are
        if not form.remainder(form.found, data.inside()) < LARGEST_ERROR:
            return False
        for shaken in _RESTARTS:
            start = 1 + shaken * rng.standard_normal(len(form.found))
            fitted = _fitted(form, start, data)
            # Of redundant constants one may come out as 0 in one fit, not in others.
            if (
                form.remainder(fitted, data) < LARGEST_REMAINDER
                and not idle_constants(form, fitted, data)
                and _n_constants(form, fitted, data) <= most
            ):
                return True
    return False


@dataclass(frozen=True)
class Data:
    """Noise-free values of a law inside and outside its box, in spreads of each."""

    points: _Values  # (N, D)
    values: _Values  # (N,)
    unit: _Values  # (N,), the spread where a point is
    n_inside: int

    def inside(self) -> "Data":
        """The part within the training range."""
        n = self.n_inside
        return Data(self.points[:n], self.values[:n], self.unit[:n], n)


def measured(problem: Problem, rng: np.random.Generator, output: int = 0) -> Data:
    """Draw the points at which a law is compared."""
    parts = [
        problem.sample(_N_POINTS, rng, noise=0.0),
        problem.sample_extrapolation(_N_POINTS, rng),
    ]
    values = [y[:, output] for _, y in parts]
    units = [np.full(len(y), np.std(y)) for y in values]
    points = np.concatenate([x for x, _ in parts])
    return Data(points, np.concatenate(values), np.concatenate(units), _N_POINTS)


@dataclass(frozen=True)
class OpenForm:
    """A formula with its constants taken out, and their slopes."""

    found: _Constants
    expression: sympy.Expr
    inputs: tuple[sympy.Symbol, ...]
    constants: tuple[sympy.Symbol, ...]

    @classmethod
    def of(
        cls,
        expression: sympy.Expr,
        inputs: tuple[str, ...],
        *,
        opens_ones: bool = False,
    ) -> "OpenForm":
        """Take the constants out of a formula; 1 and -1 only if so asked."""
        opened = _Opening(opens_ones)
        form = opened.term(expression)
        symbols = tuple(map(sympy.Symbol, inputs))
        return cls(np.array(opened.numbers), form, symbols, tuple(opened.symbols))

    @cached_property
    def _values(self) -> Callable[..., object]:
        symbols = [*self.inputs, *self.constants]
        values: Callable[..., object] = sympy.lambdify(
            symbols, self.expression, "numpy", cse=True
        )
        return values

    @cached_property
    def _slopes(self) -> Callable[..., list[object]]:
        symbols = [*self.inputs, *self.constants]
        slopes = [self.expression.diff(constant) for constant in self.constants]
        values: Callable[..., list[object]] = sympy.lambdify(
            symbols, slopes, "numpy", cse=True
        )
        return values

    def values(self, constants: _Constants, data: Data) -> _Values:
        """The formula at the points, not finite where it is undefined."""
        with np.errstate(all="ignore"):
            return _real(self._values(*data.points.T, *constants), len(data.points))

    def slopes(self, constants: _Constants, data: Data) -> _Values:
        """How the values change with each constant (N, P)."""
        with np.errstate(all="ignore"):
            columns = self._slopes(*data.points.T, *constants)
        n = len(data.points)
        return np.stack([_real(column, n) for column in columns], axis=1)

    def remainder(self, constants: _Constants, data: Data) -> float:
        """RMS distance to the law in spreads, inside or outside, where it is larger."""
        with np.errstate(all="ignore"):
            error = (self.values(constants, data) - data.values) / data.unit
            parts = filter(len, np.split(error, [data.n_inside]))
            largest = max(float(np.sqrt(np.mean(part**2))) for part in parts)
        return largest if math.isfinite(largest) else math.inf


def idle_constants(form: OpenForm, constants: _Constants, data: Data) -> list[int]:
    """List the constants that could as well be 0."""
    values = form.values(constants, data)
    idle = []
    for i in range(len(constants)):
        without = form.values(
            np.where(np.arange(len(constants)) == i, 0.0, constants), data
        )
        with np.errstate(all="ignore"):
            change = np.abs(without - values) / data.unit
        if np.all(change < _IDLE):  # not where it is undefined without
            idle.append(i)
    return idle


def _fitted(form: OpenForm, start: _Constants, data: Data) -> _Constants:
    """Fit the constants inside, then everywhere: a wave must not lose its period."""
    if not len(form.found):
        return form.found
    shares = start
    for part in (data.inside(), data):
        shares = _fitted_shares(form, shares, part)
    return form.found * shares


def _fitted_shares(form: OpenForm, shares: _Constants, data: Data) -> _Constants:
    """Fit the constants as shares of what was found: they may span many decades."""

    def error(shares: _Constants) -> _Values:
        left = (form.values(form.found * shares, data) - data.values) / data.unit
        return np.where(np.isfinite(left), np.clip(left, -1e100, 1e100), _UNDEFINED)

    def slopes(shares: _Constants) -> _Values:
        steep = form.slopes(form.found * shares, data) * form.found / data.unit[:, None]
        return np.where(np.isfinite(steep), np.clip(steep, -1e100, 1e100), 0.0)

    tolerances = dict.fromkeys(("xtol", "ftol", "gtol"), 1e-15)
    ended = least_squares(
        error, shares, slopes, method="lm", max_nfev=_MOST_STEPS, **tolerances
    )
    return np.asarray(ended.x)


def _n_constants(form: OpenForm, constants: _Constants, data: Data) -> int:
    """Count the constants that are not forced, by structure or by each other."""
    if not len(constants):
        return 0
    slopes = form.slopes(constants, data) / data.unit[:, None]
    slopes = np.where(np.isfinite(slopes), slopes, 0.0)
    norms = np.linalg.norm(slopes, axis=0)
    sizes = np.linalg.svd(slopes / np.where(norms > 0, norms, 1.0), compute_uv=False)
    rank = int(np.sum(sizes > _RANK * sizes[0]))
    # 2a, -a and a/3 are one constant: a product multiplied out has more of them.
    different = [1.0]
    for constant in constants:
        if not any(_is_simple(constant / other) for other in different):
            different.append(float(constant))
    return min(rank, len(different) - 1)


def _is_simple(value: float) -> bool:
    """Tell whether a number is a fraction of small whole numbers."""
    if not math.isfinite(value):
        return False
    near = Fraction(value).limit_denominator(_LARGEST_DENOMINATOR)
    is_small = abs(near.numerator) <= _LARGEST_PART and near != 0
    return is_small and abs(value - near) <= _SAME * abs(value)


def _real(values: object, n: int) -> _Values:
    array = np.asarray(values)
    if np.iscomplexobj(array):
        array = np.where(np.abs(array.imag) > 0, np.nan, array.real)
    return np.broadcast_to(array.astype(np.float64), n)


class _Opening:
    """Goes through a formula and puts symbols in the place of its constants."""

    def __init__(self, opens_ones: bool) -> None:
        self.opens_ones = opens_ones
        self.symbols: list[sympy.Dummy] = []
        self.numbers: list[float] = []

    def term(self, node: sympy.Expr) -> sympy.Expr:
        """Open what stands alone or in a sum: it has a coefficient, if only 1."""
        if node.is_number:
            return self._constant(float(node))
        if node.is_Add:
            return sympy.Add(*map(self.term, node.args))
        factors = sympy.Mul.make_args(node)
        number = math.prod(float(factor) for factor in factors if factor.is_number)
        others = [self._factor(f) for f in factors if not f.is_number]
        return sympy.Mul(self._constant(number), *others)

    def _factor(self, node: sympy.Expr) -> sympy.Expr:
        """Open a factor, which has no coefficient of its own."""
        if node.is_Symbol:
            return node
        if node.is_Pow:
            base = self._constant(float(node.base)) if node.base.is_number else None
            return (base or self._factor(node.base)) ** self._exponent(node.exp)
        return node.func(*map(self.term, node.args))

    def _exponent(self, node: sympy.Expr) -> sympy.Expr:
        if not node.is_number:
            return self.term(node)
        if node.is_Integer or _is_simple(float(node)):
            fraction = Fraction(float(node)).limit_denominator(_LARGEST_DENOMINATOR)
            return sympy.Rational(fraction.numerator, fraction.denominator)
        return self._constant(float(node))

    def _constant(self, number: float) -> sympy.Expr:
        if abs(number) == 1 and not self.opens_ones:
            return sympy.Integer(int(number))
        self.symbols.append(sympy.Dummy(f"c{len(self.symbols)}"))
        self.numbers.append(number)
        return self.symbols[-1]

"""SINDy: sparse regression on a library of terms, here with PySINDy's solver.

It knows the terms that it may use and nothing else, so all depends on the library. The
inputs are the state of a system and the targets its rates, as on the cart-pendulum.
"""

import itertools
import math
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import sympy
from threadpoolctl import threadpool_limits

from eqlearn._types import Array, Namespace
from eqlearn.baselines.question import Answer, Clock, NotPossible, Question, peer
from eqlearn.baselines.validation import Predict, Rows, Split, rms, split
from eqlearn.equation.refine.tactics import STANDARD
from eqlearn.problems import Learned
from eqlearn.search.conclude.selection import Candidates, chosen

#: Coefficients below a threshold are dropped; small thresholds keep more terms.
THRESHOLDS = (0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002)
DEGREE = 3
#: Units of the cart-pendulum's angle, in radians.
ANGLES = (1.0, math.pi / 2)

#: The terms of inputs; as numbers with NumPy, as formulas with SymPy.
TermLibrary: TypeAlias = Callable[..., list[Any]]


def by_sindy(question: Question) -> list[Answer | None]:
    """Learn with polynomials, sines and cosines of the inputs; none is a fraction."""
    return [_answer(one, [general]) for one in question.targets()]


def by_informed_sindy(question: Question) -> list[Answer | None]:
    """Learn with a library that has the terms of the cart-pendulum among others.

    Its angle is measured in radians, or in right angles: both are tried.
    """
    if len(question.names) != 4:
        raise NotPossible("these terms are those of the cart-pendulum, of 4 inputs")
    libraries = [partial(informed, unit) for unit in ANGLES]
    return [_answer(one, libraries) for one in question.targets()]


def general(xp: Namespace, *inputs: Any) -> list[Any]:
    """Monomials up to the third degree, and sine and cosine of each input."""
    waves = [wave(x) for x in inputs for wave in (xp.sin, xp.cos)]
    return monomials(inputs, DEGREE) + waves


def informed(unit: float, xp: Namespace, *inputs: Any) -> list[Any]:
    """The terms of the cart-pendulum (Eq. 12), among products of the inputs.

    Chosen in its favour: with all general terms and forty fractions, many of them much
    alike, errors outside were 8 and 28 times larger (9000 rows, one seed).
    """
    x1, x2, x3, x4 = inputs
    s, c = xp.sin(unit * x2), xp.cos(unit * x2)
    cart = [x1, x3, x4**2 * s, x4 * c, s * c]
    pendulum = [x4, s, x1 * c, x3 * c, x4**2 * s * c]
    return monomials(inputs, 2) + [term / (s**2 + 1) for term in cart + pendulum]


def monomials(inputs: Sequence[Any], degree: int) -> list[Any]:
    """All products of the inputs up to a degree, the constant first."""
    one = 0 * inputs[0] + 1  # of the inputs' kind
    return [
        math.prod(factors, start=one)
        for n in range(degree + 1)
        for factors in itertools.combinations_with_replacement(inputs, n)
    ]


def sparse(terms: Array, y: Array, threshold: float) -> Array:
    """Least squares again and again without the terms that are below the threshold.

    From terms (N, F) and targets (N, M) to coefficients (F, M).
    """
    solver = peer("pysindy").STLSQ(threshold=threshold)
    # Several threads would wait for each other longer than they compute.
    with threadpool_limits(1), warnings.catch_warnings():
        # It warns of what is an answer too: no term is large enough.
        warnings.simplefilter("ignore")
        solver.fit(terms, y)
    coefficients: Array = solver.coef_.T
    return coefficients


def _answer(question: Question, libraries: Sequence[TermLibrary]) -> Answer:
    clock, rows = Clock(question.time_limit), split(question)
    grid = list(itertools.product(libraries, THRESHOLDS))
    fits: list[Array] = []
    for library, threshold in grid:
        if fits and not clock.left:
            break
        terms = _terms(library, rows.train.x)
        fits.append(sparse(terms, rows.train.y, threshold)[:, 0])
    predicts = [_predict(one, fit) for (one, _), fit in zip(grid, fits, strict=False)]
    table = _table(predicts, fits, rows)
    pick = chosen(table, "information" if rows.far is None else "v_int_ex")
    library, threshold = grid[pick]
    remarks = {
        "threshold": threshold,
        "terms": len(fits[pick]),
        "tried": len(fits),
        "grid": len(grid),
    }
    symbols = library(sympy, *map(sympy.Symbol, question.names))
    pairs = zip(fits[pick].tolist(), symbols, strict=True)
    formula = sum((sympy.Float(c) * term for c, term in pairs if c), sympy.Integer(0))
    predict = _predict(library, fits[pick])
    learned = Learned(lambda x: predict(x)[:, 0], formula)
    return Answer(learned, int(table.size[pick]), len(fits), remarks)


def _table(
    predicts: Sequence[Predict], fits: Sequence[Array], rows: Split
) -> Candidates:
    def errors(where: Rows) -> Array:
        return np.array([rms(predict, where) for predict in predicts])

    n, size = len(rows.train.x), np.array([float(np.count_nonzero(f)) for f in fits])
    sse = n * errors(rows.train) ** 2
    bic = STANDARD.criterion.bic
    information = np.array([bic(e, n, int(p)) for e, p in zip(sse, size, strict=True)])
    far = None if rows.far is None else errors(rows.far)
    return Candidates(errors(rows.held_out), size, information, far)


def _predict(library: TermLibrary, coefficients: Array) -> Predict:
    return lambda x: (_terms(library, x) @ coefficients)[:, None]


def _terms(library: TermLibrary, x: Array) -> Array:
    return np.stack(library(np, *x.T), axis=1)

"""Fractions with an exponential as one more variable: logistic curves, tanh, Planck.

Its rate is scanned; in the most promising fractions it is fitted with all else.
"""

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from eqlearn.equation.refine.criterion import Scored, is_exact
from eqlearn.equation.refine.prune import prune_in_stages
from eqlearn.network.canonical import canonical
from eqlearn.search.attempts.feature_fractions import FeatureFraction
from eqlearn.search.attempts.input_views import View
from eqlearn.search.attempts.monomials import ONE, Exponents, monomial_fraction
from eqlearn.search.attempts.simple_powers import with_simple_powers
from eqlearn.search.survey.dictionaries import arguments, monomials, positive_rows
from eqlearn.search.task import Task
from eqlearn.training.rational import direct_start, fraction_error
from eqlearn.training.samples import Samples

# The smallest fractions that say something with an exponential in them.
_DEGREES = ((1, 1), (2, 1), (2, 2))
# Rates, in spreads of the argument.
_RATES = np.geomspace(0.3, 20.0, 12)
_N_ROWS = 200
_N_KEPT = 3
_MOST_COLUMNS = 30


class Family(NamedTuple):
    """An exponential, and how well fractions with it do."""

    error: float
    of: Exponents
    rate: float


def families(view: View, task: Task) -> Iterator[Scored]:
    """Fractions of the variables and an exponential, the most promising first."""
    few = view.of(task).search_rows().first(_N_ROWS)
    scanned = sorted(_scanned(few))
    for family in scanned[:_N_KEPT]:
        yield from _solved(view, family, task)


def _scanned(few: Samples) -> Iterator[Family]:
    """For every argument, the rate at which a small fraction leaves least."""
    fraction = FeatureFraction(2, 1)
    if fraction.n_columns(len(few.x) + 1) > _MOST_COLUMNS:
        return
    lib = fraction.library(len(few.x) + 1, [])
    for exponents in arguments(positive_rows(few.x)):
        argument = monomials(few.x, [exponents])[0]
        spread = float(np.ptp(argument))
        if not 0 < spread < 300 * float(np.median(np.abs(argument))):
            continue
        for rate in (-_RATES / spread).tolist():
            shown = np.exp(rate * (argument - argument.min()))
            beside = np.ascontiguousarray(np.vstack([few.x, shown]))
            error = fraction_error(lib, few._replace(x=beside), 2)
            if math.isfinite(error):
                yield Family(error, exponents, rate)


def _solved(view: View, family: Family, task: Task) -> Iterator[Scored]:
    """Fractions with the exponential of a family, the smallest first."""
    draft, data = view.draft(task.x.shape[1]), task.search_rows()
    above, below = monomial_fraction(draft, family.of, view.features())
    argument = above if below == ONE else {draft.add("divide", above, below): 1.0}
    shown = draft.add("exp", {s: family.rate * w for s, w in argument.items()})
    beside = view.showing(draft, [{shown: 1.0}])
    rows = beside.of(task).search_rows()
    for a, b in _DEGREES:
        fraction = FeatureFraction(a, b)
        if fraction.n_columns(len(rows.x)) > _MOST_COLUMNS:
            return
        start = direct_start(fraction.library(len(rows.x), []), rows)
        if start is None:
            continue
        full = canonical(beside.composed(start, len(data.x)), data.x)
        found = prune_in_stages(full, data, task.tactics)
        yield with_simple_powers(found, data, task.tactics)
        if is_exact(found, data, task.tactics):
            return

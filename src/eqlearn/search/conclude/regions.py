"""Held out by region: a form fitted to the inner part must predict the outer part."""

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from eqlearn._types import Array, Integers
from eqlearn.equation.refine.constants import covariance
from eqlearn.model.prediction import variance_by_constants
from eqlearn.network.graph import Graph
from eqlearn.search.conclude.judged_rows import JudgedRows, high_quantile, values_of
from eqlearn.search.verdict_strategy import Judging
from eqlearn.training.levenberg import fit


class RegionTest(NamedTuple):
    """How a form predicts rows beyond those that it was fitted to."""

    source: int  # the input along which rows were held out
    is_upper: bool  # the end that was held out
    off: float  # from the fit to all rows there, in shares of the spread
    n_errors: float = math.inf  # the same in standard errors of what the rest says


def region_tests(graph: Graph, rows: JudgedRows, by: Judging) -> list[RegionTest]:
    """Hold out either end of each input that is used, fit the rest, and predict.

    Compared with the fit to all rows instead of the rows themselves, noise is no
    error: only that the form bends elsewhere without them. Few rows may leave it free
    to do so by their noise alone, which the errors of its constants say.
    """
    inputs = sorted(graph.used_inputs)[: by.most_regions]
    return [
        RegionTest(i, is_upper, *_off(graph, rows, held_out, by))
        for i in inputs
        for is_upper, held_out in _ends(rows.x[:, i], by.held_out)
    ]


def _ends(column: Array, share: float) -> Iterator[tuple[bool, Integers]]:
    order = np.argsort(column, kind="stable")
    n = max(1, round(share * len(order)))
    yield False, order[:n]
    yield True, order[-n:]


def _off(
    graph: Graph, rows: JudgedRows, held_out: Integers, by: Judging
) -> tuple[float, float]:
    rest = np.setdiff1d(np.arange(len(rows.y)), held_out)
    if len(rest) <= graph.n_parameters or not rows.spread:
        return 0.0, 0.0
    taken = rows.taken(rest)
    few = fit(graph, taken, n_iterations=by.n_iterations, tolerance=1e-9).graph
    outer = rows.x[held_out]
    distance = np.abs(values_of(few, outer) - values_of(graph, outer))
    error = np.sqrt(variance_by_constants(few, covariance(few, taken), outer))
    times = np.divide(distance, error, out=np.zeros(len(outer)), where=error > 0)
    times[~np.isfinite(distance)] = np.inf
    return high_quantile(distance) / rows.spread, high_quantile(times)

"""Held out by region: a form fitted to the inner part must predict the outer part."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from eqlearn._types import Array, Integers
from eqlearn.network.graph import Graph
from eqlearn.search.conclude.judged_rows import JudgedRows, high_quantile, values_of
from eqlearn.search.strategy import Judging
from eqlearn.training.levenberg import fit


class RegionTest(NamedTuple):
    """How a form predicts rows beyond those that it was fitted to."""

    source: int  # the input along which rows were held out
    is_upper: bool  # the end that was held out
    off: float  # from the fit to all rows there, in shares of the spread


def region_tests(graph: Graph, rows: JudgedRows, by: Judging) -> list[RegionTest]:
    """Hold out either end of each input that is used, fit the rest, and predict.

    Compared with the fit to all rows instead of the rows themselves, noise is no
    error: only that the form bends elsewhere without them.
    """
    inputs = sorted(graph.used_inputs)[: by.most_regions]
    return [
        RegionTest(i, is_upper, _off(graph, rows, held_out, by))
        for i in inputs
        for is_upper, held_out in _ends(rows.x[:, i], by.held_out)
    ]


def _ends(column: Array, share: float) -> Iterator[tuple[bool, Integers]]:
    order = np.argsort(column, kind="stable")
    n = max(1, round(share * len(order)))
    yield False, order[:n]
    yield True, order[-n:]


def _off(graph: Graph, rows: JudgedRows, held_out: Integers, by: Judging) -> float:
    rest = np.setdiff1d(np.arange(len(rows.y)), held_out)
    if len(rest) <= graph.n_parameters or not rows.spread:
        return 0.0
    few = fit(graph, rows.taken(rest), n_iterations=by.n_iterations, tolerance=1e-9)
    outer = rows.x[held_out]
    distance = np.abs(values_of(few.graph, outer) - values_of(graph, outer))
    return high_quantile(distance) / rows.spread

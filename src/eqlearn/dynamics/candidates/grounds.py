"""What sums of terms are judged on: the effects of terms, and what was measured.

A rate that is a sum of terms makes the state a sum of their integrals, whose weights
are the same. What was measured of the state has errors that are independent from row to
row, as those of rates never are; so integrals tell which terms there are.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from scipy.interpolate import CubicSpline

from eqlearn._types import Array
from eqlearn.dynamics.smooth.rate_rows import RateRows, SmoothRun
from eqlearn.dynamics.smooth.step_rows import Steps


class Grounds(NamedTuple):
    """Points where terms have values, and what these values come to."""

    x: Array  # (N, D) states and inputs
    effects: Callable[[Array], Array]  # values of terms (N, K) to columns (R, K)
    y: Array  # (R,) what a sum of columns should be


def grounds_of_rates(rows: RateRows, state: int) -> Grounds:
    """Compare terms with rates themselves: of maps, and of states not measured."""
    return Grounds(rows.x, lambda values: values, rows.rates[:, state])


def grounds_of_states(
    smooth: Sequence[SmoothRun], state: int, n_pieces: int, most_rows: int
) -> Grounds:
    """Compare integrals of terms with the measured state, piece by piece.

    In every piece the state may begin anywhere: its mean is taken out of all.
    """
    chosen = _first_runs(smooth, most_rows)
    spans = [(one.run.t, _pieces(len(one.states), n_pieces)) for one in chosen]

    def effects(values: Array) -> Array:
        columns, first = [], 0
        for t, pieces in spans:
            whole = CubicSpline(t, values[first : first + len(t)]).antiderivative()(t)
            columns += [_centred(whole[piece]) for piece in pieces]
            first += len(t)
        return np.concatenate(columns)

    x = np.concatenate([np.hstack([one.states, one.run.inputs]) for one in chosen])
    measured = [
        _centred(one.run.states[piece, state])
        for one, (_, pieces) in zip(chosen, spans, strict=True)
        for piece in pieces
    ]
    return Grounds(x, effects, np.concatenate(measured))


def grounds_of_steps(
    smooth: Sequence[SmoothRun],
    steps: Sequence[Steps],
    state: int,
    n_pieces: int,
    most_rows: int,
) -> Grounds:
    """Compare what terms add up to, step by step, with the measured state.

    As integrals do; but inputs are held in every step, and Euler's rule has sums.
    """
    chosen = _first_runs(smooth, most_rows)
    steps = steps[: len(chosen)]
    cuts = [_pieces(len(one.states), n_pieces) for one in chosen]

    def effects(values: Array) -> Array:
        columns, first = [], 0
        for one, pieces in zip(steps, cuts, strict=True):
            n = len(one.dt)
            gained = one.dt[:, None] * values[first : first + n]
            whole = np.vstack([np.zeros((1, gained.shape[1])), np.cumsum(gained, 0)])
            columns += [_centred(whole[piece]) for piece in pieces]
            first += n
        return np.concatenate(columns)

    measured = [
        _centred(one.run.states[piece, state])
        for one, pieces in zip(chosen, cuts, strict=True)
        for piece in pieces
    ]
    x = np.concatenate([one.x for one in steps])
    return Grounds(x, effects, np.concatenate(measured))


def _first_runs(smooth: Sequence[SmoothRun], most_rows: int) -> list[SmoothRun]:
    chosen, total = list[SmoothRun](), 0
    for one in smooth:
        if total < most_rows:
            chosen.append(one)
            total += len(one.states)
    return chosen


def _pieces(n_rows: int, n_pieces: int) -> list[slice]:
    ends = np.linspace(0, n_rows, n_pieces + 1).astype(int)
    return [slice(a, b) for a, b in zip(ends, ends[1:], strict=False)]


def _centred(values: Array) -> Array:
    found: Array = values - values.mean(axis=0)
    return found

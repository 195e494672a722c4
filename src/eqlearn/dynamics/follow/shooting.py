"""Multiple shooting: constants and initial states that follow the measurements.

Every piece is followed from its own initial state. The initial states are projected out
of the normal equations, the noise of each state is profiled, and Levenberg-Marquardt
moves the constants of all equations together.
"""

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from eqlearn._types import Array
from eqlearn.dynamics.follow.motion import Motion
from eqlearn.dynamics.follow.pieces import Pieces
from eqlearn.dynamics.follow.pointwise import follow
from eqlearn.dynamics.settings import STANDARD_MOTION, Following
from eqlearn.dynamics.step_rule import CODES

_SMALLEST_DAMPING, _LARGEST_DAMPING = 1e-9, 1e6
_FIRST_DAMPING, _DOWN, _UP = 1e-3, 0.1, 10.0
_TRIES = 5
#: A slope beyond which squares would overflow.
_LARGEST_SLOPE = 1e100
#: Of the squares: what a step is never expected to leave less of.
_LEAST_SHARE = 1e-6
#: Of the clearest direction of all constants: what is less clear is rounding.
_TOLD = 1e-12


@dataclass(frozen=True, eq=False)
class Followed:
    """A system at its optimum on some pieces."""

    motion: Motion
    starts: Array  # (G, S)
    misfit: float  # -2 log likelihood, the noise profiled
    rms: Array  # (S',) of the residuals of measured states
    errors: Array  # (P,) standard errors of the constants
    n_rows: int


class Course(NamedTuple):
    """States along all pieces, and their derivatives."""

    states: Array  # (N, S)
    slopes: Array  # (N, S, P + S) by constants, then initial states; or none


def course(
    motion: Motion, pieces: Pieces, starts: Array, *, with_slopes: bool = False
) -> Course | None:
    """Follow a motion from given starts; None if a state is lost."""
    laid = motion.laid
    n_states, n = motion.n_states, pieces.n_rows
    width = motion.n_parameters + n_states if with_slopes else 0
    found = Course(np.empty((n, n_states)), np.empty((n, n_states, width)))
    survived = follow(
        laid.structure, starts, pieces.first, pieces.t, pieces.driven, pieces.substeps,
        CODES[pieces.rule], pieces.limit, *found,
    )  # fmt: skip
    is_finite = survived and (not width or np.abs(found.slopes).max() < _LARGEST_SLOPE)
    return found if is_finite else None


def residuals(motion: Motion, pieces: Pieces, starts: Array) -> Array | None:
    """Followed less measured states (N, S')."""
    found = course(motion, pieces, starts)
    return None if found is None else found.states[:, pieces.observed] - pieces.x


def misfit(residual: Array, pieces: Pieces) -> float:
    """-2 log likelihood but for constants, the noise of each state profiled."""
    variance = np.mean(residual**2, axis=0) + pieces.floor**2
    return float(len(residual) * np.sum(np.log(variance)))


class _Normal(NamedTuple):
    """Normal equations of the constants, initial states projected out."""

    hessian: Array  # (P, P)
    gradient: Array  # (P,)
    by_piece: list[tuple[Array, Array, Array, Array]]  # Q, R, A, r of each


def _normal(slopes: Array, residual: Array, pieces: Pieces, noise: Array) -> _Normal:
    n_states = slopes.shape[1]
    n_parameters = slopes.shape[2] - n_states
    weighted = slopes[:, pieces.observed] / noise[:, None]
    r = residual / noise
    hessian, gradient = np.zeros((n_parameters, n_parameters)), np.zeros(n_parameters)
    by_piece = []
    for a, b in zip(pieces.first, pieces.first[1:], strict=False):
        block = weighted[a:b].reshape(-1, n_parameters + n_states)
        A, B, left = block[:, :n_parameters], block[:, n_parameters:], r[a:b].ravel()
        Q, R = np.linalg.qr(B)
        free = A - Q @ (Q.T @ A)
        hessian += free.T @ free
        gradient += free.T @ left
        by_piece.append((Q, R, A, left))
    return _Normal(hessian, gradient, by_piece)


def _moved_starts(normal: _Normal, starts: Array, step: Any) -> Array:
    """The best initial states after a step of the constants."""
    moved = starts.copy()
    for g, (Q, R, A, left) in enumerate(normal.by_piece):
        target = Q.T @ (left + A @ step)
        moved[g] -= np.linalg.lstsq(R, target, rcond=1e-10)[0]
    return moved


def fit_motion(
    motion: Motion,
    pieces: Pieces,
    starts: Array | None = None,
    *,
    n_iterations: int | None = None,
    target: float = math.inf,
    by: Following = STANDARD_MOTION.shooting,
) -> Followed | None:
    """Fit constants and initial states; None if the motion cannot be followed.

    A fit that has no prospect of a misfit below `target` is given up.
    """
    if not motion.is_compiled:
        return None
    at = _linearised(motion, pieces, pieces.starts if starts is None else starts)
    damping = _FIRST_DAMPING
    for n in range(by.n_iterations if n_iterations is None else n_iterations):
        if at is None or (n and at.prospect() > target + by.slack):
            break
        before, (at, damping) = at, _improved(at, pieces, damping)
        if at is None or before.misfit - at.misfit < by.tolerance:
            at = before if at is None else at
            break
    return None if at is None else _at_optimum(at)


class _State(NamedTuple):
    """A motion at some constants and starts, and its surroundings."""

    motion: Motion
    starts: Array
    misfit: float
    rms: Array
    normal: _Normal
    n_rows: int

    def prospect(self) -> float:
        """The misfit that one whole step would leave if all were linear."""
        n = self.n_rows * len(self.rms)
        inverse = np.linalg.pinv(self.normal.hessian, hermitian=True)
        gained = float(self.normal.gradient @ inverse @ self.normal.gradient)
        gained += sum(
            float(np.sum((Q.T @ r) ** 2)) for Q, _, _, r in self.normal.by_piece
        )
        return self.misfit + n * math.log(max(1.0 - gained / n, _LEAST_SHARE))


def _linearised(motion: Motion, pieces: Pieces, starts: Array) -> _State | None:
    found = course(motion, pieces, starts, with_slopes=True)
    if found is None:
        return None
    residual = found.states[:, pieces.observed] - pieces.x
    square = np.mean(residual**2, axis=0)
    normal = _normal(found.slopes, residual, pieces, np.sqrt(square + pieces.floor**2))
    size = misfit(residual, pieces)
    return _State(motion, starts, size, np.sqrt(square), normal, len(residual))


def _improved(
    at: _State, pieces: Pieces, damping: float
) -> tuple[_State | None, float]:
    """One step of Levenberg-Marquardt, shortened until it helps; None if none does."""
    values, size = at.motion.values(), np.diag(at.normal.hessian) + 1e-12
    for _ in range(_TRIES):
        damped = at.normal.hessian + np.diag(damping * size)
        step = -np.asarray(np.linalg.lstsq(damped, at.normal.gradient, rcond=None)[0])
        moved = at.motion.with_values(values + step)
        starts = _moved_starts(at.normal, at.starts, step)
        left = residuals(moved, pieces, starts)
        if left is not None and misfit(left, pieces) < at.misfit:
            new = _linearised(moved, pieces, starts)
            return new, max(damping * _DOWN, _SMALLEST_DAMPING)
        damping = min(damping * _UP, _LARGEST_DAMPING)
    return None, damping


def _at_optimum(at: _State) -> Followed:
    n = at.n_rows * len(at.rms)
    spare = n - at.motion.n_parameters - at.starts.size
    variance = _variances(at.normal.hessian) * n / max(spare, 1)
    return Followed(
        at.motion, at.starts, at.misfit, at.rms, np.sqrt(variance), at.n_rows
    )


def _variances(hessian: Array) -> Array:
    """Variances of the constants; vast where others can do what one does.

    A pseudo-inverse would take what no measurement tells for certain.
    """
    size = np.sqrt(np.diag(hessian))
    if not np.all(np.isfinite(hessian)):
        return np.full(len(size), math.inf)
    size = np.where(size > 0, size, 1.0)
    squares, turn = np.linalg.eigh(hessian / np.outer(size, size))
    told = np.maximum(squares, _TOLD * max(float(squares.max(initial=0.0)), 1e-300))
    with np.errstate(over="ignore"):  # infinite is vast
        found: Array = np.sum(turn**2 / told, axis=1) / size**2
    return found


def projected(
    motion: Motion, pieces: Pieces, starts: Array
) -> tuple[Array, Array] | None:
    """Slopes (R, P) and residuals (R,) in units of the noise, initial states free."""
    at = _linearised(motion, pieces, starts)
    if at is None:
        return None
    slopes = [A - Q @ (Q.T @ A) for Q, _, A, _ in at.normal.by_piece]
    left = [r - Q @ (Q.T @ r) for Q, _, _, r in at.normal.by_piece]
    return np.concatenate(slopes), np.concatenate(left)

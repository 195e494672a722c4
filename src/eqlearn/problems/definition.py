"""What a problem is: a known formula, where it is measured and how noisily.

Problems are for tests, benchmarks and documentation; nothing that learns may look here.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
import sympy

from eqlearn._types import Array, Namespace, Numbers
from eqlearn.errors import check_count, must, unknown

#: The range of every input, (low, high) each.
Box = tuple[tuple[float, float], ...]
NoiseUnit = Literal["absolute", "spread"]
Spacing = Literal["random", "even", "whole", "crowded"]

_NOISE_UNITS = ("absolute", "spread")
_SPREAD_POINTS = 10_000


@dataclass(frozen=True)
class Problem:
    """A formula to be rediscovered from noisy samples.

    Attributes
    ----------
    formula : callable
        ``formula(xp, *inputs)`` returns the target, or a tuple of several. Written once
        against a namespace: NumPy evaluates it, SymPy reads it.
    box, outer_box : tuple of (low, high)
        The training range of each input, and the range whose part outside `box` is the
        extrapolation domain.
    noise : float
        Standard deviation of the noise on the training targets, in `noise_unit`:
        ``"absolute"``, or multiples of each target's ``"spread"``.
    n_train : int
        Number of measured points, those held out for validation included.
    held_out : float
        The share of these that is held out.
    n_far : int
        Labelled points outside the box that selection may look at.
    meaning : str
        What the formula says, with the units of measure.
    limits : tuple of (low, high), optional
        Where the formula may be asked at all: what wider boxes never leave.
    spacing : str
        How the first input is measured: at ``"random"``, at ``"even"`` steps, at random
        ``"whole"`` numbers, or ``"crowded"`` towards its lower end.
    by_form : bool
        Whether an answer counts by its true form, its constants being refitted.
    is_unseen : bool
        Whether nobody who works on the search should see the formula or an answer.
    """

    name: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    formula: Callable[..., Any]
    box: Box
    outer_box: Box
    noise: float = 0.01
    noise_unit: NoiseUnit = "absolute"
    n_train: int = 10_000
    held_out: float = 0.1
    n_far: int = 40
    meaning: str = ""
    limits: Box | None = None
    spacing: Spacing = "random"
    by_form: bool = False
    is_unseen: bool = False

    def __post_init__(self) -> None:
        _check_names("inputs", self.inputs)
        _check_names("outputs", self.outputs)
        _check_box("box", self.box, len(self.inputs))
        _check_box("outer_box", self.outer_box, len(self.inputs))
        if not _is_wider(self.outer_box, self.box):
            hint = "Enclose every range of `box`."
            raise must("outer_box", f"wider than {self.box}", self.outer_box, hint=hint)
        if self.limits is not None:
            _check_box("limits", self.limits, len(self.inputs))
            if not _encloses(self.limits, self.outer_box):
                hint = "Enclose every range of `outer_box`."
                what = f"around {self.outer_box}"
                raise must("limits", what, self.limits, hint=hint)
        if self.spacing not in _SPACINGS:
            raise unknown("spacing", self.spacing, _SPACINGS)
        _check_noise(self.noise)
        if self.noise_unit not in _NOISE_UNITS:
            raise unknown("noise_unit", self.noise_unit, _NOISE_UNITS)
        check_count("n_train", self.n_train)
        if not 0 <= self.held_out < 1:
            raise must("held_out", "at least 0 and below 1", self.held_out)
        check_count("n_far", self.n_far, least=0)

    def evaluate(self, X: Numbers) -> Array:
        """Compute the noise-free targets (N, M) at the points X (N, D)."""
        points = np.asarray(X, dtype=np.float64)
        if points.ndim != 2 or points.shape[1] != len(self.inputs):
            what = f"a table of shape (N, {len(self.inputs)})"
            hint = f"Give one column for each of {', '.join(self.inputs)}."
            raise must("X", what, points, hint=hint)
        targets = self._targets(np, *points.T)
        columns = [np.broadcast_to(target, len(points)) for target in targets]
        return np.stack(columns, axis=1).astype(np.float64)

    def expressions(self) -> tuple[sympy.Expr, ...]:
        """Return the true formula of each output, in symbols named as the inputs."""
        symbols = [sympy.Symbol(name) for name in self.inputs]
        return tuple(map(sympy.sympify, self._targets(sympy, *symbols)))

    @cached_property
    def spread(self) -> Array:
        """The standard deviation (M,) of each noise-free target over the box."""
        # A property of the problem, not of one sample: the points are always the same.
        points = _uniform(self.box, _SPREAD_POINTS, np.random.default_rng(0))
        spread: Array = np.std(self.evaluate(points), axis=0)
        return spread

    @property
    def n_seen(self) -> int:
        """How many points are left for training."""
        return self.n_train - round(self.held_out * self.n_train)

    @property
    def noise_scale(self) -> Array:
        """What a noise of 1 means for each target (M,)."""
        return self.spread if self.noise_unit == "spread" else np.ones_like(self.spread)

    def with_noise(self, noise: float) -> "Problem":
        """Return the same problem at another noise level, in the same unit."""
        return replace(self, noise=noise)

    def sample(
        self, n: int, rng: np.random.Generator, noise: float | None = None
    ) -> tuple[Array, Array]:
        """Measure n points of the box: inputs (n, D) and noisy targets (n, M).

        `noise` overrides the problem's own level, in the same unit.
        """
        check_count("n", n)
        X = _uniform(self.box, n, rng)
        X[:, 0] = _SPACINGS[self.spacing](X[:, 0], *self.box[0])
        return X, self._measured(X, rng, self.noise if noise is None else noise)

    def sample_extrapolation(
        self, n: int, rng: np.random.Generator, noise: float = 0.0
    ) -> tuple[Array, Array]:
        """Draw n points of the outer box that are not in the box, noise-free."""
        check_count("n", n)
        low, high = np.transpose(self.box)
        kept = np.empty((0, len(self.inputs)))
        while len(kept) < n:
            X = _uniform(self.outer_box, n, rng)
            outside = ((X < low) | (X > high)).any(axis=1)
            kept = np.concatenate([kept, X[outside]])
        return kept[:n], self._measured(kept[:n], rng, noise)

    def wide_box(self, factor: float = 3.0) -> Box:
        """Return the box widened `factor` times about its centre, within the limits."""
        return within(widened(self.box, factor), self.limits)

    def _targets(self, xp: Namespace, *inputs: Any) -> tuple[Any, ...]:
        value = self.formula(xp, *inputs)
        return value if isinstance(value, tuple) else (value,)

    def _measured(self, X: Array, rng: np.random.Generator, noise: float) -> Array:
        _check_noise(noise)
        Y = self.evaluate(X)
        return Y + noise * self.noise_scale * rng.standard_normal(Y.shape)


def widened(box: Box, factor: float) -> Box:
    """Widen every range `factor` times about its centre, keeping its sign.

    A range of one sign stays clear of zero, where many laws have a pole: its end next
    to zero moves at most to that end divided by `factor`; an end at zero stays there.
    """
    if not (np.isfinite(factor) and factor >= 1):
        hint = "Use 3 for three times the training range."
        raise must("factor", "a finite number of at least 1", factor, hint=hint)
    return tuple(_widened_range(low, high, factor) for low, high in box)


def within(box: Box, limits: Box | None) -> Box:
    """Cut every range off where its limits are."""
    if limits is None:
        return box
    return tuple(
        (max(low, least), min(high, most))
        for (low, high), (least, most) in zip(box, limits, strict=True)
    )


def _widened_range(low: float, high: float, factor: float) -> tuple[float, float]:
    if high <= 0:
        far, near = _widened_range(-high, -low, factor)
        return -near, -far
    centre, half = (low + high) / 2, (high - low) / 2
    wide_low = centre - factor * half
    return (
        max(wide_low, low / factor) if low >= 0 else wide_low
    ), centre + factor * half


def _uniform(box: Box, n: int, rng: np.random.Generator) -> Array:
    low, high = np.transpose(box)
    return rng.uniform(low, high, size=(n, len(box)))


#: From values drawn at random between two ends to those that are measured.
_SPACINGS: dict[str, Callable[[Array, float, float], Array]] = {
    "random": lambda x, low, high: x,
    "even": lambda x, low, high: np.linspace(low, high, len(x)),
    "whole": lambda x, low, high: np.rint(x),
    "crowded": lambda x, low, high: low + (x - low) ** 2 / (high - low),
}


def _is_wider(outer: Box, inner: Box) -> bool:
    return _encloses(outer, inner) and outer != inner


def _encloses(outer: Box, inner: Box) -> bool:
    pairs = zip(outer, inner, strict=True)
    return all(wide[0] <= low and high <= wide[1] for wide, (low, high) in pairs)


def _check_names(name: str, value: tuple[str, ...]) -> None:
    if not value or len(set(value)) < len(value):
        hint = "Give each column its own name."
        raise must(name, "one or more different names", value, hint=hint)


def _check_box(name: str, box: Box, n_inputs: int) -> None:
    if len(box) != n_inputs:
        hint = "Give a (low, high) for each input."
        raise must(name, f"{n_inputs} ranges", box, hint=hint)
    for low, high in box:
        if not (np.isfinite(low) and np.isfinite(high) and low < high):
            hint = "Give the lower end first."
            raise must(name, "finite ranges with low < high", (low, high), hint=hint)


def _check_noise(noise: float) -> None:
    if not (np.isfinite(noise) and noise >= 0):
        hint = "Use 0 for noise-free targets."
        raise must("noise", "a finite number of at least 0", noise, hint=hint)

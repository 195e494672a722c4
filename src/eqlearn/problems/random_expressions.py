"""Random expressions: formulas drawn from the network itself (paper, section 4.3).

The paper draws them from EQL÷ networks of 2 or 3 hidden layers with random sparse
connections, weights and biases uniform in [0.5, 2] with random sign, and weights into
sin and cos times π. What it leaves open is settled here:

- A hidden layer has two units of each type (identity, sin, cos, product); only those
  that reach the output are drawn.
- A unit's argument, each factor of a product and the numerator of the output combine 1
  or 2 features of the layer below (equally likely), and a bias one time in four.
- The denominator is a bias and one feature, so there is always a division.
- Weights and biases have two decimals, so that the formula can be written down.
- A draw that breaks one of `_RULES` is thrown away as a whole and drawn again.
"""

import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import sympy

from eqlearn._types import Array, Namespace
from eqlearn.errors import check_count, must
from eqlearn.problems.definition import Problem
from eqlearn.problems.normal_form import NoNormalForm, hidden_layers
from eqlearn.problems.paper import on_cube


class _Kind(NamedTuple):
    """A type of unit; `oscillates` where the weights into it are times π."""

    arity: int
    function: Callable[..., Any]
    oscillates: bool = False


_KINDS = {
    "identity": _Kind(1, lambda xp, z: z),
    "sin": _Kind(1, lambda xp, z: xp.sin(z), oscillates=True),
    "cos": _Kind(1, lambda xp, z: xp.cos(z), oscillates=True),
    "product": _Kind(2, lambda xp, a, b: a * b),
}
_INPUTS = ("x1", "x2", "x3", "x4")
_UNITS = tuple(f"{kind}-{i}" for kind in _KINDS for i in (1, 2))
_BIAS_CHANCE = 0.25

_MOST_WEIGHTS = 20
_LEAST_INPUTS = 2
_SMALLEST_DENOMINATOR = 0.25
_LEAST_SPREAD = 0.1  # ten times the noise
_LARGEST_SIZE = 100.0
# Of 9000 points in [-1, 1]^4, neighbours lie about 0.2 apart. A formula that changes by
# its own spread within less than half of that cannot be seen in them.
_STEEPEST = 10.0


@lru_cache
def random_expression(n_hidden: int, seed: int) -> Problem:
    """Draw the random expression RE{n_hidden}-{seed}; seeds 1 to 4 are the benchmark's.

    Deterministic in its arguments. The rules are those of this module's docstring.
    """
    if n_hidden not in (2, 3):
        raise must("n_hidden", "2 or 3", n_hidden, hint="Use 2 for RE2, 3 for RE3.")
    hint = "Use 1 to 4 for the benchmark's expressions, others for fresh ones."
    check_count("seed", seed, least=0, hint=hint)
    rng = np.random.default_rng([n_hidden, seed])
    formula = _draw(n_hidden, rng)
    while not all(keeps(formula) for keeps in _RULES.values()):
        formula = _draw(n_hidden, rng)
    meaning = f"drawn from a network with {n_hidden} hidden layers"
    return on_cube(f"RE{n_hidden}-{seed}", len(_INPUTS), formula, meaning=meaning)


@dataclass(frozen=True)
class Combination:
    """A bias plus weighted features; with no bias drawn, it is 0."""

    weights: tuple[tuple[str, float], ...]
    bias: float

    def __call__(self, features: Mapping[str, Any], gain: Any = 1) -> Any:
        """Combine the features, their weights (not the bias) times `gain`.

        Arrays give an array and SymPy's symbols an expression.
        """
        terms = (weight * gain * features[name] for name, weight in self.weights)
        return sum(terms, start=self.bias)

    @property
    def n_weights(self) -> int:
        """Weights and bias, if there is one."""
        return len(self.weights) + (self.bias != 0)


#: Units that are used, each with what it is applied to.
Layer = tuple[tuple[str, tuple[Combination, ...]], ...]


@dataclass(frozen=True)
class RandomFormula:
    """A sparse EQL÷ network: hidden layers (units with their inputs), then a/b."""

    layers: tuple[Layer, ...]
    numerator: Combination
    denominator: Combination

    def __call__(self, xp: Namespace, *inputs: Any) -> Any:
        """Compute the output, as a `Problem` asks of its formula."""
        numerator, denominator = self.parts(xp, *inputs)
        return numerator / denominator

    def parts(self, xp: Namespace, *inputs: Any) -> tuple[Any, Any]:
        """Return numerator and denominator of the output."""
        features = dict(zip(_INPUTS, inputs, strict=True))
        for layer in self.layers:
            features = {
                unit: _apply(xp, unit, combinations, features)
                for unit, combinations in layer
            }
        return self.numerator(features), self.denominator(features)

    @property
    def n_weights(self) -> int:
        """The number of weights and biases, all of which reach the output."""
        hidden = (c for layer in self.layers for c in _combinations(layer))
        combinations = (*hidden, self.numerator, self.denominator)
        return sum(combination.n_weights for combination in combinations)


def _apply(
    xp: Namespace,
    unit: str,
    combinations: tuple[Combination, ...],
    features: Mapping[str, Any],
) -> Any:
    kind = _kind(unit)
    gain = xp.pi if kind.oscillates else 1
    return kind.function(xp, *(combine(features, gain) for combine in combinations))


def _kind(unit: str) -> _Kind:
    return _KINDS[unit.split("-")[0]]


def _combinations(layer: Layer) -> list[Combination]:
    return [combination for _, applied_to in layer for combination in applied_to]


def _draw(n_hidden: int, rng: np.random.Generator) -> RandomFormula:
    """Draw from the output downward, so that nothing drawn is without effect."""
    numerator = _draw_combination(_UNITS, rng)
    denominator = Combination(_draw_weights(_UNITS, 1, rng), _draw_weight(rng))
    used = _features_of([numerator, denominator])
    layers: list[Layer] = []
    for below in [_UNITS] * (n_hidden - 1) + [_INPUTS]:
        layer = tuple(
            (
                unit,
                tuple(_draw_combination(below, rng) for _ in range(_kind(unit).arity)),
            )
            for unit in used
        )
        layers.insert(0, layer)
        used = _features_of(_combinations(layer))
    return RandomFormula(tuple(layers), numerator, denominator)


def _draw_combination(names: tuple[str, ...], rng: np.random.Generator) -> Combination:
    weights = _draw_weights(names, int(rng.integers(1, 3)), rng)
    has_bias = rng.random() < _BIAS_CHANCE
    return Combination(weights, _draw_weight(rng) if has_bias else 0.0)


def _draw_weights(
    names: tuple[str, ...], n: int, rng: np.random.Generator
) -> tuple[tuple[str, float], ...]:
    chosen = sorted(rng.permutation(len(names))[:n])
    return tuple((names[i], _draw_weight(rng)) for i in chosen)


def _draw_weight(rng: np.random.Generator) -> float:
    sign = 1 if rng.random() < 0.5 else -1
    return sign * round(float(rng.uniform(0.5, 2.0)), 2)


def _features_of(combinations: list[Combination]) -> list[str]:
    return sorted({name for c in combinations for name, _ in c.weights})


def _is_concise(formula: RandomFormula) -> bool:
    return formula.n_weights <= _MOST_WEIGHTS


def _has_no_pole(formula: RandomFormula) -> bool:
    """No pole over three times the training range, where formulas are compared."""
    for points in (_points(3.0)[:500], _points(3.0)):
        denominator = np.asarray(formula.parts(np, *points.T)[1])
        same_sign = denominator.min() * denominator.max() > 0
        if not same_sign or np.abs(denominator).min() < _SMALLEST_DENOMINATOR:
            return False
    return True


def _has_sensible_size(formula: RandomFormula) -> bool:
    spread = np.std(formula(np, *_points(1.0).T))
    size = np.sqrt(np.mean(formula(np, *_points(2.0).T) ** 2))
    return bool(spread >= _LEAST_SPREAD and size <= _LARGEST_SIZE)


def _is_resolved(formula: RandomFormula) -> bool:
    return steepness(formula) <= _STEEPEST


def _uses_inputs(formula: RandomFormula) -> bool:
    return len(_expression(formula).free_symbols) >= _LEAST_INPUTS


def _needs_its_layers(formula: RandomFormula) -> bool:
    try:
        needed = hidden_layers(_expression(formula), dict.fromkeys(_INPUTS, (-1, 1)))
        return needed == len(formula.layers)
    except NoNormalForm:  # too long when multiplied out
        return False


#: What every random expression obeys; the cheap questions come first.
_RULES: dict[str, Callable[[RandomFormula], bool]] = {
    "at most 20 weights and biases": _is_concise,
    "denominator beyond 0.25 and of one sign on [-3, 3]^4": _has_no_pole,
    "spread at least 0.1 on [-1, 1]^4, RMS at most 100 on [-2, 2]^4": (
        _has_sensible_size
    ),
    "RMS slope at most 10 spreads per unit length": _is_resolved,
    "depends on two inputs or more": _uses_inputs,
    "needs all its hidden layers": _needs_its_layers,
}


def steepness(formula: Callable[..., Array]) -> float:
    """Return the RMS slope on [-1, 1]^4 in spreads per unit length; sin 2πx has 6.3."""
    points, step = _points(1.0)[:2000], 1e-4
    slopes = [
        (formula(np, *(points + shift).T) - formula(np, *(points - shift).T))
        / (2 * step)
        for shift in step * np.eye(len(_INPUTS))
    ]
    slope = np.sqrt(np.mean(np.sum(np.square(slopes), axis=0)))
    return float(slope / np.std(formula(np, *points.T)))


def _expression(formula: RandomFormula) -> sympy.Expr:
    return formula(sympy, *map(sympy.Symbol, _INPUTS))


@lru_cache
def _points(half_width: float) -> Array:
    """Return the corners of a cube and many points in it.

    The same for every draw: a rule must not depend on the seed it judges.
    """
    corners = list(itertools.product((-half_width, half_width), repeat=len(_INPUTS)))
    shape = (20_000, len(_INPUTS))
    inside = np.random.default_rng(0).uniform(-half_width, half_width, shape)
    return np.concatenate([corners, inside])

"""The linear rational stage: fractions of fixed features, solved directly.

Once the features φ are fixed, y = Σ aₖφₖ / Σ bₖφₖ is a linear problem in a and b but
for the weighting: Σ (a·φ - y b·φ)² / (b·φ)². Small sets of features, tried before any
network is trained, settle the simple laws in milliseconds.
"""

import itertools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.linalg.lapack import dposv

from eqlearn._types import Array
from eqlearn.network import kernels
from eqlearn.network.graph import CONSTANT, Graph, Linear, Node
from eqlearn.training.samples import Samples

# In `sparse_start`, the log penalty flattens at weights of this size.
_EPSILON = 0.03
# So many rounds come before the penalty sets in.
_N_FREE = 3
# Rows next to a pole get no more weight than a denominator of this size would give.
_SMALLEST_DENOMINATOR = 0.02
# Weights below this size are dropped in the end.
_KEPT = 3e-3


class Library(NamedTuple):
    """Features for the two parts of a fraction, as units of a graph without output."""

    n_inputs: int
    nodes: tuple[Node, ...]
    numerator: tuple[int, ...]
    denominator: tuple[int, ...]

    def graph(self, a: Linear, b: Linear) -> Graph:
        """The graph of the fraction with these weights."""
        return Graph(self.n_inputs, self.nodes, ((a, b),))

    def columns(self, x: Array) -> tuple[Array, Array]:
        """Values of the features (K, N) for `x` (D, N), of either part."""
        empty = self.graph({CONSTANT: 1.0}, {CONSTANT: 1.0})
        inputs = np.ascontiguousarray(x)  # kernels are compiled for this layout
        features = kernels.evaluate(empty, kernels.tape(empty), inputs).features
        ones = np.ones((1, x.shape[1]))
        both = np.concatenate([features, ones])  # so that CONSTANT = -1 finds its row
        return both[list(self.numerator)], both[list(self.denominator)]

    def start(self, a: Array, b: Array) -> Graph:
        """The graph with a weight for every feature of either part."""
        return self.graph(
            dict(zip(self.numerator, a.tolist(), strict=True)),
            dict(zip(self.denominator, b.tolist(), strict=True)),
        )


def library(
    n_inputs: int,
    numerator_degree: int,
    denominator_degree: int,
    *,
    arguments: Sequence[Linear] = (),
    replaced: frozenset[int] = frozenset(),
) -> Library:
    """Monomials of inputs, and of sin and cos of the given arguments.

    Inputs in `replaced` appear in sin and cos only. Squares of sines are left out:
    sin² = 1 - cos².
    """
    units = _Units(n_inputs)
    variables = [i for i in range(n_inputs) if i not in replaced]
    sines = []
    for argument in arguments:
        sine, cosine = units.add("sin", argument), units.add("cos", argument)
        variables += [sine, cosine]
        sines.append(sine)

    def monomials(degree: int) -> tuple[int, ...]:
        return tuple(
            units.product(factors)
            for size in range(degree + 1)
            for factors in itertools.combinations_with_replacement(variables, size)
            if all(factors.count(sine) <= 1 for sine in sines)
        )

    top, bottom = monomials(numerator_degree), monomials(denominator_degree)
    return Library(n_inputs, tuple(units.nodes), top, bottom)


class _Units:
    """The units of a library while it is made; each product is there once."""

    def __init__(self, n_inputs: int) -> None:
        self.n_inputs = n_inputs
        self.nodes: list[Node] = []
        self.products: dict[tuple[int, ...], int] = {(): CONSTANT}

    def add(self, unit: str, *arguments: Linear) -> int:
        """Append a unit and return the number of its feature."""
        self.nodes.append(Node(unit, arguments))
        return self.n_inputs + len(self.nodes) - 1

    def product(self, factors: tuple[int, ...]) -> int:
        """The feature that is the product of these, made of shorter ones."""
        if len(factors) == 1:
            return factors[0]
        if factors not in self.products:
            rest = self.product(factors[1:])
            both: tuple[Linear, Linear] = {factors[0]: 1.0}, {rest: 1.0}
            self.products[factors] = self.add("multiply", *both)
        return self.products[factors]


def direct_start(lib: Library, data: Samples, n_rounds: int = 4) -> Graph | None:
    """Solve for the fraction of one target by Sanathanan-Koerner iterations.

    With the numerator's columns projected out, the denominator is the direction in
    which y·b·φ vanishes best. Needs no sign, no constant and no scale of the
    denominator, so 1/x and poles come out as they are.
    """
    A, B = lib.columns(data.labelled)
    y, root = data.y[0], data.root_weight
    size_a, size_b = _sizes(A), _sizes(B)
    A, B = A / size_a, B / size_b
    weight, best, best_error = root, None, np.inf
    for _ in range(n_rounds):
        Q, R = np.linalg.qr((A * weight).T)
        target = (B * (y * weight)).T
        inside = Q.T @ target
        try:
            *_, directions = np.linalg.svd(target - Q @ inside, full_matrices=False)
        except np.linalg.LinAlgError:
            break
        b = directions[-1]
        a = np.linalg.lstsq(R, inside @ b, rcond=1e-13)[0]
        d = b @ B
        with np.errstate(all="ignore"):
            error = weighted_squares((a @ A) / d - y, root)
        if error < best_error:
            best, best_error = (a / size_a[:, 0], b / size_b[:, 0]), error
        weight = root / np.maximum(np.abs(d), 1e-3 * np.median(np.abs(d)) + 1e-300)
    return None if best is None else lib.start(*best)


def sparse_start(
    lib: Library, data: Samples, l1: float, n_rounds: int = 25
) -> Graph | None:
    """Solve with d = 1 + w·(φ - mean φ) and a penalty on the weights; better in noise.

    The log penalty is minimised by reweighted least squares, together with the
    weights 1/d of the fraction.
    """
    A, B = lib.columns(data.labelled)
    varying = [k for k, source in enumerate(lib.denominator) if source != CONSTANT]
    if not varying:
        return None
    mean = B[varying].mean(axis=1, keepdims=True)
    C = B[varying] - mean
    size_a, size_c = _sizes(A), _sizes(C)
    v = _reweighted(A / size_a, C / size_c, data, l1, n_rounds)
    if v is None:
        return None
    v = np.where(np.abs(v) > _KEPT, v, 0.0)
    a, w = v[: len(A)] / size_a[:, 0], v[len(A) :] / size_c[:, 0]
    b = np.zeros(len(B))
    b[varying] = w
    if CONSTANT in lib.denominator:
        b[lib.denominator.index(CONSTANT)] = 1.0 - float(w @ mean[:, 0])
    return lib.start(a, b) if a.any() else None


def _reweighted(
    A: Array, C: Array, data: Samples, l1: float, n_rounds: int
) -> Array | None:
    """The weights (K,) of the rows of A above and of C below; None if it is singular.

    The rows have unit size.
    """
    y, root = data.y[0], data.root_weight
    columns = np.concatenate([A, -C * y])
    weight, penalty = root, np.full(len(columns), 1e-6)
    for n in range(n_rounds):
        weighted = columns * weight
        gram = weighted @ weighted.T / len(y)
        gram[np.diag_indices_from(gram)] += penalty / 2 + 1e-12
        v: Array
        _, v, info = dposv(gram, weighted @ (y * weight) / len(y))
        if info != 0:
            return None
        d = 1.0 + v[len(A) :] @ C
        if n >= _N_FREE:
            penalty = l1 * _EPSILON / (v**2 + _EPSILON**2)
        weight = root / np.maximum(np.abs(d), _SMALLEST_DENOMINATOR)
    return v


def fraction_error(lib: Library, data: Samples, n_rounds: int = 2) -> float:
    """Squared error of the direct solution: how promising a set of features is."""
    residual = fraction_residual(lib, data, n_rounds)
    return np.inf if residual is None else weighted_squares(residual, data.root_weight)


def fraction_residual(lib: Library, data: Samples, n_rounds: int = 2) -> Array | None:
    """What the direct solution leaves of the target, row by row."""
    graph = direct_start(lib, data, n_rounds)
    if graph is None:
        return None
    with np.errstate(all="ignore"):
        left: Array = graph.evaluate(data.labelled.T)[0][:, 0] - data.y[0]
    return left


def weighted_squares(residual: Array, root_weight: Array) -> float:
    """The squared error, with residuals next to a pole cut: others must count too."""
    with np.errstate(all="ignore"):
        cut = np.minimum(np.abs(residual), 1e6)
        return float(np.sum((root_weight * cut) ** 2))


def _sizes(rows: Array) -> Array:
    sizes: Array = np.sqrt(np.mean(rows**2, axis=1, keepdims=True)) + 1e-300
    return sizes

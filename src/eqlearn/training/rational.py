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
from eqlearn.training.levenberg import Samples


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
    nodes: list[Node] = []
    variables = [i for i in range(n_inputs) if i not in replaced]
    sines = []
    for argument in arguments:
        for unit in ("sin", "cos"):
            nodes.append(Node(unit, (argument,)))
            variables.append(n_inputs + len(nodes) - 1)
        sines.append(variables[-2])
    products: dict[tuple[int, ...], int] = {(): CONSTANT}

    def monomial(factors: tuple[int, ...]) -> int:
        if len(factors) == 1:
            return factors[0]
        if factors not in products:
            rest = monomial(factors[1:])
            nodes.append(Node("multiply", ({factors[0]: 1.0}, {rest: 1.0})))
            products[factors] = n_inputs + len(nodes) - 1
        return products[factors]

    def monomials(degree: int) -> tuple[int, ...]:
        return tuple(
            monomial(factors)
            for size in range(degree + 1)
            for factors in itertools.combinations_with_replacement(variables, size)
            if all(factors.count(sine) <= 1 for sine in sines)
        )

    top, bottom = monomials(numerator_degree), monomials(denominator_degree)
    return Library(n_inputs, tuple(nodes), top, bottom)


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
            error = _squares((a @ A) / d - y, root)
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
    epsilon, n_free = 0.03, 3
    A, B = lib.columns(data.labelled)
    y, root = data.y[0], data.root_weight
    varying = [k for k, source in enumerate(lib.denominator) if source != CONSTANT]
    if not varying:
        return None
    size_a = _sizes(A)
    mean = B[varying].mean(axis=1, keepdims=True)
    C = B[varying] - mean
    size_c = _sizes(C)
    columns = np.concatenate([A / size_a, -(C / size_c) * y])
    weight, penalty = root, np.full(len(columns), 1e-6)
    for n in range(n_rounds):
        weighted = columns * weight
        gram = weighted @ weighted.T / len(y)
        gram[np.diag_indices_from(gram)] += penalty / 2 + 1e-12
        _, v, info = dposv(gram, weighted @ (y * weight) / len(y))
        if info != 0:
            return None
        d = 1.0 + v[len(A) :] @ (C / size_c)
        if n >= n_free:
            penalty = l1 * epsilon / (v**2 + epsilon**2)
        weight = root / np.maximum(np.abs(d), 0.02)
    keep = np.abs(v) > 3e-3
    a = np.where(keep[: len(A)], v[: len(A)] / size_a[:, 0], 0.0)
    w = np.where(keep[len(A) :], v[len(A) :] / size_c[:, 0], 0.0)
    b = np.zeros(len(B))
    b[varying] = w
    if CONSTANT in lib.denominator:
        b[lib.denominator.index(CONSTANT)] = 1.0 - float(w @ mean[:, 0])
    return lib.start(a, b) if a.any() else None


def fraction_error(lib: Library, data: Samples, n_rounds: int = 2) -> float:
    """Squared error of the direct solution: how promising a set of features is."""
    graph = direct_start(lib, data, n_rounds)
    if graph is None:
        return np.inf
    with np.errstate(all="ignore"):
        values = graph.evaluate(data.labelled.T)[0][:, 0]
        return _squares(values - data.y[0], data.root_weight)


def _squares(residual: Array, root_weight: Array) -> float:
    """The squared error; next to a pole it is large, but not all that counts."""
    return float(np.sum((root_weight * np.minimum(np.abs(residual), 1e6)) ** 2))


def _sizes(rows: Array) -> Array:
    sizes: Array = np.sqrt(np.mean(rows**2, axis=1, keepdims=True)) + 1e-300
    return sizes

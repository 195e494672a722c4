"""Models to be reported, written down instead of learned: they are here at once."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from eqlearn._types import Array
from eqlearn.equation.refine.criterion import complexity
from eqlearn.model.model import Constant, Equation, Model, Outcome, Verdict
from eqlearn.network.graph import CONSTANT, Graph, Linear, Node

ONE: Linear = {CONSTANT: 1.0}
TRUSTED = Verdict("trusted", ("9 of 20 attempts.",))


def graph(
    numerator: Linear,
    denominator: Linear = ONE,
    nodes: Sequence[Node] = (),
    n_inputs: int = 2,
) -> Graph:
    return Graph(n_inputs, tuple(nodes), ((numerator, denominator),))


def equation(target: str, fitted: Graph, **changes: Any) -> Equation:
    """An equation whose constants all have a standard error of 0.01."""
    constants = tuple(
        Constant(key, weight, 0.01)
        for key, weight in fitted.connections()
        if weight != 1.0
    )
    one = Equation(
        target=target,
        graph=fitted,
        snapped=fitted,
        constants=constants,
        rms=0.01,
        bic=-100.0,
        complexity=complexity(fitted),
        votes=9,
        has_pole=False,
        is_chosen=True,
        scores={"validation_error": 0.011, "rank_information": 1.0},
    )
    return replace(one, **changes)


def rival(target: str, fitted: Graph, **changes: Any) -> Equation:
    weaker = {"rms": 0.2, "bic": -50.0, "votes": 1, "is_chosen": False}
    scores = {"validation_error": 0.21, "rank_information": 2.0}
    return equation(target, fitted, **{**weaker, "scores": scores, **changes})


def model(
    equations: Sequence[Equation],
    inputs: Sequence[str] = ("x1", "x2"),
    verdict: Verdict = TRUSTED,
) -> Model:
    targets = tuple(one.target for one in equations if one.is_chosen)
    return Model(
        inputs=tuple(inputs),
        targets=targets,
        equations=tuple(equations),
        domain=((-2.0, 2.0),) * len(inputs),
        ranges=((-1.0, 1.0),) * len(inputs),
        n_rows=200,
        outcomes=(Outcome(verdict, "finished", 20),) * len(targets),
        parameters={"selection": "information", "recipe": "fast"},
        versions={"eqlearn": "0.1.0"},
    )


def fraction() -> Model:
    """y = sin(3.14 x1) / (1 + x2²), found with a line as its only rival."""
    nodes = [Node("multiply", ({1: 1.0}, {1: 1.0})), Node("sin", ({0: 3.14},))]
    sine = graph({3: 0.9876}, {CONSTANT: 1.0, 2: 0.9765}, nodes)
    slots = [*sine.slots()]
    slots[2] = {0: float(np.pi)}
    snapped = sine.with_slots(slots, frozenset({(2, 0)}))
    chosen = equation("y", sine, snapped=snapped)
    return model([chosen, rival("y", graph({0: 0.7}))])


def fifteen_terms(*, divided: bool = False) -> Model:
    """A sum of fifteen products of sines, alone or as a numerator."""
    nodes = [Node("sin", ({0: 1.5 + k, 1: 0.25 * k},)) for k in range(15)]
    terms: Linear = {2 + k: (-1) ** k * (1.234 + 0.111 * k) for k in range(15)}
    below: Linear = {CONSTANT: 20.0, 2: 1.5} if divided else ONE
    return model([equation("y", graph(terms, below, nodes))])


def linear(inputs: Sequence[str], targets: Sequence[str]) -> Model:
    """Sums of all inputs, as the only equations."""
    weights: Linear = {i: 0.5 + 0.01 * i for i in range(len(inputs))}
    one = graph(weights, n_inputs=len(inputs))
    return model([equation(target, one) for target in targets], inputs)


def samples(of: Model, n: int = 200) -> tuple[Array, Array]:
    """Noisy measurements of a model's own equations."""
    rng = np.random.default_rng(0)
    x = rng.uniform(-1.0, 1.0, (n, len(of.inputs)))
    y = of.predict(x)
    return x, y + 0.01 * rng.standard_normal(y.shape)

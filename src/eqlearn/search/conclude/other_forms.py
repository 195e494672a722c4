"""Rivals made for a verdict: the formula with other functions in it, and short forms.

A search may have ended before it came to them. What fits as well and says something
else outside the data is a rival, whoever thought of it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from eqlearn.equation.refine.criterion import Scored, score
from eqlearn.equation.refine.tactics import Tactics
from eqlearn.network.graph import CONSTANT, Graph, Linear, Node
from eqlearn.search.conclude.bends import bent_forms
from eqlearn.search.conclude.judged_rows import JudgedRows
from eqlearn.search.conclude.only_variable import only_variable
from eqlearn.search.verdict_strategy import Judging
from eqlearn.training.levenberg import fit
from eqlearn.training.samples import Samples

#: Functions that look alike over a short range, and go elsewhere beyond it.
ALIKE = ("sin", "tanh", "atan", "exp")
_ONE: Linear = {CONSTANT: 1.0}


def other_forms(
    graph: Graph, rows: JudgedRows, tactics: Tactics, by: Judging
) -> tuple[Scored, list[Scored]]:
    """The formula and its rivals, all fitted to the same rows in units of spread."""
    data = _scaled(rows)
    unit = rows.spread or 1.0
    scaled = _divided(graph, unit)
    own = _best_fit([scaled], data, tactics, by)
    forms = [
        *_substituted(scaled),
        *([bent] for bent in bent_forms(scaled, rows.x)),
        *_short_forms(graph, rows),
    ]
    found = [_best_fit(starts, data, tactics, by) for starts in forms]
    return own, [one for one in found if np.isfinite(one.bic)]


def _scaled(rows: JudgedRows) -> Samples:
    data = rows.samples
    return data._replace(y=data.y / (rows.spread or 1.0))


def _divided(graph: Graph, unit: float) -> Graph:
    """The formula of the target in other units; its free weights may be any."""
    ((numerator, denominator),) = graph.outputs
    smaller = {source: weight / unit for source, weight in numerator.items()}
    return replace(graph, outputs=((smaller, denominator),))


def _best_fit(
    starts: Sequence[Graph], data: Samples, tactics: Tactics, by: Judging
) -> Scored:
    fits = [fit(start, data, n_iterations=by.n_iterations) for start in starts]
    best = min(fits, key=lambda one: one.sse)
    return score(best.graph, best.sse, data, tactics)


def _substituted(graph: Graph) -> Iterator[list[Graph]]:
    """The formula with another function in the place of each."""
    for k, node in enumerate(graph.nodes):
        if node.unit in ALIKE:
            for unit in ALIKE:
                if unit != node.unit:
                    nodes = (*graph.nodes[:k], Node(unit, node.arguments))
                    yield [replace(graph, nodes=nodes + graph.nodes[k + 1 :])]


def _short_forms(graph: Graph, rows: JudgedRows) -> Iterator[list[Graph]]:
    """A f(bv + c) + d of the only variable, or of its square or logarithm."""
    only = only_variable(graph, rows.x)
    if only is None:
        return
    first, made = only.source, only.nodes
    next_source = graph.n_inputs + len(made)
    size = float(np.sqrt(np.mean(only.column**2))) or 1.0
    inner: dict[str, tuple[Node, ...]] = {
        "plain": made,
        "square": (*made, Node("multiply", ({first: 1 / size}, {first: 1 / size}))),
    }
    if only.column.min() > 0:
        inner["log"] = (*made, Node("log", ({first: 1.0 / size},)))
    for name, before in inner.items():
        is_plain = name == "plain"
        source, per = (first, 1.0 / size) if is_plain else (next_source, 1.0)
        for unit in ALIKE if is_plain else ("exp",):
            for with_shift, with_level in _OPTIONS:
                yield [
                    _short_form(
                        graph.n_inputs,
                        (*before, Node(unit, ({source: per * speed},))),
                        with_shift,
                        with_level,
                    )
                    for speed in _SPEEDS
                ]
        if is_plain:
            yield from _saturations(graph.n_inputs, before, source, per)
        # The variable itself: a line of x, of its square or of its logarithm.
        yield [
            Graph(
                graph.n_inputs,
                before,
                (({source: per, CONSTANT: 0.1}, _ONE),),
                _fixed_inside(before),
            )
        ]


def _saturations(
    n_inputs: int, before: tuple[Node, ...], source: int, per: float
) -> Iterator[list[Graph]]:
    """A (1 - exp(bv)) and A v / (1 + bv): of two constants, and zero where v is."""
    end = n_inputs + len(before)
    slot = sum(len(node.arguments) for node in before) + 1
    falls: Linear = {end: -1.0, CONSTANT: 1.0}
    yield [
        Graph(
            n_inputs,
            (*before, Node("exp", ({source: per * speed},))),
            ((falls, _ONE),),
            _fixed_inside(before) | {(slot + 1, CONSTANT)},
            {(slot, CONSTANT): ((slot, end), -1.0)},
        )
        for speed in _SPEEDS
    ]
    whole: Linear = {source: per}
    yield [
        Graph(
            n_inputs,
            before,
            ((whole, {CONSTANT: 1.0, source: per * speed}),),
            _fixed_inside(before),
        )
        for speed in _SPEEDS
    ]


_OPTIONS = ((False, False), (False, True), (True, False), (True, True))
#: How fast a function is at first, over the size of the input.
_SPEEDS = (0.5, 2.0, -0.5, -2.0)


def _short_form(
    n_inputs: int, nodes: tuple[Node, ...], with_shift: bool, with_level: bool
) -> Graph:
    """The last of the nodes times a constant, shifted or on a level if so asked."""
    *before, last = nodes
    if with_shift and last.unit != "exp":  # whose shift is a factor
        last = Node(last.unit, ({**last.arguments[0], CONSTANT: 0.1},))
    numerator: dict[int, float] = {n_inputs + len(before): 1.0}
    if with_level:
        numerator[CONSTANT] = 0.1
    together = (*before, last)
    fixed = _fixed_inside(together, n_free=1)
    return Graph(n_inputs, together, ((numerator, _ONE),), fixed)


def _fixed_inside(
    nodes: tuple[Node, ...], n_free: int = 0
) -> frozenset[tuple[int, int]]:
    """Connections that are no parameters: those of inner variables, and the 1 below."""
    slots = [linear for node in nodes for linear in node.arguments]
    inside = {
        (slot, source)
        for slot, linear in enumerate(slots[: len(slots) - n_free])
        for source in linear
    }
    return frozenset(inside | {(len(slots) + 1, CONSTANT)})

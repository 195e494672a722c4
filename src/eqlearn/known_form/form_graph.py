"""A known form as one graph: which of its constants are given, free or repeated."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from eqlearn._types import Array
from eqlearn.equation.read.outer_form import OuterForm
from eqlearn.equation.read.starts import composed_graph
from eqlearn.errors import must
from eqlearn.model.prediction import parameters_of, with_parameters
from eqlearn.network.graph import CONSTANT, Connection, Graph

#: By how much constants are moved to see which weights follow.
_MOVE = 0.0137
_SAME = 1e-9


@dataclass(frozen=True, eq=False)
class FormGraph:
    """The graph of a whole formula, and the weights that only functions have made."""

    graph: Graph
    learned: frozenset[Connection]


def form_graph(
    form: OuterForm,
    letters: Mapping[str, float],
    functions: Mapping[str, Graph],
    x: Array,
) -> FormGraph | None:
    """Put formulas into the form; numbers that were given stay as they are.

    Weights that follow neither a letter nor a constant of a function are given. Those
    that follow one letter in proportion are tied to each other.
    """
    base = _built(form, letters, functions, x)
    if base is None:
        return None
    weights = dict(base.connections())
    moved = {name: with_parameters(g, _moved(g)) for name, g in functions.items()}
    by_functions = _followers(weights, _built(form, letters, moved, x))
    by_letter = {
        name: _followers(weights, _built(form, _nudged(letters, name), functions, x))
        for name in letters
    }
    if by_functions is None or any(found is None for found in by_letter.values()):
        return FormGraph(base, frozenset())
    ties: dict[Connection, tuple[Connection, float]] = {}
    for found in by_letter.values():
        own = [key for key, ratio in (found or {}).items() if _is_alone(ratio)]
        own = [key for key in own if key not in by_functions and key not in ties]
        for key in own[1:]:
            ties[key] = own[0], weights[key] / weights[own[0]]
    followed = set(by_functions).union(
        *(set(found or ()) for found in by_letter.values())
    )
    fixed = frozenset(key for key in weights if key not in followed)
    of_letters = set().union(*(set(found or ()) for found in by_letter.values()))
    learned = frozenset(set(by_functions) - of_letters)
    return FormGraph(replace(base, fixed=fixed, ties=ties), learned)


def check_letters(form: OuterForm, x: Array) -> None:
    """Refuse letters that occur several times other than as mere factors."""
    names = list(form.tree.names())
    functions = {
        one.name: Graph(
            len(one.arguments),
            (),
            (({i: 0.7 + 0.1 * i for i in range(len(one.arguments))}, {CONSTANT: 1.0}),),
        )
        for one in form.functions
    }
    letters = {name: 1.3 + 0.1 * k for k, name in enumerate(form.letters)}
    base = _built(form, letters, functions, x)
    if base is None:
        return
    weights = dict(base.connections())
    moved = {name: with_parameters(g, _moved(g)) for name, g in functions.items()}
    by_functions = _followers(weights, _built(form, letters, moved, x)) or {}
    for name in form.letters:
        found = _followers(weights, _built(form, _nudged(letters, name), functions, x))
        bent = [k for k, ratio in (found or {}).items() if not _is_alone(ratio)]
        if names.count(name) > 1 and any(key not in by_functions for key in bent):
            hint = "Write another letter for one of them."
            what = f"with {name} once, or as a factor everywhere"
            raise must("form", what, form.text, hint)


def _built(
    form: OuterForm,
    letters: Mapping[str, float],
    functions: Mapping[str, Graph],
    x: Array,
) -> Graph | None:
    with np.errstate(all="ignore"):
        return composed_graph(form.tree, form.columns, letters, x, functions)


def _moved(graph: Graph) -> Array:
    values = parameters_of(graph)
    rng = np.random.default_rng(0)
    return np.asarray(values * (1.0 + _MOVE * rng.uniform(0.5, 1.0, len(values))))


def _nudged(letters: Mapping[str, float], name: str) -> dict[str, float]:
    return {**letters, name: letters[name] * (1.0 + _MOVE)}


def _followers(
    weights: Mapping[Connection, float], other: Graph | None
) -> dict[Connection, float] | None:
    """Weights that have changed, and by which factor; None if the graph has."""
    if other is None:
        return None
    changed = dict(other.connections())
    if changed.keys() != weights.keys():
        return None
    return {
        key: changed[key] / weight if weight else np.inf
        for key, weight in weights.items()
        if abs(changed[key] - weight) > _SAME * abs(weight)
    }


def _is_alone(ratio: float) -> bool:
    """Whether a weight is a letter times a number."""
    return abs(ratio - (1.0 + _MOVE)) < _SAME

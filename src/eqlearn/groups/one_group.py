"""The model of one group: its constants are numbers like all others."""

from collections.abc import Mapping
from dataclasses import replace

from eqlearn.equation.refine.criterion import complexity
from eqlearn.equation.write.display import formula_text
from eqlearn.errors import must
from eqlearn.model.group_constants import Groups, bound, of_inputs
from eqlearn.model.model import Equation, Model
from eqlearn.network.graph import Graph


def model_of_group(model: Model, group: object, *, as_fitted: bool = False) -> Model:
    """A plain model with the equations of one group.

    As fitted, its constants are free: where other fits may begin.
    """
    if model.groups is None:
        what = "left out, for this model was learned without groups"
        raise must("group", what, group)
    n = len(model.measured)
    numbers = model.groups.constants_of(group)
    values = {i: numbers[name] for i, name in enumerate(model.inputs) if i >= n}
    at = model.groups.number_of(group)
    return replace(
        model,
        inputs=model.measured,
        domain=model.domain[:n],
        ranges=model.ranges[:n],
        equations=tuple(
            _with_error(_bound(one, model, values, as_fitted), model.groups, number, at)
            for number, one in enumerate(model.equations)
        ),
        n_rows=model.groups.n_rows[at],
        groups=None,
    )


def _with_error(one: Equation, groups: Groups, number: int, at: int) -> Equation:
    """The equation with its error in this group; that of rows held out is of all."""
    if not groups.rms:
        return one
    scores = {key: v for key, v in one.scores.items() if key != "validation_error"}
    return replace(one, rms=groups.rms[number][at], scores=scores)


def _bound(
    one: Equation, model: Model, values: Mapping[int, float], as_fitted: bool
) -> Equation:
    inputs = range(len(model.measured))
    snapped = of_inputs(bound(one.snapped, values), inputs)
    graph = of_inputs(bound(one.graph, values), inputs)
    graph = graph if as_fitted else _without_parameters(graph)
    return replace(
        one,
        graph=graph,
        snapped=snapped,
        # Their errors were told by all groups, and belong to the form.
        constants=(),
        covariance=(),
        complexity=complexity(graph),
        formula=formula_text(snapped, model.measured, one.target),
    )


def _without_parameters(graph: Graph) -> Graph:
    return replace(
        graph, fixed=frozenset(key for key, _ in graph.connections()), ties={}
    )

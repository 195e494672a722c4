"""Which constants of a formula are likely simple, before any of them is set."""

import math

from eqlearn._types import Array
from eqlearn.equation.refine.constants import gains_if_simple
from eqlearn.network.bells import with_tops
from eqlearn.network.canonical import displayed
from eqlearn.network.graph import Graph
from eqlearn.network.logarithms import with_ones_in_logs
from eqlearn.network.roots import with_scales_in_roots
from eqlearn.search.task import Task, numerical_context


def worth_of_simple(task: Task) -> float:
    """What a simple constant saves at most: all that it costs, but for its term."""
    criterion = task.tactics.criterion
    cost = criterion.cost(task.search_rows().n_residuals)
    return cost - 2.0 * math.log(criterion.n_alternatives)


def forms_of(graph: Graph, x: Array) -> list[Graph]:
    """A formula in the forms that people might write, which have as many constants."""
    tops = with_tops(graph)
    # Beside what is squared there is room now for what was left in a logarithm.
    bells = None if tops is None else displayed(tops, x)
    others = with_scales_in_roots(graph), with_ones_in_logs(graph)
    forms = bells, graph, *others
    return [form for form in forms if form is not None]


def likely_gains(graph: Graph, task: Task) -> list[float]:
    """What every constant gains in the criterion that may be simple.

    In the units of the data, and in the form in which they gain most.
    """
    few = task.first(task.strategy.rows.search)
    data = few.in_data_units(graph.used_inputs)
    with numerical_context(task):
        shown = displayed(task.in_units(graph), data.x)
        snapping = task.tactics.snapping
        gains = [
            gains_if_simple(form, data, snapping) for form in forms_of(shown, data.x)
        ]
    most = worth_of_simple(task)
    return max(([min(most, one) for one in form] for form in gains), key=sum)

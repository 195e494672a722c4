"""Formulas of a model with groups, as they are exported: constants are arguments.

What is written for programs ends with a table of the constants, in its comments.
"""

import json
from collections.abc import Mapping, Sequence

from eqlearn.equation.write.formulas import Formulas, formulas
from eqlearn.errors import printable
from eqlearn.model.group_constants import of_inputs
from eqlearn.model.model import Model
from eqlearn.model.model_tables import group_rows, shown_constants
from eqlearn.network.graph import Graph

#: How a line of comment begins and ends in each form.
_COMMENTS: Mapping[str, tuple[str, str]] = {
    **dict.fromkeys(("sympy", "python", "numpy", "julia", "jax", "torch"), ("# ", "")),
    **dict.fromkeys(("latex", "matlab"), ("% ", "")),
    **dict.fromkeys(("c", "modelica"), ("// ", "")),
    "fortran": ("! ", ""),
    "mathml": ("<!-- ", " -->"),
}


def model_formulas(model: Model, graphs: Sequence[Graph]) -> Formulas:
    """The formulas of a model with its names, less constants that they do not use."""
    own = {one.name for one in shown_constants(model)}
    kept = [
        i
        for i, name in enumerate(model.inputs)
        if i < len(model.measured) or name in own
    ]
    if len(kept) < len(model.inputs):
        graphs = [of_inputs(graph, kept) for graph in graphs]
    inputs = [model.inputs[i] for i in kept]
    return formulas(graphs, inputs, model.targets, [model.ranges[i] for i in kept])


def with_constants_table(text: str, form: str, model: Model) -> str:
    """What was written, and after it the constants of each group."""
    if model.groups is None:
        return text
    rows = group_rows(model)
    if form == "json":
        document = json.loads(text) | {"groups": rows}
        return json.dumps(document, indent=1, allow_nan=False, default=str) + "\n"
    begin, end = _COMMENTS[form]
    names = [one.name for one in shown_constants(model)]
    lines = [f"Constants by {printable(model.groups.column)}: {', '.join(names)}"]
    for row in rows:
        values = ", ".join(f"{name} = {row[name]!r}" for name in names)
        lines.append(f"{printable(str(row[model.groups.column]))}: {values}")
    # No name may end a comment before its line does.
    safe = (line.replace("--", "- -").replace("*/", "* /") for line in lines)
    return text + "".join(f"{begin}{line}{end}\n" for line in safe)

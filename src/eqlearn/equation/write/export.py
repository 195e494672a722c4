"""Exports: formulas as SymPy, LaTeX, MathML, Python, C, JAX, PyTorch and JSON.

Each form is one row of a table: how it is written, and how the numbers that it says
are computed. `export` writes a form and compares these numbers with the graph's.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from itertools import count
from typing import Any

import numpy as np

from eqlearn._types import Array
from eqlearn.equation.write.display import latex, latex_table, mathml, to_sympy
from eqlearn.equation.write.formulas import Formulas, formulas
from eqlearn.equation.write.source import (
    c_source,
    c_values,
    python_source,
    python_values,
)
from eqlearn.errors import must, unknown
from eqlearn.network.document import from_document, to_document
from eqlearn.network.graph import CONSTANT, Graph, Linear
from eqlearn.network.units import unit

__all__ = ["FORMS", "Form", "Formulas", "checked", "export", "formulas"]
__all__ += ["c_source", "jax_function", "json_text", "latex", "latex_table", "mathml"]
__all__ += ["python_source", "to_sympy", "torch_module"]

#: Largest difference between a form and its graph, relative to the target's size.
TOLERANCE = 1e-12
_N_POINTS = 64


@dataclass(frozen=True)
class Form:
    """How formulas are written, and what numbers (N, M) the result stands for.

    Those to look at are rounded after SymPy has put their constants together; the
    others have the graph's own constants.
    """

    write: Callable[..., Any]
    compute: Callable[[Any, Formulas, Array], Array]
    is_display: bool = False


def export(formulas: Formulas, form: str, digits: int | None = None) -> Any:
    """Write formulas in one of the `FORMS`, and check what was written.

    `digits` rounds the constants for display; otherwise they are written in full.
    """
    if form not in FORMS:
        raise unknown("form", form, FORMS)
    if digits is not None:
        if type(digits) is not int or not 1 <= digits <= 17:
            raise must("digits", "a whole number from 1 to 17, or None", digits)
        if FORMS[form].is_display:
            return FORMS[form].write(formulas, digits)
        formulas = formulas.rounded(digits)
    return checked(formulas, form, FORMS[form].write(formulas))


def checked(formulas: Formulas, form: str, written: Any) -> Any:
    """Return what was written if it computes the numbers of the graph, or raise.

    Compared are points of the inputs' ranges where the graph has a finite value. Forms
    may add in another order: where rounding weights and inputs would change the graph's
    own value, they may differ by as much.
    """
    x = _points(formulas)
    with np.errstate(all="ignore"):
        expected, _ = formulas.graph.evaluate(x)
        sensitive = np.abs(_nudged(formulas.graph).evaluate(_up(x))[0] - expected)
        values = FORMS[form].compute(written, formulas, x)
        size = np.abs(expected) + _typical_size(expected)
        excess = np.abs(values - expected) - TOLERANCE * size - 100.0 * sensitive
    wrong = np.argwhere(np.isfinite(expected + sensitive) & ~(excess <= 0.0))
    if len(wrong):
        row, target = wrong[0]
        got = f"{values[row, target]} instead of {expected[row, target]}"
        hint = f"Report this formula for {formulas.targets[target]!r} as a bug."
        raise must(form, "what the model computes", got, hint)
    return written


def _points(formulas: Formulas) -> Array:
    rng = np.random.default_rng(0)
    low, high = np.reshape(formulas.ranges, (-1, 2)).T
    return rng.uniform(low, high, (_N_POINTS, len(low)))


def _up(x: Array) -> Array:
    return np.nextafter(x, np.inf)


def _nudged(graph: Graph) -> Graph:
    """Move each weight to a neighbouring number."""
    weights = np.array([weight for _, weight in graph.connections()])
    sides = np.where(np.arange(len(weights)) % 2, np.inf, -np.inf)
    return graph.with_weights(np.nextafter(weights, sides))


def _typical_size(values: Array) -> Array:
    finite = np.where(np.isfinite(values), np.abs(values), 0.0)
    return np.median(finite, axis=0)


def _sympy_values(written: Sequence[Any], formulas: Formulas, x: Array) -> Array:
    import sympy

    names = [sympy.Symbol(name) for name in formulas.inputs]
    inner = [sympy.Symbol(f"x{i + 1}") for i in range(len(names))]
    back = dict(zip(names, inner, strict=True))
    columns = []
    for expression in written:
        if expression.has(sympy.zoo, sympy.nan, sympy.oo, -sympy.oo):
            columns.append(np.nan)  # a logarithm of 0: no number, here and there
            continue
        # Made a function only with our own names: lambdify runs what it prints.
        function = sympy.lambdify(inner, expression.xreplace(back), "numpy")
        columns.append(function(*x.T))
    values = np.stack([np.broadcast_to(c, len(x)) for c in columns], axis=1)
    return np.where(np.imag(values) == 0.0, np.real(values), np.nan)


def _displayed_values(written: str, formulas: Formulas, x: Array) -> Array:
    """What is displayed is one SymPy expression per target: compute that."""
    del written
    return _sympy_values(to_sympy(formulas), formulas, x)


def jax_function(formulas: Formulas) -> Callable[[Array], Array]:
    """Return a pure JAX function from inputs (..., D) to targets (..., M).

    It computes with the type of number it is given and can be jitted, vectorised and
    differentiated.
    """
    import jax.numpy as jnp

    graph = formulas.graph
    weights = [weight for _, weight in graph.connections()]
    functions = {
        node.unit: partial(unit(node.unit).function, jnp) for node in graph.nodes
    }

    def function(x: Any) -> Any:
        x = jnp.asarray(x)
        one = jnp.ones(x.shape[:-1], x.dtype)
        columns = [x[..., i] for i in range(graph.n_inputs)]
        return jnp.stack(_outputs(graph, columns, one, weights, functions), axis=-1)

    return function


def _jax_values(written: Callable[[Array], Array], _: Formulas, x: Array) -> Array:
    import jax

    with jax.enable_x64(True):
        return np.asarray(written(x))


def torch_module(formulas: Formulas) -> Any:
    """Return a PyTorch module from inputs (..., D) to targets (..., M), in float64.

    Its weights are parameters, in the order of `Graph.connections`.
    """
    torch = _torch()
    graph = formulas.graph
    functions = {node.unit: _torch_function(node.unit) for node in graph.nodes}
    values = [weight for _, weight in graph.connections()]

    class Equations(torch.nn.Module):  # type: ignore[name-defined]
        def __init__(self) -> None:
            super().__init__()
            start = torch.tensor(values, dtype=torch.float64)
            self.weights = torch.nn.Parameter(start)

        def forward(self, x: Any) -> Any:
            one = x.new_ones(x.shape[:-1])
            columns = [x[..., i] for i in range(graph.n_inputs)]
            outputs = _outputs(graph, columns, one, self.weights.unbind(), functions)
            return torch.stack(outputs, dim=-1)

    return Equations()


def _torch() -> Any:
    try:
        return import_module("torch")
    except ImportError as error:
        hint = 'Run pip install "eqlearn[torch]".'
        raise must("torch", "installed for this export", "no module", hint) from error


def _torch_function(name: str) -> Callable[..., Any]:
    """A unit for PyTorch by its SymPy form, whose namespace it may not share."""
    import sympy

    symbols = sympy.symbols(f"a0:{unit(name).arity}")
    function: Callable[..., Any] = sympy.lambdify(
        symbols, unit(name)(sympy, *symbols), "torch"
    )
    return function


def _torch_values(written: Any, _: Formulas, x: Array) -> Any:
    torch = _torch()
    with torch.no_grad():
        return written(torch.tensor(x, dtype=torch.float64)).numpy()


def _outputs(
    graph: Graph,
    columns: list[Any],
    one: Any,
    weights: Sequence[Any],
    functions: Mapping[str, Callable[..., Any]],
) -> list[Any]:
    """Compute a graph with arrays of any kind; weights by the order of connections."""
    places = count()

    def combine(linear: Linear) -> Any:
        taken = {source: weights[next(places)] for source in linear}
        total = taken.pop(CONSTANT, 0.0) * one  # first, as `Graph.evaluate` adds
        for source, weight in taken.items():
            total = total + weight * columns[source]
        return total

    columns = [*columns]
    for node in graph.nodes:
        arguments = [combine(linear) for linear in node.arguments]
        columns.append(functions[node.unit](*arguments))
    return [combine(a) / combine(b) for a, b in graph.outputs]


def json_text(formulas: Formulas) -> str:
    """Write names and graph as JSON, the graph as `from_document` reads it."""
    document = {
        "inputs": formulas.inputs,
        "targets": formulas.targets,
        "graph": to_document(formulas.graph),
    }
    return json.dumps(document, indent=1, allow_nan=False)


def _json_values(written: str, _: Formulas, x: Array) -> Array:
    return from_document(json.loads(written)["graph"]).evaluate(x)[0]


#: Every form by name.
FORMS: Mapping[str, Form] = {
    "sympy": Form(to_sympy, _sympy_values, is_display=True),
    "latex": Form(latex, _displayed_values, is_display=True),
    "mathml": Form(mathml, _displayed_values, is_display=True),
    "python": Form(python_source, lambda written, _, x: python_values(written, x)),
    "c": Form(c_source, lambda written, _, x: c_values(written, x)),
    "jax": Form(jax_function, _jax_values),
    "torch": Form(torch_module, _torch_values),
    "json": Form(json_text, _json_values),
}

"""Formulas as functions that compute: of JAX arrays, and as a PyTorch module."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import import_module
from itertools import count
from typing import Any

from eqlearn._types import AnyArray
from eqlearn.equation.write.formulas import Formulas
from eqlearn.errors import must
from eqlearn.network.graph import CONSTANT, Graph, Linear
from eqlearn.network.units import unit


def numpy_function(formulas: Formulas) -> Callable[[AnyArray], AnyArray]:
    """Return a function from inputs (N, D) to targets (N, M), with NumPy alone."""
    import numpy as np

    graph = formulas.graph

    def function(x: AnyArray) -> AnyArray:
        with np.errstate(all="ignore"):
            return graph.evaluate(np.asarray(x, dtype=float))[0]

    return function


def jax_function(formulas: Formulas) -> Callable[[AnyArray], AnyArray]:
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

    def function(x: AnyArray) -> AnyArray:
        x = jnp.asarray(x)
        one = jnp.ones(x.shape[:-1], x.dtype)
        columns = [x[..., i] for i in range(graph.n_inputs)]
        return jnp.stack(_outputs(graph, columns, one, weights, functions), axis=-1)

    return function


def torch_module(formulas: Formulas) -> Any:
    """Return a PyTorch module from inputs (..., D) to targets (..., M), in float64.

    Its weights are parameters, in the order of `Graph.connections`.
    """
    torch = imported_torch()
    graph = formulas.graph
    functions = {node.unit: _torch_function(node.unit) for node in graph.nodes}
    values = [weight for _, weight in graph.connections()]

    def begin(self: Any) -> None:
        torch.nn.Module.__init__(self)
        start = torch.tensor(values, dtype=torch.float64)
        self.weights = torch.nn.Parameter(start)

    def forward(self: Any, x: Any) -> Any:
        one = x.new_ones(x.shape[:-1])
        columns = [x[..., i] for i in range(graph.n_inputs)]
        outputs = _outputs(graph, columns, one, self.weights.unbind(), functions)
        return torch.stack(outputs, dim=-1)

    # Not a class statement: there is no base class before PyTorch is imported.
    methods = {"__init__": begin, "forward": forward}
    return type("Equations", (torch.nn.Module,), methods)()


def imported_torch() -> Any:
    """Import PyTorch, or say how to install it."""
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


def _outputs(
    graph: Graph,
    columns: list[AnyArray],
    one: AnyArray,
    weights: Sequence[Any],
    functions: Mapping[str, Callable[..., AnyArray]],
) -> list[AnyArray]:
    """Compute a graph with arrays of any kind; weights by the order of connections."""
    places = count()

    def combine(linear: Linear) -> AnyArray:
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

"""Source code line by line, and what it computes when it is run."""

import sys
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from graphs import ONE, WORKED, random_graph, random_inputs

from eqlearn.equation.write.formulas import Formulas, formulas
from eqlearn.equation.write.source import (
    JAX,
    NUMPY,
    TORCH,
    SourceLibrary,
    c_source,
    c_values,
    python_source,
    python_values,
)
from eqlearn.errors import EqlearnError
from eqlearn.network.graph import CONSTANT, Graph, Node
from eqlearn.network.units import register_unit

PLAIN = formulas([WORKED], ["mass", "T (K)"], ["force"])
HIDDEN = Node("exp", ({CONSTANT: 0.5},))
#: Formulas in which no input is, in whole or in part.
CONSTANTS = [
    Graph(2, (), (({CONSTANT: -3.0}, ONE),)),
    Graph(2, (HIDDEN,), (({2: 1.0}, {CONSTANT: 2.0}),)),
    Graph(2, (HIDDEN, Node("sin", ({2: 2.0},))), (({3: 1.0}, {2: 2.0}),)),
    Graph(2, (Node("multiply", ({0: 1.0}, {CONSTANT: 2.0})),), (({2: 1.0}, ONE),)),
    Graph(2, (Node("sin", ({},)),), (({2: 1.0, 1: 1.0}, ONE),)),
]


def test_python_source_reads_line_by_line() -> None:
    assert python_source(PLAIN).splitlines()[4:] == [
        "",
        "def predict(mass, T_K):",
        "    # mass: column 'mass'",
        "    # T_K: column 'T (K)'",
        "    # force: column 'force'",
        "    u1 = numpy.sin(0.5 + T_K)",
        "    u2 = (1.0 + mass)*u1",
        "    force = (2.0 * mass + 3.0 * u1) / (4.0 + u2)",
        "    return force",
    ]


def test_c_source_reads_line_by_line() -> None:
    assert c_source(PLAIN).splitlines()[3:] == [
        "void predict(const double *inputs, double *outputs)",
        "{",
        "    // mass: column 'mass'",
        "    // T_K: column 'T (K)'",
        "    // force: column 'force'",
        "    const double mass = inputs[0];",
        "    const double T_K = inputs[1];",
        "    const double u1 = sin(0.5 + T_K);",
        "    const double u2 = (1.0 + mass)*u1;",
        "    outputs[0] = (2.0 * mass + 3.0 * u1) / (4.0 + u2);",
        "}",
    ]


@pytest.mark.parametrize(
    ("library", "name", "called"),
    [(NUMPY, "numpy", "numpy"), (JAX, "jax", "jax.numpy"), (TORCH, "torch", "torch")],
)
def test_a_column_called_like_the_library_does_not_hide_it(
    library: SourceLibrary, name: str, called: str
) -> None:
    lines = python_source(formulas([WORKED], [name, "t"]), library).splitlines()
    assert f"import {called}" in lines
    assert f"def predict({name}_2, t):" in lines
    assert f"    u1 = {called}.sin(0.5 + t)" in lines


def test_pytorch_gets_tensors_only() -> None:
    _, hidden, *_ = CONSTANTS
    lines = python_source(formulas([hidden]), TORCH).splitlines()
    assert lines[-3:] == [
        "    u1 = torch.exp(torch.tensor(0.5, dtype=torch.float64))",
        "    y = u1 / 2.0 + torch.zeros_like(x1)",
        "    return y",
    ]


def graphs() -> list[Graph]:
    found = [random_graph(np.random.default_rng(seed)) for seed in range(30)]
    return [*found, *CONSTANTS]


@pytest.mark.parametrize("library", [NUMPY, JAX, TORCH], ids=lambda one: one.module)
def test_what_is_written_is_what_is_read_back(library: SourceLibrary) -> None:
    for graph in graphs():
        x = random_inputs(np.random.default_rng(0), 10, graph.n_inputs)
        expected, _ = graph.evaluate(x)
        source = python_source(formulas([graph]), library)
        np.testing.assert_allclose(python_values(source, x), expected, rtol=1e-12)
        source = c_source(formulas([graph]))
        np.testing.assert_allclose(c_values(source, x), expected, rtol=1e-12)


def run(shown: Formulas, library: SourceLibrary, x: Any) -> Any:
    names: dict[str, Any] = {}
    exec(python_source(shown, library), names)
    return names["predict"](*x)


def test_the_jax_text_runs() -> None:
    import jax

    for graph in graphs():
        x = random_inputs(np.random.default_rng(0), 10, graph.n_inputs)
        expected = graph.evaluate(x)[0][:, 0]
        with jax.enable_x64(True):
            found = run(formulas([graph]), JAX, jax.numpy.asarray(x).T)
            np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-9)
            jax.jit(lambda *x, g=graph: run(formulas([g]), JAX, x))(*x.T)


class Tensor:
    """As much of a tensor as is needed: what is none is refused, as PyTorch does."""

    def __init__(self, values: Any, dtype: Any = None) -> None:
        del dtype
        self.values = np.asarray(values, dtype=float)

    def __neg__(self) -> "Tensor":
        return Tensor(-self.values)


def _operator(name: str) -> Any:
    def apply(self: Tensor, other: Any) -> Tensor:
        assert isinstance(other, Tensor | int | float)
        value = other.values if isinstance(other, Tensor) else other
        return Tensor(getattr(self.values, name)(value))

    return apply


for _name in "add sub mul truediv radd rsub rmul rtruediv".split():
    setattr(Tensor, f"__{_name}__", _operator(f"__{_name}__"))


def stand_in() -> ModuleType:
    """A module called torch whose functions take tensors and nothing else."""

    def function(name: str) -> Any:
        def apply(first: Tensor, *others: float) -> Tensor:
            assert isinstance(first, Tensor)
            return Tensor(getattr(np, name)(first.values, *others))

        return apply

    torch = ModuleType("torch")
    for name in "sin cos exp log sqrt tanh asin acos atan pow zeros_like".split():
        setattr(torch, name, function(name))
    vars(torch).update(tensor=Tensor, float64=float)
    return torch


def test_the_pytorch_text_runs_with_a_stand_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", stand_in())
    for graph in graphs():
        x = random_inputs(np.random.default_rng(0), 10, graph.n_inputs)
        found = run(formulas([graph]), TORCH, [Tensor(column) for column in x.T])
        expected = graph.evaluate(x)[0][:, 0]
        assert found.values.shape == expected.shape
        np.testing.assert_allclose(found.values, expected, rtol=1e-9)


def test_the_pytorch_text_runs() -> None:
    torch = pytest.importorskip("torch")
    for graph in graphs():
        x = random_inputs(np.random.default_rng(0), 10, graph.n_inputs)
        found = run(formulas([graph]), TORCH, torch.tensor(x).T)
        np.testing.assert_allclose(found.numpy(), graph.evaluate(x)[0][:, 0], rtol=1e-9)


@pytest.mark.parametrize(
    "source",
    [
        "import numpy\n\ndef predict(x):\n    y = numpy.load(x)\n    return y",
        "def predict(x):\n    y = __import__(x)\n    return y",
        "def predict(x):\n    y = x.real\n    return y",
        "def predict(x):\n    y = x",
        "x = 1",
    ],
)
def test_other_source_is_not_read(source: str) -> None:
    with pytest.raises(EqlearnError, match="`(unit|source)` must be"):
        python_values(source, np.ones((2, 1)))


def test_a_unit_that_no_language_has_is_refused(table: None) -> None:
    import sympy

    def airy(xp: Any, z: Any) -> Any:
        from scipy.special import airy

        return sympy.airyai(z) if xp is sympy else airy(z)[0]

    register_unit("airy", airy)
    graph = Graph(1, (Node("airy", ({0: 1.0},)),), (({1: 1.0}, ONE),))
    for library in (NUMPY, JAX, TORCH):
        with pytest.raises(EqlearnError, match="`unit` must be writable with functi"):
            python_source(formulas([graph]), library)

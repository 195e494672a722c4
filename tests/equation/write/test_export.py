import ast
import ctypes
import json
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy
from graphs import ONE, WORKED, random_graph, random_inputs
from hostile_names import HOSTILE
from latex_reader import latex_values

from eqlearn.equation.write.callables import jax_function, torch_module
from eqlearn.equation.write.display import (
    MOST_TERMS,
    latex,
    latex_table,
    mathml,
    to_sympy,
)
from eqlearn.equation.write.export import (
    FORMS,
    checked,
    export,
    export_text,
    json_text,
)
from eqlearn.equation.write.form_names import FORM_NAMES
from eqlearn.equation.write.formulas import Formulas, formulas
from eqlearn.equation.write.names import identifiers, latex_name, visible
from eqlearn.equation.write.source import c_source, python_source
from eqlearn.errors import EqlearnError
from eqlearn.model.model import Equation, Model, Outcome, Verdict
from eqlearn.model.model_file import load, save
from eqlearn.network.document import from_document
from eqlearn.network.graph import CONSTANT, Graph, Linear, Node
from eqlearn.network.units import register_unit

# PyTorch is an extra that may be missing; what it computes has its own tests.
EVERYWHERE = sorted(FORMS.keys() - {"torch"})
PLAIN = formulas([WORKED], ["mass", "T (K)"], ["force"])


def run_python(source: str, x: np.ndarray) -> np.ndarray:
    namespace: dict[str, Any] = {}
    exec(compile(source, "exported", "exec"), namespace)
    values = namespace["predict"](*x.T)
    return np.stack(values if isinstance(values, tuple) else [values], axis=1)


def run_c(
    sources: Sequence[str], folder: Path, standard: str = "c99"
) -> Callable[[int, np.ndarray], Any]:
    """Compile functions into one library; call them by number."""
    gcc = shutil.which("gcc")
    if gcc is None:
        pytest.skip("NO C COMPILER: gcc is missing, the C export is not tested")
    text = "\n".join(
        re.sub(r"\bpredict\(", f"predict_{i}(", source)
        for i, source in enumerate(sources)
    )
    (folder / "formula.c").write_text(text, encoding="utf-8")
    flags = [f"-std={standard}", "-Wall", "-Wextra", "-Werror", "-pedantic", "-O1"]
    subprocess.run(
        [gcc, *flags, "-shared", "-fPIC", "-o", "formula.so", "formula.c", "-lm"],
        cwd=folder,
        check=True,
    )
    library = ctypes.CDLL(str(folder / "formula.so"))
    pointer = ctypes.POINTER(ctypes.c_double)

    def call(number: int, x: np.ndarray, n_targets: int = 1) -> np.ndarray:
        function = getattr(library, f"predict_{number}")
        function.argtypes, function.restype = [pointer, pointer], None
        values = np.full((len(x), n_targets), np.nan)
        rows = np.ascontiguousarray(x)
        for row, value in zip(rows, values, strict=True):
            function(row.ctypes.data_as(pointer), value.ctypes.data_as(pointer))
        return values

    return call


def assert_same(values: Any, expected: np.ndarray) -> None:
    """At most 1e-12 of the target's size apart: where it is zero, of its usual one."""
    size = np.maximum(np.abs(expected), np.median(np.abs(expected), axis=0))
    assert np.shape(values) == expected.shape
    assert np.max(np.abs(values - expected) / size) <= 1e-12


@pytest.mark.parametrize(
    "n_graphs", [40, pytest.param(500, marks=pytest.mark.slow)], ids=["some", "500"]
)
def test_the_formula_is_the_model(n_graphs: int, tmp_path: Path) -> None:
    """R-15: saved, loaded, and written in every form, it computes the same."""
    import jax

    cases = []
    for seed in range(n_graphs):
        rng = np.random.default_rng(seed)
        graph = random_graph(rng, untidy=bool(seed % 2))
        x = random_inputs(rng, 20)
        cases.append((_saved_and_loaded(graph, tmp_path), x, graph.evaluate(x)[0]))
    compiled = run_c([c_source(shown) for shown, _, _ in cases], tmp_path)
    for number, (shown, x, expected) in enumerate(cases):
        symbols = [sympy.Symbol(name) for name in shown.inputs]
        (expression,) = export(shown, "sympy")
        computed = sympy.lambdify(symbols, expression, "numpy")(*x.T)
        assert_same(np.broadcast_to(computed, 20)[:, None], expected)
        assert_same(run_python(export(shown, "python"), x), expected)
        assert_same(compiled(number, x), expected)
        with jax.enable_x64(True):
            assert_same(np.asarray(export(shown, "jax")(x)), expected)
        columns = {f"x_{{{i + 1}}}": x[:, i] for i in range(3)}
        read = latex_values(export(shown, "latex").removeprefix("y = "), columns)
        assert_same(np.broadcast_to(read, 20)[:, None], expected)


def _saved_and_loaded(graph: Graph, folder: Path) -> Formulas:
    ends = ((-1.0, 1.0),) * 3
    equation = Equation("y", graph, graph, (), 0.0, 0.0, 1, 1, False, True)
    outcome = Outcome(Verdict("trusted"), "finished", 1)
    model = Model(("x1", "x2", "x3"), ("y",), (equation,), ends, ends, 20, (outcome,))
    save(folder / "model.json", model)
    model = load(folder / "model.json")
    graphs = [chosen.graph for chosen in model.chosen]
    return formulas(graphs, model.inputs, model.targets, model.ranges)


def test_pytorch_computes_the_same_and_can_be_trained() -> None:
    torch = pytest.importorskip("torch")
    for seed in range(40):
        rng = np.random.default_rng(seed)
        graph = random_graph(rng, n_outputs=2, untidy=True)
        x = random_inputs(rng, 20)
        module = export(formulas([graph], ranges=[(-1, 1)] * 3), "torch")
        values = module(torch.tensor(x))
        assert_same(values.detach().numpy(), graph.evaluate(x)[0])
    values.sum().backward()
    assert module.weights.grad.abs().sum() > 0


def test_without_pytorch_the_command_to_install_it_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(EqlearnError, match=r'pip install "eqlearn\[torch\]"'):
        torch_module(PLAIN)


def test_jax_functions_are_pure_and_keep_the_type_of_number() -> None:
    import jax

    function = jax_function(PLAIN)
    x = np.array([[1.0, np.pi / 2 - 0.5]], dtype=np.float32)
    values = jax.jit(function)(x)
    assert values.dtype == np.float32
    np.testing.assert_allclose(values, [[5 / 6]], rtol=1e-6)
    slope = jax.grad(lambda row: function(row)[0])(x[0])
    # (2 m + 3) / (5 + m) at m = 1: (2·6 - 5) / 36
    np.testing.assert_allclose(slope[0], 7 / 36, rtol=1e-5)


def test_latex_and_sympy_of_a_formula() -> None:
    (expression,) = to_sympy(PLAIN)
    mass, t = sympy.Symbol("mass"), sympy.Symbol("T (K)")
    wave = sympy.sin(t + 0.5)
    assert expression == (0.5 * mass + 0.75 * wave) / ((mass + 1) * wave * 0.25 + 1)
    simple = formulas([Graph(2, (), (({0: 1.5e-7, 1: -1 / 3}, ONE),))], ["a", "b c"])
    assert latex(simple) == (
        r"y = 1.5 \cdot 10^{-7} a - 0.3333333333333333 \mathrm{b\ c}"
    )
    assert latex(simple, digits=2) == r"y = 1.5 \cdot 10^{-7} a - 0.33 \mathrm{b\ c}"
    assert latex(simple, recognise=True).endswith(r"- \frac{\mathrm{b\ c}}{3}")


def test_several_targets_share_their_terms() -> None:
    sine = Node("sin", ({0: 2.0},))
    graphs = [
        Graph(1, (sine,), (({1: 3.0}, ONE),)),
        Graph(1, (Node("exp", ({0: 1.0},)), sine), (({2: 4.0}, ONE),)),
    ]
    shown = formulas(graphs, ["t"], ["a", "b"])
    assert python_source(shown).splitlines()[-4:] == [
        "    u1 = numpy.sin(2.0 * t)",
        "    a = 3.0 * u1",
        "    b = 4.0 * u1",
        "    return a, b",
    ]
    assert latex(shown) == (
        r"\begin{aligned} a &= 3 \sin{\left(2 t \right)} \\ "
        r"b &= 4 \sin{\left(2 t \right)} \end{aligned}"
    )
    assert mathml(shown).count("<mtr>") == 2
    x = np.linspace(-1, 1, 20)[:, None]
    both = np.concatenate([graph.evaluate(x)[0] for graph in graphs], axis=1)
    for form in EVERYWHERE:
        assert_same(FORMS[form].value.compute(export(shown, form), shown, x), both)


def test_copies_of_a_unit_count_twice() -> None:
    sine = Node("sin", ({0: 1.0},))
    twice = formulas([Graph(1, (sine, sine), (({1: 1.0, 2: 0.5}, ONE),))])
    assert twice.graph.outputs[0][0] == {1: 1.5}


def test_constant_formulas_have_a_value_for_every_row(tmp_path: Path) -> None:
    hidden = Node("exp", ({CONSTANT: 0.5},))
    for graph in (
        Graph(2, (), (({CONSTANT: 3.0}, ONE),)),
        Graph(2, (hidden,), (({2: 1.0}, {CONSTANT: 2.0}),)),
        Graph(2, (), (({}, ONE),)),
    ):
        shown, x = formulas([graph]), np.zeros((5, 2))
        expected = graph.evaluate(x)[0]
        for form in EVERYWHERE:
            values = FORMS[form].value.compute(export(shown, form), shown, x)
            np.testing.assert_allclose(values, expected, rtol=1e-14)
        np.testing.assert_allclose(run_python(python_source(shown), x), expected)
        folder = tmp_path / str(graph.outputs)
        folder.mkdir()
        np.testing.assert_allclose(run_c([c_source(shown)], folder)(0, x), expected)


def _register_units() -> None:
    register_unit("bell", lambda xp, z: xp.exp(-z * z))
    register_unit("logistic", lambda xp, z: 1 / (1 + xp.exp(-z)))
    register_unit("soft", lambda xp, z: z / (1 + abs(z)))
    register_unit("turn", lambda xp, z: xp.sin(xp.pi * z) + z**3 / 3)
    register_unit("side", lambda xp, z: xp.sign(z) * 0.1)
    register_unit("damped", lambda xp, a, b: xp.cos(a) * xp.exp(-0.3 * b), arity=2)


def test_units_of_the_user_are_exported_by_their_sympy_form(
    table: None, tmp_path: Path
) -> None:
    _register_units()
    names = ("bell", "logistic", "soft", "turn", "side")
    nodes = [
        Node(name, ({0: 1.1 + k, 1: -0.3, CONSTANT: 0.2},))
        for k, name in enumerate(names)
    ]
    nodes.append(Node("damped", ({2: 0.5, CONSTANT: 1.0}, {3: 1.0})))
    numerator: Linear = {2 + k: 0.5 + k for k in range(len(nodes))}
    graph = Graph(2, tuple(nodes), ((numerator, {CONSTANT: 3.0, 0: 0.5}),))
    x = random_inputs(np.random.default_rng(0), 30, 2)
    expected, _ = graph.evaluate(x)
    shown = formulas([graph])
    for form in EVERYWHERE:
        assert_same(FORMS[form].value.compute(export(shown, form), shown, x), expected)
    assert_same(run_python(python_source(shown), x), expected)
    assert_same(run_c([c_source(shown)], tmp_path)(0, x), expected)
    torch = pytest.importorskip("torch")
    module = export(shown, "torch")
    assert_same(module(torch.tensor(x)).detach().numpy(), expected)


@pytest.mark.parametrize("form", sorted(FORMS.keys() - {"latex", "mathml"}))
def test_a_form_that_computes_something_else_is_not_handed_out(form: str) -> None:
    if form == "torch":
        pytest.importorskip("torch")
    slots = WORKED.slots()
    slots[0] = {1: 1.0, CONSTANT: 0.5 + 1e-11}
    other = formulas([WORKED.with_slots(slots)], PLAIN.inputs, PLAIN.targets)
    written = FORMS[form].value.write(other)
    assert checked(other, form, written) is written
    with pytest.raises(EqlearnError, match="must be what the model computes; got"):
        checked(PLAIN, form, written)


@pytest.mark.parametrize("form", ["latex", "mathml"])
def test_a_displayed_formula_is_checked_through_its_expression(
    form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = (sympy.Symbol("x1"),)
    monkeypatch.setattr(
        "eqlearn.equation.write.display.expressions", lambda graph, **_: wrong
    )
    with pytest.raises(EqlearnError, match="must be what the model computes; got"):
        export(PLAIN, form)


def test_rounding_that_the_model_itself_feels_is_no_difference() -> None:
    steep = Graph(
        1,
        (Node("sin", ({0: 1e9, CONSTANT: 0.1},)), Node("square", ({1: 1.0},))),
        (({2: 1.0, CONSTANT: 1e-3}, {CONSTANT: 3.0}),),
    )
    for form in EVERYWHERE:
        export(formulas([steep]), form)


@pytest.mark.parametrize("form", EVERYWHERE)
def test_digits_are_for_display(form: str) -> None:
    third = formulas([Graph(1, (), (({0: 1 / 3}, ONE),))])
    x = np.ones((1, 1))
    written = export(third, form, digits=3)
    if form not in ("latex", "mathml"):
        assert FORMS[form].value.compute(written, third, x) == pytest.approx(
            0.333, abs=1e-7
        )
    elif form == "latex":
        assert written == "y = 0.333 x_{1}"
    else:
        assert "<mn>0.333</mn>" in written


def test_a_formula_without_a_value_is_written_as_well() -> None:
    nowhere = Graph(1, (Node("log", ({CONSTANT: 0.0},)),), (({1: 1.0, 0: 1.0}, ONE),))
    for form in EVERYWHERE:
        export(formulas([nowhere]), form)


@pytest.mark.parametrize("digits", [0, 18, 2.5, "3"])
def test_digits_must_be_a_number_of_digits(digits: Any) -> None:
    with pytest.raises(EqlearnError, match="`digits` must be a whole number"):
        export(PLAIN, "latex", digits=digits)


def test_an_unknown_form_lists_the_known_ones() -> None:
    for write in (export, export_text):
        with pytest.raises(EqlearnError, match="'latex'.*Did you mean 'python'"):
            write(PLAIN, "pyton")


def test_the_names_are_those_of_the_table() -> None:
    assert tuple(FORMS) == FORM_NAMES


@pytest.mark.parametrize("form", FORM_NAMES)
def test_every_form_can_be_a_text(form: str) -> None:
    """PyTorch's, too: functions of NumPy stand in for its own in the check."""
    text = export_text(PLAIN, form)
    assert text.endswith("\n") and not text.endswith("\n\n")
    assert export_text(PLAIN, form, 2) != ""
    if form not in ("sympy", "latex", "mathml"):
        assert checked(PLAIN, form, text, is_text=True) is text


@pytest.mark.parametrize("form", ["python", "c", "jax", "torch", "json"])
def test_a_text_that_computes_something_else_is_not_handed_out(form: str) -> None:
    slots = WORKED.slots()
    slots[0] = {1: 1.0, CONSTANT: 0.5 + 1e-11}
    other = formulas([WORKED.with_slots(slots)], PLAIN.inputs, PLAIN.targets)
    text = FORMS[form].text.write(other)
    with pytest.raises(EqlearnError, match="must be what the model computes; got"):
        checked(PLAIN, form, text, is_text=True)


def test_a_text_to_look_at_has_fractions() -> None:
    third = formulas([Graph(1, (), (({0: 1 / 3, CONSTANT: float(np.pi)}, ONE),))])
    assert export_text(third, "sympy") == "x1/3 + pi\n"
    assert export_text(third, "latex") == r"y = \frac{x_{1}}{3} + \pi" + "\n"
    assert "0.3333333333333333 * x1" in export_text(third, "python")
    assert "0.33 * x1" in export_text(third, "jax", 2)


def test_sympify_takes_no_column_for_a_function() -> None:
    names = ["N", "exec", "lambda", "x"]
    graph = Graph(4, (), (({0: 1.0, 1: 2.0, 2: 3.0, 3: 4.0}, ONE),))
    *_, line = export_text(formulas([graph], names), "sympy").splitlines()
    symbols = {str(symbol) for symbol in sympy.sympify(line).free_symbols}
    assert symbols == {"N_2", "exec_2", "lambda_", "x"}


def test_terms_beyond_all_digits_are_counted_in_one_line() -> None:
    """Python writes no number of more than 4,300 digits."""
    nodes = [Node("square", ({0: 0.7},)), Node("square", ({0: 0.7},))]
    for k in range(1, 10_000):
        both = {k: 0.5, k + 1: 0.5}
        nodes.append(Node("multiply", (both, both)))
    deep = formulas([Graph(1, tuple(nodes), (({len(nodes): 1.0}, ONE),))])
    with pytest.raises(EqlearnError, match="got 'more than a billion'"):
        export(deep, "latex")


def test_a_formula_too_large_for_one_expression_is_still_code(tmp_path: Path) -> None:
    nodes = [Node("square", ({0: 0.7, CONSTANT: 0.1},))]
    for k in range(40):  # 3 terms become 2^40
        nodes.append(Node("multiply", ({k + 1: 0.5, CONSTANT: 0.1}, {k + 1: 1.0})))
    deep = formulas([Graph(1, tuple(nodes), (({len(nodes): 1.0}, ONE),))])
    with pytest.raises(EqlearnError, match=f"at most {MOST_TERMS} terms"):
        export(deep, "latex")
    x = random_inputs(np.random.default_rng(0), 10, 1)
    expected = deep.graph.evaluate(x)[0]
    assert_same(run_python(export(deep, "python"), x), expected)
    assert_same(run_c([export(deep, "c")], tmp_path)(0, x), expected)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([],), "one or more, of the same inputs"),
        (([WORKED, Graph(1, (), ((ONE, ONE),))],), "of the same inputs"),
        (([WORKED], ["a", "a"]), "`inputs` must be 2 different names"),
        (([WORKED], ["a"]), "`inputs` must be 2 different names"),
        (([WORKED], ["a", 3]), "`inputs` must be text; got 3"),
        (([WORKED], None, ["y", "z"]), "`targets` must be 1 different names"),
        (([WORKED], None, None, [(0, 1)]), "`ranges` must be one"),
        (([Graph(1, (), (({0: np.inf}, ONE),))],), "of finite weights; got inf"),
        (([Graph(1, (), ((ONE, {0: 0.0}),))],), "denominators other than 0"),
    ],
)
def test_formulas_must_be_writable(arguments: Any, message: str) -> None:
    with pytest.raises(EqlearnError, match=message):
        formulas(*arguments)


def test_a_table_in_latex_has_a_row_for_each_formula() -> None:
    facts: dict[str, list[object]]
    facts = {"rms_error": [0.00012345, float("inf")], "units & terms": [5, "a_b"]}
    other = formulas([Graph(2, (), (({0: 1.0}, ONE),))], PLAIN.inputs, ["force"])
    lines = latex_table([PLAIN, other], facts).splitlines()
    assert lines[0] == r"\begin{tabular}{llrr}"
    assert r"$\mathrm{rms\_error}$ & $\mathrm{units\ \&\ terms}$ \\" in lines[2]
    assert lines[4].endswith(r"$0.0001234$ & $5$ \\")
    assert lines[5] == (
        r"$\mathrm{force}$ & $\mathrm{mass}$ & $\infty$ & $\mathrm{a\_b}$ \\"
    )
    with pytest.raises(EqlearnError, match="2 entries; got 1"):
        latex_table([PLAIN, other], {"error": [1.0]})


def _hostile() -> tuple[Formulas, np.ndarray, np.ndarray]:
    """A formula of all hostile names, and of one for the target."""
    n = len(HOSTILE)
    wave = Node("sin", ({i: 0.1 + 0.01 * i for i in range(n)},))
    graph = Graph(n, (wave,), (({n: 2.0, 0: 1.5}, {CONSTANT: 4.0, 1: 0.5}),))
    x = random_inputs(np.random.default_rng(0), 10, n)
    target = "</mi>\n*/ '''  \\end{document}"
    return formulas([graph], HOSTILE, [target]), x, graph.evaluate(x)[0]


def test_hostile_names_are_harmless_in_python() -> None:
    shown, x, expected = _hostile()
    source = export(shown, "python")
    documentation, numpy, function = ast.parse(source).body
    assert isinstance(documentation, ast.Expr) and isinstance(numpy, ast.Import)
    assert isinstance(function, ast.FunctionDef)
    assert {type(step) for step in function.body} == {ast.Assign, ast.Return}
    assert_same(run_python(source, x), expected)
    for name in HOSTILE:
        assert f"column {name!r}\n" in source


def test_hostile_names_are_harmless_in_c(tmp_path: Path) -> None:
    shown, x, expected = _hostile()
    source = export(shown, "c")
    assert_same(run_c([source], tmp_path)(0, x), expected)
    code = [line for line in source.splitlines() if not line.strip().startswith("//")]
    assert all(line.isascii() for line in code)


def test_names_that_c_replaces_by_something_else(tmp_path: Path) -> None:
    names = ["M_PI", "NAN", "INFINITY", "unix", "linux", "FP_NAN", "isnan", "y1"]
    names += ["OVERFLOW", "HUGE_VAL", "NULL", "abs", "time", "i386", "gamma", "I"]
    n = len(names)
    graph = Graph(n, (), (({i: 1.5 + i for i in range(n)}, ONE),))
    x = random_inputs(np.random.default_rng(0), 5, n)
    source = c_source(formulas([graph], names))
    assert_same(run_c([source], tmp_path, "gnu17")(0, x), graph.evaluate(x)[0])


def test_sums_of_thousands_of_terms_are_code(tmp_path: Path) -> None:
    n = 3000
    weights: Linear = {i: (-1.0) ** i * (0.5 + i) for i in range(n)}
    wide = formulas([Graph(n, (), ((weights, ONE),))])
    x = random_inputs(np.random.default_rng(0), 5, n)
    expected, _ = wide.graph.evaluate(x)
    assert_same(run_python(export(wide, "python"), x), expected)
    assert_same(run_c([export(wide, "c")], tmp_path)(0, x), expected)


def test_hostile_names_are_harmless_in_sympy_jax_and_json() -> None:
    shown, x, expected = _hostile()
    (expression,) = export(shown, "sympy")
    assert {symbol.name for symbol in expression.free_symbols} == {*HOSTILE}
    assert_same(FORMS["jax"].value.compute(export(shown, "jax"), shown, x), expected)
    document = json.loads(export(shown, "json"))
    assert document["inputs"] == [*HOSTILE]
    assert_same(from_document(document["graph"]).evaluate(x)[0], expected)
    assert not (Path.cwd() / "opened").exists()


# All that may follow a backslash in what is written.
COMMANDS = set(r"mathrm mbox frac sin left right backslash wedge sim cdot".split())


def test_hostile_names_are_harmless_in_latex() -> None:
    shown, x, expected = _hostile()
    text = export(shown, "latex")
    assert text.isprintable()
    assert {*re.findall(r"\\([A-Za-z]+)", text)} <= COMMANDS
    bare = re.sub(r"\\([^A-Za-z]|[A-Za-z]+)", "", text)
    assert not set(bare) & set("\\$%&#~")
    assert bare.count("{") == bare.count("}")
    assert min(np.cumsum([(c == "{") - (c == "}") for c in bare])) == 0
    columns = {latex_name(name, i): x[:, i] for i, name in enumerate(HOSTILE)}
    assert len(columns) == len(HOSTILE)
    # Read back with plain names, for the reader is no TeX.
    for i, name in sorted(enumerate(HOSTILE), key=lambda pair: -len(pair[1])):
        if not re.fullmatch("[A-Za-z][0-9]*", name):
            text = text.replace(latex_name(name, i), f"q_{{{i}}}")
            columns[f"q_{{{i}}}"] = x[:, i]
    values = latex_values(text.rpartition("} = ")[2], columns)
    assert_same(values[:, None], expected)


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("x", "x"),
        ("x12", "x_{12}"),
        ("mass", r"\mathrm{mass}"),
        ("a-b", r"\mathrm{a\mbox{-}b}"),
        ("100 %", r"\mathrm{100\ \%}"),
        (r"\input{x}", r"\mathrm{\backslash{}input\{x\}}"),
        ("", r"\mathrm{⟨3⟩}"),
        ("\x1b", r"\mathrm{\backslash{}x1b}"),
    ],
)
def test_names_in_latex(name: str, written: str) -> None:
    assert latex_name(name, 2) == written


MATHML = "math mrow mi mo mn mfrac msup msqrt mtable mtr mtd".split()


def test_hostile_names_are_harmless_in_mathml() -> None:
    shown, _, _ = _hostile()
    text = export(shown, "mathml")
    space = "{http://www.w3.org/1998/Math/MathML}"
    root = ET.fromstring(text)
    assert {element.tag for element in root.iter()} <= {space + tag for tag in MATHML}
    assert {key for element in root.iter() for key in element.attrib} == {"display"}
    shown_names = {element.text for element in root.iter(space + "mi")}
    assert {visible(name, i) for i, name in enumerate(HOSTILE)} <= shown_names
    assert "<script" not in text and "<img" not in text


def test_mathml_shows_every_digit_and_power() -> None:
    graph = Graph(1, (Node("exp", ({0: 1.5e-7},)),), (({1: 1 / 3}, ONE),))
    text = mathml(formulas([graph]))
    assert "<mn>0.3333333333333333</mn>" in text
    assert "<mn>1.5</mn><mo>⋅</mo><msup><mn>10</mn><mn>-7</mn></msup>" in text
    assert "&" not in text  # nothing that only HTML would understand


def test_printable_names_are_shown_as_they_are() -> None:
    for number, name in enumerate(HOSTILE):
        if name.strip() and name.isprintable():
            assert visible(name, number) == name
        assert visible(name, number).isprintable()


def test_identifiers_are_different_and_valid_in_both_languages() -> None:
    words = identifiers(HOSTILE, taken={"sin", "numpy", "inputs"})
    assert len({*words}) == len(HOSTILE)
    for name, word in zip(HOSTILE, words, strict=True):
        assert re.fullmatch(r"[A-Za-z]\w{0,40}", word, re.ASCII), (name, word)
    assert not {"lambda", "double", "sin", "numpy", "u1", "inputs"} & {*words}
    assert identifiers(["T (K)", "T_K", "lambda", "u1", "sin", "2"], ["sin"]) == [
        "T_K",
        "T_K_2",
        "lambda_",
        "u1_",
        "sin_2",
        "x6_2",
    ]


def test_json_is_a_document_of_names_and_graph() -> None:
    document = json.loads(json_text(PLAIN))
    assert document["inputs"] == ["mass", "T (K)"]
    assert from_document(document["graph"]) == PLAIN.graph

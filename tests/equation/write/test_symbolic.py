import numpy as np
import pytest
import sympy
from graphs import ONE, random_graph, random_inputs

from eqlearn.equation.write.symbolic import (
    expressions,
    recognised,
    rounded,
    with_joined_powers,
    with_joined_roots,
    with_powers,
)
from eqlearn.network.canonical import canonical
from eqlearn.network.graph import CONSTANT, COSINE, Graph, Node

x1, x2 = sympy.symbols("x1 x2")


def test_a_formula_read_by_hand() -> None:
    nodes = (
        Node("sin", ({1: 2.5, CONSTANT: 0.5},)),
        Node("multiply", ({0: 1.0, CONSTANT: 1.0}, {2: 1.0})),
    )
    graph = Graph(2, nodes, (({0: 2.0, 3: 1.0}, {CONSTANT: 1.0, 0: 0.25}),))
    expected = (2 * x1 + (x1 + 1) * sympy.sin(2.5 * x2 + 0.5)) / (1 + 0.25 * x1)
    assert expressions(graph) == (expected,)


def test_a_shifted_sine_reads_as_a_cosine() -> None:
    nodes = (Node("sin", ({0: 2.0, CONSTANT: COSINE},)),)
    graph = Graph(1, nodes, (({1: 3.0}, ONE),))
    assert expressions(graph) == (3 * sympy.cos(2 * x1),)


def test_whole_numbers_are_written_as_such() -> None:
    graph = Graph(2, (), (({0: 1.0, 1: -3.0, CONSTANT: 0.5}, ONE),))
    assert str(expressions(graph)[0]) == "x1 - 3*x2 + 0.5"


def test_fractions_are_scaled_to_read_well() -> None:
    outputs = (
        ({CONSTANT: 2.0}, {CONSTANT: 4.0, 0: -2.0}),
        ({1: 3.0}, {0: 0.5}),
        ({1: 3.0}, {0: 1.0, 1: -4.0}),
    )
    assert expressions(Graph(2, (), outputs)) == (
        0.5 / (1 - 0.5 * x1),
        6 * x2 / x1,
        -0.75 * x2 / (-0.25 * x1 + x2),
    )


def test_inputs_carry_the_names_they_are_given() -> None:
    graph = Graph(2, (), (({0: 1.0, 1: 2.0}, ONE), ({CONSTANT: 4.0}, ONE)))
    mass, angle = sympy.symbols("mass angle")
    assert expressions(graph, ["mass", "angle"]) == (mass + 2 * angle, 4)


def test_formula_and_graph_compute_the_same() -> None:
    for seed in range(30):
        rng = np.random.default_rng(seed)
        graph = random_graph(rng, n_units=seed % 7, n_outputs=1 + seed % 2)
        x = random_inputs(rng)
        if seed % 2:
            graph = canonical(graph, x.T)
        expected = graph.evaluate(x)[0]
        symbols = sympy.symbols(f"x1:{graph.n_inputs + 1}")
        for o, expression in enumerate(expressions(graph)):
            values = sympy.lambdify(symbols, expression, "numpy")(*x.T)
            size = 1e-12 * (1 + np.abs(expected).max())
            np.testing.assert_allclose(
                np.broadcast_to(values, len(x)), expected[:, o], rtol=0, atol=size
            )


def test_an_output_without_terms_is_zero() -> None:
    assert expressions(Graph(1, (), (({}, ONE),))) == (0,)


def test_constants_round_to_significant_digits() -> None:
    value = 3.14159265 * sympy.sin(1234.567 * x1) ** 2 - 0.000123456 * x2 + 5
    expected = 3.142 * sympy.sin(1235 * x1) ** 2 - 0.0001235 * x2 + 5
    assert rounded(value) == expected
    assert str(rounded(value, 2)) == "-0.00012*x2 + 3.1*sin(1200*x1)**2 + 5"


def test_a_constant_that_rounds_to_a_whole_number_reads_as_one() -> None:
    assert rounded(1.0000001 * x1 + sympy.cos(1.99999999 * x2)) == x1 + sympy.cos(
        2 * x2
    )


@pytest.mark.parametrize(
    ("found", "shown"),
    [
        ("f/(1 - f/g)", "f*g/(-f + g)"),
        ("a/((n - 1)*(a/b + 1))", "a*b/((a + b)*(n - 1))"),
        ("t**2*(v/t - 4.9)", "t*(v - 4.9*t)"),
        ("5*r/(s*(r/s + 1)) - 3", "5*r/(r + s) - 3"),
        # A sum of fractions says more than one fraction.
        ("a*x + b/x + 3", "a*x + b/x + 3"),
        ("y/3 + sin(x)/2", "y/3 + sin(x)/2"),
    ],
)
def test_fractions_within_fractions_are_one(found: str, shown: str) -> None:
    before, after = sympy.sympify(found), recognised(sympy.sympify(found))
    assert after == sympy.sympify(shown)
    assert sympy.simplify(before - after) == 0


@pytest.mark.parametrize(
    ("found", "shown"),
    [
        ("-3*a/(b - a - c)", "3*a/(a - b + c)"),
        # With more plain terms than signs, one sign stands better in front.
        ("-a/(b + c)", "-a/(b + c)"),
        ("-a/(b + c - n)", "-a/(b + c - n)"),
        ("x*sqrt(a) - t*u*sqrt(a)", "sqrt(a)*(-t*u + x)"),
        ("T - T*exp(-k*t) + U*exp(-k*t)", "T + (-T + U)*exp(-k*t)"),
        ("a*sin(x) + b*sin(x) + x", "x + (a + b)*sin(x)"),
        ("a*x + b*x*sin(a)", "a*x + b*x*sin(a)"),
    ],
)
def test_signs_and_functions_stand_once(found: str, shown: str) -> None:
    after = recognised(sympy.sympify(found))
    assert str(after) == shown
    assert sympy.simplify(sympy.sympify(found) - after) == 0


@pytest.mark.parametrize(
    ("found", "shown"),
    [
        ("P*exp(n*log(r + 1))", "P*(r + 1)**n"),
        ("exp(-n*t*log(r + 1) - k*t)", "(r + 1)**(-n*t)*exp(-k*t)"),
        ("exp(n*(log(r + 3/2) + log(2)))", "(2*r + 3)**n"),
        ("exp(n*log(s + exp(t*log(r))))", "(r**t + s)**n"),
        # Nothing here is more of a base than what stands beside it.
        ("exp(log(r)*log(s))", "exp(log(r)*log(s))"),
        ("exp(n*(t + log(r)))", "exp(n*(t + log(r)))"),
        ("exp(n*log(r)**2)", "exp(n*log(r)**2)"),
    ],
)
def test_exponentials_of_logarithms_are_powers(found: str, shown: str) -> None:
    words = {name: sympy.Symbol(name) for name in "Pnrstk"}
    before = sympy.sympify(found, words)
    after = with_powers(before)
    assert str(after.expand()) == str(sympy.sympify(shown, words).expand())
    point = {word: 1.5 + k / 7 for k, word in enumerate(words.values())}
    assert after.subs(point) == pytest.approx(before.subs(point))


@pytest.mark.parametrize(
    ("found", "positive", "read"),
    [
        ("x**2/(x**3/z)**(2/5)", "xz", "x**(4/5)*z**(2/5)"),
        (
            "t*(x**2*z)**0.3/(1 + x/(x/z)**0.4)",
            "xz",
            "t*x**0.6*z**0.3/(1 + x**0.6*z**0.4)",
        ),
        ("(x**3*z**2)**0.16", "xz", "x**0.48*z**0.32"),
        ("t*sqrt(x**2*z/t)", "xzt", "t*x*sqrt(z/t)"),
        ("sqrt(x**2*z/t)", "z", "sqrt(x**2*z/t)"),
        # Of two negative numbers the quotient has a power, and they have none.
        ("x**2/(x**3/z)**(2/5)", "x", "x**2/(x**3/z)**(2/5)"),
        # Nothing stands twice, or it is a root, which reads as one.
        ("t*(x/z)**0.3", "xzt", "t*(x/z)**0.3"),
        ("z*sqrt(x*z/t)", "xzt", "z*sqrt(x*z/t)"),
    ],
)
def test_powers_of_an_input_are_written_as_one(
    found: str, positive: str, read: str
) -> None:
    symbols = set(map(sympy.Symbol, positive))
    before = sympy.nsimplify(sympy.sympify(found), rational=True)
    after = with_joined_powers(before, symbols)
    assert after == sympy.nsimplify(sympy.sympify(read), rational=True)
    point = {"x": 1.3, "z": 0.7, "t": 2.1}
    assert after.subs(point) == pytest.approx(before.subs(point))


@pytest.mark.parametrize(
    ("found", "read"),
    [
        ("3*sqrt(m)/(sqrt(a)*sqrt(b)*(1 + z))", "3*sqrt(m/(a*b))/(1 + z)"),
        ("sqrt(a + b)/sqrt(m) + sqrt(2)*sqrt(z)", "sqrt((a + b)/m) + sqrt(2)*sqrt(z)"),
        ("m**(3/2)*sqrt(a)", "m**(3/2)*sqrt(a)"),
    ],
)
def test_roots_that_are_multiplied_are_one(found: str, read: str) -> None:
    before = sympy.sympify(found)
    after = with_joined_roots(before)
    assert after == sympy.sympify(read)
    point = {"m": 1.3, "a": 0.7, "b": 2.1, "z": 0.4}
    assert after.subs(point) == pytest.approx(before.subs(point))


@pytest.mark.parametrize(
    ("found", "read"),
    [
        ("m*sqrt(c**2/(c**2 - v**2))", "m/sqrt(1 - v**2/c**2)"),
        ("m*sqrt(-c**2/(v**2 - c**2))", "m/sqrt(1 - v**2/c**2)"),
        ("m*sqrt(c**6/(c**2 - v**2))", "c**2*m/sqrt(1 - v**2/c**2)"),
        ("sqrt(1/(1 - v))", "1/sqrt(1 - v)"),
        ("sqrt((G*a**2 - c**2*k)/a**2)", "sqrt(G - c**2*k/a**2)"),
        # Not shorter otherwise, and no number to begin with.
        ("sqrt((a + b)/c)", "sqrt((a + b)/c)"),
    ],
)
def test_roots_of_fractions_are_written_as_people_do(found: str, read: str) -> None:
    before, after = sympy.sympify(found), recognised(sympy.sympify(found))
    assert str(after) == str(sympy.sympify(read))
    for c in (1.7, -1.7):  # the sign that a root has lost is not made up
        point = {"m": 2.2, "c": c, "v": 0.6, "G": 3.0, "a": 1.3, "k": 0.3, "b": 9.1}
        assert abs(sympy.N((before - after).subs(point))) < 1e-12

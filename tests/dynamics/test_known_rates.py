import numpy as np
import pytest

from eqlearn.dynamics.candidates.known_rates import known_rates
from eqlearn.errors import EqlearnError


def value(text: str, **at: float) -> float:
    graph = known_rates({"x": text}, tuple(at), ())[0]
    return float(graph.evaluate(np.array([list(at.values())]))[0][0, 0])


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("v", 3.0),
        ("-9.81*sin(x) - 0.5*v", -9.81 * np.sin(2.0) - 1.5),
        ("x**3/(1 + v)", 2.0),
        ("(x - v)*(x + v)/2", -2.5),
        ("2*exp(-x) + 1", 2 * np.exp(-2.0) + 1),
    ],
)
def test_formulas_are_read(text: str, wanted: float) -> None:
    assert value(text, x=2.0, v=3.0) == pytest.approx(wanted)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("w", "got 'w'"),
        ("sni(x)", "got 'sni'. Did you mean 'sin'?"),
        ("x**v", "a formula of states and inputs"),
        ("x**0.5", "a formula of states and inputs"),
        ("__import__(x)", "got '__import__'"),
        ("x.real", "a formula"),
        ("x +", "a formula"),
        ("x if v else 1", "a formula"),
        ("(" * 300 + "x" + ")" * 300, "a formula"),
    ],
)
def test_anything_else_is_refused_and_never_run(text: str, said: str) -> None:
    with pytest.raises(EqlearnError) as error:
        value(text, x=2.0, v=3.0)
    assert said in str(error.value)


def test_a_state_that_is_not_there_is_refused() -> None:
    with pytest.raises(EqlearnError, match="Did you mean 'x1'"):
        known_rates({"x": "v"}, ("x1", "v"), ())

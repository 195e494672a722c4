"""What limits the trust in an equation that follows well."""

from types import SimpleNamespace
from typing import Any

import numpy as np

from eqlearn.dynamics.candidates.known_rates import known_rates
from eqlearn.dynamics.choose.close_forms import CloseForms
from eqlearn.dynamics.follow.motion import Motion
from eqlearn.dynamics.motion_verdict import _has_close_rival, _limits
from eqlearn.network.canonical import canonical

X = np.random.default_rng(0).uniform(-2, 2, (100, 1))
FAR = CloseForms({}, {}, {}, {}, set())


def system(rate: str) -> Motion:
    return Motion((canonical(known_rates({"x": rate}, ("x",), ())[0], X.T),))


def discovered(rate: str, close: CloseForms = FAR, runners: Any = ()) -> Any:
    rival = SimpleNamespace(motion=system(rate), score=0.0)
    rows = SimpleNamespace(x=X)
    return SimpleNamespace(rival=rival, close=close, rows=rows, runners=runners)


def test_a_short_formula_that_stands_alone_has_no_limits() -> None:
    assert _limits(discovered("2*x - 3*x**3"), 0) == []
    assert not _has_close_rival(discovered("2*x - 3*x**3"), 0)


def test_many_constants_are_a_limit() -> None:
    terms = " + ".join(f"{k}.5*x**{k}" for k in range(1, 8))
    assert "7 constants may imitate" in _limits(discovered(terms), 0)[0]


def test_functions_that_polynomials_replace_are_a_limit() -> None:
    close = FAR._replace(free={0: 0.5})
    assert "Polynomials instead" in _limits(discovered("2*tanh(x)", close), 0)[0]
    far = FAR._replace(free={0: 20.0})
    assert _limits(discovered("2*tanh(x)", far), 0) == []


def test_systems_just_behind_are_rivals_if_they_say_something_else() -> None:
    other = SimpleNamespace(motion=system("-x**2"), score=5.0)
    same = SimpleNamespace(motion=system("2.0001*x"), score=5.0)
    far = SimpleNamespace(motion=system("-x**2"), score=50.0)
    assert _has_close_rival(discovered("2*x", runners=(other,)), 0)
    assert not _has_close_rival(discovered("2*x", runners=(same, far)), 0)

"""PySINDy on the systems of benchmarks/dynamics: the same data, judged the same way.

    pip install 'eqlearn[peers]'
    python -m benchmarks.dynamics --method pysindy-cubic pysindy-waves pysindy-weak

Rates are its smoothed finite differences, or its weak form. The threshold of its sparse
regression is picked by the Bayesian criterion of the rates, system by system.
"""

import math
import warnings
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import sympy
from numpy.typing import NDArray
from scipy.integrate import solve_ivp
from scipy.interpolate import CubicSpline

from benchmarks.motions import System
from benchmarks.motions.entry import Recording
from eqlearn.baselines.question import peer

Array = NDArray[np.float64]

THRESHOLDS = (1.0, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002)
#: Domains that the weak form integrates over, of each trajectory.
N_DOMAINS = 200


class Learned(NamedTuple):
    """The rates that a peer found."""

    rates: tuple[sympy.Expr, ...]
    simulate: Callable[[Array, Array, Array], Array]


def learned_by(method: str, system: System, runs: Sequence[Recording]) -> Learned:
    """Learn with one of PySINDy's libraries."""
    pysindy = peer("pysindy")

    plain = pysindy.PolynomialLibrary(3)
    libraries: dict[str, Callable[[], Any]] = {
        "pysindy-cubic": lambda: plain,
        "pysindy-waves": lambda: (
            pysindy.PolynomialLibrary(3) + pysindy.FourierLibrary(1)
        ),
        "pysindy-weak": lambda: pysindy.WeakPDELibrary(
            function_library=pysindy.PolynomialLibrary(3, include_bias=False),
            spatiotemporal_grid=runs[0].t,
            include_bias=True,
            K=N_DOMAINS,
        ),
    }
    smooth = pysindy.SmoothedFiniteDifference()
    seen = np.concatenate([np.hstack([run.states, run.inputs]) for run in runs])
    measured = np.concatenate([smooth(run.states, t=run.t) for run in runs])
    ranked = []
    for threshold in THRESHOLDS:
        model = pysindy.SINDy(
            optimizer=pysindy.STLSQ(threshold=threshold),
            feature_library=libraries[method](),
            differentiation_method=smooth,
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(
                [run.states for run in runs],
                t=[run.t for run in runs] if method != "pysindy-weak" else runs[0].t,
                u=[run.inputs for run in runs] if system.inputs else None,
                feature_names=list(system.names),
            )
        rates = _rates(model, system)
        ranked.append((_criterion(rates, system, seen, measured), threshold, rates))
    rates = min(ranked, key=lambda one: one[0])[2]
    return Learned(rates, _simulation(rates, system))


def _rates(model: Any, system: System) -> tuple[sympy.Expr, ...]:
    symbols = {name: sympy.Symbol(name) for name in system.names}
    terms = [
        sympy.sympify(name.replace("^", "**").replace(" ", "*"), symbols)
        for name in model.get_feature_names()
    ]
    return tuple(
        sum(
            (float(w) * term for w, term in zip(row, terms, strict=True) if w),
            sympy.S(0),
        )
        for row in model.coefficients()
    )


def _criterion(
    rates: tuple[sympy.Expr, ...], system: System, seen: Array, measured: Array
) -> float:
    total = 0.0
    for rate, y in zip(rates, measured.T, strict=True):
        found = sympy.lambdify(system.names, rate, "numpy")(*seen.T)
        square = float(np.mean((y - found) ** 2)) + 1e-12 * float(np.var(y))
        n_terms = len(sympy.Add.make_args(rate))
        total += len(y) * math.log(square) + n_terms * math.log(len(y))
    return total


def _simulation(
    rates: tuple[sympy.Expr, ...], system: System
) -> Callable[[Array, Array, Array], Array]:
    function = sympy.lambdify(system.names, rates, "numpy", cse=True)

    def simulate(start: Array, t: Array, inputs: Array) -> Array:
        driven = CubicSpline(t, inputs) if system.inputs else lambda now: ()
        ends, lost = (float(t[0]), float(t[-1])), 1e6 * (1 + np.abs(start).max())

        def leaves(now: float, state: Array) -> float:
            return float(lost - np.abs(state).max())

        leaves.terminal = True  # type: ignore[attr-defined]
        solved: Any = solve_ivp(
            lambda now, state: function(*state, *driven(now)),
            *(ends, start, "LSODA", t),
            events=leaves,
            rtol=1e-8,
            atol=1e-10,
        )
        states = np.full((len(t), len(start)), np.nan)
        states[: solved.y.shape[1]] = solved.y.T
        return states

    return simulate

"""Systems drawn at random from terms that laws of motion are made of.

Nobody chose them, and there can be as many as needed: verdicts are calibrated on them.
A system is kept if it moves, stays bounded, and every term of it is seen at work.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import count
from typing import Any

import numpy as np
import sympy
from numpy.typing import NDArray

from benchmarks.motions.entry import System, signal

Array = NDArray[np.float64]
Draw = np.random.Generator

#: Of a rate's spread: a smaller term is not seen at work.
_AT_WORK = 0.15
#: Of the rates of the first half: in the second half, less is rest.
_MOVING = 0.03
_LARGEST = 50.0
_STEPS = 400
_ROWS = (200, 250, 300, 400)
_DURATIONS = (8.0, 12.0, 20.0, 30.0)

#: What acts on a positive state x, beside another state y, with places for constants:
#: terms of which there may be several, and of which a rate has one at most.
_ON_AMOUNTS = (
    *("{a}*x", "-{a}*x", "{a}", "-{a}*x**2", "{a}*x*y", "-{a}*x*y", "-{a}*x*y"),
    *("{a}*y", "{a}*u", "{a}*x**2*y"),
)
_ON_AMOUNTS_ONCE = (
    *("-{a}*x*y/({b} + x)", "{a}*x*y/({b} + y)", "-{a}*x/({b} + x)"),
    *("{a}/(1 + {b}*y**2)", "{a}*y**2/({b} + y**2)", "-{a}*sqrt(x)"),
    *("-{a}*x*log(x)", "{a}*exp(-{b}*y)", "{a}*x*exp(-{b}*x)"),
)
#: What pulls back, what damps, what drives: of an oscillator x, v.
_PULLS = (
    *("-{a}*x", "-{a}*sin(x)", "-{a}*x**3", "{a}*x - {b}*x**3", "-{a}*x - {b}*x**2"),
    *("-{a}*tanh({b}*x)", "-{a}*x/({b} + x**2)", "-{a}*sin(x)*cos(x)", "-{a}*x + {b}"),
)
_DAMPS = ("-{a}*v", "-{a}*v**3", "{a}*v - {b}*x**2*v", "-{a}*v*cos(x)**2", "")
_DRIVES = ("", "", "{a}*u", "{a}*u", "-{a}*sin(x)*u", "{a}*x*u")
#: What acts on a state of a circuit or a net, beside another.
_ON_SIGNALS = (
    *("-{a}*x", "-{a}*x", "{a}*y", "-{a}*y", "-{a}*x**3", "{a}*u", "{a}*y**2"),
    *("-{a}*x*y", "{a}", "{a}*x"),
)
_ON_SIGNALS_ONCE = ("{a}*tanh({b}*y)", "{a}*sin(y)", "{a}/(1 + exp(-{b}*y))")


def drawn(n: int, seed: int = 0) -> tuple[System, ...]:
    """As many systems as asked for; those of one seed begin alike."""
    return tuple(_system(seed, k) for k in range(n))


@cache
def _system(seed: int, number: int) -> System:
    for attempt in count():
        rng = np.random.default_rng([seed, number, attempt])
        one = _KINDS[number % len(_KINDS)](f"drawn-{seed}-{number}", rng)
        if one is not None and _is_seen_at_work(one):
            return one
    raise AssertionError("an attempt ends the loop")


def _amounts(name: str, rng: Draw) -> System | None:
    return _interacting(name, rng, _ON_AMOUNTS, _ON_AMOUNTS_ONCE, positive=True)


def _signals(name: str, rng: Draw) -> System | None:
    return _interacting(name, rng, _ON_SIGNALS, _ON_SIGNALS_ONCE, positive=False)


def _interacting(
    name: str,
    rng: Draw,
    often: tuple[str, ...],
    once: tuple[str, ...],
    *,
    positive: bool,
) -> System | None:
    """Two or three states, each under two or three terms."""
    states = ("x", "y", "z")[: int(rng.integers(2, 4))]
    rates = {}
    for state in states:
        n_once = int(rng.integers(2))
        picked = [str(rng.choice(once))] * n_once
        n_often = int(rng.integers(2, 4)) - n_once
        picked += [str(one) for one in rng.choice(often, n_often, replace=False)]
        others = [one for one in states if one != state]
        parts = []
        for term in picked:
            letters = {"x": state, "y": others[int(rng.integers(len(others)))]}
            parts.append(_named(_filled(term, rng), letters))
        rates[state] = " + ".join(parts)
    return _entered(name, rng, rates, positive=positive)


def _oscillator(name: str, rng: Draw) -> System | None:
    parts = [_filled(str(rng.choice(some)), rng) for some in (_PULLS, _DAMPS, _DRIVES)]
    rates = {"x": "v", "v": " + ".join(part for part in parts if part)}
    return _entered(name, rng, rates, positive=False)


_KINDS: tuple[Callable[[str, Draw], System | None], ...] = (
    *(_amounts, _oscillator, _amounts, _signals),
)


def _filled(term: str, rng: Draw) -> str:
    """A term with constants, of two digits."""
    a, b = np.exp(rng.uniform(np.log(0.3), np.log(3.0), 2))
    return term.format(a=f"{a:.2g}", b=f"{b:.2g}")


def _named(term: str, letters: dict[str, str]) -> str:
    """A term with the letters of other states, all at once."""
    symbols = {sympy.Symbol(old): sympy.Symbol(new) for old, new in letters.items()}
    plain = sympy.sympify(
        term, {str(one): one for one in (*symbols, sympy.Symbol("u"))}
    )
    return str(plain.subs(symbols, simultaneous=True))


def _entered(
    name: str, rng: Draw, rates: dict[str, str], *, positive: bool
) -> System | None:
    low = 0.2 if positive else -2.0
    starts = rng.uniform(low, 2.5, (3, len(rates))).round(1)
    inputs = ("u",) if any("u" in _letters(rate) for rate in rates.values()) else ()
    if any(_expanded(rate) == 0 for rate in rates.values()):
        return None
    first, second, held_out = (tuple(map(float, one)) for one in starts)
    return System(
        name,
        rates,
        (first, second),
        held_out,
        float(rng.choice(_DURATIONS)),
        int(rng.choice(_ROWS)),
        inputs,
    )


def _expanded(rate: str) -> sympy.Expr:
    return sympy.expand(sympy.sympify(rate))


def _letters(rate: str) -> set[str]:
    return {str(one) for one in sympy.sympify(rate).free_symbols}


def _is_seen_at_work(system: System) -> bool:
    """Whether the system stays bounded, moves, and all of its terms matter."""
    t = np.linspace(0.0, system.duration, _STEPS)
    starts = np.array([*system.starts, system.held_out])
    rates = sympy.lambdify(system.names, system.expressions, "numpy", cse=True)
    course = _stepped(rates, starts, t, len(system.inputs))
    if course is None:
        return False
    points = np.concatenate([course[:, k] for k in range(len(system.starts))])
    moving = all(_keeps_moving(course[:, k], t) for k in range(len(system.starts)))
    return moving and min(_shares(system, points)) > _AT_WORK


def _stepped(
    rates: Callable[..., Sequence[Any]], x: Array, t: Array, n_inputs: int
) -> Array | None:
    """States and inputs (N, K, S + A) from K starts; None if any leaves the bounds."""
    phases, h, course = (0.0, 1.0, 7.0), t[1] - t[0], []

    def rate(now: float, x: Array) -> tuple[Array, Array]:
        driven = [signal(np.array([now]), n_inputs, phase)[0] for phase in phases]
        columns = [*x.T, *np.array(driven).T]
        found = [np.broadcast_to(one, len(x)) for one in rates(*columns)]
        return np.stack(columns, axis=1), np.stack(found, axis=1)

    with np.errstate(all="ignore"):
        for now in t:
            here, a = rate(now, x)
            b = rate(now + h / 2, x + h / 2 * a)[1]
            c = rate(now + h / 2, x + h / 2 * b)[1]
            d = rate(now + h, x + h * c)[1]
            course.append(here)
            x = x + h / 6 * (a + 2 * b + 2 * c + d)
            if not np.abs(x).max() < _LARGEST:
                return None
    return np.array(course)


def _keeps_moving(course: Array, t: Array) -> bool:
    rates = np.abs(np.gradient(course, t, axis=0))
    half = len(t) // 2
    return bool(np.all(rates[half:].max(axis=0) > _MOVING * rates[:half].max(axis=0)))


def _shares(system: System, points: Array) -> Iterator[float]:
    """How large each term of each rate is, of the spread of that rate."""
    for rate in system.rates.values():
        whole = sympy.expand(sympy.sympify(rate))
        values = [_values(part, system, points) for part in sympy.Add.make_args(whole)]
        spread = float(np.std(sum(values))) + 1e-300
        yield from (float(np.sqrt(np.mean(one**2))) / spread for one in values)


def _values(part: sympy.Expr, system: System, points: Array) -> Array:
    found = sympy.lambdify(system.names, part, "numpy")(*points.T)
    return np.broadcast_to(np.asarray(found, float), len(points))

"""Evolutionary symbolic regression, in place of the closed Eureqa.

Peers get the same units and the same rows. What they lack and eqlearn does by itself is
done for them: inputs and targets are scaled to about 1, the search runs on a thousand
rows and only its end on all, and pyoperon, whose choice among formulas needs it, is
told the noise. Settings are after their own documentation: pyoperon's example and its
authors' entry in SRBench; gplearn's example with a population of its default size and a
tenth of the parsimony, which would cut formulas of this length short.
"""

import math
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import sympy

from eqlearn._types import Array
from eqlearn.baselines.question import Answer, Question, peer
from eqlearn.data.scale import scaling_of
from eqlearn.problems import Learned

#: The part of a peer's time, and the rows, of the search before the end on all rows.
SEARCH_SHARE = 0.8
SEARCH_ROWS = 1000

_LONGEST_PROGRAM = 300  # nodes, to be read as a formula


def by_pyoperon(question: Question) -> list[Answer | None]:
    """Learn with Operon: genetic programming with Levenberg-Marquardt on constants."""
    regressor = peer("pyoperon.sklearn").SymbolicRegressor
    return _scaled_fits(question, partial(_fit_operon, regressor))


def by_gplearn(question: Question) -> list[Answer | None]:
    """Learn with gplearn: genetic programming, one generation after the other."""
    regressor = peer("gplearn.genetic").SymbolicRegressor
    return _scaled_fits(question, partial(_fit_gplearn, regressor))


class _Target(NamedTuple):
    """One target of a question, scaled, and the means to learn it."""

    x: Array  # (N, D)
    y: Array  # (N,)
    noise: float
    seconds: float
    seed: int


class _Evolved(NamedTuple):
    """What a peer has made of a target."""

    predict: Callable[[Array], Any]
    formula: Callable[[Sequence[Any]], Any]  # of the inputs, as SymPy
    parameters: int
    generations: int


def _scaled_fits(
    question: Question, fit: Callable[[_Target], _Evolved]
) -> list[Answer | None]:
    scale = scaling_of(question.x, question.y)
    x, y = question.x, question.y
    if question.far is not None:  # in front, so that the search sees them too
        x, y = map(np.concatenate, zip(question.far, (x, y), strict=True))
    symbols = [
        sympy.Symbol(name) / sympy.Float(s)
        for name, s in zip(question.names, scale.x.tolist(), strict=True)
    ]
    seconds = question.time_limit / question.n_targets
    answers: list[Answer | None] = []
    for m, unit in enumerate(scale.y.tolist()):
        noise = question.noise[m] / unit
        fitted = fit(
            _Target(x / scale.x, y[:, m] / unit, noise, seconds, question.seed)
        )
        formula = fitted.formula(symbols)
        expression = None if formula is None else sympy.Float(unit) * formula
        learned = Learned(_in_units(fitted.predict, scale.x, unit), expression)
        answers.append(Answer(learned, fitted.parameters, fitted.generations))
    return answers


def _fit_operon(regressor: Callable[..., Any], target: _Target) -> _Evolved:
    model = regressor(
        allowed_symbols="add,sub,mul,div,sin,cos,constant,variable",
        objectives=["r2", "length"],
        optimizer="lm",
        optimizer_iterations=10,
        max_length=50,
        # The time alone ends it.
        generations=10**9,
        max_evaluations=10**12,
        # A description length needs a noise, however small; values are float32.
        uncertainty=[max(target.noise, 1e-4)],
        n_threads=1,
        max_time=math.ceil(SEARCH_SHARE * target.seconds),
        random_state=target.seed,
    )
    model.fit(target.x[:SEARCH_ROWS], target.y[:SEARCH_ROWS])
    generations = model.stats_["generations"]
    rest = math.ceil((1 - SEARCH_SHARE) * target.seconds)
    model.set_params(warm_start=True, max_time=rest)
    model.fit(target.x, target.y)
    generations += model.stats_["generations"]
    tree, variables = model.model_, list(model.variables_)

    def formula(features: Sequence[Any]) -> Any:
        by_hash = dict(zip(variables, features, strict=True))
        return operon_formula(tree.Nodes, by_hash, sympy)

    return _Evolved(model.predict, formula, tree.CoefficientsCount, generations)


def _fit_gplearn(regressor: Callable[..., Any], target: _Target) -> _Evolved:
    model = regressor(
        population_size=1000,
        function_set=("add", "sub", "mul", "div", "sin", "cos"),
        const_range=(-5.0, 5.0),
        metric="rmse",
        p_crossover=0.7,
        p_subtree_mutation=0.1,
        p_hoist_mutation=0.05,
        p_point_mutation=0.1,
        parsimony_coefficient=0.001,
        low_memory=True,
        warm_start=True,
        random_state=target.seed,
    )
    generations = _evolve(model, target)
    program = model._program.program  # there is no public way
    constants = sum(isinstance(node, float) for node in program)
    with np.errstate(all="ignore"):
        read = gplearn_formula(program, list(target.x.T), np)
    # Where a division was given the value 1, there is no formula to be read.
    is_formula = read is not None and np.allclose(read, model.predict(target.x))

    def formula(features: Sequence[Any]) -> Any:
        return gplearn_formula(program, features, sympy) if is_formula else None

    return _Evolved(model.predict, formula, constants, generations)


def _evolve(model: Any, target: _Target) -> int:
    """Let gplearn go on until time is over: on some rows, then on all of them."""
    start, generations = time.monotonic(), 0
    for share, rows in ((SEARCH_SHARE, SEARCH_ROWS), (1.0, len(target.x))):
        is_first = True
        while is_first or time.monotonic() - start < share * target.seconds:
            generations, is_first = generations + 1, False
            model.set_params(generations=generations)
            model.fit(target.x[:rows], target.y[:rows])
    return generations


def _in_units(
    predict: Callable[[Array], Any], x_unit: Any, y_unit: float
) -> Callable[[Array], Any]:
    return lambda x: y_unit * np.asarray(predict(x / x_unit), dtype=np.float64)


#: Both libraries' names of the functions, which they apply to one or two arguments.
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "add": lambda xp, a, b: a + b,
    "sub": lambda xp, a, b: a - b,
    "mul": lambda xp, a, b: a * b,
    "div": lambda xp, a, b: a / b,
    "sin": lambda xp, a: xp.sin(a),
    "cos": lambda xp, a: xp.cos(a),
}


def operon_formula(nodes: Sequence[Any], features: dict[int, Any], xp: Any) -> Any:
    """Read a tree of Operon: arguments come before their function, the last one first.

    `features` are the inputs by Operon's hash. None if there is something else in it.
    """
    stack: list[Any] = []
    for node in nodes:
        kind = node.Type.name.lower()
        if kind == "constant":
            stack.append(_number(node.Value, xp))
        elif kind == "variable":  # with a weight
            stack.append(_number(node.Value, xp) * features[node.HashValue])
        elif kind in _FUNCTIONS and node.Arity == (1 if kind in ("sin", "cos") else 2):
            stack.append(
                _FUNCTIONS[kind](xp, *(stack.pop() for _ in range(node.Arity)))
            )
        else:
            return None
    return stack.pop()


def gplearn_formula(program: Sequence[Any], features: Sequence[Any], xp: Any) -> Any:
    """Read a program of gplearn, in which functions come before their arguments.

    gplearn gives a division by less than 0.001 the value 1; a formula does not say so.
    """
    if len(program) > _LONGEST_PROGRAM:
        return None
    stack: list[Any] = []
    for node in reversed(program):
        if isinstance(node, int):
            stack.append(features[node])
        elif isinstance(node, float):
            stack.append(_number(node, xp))
        else:
            arguments = [stack.pop() for _ in range(node.arity)]
            stack.append(_FUNCTIONS[node.name](xp, *arguments))
    return stack.pop()


def _number(value: float, xp: Any) -> Any:
    return sympy.Float(value) if xp is sympy else float(value)

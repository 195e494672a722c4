"""Learned equations of motion: a graph as a fast function of state and action."""

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from eqlearn._types import Array
from eqlearn.control.derivatives import (
    DynamicsData,
    check_same_names,
    dynamics_data,
    unwrapped,
)
from eqlearn.control.rollouts import Trajectory
from eqlearn.control.simulate import Dynamics, StepFunction, stepper
from eqlearn.data.duration import seconds
from eqlearn.equation.write.formulas import formulas
from eqlearn.errors import must
from eqlearn.model.model import Model
from eqlearn.network.document import to_document
from eqlearn.network.graph import CONSTANT, Graph, Linear, Node
from eqlearn.network.units import unit


def learn_dynamics(
    learner: Any, data: DynamicsData, far: DynamicsData | None = None
) -> Any:
    """Fit an `EquationLearner`, or the like, to samples of ṡ = f(s, a).

    `far` are samples of other motion, further out, that tell a formula from its
    imitations: the paper's rollout for selection.
    """
    import pandas

    x = pandas.DataFrame(data.inputs, columns=list(data.input_names))
    y = pandas.DataFrame(data.derivatives, columns=list(data.output_names))
    if far is None:
        return learner.fit(x, y)
    more = pandas.DataFrame(far.inputs, columns=list(far.input_names))
    return learner.fit(x, y, extrapolation=(more, far.derivatives))


#: Order of the averages that the second pass corrects: with 2, noise is lowest.
CORRECTED_ORDER = 2
#: Where the steps of the first pass are kept in a run directory, and of the second.
FIRST_PASS = "first-pass"
SECOND_PASS = "second-pass-{}"


def learn_motion(
    learner: Any, trajectories: Sequence[Trajectory], *, angles: Sequence[str] = ()
) -> Any:
    """Learn equations of motion from trajectories; return the learner that has them.

    Parameters
    ----------
    learner : DynamicsLearner, or the like
        A copy of it is fitted, which takes actions to be held from row to row, and
        steps for Euler's where that makes the measured states likelier.
    trajectories : sequence of Trajectory
        All with the same names.
    angles : sequence of str
        States in radians that jump by a full turn, such as from π to -π.
    """
    from sklearn.base import clone

    check_same_names(trajectories)
    first = trajectories[0]
    held = clone(learner).set_params(hold_inputs=True, step_rule="either")
    return held.fit(
        [unwrapped(run, angles) for run in trajectories],
        [run.dt * np.arange(len(run.states)) for run in trajectories],
        # Nothing is known of what came after the last action, nor of any use.
        [np.vstack([run.actions, run.actions[-1:]]) for run in trajectories],
        state_names=first.state_names,
        input_names=first.action_names,
    )


def learn_averages(
    learner: Any,
    trajectories: Sequence[Trajectory],
    *,
    angles: Sequence[str] = (),
    window: int = 1,
) -> tuple[Any, DynamicsData]:
    """Fit an `EquationLearner` to differences; return it and its last samples.

    Differences are exact for a system that makes Euler steps, as the paper's does.
    Averages over a window are learned from in two passes, each with half of the time
    limit: the equations of the first tell how the averages are to be corrected, and
    are the first candidates of the second.
    `angles` and `window` are those of `dynamics_data`.
    """
    from sklearn.base import clone

    data = dynamics_data(trajectories, angles=angles, window=window)
    if window == 1:
        return learn_dynamics(learner, data), data
    limit, directory = seconds(learner.time_limit), learner.run_dir
    learner = clone(learner).set_params(
        warm_start=True,
        time_limit=None if limit is None else limit / 2,
        run_dir=None if directory is None else Path(directory) / FIRST_PASS,
    )
    learn_dynamics(learner, data)
    if learner.interrupted_:
        return learner, data
    data = dynamics_data(
        trajectories,
        angles=angles,
        window=window,
        order=CORRECTED_ORDER,
        known=equations_of_motion(learner.model_),
    )
    if directory is not None:
        directory = Path(directory) / SECOND_PASS.format(_digest(learner.model_))
    return learn_dynamics(learner.set_params(run_dir=directory), data), data


def _digest(model: Model) -> str:
    """Letters that stand for a model's equations: other equations, other letters."""
    documents = [to_document(equation.graph) for equation in model.equations]
    return hashlib.sha256(json.dumps(documents).encode()).hexdigest()[:8]


@dataclass(frozen=True)
class _Sum:
    """A linear combination, laid out for speed: Σ w·f + constant."""

    constant: float
    terms: tuple[tuple[int, float], ...]

    def __call__(self, features: list[Array]) -> Array:
        total: Array | None = None
        for source, weight in self.terms:
            term = features[source] if weight == 1.0 else features[source] * weight
            if total is None:
                total = term
            elif weight == 1.0:
                total = total + term
            else:
                term += total
                total = term
        if total is None:
            return np.full_like(features[0], self.constant)
        return total + self.constant if self.constant else total


def equations_of_motion(model: Model, *, snapped: bool = True) -> Dynamics:
    """Make the chosen equations of a model a function of states and actions.

    Its first inputs are the states, as many as it has targets; the others are actions.
    """
    graphs = [one.snapped if snapped else one.graph for one in model.chosen]
    return dynamics_of(formulas(graphs).graph, len(model.inputs) - len(model.targets))


def learned_step(model: Model, dt: float, *, snapped: bool = True) -> StepFunction:
    """One step of `dt` seconds, by the rule that the equations are meant for.

    Equations of differences, which tell no rule, are those of Euler's steps.
    """
    rates = equations_of_motion(model, snapped=snapped)
    rule, substeps = (model.parameters.get(key) for key in ("step_rule", "substeps"))
    if model.parameters.get("discrete"):
        return rates
    if rule != "flow":
        return stepper(rates, dt, "euler")
    n_steps = substeps if isinstance(substeps, int) else 1
    return stepper(rates, dt, "rk4", substeps=n_steps)


def dynamics_of(graph: Graph, n_actions: int) -> Dynamics:
    """Make a graph the function of states (..., S) and actions (..., A) that it is.

    Its outputs are the states' rates of change. It computes in the precision of the
    states, thousands of them at once, without a check: a planner calls it all the time.
    """
    n_states = graph.n_inputs - n_actions
    if graph.n_outputs != n_states:
        what = f"of one output for each of the {n_states} states"
        raise must("graph", what, graph.n_outputs)
    units = [_laid_out(node) for node in graph.nodes]
    outputs = [(_sum(a), None if _is_one(b) else _sum(b)) for a, b in graph.outputs]

    def rates(states: Array, actions: Array) -> Array:
        features = [states[..., i] for i in range(n_states)]
        features += [actions[..., i] for i in range(n_actions)]
        for function, arguments in units:
            values = [argument(features) for argument in arguments]
            features.append(function(*values))
        found = np.empty_like(states)
        for i, (above, below) in enumerate(outputs):
            value = above(features)
            found[..., i] = value if below is None else value / below(features)
        return found

    return rates


def _laid_out(node: Node) -> tuple[Callable[..., Array], list[_Sum]]:
    """A unit's function, and the sums that it is applied to."""
    sums = [_sum(linear) for linear in node.arguments]
    if node.unit == "multiply" and node.arguments[0] == node.arguments[1]:
        return _squared, sums[:1]
    return partial(unit(node.unit), np), sums


def _squared(values: Array) -> Array:
    return values * values


def _sum(linear: Linear) -> _Sum:
    terms = tuple((s, float(w)) for s, w in linear.items() if s != CONSTANT)
    return _Sum(float(linear.get(CONSTANT, 0.0)), terms)


def _is_one(linear: Linear) -> bool:
    return dict(linear) == {CONSTANT: 1.0}


def rates_by(predict: Callable[[Array], Array]) -> Dynamics:
    """Make dynamics of any `predict` on inputs (N, S + A): a network, a forest, ..."""

    def rates(states: Array, actions: Array) -> Array:
        wide = np.broadcast_to(actions, (*states.shape[:-1], actions.shape[-1]))
        inputs = np.concatenate([states, wide], axis=-1)
        found = predict(inputs.reshape(-1, inputs.shape[-1]))
        return np.asarray(found).reshape(states.shape).astype(states.dtype)

    return rates

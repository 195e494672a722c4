"""`DynamicsLearner`: equations of motion from measured time series."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eqlearn._types import Array
from eqlearn.data.duration import seconds
from eqlearn.dynamics.asked import Asked
from eqlearn.dynamics.candidates.known_rates import known_rates
from eqlearn.dynamics.discover import Discovered, discover
from eqlearn.dynamics.follow.follow_on import followed
from eqlearn.dynamics.follow.motion import Motion
from eqlearn.dynamics.motion_model import motion_model
from eqlearn.dynamics.motion_verdict import courses, foresight
from eqlearn.dynamics.smooth.trajectories import TimeSeries, check_changing, time_series
from eqlearn.dynamics.step_rule import StepRule
from eqlearn.errors import check_count, check_known, must
from eqlearn.jobs.backends import n_processes
from eqlearn.learners.given_inputs import (
    default_names,
    in_one_line,
    numbers_of,
    seed_of,
    units_of,
)
from eqlearn.learners.learned_equations import LearnedEquations
from eqlearn.model import model_file
from eqlearn.model.courses import NEXT_VALUE, RATE, Courses

#: Parameters that a model file keeps.
_KEPT = (
    *("functions", "known", "second_order", "discrete", "hold_inputs", "step_rule"),
    *("snap", "time_limit", "max_attempts", "random_state"),
)
#: What the velocity of a position is called, if only positions are measured.
VELOCITY = "{}_dot"
#: What may be asked of steps from row to row; None is what is likelier.
RULES: dict[str, StepRule | None] = {"flow": "flow", "euler": "euler", "either": None}


class DynamicsLearner(LearnedEquations):  # type: ignore[misc, unused-ignore]
    """Learn equations of motion dx/dt = f(x, u) from measured states.

    States are smoothed by splines, never differenced, and equations for their rates are
    searched for. Candidates are compared, pruned and fitted by how well they follow the
    measurements themselves, so the constants and their errors are those of the
    trajectories.

    Parameters
    ----------
    functions : sequence of str or "paper", optional
        What formulas are made of, as for `EquationLearner`.
    known : mapping of str to str, optional
        Rates that are known, by state: ``{"x": "v"}`` says dx/dt = v.
    second_order : bool, default=False
        The states are positions: their velocities are states too, but not measured.
    discrete : bool, default=False
        Learn a map x[k+1] = f(x[k], u[k]); times are then only an order.
    hold_inputs : bool, default=False
        Inputs stay constant from row to row; by default they change smoothly.
    step_rule : {"flow", "euler", "either"}, default="flow"
        How the system goes from row to row: as time flows, or by Euler's steps, as some
        simulators do; `"either"` takes the one that the measured states make likelier.
    time_limit : float or str, optional
        Seconds for all of it, or a text like ``"90s"``; by default about five for each
        state.
    max_attempts : int, optional
        How many attempts the search makes at each rate.
    n_jobs : int, default=1
        How many processes the search uses; -1 is one for each core.
    scheduler : str, optional
        The address of a Dask scheduler, whose workers are used instead.
    run_dir : path, optional
        Where to keep every finished step; calling `fit` again carries on from there.
    snap : bool, default=True
        Use simple constants (2, 1/3, π) where the trajectories allow them.
    random_state : int, RandomState or None, default=0
        The seed.
    verbose : bool, default=False
        Show on the standard error how far the search is.

    Attributes
    ----------
    equation_ : str
        The equations of motion, a line for each state.
    model_ : Model
        All that was learned; further attributes are those of `EquationLearner`.
    step_rule_ : str
        How the system goes from row to row: "flow", "euler" or "map".
    courses_ : Courses
        Measured and simulated motion, as the report shows it.

    Examples
    --------
    >>> import numpy as np
    >>> from eqlearn import DynamicsLearner
    >>> t = np.linspace(0, 6, 120)
    >>> learner = DynamicsLearner(time_limit=4).fit(3 * np.exp(-0.5 * t), t)
    >>> learner.equation_
    'dx1/dt = -x1/2'
    """

    def __init__(
        self,
        *,
        functions: Sequence[str] | str | None = None,
        known: Mapping[str, str] | None = None,
        second_order: bool = False,
        discrete: bool = False,
        hold_inputs: bool = False,
        step_rule: str = "flow",
        time_limit: float | str | None = None,
        max_attempts: int | None = None,
        n_jobs: int | None = 1,
        scheduler: str | None = None,
        run_dir: str | Path | None = None,
        snap: bool = True,
        random_state: Any = 0,
        verbose: bool = False,
    ) -> None:
        self.functions = functions
        self.known = known
        self.second_order = second_order
        self.discrete = discrete
        self.hold_inputs = hold_inputs
        self.step_rule = step_rule
        self.time_limit = time_limit
        self.max_attempts = max_attempts
        self.n_jobs = n_jobs
        self.scheduler = scheduler
        self.run_dir = run_dir
        self.snap = snap
        self.random_state = random_state
        self.verbose = verbose

    def fit(
        self,
        states: Any,
        t: Any,
        inputs: Any = None,
        *,
        state_names: Sequence[str] | None = None,
        input_names: Sequence[str] | None = None,
    ) -> "DynamicsLearner":
        """Learn the equations from one trajectory or several.

        Parameters
        ----------
        states : array-like of shape (n_rows, n_states), or a list of arrays
            Measured states; rows with NaN are left out, and many in a row split a
            trajectory.
        t : float, array-like of shape (n_rows,), or a list of arrays
            The step, or the times; even or not.
        inputs : array-like of shape (n_rows, n_inputs), or a list of arrays, optional
            Known inputs at the same times.
        state_names, input_names : sequences of str, optional
            Names; by default those of a table's columns, or x1, x2, ... and u1, ...
        """
        with in_one_line():
            runs = self._runs(states, t, inputs)
            measured = _names(states, state_names, "x", runs[0].states.shape[1])
            driven = _names(inputs, input_names, "u", runs[0].inputs.shape[1])
            check_changing(runs, measured)
            names, known = self._system(measured, driven)
            asked = self._asked(known)
            model_file.check_can_be_saved(
                (*names, *driven),
                self._targets(names),
                _any_domain(names, driven),
                self._kept(),
            )
        free = [name for k, name in enumerate(names) if k not in known]
        with self._progress((*names, *driven), self._targets(free)) as callback:
            self.discovered_: Discovered = discover(runs, asked, callback)
        seen, targets = foresight(self.discovered_), self._targets(names)
        self.step_rule_: StepRule = self.discovered_.pieces.rule
        self.courses_: Courses = courses(self.discovered_, seen)
        self.model_ = self._as_found = motion_model(
            self.discovered_, names, driven, targets, self._kept_of_fit(), seen
        )
        self.n_features_in_ = len(names) + len(driven)
        return self

    def predict(self, states: Any, inputs: Any = None) -> NDArray[np.float64]:
        """Rates of the states (N, S); of a map, the next states."""
        x = np.atleast_2d(_numbers("states", states))
        u = self._driven(inputs, len(x))
        self._check_width(x)
        with np.errstate(all="ignore"):
            return self._motion().rates(np.hstack([x, u]))

    def simulate(self, x0: Any, t: Any, inputs: Any = None) -> Array:
        """States (N, S) at times (N,) from a start, under inputs (N, A).

        From where the motion is lost, they are NaN.
        """
        start = _numbers("x0", x0).ravel()
        times = _numbers("t", t).ravel()
        self._check_width(start[None])
        for name, given in (("x0", start), ("t", times)):
            if not (given.size and np.isfinite(given).all()):
                raise must(name, "of finite numbers", given)
        driven = self._driven(inputs, len(times))
        holds = self.hold_inputs
        return followed(
            self._motion(), start, times, driven, rule=self.step_rule_, holds=holds
        )

    def score(self, states: Any, t: Any, inputs: Any = None) -> float:
        """The mean R² of trajectories that are followed from their first rows."""
        n_inputs = len(self._model().inputs) - len(self._model().targets)
        with in_one_line():
            runs = self._runs(states, t, inputs, n_inputs)
        return float(np.mean([self._followed_share(run) for run in runs]))

    def _runs(
        self, states: Any, t: Any, inputs: Any, n_inputs: int | None = None
    ) -> list[TimeSeries]:
        """Trajectories; held inputs and steps say nothing of rows that are missing."""
        flows = not (self.discrete or self.hold_inputs or self.step_rule != "flow")
        given = _as_meant(states, t, inputs)
        return time_series(*given, n_inputs=n_inputs, flows=flows)

    def _followed_share(self, run: TimeSeries) -> float:
        n = run.states.shape[1]
        start = run.states[0]
        if self.second_order:
            from eqlearn.dynamics.smooth.rate_rows import smooth_run

            start = smooth_run(run, second_order=True).states[0]
        states = self.simulate(start, run.t, run.inputs)[:, :n]
        left = np.sum((states - run.states) ** 2, axis=0)
        whole = np.sum((run.states - run.states.mean(axis=0)) ** 2, axis=0)
        with np.errstate(all="ignore"):
            shares = 1.0 - left / whole
        return float(np.mean(np.where(np.isfinite(shares), shares, -np.inf)))

    @classmethod
    def load(cls, path: str | Path) -> "DynamicsLearner":
        """Read a model file; no code in it is run."""
        model = model_file.load(path)
        kept: Mapping[str, Any] = model.parameters
        if "discrete" not in kept:
            what = "a model of motion"
            raise must("path", what, str(path), "Open it with `EquationLearner.load`.")
        learner = cls(**{name: kept[name] for name in _KEPT if name in kept})
        learner.model_ = learner._as_found = model
        learner.step_rule_ = learner._asked_rule() or "flow"
        learner.n_features_in_ = len(model.inputs)
        return learner

    def _system(
        self, measured: tuple[str, ...], driven: tuple[str, ...]
    ) -> tuple[tuple[str, ...], dict[int, Any]]:
        """The names of all states, and the rates that are known."""
        if self.second_order and self.discrete:
            raise must("second_order", "False for a map", True)
        texts = dict(self.known or {})
        names = measured
        if self.second_order:
            velocities = tuple(VELOCITY.format(name) for name in measured)
            texts |= dict(zip(measured, velocities, strict=True))
            names = (*measured, *velocities)
        if len(set(names + driven)) < len(names + driven):
            raise must("state_names", "different from each other", list(names + driven))
        return names, known_rates(texts, names, driven)

    def _asked(self, known: dict[int, Any]) -> Asked:
        if self.max_attempts is not None:
            check_count("max_attempts", self.max_attempts)
        n_processes(self.n_jobs, "n_jobs")
        return Asked(
            known=known,
            second_order=self.second_order,
            rule=self._asked_rule(),
            holds=self.hold_inputs,
            time_limit=seconds(self.time_limit),
            seed=seed_of(self.random_state),
            jobs=1 if self.n_jobs is None else self.n_jobs,
            scheduler=self.scheduler,
            units=units_of(self.functions),
            max_attempts=self.max_attempts,
            run_dir=None if self.run_dir is None else Path(self.run_dir),
        )

    def _targets(self, names: Sequence[str]) -> tuple[str, ...]:
        form = NEXT_VALUE if self.discrete else RATE
        return tuple(form.format(name) for name in names)

    def _kept(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in _KEPT}

    def _kept_of_fit(self) -> dict[str, Any]:
        """Parameters as they turned out: of either rule, the one that was likelier."""
        rule = self.step_rule if self.discrete else self.step_rule_
        substeps = self.discovered_.pieces.substeps
        return {**self._kept(), "step_rule": rule, "substeps": substeps}

    def _asked_rule(self) -> StepRule | None:
        check_known("step_rule", self.step_rule, RULES)
        if self.discrete or self.second_order:
            if self.step_rule != "flow":
                what = "'flow' for a map, or for positions alone"
                raise must("step_rule", what, self.step_rule)
            return "map" if self.discrete else "flow"
        return RULES[self.step_rule]

    def _motion(self) -> Motion:
        return Motion(tuple(self._graphs(self._model().chosen)))

    def _check_width(self, x: Array) -> None:
        n_states = len(self._model().targets)
        if x.shape[1] != n_states:
            raise must("states", f"of {n_states} columns", x)

    def _driven(self, inputs: Any, n_rows: int) -> Array:
        n_inputs = len(self._model().inputs) - len(self._model().targets)
        if inputs is None:
            if n_inputs:
                raise must("inputs", f"rows of {n_inputs} numbers", inputs)
            return np.zeros((n_rows, 0))
        found = _numbers("inputs", inputs)
        if found.size != n_rows * n_inputs:
            raise must("inputs", f"{n_rows} rows of {n_inputs} numbers", found)
        return found.reshape(n_rows, n_inputs)


def _numbers(name: str, values: Any) -> Array:
    with in_one_line():
        return np.asarray(numbers_of(name, values), dtype=float)


def _as_meant(states: Any, t: Any, inputs: Any) -> tuple[Any, Any, Any]:
    """Trajectories in which what is masked is missing, and times are numbers."""
    return (
        _each_as_meant("states", states),
        _each_as_meant("t", t),
        _each_as_meant("inputs", inputs),
    )


def _each_as_meant(name: str, given: Any) -> Any:
    # As for trajectories: only a list of arrays is several.
    if isinstance(given, list | tuple) and all(hasattr(o, "__array__") for o in given):
        return [numbers_of(name, one) for one in given]
    return given if given is None else numbers_of(name, given)


def _names(
    table: Any, given: Sequence[str] | None, letter: str, n: int
) -> tuple[str, ...]:
    """The names that were given, or that a table has, or x1, x2, ..."""
    if given is None:
        first = table[0] if isinstance(table, list | tuple) and table else table
        columns = getattr(first, "columns", None)
        given = (
            default_names(letter, n) if columns is None else [str(c) for c in columns]
        )
    if len(given) != n:
        raise must("state_names", f"{n} names", list(given))
    return tuple(given)


def _any_domain(names: Sequence[str], driven: Sequence[str]) -> Array:
    return np.tile([-1.0, 1.0], (len(names) + len(driven), 1))

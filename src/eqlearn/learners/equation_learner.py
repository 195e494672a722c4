"""`EquationLearner`: a scikit-learn estimator whose result is an equation."""

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import MultiOutputMixin, RegressorMixin

from eqlearn._types import Array
from eqlearn.errors import check_count, must
from eqlearn.learners.given_form import check_form_settings
from eqlearn.learners.given_groups import check_settings, taken_groups
from eqlearn.learners.given_inputs import (
    KEPT,
    check_kinds,
    default_names,
    given,
    in_one_line,
    numbers_of,
)
from eqlearn.learners.learned_by_group import EquationsByGroup
from eqlearn.learners.learned_equations import LearnedEquations
from eqlearn.learners.learning import Learning
from eqlearn.model import model_file
from eqlearn.model.by_hand import CandidateChoice
from eqlearn.model.prediction import prediction_interval, prediction_std


class EquationLearner(  # type: ignore[misc, unused-ignore]
    MultiOutputMixin, RegressorMixin, EquationsByGroup, Learning, LearnedEquations
):
    """Learn the equation behind data.

    Parameters
    ----------
    functions : sequence of str or "paper", optional
        What formulas are made of, besides sums and one division at the end. By default
        sin, cos, multiply, divide, square, exp, log, sqrt, tanh, asin, acos and atan
        are all tried. A list narrows that, or adds functions of your own made with
        `eqlearn.register_unit`. ``"paper"`` stands for identity, sin, cos and multiply,
        which is the default for ``recipe="paper"``.
    domain : mapping or sequence of (low, high), optional
        Where the equation will be used, by input name or for each input in order. The
        default is twice the range of the data; inputs of 0 and 1 only stay so.
    recipe : {"fast", "paper"} or Grid, default="fast"
        How equations are searched for: directly and by small networks, or by the grid
        of networks of the paper, which takes hours. The networks of the grid are pruned
        and refitted, too; ``Grid(refine=False)`` leaves them as trained.
    depths : sequence of int, optional
        For the paper's recipe: the numbers of layers L, by default 2, 3 and 4.
    units_per_type : int, default=10
        For the paper's recipe: how many units of each kind a layer has.
    selection : str, default="information"
        The criterion that picks among the candidates: ``information``, ``v_int_s``
        and ``v_int_ex`` (Eqs. 9 and 10 of the paper) or ``v_ranks`` (original EQL).
    loss : {"squared", "huber", "absolute", "relative"}, default="squared"
        What a residual costs, in every stage: its square; its square if small and its
        size if large; its size; or the square of its share of the value, for errors
        that grow with the value. With ``"huber"`` and ``"absolute"`` wild values are
        named and do not move the equation.
    time_limit : float or str, optional
        Seconds, or a text like ``"90s"``, ``"5m"``, ``"2h"``. By default the search
        ends when its attempts agree.
    max_attempts : int, default=400
        How many attempts the fast recipe makes at each target. Unlike a time limit,
        this always ends the search at the same point.
    n_jobs : int, default=-1
        How many processes to use; -1 is one for each core, None is 1.
    scheduler : str, optional
        The address of a Dask scheduler, whose workers are used instead.
    memory : float or str, optional
        How much memory all processes may use together, in bytes or as a text like
        ``"4G"``. Fewer processes are started if necessary, and those that grow beyond
        their share are restarted. The default is four fifths of the machine's memory.
    run_dir : path, optional
        Where to keep every finished step. Calling `fit` again with the same data and
        settings carries on from there.
    snap : bool, default=True
        Predict and print with simple constants (2, 1/3, π) where the data allow them.
    guesses : list of str, path, Model or fitted EquationLearner, optional
        Formulas that are fitted, pruned and grown from the start, and win only if they
        are better: text like ``"a*sin(b*x) + c"``, in which numbers are first values,
        and letters that are no columns, like a, K or k1, free; or the equations of
        another model, of a model file or of a run. By target as a mapping, or as
        ``"y = a*x"``; otherwise for all of them.
    constraints : list of str, optional
        What is known of the targets over the domain of use: ``"positive"``,
        ``"increasing in x"``, ``"convex in x"``, ``"even in x"``, ``"y <= 10"``,
        ``"f(0) = 0"``, ``"y -> 0 as x -> inf"``. Equations that break one come last,
        and the verdict says of each whether it is proved. By target as a mapping, or
        as ``"y: positive"``; otherwise for all of them.
    dimensions : mapping or str, optional
        The unit of measure of every column, as ``{"F": "kg m/s^2", "m": "kg"}`` or
        ``"F: kg m/s^2, m: kg"``; 1 for a pure number. By default they are read off
        headers like ``"T [K]"``, if all have one. The search begins with dimensionless
        groups, and constants are told with their dimensions.
    constants : list of str or mapping, optional
        Constants that laws may have beside pure numbers, by name (``["g", "c"]``) or
        with their values (``{"g": "9.81 m/s^2"}``); needs `dimensions`.
    form : str or mapping of str to str, optional
        What is known of the equation, like ``"A*exp(-f(x, z)) + g(x)"``: functions that
        are no known ones, f and g, are learned, each of the inputs it names; single
        letters that are no columns are constants to be fitted, and numbers are given.
    warm_start : bool, default=False
        Keep the equations of the last `fit` as candidates of the next.
    random_state : int, RandomState or None, default=0
        The same seed gives the same answer on any number of processes.
    verbose : bool or str, default=False
        Show on the standard error how far the search is: as one changing view in a
        terminal or notebook, elsewhere as lines, the first of them after 5 seconds or
        after what a text like ``"1min"`` says.
    callback : callable, optional
        Called after each step of the search with the best result so far: `seconds`,
        `n_done`, and by target `equations`, `errors` and `complexities`. If it returns
        something true, the search ends in good order, as after Ctrl-C.

    Attributes
    ----------
    equation_ : str
        The chosen equation, a line for each target.
    equations_ : DataFrame
        Every candidate with its number, equation, errors, complexity, votes and ranks;
        the chosen one is marked. `choose(2)`, `predict(X, 2)` and `latex(2)` take these
        numbers.
    constants_ : DataFrame
        The constants of the chosen equations: value, standard error, snapped value.
    constraints_ : DataFrame
        How the chosen equations keep `constraints`: proved, not proved or broken, and
        where.
    verdict_ : tuple of Verdict, one for each target
        Whether the result can be trusted.
    groups_ : DataFrame
        Where groups were learned: their constants, with standard errors.
    domain_report_ : tuple of OutputReport
        Smallest denominator and largest output over the domain of use.
    interrupted_ : bool
        Whether Ctrl-C ended the search before its time.
    model_ : Model
        All of this as one value, which `save` writes.

    Examples
    --------
    >>> import numpy as np
    >>> from eqlearn import EquationLearner
    >>> x = np.random.default_rng(0).uniform(1, 2, (100, 2))
    >>> learner = EquationLearner().fit(x, 3 * x[:, 0] / x[:, 1])
    >>> learner.equation_
    'y = 3*x1/x2'
    """

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        extrapolation: tuple[Any, Any] | None = None,
        groups: Any = None,
    ) -> "EquationLearner":
        """Search the equation of each target.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Inputs: an array, a pandas or a polars table. A column of words becomes
            inputs like `kind=a`, which are 1 or 0; truth values are 1 and 0.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            One target or several.
        sample_weight : array-like of shape (n_samples,), optional
            How much each sample counts: 1/σ² where errors σ of the target are known.
        extrapolation : (X, y), optional
            Labelled points outside the range of the others; a few dozen of them tell a
            formula from its imitations.
        groups : str or array-like of shape (n_samples,), optional
            The group of each row, such as a subject, or the column of `X` that has it:
            one form is searched for all groups, with constants of each where they
            differ. `groups_` has these; `predict` needs the group of each row.

        Notes
        -----
        With metadata routing, ``set_fit_request(sample_weight=True, groups=True,
        extrapolation=True)`` lets pipelines and searches pass these on. Weights and
        groups are cut along with rows; far points are passed as they are, which a
        pipeline transforms only if ``transform_input`` names them.
        """
        before = dict(self.__dict__)
        try:
            return self._fit(X, y, sample_weight, extrapolation, groups)
        except BaseException:
            # What was learned before stays, with the names of its own inputs.
            self.__dict__ = before
            raise

    def _fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any,
        extrapolation: tuple[Any, Any] | None,
        groups: Any,
    ) -> "EquationLearner":
        begun = time.monotonic()
        with in_one_line():
            check_kinds(self)
            if self.form is not None:
                check_form_settings(self, groups)
            X, taken = taken_groups(X, groups)
            if taken is not None:
                check_settings(self, extrapolation)
            data = given(self, X, y, sample_weight, extrapolation)
        self._is_flat = data.is_flat
        self.model_ = self._as_found = self._learned(data, taken, begun)
        return self

    def predict(
        self,
        X: Any,
        candidate: CandidateChoice | None = None,
        *,
        groups: Any = None,
        return_std: bool = False,
        return_interval: float | None = None,
    ) -> Any:
        """Compute the targets by the chosen equations, or by other candidates.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Inputs.
        candidate : int or mapping of str to int, optional
            The number of a candidate, or one for each target by name.
        groups : str or array-like of shape (n_samples,), optional
            Where groups were learned: the group of each row, one for all rows, or the
            column of `X` that has it; by default the column of the same name.
        return_std : bool, default=False
            Return (y, std), too: how far new measurements are off, from the noise, the
            errors of the constants and the candidates that are nearly as good.
        return_interval : float, optional
            Return (y, interval), too: for 0.95 the ends, along the last axis, between
            which 95 % of new measurements should lie.
        """
        model = self._model(candidate)
        X, errors = self._rows(X, groups)
        with in_one_line(), np.errstate(all="ignore"):
            values = model.predict(X, snapped=self.snap)
            found = [values]
            if return_std:
                found.append(prediction_std(model, X, errors))
            if return_interval is not None:
                level = return_interval
                found.append(prediction_interval(model, X, level, values, errors))
        flat = [one[:, 0] if self._is_flat else one for one in found]
        return flat[0] if len(flat) == 1 else tuple(flat)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """R² of the predictions: 1 if they are exact, 0 if no better than the mean."""
        with in_one_line():
            return float(super().score(X, numbers_of("y", y), sample_weight))

    def simulate(
        self, state: Any, actions: Any = None, *, dt: float, n_steps: int | None = None
    ) -> Array:
        """Follow learned dynamics, whose targets are the inputs' rates of change.

        The first inputs are the state, as many as there are targets; any others are
        actions, one row of `actions` for each step. Returns the states, first to last.
        """
        from eqlearn.control.simulate import simulate

        model = self._model()
        n_states = len(model.targets)
        n_actions = len(model.inputs) - n_states
        if actions is None:
            if n_actions:
                raise must("actions", f"rows of {n_actions} numbers", actions)
            if n_steps is None:
                raise must("n_steps", "given where there are no actions", n_steps)
            check_count("n_steps", n_steps, least=0)
            actions = np.zeros((n_steps, 0))

        def rates(state: Array, action: Array) -> Array:
            together = np.concatenate([state, action], axis=-1)
            flat = together.reshape(-1, together.shape[-1])
            return model.predict(flat, snapped=self.snap).reshape(state.shape)

        with in_one_line():
            start = np.asarray(state, dtype=float)
            taken = np.asarray(actions, dtype=float)
            return simulate(rates, start, taken, dt, "rk4")

    @classmethod
    def load(cls, path: str | Path) -> "EquationLearner":
        """Read a model file; no code in it is run."""
        model = model_file.load(path)
        kept: Mapping[str, Any] = model.parameters
        learner = cls(**{name: kept[name] for name in kept if name in KEPT})
        learner.model_ = learner._as_found = model
        learner.n_features_in_ = len(model.measured)
        learner._is_flat, learner._categories = model.is_flat, model.categories
        if model.measured != default_names("x", len(model.measured)):
            learner.feature_names_in_ = np.array(model.measured, dtype=object)
        return learner

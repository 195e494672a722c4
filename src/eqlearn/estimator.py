"""`EquationLearner`: a scikit-learn estimator whose result is an equation."""

import math
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator, MultiOutputMixin, RegressorMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import (
    _check_sample_weight,
    check_is_fitted,
    validate_data,
)

from eqlearn._types import Array
from eqlearn.data.duration import seconds
from eqlearn.data.scale import domain_of_use
from eqlearn.data.table import checked_domain
from eqlearn.equation.prove.domain import OutputReport, domain_report
from eqlearn.equation.write.display import DIGITS, formula_text, latex_table
from eqlearn.equation.write.export import export
from eqlearn.equation.write.formulas import Formulas, formulas
from eqlearn.equation.write.simplify import simplified
from eqlearn.errors import EqlearnError, check_count, is_whole, must, unknown
from eqlearn.jobs.backends import n_processes
from eqlearn.model.model import Equation, Json, Model, Verdict
from eqlearn.model.model_file import load as load_model
from eqlearn.model.model_file import save as save_model
from eqlearn.model.model_tables import constant_rows, equation_rows
from eqlearn.network.graph import Graph
from eqlearn.network.units import PAPER_UNITS
from eqlearn.search.conclude import selection
from eqlearn.search.conclude.to_model import model_of
from eqlearn.search.fast_plan import MOST_ATTEMPTS
from eqlearn.search.learn import Progress, learn
from eqlearn.search.paper_plan import PAPER_DEPTHS, Grid
from eqlearn.search.task import DEFAULT_UNITS

if TYPE_CHECKING:
    from pandas import DataFrame


#: Parameters that are kept in model files: those of the science. Where to compute and
#: what to write is for each machine to say, and not for a file from elsewhere.
KEPT = frozenset(
    {
        "units",
        "domain",
        "recipe",
        "depths",
        "units_per_type",
        "selection",
        "time_limit",
        "max_attempts",
        "snap",
        "random_state",
    }
)


class EquationLearner(MultiOutputMixin, RegressorMixin, BaseEstimator):
    """Learn the equation behind data.

    Parameters
    ----------
    units : sequence of str, optional
        What formulas are made of besides sums and one division at the end; by default
        sines and products, and for ``recipe="paper"`` identity, sin, cos and products.
        ``exp``, ``log``, ``sqrt``, ``tanh``, ``square`` and your own
        (`eqlearn.register_unit`) can be added.
    domain : mapping or sequence of (low, high), optional
        Where the equation will be used, by input name or for each input in order. By
        default the range of the data, widened to twice its size.
    recipe : {"fast", "paper"} or Grid, default="fast"
        How equations are searched: by small networks trained to second order and
        pruned, or by the grid of networks of the paper, which takes hours. These are
        pruned and refitted too; ``Grid(refine=False)`` leaves them as trained.
    depths : sequence of int, optional
        For the paper's recipe, numbers of layers L; by default 2, 3 and 4.
    units_per_type : int, default=10
        For the paper's recipe, units of each kind in a layer.
    selection : str, default="information"
        The criterion that picks among the candidates: ``information``, ``v_int_s``
        and ``v_int_ex`` (Eqs. 9 and 10 of the paper) or ``v_ranks`` (original EQL).
    time_limit : float or str, optional
        Seconds, or a text like ``"90s"``, ``"5m"``, ``"2h"``. By default the search
        ends when its attempts agree.
    max_attempts : int, default=400
        Attempts of the fast recipe at each target: a limit that, unlike time, always
        ends the search at the same point.
    n_jobs : int, default=-1
        Processes; -1 is one for every core, None is 1.
    scheduler : str, optional
        Address of a Dask scheduler whose workers are used instead.
    run_dir : path, optional
        Where every finished step is kept: `fit` again with the same data and settings
        goes on from there.
    snap : bool, default=True
        Predict and print with simple constants (2, 1/3, π) where the data allow them.
    warm_start : bool, default=False
        Keep the equations of the last `fit` as candidates of the next.
    random_state : int, RandomState or None, default=0
        The same seed gives the same answer, on any number of processes.
    verbose : bool, default=False
        Show how far the search is, on the standard error.

    Attributes
    ----------
    equation_ : str
        The chosen equation, a line for each target.
    equations_ : DataFrame
        Every candidate: equation, errors, complexity, votes, ranks, the pick marked.
    constants_ : DataFrame
        The constants of the chosen equations: value, standard error, snapped value.
    verdict_ : tuple of Verdict, one for each target
        Whether the result can be trusted.
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

    def __init__(
        self,
        *,
        units: Sequence[str] | None = None,
        domain: Mapping[str, tuple[float, float]] | Sequence[Any] | None = None,
        recipe: str | Grid = "fast",
        depths: Sequence[int] | None = None,
        units_per_type: int = 10,
        selection: str = selection.DEFAULT,
        time_limit: float | str | None = None,
        max_attempts: int = MOST_ATTEMPTS,
        n_jobs: int | None = -1,
        scheduler: str | None = None,
        run_dir: str | Path | None = None,
        snap: bool = True,
        warm_start: bool = False,
        random_state: Any = 0,
        verbose: bool = False,
    ) -> None:
        self.units = units
        self.domain = domain
        self.recipe = recipe
        self.depths = depths
        self.units_per_type = units_per_type
        self.selection = selection
        self.time_limit = time_limit
        self.max_attempts = max_attempts
        self.n_jobs = n_jobs
        self.scheduler = scheduler
        self.run_dir = run_dir
        self.snap = snap
        self.warm_start = warm_start
        self.random_state = random_state
        self.verbose = verbose

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        extrapolation: tuple[Any, Any] | None = None,
    ) -> "EquationLearner":
        """Search the equation of each target.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Inputs: an array, a pandas or a polars table.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            One target or several.
        sample_weight : array-like of shape (n_samples,), optional
            How much each sample counts.
        extrapolation : (X, y), optional
            Labelled points outside the range of the others; a few dozen of them tell a
            formula from its imitations.
        """
        before = dict(self.__dict__)
        try:
            return self._fit(X, y, sample_weight, extrapolation)
        except BaseException:
            # What was learned before stays, with the names of its own inputs.
            self.__dict__ = before
            raise

    def _fit(
        self, X: Any, y: Any, sample_weight: Any, extrapolation: tuple[Any, Any] | None
    ) -> "EquationLearner":
        given = y
        with _in_one_line():
            X, y = validate_data(
                self,
                X,
                y,
                multi_output=True,
                y_numeric=True,
                dtype=np.float64,
                ensure_min_samples=2,
            )
        if sample_weight is not None:
            with _in_one_line():
                sample_weight = _check_sample_weight(
                    sample_weight,
                    X,
                    ensure_non_negative=True,
                    allow_all_zero_weights=False,
                )
            X, y = X[sample_weight > 0], y[sample_weight > 0]
            sample_weight = sample_weight[sample_weight > 0]
        n_processes(self.n_jobs, "n_jobs")
        targets = _target_names(given, y.shape)
        self._is_flat = y.ndim == 1
        table = y.reshape(len(y), -1).astype(float)
        inputs = self._input_names()
        far = self._far(extrapolation, X, table)
        selection.check(self.selection, has_far=far is not None)
        domain = self._domain(inputs, X if far is None else np.concatenate([X, far[0]]))
        known = self._known_graphs(table.shape[1])
        with self._progress(inputs, targets) as callback:
            found = learn(
                X,
                table,
                domain=domain,
                weight=sample_weight,
                seed=self._seed(),
                time_limit=seconds(self.time_limit),
                far=far,
                units=DEFAULT_UNITS if self.units is None else tuple(self.units),
                recipe=self._recipe(),
                max_attempts=self.max_attempts,
                jobs=1 if self.n_jobs is None else self.n_jobs,
                scheduler=self.scheduler,
                run_dir=self.run_dir,
                known=known,
                callback=callback,
            )
        for target, one in zip(targets, found, strict=True):
            if not one.candidates:
                _, why = one.failures[-1] if one.failures else ("", "there was no time")
                raise EqlearnError(f"Nothing could be fitted to {target}: {why}")
        self.found_ = found
        self.model_ = model_of(
            found,
            X,
            table,
            domain,
            inputs=inputs,
            targets=targets,
            selection=self.selection,
            is_flat=self._is_flat,
            parameters=self._kept_parameters(),
        )
        return self

    def predict(self, X: Any) -> Array:
        """Compute the targets by the chosen equations."""
        check_is_fitted(self, "model_")
        X = validate_data(self, X, reset=False, dtype=np.float64)
        with np.errstate(all="ignore"):
            values = self.model_.predict(X, snapped=self.snap)
        return values[:, 0] if self._is_flat else values

    @property
    def equation_(self) -> str:
        """The chosen equation, a line for each target."""
        return "\n".join(self._text(equation) for equation in self._model().chosen)

    @property
    def equations_(self) -> "DataFrame":
        """Every candidate of every target, the best first."""
        import pandas

        return pandas.DataFrame(equation_rows(self._model().equations))

    @property
    def constants_(self) -> "DataFrame":
        """The fitted constants of the chosen equations, with standard errors."""
        import pandas

        model = self._model()
        columns = ["target", "of", "value", "standard_error", "snapped"]
        rows = constant_rows(model.chosen, model.inputs)
        return pandas.DataFrame(rows, columns=columns)

    @property
    def verdict_(self) -> tuple[Verdict, ...]:
        """Whether the equation of each target can be trusted."""
        return self._model().verdicts

    @property
    def interrupted_(self) -> bool:
        """Whether Ctrl-C ended the search."""
        return self._model().was_interrupted

    @property
    def domain_report_(self) -> tuple[OutputReport, ...]:
        """Smallest denominator and largest output over the domain of use."""
        model, formulas = self._model(), self._formulas()
        low, high = np.array(model.domain).T
        return domain_report(formulas.graph, low, high)

    def sympy(self, *, simplify: bool = False) -> Any:
        """The chosen equation as a SymPy expression; a tuple if there are several.

        `simplify` lets SymPy look for a shorter form, for some seconds at most.
        """
        found = export(self._formulas(), "sympy")
        if simplify:
            model = self._model()
            ends = dict(zip(model.inputs, model.ranges, strict=True))
            found = tuple(_simplified(expression, ends) for expression in found)
        return found[0] if len(found) == 1 else found

    def latex(self, digits: int | None = DIGITS) -> str:
        """The chosen equations in LaTeX."""
        return str(export(self._formulas(), "latex", digits))

    def latex_table(self, digits: int | None = DIGITS) -> str:
        """A LaTeX table of the chosen equations, with their errors and sizes."""
        chosen = self._model().chosen
        facts: dict[str, Sequence[object]] = {
            "error": [one.rms for one in chosen],
            "complexity": [one.complexity for one in chosen],
        }
        return latex_table([self._formulas()], facts, digits)

    def python(self) -> str:
        """The chosen equations as the source of a Python function."""
        return str(export(self._formulas(), "python"))

    def c(self) -> str:
        """The chosen equations as the source of a C function."""
        return str(export(self._formulas(), "c"))

    def jax(self) -> Any:
        """The chosen equations as a function of JAX arrays."""
        return export(self._formulas(), "jax")

    def pytorch(self) -> Any:
        """The chosen equations as a PyTorch module with trainable constants."""
        return export(self._formulas(), "torch")

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
            actions = np.zeros((n_steps, 0))

        def rates(state: Array, action: Array) -> Array:
            together = np.concatenate([state, action], axis=-1)
            flat = together.reshape(-1, together.shape[-1])
            return model.predict(flat, snapped=self.snap).reshape(state.shape)

        start = np.asarray(state, dtype=float)
        return simulate(rates, start, np.asarray(actions, dtype=float), dt, "rk4")

    def plot_slices(self, X: Any, y: Any) -> Any:
        """Plot each equation along each input, well beyond the data."""
        from eqlearn.report.plots import plot_slices

        model = self._model()
        columns = np.asarray(y, dtype=float).reshape(len(y), -1)
        figures = [
            plot_slices(
                graph, np.asarray(X, float), columns[:, m], model.inputs, target
            )
            for m, (graph, target) in enumerate(
                zip(self._graphs(), model.targets, strict=True)
            )
        ]
        axes = [figure.get_axes() for figure in figures]
        return axes[0] if len(axes) == 1 else axes

    def save(self, path: str | Path) -> None:
        """Write everything that was learned into a model file (JSON)."""
        save_model(path, self._model())

    @classmethod
    def load(cls, path: str | Path) -> "EquationLearner":
        """Read a model file; no code in it is run."""
        model = load_model(path)
        kept: Mapping[str, Any] = model.parameters
        learner = cls(**{name: kept[name] for name in kept if name in KEPT})
        learner.model_ = model
        learner.n_features_in_ = len(model.inputs)
        learner._is_flat = model.is_flat
        if model.inputs != _default_names("x", len(model.inputs)):
            learner.feature_names_in_ = np.array(model.inputs, dtype=object)
        return learner

    def _repr_latex_(self) -> str:
        return f"$${self.latex()}$$" if hasattr(self, "model_") else ""

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        """What a notebook shows: once there are equations, these."""
        shown: dict[str, str] = super()._repr_mimebundle_(**kwargs)
        if hasattr(self, "model_"):
            from eqlearn.report.html import in_a_notebook

            shown["text/html"] = in_a_notebook(self.model_)
        return shown

    def _model(self) -> Model:
        check_is_fitted(self, "model_")
        return self.model_

    def _graphs(self) -> list[Graph]:
        chosen = self._model().chosen
        return [one.snapped if self.snap else one.graph for one in chosen]

    def _formulas(self) -> Formulas:
        model = self._model()
        return formulas(self._graphs(), model.inputs, model.targets, model.ranges)

    def _text(self, equation: Equation) -> str:
        graph = equation.snapped if self.snap else equation.graph
        return formula_text(graph, self.model_.inputs, equation.target)

    def _input_names(self) -> tuple[str, ...]:
        if hasattr(self, "feature_names_in_"):
            return tuple(str(name) for name in self.feature_names_in_)
        return _default_names("x", self.n_features_in_)

    def _seed(self) -> int:
        if is_whole(self.random_state):
            check_count("random_state", self.random_state, least=0)
            return int(self.random_state)
        try:
            rng = check_random_state(self.random_state)
        except ValueError as error:
            what = "an integer, a RandomState or None"
            raise must("random_state", what, self.random_state) from error
        return int(rng.randint(2**31 - 1))

    def _recipe(self) -> str | Grid:
        if self.recipe != "paper":
            return self.recipe
        return Grid(
            depths=PAPER_DEPTHS if self.depths is None else tuple(self.depths),
            units=PAPER_UNITS if self.units is None else tuple(self.units),
            units_per_type=self.units_per_type,
        )

    def _domain(self, inputs: Sequence[str], X: Array) -> Array:
        default = np.stack(domain_of_use(X), axis=1)
        if self.domain is None:
            return default
        if not isinstance(self.domain, Mapping):
            return np.stack(checked_domain(self.domain, X.shape[1]), axis=1)
        for name in self.domain:
            if name not in inputs:
                raise unknown("domain", name, inputs)
        given = [
            self.domain.get(name, ends)
            for name, ends in zip(inputs, default, strict=True)
        ]
        return np.stack(checked_domain(given, X.shape[1]), axis=1)

    def _far(
        self, extrapolation: tuple[Any, Any] | None, X: Array, y: Array
    ) -> tuple[Array, Array] | None:
        if extrapolation is None:
            return None
        try:
            x_far, y_far = extrapolation
        except (TypeError, ValueError) as error:
            what = "a pair (X, y) of labelled far points"
            raise must("extrapolation", what, type(extrapolation).__name__) from error
        x_far = validate_data(self, x_far, reset=False, dtype=np.float64)
        y_far = np.asarray(y_far, dtype=float)
        y_far = y_far[:, np.newaxis] if y_far.ndim == 1 else y_far
        if y_far.shape != (len(x_far), y.shape[1]):
            what = f"far points (X, y) with a y of shape {(len(x_far), y.shape[1])}"
            raise must("extrapolation", what, y_far.shape)
        return x_far, y_far

    def _known_graphs(self, n_targets: int) -> list[list[Graph]]:
        if not (self.warm_start and hasattr(self, "model_")):
            return [[] for _ in range(n_targets)]
        model = self.model_
        if len(model.targets) != n_targets or len(model.inputs) != self.n_features_in_:
            what = f"of {len(model.inputs)} inputs and {len(model.targets)} targets"
            raise must("X", f"{what}, as in the `fit` before", self.n_features_in_)
        return [
            [one.graph for one in model.equations if one.target == target]
            for target in model.targets
        ]

    def _kept_parameters(self) -> dict[str, Json]:
        plain = (str, int, float, bool, list, tuple, dict, type(None))
        return {
            name: value
            for name, value in self.get_params(deep=False).items()
            if isinstance(value, plain) and name in KEPT and value != math.inf
        }

    @contextmanager
    def _progress(
        self, inputs: Sequence[str], targets: Sequence[str]
    ) -> Iterator[Callable[[Progress], None]]:
        if not self.verbose:
            yield lambda progress: None
            return
        from eqlearn.report.progress import shown

        with shown(inputs, targets) as show:
            yield show


class _WrongType(EqlearnError, TypeError):
    """What scikit-learn expects to be a TypeError."""


@contextmanager
def _in_one_line() -> Iterator[None]:
    """Let only our own error leave the library: others may take several lines."""
    try:
        yield
    except (TypeError, ValueError, OverflowError) as error:
        ours = _WrongType if isinstance(error, TypeError) else EqlearnError
        first, *_ = str(error).splitlines() or [type(error).__name__]
        raise ours(first) from error


def _simplified(expression: Any, ends: Mapping[str, tuple[float, float]]) -> Any:
    ranges = {symbol: ends[symbol.name] for symbol in expression.free_symbols}
    simpler, note = simplified(expression, ranges=ranges)
    if note:
        warnings.warn(f"{expression}: {note}", stacklevel=3)
    return simpler


def _default_names(letter: str, n: int) -> tuple[str, ...]:
    return tuple(f"{letter}{i + 1}" for i in range(n))


def _target_names(y: Any, shape: tuple[int, ...]) -> tuple[str, ...]:
    """The names that a table gives its targets; otherwise y, or y1, y2, ..."""
    columns = getattr(y, "columns", None)
    if columns is not None:
        return tuple(str(name) for name in columns)
    name = getattr(y, "name", None)
    if isinstance(name, str) and name:
        return (name,)
    return ("y",) if len(shape) < 2 or shape[1] == 1 else _default_names("y", shape[1])

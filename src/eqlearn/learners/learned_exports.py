"""What can be had of learned equations: other forms of them, and plots."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from eqlearn._types import Array
from eqlearn.equation.write.by_group import model_formulas, with_constants_table
from eqlearn.equation.write.display import DIGITS, formula_text, latex_table
from eqlearn.equation.write.export import export, export_text
from eqlearn.equation.write.formulas import Formulas
from eqlearn.equation.write.simplify import checked_arrangement, simplified
from eqlearn.errors import must
from eqlearn.model.by_hand import CandidateChoice, candidates_of, rechosen
from eqlearn.model.model import Equation, Model
from eqlearn.network.graph import Graph


class EquationExports:
    """Equations in other forms, and plots of them.

    `candidate` is the number of a candidate, as `equations_` and `eqlearn show` list
    them, or a number for each target by name; by default the chosen one.
    """

    model_: Model
    snap: bool
    _as_found: Model  # the model with the choice of the search

    def choose(self, candidate: CandidateChoice | None = None) -> Any:
        """Choose candidates by hand: all that follows is about these.

        Without a number, what the search has chosen is chosen again.
        """
        self._model()
        self.model_ = rechosen(self._as_found, candidate)
        return self

    def sympy(
        self,
        candidate: CandidateChoice | None = None,
        *,
        simplify: bool = False,
        arranged: str | None = None,
    ) -> Any:
        """The equation as a SymPy expression; a tuple if there are several.

        `simplify` lets SymPy look for a shorter form, for some seconds at most;
        `arranged` is one of "expanded", "factored", "fraction" (over one denominator)
        and "split" (the whole part of a fraction split off).
        """
        found = export(self._formulas(candidate, arranged), "sympy")
        if simplify:
            model = self._model()
            ends = dict(zip(model.inputs, model.ranges, strict=True))
            found = tuple(_simplified(expression, ends) for expression in found)
        return found[0] if len(found) == 1 else found

    def latex(
        self,
        candidate: CandidateChoice | None = None,
        *,
        digits: int | None = DIGITS,
        arranged: str | None = None,
    ) -> str:
        """The equations in LaTeX, arranged as in `sympy` if that is said."""
        return str(export(self._formulas(candidate, arranged), "latex", digits))

    def latex_table(
        self, candidate: CandidateChoice | None = None, *, digits: int | None = DIGITS
    ) -> str:
        """A LaTeX table of the equations, with their errors and sizes."""
        chosen = self._model(candidate).chosen
        facts: dict[str, Sequence[object]] = {
            "error": [one.rms for one in chosen],
            "complexity": [one.complexity for one in chosen],
        }
        return latex_table([self._formulas(candidate)], facts, digits)

    def python(self, candidate: CandidateChoice | None = None) -> str:
        """The equations as the source of a Python function."""
        return self.export("python", candidate)

    def c(self, candidate: CandidateChoice | None = None) -> str:
        """The equations as the source of a C function."""
        return self.export("c", candidate)

    def numpy(self, candidate: CandidateChoice | None = None) -> Any:
        """The equations as a function of NumPy arrays, (N, D) to (N, M)."""
        return export(self._formulas(candidate), "numpy")

    def jax(self, candidate: CandidateChoice | None = None) -> Any:
        """The equations as a function of JAX arrays."""
        return export(self._formulas(candidate), "jax")

    def pytorch(self, candidate: CandidateChoice | None = None) -> Any:
        """The equations as a PyTorch module with trainable constants."""
        return export(self._formulas(candidate), "torch")

    def export(
        self,
        form: str,
        candidate: CandidateChoice | None = None,
        *,
        arranged: str | None = None,
    ) -> str:
        """The equations as text, in any of the forms of `eqlearn export`."""
        text = export_text(self._formulas(candidate, arranged), form)
        return with_constants_table(text, form, self._model(candidate))

    def plot_front(self, target: str | None = None) -> Any:
        """Plot the errors of a target's candidates against their complexity."""
        from eqlearn.report.plots import plot_front

        model = self._model()
        return plot_front(candidates_of(model, _target(model, target)))

    def plot_fit(
        self,
        X: Any,
        y: Any,
        candidate: CandidateChoice | None = None,
        *,
        target: Any = None,
    ) -> Any:
        """Plot predicted values of a target against measured ones."""
        from eqlearn.report.plots import plot_fit

        return plot_fit(*self._measured(X, y, candidate, target))

    def plot_residuals(
        self,
        X: Any,
        y: Any,
        candidate: CandidateChoice | None = None,
        *,
        target: Any = None,
    ) -> Any:
        """Plot what an equation leaves: a pattern is a term that is missing."""
        from eqlearn.report.plots import plot_residuals

        return plot_residuals(*self._measured(X, y, candidate, target))

    def plot_slices(
        self, X: Any, y: Any, candidate: CandidateChoice | None = None
    ) -> Any:
        """Plot each equation along each input, well beyond the data."""
        from eqlearn.report.findings import band_reach
        from eqlearn.report.plots import plot_slices

        model = self._model(candidate)
        x = self._rows(X)[0]
        columns = _measured_targets(model, y, len(x)).T
        figures = [
            plot_slices(
                graph, x, column, model.inputs, target, reach=band_reach(model, m)
            )
            for m, (graph, column, target) in enumerate(
                zip(self._graphs(model.chosen), columns, model.targets, strict=True)
            )
        ]
        axes = [figure.get_axes() for figure in figures]
        return axes[0] if len(axes) == 1 else axes

    def save(self, path: str | Path) -> None:
        """Write everything that was learned into a model file (JSON)."""
        from eqlearn.model import model_file

        model_file.save(path, self._model())

    def _rows(self, X: Any, groups: Any = None) -> tuple[Array, Array | None]:
        """Inputs of the model as rows; a learner of groups adds their constants."""
        del groups
        try:
            return np.asarray(X, float), None
        except (TypeError, ValueError) as error:
            raise must("X", "rows of numbers", X) from error

    def _model(self, candidate: CandidateChoice | None = None) -> Model:
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(self, "model_")
        return rechosen(self.model_, candidate)

    def _graphs(self, equations: Sequence[Equation]) -> list[Graph]:
        return [one.snapped if self.snap else one.graph for one in equations]

    def _texts(self, equations: Sequence[Equation]) -> list[str]:
        pairs = zip(self._graphs(equations), equations, strict=True)
        names = self._model().inputs
        return [formula_text(graph, names, one.target) for graph, one in pairs]

    def _formulas(
        self, candidate: CandidateChoice | None = None, arranged: str | None = None
    ) -> Formulas:
        model = self._model(candidate)
        found = model_formulas(model, self._graphs(model.chosen))
        return replace(found, arranged=checked_arrangement(arranged))

    def _measured(
        self, X: Any, y: Any, candidate: CandidateChoice | None, target: Any
    ) -> tuple[Array, Array, str]:
        """Measured and predicted values of a target, and its name."""
        model = self._model()
        name = _target(model, target)
        at = model.targets.index(name)
        predicted = np.asarray(self.predict(X, candidate))  # type: ignore[attr-defined]
        values = _measured_targets(model, y, len(predicted))
        predicted = predicted.reshape(values.shape)
        return values[:, at], predicted[:, at], name


def _measured_targets(model: Model, y: Any, n_rows: int) -> Array:
    """Measured values of all targets, (N, M); what is masked is missing."""
    what = f"{n_rows} rows of {len(model.targets)} targets, all numbers"
    try:
        given = np.ma.filled(y.astype(float), np.nan) if np.ma.isMaskedArray(y) else y
        values = np.asarray(given, dtype=float)
        return values.reshape(n_rows, len(model.targets))
    except (TypeError, ValueError) as error:
        raise must("y", what, y) from error


def _target(model: Model, target: object) -> str:
    if target is None and len(model.targets) == 1:
        return model.targets[0]
    if not isinstance(target, str) or target not in model.targets:
        listed = ", ".join(map(repr, model.targets))
        raise must("target", f"one of {listed}", target)
    return target


def _simplified(expression: Any, ends: Mapping[str, tuple[float, float]]) -> Any:
    ranges = {symbol: ends[symbol.name] for symbol in expression.free_symbols}
    simpler, note = simplified(expression, ranges=ranges)
    if note:
        warnings.warn(f"{expression}: {note}", stacklevel=3)
    return simpler

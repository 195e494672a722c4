"""What can be asked of a learner whose result is a model: formulas, tables, exports."""

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from eqlearn.equation.prove.domain import OutputReport, domain_report
from eqlearn.equation.write.display import DIGITS, formula_text, latex_table
from eqlearn.equation.write.export import export
from eqlearn.equation.write.formulas import Formulas, formulas
from eqlearn.equation.write.simplify import simplified
from eqlearn.model import model_file
from eqlearn.model.model import Equation, Model, Verdict
from eqlearn.model.model_tables import constant_rows, equation_rows
from eqlearn.network.graph import Graph
from eqlearn.search.learn import Progress

if TYPE_CHECKING:
    from pandas import DataFrame


class LearnedEquations(BaseEstimator):  # type: ignore[misc, unused-ignore]
    """What learners share once they have a model, snapped or not."""

    model_: Model
    snap: bool
    verbose: bool

    @property
    def equation_(self) -> str:
        """The chosen equation, a line for each target."""
        return "\n".join(self._texts(self._model().chosen))

    @property
    def equations_(self) -> "DataFrame":
        """Every candidate of every target, the best first."""
        import pandas

        equations = self._model().equations
        table = pandas.DataFrame(equation_rows(equations))
        table.insert(1, "equation", self._texts(equations))
        return table

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

    def save(self, path: str | Path) -> None:
        """Write everything that was learned into a model file (JSON)."""
        model_file.save(path, self._model())

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

    def _graphs(self, equations: Sequence[Equation]) -> list[Graph]:
        return [one.snapped if self.snap else one.graph for one in equations]

    def _texts(self, equations: Sequence[Equation]) -> list[str]:
        pairs = zip(self._graphs(equations), equations, strict=True)
        names = self._model().inputs
        return [formula_text(graph, names, one.target) for graph, one in pairs]

    def _formulas(self) -> Formulas:
        model = self._model()
        graphs = self._graphs(model.chosen)
        return formulas(graphs, model.inputs, model.targets, model.ranges)

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


def _simplified(expression: Any, ends: Mapping[str, tuple[float, float]]) -> Any:
    ranges = {symbol: ends[symbol.name] for symbol in expression.free_symbols}
    simpler, note = simplified(expression, ranges=ranges)
    if note:
        warnings.warn(f"{expression}: {note}", stacklevel=3)
    return simpler

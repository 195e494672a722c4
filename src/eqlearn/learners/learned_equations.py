"""What learners share once they have a model: formulas, tables, the verdict."""

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator

from eqlearn.equation.prove.domain import OutputReport, domain_report
from eqlearn.knowledge.constraining.model_constraints import kept_by
from eqlearn.knowledge.measuring.model_dimensions import dimension_rows
from eqlearn.learners.learned_exports import EquationExports
from eqlearn.learners.telling_progress import TellingProgress
from eqlearn.model.by_hand import candidate_number
from eqlearn.model.model import Verdict
from eqlearn.model.model_tables import constant_rows, equation_rows

if TYPE_CHECKING:
    from pandas import DataFrame


class LearnedEquations(
    EquationExports,
    TellingProgress,
    BaseEstimator,  # type: ignore[misc, unused-ignore]
):
    """What can be asked of a learner once it has a model, snapped or not."""

    @property
    def equation_(self) -> str:
        """The chosen equation, a line for each target."""
        return "\n".join(self._texts(self._model().chosen))

    @property
    def equations_(self) -> "DataFrame":
        """Every candidate of every target, the best first."""
        import pandas

        model = self._model()
        table = pandas.DataFrame(equation_rows(model.equations))
        table.insert(0, "equation", self._texts(model.equations))
        numbers = [candidate_number(model, one) for one in model.equations]
        table.insert(1, "candidate", numbers)
        return table

    @property
    def constants_(self) -> "DataFrame":
        """The fitted constants of the chosen equations, with standard errors."""
        import pandas

        model = self._model()
        columns = ["target", "of", "value", "standard_error", "snapped"]
        rows = constant_rows(model.chosen, model.inputs)
        table = pandas.DataFrame(rows, columns=columns)
        more = dimension_rows(model)
        return table.join(pandas.DataFrame(more)) if more else table

    @property
    def constraints_(self) -> "DataFrame":
        """How the chosen equations keep what is known: proved, not proved or broken."""
        import pandas

        model = self._model()
        columns = ["target", "constraint", "kept", "in_words"]
        rows = [
            (
                one.target,
                kept.constraint.text,
                kept.keeping,
                kept.in_words(model.inputs),
            )
            for one, kept in kept_by(model)
        ]
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
        ends = dict(zip(model.inputs, model.domain, strict=True))
        low, high = np.array([ends[name] for name in formulas.inputs]).T
        return domain_report(formulas.graph, low, high)

    def _repr_latex_(self) -> str:
        return f"$${self.latex()}$$" if hasattr(self, "model_") else ""

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        """What a notebook shows: once there are equations, these."""
        shown: dict[str, str] = super()._repr_mimebundle_(**kwargs)
        if hasattr(self, "model_"):
            from eqlearn.report.html import in_a_notebook

            shown["text/html"] = in_a_notebook(self.model_)
        return shown

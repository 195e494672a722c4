"""Learning from a table that was read: what `EquationLearner` does, and less to load.

Scikit-learn and pandas take half a second to load, which a small search does not take.
"""

import time
from typing import Any

import numpy as np

from eqlearn._types import Array
from eqlearn.data.choose import ChosenColumns
from eqlearn.errors import must
from eqlearn.learners.given_form import check_form_settings
from eqlearn.learners.given_groups import (
    check_settings,
    rows_with_constants,
    taken_groups,
)
from eqlearn.learners.given_inputs import (
    Given,
    check_kinds,
    check_some_weight,
    in_one_line,
)
from eqlearn.learners.learning import Learning
from eqlearn.model.model import Model


class TableLearner(Learning):
    """Learn from a table whose columns were read, checked and chosen.

    It has the parameters of `EquationLearner`, and says the same of them.
    """

    def learned(
        self,
        table: ChosenColumns,
        weight: Array | None = None,
        far: ChosenColumns | None = None,
        groups: Any = None,
    ) -> tuple[Model, Array]:
        """The model, and the rows that it is of, (N, D), with constants of groups.

        Parameters
        ----------
        table : ChosenColumns
            Inputs and targets.
        weight : Array (N,), optional
            How much each row counts.
        far : ChosenColumns, optional
            Labelled far points.
        groups : sequence of N, optional
            The group of each row; its `name` is that of the column.
        """
        begun = time.monotonic()
        with in_one_line():
            check_kinds(self)
            if self.form is not None:
                check_form_settings(self, groups)
            x, taken = taken_groups(table.x, groups)
            if taken is not None:
                check_settings(self, far)
            data = _given(x, table, weight, far)
        model = self._learned(data, taken, begun)
        rows, _ = rows_with_constants(model.groups, x, groups, np.asarray)
        return model, rows


def _given(
    x: Array, table: ChosenColumns, weight: Array | None, far: ChosenColumns | None
) -> Given:
    if weight is not None:
        check_some_weight(weight)
    points = None if far is None else (far.x, far.y)
    if points is not None and not all(np.isfinite(one).all() for one in points):
        raise must("extrapolation", "far points of finite numbers", "others")
    names = table.inputs, table.targets
    return Given(x, table.y, weight, points, *names, False, {}).counted()

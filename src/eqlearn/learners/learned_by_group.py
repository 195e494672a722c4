"""What can be asked of a learner that was given groups of rows."""

from typing import TYPE_CHECKING, Any

import numpy as np

from eqlearn._types import Array
from eqlearn.errors import must
from eqlearn.groups.new_group import with_new_group
from eqlearn.groups.one_group import model_of_group
from eqlearn.learners.given_groups import rows_with_constants
from eqlearn.learners.given_inputs import in_one_line, numbers_of, validated_inputs
from eqlearn.model.model import Model
from eqlearn.model.model_tables import group_rows

if TYPE_CHECKING:
    from pandas import DataFrame


class EquationsByGroup:
    """Constants of groups, equations of one of them, and groups that are new."""

    model_: Model
    _as_found: Model

    @property
    def groups_(self) -> "DataFrame":
        """The constants of each group, a row for each, with standard errors."""
        import pandas

        model: Model = self._model()  # type: ignore[attr-defined]
        if model.groups is None:
            raise AttributeError("groups_: learned without groups.")
        return pandas.DataFrame(group_rows(model)).set_index(model.groups.column)

    def add_group(self, group: Any, X: Any, y: Any) -> Any:
        """Tell the constants of a new group by some rows of it; others stay.

        It takes as many rows as the form has constants that differ between groups.
        """
        model: Model = self._model()  # type: ignore[attr-defined]
        with in_one_line():
            x = validated_inputs(self, X)
            values = np.asarray(numbers_of("y", y), dtype=float).reshape(len(x), -1)
            if values.shape != (len(x), len(model.targets)):
                raise must("y", f"{len(x)} rows of the targets", values)
            if not np.isfinite(values).all():
                raise must("y", "of finite numbers", "others")
            self.model_ = self._as_found = with_new_group(model, group, x, values)
        return self

    def of_group(self, group: Any) -> Any:
        """A learner with the equations of one group, whose constants are numbers."""
        model = model_of_group(self._model(), group)  # type: ignore[attr-defined]
        one = type(self)(**self.get_params(deep=False))  # type: ignore[attr-defined]
        # What was learned of the inputs is the same for every group.
        vars(one).update(vars(self))
        one.model_ = one._as_found = model
        return one

    def _rows(self, X: Any, groups: Any = None) -> tuple[Array, Array | None]:
        """Inputs of the model, with the constants of groups, and errors of these."""
        known = self._model().groups  # type: ignore[attr-defined]
        return rows_with_constants(
            known, X, groups, lambda rest: validated_inputs(self, rest)
        )

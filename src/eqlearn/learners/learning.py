"""Learning from rows that are checked already: what all learners of a table share."""

import inspect
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from eqlearn._types import Array
from eqlearn.data.duration import seconds
from eqlearn.data.memory_size import n_bytes
from eqlearn.errors import EqlearnError
from eqlearn.knowledge.constraining.model_constraints import with_judged_constraints
from eqlearn.knowledge.known import Known, known_of
from eqlearn.knowledge.measuring.model_dimensions import with_dimensions_told
from eqlearn.learners.given_form import given_forms, with_form
from eqlearn.learners.given_groups import TakenGroups
from eqlearn.learners.given_guesses import guessed_graphs
from eqlearn.learners.given_inputs import (
    Domain,
    Given,
    check_how,
    domain_of,
    in_one_line,
    kept_parameters,
    known_graphs,
    recipe_of,
    seed_of,
    units_of,
)
from eqlearn.learners.telling_progress import TellingProgress
from eqlearn.model import model_file
from eqlearn.model.model import Model
from eqlearn.network.graph import Graph
from eqlearn.search.attempts.grid_networks import Grid
from eqlearn.search.conclude import selection
from eqlearn.search.conclude.to_model import model_of
from eqlearn.search.learn import MOMENT, Found, learn
from eqlearn.search.plain_models import with_plain_models_told
from eqlearn.search.request import Request
from eqlearn.search.robust_rows import typical_rows
from eqlearn.search.strategy import STANDARD


class Learning(TellingProgress):
    """The parameters of `EquationLearner`, and what becomes of rows by them.

    It needs no scikit-learn, which takes half a second to load.
    """

    found_: list[Found]  # what the search found, where there are no groups

    def __init__(
        self,
        *,
        functions: Sequence[str] | str | None = None,
        domain: Domain | None = None,
        recipe: str | Grid = "fast",
        depths: Sequence[int] | None = None,
        units_per_type: int = 10,
        selection: str = selection.DEFAULT,
        loss: str = "squared",
        time_limit: float | str | None = None,
        max_attempts: int = STANDARD.agenda.most_attempts,
        n_jobs: int | None = -1,
        scheduler: str | None = None,
        memory: float | str | None = None,
        run_dir: str | Path | None = None,
        snap: bool = True,
        guesses: Any = None,
        constraints: Any = None,
        dimensions: Any = None,
        constants: Any = None,
        form: Any = None,
        warm_start: bool = False,
        random_state: Any = 0,
        verbose: bool | str = False,
        callback: Callable[[Any], object] | None = None,
    ) -> None:
        self.functions = functions
        self.domain = domain
        self.recipe = recipe
        self.depths = depths
        self.units_per_type = units_per_type
        self.selection = selection
        self.loss = loss
        self.time_limit = time_limit
        self.max_attempts = max_attempts
        self.n_jobs = n_jobs
        self.scheduler = scheduler
        self.memory = memory
        self.run_dir = run_dir
        self.snap = snap
        self.guesses = guesses
        self.constraints = constraints
        self.dimensions = dimensions
        self.constants = constants
        self.form = form
        self.warm_start = warm_start
        self.random_state = random_state
        self.verbose = verbose
        self.callback = callback

    def _parameters(self) -> dict[str, Any]:
        """All parameters by name, as they were given."""
        names = inspect.signature(type(self).__init__).parameters
        return {name: getattr(self, name) for name in names if name != "self"}

    def _learned(self, data: Given, taken: TakenGroups | None, begun: float) -> Model:
        """Learn from checked rows; checking them began at some time."""
        given_parameters = self._parameters()
        with in_one_line():
            check_how(self, has_far=data.far is not None)
            # In the paper's recipe far points only select: networks never see them.
            is_fast, far = self.recipe == "fast", data.far
            x_far = far[0] if is_fast and far is not None else None
            most = STANDARD.rows.prune
            typical = typical_rows(self.loss, data.x, data.y, most)
            x_own = data.x if typical is None else data.x[typical]
            domain = domain_of(self.domain, data.inputs, x_own, x_far)
            parameters = kept_parameters(given_parameters)
            model_file.check_can_be_saved(data.inputs, data.targets, domain, parameters)
            known = known_of(given_parameters, data.inputs, data.targets)
        how: dict[str, Any] = {
            "inputs": data.inputs,
            "targets": data.targets,
            "weight": data.weight,
            "selection": self.selection,
            "loss": self.loss,
            "is_flat": data.is_flat,
            "parameters": parameters,
        }
        if taken is None:
            self.found_ = self._searched(data, domain, known, begun)
            model = model_of(self.found_, data.x, data.y, domain, far=data.far, **how)
            model = with_plain_models_told(model, data.x, data.y, data.weight)
            model = model if self.form is None else with_form(model, self.form)
        else:
            counted = taken if data.is_counted is None else taken.kept(data.is_counted)
            model = self._by_group(data, domain, counted, known, begun, how)
        model = with_dimensions_told(model, known.dimensions)
        model = with_judged_constraints(model, known.constraints)
        return replace(model, categories=data.categories)

    def _searched(
        self, data: Given, domain: Array, known: Known, begun: float
    ) -> list[Found]:
        forms = None
        with in_one_line():
            request = self._request(data, domain, known, begun)
            if self.form is not None:
                forms = given_forms(self.form, data.inputs, data.targets, data.x)
        with self._progress(data.inputs, data.targets) as callback:
            if forms is None:
                found = learn(request, callback)
            else:
                # Here, not above, as with groups: few need it, and it takes a while.
                from eqlearn.known_form.form_search import learn_in_form

                found = learn_in_form(request, forms, callback)
        for target, one in zip(data.targets, found, strict=True):
            if not one.candidates:
                _, why = one.failures[-1] if one.failures else ("", "there was no time")
                raise EqlearnError(f"Nothing could be fitted to {target}: {why}")
        return found

    def _by_group(
        self,
        data: Given,
        domain: Array,
        groups: TakenGroups,
        known: Known,
        begun: float,
        how: Mapping[str, Any],
    ) -> Model:
        from eqlearn.groups.group_model import group_model
        from eqlearn.groups.group_search import learn_by_group

        with in_one_line():
            request = self._request(data, domain, known, begun)
        with self._progress(data.inputs, data.targets) as callback:
            n_groups = len(groups.names)
            found = learn_by_group(
                request, groups.labels, n_groups, callback, simple=self.snap
            )
        rows = found, data.x, data.y, domain
        return group_model(*rows, column=groups.column, names=groups.names, **how)

    def _request(
        self, data: Given, domain: Array, known: Known, begun: float
    ) -> Request:
        limit = seconds(self.time_limit)
        if limit is not None and limit > 0:
            # What checks took, of wild values say, is part of what was granted.
            limit = max(limit - (time.monotonic() - begun), MOMENT)
        recipe = recipe_of(
            self.recipe, self.functions, self.depths, self.units_per_type
        )
        return Request(
            data.x,
            data.y,
            domain=domain,
            weight=data.weight,
            seed=seed_of(self.random_state),
            time_limit=limit,
            far=data.far,
            units=units_of(self.functions),
            recipe=recipe,
            max_attempts=self.max_attempts,
            loss=self.loss,
            jobs=1 if self.n_jobs is None else self.n_jobs,
            scheduler=self.scheduler,
            memory=n_bytes(self.memory),
            run_dir=self.run_dir,
            guesses=self._guesses(data),
            constraints=known.constraints,
            dimensions=known.dimensions,
        )

    def _guesses(self, data: Given) -> list[list[Graph]]:
        known = known_graphs(self, len(data.targets))
        names, seed = (data.inputs, data.targets), seed_of(self.random_state)
        guessed = guessed_graphs(self.guesses, *names, data.x, seed)
        return [[*some, *more] for some, more in zip(known, guessed, strict=True)]

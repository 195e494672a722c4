"""The rollout that selects (section 5): candidates are tested on it, never fitted."""

import math
from dataclasses import replace
from typing import Any

import numpy as np

from eqlearn._types import Array
from eqlearn.control.derivatives import DynamicsData
from eqlearn.model.model import Model
from eqlearn.network.graph import Graph
from eqlearn.search.conclude.to_model import model_of
from eqlearn.search.learn import Found

#: By errors on samples held out, and on the rollout in the place of far points.
CRITERION = "v_int_ex"


def selected_by(learner: Any, seen: DynamicsData, rollout: DynamicsData) -> Model:
    """Pick anew among what a learner has found from `seen`, by V^int&ex."""
    known: Model = learner.model_
    found = [
        _tested(one, rollout.inputs, rates)
        for one, rates in zip(learner.found_, rollout.derivatives.T, strict=True)
    ]
    return model_of(
        found,
        seen.inputs,
        seen.derivatives,
        np.array(known.domain),
        inputs=known.inputs,
        targets=known.targets,
        selection=CRITERION,
        parameters=known.parameters,
    )


def _tested(found: Found, x: Array, y: Array) -> Found:
    def error(graph: Graph) -> float:
        with np.errstate(all="ignore"):
            missed = graph.evaluate(x)[0][:, 0] - y
            rms = float(np.sqrt(np.mean(missed**2)))
        return rms if math.isfinite(rms) else math.inf

    candidates = [replace(c, extrapolation=error(c.graph)) for c in found.candidates]
    return replace(found, candidates=tuple(candidates))

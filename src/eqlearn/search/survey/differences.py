"""Sums and differences in the place of two inputs that a law depends on only so.

And 1 - x beside a share x: mixtures, populations and pores depend on both alike.
"""

import itertools
from collections.abc import Sequence

import numpy as np

from eqlearn._types import Array
from eqlearn.network.graph import CONSTANT
from eqlearn.search.attempts.input_views import View
from eqlearn.search.smooth.smooth_judges import judge_of, variance
from eqlearn.search.survey_strategy import ProcessFits
from eqlearn.search.task import Task

# Times what all inputs leave: sums that leave more do not say the same.
_HOLDS = 1.1
# Share of the slopes by one input by which those by another may differ in a sum.
_ALIKE = 0.1
# A share that never is as large as this leaves 1 - x what a line or a parabola says.
_SHARE = 0.3


def judging(view: View, task: Task) -> ProcessFits | None:
    """Processes judge the target as it is: links of it come by the dozen."""
    return task.strategy.processes if view.link is None else None


def with_differences(view: View, task: Task) -> View:
    """The view with x - z, or x + z, in the place of all inputs that appear so only.

    In the units of the data: only what is measured alike is added.
    """
    while (merged := _with_some_differences(view, task)) is not view:
        view = merged
    return view


def with_complements(view: View, task: Task) -> View | None:
    """The view with 1 - x beside each input x that is a share; None if none is."""
    scale = task.x_scale
    shares = [
        i
        for i in view.inputs
        if 0.0 < scale[i] * task.x[:, i].min()
        and _SHARE < scale[i] * task.x[:, i].max() < 1.0
    ]
    if not shares or (task.origins and any(task.origins[i] for i in shares)):
        return None
    rest = [{i: -float(scale[i]), CONSTANT: 1.0} for i in shares]
    return view.showing(view.draft(task.x.shape[1]), rest)


def _with_some_differences(view: View, task: Task) -> View:
    """The view with sums of two inputs in their place, if there are such."""
    seen = view.of(task)
    data = seen.search_rows()
    x, y, root = data.x, data.y[0], data.root_weight
    if len(x) < 2 or not all(np.isfinite(part).all() for part in (x, y, root)):
        return view
    judge, whole, (x, y, root) = judge_of(x, y, root, judging(view, task))
    if whole > judge.not_smooth * variance(y, root):
        return view
    fitted = judge.fitted(x, y, root, is_log=False)
    slopes = fitted.slopes * root / seen.x_scale[:, None]
    pairs = _opposite(slopes, len(view.inputs))
    # All at once, where no input is in two of them, or one after the other.
    for chosen in (_disjoint(pairs), *([pair] for pair in pairs)):
        sums = [
            {i: float(seen.x_scale[i]), j: sign * float(seen.x_scale[j])}
            for i, j, sign in chosen
        ]
        rest = [x[k] for k in range(len(x)) if not any(k in one for one in sums)]
        values = [sum(w * x[k] for k, w in one.items()) for one in sums]
        error = judge.left(np.array([*rest, *values]), y, root)
        if sums and error < _HOLDS * whole + 1e-20:
            return _merged(view, sums, task.x.shape[1])
    return view


def _opposite(slopes: Array, n: int) -> list[tuple[int, int, float]]:
    """Pairs of inputs whose slopes (D, N) are opposite, or equal: of x - z and x + z.

    The most alike come first. A sum that is all there is, with slopes that are the same
    everywhere, says nothing.
    """
    found = []
    for i, j in itertools.combinations(range(n), 2):
        for sign in (-1.0, 1.0):
            off, size = slopes[i] - sign * slopes[j], slopes[i] - np.mean(slopes[i])
            apart = float(off @ off) / (float(slopes[i] @ slopes[i]) + 1e-300)
            is_like = apart <= _ALIKE and size.any()
            if is_like and not degree_of_linear(slopes[i]):
                found.append((apart, (i, j, sign)))
    return [pair for _, pair in sorted(found)]


def _disjoint(pairs: Sequence[tuple[int, int, float]]) -> list[tuple[int, int, float]]:
    """The first pairs that share no input."""
    found: list[tuple[int, int, float]] = []
    for i, j, sign in pairs:
        if not any({i, j} & {k, m} for k, m, _ in found):
            found.append((i, j, sign))
    return found


def degree_of_linear(slope: Array) -> bool:
    """Whether a slope is the same everywhere: then two inputs are terms of a sum."""
    return bool(np.std(slope) < 0.02 * np.abs(np.mean(slope)))


def _merged(view: View, sums: Sequence[dict[int, float]], n_inputs: int) -> View:
    """The view with sums of two of its inputs in their place."""
    draft = view.draft(n_inputs)
    shown = view.features()[len(view.inputs) :]
    for weights in sums:
        size = max(map(abs, weights.values()))
        shown.append({view.inputs[i]: w / size for i, w in weights.items()})
    for feature in shown:
        draft.outputs.append((dict(feature), {CONSTANT: 1.0}))
    taken = {i for weights in sums for i in weights}
    inputs = tuple(k for i, k in enumerate(view.inputs) if i not in taken)
    return View(inputs, draft.freeze(), view.steps)

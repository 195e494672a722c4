"""A plain sum, or a constant, that is as good as the equation is said."""

from dataclasses import replace

import numpy as np
from line_models import model as line_model

from eqlearn.model.model import Model
from eqlearn.network.graph import CONSTANT, Graph, Linear, Node
from eqlearn.search.plain_models import with_plain_models_told

ONE: Linear = {CONSTANT: 1.0}
RNG = np.random.default_rng(0)
X = RNG.uniform(1, 2, (200, 1))
NOISE = 0.1 * RNG.normal(size=200)
#: a + b x + c x², a parabola.
CURVE = Graph(
    1, (Node("square", ({0: 1.0},)),), (({CONSTANT: 1.0, 0: 2.0, 1: 0.1}, ONE),)
)
LINE = Graph(1, (), (({CONSTANT: 1.0, 0: 2.0}, ONE),))


def told(graph: Graph, y: np.ndarray, rms: float) -> tuple[str, ...]:
    whole: Model = line_model()
    target = whole.targets[0]
    one = replace(
        next(e for e in whole.equations if e.target == target),
        graph=graph,
        snapped=graph,
        constants=(),
        rms=rms,
        is_chosen=True,
    )
    single = replace(
        whole,
        inputs=("x",),
        targets=(target,),
        equations=(one,),
        outcomes=whole.outcomes[:1],
    )
    before = len(single.verdicts[0].reasons)
    after = with_plain_models_told(single, X, y[:, None])
    return after.verdicts[0].reasons[before:]


def test_a_line_that_is_as_good_as_a_curve_is_said() -> None:
    (sentence,) = told(CURVE, 2 * X[:, 0] + NOISE, float(np.std(NOISE)))
    assert sentence.startswith("A plain sum of the inputs is as good on these rows: ")
    assert "that of the equation 0.09" in sentence or "0.1" in sentence


def test_a_constant_that_is_as_good_is_said_first() -> None:
    (sentence,) = told(CURVE, NOISE, float(np.std(NOISE)))
    assert sentence.startswith("A constant is as good")


def test_where_the_curve_is_better_nothing_is_said() -> None:
    assert told(CURVE, X[:, 0] ** 4 + NOISE, float(np.std(NOISE))) == ()


def test_of_a_line_itself_nothing_is_said() -> None:
    assert told(LINE, 2 * X[:, 0] + NOISE, float(np.std(NOISE))) == ()


def test_weights_count() -> None:
    weight = np.where(X[:, 0] < 1.5, 1e-9, 1.0)
    y = np.where(X[:, 0] < 1.5, 100.0, 2 * X[:, 0]) + NOISE
    errors = [with_weight(y, w) for w in (None, weight)]
    assert errors == [False, True]


def with_weight(y: np.ndarray, weight: np.ndarray | None) -> bool:
    whole = line_model()
    one = replace(whole.chosen[0], graph=CURVE, snapped=CURVE, constants=(), rms=0.1)
    single = replace(
        whole, targets=(one.target,), equations=(one,), outcomes=whole.outcomes[:1]
    )
    after = with_plain_models_told(single, X, y[:, None], weight)
    return any("plain sum" in reason for reason in after.verdicts[0].reasons)

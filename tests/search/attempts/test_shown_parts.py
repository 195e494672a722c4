import numpy as np
from formulas import ONE, WAVE, formula

from eqlearn.network.graph import CONSTANT, Graph, Node
from eqlearn.search.attempts.shown_parts import (
    ShownParts,
    recurring_parts,
    view_of_parts,
)
from eqlearn.search.strategy import STANDARD, Parts

BY = STANDARD.parts


def test_parts_that_recur_are_found_in_whatever_scale() -> None:
    x = np.random.default_rng(0).uniform(-1, 1, (300, 3))
    wave = WAVE.nodes[0]
    # 5 wave + x3, x3 · (0.1 wave - 2), cos(x1 + x3), x2 · x3
    first = Graph(3, (wave,), (({3: 5.0, 2: 1.0}, ONE),))
    product = Node("multiply", ({2: 1.0}, {3: 0.1, CONSTANT: -2.0}))
    second = Graph(3, (wave, product), (({4: 1.0}, ONE),))
    third = Graph(3, (Node("cos", ({0: 1.0, 2: 1.0},)),), (({3: 1.0}, ONE),))
    fourth = Graph(3, (Node("multiply", ({1: 1.0}, {2: 1.0})),), (({3: 1.0}, ONE),))
    found = recurring_parts([first, second, third, fourth], x, BY)
    values = [part.evaluate(x)[0][:, 0] for part in found]
    argument, inner = 2 * x[:, 0] - 3 * x[:, 1], WAVE.evaluate(x)[0][:, 0]
    assert len(found) == 2  # the wave, and what is inside of it
    for part in (argument, inner):
        correlations = [abs(np.corrcoef(part, value)[0, 1]) for value in values]
        assert max(correlations) > 0.99999


def test_inputs_and_what_has_no_value_are_no_parts() -> None:
    x = np.random.default_rng(0).uniform(-1, 1, (300, 3))
    linear = Graph(3, (), (({0: 2.0, CONSTANT: 1.0}, ONE),))
    infinite = Graph(3, (Node("sin", ({0: np.inf},)),), (({3: 1.0}, ONE),))
    assert recurring_parts([linear, linear, infinite, infinite], x, BY) == []
    assert recurring_parts([], x, BY) == []


def test_parts_are_looked_for_again_only_if_the_best_formulas_changed() -> None:
    x = np.random.default_rng(0).uniform(-1, 1, (300, 3))
    both = [formula(3, {3: 1.0, 2: 1.0}, *WAVE.nodes), WAVE]
    shown = ShownParts().after(both, x, BY)
    assert len(shown.parts) == 2
    assert shown.after(both, x, BY) is shown
    assert shown.after([*both[:1], formula(3, {0: 1.0})], x, BY).parts == ()
    # Only the best ones are looked at.
    assert ShownParts().after(both, x, Parts(n_formulas=1)).parts == ()


def test_a_batch_is_shown_some_parts_by_its_index_alone() -> None:
    parts = [formula(3, {k: 1.0, 2: 0.1}) for k in range(3)]
    views = [view_of_parts(parts, (0, 1, 2), BY, seed=1, index=i) for i in range(30)]
    again = view_of_parts(parts, (0, 1, 2), BY, seed=1, index=7)
    assert again == views[7]
    numbers = {view.units.n_outputs for view in views if view.units is not None}
    assert numbers == {1, 2, 3}
    # Half of the time without the inputs inside of what is shown.
    hidden = [view for view in views if view.inputs != (0, 1, 2)]
    assert 5 < len(hidden) < 25
    for view in hidden:
        assert view.units is not None
        assert set(view.inputs).isdisjoint(view.units.used_inputs)

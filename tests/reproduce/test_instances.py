from typing import Any

from eqlearn.network.document import to_document
from eqlearn.network.graph import CONSTANT, Graph, Node
from eqlearn.reproduce.jsonl import Line
from eqlearn.reproduce.section4.instances import (
    Pick,
    refined_pick,
    selected,
    table,
    told,
)
from eqlearn.reproduce.section4.judging import agreement_of


def line(depth: int, validation: float | None, s: int | None, **changes: Any) -> Line:
    """A line as `networks` writes them, as far as picks look at it."""
    options = {"initial": "wide", "penalty": "in_place"}
    shared = {"problem": "division", "seed": 1, "rows": 300, "noise": 0.01}
    known = {**shared, "length": 1.0, "options": options, "depth": depth, "l1": 1e-5}
    errors = {"extrapolation": 0.5, "rms_inside": validation, "rms_outside": 0.3}
    numbers = {"validation": validation, "s": s, "s_released": s, "n_parameters": 9}
    return {**known, **errors, **numbers, "graph": None, **changes}


def depths(picks: list[Pick]) -> list[int]:
    return [pick.line["depth"] for pick in picks]


def test_the_pick_weighs_error_and_size_of_one_grid() -> None:
    grid = [line(2, 0.5, 1), line(3, 0.1, 4), line(4, 0.1, 9)]
    assert depths(selected(grid)) == [3]
    # Another seed is another grid, where the smallest is as good as any.
    other = [line(d, 0.1, s, seed=2) for d, s in ((2, 1), (3, 4))]
    picks = selected(other + grid)
    assert depths(picks) == [2, 3]
    assert [pick.n_networks for pick in picks] == [2, 3]


def test_with_far_points_size_does_not_count() -> None:
    grid = [line(2, 0.1, 1), line(3, 0.1, 9, extrapolation=0.01), line(4, 0.5, 9)]
    assert depths(selected(grid, "v_int_ex")) == [3]


def test_what_diverged_is_never_picked() -> None:
    gone = {"extrapolation": None, "rms_inside": None, "rms_outside": None}
    grid = [line(2, None, None, **gone), line(3, 0.1, 4)]
    for criterion in ("v_int_s", "v_int_ex", "v_ranks"):
        assert depths(selected(grid, criterion)) == [3]
    assert selected(grid[:1]) == []


def test_the_size_may_be_counted_as_in_the_released_code() -> None:
    grid = [line(2, 0.1, 9, s_released=1), line(3, 0.1, 2, s_released=2)]
    assert depths(selected(grid)) == [3]
    assert depths(selected(grid, size="s_released")) == [2]


def test_a_later_line_of_a_network_takes_the_place_of_the_earlier() -> None:
    (pick,) = selected([line(2, 0.5, 1), line(2, 0.1, 3)])
    assert pick.line["validation"] == 0.1 and pick.n_networks == 1


def test_the_table_has_the_papers_figure_beside_ours() -> None:
    grid = [line(2, 0.1, 3), line(2, 0.2, 3, seed=2, rms_outside=0.5)]
    layout = table(grid, ["v_int_s"])
    (row,) = layout.rows
    cells = dict(zip(layout.header, row, strict=True))
    assert cells["outside"] == "0.4 [0.3, 0.5]"
    assert cells["outside, as there"] == "0.4 [0.3, 0.5]"
    assert cells["paper"] == "0.01 [0.01, 0.01]"
    assert (cells["seeds"], cells["networks"]) == ("2", "2")
    assert "| division | 1 | wide | in_place | v_int_s |" in layout.markdown()


def test_errors_of_the_pendulum_are_squares_as_in_the_paper() -> None:
    which = {"problem": "cart-pendulum-published", "noise": 0.1}
    layout = table([line(2, 0.1, 3, **which, rms_outside=0.6)], ["v_int_ex"])
    cells = dict(zip(layout.header, layout.rows[0], strict=True))
    # Of four outputs together 0.36, of one 0.09, and the noise 0.01.
    assert cells["outside, as there"] == "0.1"
    assert cells["paper"] == "0.06 [0.04, 4.2]"


def test_a_pick_is_refined_to_the_formula_and_judged() -> None:
    nodes = (
        Node("sin", ({0: 3.13, 1: 0.002},)),
        Node("multiply", ({1: 1.02}, {1: 0.97, CONSTANT: 0.01})),
        Node("sin", ({1: 1.0},)),
    )
    numerator = {2: 2.0, 4: 0.003, CONSTANT: 0.01}
    network = Graph(2, nodes, ((numerator, {3: 2.03, CONSTANT: 2.0}),))
    document = to_document(network)
    (pick,) = selected([line(2, 0.02, 2, graph=document, rms_inside=0.02)])
    judged = refined_pick(pick)
    assert agreement_of(judged) != "no"
    assert judged["relative_rms_outside"] < 0.05
    said = told(pick, is_refined=True)
    assert said.startswith("division, seed 1, v_int_s: L = 2, λ = 1e-05, s = 2, inside")
    assert "refined: " in said and "NOT" not in said


def test_of_a_network_that_was_not_kept_nothing_is_refined() -> None:
    (pick,) = selected([line(2, 0.02, 2, n_parameters=900)])
    assert agreement_of(refined_pick(pick)) == "no"
    assert told(pick, is_refined=True).endswith("900 weights are too many to be kept")

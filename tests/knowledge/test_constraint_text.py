"""Constraints as users write them, and the mistakes they make on the way."""

from typing import Any

import pytest

from eqlearn import EqlearnError
from eqlearn.knowledge.constraining.constraint_text import (
    constraints_of,
    kept_constraints,
)
from eqlearn.knowledge.constraining.constraints import Constraint


def read(text: Any, inputs: tuple[str, ...] = ("x", "z")) -> list[Constraint]:
    (found,) = constraints_of(text, inputs, ("y",))
    return list(found)


@pytest.mark.parametrize(
    ("text", "kind", "sign", "value"),
    [
        ("positive", "bound", 1, 0.0),
        ("non-negative", "bound", 1, 0.0),
        ("negative", "bound", -1, 0.0),
        ("Non-positive", "bound", -1, 0.0),
        ("y <= 10", "bound", -1, 10.0),
        ("y < 1e3", "bound", -1, 1000.0),
        ("y>=-2.5", "bound", 1, -2.5),
        ("f > 0", "bound", 1, 0.0),
        ("10 >= y", "bound", -1, 10.0),
        ("0 ≤ y", "bound", 1, 0.0),
        ("finite", "finite", 1, 0.0),
        ("bounded", "finite", 1, 0.0),
    ],
)
def test_bounds(text: str, kind: str, sign: int, value: float) -> None:
    assert read([text]) == [Constraint(kind, text, None, sign, value)]  # type: ignore[arg-type]


def test_a_bound_on_both_sides_is_two_constraints() -> None:
    low, high = read(["0 <= y <= 5"])
    assert (low.sign, low.value, high.sign, high.value) == (1, 0.0, -1, 5.0)
    high, low = read(["5 > y > 0"])
    assert (low.sign, low.value, high.sign, high.value) == (1, 0.0, -1, 5.0)


@pytest.mark.parametrize(
    ("text", "kind", "number", "sign"),
    [
        ("increasing in x", "slope", 0, 1),
        ("rising in z", "slope", 1, 1),
        ("decreasing in z", "slope", 1, -1),
        ("falling in `x`", "slope", 0, -1),
        ("convex in x", "curvature", 0, 1),
        ("concave in z", "curvature", 1, -1),
        ("Even in x", "symmetry", 0, 1),
        ("odd in z", "symmetry", 1, -1),
    ],
)
def test_what_is_said_along_an_input(
    text: str, kind: str, number: int, sign: int
) -> None:
    assert read(text) == [Constraint(kind, text, number, sign)]  # type: ignore[arg-type]


def test_a_single_input_need_not_be_named() -> None:
    assert read("increasing", ("t",))[0].input == 0


@pytest.mark.parametrize(
    ("text", "at", "value"),
    [
        ("f(0, 1) = 2", ((0, 0.0), (1, 1.0)), 2.0),
        ("y(x=0) = -1", ((0, 0.0),), -1.0),
        ("f(z = 1e-3, x=2)=0", ((1, 0.001), (0, 2.0)), 0.0),
    ],
)
def test_values_at_a_place(text: str, at: Any, value: float) -> None:
    (one,) = read(text)
    assert (one.kind, one.at, one.value) == ("value", at, value)


@pytest.mark.parametrize(
    ("text", "number", "sign", "value"),
    [
        ("y -> 0 as x -> inf", 0, 1, 0.0),
        ("f → 2.5 as z → -∞", 1, -1, 2.5),
        ("f(x=inf) = 3", 0, 1, 3.0),
        ("f(z=-inf) = 3", 1, -1, 3.0),
    ],
)
def test_limits(text: str, number: int, sign: int, value: float) -> None:
    (one,) = read(text)
    assert (one.kind, one.input, one.sign, one.value) == ("limit", number, sign, value)


def test_a_range_of_its_own_in_the_place_of_the_domain() -> None:
    (one,) = read("increasing in x for x=0:5, z=-1:1")
    assert one.within == ((0, 0.0, 5.0), (1, -1.0, 1.0))


def test_names_may_be_anything_between_backticks() -> None:
    (one,) = read("increasing in `T [K]`", ("T [K]", "p"))
    assert one.input == 0
    (one,) = read("increasing in T_K", ("T [K]", "p"))
    assert one.input == 0


def test_a_unit_in_a_header_may_be_left_out() -> None:
    inputs, targets = ("T [K]", "p"), ("level [m]",)
    ((slope, bound),) = constraints_of(["rising in T", "level <= 3"], inputs, targets)
    assert (slope.input, bound.value) == (0, 3.0)


def test_a_target_may_be_named_before_or_in_a_mapping() -> None:
    inputs, targets = ("x",), ("a", "b")
    first, second = constraints_of(["a: positive", "b <= 3"], inputs, targets)
    assert [one.text for one in first] == ["a: positive"]
    assert [one.text for one in second] == ["b <= 3"]
    first, second = constraints_of({"b": "positive"}, inputs, targets)
    assert first == () and second[0].kind == "bound"
    both = constraints_of("positive", inputs, targets)
    assert all(len(some) == 1 for some in both)


def test_said_twice_is_said_once() -> None:
    assert len(read(["positive", "positive"])) == 1


def test_as_a_model_file_keeps_them() -> None:
    assert kept_constraints(("positive",)) == ["positive"]
    assert kept_constraints({"y": ("positive",)}) == {"y": ["positive"]}
    assert kept_constraints(None) is None


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (3, "a list of texts"),
        ([3], "texts like"),
        ([""], "texts like"),
        (b"positive", "a list of texts"),
        (["smooth"], "texts like"),
        (["x" * 600], "at most 500 letters"),
        (["positive"] * 51, "at most 50 texts"),
        ("increasing", "along one input; got 'increasing'"),
        ("increasing in w", "one of 'x', 'z'; got 'w'"),
        ("even in X", "Did you mean 'x'?"),
        ("w <= 3", "one of 'f', 'y'; got 'w'"),
        ("y <= ten", "with a number; got 'ten'"),
        ("y <= 1e999", "with a number"),
        ("0 <= y >= 5", "bounds like 0 <= y <= 1"),
        ("f(0) = 0", "a place of 2 numbers"),
        ("f(0, 0, 0) = 0", "a place of 2 numbers"),
        ("f(w=0) = 0", "got 'w'"),
        ("f(x=0, x=1) = 0", "names each input once"),
        ("f(x=0, 1) = 0", "by name throughout"),
        ("f(x=a) = 0", "at numbers, inf or -inf; got 'a'"),
        ("f(x=0) = nothing", "with a number; got 'nothing'"),
        ("f(x=inf, z=inf) = 0", "a limit along one input"),
        ("y -> 0 as x -> 5", "a limit at inf or -inf"),
        ("y -> 0 as w -> inf", "got 'w'"),
        ("increasing in x for x=5:0", "LOW below HIGH"),
        ("increasing in x for w=0:5", "got 'w'"),
        ("increasing in x for x=0:1, x=2:3", "one range of each input"),
        (["positive", "negative"], "such that all can hold"),
        (["y >= 5", "y <= 1"], "such that all can hold"),
        (["increasing in x", "decreasing in x"], "Leave one of them out"),
        (["convex in x", "concave in x"], "such that all can hold"),
        (["even in x", "odd in x"], "such that all can hold"),
        (["f(x=0) = 0", "f(x=0) = 1"], "such that all can hold"),
        (["positive", "f(x=0) = -1"], "such that all can hold"),
        ({"w": "positive"}, "one of 'y'; got 'w'"),
        ("w: positive", "before the :"),
    ],
)
def test_a_mistake_is_answered_by_one_line(wrong: Any, said: str) -> None:
    with pytest.raises(EqlearnError) as caught:
        read(wrong)
    line = str(caught.value)
    assert line.startswith("`constraints` must be ")
    assert said in line and "\n" not in line

"""Rows to be read: every number of an equation under its name, and its constants."""

import math
from dataclasses import replace

from report_models import equation, fraction, graph

from eqlearn.model.model_tables import constant_rows, equation_rows


def test_an_equation_is_a_row_of_numbers() -> None:
    of = fraction()
    chosen, second = equation_rows(of.equations)
    assert chosen == {
        "target": "y",
        "validation_error": 0.011,
        "extrapolation_error": chosen["extrapolation_error"],
        "rms": 0.01,
        "complexity": of.equations[0].complexity,
        "active_units": 2,
        "votes": 9,
        "information": -100.0,
        "rank_information": 1.0,
        "has_pole": False,
        "chosen": True,
    }
    assert math.isnan(chosen["extrapolation_error"])
    assert (second["chosen"], second["rank_information"]) == (False, 2.0)
    assert equation_rows([]) == []


def test_constants_are_told_by_what_they_weigh() -> None:
    rows = constant_rows(fraction().chosen, ["a", "b"])
    assert [row["of"] for row in rows] == [
        "a in sin 2",
        "sin 2 in the numerator",
        "multiply 1 in the denominator",
    ]
    assert [row["value"] for row in rows] == [3.14, 0.9876, 0.9765]
    assert {row["standard_error"] for row in rows} == {0.01}
    assert [row["snapped"] for row in rows] == [math.pi, None, None]
    assert {row["target"] for row in rows} == {"y"}


def test_a_bias_is_the_weight_of_1() -> None:
    (row,) = constant_rows([equation("y", graph({-1: 2.5}))], ["a", "b"])
    assert row["of"] == "1 in the numerator"


def test_of_a_form_that_became_shorter_no_constant_is_told_to_be_snapped() -> None:
    (chosen,) = fraction().chosen
    shorter = replace(chosen, snapped=graph({0: 1.0}))
    rows = constant_rows([shorter], ["a", "b"])
    assert [row["snapped"] for row in rows] == [None, None, None]

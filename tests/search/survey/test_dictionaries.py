"""Dictionaries: which terms there are to pick from, and what their columns hold."""

import numpy as np
import pytest

from eqlearn.search.attempts.monomials import monomial
from eqlearn.search.survey.dictionaries import (
    arguments,
    atomic,
    atoms_of,
    damped_waves,
    exponents_up_to,
    monomials,
    plain_terms,
    positive_rows,
    small_terms,
    sums,
    whole_sums,
)
from eqlearn.search.survey.pursuit import Dictionary, WeightedRows
from eqlearn.search.survey.terms import Atom, Summand

RNG = np.random.default_rng(0)
ROOT = RNG.uniform(0.5, 2.0, 50)


def rows(*ranges: tuple[float, float]) -> WeightedRows:
    x = np.array([RNG.uniform(low, high, 50) for low, high in ranges])
    return WeightedRows(x, np.zeros(50), ROOT)


def test_exponents_by_hand() -> None:
    positive = set(exponents_up_to(2, [True], 99))
    assert positive == {(p,) for p in (0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0)}
    assert exponents_up_to(3, [False], 99) == [(0.0,), (1.0,), (2.0,), (3.0,)]
    assert set(exponents_up_to(1, [True, False], 99)) == {
        *((0.0, 0.0), (1.0, 0.0), (-1.0, 0.0), (0.0, 1.0))
    }


def test_the_smallest_exponents_come_first_where_there_are_too_many() -> None:
    all_of_them = exponents_up_to(4, [True, True], 9999)
    assert exponents_up_to(4, [True, True], 9) == all_of_them[:9]
    assert all_of_them[0] == (0.0, 0.0)
    assert set(exponents_up_to(1, [True, True], 99)) == set(all_of_them[:5])


def test_without_halves_all_powers_are_whole() -> None:
    exponents = exponents_up_to(4, [True, True], 9999, halves=False)
    assert all(float(p).is_integer() for e in exponents for p in e)


def test_many_monomials_at_once_are_what_each_is_alone() -> None:
    data = rows((-2.0, 2.0), (0.5, 3.0))
    exponents = exponents_up_to(5, positive_rows(data.x), 9999)
    values = monomials(data.x, exponents)
    for own, e in zip(values, exponents, strict=True):
        np.testing.assert_allclose(own, monomial(data.x, e), rtol=1e-11)


def test_a_zero_has_a_power_too() -> None:
    found = monomials(np.array([[0.0, 2.0]]), [(0.0,), (1.0,), (2.0,)])
    np.testing.assert_allclose(found, [[1, 1], [0, 2], [0, 4]], atol=1e-290)


def assert_columns_are_of_the_terms(dictionary: Dictionary, data: WeightedRows) -> None:
    assert len(dictionary.terms) == len(dictionary.columns)
    for term, column in zip(dictionary.terms, dictionary.columns, strict=True):
        values = term.values(data.x) * data.root
        np.testing.assert_allclose(column, values / np.linalg.norm(values), atol=1e-6)


@pytest.mark.parametrize("kind", ["exp", "sin", "cos", "tanh", "atan", "power"])
def test_columns_of_atoms_are_weighted_and_of_unit_length(kind: str) -> None:
    data = rows((0.5, 3.0), (1.0, 2.0))
    assert_columns_are_of_the_terms(atomic([kind], data, 1, 2), data)


def test_columns_of_sums_are_weighted_and_of_unit_length() -> None:
    data = rows((0.5, 3.0), (-1.0, 2.0))
    assert_columns_are_of_the_terms(sums(data, 4), data)
    assert_columns_are_of_the_terms(whole_sums(data, 4), data)


def test_columns_of_damped_waves_are_products() -> None:
    data = rows((0.0, 8.0))
    dictionary = damped_waves(data)
    assert all(
        (fall.kind, fall.rate < 0, wave.kind in ("sin", "cos")) == ("exp", True, True)
        for fall, wave in (term.atoms for term in dictionary.terms)
    )
    assert_columns_are_of_the_terms(dictionary, data)


def test_logarithms_are_there_of_positive_inputs_only() -> None:
    data = rows((0.5, 3.0), (-1.0, 2.0))
    logs = {atom.of for term in sums(data, 2).terms for atom in term.atoms}
    assert logs == {(1.0, 0.0)}


def test_terms_without_values_are_left_out() -> None:
    terms = [Summand((1.0,)), Summand((2.0,)), Summand((3.0,))]
    values = np.array([[1.0, 2.0], [np.nan, 1.0], [0.0, 0.0]])
    assert Dictionary.of(terms, values, np.ones(2)).terms == terms[:1]


def test_small_terms_of_one_input_by_hand() -> None:
    assert small_terms(2, rows((-1.0, 2.0))) == [Summand((float(p),)) for p in range(5)]
    log = Atom("log", (1.0,))
    assert set(small_terms(2, rows((0.5, 3.0)))) == {
        *(Summand((float(p),)) for p in range(-4, 5)),
        *(Summand((0.0,), (log,)), Summand((1.0,), (log,))),
    }


def test_small_terms_of_two_inputs_by_hand() -> None:
    log = Atom("log", (1.0, 0.0))
    assert set(small_terms(2, rows((0.5, 3.0), (-1.0, 2.0)))) == {
        *(Summand(e) for e in ((0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (-1.0, 0.0))),
        *(Summand(e) for e in ((2.0, 0.0), (1.0, 1.0), (0.0, 2.0))),
        *(Summand(e, (log,)) for e in ((0.0, 0.0), (1.0, 0.0), (0.0, 1.0))),
    }


def test_plain_terms_have_whole_powers_and_no_atoms() -> None:
    terms = plain_terms(2, [True])
    assert {term.exponents[0] for term in terms} == {0.0, 1.0, -1.0, 2.0, -2.0}
    assert not any(term.atoms for term in terms)


def test_arguments_have_no_negative_powers_of_what_may_be_zero() -> None:
    assert set(arguments([True])) == {(1.0,), (2.0,), (-1.0,)}
    assert set(arguments([False])) == {(1.0,), (2.0,)}
    assert (1.0, -1.0) in arguments([False, True])
    assert (-1.0, 1.0) not in arguments([False, True])
    assert (1.0, 1.0, -1.0) in arguments([True] * 3)


def test_rates_follow_the_spread_of_an_argument() -> None:
    data = rows((0.5, 3.0))
    wide = WeightedRows(10 * data.x, data.y, data.root)
    narrow_rates, wide_rates = (
        np.array([atom.rate for atom in atoms_of("exp", one) if atom.of == (1.0,)])
        for one in (data, wide)
    )
    np.testing.assert_allclose(narrow_rates, 10 * wide_rates)
    assert (narrow_rates < 0).sum() == (narrow_rates > 0).sum() > 0


def test_powers_are_of_single_inputs() -> None:
    found = list(atoms_of("power", rows((0.5, 3.0), (1.0, 2.0))))
    assert found
    assert all(sum(map(abs, atom.of)) == 1.0 for atom in found)
    assert not list(atoms_of("power", rows((-1.0, 1.0))))

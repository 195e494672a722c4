"""Pursuit: sums that are known are found, whatever is picked first."""

import itertools

import numpy as np
import pytest

from eqlearn.search.survey.dictionaries import (
    atomic,
    damped_waves,
    sums,
    whole_sums,
)
from eqlearn.search.survey.pursuit import (
    Beam,
    Dictionary,
    SparseSum,
    WeightedRows,
    fitted,
    pursue,
    rates_of,
)
from eqlearn.search.survey.terms import Atom, Summand

RNG = np.random.default_rng(0)
X = RNG.uniform(0.5, 3.0, (2, 120))
ROOT = RNG.uniform(0.5, 2.0, 120)
ONE = (0.0, 0.0)


def rows_of(y: np.ndarray, x: np.ndarray = X) -> WeightedRows:
    root = ROOT[: x.shape[1]]
    return WeightedRows(x, y * root, root)


def by_size(found: list[SparseSum]) -> dict[int, SparseSum]:
    """The best sum of each size."""
    best: dict[int, SparseSum] = {}
    for one in found:
        n = len(one.terms)
        if n not in best or one.sse < best[n].sse:
            best[n] = one
    return best


def exponents_of(one: SparseSum) -> set[tuple[float, ...]]:
    return {term.exponents for term in one.terms}


def test_a_known_sparse_sum_is_found() -> None:
    y = 2 * X[0] ** 2 - 3 / X[1] + 0.5 * X[0] * X[1]
    data = rows_of(y)
    found = by_size(list(pursue(whole_sums(data, 4), data, Beam())))
    assert exponents_of(found[3]) == {(2.0, 0.0), (0.0, -1.0), (1.0, 1.0)}
    assert found[3].sse < 1e-18
    assert max(found) == 3  # nothing is left, so nothing is added


def test_a_known_sum_is_found_in_noise() -> None:
    y = 2 * X[0] ** 2 - 3 / X[1] + 0.05 * RNG.normal(size=120)
    data = rows_of(y)
    found = by_size(list(pursue(sums(data, 3), data, Beam(3))))
    assert exponents_of(found[2]) == {(2.0, 0.0), (0.0, -1.0)}


def test_what_is_left_is_at_right_angles_to_all_terms() -> None:
    terms = [Summand(ONE), Summand((1.0, 0.0)), Summand((0.0, 2.0))]
    data = rows_of(np.exp(X[0]) + X[1])
    one = fitted(terms, data)
    assert one is not None
    columns = np.array([term.values(X) * ROOT for term in terms])
    np.testing.assert_allclose(columns @ one.left, 0, atol=1e-9 * np.abs(data.y).max())
    expected = np.linalg.lstsq(columns.T, data.y, rcond=None)[1]
    assert one.sse == pytest.approx(float(expected[0]))
    np.testing.assert_allclose(one.basis.T @ one.basis, np.eye(3), atol=1e-12)


@pytest.mark.parametrize(
    ("kind", "truth", "start"),
    [
        *(("exp", -1.3, -2.0), ("sin", 4.0, 4.4), ("tanh", 1.2, 0.8)),
        *(("power", 1.7, 1.5), ("shifted log", 0.4, 1.0), ("atan", 2.0, 1.0)),
    ],
)
def test_rates_inside_of_terms_are_fitted(
    kind: str, truth: float, start: float
) -> None:
    data = rows_of(3 * Atom(kind, (1.0, 0.0), truth).values(X) + 0.5)
    terms = [Summand(ONE), Summand(ONE, (Atom(kind, (1.0, 0.0), start),))]
    one = fitted(terms, data, n_steps=30)
    assert one is not None
    (atom,) = rates_of(one.terms)
    assert atom.rate == pytest.approx(truth, rel=1e-3)
    assert one.n_parameters == 3


def test_sine_and_cosine_of_one_argument_share_their_rate() -> None:
    wave = [Summand(ONE, (Atom(kind, (1.0, 0.0), 4.4),)) for kind in ("sin", "cos")]
    data = rows_of(2 * np.sin(4.0 * X[0] + 0.7))
    one = fitted(wave, data, n_steps=30)
    assert one is not None
    assert len(rates_of(one.terms)) == 1
    assert {a.rate for t in one.terms for a in t.atoms} == {rates_of(one.terms)[0].rate}
    assert rates_of(one.terms)[0].rate == pytest.approx(4.0, rel=1e-3)


def test_a_sum_grown_by_one_term_is_the_sum_fitted_at_once() -> None:
    terms = [Summand(ONE), Summand((1.0, 0.0)), Summand((0.0, -1.0))]
    data = rows_of(np.log(X[0] * X[1] + 1))
    before = fitted(terms[:2], data)
    grown, at_once = fitted(terms, data, before), fitted(terms, data)
    assert grown is not None and at_once is not None
    assert grown.sse == pytest.approx(at_once.sse, rel=1e-9)


def test_a_term_that_says_nothing_new_is_refused() -> None:
    terms = [Summand(ONE), Summand((1.0, 0.0)), Summand((1.0, 0.0))]
    data = rows_of(np.exp(X[0]))
    assert fitted(terms, data, fitted(terms[:2], data)) is None


def misleading() -> tuple[Dictionary, WeightedRows]:
    """The target is a + b, but c is nearer to it than a or b is."""
    rng = np.random.default_rng(5)
    a, b, *others = np.linalg.qr(rng.normal(size=(60, 6)))[0].T
    c = (a + b) / np.sqrt(2) * 0.9 + others[0] * np.sqrt(1 - 0.81)
    x = np.array([a, b, c, *others[1:]])
    terms = [Summand(tuple(float(i == j) for j in range(6))) for i in range(6)]
    data = WeightedRows(x, a + b, np.ones(60))
    return Dictionary.of(terms, x, data.root), data


def test_an_exchange_repairs_a_wrong_first_pick() -> None:
    dictionary, data = misleading()
    narrow = Beam(2, n_kept=1)
    found = by_size(list(pursue(dictionary, data, narrow)))
    third, first, second = (dictionary.terms[k] for k in (2, 0, 1))
    assert found[1].terms == (third,)
    assert set(found[2].terms) == {first, second}
    assert found[2].sse < 1e-12


def test_the_base_is_never_exchanged() -> None:
    dictionary, data = misleading()
    base = [dictionary.terms[2]]
    for one in pursue(dictionary, data, Beam(2), base):
        assert dictionary.terms[2] in one.terms


def test_every_pair_is_beaten_or_found() -> None:
    rng = np.random.default_rng(7)
    x = rng.uniform(0.5, 3.0, (2, 80))
    data = rows_of(np.sin(2 * x[0]) + np.log(x[1]), x)
    dictionary = sums(data, 2)
    best = min(
        one.sse
        for pair in itertools.combinations(dictionary.terms, 2)
        if (one := fitted(pair, data)) is not None
    )
    found = by_size(list(pursue(dictionary, data, Beam(2, n_kept=20))))
    assert found[2].sse <= 1.02 * best


def test_no_sum_has_more_constants_than_allowed() -> None:
    data = rows_of(np.exp(-X[0]) + np.sin(3 * X[1]))
    beam = Beam(4, most_constants=4)
    found = list(pursue(atomic(["exp"], data, 0, 2), data, beam))
    assert found
    assert max(one.n_parameters for one in found) == 4


def test_two_exponentials_are_told_apart() -> None:
    x = np.linspace(0, 8, 120)[None]
    y = 2 * np.exp(-0.3 * x[0]) + 3 * np.exp(-2.0 * x[0])
    data = rows_of(y, x)
    found = by_size(list(pursue(atomic(["exp"], data, 0, 1), data, Beam(2, n_same=3))))
    rates = sorted(atom.rate for atom in rates_of(found[2].terms))
    assert rates == pytest.approx([-2.0, -0.3], rel=0.02)


def test_a_damped_wave_is_found() -> None:
    x = np.linspace(0, 8, 120)[None]
    data = rows_of(2 * np.exp(-0.3 * x[0]) * np.cos(2.5 * x[0]), x)
    found = list(pursue(damped_waves(data), data, Beam(2, n_same=3)))
    best = min(found, key=lambda one: one.sse)
    rates = {atom.kind: atom.rate for atom in rates_of(best.terms)}
    assert best.sse < 1e-2 * float(data.y @ data.y)
    assert rates["exp"] == pytest.approx(-0.3, rel=0.05)

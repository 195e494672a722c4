import numpy as np
import pytest

from benchmarks.dynamics import table
from benchmarks.motions import SEEN, SYSTEMS, UNSEEN, recording
from benchmarks.motions.entry import System
from benchmarks.motions.judging import follows, true_forms


def test_half_of_the_systems_are_unseen() -> None:
    assert len(SEEN) == len(UNSEEN) == 24
    assert len(SYSTEMS) == 48


@pytest.mark.parametrize("system", SYSTEMS.values(), ids=lambda one: one.name)
def test_every_system_has_the_form_that_it_has(system: System) -> None:
    assert all(true_forms(system, list(system.expressions)))


def test_another_form_and_a_needless_term_are_not_true() -> None:
    system = SYSTEMS["pendulum"]
    rate, law = system.expressions
    (q,) = (s for s in law.free_symbols if s.name == "q")
    assert true_forms(system, [1.1 * rate, 0.9 * law]) == [True, True]
    assert true_forms(system, [rate, law + 0.01 * q**2]) == [True, False]


def test_uneven_recordings_have_gaps_and_noise() -> None:
    system = SYSTEMS["lotka-volterra"]
    (even,), (uneven,) = (recording(system, 0.01, 1, way) for way in ("even", "uneven"))
    assert np.ptp(np.diff(even.t)) < 1e-9
    assert len(uneven.t) < 0.85 * len(even.t)
    assert np.all(np.diff(uneven.t) > 0)
    (exact,) = recording(system, 0.0, 1)
    off = (even.states - exact.states) / exact.states.std(axis=0)
    assert np.std(off) == pytest.approx(0.01, rel=0.1)


def test_only_motion_that_is_near_counts_as_followed() -> None:
    system = SYSTEMS["logistic"]

    def exact(start: np.ndarray, t: np.ndarray, inputs: np.ndarray) -> np.ndarray:
        return system.motion(tuple(start), t, 7.0)

    assert follows(system, exact)[0]
    assert not follows(system, lambda *given: exact(*given) + 1)[0]


def test_lines_are_counted() -> None:
    line = {"half": "seen", "noise": 0.01, "variant": "even", "core_seconds": 2.0}
    line |= {"form": [True, True], "follows": True, "commit": "a"}
    line |= {"method": "eqlearn", "verdict": ["trusted", "trusted"]}
    rows = table([line, {**line, "form": [True, False], "core_seconds": 4.0}]).rows
    assert rows[0][5:7] == ("1 (50 %)", "2 (100 %)")
    assert rows[0][8:11] == ("3 of 3", "1 of 1", "3.0")

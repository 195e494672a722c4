from typing import Any

import jax
import pytest

from eqlearn.errors import EqlearnError
from eqlearn.training.schedule import Schedule, theta


@pytest.mark.parametrize(("epoch", "expected"), [(0, 1.0), (3, 0.5), (99, 0.1)])
def test_theta_of_eq_7(epoch: int, expected: float) -> None:
    assert theta(epoch) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("epoch", "phase", "l1_factor", "is_masked", "is_penalty_epoch"),
    [
        # T = 20000 for L = 3: t1 = 5000, t2 = 19000
        (0, 1, 0, False, False),
        (48, 1, 0, False, False),
        (49, 1, 0, False, True),
        (50, 1, 0, False, False),
        (99, 1, 0, False, True),
        (4999, 1, 0, False, True),
        (5000, 2, 1, False, False),
        (18999, 2, 1, False, True),
        (19000, 3, 0, True, False),
        (19999, 3, 0, True, True),
    ],
)
def test_the_paper_schedule_row_by_row(
    epoch: int, phase: int, l1_factor: int, is_masked: bool, is_penalty_epoch: bool
) -> None:
    moment = Schedule.paper(n_layers=3).at(epoch)
    assert moment.phase == phase
    assert moment.l1_factor == l1_factor
    assert moment.is_masked == is_masked
    assert moment.is_penalty_epoch == is_penalty_epoch
    assert moment.rate_factor == 1
    traced = jax.jit(Schedule.paper(n_layers=3).at)(epoch)
    assert tuple(map(float, traced)) == pytest.approx(tuple(map(float, moment)))


def test_extra_penalty_epochs_follow_those_with_l1() -> None:
    schedule = Schedule(40, penalty_every=5, penalty="extra")  # L1 from 10 up to 38
    moments = [schedule.at(epoch) for epoch in range(40)]
    assert not any(moment.is_penalty_epoch for moment in moments)
    followed = [t for t, moment in enumerate(moments) if moment.has_extra_penalty]
    assert followed == [14, 19, 24, 29, 34]
    in_place = [Schedule(40, penalty_every=5).at(epoch) for epoch in range(40)]
    assert not any(moment.has_extra_penalty for moment in in_place)
    never = Schedule(40, penalty_every=0, penalty="extra")
    assert not any(never.at(epoch).has_extra_penalty for epoch in range(40))
    traced = jax.jit(schedule.at)(14)
    assert tuple(map(float, traced)) == pytest.approx(tuple(map(float, moments[14])))


def test_t_grows_with_the_hidden_layers() -> None:
    lengths = [Schedule.paper(n_layers).n_epochs for n_layers in (2, 3, 4)]
    assert lengths == [10_000, 20_000, 30_000]


def test_the_rate_falls_geometrically_and_penalties_can_be_off() -> None:
    schedule = Schedule(100, penalty_every=0, final_rate=0.01)
    assert schedule.at(50).rate_factor == pytest.approx(0.1)
    assert not any(schedule.at(epoch).is_penalty_epoch for epoch in range(100))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_epochs": 0}, "`n_epochs` must be an integer of at least 1; got 0"),
        ({"n_epochs": 9, "l1_start": 0.9, "l1_stop": 0.5}, "`l1_start` must be"),
        ({"n_epochs": 9, "penalty_every": -1}, "`penalty_every` must be"),
        ({"n_epochs": 9, "final_rate": 0.0}, "`final_rate` must be above 0"),
        ({"n_epochs": 9, "pace": 0.0}, "`pace` must be above 0"),
        ({"n_epochs": 9, "penalty": "extras"}, "Did you mean 'extra'"),
    ],
)
def test_bad_schedules_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(EqlearnError, match=message):
        Schedule(**settings)


def test_a_tenth_of_the_epochs_goes_through_the_same_curriculum() -> None:
    full, short = Schedule.paper(3), Schedule.paper(3, n_epochs=2000)
    for epoch in (0, 7, 500, 1900, 1999):
        ours, theirs = short.at(epoch), full.at(10 * epoch)
        assert ours.theta == pytest.approx(theirs.theta)
        assert (ours.phase, ours.is_masked) == (theirs.phase, theirs.is_masked)

    def n_penalties(schedule: Schedule) -> int:
        epochs = range(schedule.n_epochs)
        return sum(bool(schedule.at(epoch).is_penalty_epoch) for epoch in epochs)

    assert n_penalties(short) == n_penalties(full) == 400
    assert Schedule.paper(3, n_epochs=20_000) == full


def test_a_very_short_training_still_sees_the_data() -> None:
    short = Schedule.paper(4, n_epochs=20)
    data = [t for t in range(20) if not short.at(t).is_penalty_epoch]
    assert len(data) == 16

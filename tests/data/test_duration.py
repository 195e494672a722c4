import pytest

from eqlearn.data.duration import seconds
from eqlearn.errors import EqlearnError


@pytest.mark.parametrize(
    ("written", "found"),
    [
        (None, None),
        (90, 90.0),
        (1.5, 1.5),
        ("90", 90.0),
        ("90s", 90.0),
        (" 1.5 h ", 5400.0),
        ("5m", 300.0),
        ("2d", 172800.0),
        ("5min", 300.0),
        ("5 minutes", 300.0),
        ("1 hour", 3600.0),
        ("1h30m", 5400.0),
        ("1h 30min 5s", 5405.0),
        ("30 SEC", 30.0),
    ],
)
def test_times_as_people_write_them(
    written: float | str | None, found: float | None
) -> None:
    assert seconds(written) == found


@pytest.mark.parametrize(
    "written", ["", "soon", "-5m", "5 moons", "1:30", True, "5m 3", "min"]
)
def test_other_words_are_refused(written: str) -> None:
    with pytest.raises(EqlearnError, match="`time_limit` must be seconds, or a text"):
        seconds(written)

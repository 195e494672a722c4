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
    ],
)
def test_times_as_people_write_them(
    written: float | str | None, found: float | None
) -> None:
    assert seconds(written) == found


@pytest.mark.parametrize("written", ["", "soon", "-5m", "5 minutes", "1:30", True])
def test_other_words_are_refused(written: str) -> None:
    with pytest.raises(EqlearnError, match="`time_limit` must be seconds, or a text"):
        seconds(written)

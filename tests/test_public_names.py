import pytest

import eqlearn


def test_every_public_name_can_be_imported() -> None:
    for name in eqlearn.__all__:
        assert getattr(eqlearn, name) is not None
    assert dir(eqlearn) == sorted(eqlearn.__all__)


def test_a_missing_name_says_so() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Equatoin'"):
        eqlearn.Equatoin  # noqa: B018

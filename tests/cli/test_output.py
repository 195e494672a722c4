"""How commands print, and how lists are typed."""

import sys

import pytest

from eqlearn.cli import output


def test_a_terminal_gets_no_escape_sequences(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    output.deliver("\x1b[2J\n")
    assert capsys.readouterr().out == "\x1b[2J\n"
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    output.deliver("\x1b[2J\n")
    assert capsys.readouterr().out == "\\x1b[2J\n"


@pytest.mark.parametrize(
    ("texts", "names"),
    [
        (["a"], ["a"]),
        (["a,b", "c"], ["a", "b", "c"]),
        ([r"a\,b,c"], ["a,b", "c"]),
        (["\\"], ["\\"]),
        (["a\nb"], ["a\nb"]),
        ([""], [""]),
    ],
)
def test_lists_of_names(texts: list[str], names: list[str]) -> None:
    assert output.names(texts) == names

import builtins
import io
import sys
import time
import types
from typing import Any

import pytest
from hostile_names import HOSTILE

from eqlearn.network.graph import CONSTANT, Graph, Node
from eqlearn.report.progress import lines, shown
from eqlearn.search.learn import Best, Progress

PRODUCT = Node("multiply", ({0: 1.0}, {1: 1.0}))
GRAPH = Graph(2, (PRODUCT,), (({2: 1.5, CONSTANT: 0.25}, {CONSTANT: 1.0}),))


def moment(n_targets: int = 1, **changes: Any) -> Progress:
    start = Progress(12.3, None, 4, 2, 0, (Best(GRAPH, 0.0123, 7),) * n_targets)
    return start._replace(**changes)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_line_says_how_far_it_is() -> None:
    count, formula = lines(moment(), ["a", "b"], ["power"])
    assert count == "12 s: 4 candidates done, 2 running"
    assert formula == "  power = 1.5*a*b + 0.25 (error 0.0123, complexity 7)"


def test_failures_and_the_time_left_are_told() -> None:
    count, *_ = lines(moment(n_failed=3, time_limit=60.0), ["a", "b"], ["y"])
    assert count == "12 s, 48 s left: 4 candidates done, 2 running, 3 failed"
    late, *_ = lines(moment(time_limit=10.0), ["a", "b"], ["y"])
    assert late.startswith("12 s, 0 s left")


def test_a_long_formula_is_cut() -> None:
    _, formula = lines(moment(), ["a" * 200, "b"], ["y"])
    assert "…" in formula and len(formula) < 160


def test_a_log_gets_a_line_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    file = io.StringIO()
    with shown(["a", "b"], ["y"], file) as show:
        for second in range(150):
            now[0] = float(second)
            show(moment(seconds=second))
    written = file.getvalue().splitlines()
    assert [line.split(":")[0] for line in written[::2]] == ["60 s", "120 s"]
    assert all("\x1b" not in line for line in written)


def test_who_waits_gets_lines_sooner_and_then_fewer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    file = io.StringIO()
    with shown(["a", "b"], ["y"], file, first_line=5.0) as show:
        for second in range(200):
            now[0] = float(second)
            show(moment(seconds=second))
    seconds = [line.split(":")[0] for line in file.getvalue().splitlines()[::2]]
    assert seconds == ["5 s", "15 s", "35 s", "75 s", "135 s", "195 s"]


def test_a_notebook_gets_one_output_that_changes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told: list[dict[str, str]] = []

    class Handle:
        def update(self, content: dict[str, str], *, raw: bool) -> None:
            assert raw
            told.append(content)

    class ZMQInteractiveShell:  # what Rich knows a notebook by
        pass

    notebook = types.ModuleType("IPython.display")
    notebook.display = lambda *content, **options: Handle()  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython", types.ModuleType("IPython"))
    monkeypatch.setitem(sys.modules, "IPython.display", notebook)
    monkeypatch.setattr(builtins, "get_ipython", ZMQInteractiveShell, raising=False)
    with shown(["a", "b"], ["power"], io.StringIO()) as show:
        show(moment())
        show(moment(n_done=5))  # too soon
    (only,) = told
    assert "4 candidates done" in only["text/plain"]
    assert "power = 1.5*a*b + 0.25" in only["text/plain"]


def test_a_terminal_gets_one_view_that_goes_away(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    file = Terminal()
    with shown(["a", "b"], ["power"], file) as show:
        show(moment())
        show(moment(n_done=5))  # too soon
    text = file.getvalue()
    assert "4 candidates done" in text and "5 candidates" not in text
    assert "1.5*a*b + 0.25" in text and "error 0.0123" in text
    assert text.endswith("\x1b[1A\x1b[2K")  # up a line and clear it


@pytest.mark.parametrize("name", ["[bold red]", "[/]", "[link=http://x]y[/link]"])
def test_names_are_not_markup(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    file = Terminal()
    with shown([name, "b"], [name], file) as show:
        show(moment())
    assert f"{name}  1.5*" in file.getvalue()


def is_harmless(text: str) -> bool:
    return all(letter.isprintable() for letter in text)


@pytest.mark.parametrize("name", HOSTILE)
def test_no_name_reaches_a_terminal_with_control_characters(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert all(map(is_harmless, lines(moment(), [name, "b"], [name])))
    monkeypatch.setenv("TERM", "dumb")  # a terminal to which Rich sends no codes
    file = Terminal()
    with shown([name, "b"], [name], file) as show:
        show(moment())
    assert all(map(is_harmless, file.getvalue().split("\n")))

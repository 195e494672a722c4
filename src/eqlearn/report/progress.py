"""A search while it runs: one live view in a terminal or notebook, lines in a log."""

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TextIO

from eqlearn.equation.write.symbolic import expressions, rounded
from eqlearn.errors import printable
from eqlearn.search.learn import Best, Progress

if TYPE_CHECKING:
    from rich.table import Table

#: Seconds between two lines in a log.
LOG_EVERY = 60.0
#: Seconds to the first line where someone waits for it; then twice as long each time.
FIRST_LINE = 5.0
#: Seconds between two updates of a live view.
SHOW_EVERY = 0.25
#: Letters of a formula that are shown while it may still change.
LONGEST_FORMULA = 100


@dataclass(frozen=True)
class BestSoFar:
    """How far a search is, and the best equations so far, for a callback."""

    progress: Progress
    inputs: tuple[str, ...]
    targets: tuple[str, ...]

    @property
    def seconds(self) -> float:
        """How long the search has been going on."""
        return self.progress.seconds

    @property
    def n_done(self) -> int:
        """How many steps of the search are done."""
        return self.progress.n_done

    @property
    def equations(self) -> dict[str, str]:
        """The best formula of each target."""
        return {
            target: f"{target} = {formula(best, self.inputs)}"
            for target, best in self._pairs()
        }

    @property
    def errors(self) -> dict[str, float]:
        """The error of each, as a root mean square."""
        return {target: best.rms for target, best in self._pairs()}

    @property
    def complexities(self) -> dict[str, int]:
        """The complexity of each."""
        return {target: best.complexity for target, best in self._pairs()}

    def _pairs(self) -> Iterator[tuple[str, Best]]:
        return zip(self.targets, self.progress.best, strict=True)


class Shown(Protocol):
    """Something that follows a search."""

    def __call__(self, progress: Progress) -> None:
        """Show how far it is."""
        ...


@contextmanager
def shown(
    inputs: Sequence[str],
    targets: Sequence[str],
    file: TextIO | None = None,
    first_line: float = LOG_EVERY,
) -> Iterator[Shown]:
    """Follow a search in the way that suits `file`, by default the standard error.

    A terminal and a notebook get one view that changes, anything else plain lines: the
    first after so many seconds, the next ones after twice as many, up to a minute.
    """
    file = sys.stderr if file is None else file
    from rich.console import Console

    console = Console(file=file)
    if console.is_jupyter:
        yield _in_a_notebook(list(inputs), list(targets))
    elif console.is_terminal:
        from rich.live import Live

        with Live(console=console, auto_refresh=False, transient=True) as live:

            def update(progress: Progress) -> None:
                view = _view(progress, list(inputs), list(targets))
                live.update(view, refresh=True)

            yield _Sometimes(update, 0.0, SHOW_EVERY)
    else:
        yield logged(inputs, targets, file, LOG_EVERY, first_line)


def _in_a_notebook(inputs: list[str], targets: list[str]) -> Shown:
    """One output of a cell that is replaced by the next; Rich would need widgets."""
    from IPython.display import display  # type: ignore[import-not-found, unused-ignore]

    handle = display({"text/plain": ""}, raw=True, display_id=True)

    def update(progress: Progress) -> None:
        text = "\n".join(lines(progress, inputs, targets))
        handle.update({"text/plain": text}, raw=True)

    return _Sometimes(update, 0.0, SHOW_EVERY)


def logged(
    inputs: Sequence[str],
    targets: Sequence[str],
    file: TextIO,
    seconds: float,
    first: float | None = None,
) -> Shown:
    """Follow a search by plain lines, every so many seconds once it has lasted."""

    def write(progress: Progress) -> None:
        for line in lines(progress, list(inputs), list(targets)):
            print(line, file=file, flush=True)

    return _Sometimes(write, seconds if first is None else first, seconds)


class _Sometimes:
    """Passes on one call out of many: after `first` seconds, then less and less."""

    def __init__(self, show: Shown, first: float, most: float) -> None:
        self._show, self._most = show, most
        self._wait = min(first, most)
        self._next = time.monotonic() + self._wait

    def __call__(self, progress: Progress) -> None:
        if time.monotonic() >= self._next:
            self._show(progress)
            self._wait = min(2.0 * self._wait, self._most) or self._most
            self._next = time.monotonic() + self._wait


def lines(
    progress: Progress, inputs: Sequence[str], targets: Sequence[str]
) -> list[str]:
    """Tell in plain words how far a search is."""
    return [
        counts(progress),
        *(
            f"  {printable(target)} = {formula(best, inputs)} ({quality(best)})"
            for target, best in zip(targets, progress.best, strict=True)
        ),
    ]


def counts(progress: Progress) -> str:
    """Candidates and time, in one line."""
    failed = f", {progress.n_failed} failed" if progress.n_failed else ""
    left = ""
    if progress.time_limit is not None:
        left = f", {max(0.0, progress.time_limit - progress.seconds):.0f} s left"
    return (
        f"{progress.seconds:.0f} s{left}: {progress.n_done} candidates done, "
        f"{progress.n_running} running{failed}"
    )


def formula(best: Best, inputs: Sequence[str]) -> str:
    """The best formula so far, cut if it is long."""
    text = str(rounded(expressions(best.graph, list(inputs))[0], 3))
    return printable(text, LONGEST_FORMULA)


def quality(best: Best) -> str:
    """Error and size of the best formula so far."""
    return f"error {best.rms:.3g}, complexity {best.complexity}"


def _view(progress: Progress, inputs: Sequence[str], targets: Sequence[str]) -> "Table":
    from rich.table import Table
    from rich.text import Text

    view = Table.grid(padding=(0, 2))
    view.title = counts(progress)
    view.title_justify = "left"
    for target, best in zip(targets, progress.best, strict=True):
        # As text, not as markup: a column may be called "[bold]".
        view.add_row(
            Text(printable(target)),
            Text(formula(best, inputs)),
            Text(quality(best), style="dim"),
        )
    return view

"""How far a search is, told by a learner while it learns."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

from eqlearn.data.duration import seconds
from eqlearn.search.learn import Progress


class TellingProgress:
    """A learner that shows how far it is, or tells a function of the user's."""

    verbose: bool | str
    callback: Any = None  # hears of the best equation so far, and may end the search

    @contextmanager
    def _progress(
        self, inputs: tuple[str, ...], targets: tuple[str, ...]
    ) -> Iterator[Callable[[Progress], object]]:
        if not self.verbose and self.callback is None:
            yield lambda progress: None
            return
        from eqlearn.report.progress import FIRST_LINE, BestSoFar, shown

        wait = self.verbose if isinstance(self.verbose, str) else FIRST_LINE
        first = seconds(wait, "verbose") or FIRST_LINE
        following = shown(inputs, targets, first_line=first)
        with following if self.verbose else nullcontext() as show:

            def hear(progress: Progress) -> object:
                if show is not None:
                    show(progress)
                if self.callback is None:
                    return False
                return self.callback(BestSoFar(progress, inputs, targets))

            yield hear

"""The table of methods. Each is loaded when it is used: some take a second or two."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from eqlearn.baselines.question import Answer, Method, Question


@dataclass(frozen=True)
class LazyMethod:
    """A method by its place in this room, and the package that it needs, if any."""

    module: str
    function: str
    package: str = ""

    def load(self) -> "Method":
        """Import the method with all that it needs, so that it can be timed."""
        from eqlearn.baselines.question import peer

        if self.package:
            peer(self.package)
        home = import_module(f"eqlearn.baselines.{self.module}")
        method: Method = getattr(home, self.function)
        return method

    def __call__(self, question: "Question") -> "list[Answer | None]":
        """Learn every target of the question."""
        return self.load()(question)


OURS = LazyMethod("ours", "by_eqlearn")

BASELINES: Mapping[str, LazyMethod] = {
    "eql": LazyMethod("eql", "by_eql"),
    "mlp": LazyMethod("mlp", "by_mlp"),
    "svr": LazyMethod("svr", "by_svr"),
    "pyoperon": LazyMethod("evolutionary", "by_pyoperon", "pyoperon.sklearn"),
    "gplearn": LazyMethod("evolutionary", "by_gplearn", "gplearn.genetic"),
    "sindy": LazyMethod("sindy", "by_sindy", "pysindy"),
    "sindy-informed": LazyMethod("sindy", "by_informed_sindy", "pysindy"),
    "zero": LazyMethod("zero", "by_zero"),
}

#: All that can be asked.
METHODS: Mapping[str, LazyMethod] = {
    "eqlearn": OURS,
    "eqlearn-paper": LazyMethod("ours", "by_paper_recipe"),
    "eqlearn-refined": LazyMethod("ours", "by_refined_recipe"),
    **BASELINES,
}

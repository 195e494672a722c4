"""Our own library behind the same interface, to be compared with the others."""

from collections.abc import Sequence
from typing import Any

from eqlearn._types import Array
from eqlearn.baselines.question import Answer, Question
from eqlearn.equation.symbolic import expressions
from eqlearn.network.graph import Graph
from eqlearn.problems import Learned
from eqlearn.search import learn as search
from eqlearn.search.results import table_of
from eqlearn.search.selection import DEFAULT, available, chosen


def by_eqlearn(question: Question) -> list[Answer | None]:
    """Learn with the fast recipe; None where it found nothing."""
    found = search.learn(
        question.x,
        question.y,
        seed=question.seed,
        time_limit=question.seconds,
        far=question.far,
        jobs=question.workers,
    )
    return [answer_of(one, question.names) for one in found]


def answer_of(
    found: search.Found, names: Sequence[str], criterion: str = DEFAULT
) -> Answer | None:
    """Take a criterion's pick as the answer, and tell those of all criteria."""
    if not found.candidates:
        return None
    table = table_of(found.candidates)
    learned = [_learned(one.snapped, names) for one in found.candidates]
    at = {name: chosen(table, name) for name in available(table)}
    pick = found.candidates[at[criterion]]
    remarks = {
        "votes": pick.votes,
        "has_pole": pick.has_pole,
        "residual_rms": pick.rms,
        "seconds": round(found.seconds, 2),
    }
    return Answer(
        learned[at[criterion]],
        pick.graph.n_parameters,
        found.n_attempts,
        remarks,
        {name: learned[place] for name, place in at.items()},
    )


def _learned(graph: Graph, names: Sequence[str]) -> Learned:
    def predict(x: Array) -> Any:
        return graph.evaluate(x)[0][:, 0]

    return Learned(predict, expressions(graph, names)[0])

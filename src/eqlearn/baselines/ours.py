"""Our own library behind the same interface, to be compared with the others."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from eqlearn.baselines.affordable import affordable
from eqlearn.baselines.question import Answer, Question
from eqlearn.baselines.validation import Predict
from eqlearn.equation.write.symbolic import expressions
from eqlearn.network.graph import Graph
from eqlearn.network.instance import thresholded
from eqlearn.problems import Learned
from eqlearn.search import learn as search
from eqlearn.search.attempts.grid_networks import Grid
from eqlearn.search.conclude.selection import DEFAULT, Candidates
from eqlearn.search.conclude.to_model import picks_of, tables_of
from eqlearn.search.request import Request

#: The networks as they are when their training has ended.
AS_PUBLISHED = Grid(refine=False)


def by_eqlearn(question: Question) -> list[Answer | None]:
    """Learn with the fast recipe; None where it found nothing."""
    return answers_of(_searched(question, "fast"), question.names)


def by_paper_recipe(
    question: Question, grid: Grid = AS_PUBLISHED
) -> list[Answer | None]:
    """Learn with the paper's grid of networks and its criteria: V^int-S or V^int&ex.

    Its training is hours long; in less time there are fewer epochs.
    """
    criterion = "v_int_s" if question.far is None else "v_int_ex"
    return by_grid(question, affordable(grid, question), criterion)


def by_refined_recipe(question: Question) -> list[Answer | None]:
    """Learn as the paper does, then prune and refit as the fast recipe does."""
    return by_paper_recipe(question, Grid(refine=True))


def by_grid(question: Question, grid: Grid, criterion: str) -> list[Answer | None]:
    """Train a grid of networks, and take a criterion's pick."""
    remarks = {"criterion": criterion, "epochs": grid.n_epochs or "as published"}
    values = plain if grid.refine else as_tested
    found = _searched(question, grid)
    answers = answers_of(found, question.names, criterion, values)
    return [a and replace(a, remarks={**a.remarks, **remarks}) for a in answers]


def _searched(question: Question, recipe: str | Grid) -> list[search.Found]:
    """Search as the question says: from what, from which seed, for how long."""
    request = Request(
        question.x,
        question.y,
        seed=question.seed,
        time_limit=question.time_limit if math.isfinite(question.time_limit) else None,
        far=question.far,
        jobs=question.n_workers,
        recipe=recipe,
        run_dir=question.run_dir,
    )
    return search.learn(request, question.follow)


def plain(graph: Graph) -> Predict:
    """A formula as it is written."""
    return lambda x: graph.evaluate(x)[0]


def as_tested(graph: Graph) -> Predict:
    """A network as it is tested, with the division of Eq. 3 at θ = 1e-4."""
    return partial(thresholded, graph)


def answers_of(
    found: Sequence[search.Found],
    names: Sequence[str],
    criterion: str = DEFAULT,
    values: Callable[[Graph], Predict] = plain,
) -> list[Answer | None]:
    """Take a criterion's picks as the answers; None where nothing was found."""
    known = [one for one in found if one.candidates]
    picks = zip(known, tables_of(known), picks_of(known, criterion), strict=True)
    answers = (_answer(one, names, table, at, values) for one, table, at in picks)
    return [next(answers) if one.candidates else None for one in found]


def _answer(
    found: search.Found,
    names: Sequence[str],
    table: Candidates,
    place: int,
    values: Callable[[Graph], Predict],
) -> Answer:
    """Take a candidate as the answer, and tell what it was chosen from."""
    learned = [
        _learned(one.snapped, names, values(one.snapped)) for one in found.candidates
    ]
    pick = found.candidates[place]
    remarks = {
        "votes": pick.votes,
        "has_pole": pick.has_pole,
        "residual_rms": pick.rms,
        "seconds": round(found.seconds, 2),
    }
    return Answer(
        learned[place],
        pick.graph.n_parameters,
        found.n_attempts,
        remarks,
        tuple(zip(_numbers(table), learned, strict=True)),
    )


def _numbers(table: Candidates) -> list[dict[str, float]]:
    """What criteria see of each candidate."""
    columns = {
        name: values for name, values in vars(table).items() if values is not None
    }
    rows = zip(*columns.values(), strict=True)
    return [dict(zip(columns, map(float, row), strict=True)) for row in rows]


def _learned(graph: Graph, names: Sequence[str], predict: Predict) -> Learned:
    return Learned(lambda x: predict(x)[:, 0], expressions(graph, names)[0])

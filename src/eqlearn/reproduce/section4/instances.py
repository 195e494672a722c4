"""Which network of a grid is the answer (Eqs. 9-10), and what becomes of it refined.

All of it is read off the lines of `networks`, whenever and wherever these were trained.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from typing import NamedTuple

import numpy as np

from eqlearn.baselines.ours import answers_of
from eqlearn.baselines.question import Answer
from eqlearn.jobs.backends import backend
from eqlearn.jobs.job import Stage, Together
from eqlearn.jobs.runner import run
from eqlearn.jobs.store import Memory
from eqlearn.network.document import from_document
from eqlearn.network.graph import Graph
from eqlearn.network.transform import rescaled
from eqlearn.problems import problem
from eqlearn.reproduce.jsonl import Line
from eqlearn.reproduce.section4.experiments import OURS, published
from eqlearn.reproduce.section4.missing_runs import summary
from eqlearn.reproduce.section4.networks import Training, grid_of, key_of
from eqlearn.reproduce.section4.runs import TimedRun, judged_for, posed
from eqlearn.reproduce.section4.tables import IN_SQUARES, commits_of
from eqlearn.reproduce.text_tables import TextTable
from eqlearn.search.attempts.random_networks import to_formula
from eqlearn.search.conclude.selection import Candidates, chosen
from eqlearn.search.keep.finishing import finishing
from eqlearn.search.keep.pool import Pool
from eqlearn.search.keep.target import Target
from eqlearn.search.learn import Found
from eqlearn.search.prepare import tasks_of
from eqlearn.search.task import Task, numerical_context

#: The paper's criteria, and whether each looks at far points.
CRITERIA = {"v_int_s": False, "v_int_ex": True}


class Pick(NamedTuple):
    """The network that a criterion picks of one grid."""

    criterion: str
    line: Line
    n_networks: int  # that it was picked from, diverged ones included


def selected(
    lines: Iterable[Line], criterion: str = "v_int_s", size: str = "s"
) -> list[Pick]:
    """Pick a network of every grid that there are lines of.

    All outputs are of one network, as in the paper. `size` is the number that tells
    how sparse a network is: s, or s_released, as the authors' code counts.
    """
    return [
        Pick(criterion, grid[chosen(table, criterion)], len(grid))
        for grid in grids(lines)
        if np.isfinite((table := _candidates(grid, size)).validation).any()
    ]


def grids(lines: Iterable[Line]) -> list[list[Line]]:
    """The newest lines of networks, those of one grid together."""
    newest = {key_of(line): line for line in lines}
    found: dict[str, list[Line]] = {}
    for line in newest.values():
        found.setdefault(grid_of(line), []).append(line)
    return list(found.values())


def _candidates(grid: Sequence[Line], size: str) -> Candidates:
    def column(name: str) -> np.ndarray:
        values = [math.inf if (v := line[name]) is None else v for line in grid]
        return np.array(values, dtype=float)

    return Candidates(
        validation=column("validation"),
        size=column(size),
        bic=np.zeros(len(grid)),  # which the paper does not look at
        extrapolation=column("extrapolation"),
    )


def refined_pick(pick: Pick) -> Line:
    """Prune and refit a pick, as the recipe with refinement does, and judge it.

    Where the criterion looks at far points, the refinement does too.
    """
    line = pick.line
    if line["graph"] is None:
        message = f"{line['n_parameters']} weights are too many to be kept"
        return {"status": "nothing found", "message": message}
    training = Training(line["problem"], line["seed"], rows=line["rows"])
    question = posed(TimedRun(training.run, math.inf))
    far = question.far if CRITERIA.get(pick.criterion) else None
    tasks = tasks_of(training.request(question, far=far))
    network = from_document(line["graph"])
    answers = [
        _refined(task, network, number, question.names)
        for number, task in enumerate(tasks)
    ]
    judged = judged_for(training.run, answers)
    seconds = sum(answer.remarks["seconds"] for answer in answers if answer)
    kept = {name: value for name, value in judged.items() if name != "slice"}
    return {**kept, "seconds": round(seconds, 2)}


def _refined(
    task: Task, network: Graph, number: int, names: Sequence[str]
) -> Answer | None:
    """What a network becomes for one of its outputs; None if nothing is left of it."""
    one = Graph(network.n_inputs, network.nodes, (network.outputs[number],))
    with numerical_context(task):
        start = to_formula(task, rescaled(one, 1 / task.x_scale, [1 / task.y_scale]))
    if start is None:
        return None
    target = Target(0, Pool(task), whole="0", stays_local=False, n_attempts=1)
    target.pool.add(start)
    with backend({"0": task}, jobs=1) as here:
        ending = run([_Finishing(target)], here, Memory())
    found = Found(tuple(target.candidates), 1, ending.seconds, ending.reason)
    (answer,) = answers_of([found], names)
    return answer


@dataclass(frozen=True)
class _Finishing:
    """The end of a recipe as a plan of its own."""

    target: Target

    def stages(self) -> Iterator[Stage | Together]:
        """Refinement and final fits."""
        yield from finishing(self.target)


def told(pick: Pick, is_refined: bool = False) -> str:
    """Say in a line what a criterion picks, and what becomes of it."""
    line = pick.line
    what = f"{line['problem']}, seed {line['seed']}, {pick.criterion}"
    network = f"L = {line['depth']}, λ = {line['l1']:g}, s = {line['s']}"
    errors = f"inside {line['rms_inside']:.3g}, outside {line['rms_outside']:.3g}"
    text = f"{what}: {network}, {errors}"
    return f"{text}; refined: {summary(refined_pick(pick))}" if is_refined else text


NOTES = (
    "errors: median [least, most] over the seeds, root mean squares at 5000 points "
    "against the noise-free truth, with θ = 1e-4",
    "as there, and paper: against targets with the noise of the training data, which "
    "is what the true formula has as its error there; of the cart-pendulum mean "
    "squares per output",
    "networks: that were picked from; a whole grid has 78; size: connected units s of "
    "the picks",
)


def table(
    lines: Iterable[Line], criteria: Sequence[str] = tuple(CRITERIA)
) -> TextTable:
    """Lay out what the criteria pick, by problem and way of training."""
    lines, rows = list(lines), []
    for criterion in criteria:
        groups: dict[tuple[str, ...], list[Pick]] = {}
        for pick in selected(lines, criterion):
            groups.setdefault(_trained_how(pick.line), []).append(pick)
        rows += [
            [*how, criterion, *_cells(picks)] for how, picks in sorted(groups.items())
        ]
    rows.sort(key=lambda row: row[:5])
    return TextTable("Networks of the paper's grids", list(COLUMNS), rows, list(NOTES))


COLUMNS = (
    *("problem", "length", "initial weights", "penalty epochs"),
    *("criterion", "seeds", "networks"),
    *("inside", "outside", "outside, as there", "paper", "size", "parameters"),
    "commits",
)


def _trained_how(line: Line) -> tuple[str, ...]:
    options = line["options"]["initial"], line["options"]["penalty"]
    return line["problem"], f"{line['length']:g}", *options


def _cells(picks: Sequence[Pick]) -> list[str]:
    first = picks[0]
    which = first.line["problem"]
    n_far = problem(which).n_far if CRITERIA.get(first.criterion) else 0
    theirs = published(which, OURS["paper"], n_far)
    return [
        str(len(picks)),
        str(sum(pick.n_networks for pick in picks)),
        *(_spread(_numbers(picks, name)) for name in ("rms_inside", "rms_outside")),
        _spread([_as_there(pick.line) for pick in picks]),
        "–" if theirs is None else str(theirs),
        *(_spread(_numbers(picks, name)) for name in ("s", "n_parameters")),
        commits_of([pick.line for pick in picks]),
    ]


def _as_there(line: Line) -> float:
    """The error outside as the paper has it, with the noise of the targets."""
    outside = line["rms_outside"]
    asked = problem(line["problem"])
    noise = line["noise"] * asked.noise_scale
    square = math.inf if outside is None else outside**2 + float(np.sum(noise**2))
    if line["problem"] in IN_SQUARES:
        return square / len(asked.outputs)
    return math.sqrt(square)


def _numbers(picks: Sequence[Pick], name: str) -> list[float]:
    return [math.inf if (v := pick.line[name]) is None else v for pick in picks]


def _spread(values: Sequence[float]) -> str:
    middle, least, most = median(values), min(values), max(values)
    return (
        f"{middle:.3g}"
        if len(values) == 1
        else f"{middle:.3g} [{least:.3g}, {most:.3g}]"
    )

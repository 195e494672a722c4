"""The original EQL: no division, networks as they were trained, places added up."""

from dataclasses import replace
from functools import partial

from eqlearn.baselines.ours import answer_of, searched
from eqlearn.baselines.question import Answer, Question
from eqlearn.search.paper import PAPER_DEPTHS, TRAINING_SHARE, VALIDATION_SHARE, Grid

#: The paper's grid with the linear read-out of EQL; ours would prune and refit.
GRID = Grid(division=False, refine=False)
#: Seconds that a step of a batch of networks takes, by depth, and that it compiles:
#: measured on one core with 13 networks of 10 units a type, F-1.
STEP_SECONDS = {2: 0.23e-3, 3: 0.38e-3, 4: 0.62e-3}
COMPILE_SECONDS = 5.0
BATCH_SIZE = 20
FEWEST_EPOCHS = 20


def by_eql(question: Question, grid: Grid | None = None) -> list[Answer | None]:
    """Learn with the paper's recipe as it was before division.

    Its training is hours long. In less time every network of the grid is trained for
    fewer epochs, as many as should fit. The pick is by places in error and sparsity, as
    in the original; by V^int&ex where there are far points.
    """
    grid = grid or affordable(GRID, question)
    found = searched(question, grid)
    criterion = "v_ranks" if question.far is None else "v_int_ex"
    answers = map(partial(answer_of, names=question.names, criterion=criterion), found)
    remarks = {"criterion": criterion, "epochs": grid.n_epochs or "as published"}
    return [a and replace(a, remarks={**a.remarks, **remarks}) for a in answers]


def affordable(grid: Grid, question: Question) -> Grid:
    """Shorten the training so that all of a grid fits into the time."""
    n_steps = max(1.0, (1 - VALIDATION_SHARE) * len(question.x) / BATCH_SIZE)
    n_each = len(grid.batches()) / len(grid.depths)  # batches of each depth
    left = TRAINING_SHARE * question.seconds - COMPILE_SECONDS * len(grid.depths)
    left *= question.workers

    def seconds(epochs_of: dict[int, int]) -> float:
        costs = (n * STEP_SECONDS[depth] for depth, n in epochs_of.items())
        return n_each * n_steps * sum(costs)

    if seconds({depth: 10_000 * (depth - 1) for depth in PAPER_DEPTHS}) <= left:
        return grid
    one_epoch = seconds({depth: 1 for depth in grid.depths})
    n_epochs = max(FEWEST_EPOCHS, int(left / one_epoch) // 10 * 10)
    return replace(grid, n_epochs=n_epochs)

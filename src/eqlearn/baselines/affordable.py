"""The paper's grid of networks in less time than the paper took.

Cut off by a clock, most networks would still be in an early phase of their training.
So every network goes through all phases, in fewer epochs.
"""

from dataclasses import replace

from eqlearn.baselines.question import Question
from eqlearn.search.attempts.grid_networks import PAPER_DEPTHS, Grid
from eqlearn.search.strategy import STANDARD
from eqlearn.training.schedule import Schedule

#: Seconds that a step of a batch of networks takes, by depth, and that it compiles:
#: measured on one core with 13 networks of 10 units a type, F-1, and half as much again
#: for a machine that is not alone.
STEP_SECONDS = {2: 0.034e-3, 3: 0.11e-3, 4: 0.18e-3}
COMPILE_SECONDS = 2.0
BATCH_SIZE = 20
FEWEST_EPOCHS = 20


def affordable(grid: Grid, question: Question) -> Grid:
    """Shorten the training so that all of a grid fits into the time."""
    n_steps = max(1.0, (1 - STANDARD.rows.held_out) * len(question.x) / BATCH_SIZE)
    n_each = len(grid.batches()) / len(grid.depths)  # batches of each depth
    share = STANDARD.shares.training
    left = share * question.time_limit - COMPILE_SECONDS * len(grid.depths)
    left *= question.n_workers

    def seconds(epochs_of: dict[int, int]) -> float:
        costs = (n * STEP_SECONDS[depth] for depth, n in epochs_of.items())
        return n_each * n_steps * sum(costs)

    if seconds({d: Schedule.paper(d).n_epochs for d in PAPER_DEPTHS}) <= left:
        return grid
    one_epoch = seconds({depth: 1 for depth in grid.depths})
    n_epochs = max(FEWEST_EPOCHS, int(left / one_epoch) // 10 * 10)
    return replace(grid, n_epochs=n_epochs)

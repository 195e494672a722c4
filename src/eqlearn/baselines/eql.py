"""The original EQL: no division, networks as they were trained, places added up."""

from eqlearn.baselines.affordable import affordable
from eqlearn.baselines.ours import by_grid
from eqlearn.baselines.question import Answer, Question
from eqlearn.search.attempts.grid_networks import Grid

#: The paper's grid with the linear read-out of EQL; ours would prune and refit.
GRID = Grid(division=False, refine=False)


def by_eql(question: Question, grid: Grid | None = None) -> list[Answer | None]:
    """Learn with the paper's recipe as it was before division.

    Its training is hours long; in less time there are fewer epochs. The pick is by
    places in error and sparsity, as in the original; by V^int&ex where there are far
    points.
    """
    criterion = "v_ranks" if question.far is None else "v_int_ex"
    return by_grid(question, grid or affordable(GRID, question), criterion)

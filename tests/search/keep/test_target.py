from dataclasses import replace

import numpy as np
from formulas import formula
from tasks import target_of, task_of

from eqlearn.search.keep.final_fits import Candidate


def candidate(bic: float, votes: int, n_terms: int = 1) -> Candidate:
    graph = formula(2, dict.fromkeys(range(n_terms), 1.0))
    return Candidate(graph, graph, (), bic, 1.0, votes, False, 1.0)


def test_candidates_are_listed_best_first_and_equal_ones_once() -> None:
    target = target_of(task_of(np.zeros((10, 2)), np.zeros(10)))
    for one in (candidate(5.0, 1), candidate(-3.0, 2), candidate(5.01, 4)):
        target.list_candidate(one)
    assert [(one.bic, one.votes) for one in target.candidates] == [(-3.0, 2), (5.0, 5)]
    # As good by chance, but of another size: another formula.
    target.list_candidate(candidate(5.0, 1, n_terms=2))
    assert len(target.candidates) == 3


def test_how_close_counts_as_equal_is_a_number_of_the_strategy() -> None:
    task = task_of(np.zeros((10, 2)), np.zeros(10))
    pooling = replace(task.strategy.pooling, same=0.001)
    strategy = replace(task.strategy, pooling=pooling)
    target = target_of(replace(task, strategy=strategy))
    for bic in (5.0, 5.01):
        target.list_candidate(candidate(bic, 1))
    assert len(target.candidates) == 2

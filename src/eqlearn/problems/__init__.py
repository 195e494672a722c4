"""Known equations to be rediscovered: for tests, benchmarks and documentation only."""

from eqlearn.problems.catalogue import (
    KIND,
    LAWS,
    PAPER,
    RANDOM_EXPRESSIONS,
    TEXTBOOK,
    TEXTBOOK_UNSEEN,
    WAVES,
    WAVES_UNSEEN,
    problem,
)
from eqlearn.problems.definition import Box, Problem, widened
from eqlearn.problems.identify import (
    Agreement,
    Identification,
    Learned,
    OutputIdentification,
    agreement,
    identified,
)
from eqlearn.problems.random_expressions import random_expression
from eqlearn.problems.true_form import has_true_form

__all__ = [
    "KIND",
    "LAWS",
    "PAPER",
    "RANDOM_EXPRESSIONS",
    "TEXTBOOK",
    "TEXTBOOK_UNSEEN",
    "WAVES",
    "WAVES_UNSEEN",
    "Box",
    "Learned",
    "Agreement",
    "OutputIdentification",
    "Problem",
    "Identification",
    "has_true_form",
    "identified",
    "agreement",
    "problem",
    "random_expression",
    "widened",
]

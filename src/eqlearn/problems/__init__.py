"""Known equations to be rediscovered: for tests, benchmarks and documentation only."""

from eqlearn.problems.catalogue import LAWS, PAPER, RANDOM_EXPRESSIONS, problem
from eqlearn.problems.definition import Box, Problem, widened
from eqlearn.problems.identify import (
    Identification,
    Learned,
    OutputIdentification,
    identified,
)
from eqlearn.problems.random_expressions import random_expression

__all__ = [
    "LAWS",
    "PAPER",
    "RANDOM_EXPRESSIONS",
    "Box",
    "Learned",
    "OutputIdentification",
    "Problem",
    "Identification",
    "identified",
    "problem",
    "random_expression",
    "widened",
]

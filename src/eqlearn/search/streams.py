"""Random streams by purpose, so that no two purposes share their numbers."""

from enum import IntEnum

import numpy as np


class Stream(IntEnum):
    """What random numbers are drawn for; the values are part of what a seed means."""

    CONFIGURATION = 1  # what a network of the fast recipe tries, by its number
    WEIGHTS = 2  # its initial weights, and the rows of each step of its training
    ROW_ORDER = 3  # the order of the table's rows
    POLE_POINTS = 4  # points of the domain of use where poles are looked for
    TRAINING = 5  # weights and mini-batches of the paper's networks, by their batch
    SHOWN_PARTS = 6  # which parts a batch of attempts is shown, by its number
    AGREEMENT = 7  # points of the domain of use where formulas are compared
    SHUFFLED_INPUTS = 8  # copies of inputs that mean nothing, for trees
    PART_RANGES = 9  # points where the range of a shown part is measured
    GUESSES = 10  # where the fits of guesses with free letters begin
    CURVES = 11  # where the fits of usual curves begin, in groups of rows
    FORMS = 12  # where the fits of known forms begin


def entropy(seed: int, stream: Stream, *numbers: int) -> list[int]:
    """What a generator is made from, as JSON can hold it.

    NumPy takes trailing zeros for nothing: a stream is used either always with a number
    or never.
    """
    return [seed, int(stream), *numbers]


def generator(seed: int, stream: Stream, *numbers: int) -> np.random.Generator:
    """The random numbers of one purpose, and of one of many like it."""
    return np.random.default_rng(entropy(seed, stream, *numbers))

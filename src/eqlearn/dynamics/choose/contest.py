"""How systems of equations are compared: by how they follow the measurements.

The criterion is -2 log likelihood of the trajectories plus a price for every constant
and function.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from eqlearn._types import Array
from eqlearn.dynamics.candidates.grounds import Grounds
from eqlearn.dynamics.candidates.reshaping import with_natural_angles
from eqlearn.dynamics.follow.motion import Motion
from eqlearn.dynamics.follow.pieces import Pieces
from eqlearn.dynamics.follow.shooting import Followed, fit_motion
from eqlearn.dynamics.settings import STANDARD_MOTION, MotionSettings
from eqlearn.network.graph import CONSTANT, Graph, sine_slots

#: Less than this is no gain.
_GAIN = 1e-6
#: Standard errors within which a weight may as well be 1.
_NATURAL = 2.0


class Rival(NamedTuple):
    """A system with its criterion on some pieces; smaller is better."""

    followed: Followed
    score: float

    @property
    def motion(self) -> Motion:
        """The system."""
        return self.followed.motion

    @property
    def starts(self) -> Array:
        """The initial states of the pieces."""
        return self.followed.starts


def is_better(new: Rival | None, old: Rival | None) -> bool:
    """Whether one system beats another."""
    return new is not None and (old is None or new.score < old.score - _GAIN)


def n_natural_angles(found: Followed) -> int:
    """How many weights of inputs in sines may as well be 1."""
    n, place = 0, 0
    for graph in found.motion.graphs:
        angles, slots = sine_slots(graph), graph.slots()
        for slot, source in graph.parameters():
            if slot in angles and 0 <= source < graph.n_inputs:
                off = abs(abs(slots[slot][source]) - 1.0)
                n += off < _NATURAL * found.errors[place]
            place += 1
    return n


@dataclass(frozen=True, eq=False)
class Contest:
    """The pieces that systems are compared on, and until when."""

    pieces: Pieces
    x: Array  # (S + A, N) states and inputs of the data
    deadline: float = np.inf
    clock: Callable[[], float] = time.monotonic
    settings: MotionSettings = STANDARD_MOTION
    grounds: Callable[[int], Grounds] | None = None  # of each state's rate
    has_natural_angles: bool = False  # angles near 1 in sines are not fitted, but 1

    @property
    def is_over(self) -> bool:
        """Whether time is up."""
        return self.clock() > self.deadline

    def on(self, pieces: Pieces) -> "Contest":
        """The same contest on other pieces."""
        return replace(self, pieces=pieces)

    def entered(
        self,
        motion: Motion,
        starts: Array | None = None,
        *,
        quick: bool = True,
        to_reach: float = np.inf,
    ) -> Rival | None:
        """Fit a system and score it; None if it cannot be followed.

        It may be given up if it has no prospect of the score `to_reach`.
        """
        by = self.settings.shooting
        if self.has_natural_angles:
            motion = self._with_natural_angles(motion)
        n = by.n_quick if quick else by.n_iterations
        sines = sum(len(sine_slots(graph)) for graph in motion.graphs)
        target = to_reach - self.price(motion, self.pieces.n_rows)
        target += sines * self.term_price(self.pieces.n_rows)
        for begin in (starts, None) if starts is not None else (None,):
            found = fit_motion(
                motion, self.pieces, begin, n_iterations=n, target=target, by=by
            )
            if found is not None:
                return Rival(found, self.score(found))
        return None

    def _with_natural_angles(self, motion: Motion) -> Motion:
        near = self.settings.choosing.near_angle
        graphs = tuple(
            graph if k in motion.known else with_natural_angles(graph, near)
            for k, graph in enumerate(motion.graphs)
        )
        return replace(motion, graphs=graphs)

    def score(self, found: Followed) -> float:
        """The criterion of a fitted system.

        An angle in a sine that may be taken as it is costs no constant.
        """
        natural = n_natural_angles(found) * self.term_price(found.n_rows)
        return found.misfit + self.price(found.motion, found.n_rows) - natural

    def hoped(self, rival: Rival | None, graph: Graph) -> float:
        """The score from which a system may win once its needless terms are gone."""
        if rival is None:
            return np.inf
        price = self.settings.choosing.hope * self.term_price(self.pieces.n_rows)
        return rival.score + price * graph.n_parameters

    def price(self, motion: Motion, n_rows: int) -> float:
        """What the constants and functions of a system cost."""
        by = self.settings.choosing
        prices = dict.fromkeys(("multiply", "divide"), by.product_price)
        prices |= dict.fromkeys(("sin", "cos"), by.sine_price)
        free = [g for k, g in enumerate(motion.graphs) if k not in motion.known]
        units = sum(
            prices.get(node.unit, by.function_price)
            for graph in free
            for node in graph.nodes
        )
        # What stands below the line of a whole formula is divided by as well.
        below = sum(len(graph.outputs[0][1].keys() - {CONSTANT}) for graph in free)
        units += by.product_price * below
        return motion.n_parameters * self.term_price(n_rows) + units

    def term_price(self, n_rows: int) -> float:
        """What a constant costs."""
        return float(np.log(n_rows)) + self.settings.choosing.term_price

"""The table of moves: what is tried on a formula that fits, and when."""

from collections.abc import Container

from eqlearn.equation.refine.hill_climb import Move
from eqlearn.equation.refine.rewrites import (
    cancelled_factors,
    constant_units,
    imitated_units,
    lifted_terms,
    merged_features,
    multiplied_out,
    swapped_sources,
)
from eqlearn.equation.refine.score_test import added_terms
from eqlearn.equation.refine.series import exponentials_for_powers
from eqlearn.equation.refine.sine_rewrites import (
    bent_sources,
    difference_quotients,
    inputs_as_angles,
    products_of_sines,
    sines_for_units,
    sines_of_half_angles,
    small_additions,
    units_in_a_limit,
)
from eqlearn.equation.refine.waves import added_plane_waves, added_waves, waves_for_sums

#: Cheap moves, worth trying on every candidate near the noise.
QUICK: tuple[Move, ...] = (
    merged_features,
    difference_quotients,
    small_additions,
    units_in_a_limit,
    cancelled_factors,
    products_of_sines,
)

#: All moves, for the few best candidates.
ALL: tuple[Move, ...] = (
    *QUICK,
    sines_for_units,
    sines_of_half_angles,
    multiplied_out,
    lifted_terms,
    inputs_as_angles,
    bent_sources,
    constant_units,
    imitated_units,
    swapped_sources,
    waves_for_sums,
    added_terms,
    added_waves,
)

#: What a formula may grow by. Plane waves find more in fewer steps, and more that is
#: not there.
FEW_ADDITIONS: tuple[Move, ...] = (added_waves, added_terms)
ALL_ADDITIONS: tuple[Move, ...] = (added_waves, added_plane_waves, added_terms)
#: Moves that bring in sines, where there may be none.
_NEW_SINES: tuple[Move, ...] = (
    sines_for_units,
    sines_of_half_angles,
    bent_sources,
    waves_for_sums,
    added_waves,
)


def with_units(units: Container[str]) -> tuple[Move, ...]:
    """All moves that bring in no other units than these."""
    moves = tuple(move for move in ALL if "sin" in units or move not in _NEW_SINES)
    return (*moves, exponentials_for_powers) if "exp" in units else moves

"""What is said of single rows: those that do not follow, and those it hangs on."""

from collections.abc import Sequence

from eqlearn.network.graph import Graph
from eqlearn.search.conclude.judged_rows import JudgedRows
from eqlearn.search.conclude.misfits import (
    Misfit,
    lone_misfits,
    misfits,
    misfits_among_neighbours,
    not_foretold,
    off_for_their_place,
    shift_without,
)
from eqlearn.search.conclude.signs import CHECK_LONE_ROWS, CHECK_ROWS, Sign
from eqlearn.search.verdict_strategy import Judging

#: Rows that are told with what was expected, and that are named at all.
_MOST_TOLD, _MOST_NAMED = 3, 40


def misfit_sign(graph: Graph, rows: JudgedRows, by: Judging) -> Sign | None:
    """Which rows do not follow, and whether the formula depends on them."""
    found = off_for_their_place(graph, misfits(graph, rows, by), rows, by)
    if not found:
        return None
    moves = shift_without(graph, found, rows, by) > by.agree
    end = ", and the formula would be another without." if moves else "."
    told = f"{_not_following(found, rows)}{end}"
    return Sign("limit" if moves else "note", told, CHECK_ROWS)


def left_out_sign(found: Sequence[Misfit], rows: JudgedRows) -> Sign:
    """Which rows a robust loss has left out: they need no advice."""
    told = _not_following(found, rows)
    return Sign("note", f"{told}; by the loss, they count for nothing.")


def neighbour_sign(graph: Graph, rows: JudgedRows, by: Judging) -> Sign | None:
    """Which rows are unlike their neighbours, for where no formula can be believed.

    Of a formula that foretells them this much can be believed all the same.
    """
    found = not_foretold(graph, misfits_among_neighbours(rows, by), rows, by)
    if not found:
        return None
    told = f"{_not_following(found, rows)}, as their neighbours tell."
    return Sign("note", told, CHECK_ROWS)


def lone_sign(graph: Graph, rows: JudgedRows, by: Judging) -> Sign | None:
    """Which rows far from all others a formula hangs on that cannot be believed.

    Any formula can bend to a wild input, and no neighbours give it away.
    """
    found = not_foretold(graph, lone_misfits(graph, rows, by), rows, by)
    if not found:
        return None
    numbers = sorted(int(rows.numbers[one.row]) + 1 for one in found)
    named = ", ".join(map(str, numbers[:_MOST_NAMED]))
    end = f" and {len(numbers) - _MOST_NAMED} more" * (len(numbers) > _MOST_NAMED)
    which, them = (
        (f"{len(found)} rows (rows {named}{end}) whose inputs are", "them")
        if len(found) > 1
        else (f"one row (row {named}) whose inputs are", "it")
    )
    told = f"It hangs on {which} far from those of all others: fitted without {them}, "
    return Sign("note", f"{told}it does not foretell {them}.", CHECK_LONE_ROWS)


def _not_following(found: Sequence[Misfit], rows: JudgedRows) -> str:
    """The first few with what was expected, some more by their numbers."""
    numbers = [int(rows.numbers[one.row]) + 1 for one in found]
    told = [
        f"row {number}: {one.value:.4g}, expected {one.expected:.4g} ± {one.error:.2g}"
        for number, one in zip(numbers[:_MOST_TOLD], found, strict=False)
    ]
    if named := numbers[_MOST_TOLD:_MOST_NAMED]:
        word = "rows" if len(named) > 1 else "row"
        told.append(f"{word} {', '.join(map(str, sorted(named)))}")
    if more := numbers[_MOST_NAMED:]:
        told.append(f"and {len(more)} more")
    start = f"{len(found)} rows do" if len(found) > 1 else "One row does"
    return f"{start} not follow ({'; '.join(told)})"

"""Products and transposes of small matrices, at the speed of the machine.

Matrices of 50 x 40 numbers are too small for a library. Here a tile of the result stays
in registers, and every step of the innermost loop adds to all of it.

A row of samples is 20 lanes, the paper's mini-batch: two vectors of eight and a half
one, which shares its register with the half of the next row.
"""

from functools import reduce
from typing import Any

import numba.extending
from numba.core import cgutils, types

from eqlearn.training.compiled.vectors import INT, WIDTH, Emit, compiled

# Its annotation counts the parameter `typing`, which callers do not give.
intrinsic: Any = numba.extending.intrinsic

#: Samples in a row.
N_LANES = 2 * WIDTH + WIDTH // 2
# Rows of a tile with 1, 2 and 3 vectors of columns: 12 vectors of results and some of
# factors are the 16 registers that every machine has.
_N_ROWS_1, _N_ROWS_2, _N_ROWS_3 = 12, 6, 4
_N_ROWS_LANES = 4  # in pairs


@compiled()
def set_lanes(c, c_at, a, a_at, bias_at, b, b_at, n_rows, n_inner):  # type: ignore[no-untyped-def]
    """C = A B + bias for lanes B and C; the biases of the rows are in `a`, too."""
    for r in range(0, n_rows, _N_ROWS_LANES):
        _lanes_from_bias(
            c, c_at + r * N_LANES, a, a_at + r * n_inner, n_inner, 1, bias_at + r, b,
            b_at, n_inner, n_rows - 1 - r,
        )  # fmt: skip


@compiled()
def add_lanes(c, c_at, a, a_at, a_column, b, b_at, n_rows, n_inner):  # type: ignore[no-untyped-def]
    """C += A B for lanes B and C; A is there transposed."""
    for r in range(0, n_rows, _N_ROWS_LANES):
        _lanes_added(
            c, c_at + r * N_LANES, a, a_at + r, 1, a_column, 0, b,
            b_at, n_inner, n_rows - 1 - r,
        )  # fmt: skip


@compiled()
def add_product(c, c_at, a, b, b_at, b_row, n_rows, n_inner, n_columns):  # type: ignore[no-untyped-def]
    """C += A B for lanes A, of which `n_inner` count.

    B must be readable up to a multiple of eight columns.
    """
    n = 0
    while n_columns - n >= 3 * WIDTH:
        for r in range(0, n_rows, _N_ROWS_3):
            _tile_3(c, c_at + r * n_columns + n, n_columns, a, r * N_LANES, b, b_at + n,
                    b_row, n_inner, n_rows - 1 - r, WIDTH)  # fmt: skip
        n += 3 * WIDTH
    while n_columns - n >= 2 * WIDTH:
        for r in range(0, n_rows, _N_ROWS_2):
            _tile_2(c, c_at + r * n_columns + n, n_columns, a, r * N_LANES, b, b_at + n,
                    b_row, n_inner, n_rows - 1 - r, WIDTH)  # fmt: skip
        n += 2 * WIDTH
    while n < n_columns:
        for r in range(0, n_rows, _N_ROWS_1):
            _tile_1(c, c_at + r * n_columns + n, n_columns, a, r * N_LANES, b, b_at + n,
                    b_row, n_inner, n_rows - 1 - r, n_columns - n)  # fmt: skip
        n += WIDTH


@compiled()
def add_sums(target, at, source, n_rows):  # type: ignore[no-untyped-def]
    """Add to `target` the sums of rows of lanes; eights of them must be readable."""
    for r in range(0, n_rows, WIDTH):
        _add_eight_sums(target, at + r, source, r * N_LANES, n_rows - r)


@compiled()
def transpose(source, n_rows, target):  # type: ignore[no-untyped-def]
    """Write rows of lanes, in eights, as columns; rows up to an eight are garbage."""
    for r in range(0, n_rows, WIDTH):
        for n in range(0, N_LANES, WIDTH):
            _transpose_square(source, r * N_LANES + n, target, n * n_rows + r, n_rows)


def _tile(n_rows: int, n_vectors: int) -> Any:
    """Make C += A B for a tile of C, or as much of it as there is.

    Rows beyond the `last` are computed as the last once more, which is harmless as all
    are read before the first is written. Of a single vector, `n_left` columns count.
    """

    @intrinsic
    def tile(typing, c, c_at, c_row, a, a_at, b, b_at, b_row, n_inner, last, n_left):  # type: ignore[no-untyped-def]
        def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
            emit = Emit(context, builder, signature, arguments)
            _, c_at, c_row, _, a_at, _, b_at, b_row, n_inner, last, n_left = arguments
            rows = [emit.least(r, last) for r in range(n_rows)]
            starts = [emit.at(c_at, row, c_row) for row in rows]
            mask = emit.first_lanes(n_left) if n_vectors == 1 else None
            sums = [
                [emit.variable(emit.load(0, start, v, mask)) for v in range(n_vectors)]
                for start in starts
            ]
            factors = [emit.at(a_at, row, INT(N_LANES)) for row in rows]
            with cgutils.for_range(builder, n_inner, intp=INT) as loop:
                start = emit.at(b_at, loop.index, b_row)
                vectors = [emit.load(5, start, v) for v in range(n_vectors)]
                for factor, totals in zip(factors, sums, strict=True):
                    same = emit.repeated(3, builder.add(factor, loop.index))
                    for vector, total in zip(vectors, totals, strict=True):
                        emit.add_product(same, vector, total)
            for start, totals in zip(starts, sums, strict=True):
                for v, total in enumerate(totals):
                    emit.store(0, start, builder.load(total), v, mask)
            return context.get_dummy_value()

        return _signature("c n n a n b n n n n n"), generate

    return tile


def _lanes_tile(has_bias: bool) -> Any:
    """Make C += A B, or C = A B + bias, for rows of lanes in pairs."""

    @intrinsic
    def tile(  # type: ignore[no-untyped-def]
        typing, c, c_at, a, a_at, a_row, a_column, bias_at, b, b_at, n_inner, last
    ):
        def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
            emit = Emit(context, builder, signature, arguments)
            _, c_at, _, a_at, a_row, a_column, bias_at = arguments[:7]
            b_at, n_inner, last = arguments[8:]
            rows = [emit.least(r, last) for r in range(_N_ROWS_LANES)]
            starts = _pairs([emit.at(c_at, row, INT(N_LANES)) for row in rows])
            if has_bias:
                biases = [emit.repeated(2, builder.add(bias_at, row)) for row in rows]
                values = [_spread_pair(emit, *pair) for pair in _pairs(biases)]
            else:
                values = [_load_pair(emit, 0, *pair) for pair in starts]
            sums = [[emit.variable(value) for value in vectors] for vectors in values]
            factors = [emit.at(a_at, row, a_row) for row in rows]
            with cgutils.for_range(builder, n_inner, intp=INT) as loop:
                start = emit.at(b_at, loop.index, INT(N_LANES))
                lanes = _load_pair(emit, 7, start, start)
                places = [emit.at(factor, loop.index, a_column) for factor in factors]
                same = _pairs([emit.repeated(2, place) for place in places])
                for pair, totals in zip(same, sums, strict=True):
                    spread = _spread_pair(emit, *pair)
                    for each in zip(spread, lanes, totals, strict=True):
                        emit.add_product(*each)
            for pair, totals in zip(starts, sums, strict=True):
                _store_pair(emit, *pair, [builder.load(total) for total in totals])
            return context.get_dummy_value()

        return _signature("c n a n n n n b n n n"), generate

    return tile


def _signature(kinds: str) -> Any:
    """Of integers `n` and arrays."""
    integer, array = types.int64, types.float32[::1]
    return types.void(*(integer if kind == "n" else array for kind in kinds.split()))


def _pairs(values: list[Any]) -> list[tuple[Any, Any]]:
    return list(zip(values[::2], values[1::2], strict=True))


def _spread_pair(emit: Emit, one: Any, other: Any) -> list[Any]:
    """The five vectors of two rows, each of one number."""
    halves = emit.shuffle(one, other, [0] * 4 + [WIDTH] * 4)
    return [one, one, other, other, halves]


def _load_pair(emit: Emit, array: int, one: Any, other: Any) -> list[Any]:
    full = [emit.load(array, at, v) for at in (one, other) for v in range(2)]
    return [*full, emit.load_halves(array, one, other, 2)]


def _store_pair(emit: Emit, one: Any, other: Any, vectors: list[Any]) -> None:
    places = [(at, v) for at in (one, other) for v in range(2)]
    for (at, v), vector in zip(places, vectors[:4], strict=True):
        emit.store(0, at, vector, v)
    emit.store_halves(0, one, other, vectors[4], 2)


_tile_1, _tile_2, _tile_3 = (
    _tile(_N_ROWS_1, 1),
    _tile(_N_ROWS_2, 2),
    _tile(_N_ROWS_3, 3),
)
_lanes_from_bias, _lanes_added = _lanes_tile(True), _lanes_tile(False)


@intrinsic
def _add_eight_sums(typing, target, t_at, source, s_at, n_left):  # type: ignore[no-untyped-def]
    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        emit = Emit(context, builder, signature, arguments)
        t_at, s_at, mask = arguments[1], arguments[3], emit.first_lanes(arguments[4])
        starts = [builder.add(s_at, INT(r * N_LANES)) for r in range(WIDTH)]
        # Full vectors of a row add up to one; the last halves of all rows are left.
        rows = [builder.fadd(*(emit.load(2, at, v) for v in range(2))) for at in starts]
        halves = [emit.load_halves(2, *pair, 2) for pair in _pairs(starts)]
        rows = [
            builder.fadd(row, _half(emit, halves[r // 2], r % 2))
            for r, row in enumerate(rows)
        ]
        before = emit.load(0, t_at, 0, mask)
        total = reduce(builder.fadd, emit.transposed(rows), before)
        emit.store(0, t_at, total, 0, mask)
        return context.get_dummy_value()

    return _signature("t n s n n"), generate


def _half(emit: Emit, vector: Any, which: int) -> Any:
    """One half of a vector, and zeros."""
    zeros = vector.type(None)
    lanes = [which * 4 + n if n < 4 else WIDTH + n for n in range(WIDTH)]
    return emit.shuffle(vector, zeros, lanes)


@intrinsic
def _transpose_square(typing, source, s_at, target, t_at, t_row):  # type: ignore[no-untyped-def]
    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        emit = Emit(context, builder, signature, arguments)
        _, s_at, _, t_at, t_row = arguments
        starts = [builder.add(s_at, INT(r * N_LANES)) for r in range(WIDTH)]
        columns = emit.transposed([emit.load(0, start) for start in starts])
        for r, column in enumerate(columns):
            emit.store(2, emit.at(t_at, INT(r), t_row), column)
        return context.get_dummy_value()

    return _signature("s n t n n"), generate

"""Vector instructions for compiled loops, written by name.

What a loop over arrays is compiled to depends on the compiler's mood. Where the speed
of training rests on it, the instructions are given: on vectors of eight float32,
whatever registers the machine has for them.
"""

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types

from eqlearn.network.compiler import cached_njit

#: Numbers in a vector: a register of AVX. Longer ones are no faster on machines that
#: take them in halves, and would leave more of a batch of 20 unused.
WIDTH = 8
INT = ir.IntType(64)

_INDEX = ir.IntType(32)
_VECTOR = ir.VectorType(ir.FloatType(), WIDTH)
_HALF = ir.VectorType(ir.FloatType(), WIDTH // 2)
_UNDEFINED = ir.Constant(_VECTOR, ir.Undefined)


def compiled(*fastmath: str) -> Any:
    """Compile a function, once for all times, with these freedoms in arithmetic.

    Without counting of references, which takes longer than most loops over a layer:
    all arrays belong to the caller.

    The cache knows a function's own file only: who changes one that others of another
    file are made of (`tiles`) must change or touch that file, too (`steps`).
    """
    return cached_njit(error_model="numpy", _nrt=False, fastmath=set(fastmath))


class Emit:
    """Writes the instructions of one call, whose arrays are known by position."""

    def __init__(
        self, context: Any, builder: Any, signature: Any, arguments: Any
    ) -> None:
        self._builder = builder
        kinds = zip(signature.args, arguments, strict=True)
        self._data = {
            i: context.make_array(kind)(context, builder, value).data
            for i, (kind, value) in enumerate(kinds)
            if isinstance(kind, types.Array)
        }

    def least(self, constant: int, limit: Any) -> Any:
        """The smaller of two integers."""
        value, build = INT(constant), self._builder
        return build.select(build.icmp_signed("<", value, limit), value, limit)

    def at(self, start: Any, index: Any, step: Any) -> Any:
        """The sum start + index · step."""
        return self._builder.add(start, self._builder.mul(index, step))

    def variable(self, value: Any) -> Any:
        """A variable, which LLVM turns into a register."""
        return cgutils.alloca_once_value(self._builder, value)

    def load(self, array: int, at: Any, v: int = 0, mask: Any = None) -> Any:
        """The vector that begins `v` vectors after `at`."""
        pointer = self._pointer(array, at, v, _VECTOR)
        if mask is None:
            return self._builder.load(pointer, align=4)
        kinds = [pointer.type, _INDEX, mask.type, _VECTOR]
        load = self._intrinsic("llvm.masked.load.v8f32.p0", _VECTOR, kinds)
        return self._builder.call(load, [pointer, _INDEX(4), mask, _UNDEFINED])

    def store(
        self, array: int, at: Any, value: Any, v: int = 0, mask: Any = None
    ) -> None:
        """Write a vector, or those of its lanes that `mask` has."""
        pointer = self._pointer(array, at, v, _VECTOR)
        if mask is None:
            self._builder.store(value, pointer, align=4)
            return
        kinds = [_VECTOR, pointer.type, _INDEX, mask.type]
        store = self._intrinsic("llvm.masked.store.v8f32.p0", ir.VoidType(), kinds)
        self._builder.call(store, [value, pointer, _INDEX(4), mask])

    def load_halves(self, array: int, one: Any, other: Any, v: int) -> Any:
        """A vector of two halves, each `v` vectors after a place."""
        pointers = [self._pointer(array, at, v, _HALF) for at in (one, other)]
        low, high = (self._builder.load(pointer, align=4) for pointer in pointers)
        return self.shuffle(low, high, list(range(WIDTH)))

    def store_halves(
        self, array: int, one: Any, other: Any, value: Any, v: int
    ) -> None:
        """Write the halves of a vector to two places."""
        lanes = list(range(WIDTH))
        for at, half in ((one, lanes[: WIDTH // 2]), (other, lanes[WIDTH // 2 :])):
            pointer = self._pointer(array, at, v, _HALF)
            self._builder.store(self.shuffle(value, value, half), pointer, align=4)

    def first_lanes(self, n: Any) -> Any:
        """A mask of the first `n` lanes."""
        kind = ir.VectorType(INT, WIDTH)
        lanes = ir.Constant(kind, list(range(WIDTH)))
        count = self._spread(n, ir.Constant(kind, ir.Undefined))
        return self._builder.icmp_signed("<", lanes, count)

    def repeated(self, array: int, at: Any) -> Any:
        """A vector of one number."""
        value = self._builder.load(self._builder.gep(self._data[array], [at]))
        return self._spread(value, _UNDEFINED)

    def add_product(self, a: Any, b: Any, total: Any) -> None:
        """Add the product to a variable."""
        # Not "fma", which would be a call where the machine has no such instruction.
        build = self._builder
        fused = self._intrinsic("llvm.fmuladd.v8f32", _VECTOR, [_VECTOR] * 3)
        build.store(build.call(fused, [a, b, build.load(total)]), total)

    def shuffle(self, a: Any, b: Any, lanes: list[int]) -> Any:
        """Choose from the lanes of `a` and, counted on, of `b`."""
        indices = ir.Constant(ir.VectorType(_INDEX, len(lanes)), lanes)
        return self._builder.shuffle_vector(a, b, indices)

    def transposed(self, rows: list[Any]) -> list[Any]:
        """Eight vectors as the columns of a square."""
        for bit in (1, 2, 4):  # of row and column, exchanged one after the other
            kept = [n if not n & bit else WIDTH + n - bit for n in range(WIDTH)]
            moved = [n + bit if not n & bit else WIDTH + n for n in range(WIDTH)]
            rows = [
                self.shuffle(rows[r & ~bit], rows[r | bit], moved if r & bit else kept)
                for r in range(WIDTH)
            ]
        return rows

    def _spread(self, value: Any, undefined: Any) -> Any:
        one = self._builder.insert_element(undefined, value, _INDEX(0))
        return self.shuffle(one, undefined, [0] * WIDTH)

    def _pointer(self, array: int, at: Any, v: int, kind: Any) -> Any:
        offset = self._builder.add(at, INT(v * WIDTH))
        pointer = self._builder.gep(self._data[array], [offset])
        return self._builder.bitcast(pointer, kind.as_pointer())

    def _intrinsic(self, name: str, result: Any, kinds: list[Any]) -> Any:
        kind = ir.FunctionType(result, kinds)
        return cgutils.get_or_insert_function(self._builder.module, kind, name)

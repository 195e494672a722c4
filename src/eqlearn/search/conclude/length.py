"""How long a formula is to who reads it, however it was built: 3 a^4 - 3 b^4."""

import math
from typing import Any

from eqlearn.equation.refine.criterion import complexity
from eqlearn.equation.write.symbolic import expressions
from eqlearn.network.graph import Graph

#: Units and connections of a formula that takes long to be read, and is not short.
_LONGEST = 100


def length(graph: Graph) -> int:
    """Units and connections, or what is read in their place if that is less.

    A search may have come to a sum of powers by dividing and multiplying again. What
    is read counts its numbers, inputs and functions; a power, the products it takes.
    """
    built = complexity(graph)
    if built > _LONGEST:
        return built
    (expression,) = expressions(graph)
    return min(built, _parts(expression))


def _parts(expression: Any) -> int:
    if expression.is_number:
        return 0 if abs(expression) == 1 else 1
    if expression.is_Symbol:
        return 1
    if expression.is_Pow and expression.exp.is_Integer:
        power = int(expression.exp)
        products = math.ceil(math.log2(abs(power)))
        return _parts(expression.base) + products + (power < 0)
    own = 0 if expression.is_Add or expression.is_Mul else 1
    return own + sum(map(_parts, expression.args))

"""Shared type names and the letters used for array shapes throughout the package.

R networks, N samples, D inputs, M outputs, H units of a layer, P weights of a
network; in control B sequences, T horizon, S state, A action.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    #: Floats of double precision; planners also run models in single precision.
    Array: TypeAlias = NDArray[np.float64]
    #: Floats of single precision, which the paper's networks are trained in.
    Singles: TypeAlias = NDArray[np.float32]
    #: Counts, codes, and the rows or columns of an array.
    Integers: TypeAlias = NDArray[np.integer[Any]]
    Booleans: TypeAlias = NDArray[np.bool_]
    #: What a caller may give where `np.asarray` makes an array of it.
    Numbers: TypeAlias = ArrayLike
else:
    # `import eqlearn` and `eqlearn --help` load this module, but never NumPy.
    Array = Singles = Integers = Booleans = Numbers = Any

#: What is told, line by line, how far something long has come: `print`, say.
Tell: TypeAlias = Callable[[str], None]
#: An array of NumPy or of JAX, in functions of which both run the same lines: they
#: share the interface that is used there, but no base class to name.
AnyArray: TypeAlias = Any
#: A module that offers sin, cos, maximum, ...: numpy, jax.numpy or (scalars) sympy.
Namespace: TypeAlias = Any

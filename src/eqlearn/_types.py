"""Shared type names and the letters used for array shapes throughout the package.

R networks, N samples, D inputs, M outputs, H units of a layer, P weights of a
network; in control B sequences, T horizon, S state, A action.
"""

from typing import Any, TypeAlias

# NumPy and JAX arrays share the interface used here but no common base class.
Array: TypeAlias = Any
# A module that offers sin, cos, maximum, ...: numpy, jax.numpy or (scalars) sympy.
Namespace: TypeAlias = Any

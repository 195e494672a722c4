"""What formulas can be exported to, by name.

A module of its own, so that a help text can list them without loading what writes them.
"""

FORM_NAMES = (
    *("sympy", "latex", "mathml", "python", "numpy", "c", "matlab", "julia"),
    *("fortran", "modelica", "jax", "torch", "json"),
)

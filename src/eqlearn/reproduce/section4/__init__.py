"""The experiments of section 4: formulas, random expressions, pendulum."""

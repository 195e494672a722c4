"""Formulas that rates may have."""

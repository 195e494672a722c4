"""Formulas as users write them: read by a grammar, and where their fits begin."""

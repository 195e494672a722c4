"""Equations whose outer form is known: the functions in it are learned."""

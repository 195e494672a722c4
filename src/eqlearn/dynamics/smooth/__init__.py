"""Trajectories as splines see them."""

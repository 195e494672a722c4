"""Equations of motion from measured time series."""

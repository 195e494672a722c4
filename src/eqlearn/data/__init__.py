"""Data on their way in: tables, splits, scales."""

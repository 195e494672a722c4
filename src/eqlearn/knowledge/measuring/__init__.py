"""Units of measure, dimensionless groups and what constants are in."""

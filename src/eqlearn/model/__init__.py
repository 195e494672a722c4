"""What was learned, as values: a model, its equations, constants and verdicts."""

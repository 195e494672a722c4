"""Laws beyond sums, products and sines, looked for directly before any network."""

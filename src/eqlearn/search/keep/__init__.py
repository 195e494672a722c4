"""What is kept of it: the pool, its refinements, the final fits."""

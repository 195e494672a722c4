"""Whether what was found is enough: what it leaves, and what to stop for."""

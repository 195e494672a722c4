"""One file per claim: each prints its table, and the same as a JSON line."""

"""One form for all groups of rows, with constants of each group."""

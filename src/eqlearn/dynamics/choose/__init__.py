"""Which system it is."""

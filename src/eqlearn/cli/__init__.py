"""The commands, thin over the library."""

"""From a formula to text, source code and functions."""

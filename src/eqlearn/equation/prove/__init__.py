"""What is guaranteed of a formula in its domain of use."""

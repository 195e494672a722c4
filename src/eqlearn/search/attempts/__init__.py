"""What is tried: fractions of features, networks, growths, loans."""

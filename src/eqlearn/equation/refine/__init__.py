"""From a graph that fits to the formula it stands for."""

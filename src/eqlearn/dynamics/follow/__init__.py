"""Systems of equations, followed along trajectories."""

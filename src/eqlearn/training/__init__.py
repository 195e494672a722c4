"""Training: objective, schedule, optimisers and recipes (paper, section 2.3)."""

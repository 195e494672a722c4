"""From a trained network to an equation: prune, rewrite, refit, read off."""

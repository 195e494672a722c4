"""The search: many candidates, trained, refined and compared."""

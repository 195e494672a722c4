"""The EQL÷ network: its units, its sizes and its forward pass (paper, section 2)."""

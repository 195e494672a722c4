"""What must hold of a target, read, looked at and proved."""

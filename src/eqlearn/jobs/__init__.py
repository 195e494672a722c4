"""Work cut into segments, kept and driven to its end: here, or on many workers."""

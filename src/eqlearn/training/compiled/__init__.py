"""The inner loop of the paper's training, compiled: one network after another."""

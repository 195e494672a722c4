"""What is made of it: a choice, a verdict, a model."""

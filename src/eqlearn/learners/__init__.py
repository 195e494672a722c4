"""EquationLearner and DynamicsLearner: what they are given, and what they give."""

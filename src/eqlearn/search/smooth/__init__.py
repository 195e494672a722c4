"""Any smooth law: polynomials and Gaussian processes that stand for it."""

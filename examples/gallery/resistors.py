"""# Two resistors, and code for a microcontroller

The resistance of pairs of resistors in parallel. SymPy can bring what is found into the
form of the textbook. Then it becomes a C function, and every export is checked to
compute the same numbers.
"""

import numpy as np
import pandas as pd
import sympy

from eqlearn import EquationLearner

rng = np.random.default_rng(0)
table = pd.DataFrame(rng.uniform(100, 1000, (80, 2)), columns=["R1", "R2"])
exact = table["R1"] * table["R2"] / (table["R1"] + table["R2"])
measured = exact * (1 + 0.005 * rng.normal(size=80))

learner = EquationLearner(max_attempts=5, n_jobs=1).fit(table, measured)
print(learner.equation_)
print("in the textbook's form:", sympy.simplify(learner.sympy()))
print()
print(learner.c())

axes = learner.plot_slices(table, measured)
axes[0].figure.savefig("resistors.png", dpi=144)

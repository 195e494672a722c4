"""# An enzyme with an inhibitor: a law with a fraction

The speed of a reaction rises with the substrate and levels off, and an inhibitor shifts
the point where it does. This takes two inputs, a denominator with three terms, and one
fit instead of the usual transformed straight lines, which distort the errors.

`learner.domain_report_` has the proof that the denominator is never zero where the
formula will be used. A fraction without such a proof is a trap.
"""

import numpy as np
import pandas as pd

from eqlearn import EquationLearner

rng = np.random.default_rng(0)
table = pd.DataFrame(
    {"substrate": rng.uniform(0.2, 8, 120), "inhibitor": rng.uniform(0, 3, 120)}
)
s, i = table["substrate"], table["inhibitor"]
speed = 5 * s / (2 + s + 3 * i) * (1 + 0.01 * rng.normal(size=120))

learner = EquationLearner(max_attempts=5, n_jobs=1).fit(table, speed)
print(learner.equation_)
print(str(learner.domain_report_[0]).split(" for all")[0])

axes = learner.plot_slices(table, speed)
axes[0].figure.savefig("enzyme.png", dpi=144)

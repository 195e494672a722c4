"""# A fast wave on a slow trend

A tide gauge was read 200 times at random moments of a month. Between two readings the
water has often risen and fallen again, so no picture shows the wave. Its period still
comes out to within a thousandth.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from eqlearn import EquationLearner

rng = np.random.default_rng(0)
days = np.sort(rng.uniform(0, 30, 200))
metres = 2 + 0.05 * days + 1.3 * np.sin(2 * np.pi * days / 0.5175 + 0.4)
metres += 0.2 * rng.normal(size=200)
table = pd.DataFrame({"days": days})

learner = EquationLearner(max_attempts=5, n_jobs=1).fit(table, metres)
print(learner.equation_)

plt.style.use("eqlearn.looks")
figure, (left, right) = plt.subplots(1, 2, figsize=(7, 3.2), sharey=True)
left.plot(days, metres, "C0.", ms=4)
left.set(xlabel="days", ylabel="water level (m)", title="what was measured")
line = pd.DataFrame({"days": np.linspace(33, 36, 400)})
right.plot(line["days"], learner.predict(line), "C1")
right.set(xlabel="days", title="what the formula expects next week")
figure.savefig("tide.png")

"""# A chaotic map

A population that is counted once a year: next year's number is a function of this
year's. The series looks like noise but is not. `discrete=True` learns the map. The
future stays out of reach all the same: neighbouring starts part after a dozen years,
whoever computes them.
"""

import matplotlib.pyplot as plt
import numpy as np

from eqlearn import DynamicsLearner

rng = np.random.default_rng(0)
x = [0.3]
for _ in range(80):
    x.append(3.7 * x[-1] * (1 - x[-1]))
counted = np.array(x) + 0.001 * rng.normal(size=81)

learner = DynamicsLearner(discrete=True, max_attempts=5)
learner.fit(counted, 1.0, state_names=["x"])
print(learner.equation_)

plt.style.use("eqlearn.looks")
figure, (left, right) = plt.subplots(1, 2, figsize=(7, 3))
left.plot(counted, "C0.-", lw=0.6, ms=4)
left.set(xlabel="year", ylabel="x", title="the series")
line = np.linspace(0, 1, 100)
right.plot(line, learner.predict(line[:, None]), "C1", label="learned map")
right.plot(counted[:-1], counted[1:], "C0.", ms=4, label="measured")
right.set(xlabel="this year", ylabel="next year", title="the map")
right.legend()
figure.savefig("population_map.png")

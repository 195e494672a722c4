"""# Two instruments, one of them poor

Forty readings of a good instrument and forty of one that is twenty-five times worse.
Weights of 1/σ² say so, and the law is found. Without them, the good readings would
drown in the poor ones.
"""

import matplotlib.pyplot as plt
import numpy as np

from eqlearn import EquationLearner

rng = np.random.default_rng(4)
sigma = np.repeat([0.02, 0.5], 40)
x = rng.uniform(0.2, 3, 80)
y = 4 / (1 + x**2) + sigma * rng.normal(size=80)

learner = EquationLearner(max_attempts=5, n_jobs=1)
learner.fit(x[:, None], y, sample_weight=1 / sigma**2)
print(learner.equation_)

plt.style.use("eqlearn.looks")
figure, axis = plt.subplots()
line = np.linspace(0, 6, 200)
axis.plot(line, learner.predict(line[:, None]), "C1", label="formula")
axis.plot(x[40:], y[40:], "C2x", ms=5, label="poor instrument")
axis.plot(x[:40], y[:40], "C0o", ms=4, label="good instrument")
axis.set(xlabel="x", ylabel="y")
axis.legend()
figure.savefig("instruments.png")

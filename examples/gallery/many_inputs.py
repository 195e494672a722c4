"""# Twenty inputs, three of which matter

Three hundred rows of twenty columns. The target depends on three of them; the others
are noise. Nothing needs to be selected beforehand.
"""

import matplotlib.pyplot as plt
import numpy as np

from eqlearn import EquationLearner

rng = np.random.default_rng(0)
x = rng.normal(size=(300, 20))
y = 2 * x[:, 3] * x[:, 11] - x[:, 7] + 0.1 * rng.normal(size=300)

learner = EquationLearner(max_attempts=5, n_jobs=1).fit(x, y)
print(learner.equation_)

plt.style.use("eqlearn.looks")
figure = learner.plot_fit(x, y)
figure.savefig("many_inputs.png", dpi=144)

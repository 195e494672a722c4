"""# Predators and prey

Two populations, counted two hundred times with two percent of error. Their equations
of motion are learned from the log: who grows, who eats whom, and how fast.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.integrate import solve_ivp

from eqlearn import DynamicsLearner

rng = np.random.default_rng(0)
t = np.linspace(0, 20, 200)


def rates(t, state):
    hares, lynxes = state
    return [1.1 * hares - 0.4 * hares * lynxes, 0.1 * hares * lynxes - 0.4 * lynxes]


truth = solve_ivp(rates, (0, 20), [10, 5], t_eval=t, rtol=1e-9).y.T
counts = truth * (1 + 0.02 * rng.normal(size=truth.shape))

learner = DynamicsLearner(max_attempts=5)
learner.fit(counts, t, state_names=["hares", "lynxes"])
print(learner.equation_)

course = learner.simulate(counts[0], np.linspace(0, 40, 800))
plt.style.use("eqlearn.looks")
figure, axis = plt.subplots(figsize=(5, 3.6))
axis.plot(*course.T, "C1", label="learned equations, 40 years")
axis.plot(*counts.T, "C0.", ms=4, label="counts, 20 years")
axis.set(xlabel="hares", ylabel="lynxes")
axis.legend()
figure.savefig("predators.png")

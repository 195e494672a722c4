"""# Far outside the data, beside a neural network

The example that the method is named after: a fraction of a sine and a square, 300
noisy points in a small square. Inside it, a multilayer perceptron fits them as well as
the formula does. Outside, its answer is wherever its activation functions happen to
lead.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.neural_network import MLPRegressor

from eqlearn import EquationLearner

rng = np.random.default_rng(0)
x = rng.uniform(-1, 1, (300, 2))
truth = lambda x: np.sin(np.pi * x[:, 0]) / (x[:, 1] ** 2 + 1)  # noqa: E731
y = truth(x) + 0.02 * rng.normal(size=300)

learner = EquationLearner(max_attempts=5, n_jobs=1).fit(x, y)
print(learner.equation_)

warnings.simplefilter("ignore")  # the perceptron stops at its limit of iterations
network = MLPRegressor(hidden_layer_sizes=(64, 64), max_iter=1000, random_state=0).fit(
    x, y
)

line = np.linspace(-3, 3, 400)
diagonal = np.column_stack([line, line])
plt.style.use("eqlearn.looks")
figure, axis = plt.subplots(figsize=(7, 3.2))
axis.axvspan(-1, 1, color="0.93", lw=0, label="where it was measured")
axis.plot(line, truth(diagonal), "0.3", lw=4, alpha=0.35, label="truth")
axis.plot(line, network.predict(diagonal), "C0--", label="neural network")
axis.plot(line, learner.predict(diagonal), "C1", label="formula found")
axis.set(xlabel="x1 = x2", ylabel="y", xlim=(-3, 3), ylim=(-1.25, 1.25))
figure.legend(loc="outside upper center", ncols=4)
figure.savefig("division.png")

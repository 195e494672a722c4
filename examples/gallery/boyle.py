"""# Boyle's law, from Boyle's own table

Robert Boyle printed these twenty-five pairs in 1662: the height of trapped air, which
stands for its volume, and the pressure on it in inches of mercury. He read the
mercury to sixteenths of an inch.

The formula has one constant, with its standard error: what the table knows about it.
"""

import matplotlib.pyplot as plt
import numpy as np

from eqlearn import EquationLearner

volume = np.array([*range(48, 23, -2), *range(23, 11, -1)], dtype=float)
sixteenths = [2, 9, 15, 8, 5, 0, 5, 10, 3, 1, 5, 5, 13]
sixteenths += [5, 1, 1, 11, 2, 14, 12, 14, 1, 7, 13, 9]
inches = [29, 30, 31, 33, 35, 37, 39, 41, 44, 47, 50, 54, 58]
inches += [61, 64, 67, 70, 74, 77, 82, 87, 93, 100, 107, 117]
pressure = np.array(inches) + np.array(sixteenths) / 16

learner = EquationLearner(max_attempts=5, n_jobs=1).fit(volume[:, None], pressure)
print(learner.equation_)
constant = learner.constants_.iloc[0]
print(f"the constant: {constant.value:.0f} ± {constant.standard_error:.1g}")

plt.style.use("eqlearn.looks")
figure, axis = plt.subplots()
line = np.linspace(6, 60, 200)
axis.plot(line, learner.predict(line[:, None]), "C1", label="formula")
axis.plot(volume, pressure, "C0o", ms=4, label="Boyle, 1662")
axis.set(xlabel="volume of the air", ylabel="pressure (inches of mercury)")
axis.legend()
figure.savefig("boyle.png")

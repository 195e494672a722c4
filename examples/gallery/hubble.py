"""# Hubble's law, and an honest doubt

The twenty-four nebulae of Hubble's paper of 1929. The scatter is nearly as large as
the law. That velocity grows with distance is beyond doubt: noise would go along with
one of the simplest formulas as closely in one of 30,000 such tables. So eqlearn offers
the simplest that fits, a line through zero, and says why it is doubtful.

Hubble had a reason to expect that line. If you know better than the criterion,
`choose` takes another candidate.
"""

import matplotlib.pyplot as plt
import numpy as np

from eqlearn import EquationLearner

distance = [0.032, 0.034, 0.214, 0.263, 0.275, 0.275, 0.45, 0.5, 0.5, 0.63, 0.8, 0.9]
distance += [0.9, 0.9, 0.9, 1.0, 1.1, 1.1, 1.4, 1.7, 2.0, 2.0, 2.0, 2.0]
velocity = [170, 290, -130, -70, -185, -220, 200, 290, 270, 200, 300, -30]
velocity += [650, 150, 500, 920, 450, 500, 500, 960, 500, 850, 800, 1090]
x, y = np.array(distance)[:, None], np.array(velocity, dtype=float)

learner = EquationLearner(max_attempts=5, n_jobs=1).fit(x, y)
print(learner.equation_)
(verdict,) = learner.verdict_
print(verdict.kind)
print(*verdict.reasons, sep="\n")
slope = learner.constants_.iloc[0]
print(f"slope: {slope.value:.0f} ± {slope.standard_error:.0f} km/s per Mpc")

plt.style.use("eqlearn.looks")
figure, axis = plt.subplots()
far = np.linspace(0, 3, 100)
middle, ends = learner.predict(far[:, None], return_interval=0.95)
axis.fill_between(far, *ends.T, color="C1", alpha=0.2, lw=0, label="95 % interval")
axis.plot(far, middle, "C1", label="the line that is offered")
axis.plot(distance, velocity, "C0o", ms=4, label="Hubble, 1929")
axis.set(xlabel="distance (Mpc)", ylabel="velocity (km/s)")
axis.legend()
figure.savefig("hubble.png")

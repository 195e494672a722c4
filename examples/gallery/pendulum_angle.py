"""# A damped pendulum, from its angle alone

A camera has watched the angle of a pendulum for twelve seconds, but not its velocity.
With `second_order=True`, the velocity becomes a state that nobody measured. The swing
is wide enough to tell the sine from a straight line.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.integrate import solve_ivp

from eqlearn import DynamicsLearner

rng = np.random.default_rng(0)
t = np.linspace(0, 12, 240)
swing = lambda t, s: [s[1], -4 * np.sin(s[0]) - 0.2 * s[1]]  # noqa: E731
truth = solve_ivp(swing, (0, 30), [2, 0], dense_output=True, rtol=1e-9).sol
angle = truth(t)[0] + 0.01 * rng.normal(size=240)

learner = DynamicsLearner(second_order=True, max_attempts=5)
learner.fit(angle, t, state_names=["angle"])
print(learner.equation_)

later = np.linspace(0, 30, 600)
course = learner.simulate([2.0, 0.0], later)
plt.style.use("eqlearn.looks")
figure, axis = plt.subplots(figsize=(7, 3))
axis.axvspan(0, 12, color="0.93", lw=0, label="measured range")
axis.plot(later, truth(later)[0], "0.3", lw=4, alpha=0.35, label="truth")
axis.plot(later, course[:, 0], "C1", label="learned equations, simulated")
axis.plot(t, angle, "C0.", ms=3, label="measurements")
axis.set(xlabel="seconds", ylabel="angle")
figure.legend(loc="outside upper center", ncols=4)
figure.savefig("pendulum_angle.png")

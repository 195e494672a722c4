"""# A motor and its controller

Forty steps of random voltage, ten seconds of noisy speed: the equation of a motor.
Once its two constants are known, the voltage that holds a given speed is one line of
algebra, and so is a feedback that gets there within tenths of a second.
"""

import matplotlib.pyplot as plt
import numpy as np

from eqlearn import DynamicsLearner

rng = np.random.default_rng(0)
t = np.linspace(0, 10, 1000)
step = t[1] - t[0]
volts = np.repeat(rng.uniform(-6, 6, 40), 25)


def next_speed(speed, volts):
    settled = 2 / 1.5 * volts
    return settled + (speed - settled) * np.exp(-1.5 * step)


speed = np.zeros(1000)
for k in range(999):
    speed[k + 1] = next_speed(speed[k], volts[k])
measured = speed + 0.05 * rng.normal(size=1000)

learner = DynamicsLearner(hold_inputs=True, max_attempts=5)
learner.fit(measured, t, volts, state_names=["speed"], input_names=["volts"])
print(learner.equation_)

at_rest, at_one, driven = learner.predict([[0.0], [1.0], [0.0]], [[0.0], [0.0], [1.0]])
friction, gain = float(at_rest[0] - at_one[0]), float(driven[0] - at_rest[0])
wanted, quickness, course = 4.0, 10.0, [0.0]
for _ in range(99):
    feedback = (
        friction * wanted + (quickness - friction) * (wanted - course[-1])
    ) / gain
    course.append(next_speed(course[-1], feedback))
print(f"after a second the motor turns at {course[-1]:.2f}, wanted {wanted:.2f}")

plt.style.use("eqlearn.looks")
figure, (left, right) = plt.subplots(1, 2, figsize=(7, 3))
left.plot(t, measured, "C0.", ms=2)
left.plot(t, learner.simulate([0.0], t, volts[:, None])[:, 0], "C1")
left.set(xlabel="seconds", ylabel="speed", title="measured and simulated")
right.axhline(wanted, color="0.6", lw=1)
right.plot(t[:100], course, "C1")
right.set(xlabel="seconds", title="controlled with what was learned")
figure.savefig("motor.png")

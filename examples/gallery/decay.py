"""# A decay with an offset

A cup of tea cools to the temperature of the room. Sixty noisy readings over twenty
minutes are enough to tell the temperature of the room, the temperature at the start
and the time constant, each with its error, although the tea never gets cold.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from eqlearn import EquationLearner

rng = np.random.default_rng(1)
minutes = np.linspace(0, 20, 60)
celsius = 21 + 62 * np.exp(-minutes / 14) + 0.3 * rng.normal(size=60)
table = pd.DataFrame({"minutes": minutes})

learner = EquationLearner(max_attempts=5, n_jobs=1).fit(table, celsius)
print(learner.equation_)
hour = pd.DataFrame({"minutes": [60.0]})
print(f"after an hour: {learner.predict(hour)[0]:.1f} °C, in truth 21.9")

plt.style.use("eqlearn.looks")
figure, axis = plt.subplots()
line = pd.DataFrame({"minutes": np.linspace(0, 60, 200)})
axis.axvspan(0, 20, color="0.93", lw=0, label="measured range")
axis.plot(line["minutes"], learner.predict(line), "C1", label="formula")
axis.plot(minutes, celsius, "C0.", label="readings")
axis.set(xlabel="minutes", ylabel="temperature (°C)")
axis.legend()
figure.savefig("decay.png")

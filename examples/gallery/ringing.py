"""# A bell that rings out, with a guess

The form is known: a wave that fades. A guess starts the search from it. Numbers in the
guess are starting values, and short names that are not columns are free constants. It
wins only if nothing better is found, and constants come with their errors.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from eqlearn import EquationLearner

rng = np.random.default_rng(0)
seconds = np.linspace(0, 4, 120)
sound = 1.5 * np.exp(-0.6 * seconds) * np.cos(9 * seconds)
sound += 0.03 * rng.normal(size=120)
table = pd.DataFrame({"seconds": seconds})

guess = "a*exp(-b*seconds)*cos(9*seconds)"
learner = EquationLearner(guesses=[guess], max_attempts=5, n_jobs=1)
learner.fit(table, sound)
print(learner.equation_)

plt.style.use("eqlearn.looks")
figure, axis = plt.subplots(figsize=(7, 3))
line = pd.DataFrame({"seconds": np.linspace(0, 8, 800)})
axis.axvspan(0, 4, color="0.93", lw=0, label="measured range")
axis.plot(line["seconds"], learner.predict(line), "C1", label="formula")
axis.plot(seconds, sound, "C0.", ms=4, label="measurements")
axis.set(xlabel="seconds", ylabel="sound")
axis.legend()
figure.savefig("ringing.png")

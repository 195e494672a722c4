"""# Kepler's third law, from eight rows

Eight planets, their distances from the Sun and their years: the table that Kepler had,
with two more planets and modern digits. Nobody says that a power is wanted, or which
one.

The exponent comes out *snapped*: it is 3/2 because the data allow it to be, not because
anybody asked for a simple number. `learner.constants_` has the fitted value beside
it.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from eqlearn import EquationLearner

planets = pd.DataFrame(
    {
        "distance": [0.3871, 0.7233, 1.0, 1.5237, 5.2034, 9.5371, 19.1913, 30.069],
        "year": [0.2408, 0.6152, 1.0, 1.8808, 11.862, 29.447, 84.017, 164.79],
    }
)

learner = EquationLearner(max_attempts=5, n_jobs=1).fit(
    planets[["distance"]], planets["year"]
)
print(learner.equation_)

# Pluto and Eris were not in the table.
far = pd.DataFrame({"distance": [39.48, 67.86]}, index=["Pluto", "Eris"])
for name, year in zip(far.index, learner.predict(far), strict=True):
    print(f"{name}: one year in {year:.0f} of ours")

plt.style.use("eqlearn.looks")
figure, axis = plt.subplots()
line = pd.DataFrame({"distance": np.geomspace(0.3, 90, 200)})
axis.loglog(line["distance"], learner.predict(line), "C1", label=learner.equation_)
axis.loglog(planets["distance"], planets["year"], "C0o", label="eight planets")
axis.loglog(far["distance"], [247.9, 559.1], "C2s", label="Pluto and Eris, measured")
axis.set(xlabel="distance from the Sun (AU)", ylabel="year (of ours)")
axis.legend()
figure.savefig("kepler.png")

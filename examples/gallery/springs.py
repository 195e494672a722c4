"""# Words as inputs

Three materials and one law: force is stiffness times stretch, and the stiffness depends
on a word. A column of words becomes inputs like `material=steel`, which are 1 or 0,
and the formula can use them like any other.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from eqlearn import EquationLearner

rng = np.random.default_rng(0)
stiffness = {"steel": 5.0, "brass": 3.0, "rubber": 0.5}
material = rng.choice(list(stiffness), 90)
table = pd.DataFrame({"material": material, "stretch": rng.uniform(0, 2, 90)})
force = table["material"].map(stiffness) * table["stretch"]
force += 0.02 * rng.normal(size=90)

learner = EquationLearner(max_attempts=5, n_jobs=1).fit(table, force)
for name in stiffness:
    one = pd.DataFrame({"material": [name], "stretch": [1.0]})
    print(f"{name} stretched by 1: force = {learner.predict(one)[0]:.2f}")

plt.style.use("eqlearn.looks")
figure, axis = plt.subplots()
for name, mark in zip(stiffness, "osv", strict=True):
    of = table["material"] == name
    axis.plot(table["stretch"][of], force[of], mark, ms=4, label=name)
    line = pd.DataFrame({"material": name, "stretch": np.linspace(0, 3, 50)})
    axis.plot(line["stretch"], learner.predict(line), "0.3", lw=1)
axis.set(xlabel="stretch", ylabel="force")
axis.legend()
figure.savefig("springs.png")

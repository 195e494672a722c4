"""eqlearn learns the equation behind data.

The method is EQL÷ of Sahoo, Lampert and Martius (ICML 2018). Names are loaded when
first used, so that `import eqlearn` costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from eqlearn.errors import EqlearnError

if TYPE_CHECKING:
    from eqlearn.learners.dynamics_learner import DynamicsLearner
    from eqlearn.learners.equation_learner import EquationLearner
    from eqlearn.network.architecture import Architecture
    from eqlearn.network.units import Unit, register_unit

__all__ = ["Architecture", "DynamicsLearner", "EqlearnError", "EquationLearner"]
__all__ += ["Unit", "__version__", "register_unit"]
__version__ = "0.2.0"

_HOME_OF = {
    "DynamicsLearner": "eqlearn.learners.dynamics_learner",
    "EquationLearner": "eqlearn.learners.equation_learner",
    "Architecture": "eqlearn.network.architecture",
    "Unit": "eqlearn.network.units",
    "register_unit": "eqlearn.network.units",
}


def __getattr__(name: str) -> object:
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_HOME_OF[name]), name)
    globals()[name] = value  # the next look-up no longer comes here
    return value


def __dir__() -> list[str]:
    return __all__

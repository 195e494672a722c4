"""How a system goes from row to row: as time flows, by Euler's steps, or as a map."""

from typing import Literal, TypeAlias

#: `flow`: rates act all the time. `euler`: as some simulators step, the rate at a row
#: acts until the next. `map`: the formula is the next state.
StepRule: TypeAlias = Literal["flow", "euler", "map"]

#: What compiled code knows the rules by.
CODES: dict[StepRule, int] = {"flow": 0, "euler": 1, "map": 2}

"""What is asked of trajectories, besides them."""

from dataclasses import dataclass, field
from pathlib import Path

from eqlearn.dynamics.settings import STANDARD_MOTION, MotionSettings
from eqlearn.dynamics.step_rule import StepRule
from eqlearn.network.graph import Graph


@dataclass(frozen=True, eq=False)
class Asked:
    """Everything but the trajectories."""

    known: dict[int, Graph] = field(default_factory=dict)  # rates that are given
    second_order: bool = False
    rule: StepRule | None = "flow"  # None: the more likely one of a flow and Euler's
    holds: bool = False  # whether inputs stay as they are from row to row
    time_limit: float | None = None  # of search and choice together
    seed: int = 0
    jobs: int | None = 1
    scheduler: str | None = None
    units: tuple[str, ...] | None = None
    max_attempts: int | None = None
    run_dir: Path | None = None
    settings: MotionSettings = STANDARD_MOTION

"""The paper's recipe as a plan: a grid of networks, each trained to its end."""

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from eqlearn.equation.refine.criterion import Scored
from eqlearn.jobs.codec import from_bytes
from eqlearn.jobs.job import Job, Stage, Together
from eqlearn.search.attempts.grid_networks import (
    Grid,
    batch_specification,
    extract,
    train,
)
from eqlearn.search.keep.finishing import finishing
from eqlearn.search.keep.target import Target
from eqlearn.search.strategy import STANDARD, TimeShares


class PaperPlan:
    """The search for formulas of all targets at once."""

    def __init__(
        self,
        grid: Grid,
        targets: list[Target],
        data: str,
        seed: int,
        shares: TimeShares = STANDARD.shares,
    ) -> None:
        self.targets, self._shares = targets, shares
        self._grid, self._data, self._seed = grid, data, seed
        self._batches = grid.batches()
        self._networks: list[dict[str, Any]] = []

    def stages(self) -> Iterator[Stage | Together]:
        """Training, extraction of formulas, then refinements and final fits."""
        share = self._shares.training
        yield Stage(self._training, self._take_trained, share=share)
        # If time is short, the best of training become formulas, and no others.
        self._networks.sort(key=lambda network: network["validation"])
        yield Stage(
            self._extraction,
            self._take_extracted,
            share=self._shares.extraction,
            at_least=len(self.targets),
        )
        for target in self.targets:
            yield from finishing(target)

    def _training(self, index: int) -> Job | None:
        if index >= len(self._batches):
            return None
        specification = batch_specification(self._grid, self._seed, index)
        stays_local = any(target.stays_local for target in self.targets)
        return Job(f"train/{index}", train, specification, self._data, stays_local)

    def _take_trained(self, index: int, state: bytes | None) -> bool:
        if state is None:
            return False
        for target in self.targets:
            target.n_ended += 1
        from eqlearn.training.checkpoint import trained

        depth, l1 = self._batches[index]
        for one, weights, epoch, error in zip(l1, *trained(state), strict=True):
            network = {
                "grid": vars(replace(self._grid, depths=(depth,), l1=(one,))),
                "diverged_at": int(epoch),
                "weights": weights.tolist() if epoch < 0 else [],
                "validation": float(error) if epoch < 0 else math.inf,
            }
            self._networks.append(network)
        return False

    def _extraction(self, index: int) -> Job | None:
        position, output = divmod(index, len(self.targets))
        if position >= len(self._networks):
            return None
        outputs = {"output": output, "n_outputs": len(self.targets)}
        network = {**self._networks[position], **outputs}
        (depth,), (l1,) = network["grid"]["depths"], network["grid"]["l1"]
        name = f"y{output + 1}/network/L={depth},λ={l1:.3g}"
        return Job(name, extract, network, str(output))

    def _take_extracted(self, index: int, state: bytes | None) -> bool:
        target = self.targets[index % len(self.targets)]
        target.n_attempts += 1
        found = None if state is None else from_bytes(state)
        if found is not None:
            target.pool.add(Scored.from_document(found))
        return False

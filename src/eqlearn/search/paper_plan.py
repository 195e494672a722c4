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
from eqlearn.search.keep.final_fits import Candidate
from eqlearn.search.keep.finishing import finishing
from eqlearn.search.keep.judged_networks import judge_network
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
        """Training, then formulas: refined and fitted, or networks as they are."""
        share = self._shares.training
        yield Stage(self._training, self._take_trained, share=share)
        # If time is short, the best of training become formulas, and no others.
        self._networks.sort(key=lambda network: network["validation"])
        share, at_least = self._shares.extraction, len(self.targets)
        if self._grid.refine:
            take = self._take_extracted
            yield Stage(self._extraction, take, share=share, at_least=at_least)
        else:
            # The mean, and what was given as a guess, are no networks of the grid.
            yield Stage(self._judging, self._take_judged, at_least=at_least)
        for target in self.targets:
            if not target.candidates:
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
                "grid": replace(self._grid, depths=(depth,), l1=(one,)).to_document(),
                "diverged_at": int(epoch),
                "weights": weights.tolist() if epoch < 0 else [],
                "validation": float(error) if epoch < 0 else math.inf,
            }
            self._networks.append(network)
        return False

    def _extraction(self, index: int) -> Job | None:
        if (network := self._of_network(index)) is None:
            return None
        return Job(_name(network), extract, network, str(network["output"]))

    def _judging(self, index: int) -> Job | None:
        if (network := self._of_network(index)) is None:
            return None
        number = {"number": index // len(self.targets)}
        target, network = self.targets[network["output"]], {**network, **number}
        where = target.whole, target.stays_local
        return Job(_name(network), judge_network, network, *where)

    def _of_network(self, index: int) -> dict[str, Any] | None:
        """All outputs of a network, then all of the next: what the job at one is."""
        position, output = divmod(index, len(self.targets))
        if position >= len(self._networks):
            return None
        outputs = {"output": output, "n_outputs": len(self.targets)}
        return {**self._networks[position], **outputs}

    def _take_judged(self, index: int, state: bytes | None) -> bool:
        target = self.targets[index % len(self.targets)]
        target.n_attempts += 1
        if state is not None:
            target.candidates.append(Candidate.from_document(from_bytes(state)))
            # At a pole it is not a number.
            target.candidates.sort(key=lambda one: (math.isnan(one.bic), one.bic))
        return False

    def _take_extracted(self, index: int, state: bytes | None) -> bool:
        target = self.targets[index % len(self.targets)]
        target.n_attempts += 1
        found = None if state is None else from_bytes(state)
        if found is not None:
            target.pool.add(Scored.from_document(found))
        return False


def _name(network: dict[str, Any]) -> str:
    (depth,), (l1,) = network["grid"]["depths"], network["grid"]["l1"]
    return f"y{network['output'] + 1}/network/L={depth},λ={l1:.3g}"

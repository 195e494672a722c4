"""Which system of equations: terms are left out, added, swapped while it pays.

Then pieces become longer, which tells forms apart that short ones do not.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from eqlearn.dynamics.candidates import reshaping
from eqlearn.dynamics.candidates.exchanged import exchanged
from eqlearn.dynamics.choose.contest import Contest, Rival, is_better
from eqlearn.dynamics.choose.grow_motion import grown
from eqlearn.dynamics.choose.prune_motion import pruned, with_formula
from eqlearn.dynamics.follow.motion import Motion
from eqlearn.network.graph import Graph

#: Formulas that are candidates for each state.
Options: TypeAlias = Sequence[Sequence[Graph]]


@dataclass
class Runners:
    """The best systems so far, the best first; each form is there once."""

    most: int
    rivals: list[Rival] = field(default_factory=list)

    def add(self, new: Rival) -> None:
        """Put a system in, in the place of its form's worse fit."""
        shape = _shape(new.motion)
        others = [one for one in self.rivals if _shape(one.motion) != shape]
        same = [one for one in self.rivals if _shape(one.motion) == shape]
        kept = min([new, *same], key=lambda one: one.score)
        self.rivals = sorted([*others, kept], key=lambda one: one.score)[: self.most]


def _shape(motion: Motion) -> tuple[object, ...]:
    """What two systems of the same form share, whatever their constants."""
    return tuple(
        (tuple(n.unit for n in g.nodes), tuple(key for key, _ in g.connections()))
        for g in motion.graphs
    )


def chosen(base: Motion, options: Options, contest: Contest) -> Runners:
    """The best systems that candidates make, each with what they do not need gone."""
    runners = Runners(contest.settings.choosing.n_kept)
    rival = contest.entered(base, quick=False)
    if rival:
        # First, for what grows to the law leaves little to compare with.
        rival = grown(pruned(rival, contest), contest)
        runners.add(rival)
    rival = _with_swaps(rival, base, options, contest, runners)
    if rival is None:
        return runners
    for improve in (_softened, _waved, _exchanged, grown):
        rival = improve(rival, contest)
        runners.add(rival)
    return runners


def _with_swaps(
    rival: Rival | None,
    base: Motion,
    options: Options,
    contest: Contest,
    runners: Runners,
) -> Rival | None:
    """Try the formulas of each state in turn, until no swap helps."""
    by, left = contest.settings.choosing, [list(graphs) for graphs in options]
    for _ in range(by.rounds):
        before = rival
        for state, graphs in enumerate(left):
            if len(graphs) == 1 and rival is not None:
                continue
            tried = _tried(rival, base, state, graphs, contest)
            left[state] = [graph for _, graph in tried[: by.n_again]] or graphs
            for new, _ in tried[: by.n_pruned]:
                if contest.is_over:
                    return rival
                new = pruned(new, contest)
                runners.add(new)
                rival = new if is_better(new, rival) else rival
        if rival is before:
            break
    return rival


def _tried(
    rival: Rival | None,
    base: Motion,
    state: int,
    graphs: Sequence[Graph],
    contest: Contest,
) -> list[tuple[Rival, Graph]]:
    """The system with other formulas for a state, the best first."""
    found = []
    now, starts = (rival.motion, rival.starts) if rival else (base, None)
    for graph in graphs:
        if contest.is_over:
            break
        most = contest.hoped(rival, graph)
        new = contest.entered(now.swapped(state, graph), starts, to_reach=most)
        if new and new.score < most:
            found.append((new, graph))
    return sorted(found, key=lambda pair: pair[0].score)


def _softened(rival: Rival, contest: Contest) -> Rival:
    """Polynomials instead of functions where they follow as well."""
    return _reshaped(
        rival, lambda graph, _: reshaping.softened(graph, contest.x), contest
    )


def _waved(rival: Rival, contest: Contest) -> Rival:
    """Sines and cosines instead of their series where they follow better."""
    return _reshaped(rival, lambda graph, _: reshaping.waved(graph, contest.x), contest)


def _exchanged(rival: Rival, contest: Contest) -> Rival:
    """Other curves of one input instead of what may only imitate them."""
    grounds = contest.grounds
    if grounds is None:
        return rival
    n = contest.settings.choosing.n_exchanged
    return _reshaped(rival, lambda g, state: exchanged(g, grounds(state), n), contest)


def _reshaped(
    rival: Rival, reshape: Callable[[Graph, int], Iterable[Graph]], contest: Contest
) -> Rival:
    for state in range(rival.motion.n_states):
        if state in rival.motion.known:
            continue
        for graph in list(reshape(rival.motion.graphs[state], state)):
            if contest.is_over:
                return rival
            most = contest.hoped(rival, graph)
            new = with_formula(rival, state, graph, contest, most)
            if new and new.score < most:
                new = pruned(new, contest)
                rival = new if is_better(new, rival) else rival
    return rival

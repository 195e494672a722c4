"""From a discovered system to the model that is kept."""

from collections.abc import Mapping, Sequence

import numpy as np

from eqlearn._types import Array
from eqlearn.data.scale import domain_of_use
from eqlearn.dynamics.choose.contest import Rival
from eqlearn.dynamics.discover import Discovered
from eqlearn.dynamics.motion_verdict import Foresight, verdicts
from eqlearn.equation.prove.domain import domain_report
from eqlearn.equation.refine.criterion import complexity
from eqlearn.equation.write.display import formula_text
from eqlearn.jobs.store import versions
from eqlearn.model.model import (
    ENDS,
    Constant,
    Equation,
    Json,
    Model,
    Outcome,
    SearchEnd,
)
from eqlearn.network.graph import Graph


def motion_model(
    discovered: Discovered,
    states: Sequence[str],
    inputs: Sequence[str],
    targets: Sequence[str],
    parameters: Mapping[str, Json],
    seen: Foresight | None,
) -> Model:
    """Equations, errors of their constants, verdicts: all as one value."""
    x = np.concatenate(
        [np.hstack([one.states, one.run.inputs]) for one in discovered.smooth]
    )
    domain = np.stack(domain_of_use(x), axis=1)
    names = (*states, *inputs)
    equations = _equations(discovered, names, targets, domain)
    judged = verdicts(discovered, seen)
    return Model(
        inputs=names,
        targets=tuple(targets),
        equations=equations,
        domain=tuple((float(low), float(high)) for low, high in domain),
        ranges=tuple(zip(x.min(axis=0).tolist(), x.max(axis=0).tolist(), strict=True)),
        n_rows=len(x),
        outcomes=tuple(
            Outcome(verdict, *_ending(discovered, state))
            for state, verdict in enumerate(judged)
        ),
        seconds=discovered.seconds,
        parameters=parameters,
        versions=versions(),
    )


def _ending(discovered: Discovered, state: int) -> tuple[SearchEnd, int]:
    found = discovered.found.get(state)
    if found is None:
        return "finished", 0
    (ended,) = (known for known in ENDS if known == found.ended)
    return ended, found.n_attempts


def _equations(
    discovered: Discovered, names: Sequence[str], targets: Sequence[str], domain: Array
) -> tuple[Equation, ...]:
    """The chosen equations, and those of other systems that have another form."""
    best, equations = discovered.rival, []
    for state, target in enumerate(targets):
        graph, snapped = best.motion.graphs[state], discovered.snapped.graphs[state]
        errors = _errors_of(best, state)
        equations.append(
            _equation(discovered, best, state, target, names, domain, snapped, errors)
        )
        known = {_form(graph)}
        for other in discovered.runners:
            own = other.motion.graphs[state]
            if _form(own) not in known:
                known.add(_form(own))
                equations.append(
                    _equation(
                        discovered,
                        other,
                        state,
                        target,
                        names,
                        domain,
                        own,
                        _errors_of(other, state),
                        is_chosen=False,
                    )  # fmt: skip
                )
    return tuple(equations)


def _form(graph: Graph) -> tuple[object, ...]:
    """What a formula shares with all that differ in their constants alone."""
    units = tuple(node.unit for node in graph.nodes)
    return units, tuple(key for key, _ in graph.connections())


def _errors_of(rival: Rival, state: int) -> Array:
    first = rival.motion.laid.parameter_first
    return rival.followed.errors[first[state] : first[state + 1]]


def _equation(
    discovered: Discovered,
    rival: Rival,
    state: int,
    target: str,
    names: Sequence[str],
    domain: Array,
    snapped: Graph,
    errors: Array,
    *,
    is_chosen: bool = True,
) -> Equation:
    graph, slots = rival.motion.graphs[state], rival.motion.graphs[state].slots()
    rows = discovered.rows
    with np.errstate(all="ignore"):
        off = graph.evaluate(rows.x)[0][:, 0] - rows.rates[:, state]
    (report,) = domain_report(graph, *domain.T, n_boxes=1)
    rms = float(np.sqrt(np.mean(off**2)))
    return Equation(
        target=target,
        graph=graph,
        snapped=snapped,
        constants=tuple(
            Constant(key, slots[key[0]][key[1]], float(error))
            for key, error in zip(graph.parameters(), errors, strict=True)
        ),
        rms=rms if np.isfinite(rms) else float("inf"),
        bic=rival.score,
        complexity=complexity(graph),
        votes=0,
        has_pole=report.has_pole,
        is_chosen=is_chosen,
        formula=formula_text(snapped, names, target),
    )

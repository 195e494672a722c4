"""Learning within a known form: smooth functions first, then formulas for each.

With polynomials in the place of functions, letters and functions are fitted to the
target. By that fit every row tells what a function must be there, and how well: a table
to be searched like any other. What is found goes into the form, all constants of which
are fitted to the target itself.

A form may leave its functions open: in A*exp(-f(x)) + c any c goes with some f. So fits
are searched that are equally good and differ in shape.
"""

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from eqlearn._types import Array
from eqlearn.equation.read.outer_form import OuterForm, UnknownFunction
from eqlearn.equation.refine.criterion import complexity
from eqlearn.equation.refine.tactics import STANDARD as TACTICS
from eqlearn.errors import EqlearnError
from eqlearn.jobs.store import Store
from eqlearn.known_form.composed_fit import (
    Composed,
    FormRows,
    Inner,
    SmoothInner,
    fitted,
    polynomial_basis,
    slope_of,
)
from eqlearn.known_form.form_candidates import candidate_of
from eqlearn.known_form.form_graph import form_graph
from eqlearn.known_form.form_settings import STANDARD, FormSettings
from eqlearn.known_form.plain_shapes import is_as_good, plain_form
from eqlearn.network.graph import CONSTANT, Graph
from eqlearn.search.keep.final_fits import Candidate
from eqlearn.search.learn import Best, Found, Progress, ProgressCallback, learn
from eqlearn.search.request import Request
from eqlearn.search.streams import Stream, generator

#: Steps of Newton's method: one of them gains no more than e-fold in an exponential.
_N_NEWTON = 60
#: Sizes, as powers of ten, that a function may have in a form.
_POWERS = tuple(np.arange(-8.0, 3.01, 0.25).tolist())


def learn_in_form(
    request: Request,
    forms: Sequence[OuterForm],
    callback: ProgressCallback = lambda progress: None,
    by: FormSettings = STANDARD,
) -> list[Found]:
    """Search the unknown functions of a form for every target."""
    # Threads for matrices this small only wait for each other.
    with threadpool_limits(limits=1):
        return _in_a_run(request, forms, callback, by)


def _in_a_run(
    request: Request,
    forms: Sequence[OuterForm],
    callback: ProgressCallback,
    by: FormSettings,
) -> list[Found]:
    if request.run_dir is None:
        return [_learned(request, forms, m, callback, by) for m in range(len(forms))]
    identity = request.identity
    settings = {**identity["settings"], "form": [form.text for form in forms]}
    with Store(Path(request.run_dir), {**identity, "settings": settings}) as store:
        found = [_learned(request, forms, m, callback, by) for m in range(len(forms))]
        rows = [[one.to_document() for one in each.candidates] for each in found]
        store.conclude(rows, found[0].ended)
    return found


@dataclass
class _Account:
    """What the searches of one target came to."""

    n_searches: int = 0
    n_attempts: int = 0
    ended: str = "finished"
    failures: tuple[tuple[str, str], ...] = ()

    def take(self, found: Found) -> None:
        self.n_attempts += found.n_attempts
        self.failures += found.failures
        if found.ended != "finished" and self.ended != "interrupt":
            self.ended = found.ended


def _learned(
    request: Request,
    forms: Sequence[OuterForm],
    m: int,
    callback: ProgressCallback,
    by: FormSettings,
) -> Found:
    begin, form, weight = time.monotonic(), forms[m], request.weight
    root = np.ones(len(request.y)) if weight is None else np.sqrt(weight)
    everything = FormRows(request.x, request.y[:, m], root)
    rng = generator(request.seed, Stream.FORMS, m)
    rows = _some(everything, by.most_rows, rng)
    ways = smooth_ways(form, rows, rng, by)
    progress = _Account()
    known: list[Composed] = []
    hear = _hearing(request, callback, m, known, rows)
    seconds = math.inf if request.time_limit is None else request.time_limit
    deadline = begin + seconds / len(forms)
    searched = begin + by.share_of_time * seconds / len(forms)
    starts, functions = [*ways, None], _in_order(form)
    plain_until = begin + by.share_of_plain * seconds / len(forms)
    plain = plain_form(ways, rows, _criterion(rows), plain_until, by)
    if plain is not None and math.isfinite(plain.sse):
        known.append(plain)
        if is_as_good(plain, ways[0], len(rows.y), by.unlikely):
            starts = []
    for start in starts:
        current = (
            min(known, key=_criterion(rows), default=None) if start is None else start
        )
        if current is None or progress.ended == "interrupt":
            break
        for number, function in enumerate(functions):
            # The first way is the likeliest: it has more than its share of the time.
            share = 1.0 if start is None else by.share_of_way
            left = share * (searched - time.monotonic()) / (len(functions) - number)
            table = _Table(request, left, m, form, function, progress)
            tried = list(_tried(table, current, rows, hear, by))
            current = min(tried, key=_criterion(rows), default=current)
            known += [one for one in tried if _is_whole(one)]
        if known and _is_enough(min(known, key=_criterion(rows)), ways[0], rows, by):
            break
    domain = np.asarray(request.domain, dtype=float)
    far = None if request.far is None else (request.far[0], request.far[1][:, m])
    constraints = (request.constraints or [()] * len(forms))[m]

    def candidate(one: Composed) -> Candidate | None:
        return candidate_of(one, everything, domain, far, constraints, rows)

    candidates = _candidates(known, rows, candidate, deadline, by)
    if not candidates:
        why = "no function gives the form values on the data"
        raise EqlearnError(f"Nothing could be fitted to the form {form.text}: {why}.")
    facts = progress.n_attempts, time.monotonic() - begin, progress.ended
    return Found(tuple(candidates), *facts, progress.failures)


def _some(rows: FormRows, most: int, rng: np.random.Generator) -> FormRows:
    """As many rows as are searched on, drawn from a longer table, in order."""
    if len(rows.y) <= most:
        return rows
    drawn = np.sort(rng.choice(len(rows.y), most, replace=False))
    return FormRows(rows.x[drawn], rows.y[drawn], rows.root[drawn])


def _hearing(
    request: Request,
    callback: ProgressCallback,
    m: int,
    known: Sequence[Composed],
    rows: FormRows,
) -> ProgressCallback:
    """Tell the callback of whole formulas, not of functions inside of them."""
    n_inputs, means = request.x.shape[1], np.mean(request.y, axis=0)
    begun = [
        Best(_constant(n_inputs, float(mean)), float(np.std(column)), 1)
        for mean, column in zip(means, request.y.T, strict=True)
    ]

    def hear(progress: Progress) -> object:
        best, one = list(begun), min(known, key=_criterion(rows), default=None)
        if one is not None:
            graphs = {
                n: f.graph for n, f in one.functions.items() if isinstance(f, Inner)
            }
            built = form_graph(one.form, one.letters, graphs, rows.x)
            if built is not None:
                rms = math.sqrt(one.sse / len(rows.y))
                best[m] = Best(built.graph, rms, complexity(built.graph))
        return callback(progress._replace(best=tuple(best)))

    return hear


def _constant(n_inputs: int, value: float) -> Graph:
    return Graph(n_inputs, (), (({CONSTANT: value}, {CONSTANT: 1.0}),))


def smooth_ways(
    form: OuterForm, rows: FormRows, rng: np.random.Generator, by: FormSettings
) -> list[Composed]:
    """The form with polynomials as functions: fits that are as good and differ."""
    bases = _bases(form, rows, by)
    begun = []
    is_plain = len(form.functions) == 1 and not form.letters
    for number in range(by.n_plain_starts if is_plain else by.n_starts):
        letters = {
            name: 1.0 if not number else _drawn(rng, float(np.std(rows.y)) or 1.0)
            for name in form.letters
        }
        functions: dict[str, SmoothInner | Inner] = {}
        for name, basis in bases.items():
            first = np.zeros(basis.shape[1])
            first[0] = (1.0, 0.0, -1.0)[number % 3] if number < 3 else _drawn(rng, 1.0)
            first[1:] = 0.1 * rng.normal(size=len(first) - 1) * (number > 2)
            functions[name] = SmoothInner(basis, first)
        start = Composed(form, letters, functions)
        start = _of_some_size(start, rows) if not number else start
        begun.append(fitted(start, rows, by.n_short))
    begun.sort(key=lambda one: one.sse)
    found = [fitted(one, rows, by.n_steps) for one in begun[: by.n_polished]]
    found.sort(key=lambda one: one.sse)
    ways: list[Composed] = []
    for one in found:
        is_good = one.sse <= by.as_good * found[0].sse
        if is_good and not any(_are_alike(one, other, by) for other in ways):
            ways.append(one)
    return ways[: by.n_ways] or found[:1]


def _of_some_size(start: Composed, rows: FormRows) -> Composed:
    """The start whose functions are constants of the size that fits best.

    In exp(E*f(x)) with a large E, nearly all others are infinite or 0, without a slope.
    """

    def at(value: float) -> Composed:
        functions = {
            name: replace(one, numbers=np.eye(1, len(one.numbers))[0] * value)
            for name, one in start.functions.items()
            if isinstance(one, SmoothInner)
        }
        return fitted(replace(start, functions=functions), rows, 0)

    sizes = [sign * 10.0**power for power in _POWERS for sign in (1.0, -1.0)]
    return min((at(size) for size in sizes), key=lambda one: one.sse)


def _are_alike(one: Composed, other: Composed, by: FormSettings) -> bool:
    """Whether the functions of two fits have one shape, but for scale and shift."""
    for name, function in one.functions.items():
        a, b = function.values(), other.functions[name].values()
        a, b = (v - np.mean(v) for v in (a, b))
        a, b = (v / (float(np.std(v)) or 1.0) for v in (a, b))
        apart = min(float(np.mean((a - b) ** 2)), float(np.mean((a + b) ** 2)))
        if math.sqrt(apart) > by.alike:
            return False
    return True


def _drawn(rng: np.random.Generator, size: float) -> float:
    scale = size if rng.random() < 0.5 else 1.0
    return float(rng.choice([-1.0, 1.0, 1.0]) * scale * 10.0 ** rng.uniform(-1.0, 1.0))


def _bases(form: OuterForm, rows: FormRows, by: FormSettings) -> dict[str, Array]:
    """A polynomial basis for each function, as large as the rows allow."""
    most = max(2, len(rows.y) // by.rows_each // len(form.functions))
    bases = {}
    for function in form.functions:
        arguments = form.arguments(function, rows.x)
        k = arguments.shape[1]
        degree = by.degrees[min(k, len(by.degrees)) - 1]
        while degree > 1 and math.comb(degree + k, k) > most:
            degree -= 1
        bases[function.name] = polynomial_basis(arguments, degree)
    return bases


def _in_order(form: OuterForm) -> list[UnknownFunction]:
    """Functions of few inputs first: they are found soonest, and then help."""
    return sorted(form.functions, key=lambda one: len(one.arguments))


@dataclass(frozen=True)
class _Table:
    """What is searched: one function of one target."""

    request: Request
    seconds: float  # that a search may take
    target: int
    form: OuterForm
    function: UnknownFunction
    progress: _Account


def _tried(
    table: _Table,
    current: Composed,
    rows: FormRows,
    callback: ProgressCallback,
    by: FormSettings,
) -> Iterator[Composed]:
    """The form with each formula that a search finds for one of its functions."""
    name = table.function.name
    arguments = table.form.arguments(table.function, rows.x)
    values, weight = told_values(current, name, rows)
    # Few rows may weigh more than all others: they are not to be the only ones.
    weight = np.minimum(weight, np.quantile(weight, by.heaviest))
    is_seen = np.isfinite(values) & (weight > by.least_weight * np.max(weight))
    if np.sum(is_seen) < 4:
        return
    weight = weight[is_seen] / np.mean(weight[is_seen])
    part = _part(table, by)
    found = learn(
        replace(
            part,
            x=arguments[is_seen],
            y=values[is_seen, None],
            weight=None if np.ptp(weight) < 1e-9 else weight,
        ),
        callback,
    )[0]
    table.progress.take(found)
    begun = [
        fitted(
            current.with_function(name, Inner(one.graph, arguments)), rows, by.n_short
        )
        for one in found.candidates[: by.n_tried]
    ]
    begun.sort(key=_criterion(rows))
    for number, one in enumerate(begun):
        tried = fitted(one, rows, by.n_steps) if number < by.n_polished else one
        if math.isfinite(tried.sse):
            yield tried


def _part(table: _Table, by: FormSettings) -> Request:
    request, progress = table.request, table.progress
    limit, run_dir = request.time_limit, request.run_dir
    progress.n_searches += 1
    name = f"search-{table.target + 1}-{progress.n_searches}"
    return replace(
        request,
        domain=None,
        far=None,
        guesses=None,
        # What a function is measured in is not known, and its arguments are others;
        # constraints are about the whole.
        dimensions=None,
        constraints=None,
        time_limit=None if limit is None else max(table.seconds, by.moment * limit),
        max_attempts=min(request.max_attempts or by.attempts, by.attempts),
        run_dir=None if run_dir is None else Path(run_dir) / name,
    )


def told_values(current: Composed, name: str, rows: FormRows) -> tuple[Array, Array]:
    """What a function must be in each row (N,), by the target, and how well it is told.

    Where it is the only one, the form is solved for it row by row; otherwise it is
    taken as straight between what it is and what it must be.
    """
    with np.errstate(all="ignore"):
        values, slope = slope_of(current, name, rows.x)
        straight = values + (rows.y - current.values(rows.x)) / slope
        if len(current.functions) > 1:
            return straight, (slope * rows.root) ** 2
        solved, at = _solved(current, name, rows, values)
        known = np.isfinite(solved)
        told = np.where(known, solved, straight)
        weight = (np.where(known, at, slope) * rows.root) ** 2
    return told, np.where(np.isfinite(weight), weight, 0.0)


def _solved(
    current: Composed, name: str, rows: FormRows, values: Array
) -> tuple[Array, Array]:
    """Newton's method in every row; NaN where it does not end."""
    form, letters = current.form, current.letters
    found, step = values.copy(), 1e-6 * max(float(np.std(values)), 1e-3)

    def target(inner: Array) -> Array:
        return form.values(rows.x, letters, {name: inner})

    slope = np.ones(len(found))
    reach = 3.0 * (np.ptp(values) + 1.0)
    for _ in range(_N_NEWTON):
        slope = (target(found + step) - target(found - step)) / (2.0 * step)
        found = found + np.clip((rows.y - target(found)) / slope, -reach, reach)
    off = np.abs(target(found) - rows.y)
    is_there = off < 1e-6 * (np.abs(rows.y) + float(np.std(rows.y)))
    return np.where(is_there, found, np.nan), slope


def criterion(composed: Composed, n: int) -> float:
    """What forms with formulas or polynomials in them are compared by."""
    by = TACTICS.criterion
    charge = sum(
        by.charge(one.graph)
        for one in composed.functions.values()
        if isinstance(one, Inner)
    )
    if not math.isfinite(composed.sse):
        return math.inf
    size = composed.n_constants * by.cost(n) + charge
    return n * math.log(composed.sse / n + 1e-300) + size


def _criterion(rows: FormRows) -> Callable[[Composed], float]:
    return lambda one: criterion(one, len(rows.y))


def _is_whole(composed: Composed) -> bool:
    return all(isinstance(one, Inner) for one in composed.functions.values())


def _is_enough(
    current: Composed, smooth: Composed, rows: FormRows, by: FormSettings
) -> bool:
    """Whether formulas explain as much as polynomials do."""
    n = len(rows.y)
    if not _is_whole(current):
        return False
    if current.n_constants > by.few * len(current.functions) + len(current.letters):
        return False  # it may imitate what another way shows as it is
    own = current.sse / max(n - current.n_constants, 1)
    theirs = smooth.sse / max(n - smooth.n_constants, 1)
    exact = TACTICS.criterion.nothing_left * float(np.mean(rows.y**2))
    return own <= by.enough**2 * theirs or own < exact


def _candidates(
    known: Sequence[Composed],
    rows: FormRows,
    candidate_from: Callable[[Composed], Candidate | None],
    deadline: float,
    by: FormSettings,
) -> list[Candidate]:
    """The best of what is known as candidates; once time is up, the first of them.

    While all of them break a constraint, others are taken, too.
    """
    ranked = sorted(known, key=_criterion(rows))
    found: list[Candidate] = []
    for number, one in enumerate(ranked):
        is_enough = number >= by.n_kept and not all(other.n_broken for other in found)
        if found and (is_enough or time.monotonic() > deadline):
            break
        candidate = candidate_from(one)
        if candidate is not None:
            found.append(candidate)
    found.sort(key=lambda one: (one.n_broken, one.bic))
    distinct: list[Candidate] = []
    for candidate in found:
        if all(abs(candidate.bic - other.bic) > 1e-3 for other in distinct):
            distinct.append(candidate)
    return distinct

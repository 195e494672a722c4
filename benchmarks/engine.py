"""How fast training is, on one core: beside eager PyTorch and a matrix product.

    python -m benchmarks.engine [--quick] [--json]

The networks are the paper's (4 inputs, 1 output, 10 units a type) on 9000 samples.
A step is that of `train`: mini-batch, loss, gradient, Adam. PyTorch takes the same
step the plain way, always with one network, and is checked to compute the same. Each
time is the best of several, taken in turns with the rivals'. The share of the
matrix-multiply rate counts 6 flops per entry of W and sample: a product forward and
two backward, but nothing for units, biases, loss and Adam.

`train` takes compiled steps (`training/steps.py`). Those of JAX, which it takes for
units of one's own, are measured in turns with them.

What limits it, with 1 / 2 / 3 hidden layers (profiled on an EPYC with AVX-512):

- Products of 50 x 40 by 40 x 20 matrices run at the rate of a large product. At that
  rate all products are 20 / 49 / 54 % of a step of batch 20: with 3 hidden layers
  nothing could be more than 1.9 times as fast.
- Adam, for its root and division, takes 10 / 14 / 16 %; the units, mostly sin and cos
  as polynomials, 16 % with one hidden layer and 8 % with three. The rest is short loops
  over a layer, and a layer of four inputs, whose rows of W fill half a vector.
- Drawing the mini-batches is shared by the networks: 0.7 ms an epoch of 450 steps,
  which is half of the time if one network of one hidden layer trains alone.
- JAX multiplies at a quarter of the machine's rate at most, because rows of 20 are
  short, and passes everything through memory.
"""

import argparse
import importlib
import importlib.metadata
import importlib.util
import itertools
import json
import math
import os
import platform
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, astuple, dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from eqlearn._types import AnyArray as Array
from eqlearn.network.architecture import Architecture
from eqlearn.network.forward import forward, is_weight, unpack
from eqlearn.problems import problem
from eqlearn.search.attempts.grid_networks import PAPER_L1
from eqlearn.training import recipes, vectorised
from eqlearn.training.gradient import (
    Batch,
    GradientSettings,
    TrainingData,
    TrainingState,
    batch_loss,
    begin,
    shuffled_batches,
    train,
    train_traced,
    training_data,
)

N_SAMPLES = 9000
UNITS_PER_TYPE = 10
L1 = 1e-4
MATRIX_SIZE = 1024

MIN_RATIO = 1.5  # over the steps of JAX, at batch 20 with 26 networks
MIN_SPEEDUP = 40.0  # over eager PyTorch, a step at batch 20
MIN_SHARE = 0.15  # of the matrix-multiply rate, at batch 200 with 26 networks
SAME = 1e-5  # relative difference up to which two float32 results are the same


class Case(NamedTuple):
    """A batch size, and how many networks train together."""

    batch_size: int
    n_networks: int


SMALL = Case(20, 1)
GRID = Case(20, len(PAPER_L1))
LARGE = Case(200, len(PAPER_L1))


class Task(NamedTuple):
    """Something to time; `n_steps` counts a step of R networks R times."""

    run: Callable[[], object]
    n_steps: int


class Key(NamedTuple):
    who: str
    hidden_layers: int
    case: Case


class Timing(NamedTuple):
    step: float  # seconds per network and step, the best
    warm_up: float  # seconds by which the first call was longer than the best


@dataclass(frozen=True)
class Agreement:
    """Largest differences between PyTorch and us, relative to the largest value."""

    outputs: float
    gradient: float
    weights: float  # after ten steps

    @property
    def is_same(self) -> bool:
        return bool(max(astuple(self)) <= SAME)


@dataclass(frozen=True)
class Rival:
    """The figures of eager PyTorch at one depth."""

    step_us: float
    speedup: float  # ours over it, a step at batch 20
    network_sample_ns: float
    agreement: Agreement


@dataclass(frozen=True)
class Row:
    """Our figures at one depth."""

    hidden_layers: int
    n_weights: int  # entries of the W, without biases
    compile_s: tuple[float, float]  # batch 20, batch 200
    step_us: float  # batch 20
    grid_step_us: float  # batch 20, 26 networks, of one of them
    jax_step_us: float  # the same by the scan of JAX
    network_sample_ns: float  # batch 200, 26 networks
    matmul_share: float  # batch 200, 26 networks
    torch: Rival | None  # None where it is not installed

    @property
    def jax_ratio(self) -> float:
        return self.jax_step_us / self.grid_step_us


@dataclass(frozen=True)
class Result:
    rows: tuple[Row, ...]
    matmul_gflops: float
    repeats: int
    seconds: float  # that all of it took


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark; 1 if PyTorch does not compute the same as we do."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.engine", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--json", action="store_true", help="print a JSON line last")
    parser.add_argument("--quick", action="store_true", help="take half a minute")
    parser.add_argument("--repeats", type=int, help="rounds of measuring")
    parser.add_argument(
        "--hidden-layers", type=int, nargs="+", default=[1, 2, 3], metavar="N"
    )
    options = parser.parse_args(arguments)
    use_one_core()
    repeats = options.repeats or (2 if options.quick else 25)
    print("Compiling, then measuring in turns ...", file=sys.stderr)
    result = measure(options.hidden_layers, repeats)
    print(report(result))
    if options.json:
        print(json.dumps(as_json(result)))
    rivals = [row.torch for row in result.rows if row.torch]
    return 0 if all(rival.agreement.is_same for rival in rivals) else 1


def use_one_core() -> None:
    """Confine this process to one core and thread; must precede all computing."""
    if sys.platform == "linux":
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    jax.config.update("jax_platforms", "cpu")
    # XLA reads its flags with the first computation, not when JAX is imported.
    flags = os.environ.get("XLA_FLAGS", "")
    os.environ["XLA_FLAGS"] = f"{flags} --xla_cpu_multi_thread_eigen=false".strip()


def measure(hidden_layers: Sequence[int], repeats: int) -> Result:
    start = time.perf_counter()
    torch = import_torch()
    x, y = problem("F-1").sample(N_SAMPLES, np.random.default_rng(0))
    data = training_data(x, y)
    protocols = {
        n: recipes.paper(4, 1, n_layers=n + 1, units_per_type=UNITS_PER_TYPE)
        for n in hidden_layers
    }
    tasks: dict[Key, Task] = {}
    for n, case in itertools.product(hidden_layers, (SMALL, LARGE)):
        settings = replace(protocols[n], batch_size=case.batch_size)
        tasks[Key("eqlearn", n, case)] = engine_task(settings, data, case.n_networks)
        if torch:
            tasks[Key("torch", n, case)] = torch_task(torch, settings, data)
    for n in hidden_layers:
        for who in ("eqlearn", "jax"):
            run = train if who == "eqlearn" else train_traced
            task = engine_task(protocols[n], data, GRID.n_networks, run)
            tasks[Key(who, n, GRID)] = task
    timings, matmul_rate = interleave(tasks, repeats)
    rows = tuple(
        figures(
            settings.architecture,
            timings,
            matmul_rate,
            compare(torch, settings, data) if torch else None,
        )
        for settings in protocols.values()
    )
    took = time.perf_counter() - start
    return Result(rows, matmul_rate / 1e9, repeats, took)


def interleave(tasks: dict[Key, Task], repeats: int) -> tuple[dict[Key, Timing], float]:
    """Time the tasks in turns, and in between the flops a second of a big product."""
    matrix = jnp.asarray(
        np.random.default_rng(0).normal(size=(MATRIX_SIZE, MATRIX_SIZE)), jnp.float32
    )
    product = jax.jit(jnp.matmul)
    jax.block_until_ready(product(matrix, matrix))
    first = {key: seconds(task.run) for key, task in tasks.items()}
    best, best_product = dict.fromkeys(tasks, math.inf), math.inf
    for _ in range(repeats):
        for key, task in tasks.items():
            best[key] = min(best[key], seconds(task.run))
            best_product = min(best_product, seconds(lambda: product(matrix, matrix)))
    timings = {
        key: Timing(best[key] / task.n_steps, first[key] - best[key])
        for key, task in tasks.items()
    }
    return timings, 2 * MATRIX_SIZE**3 / best_product


def seconds(run: Callable[[], object]) -> float:
    start = time.perf_counter()
    jax.block_until_ready(run())
    return time.perf_counter() - start


def figures(
    architecture: Architecture,
    timings: dict[Key, Timing],
    matmul_rate: float,
    agreement: Agreement | None,
) -> Row:
    """Turn the timings of one depth into its figures."""
    n = len(architecture.hidden)
    small, large = (timings[Key("eqlearn", n, case)] for case in (SMALL, LARGE))
    grid, by_jax = (timings[Key(who, n, GRID)] for who in ("eqlearn", "jax"))
    rival = None
    if agreement:
        their_small, their_large = (
            timings[Key("torch", n, case)] for case in (SMALL, LARGE)
        )
        rival = Rival(
            step_us=1e6 * their_small.step,
            speedup=their_small.step / small.step,
            network_sample_ns=1e9 * their_large.step / LARGE.batch_size,
            agreement=agreement,
        )
    n_weights = int(is_weight(architecture).sum())
    network_sample = large.step / LARGE.batch_size
    return Row(
        hidden_layers=n,
        n_weights=n_weights,
        compile_s=(small.warm_up, large.warm_up),
        step_us=1e6 * small.step,
        grid_step_us=1e6 * grid.step,
        jax_step_us=1e6 * by_jax.step,
        network_sample_ns=1e9 * network_sample,
        matmul_share=6 * n_weights / network_sample / matmul_rate,
        torch=rival,
    )


def engine_task(
    settings: GradientSettings,
    data: TrainingData,
    n_networks: int,
    run: Callable[..., object] = train,
) -> Task:
    """Some epochs of `train`, or of what `run` is."""
    rng = np.random.default_rng(1)
    weights = recipes.initial_weights(settings.architecture, rng, n_networks)
    state = begin_midway(settings, weights)
    # Less than 50 epochs, so that none is a penalty epoch.
    n_epochs = 10 if n_networks == 1 else 1
    n_steps = n_epochs * (N_SAMPLES // settings.batch_size) * n_networks
    return Task(lambda: run(settings, data, state, n_epochs), n_steps)


def begin_midway(settings: GradientSettings, weights: Array) -> TrainingState:
    """Start in the middle of the schedule, where all terms of the loss are on."""
    state = begin(settings, weights, L1, seed=0)
    return state._replace(epoch=jnp.asarray(midway(settings)))


def midway(settings: GradientSettings) -> int:
    return settings.schedule.n_epochs // 2


def import_torch() -> Any:
    """PyTorch held to one thread, or None; it is an extra, and may be missing."""
    if importlib.util.find_spec("torch") is None:
        return None
    torch = importlib.import_module("torch")
    torch.set_num_threads(1)
    return torch


def torch_task(torch: Any, settings: GradientSettings, data: TrainingData) -> Task:
    """Some steps of eager PyTorch, with one network."""
    rng = np.random.default_rng(1)
    (weights,) = recipes.initial_weights(settings.architecture, rng, 1)
    layers = torch_layers(torch, settings.architecture, weights)
    optimiser = torch_adam(torch, settings, layers)
    x, y = (torch.tensor(np.asarray(values)) for values in (data.x, data.y))
    theta = float(settings.schedule.at(midway(settings)).theta)
    n_steps = min(100, N_SAMPLES // settings.batch_size)

    def run() -> None:
        order = torch.randperm(N_SAMPLES)
        for k in range(n_steps):
            rows = order[k * settings.batch_size : (k + 1) * settings.batch_size]
            torch_step(torch, layers, optimiser, x[rows], y[rows], theta)

    return Task(run, n_steps)


def torch_layers(torch: Any, architecture: Architecture, weights: Array) -> Any:
    """The network's layers as PyTorch's, with the same weights."""
    layers = torch.nn.ModuleList()
    for W, w0 in unpack(architecture, weights):
        layer = torch.nn.Linear(W.shape[1], W.shape[0])
        layer.load_state_dict({"weight": torch.tensor(W), "bias": torch.tensor(w0)})
        layers.append(layer)
    return layers


def torch_adam(torch: Any, settings: GradientSettings, layers: Any) -> Any:
    return torch.optim.Adam(
        layers.parameters(), lr=settings.learning_rate, eps=settings.adam_epsilon
    )


def torch_step(
    torch: Any, layers: Any, optimiser: Any, x: Any, y: Any, theta: float
) -> None:
    optimiser.zero_grad()
    torch_loss(torch, layers, x, y, theta, L1).backward()
    optimiser.step()


def torch_loss(torch: Any, layers: Any, x: Any, y: Any, theta: float, l1: float) -> Any:
    """Eq. 8: error, L1 of the W and penalty of the denominators."""
    outputs, denominators = torch_forward(torch, layers, x, theta)
    error = torch.nn.functional.mse_loss(outputs, y)
    norm = sum(layer.weight.abs().sum() for layer in layers)
    penalty = torch.relu(theta - denominators).sum()
    return error + l1 * norm + penalty


def torch_forward(torch: Any, layers: Any, x: Any, theta: float) -> tuple[Any, Any]:
    features = x
    for layer in layers[:-1]:
        z1, z2, z3, z4, z5 = layer(features).split(UNITS_PER_TYPE, dim=1)
        features = torch.cat([z1, torch.sin(z2), torch.cos(z3), z4 * z5], dim=1)
    numerators, denominators = layers[-1](features).chunk(2, dim=1)
    allowed = denominators > theta
    quotients = numerators / torch.where(allowed, denominators, 1.0)
    return torch.where(allowed, quotients, 0.0), denominators


def compare(torch: Any, settings: GradientSettings, data: TrainingData) -> Agreement:
    """Outputs, gradient and ten steps of both from the same weights."""
    architecture = settings.architecture
    rng = np.random.default_rng(2)
    weights = recipes.initial_weights(architecture, rng, 1).astype(np.float32)
    # θ amid the denominators of the start and a large λ, so that no term is negligible.
    l1 = 1.0
    moment = settings.schedule.at(midway(settings))._replace(theta=2.0)
    some = data._replace(x=data.x[:200], y=data.y[:200])
    x, y = (torch.tensor(np.asarray(values)) for values in (some.x, some.y))

    layers = torch_layers(torch, architecture, weights[0])
    outputs, _ = torch_forward(torch, layers, x, moment.theta)
    torch_loss(torch, layers, x, y, moment.theta, l1).backward()
    gradient = [p.grad.numpy().ravel() for p in layers.parameters()]

    batch = Batch(some.x, some.y, jnp.ones(len(some.x)))

    def loss(w: Array) -> tuple[Array, Array]:
        evaluated = forward(architecture, w, some.x, theta=moment.theta, xp=vectorised)
        value, _ = batch_loss(architecture, moment, some.bound, False, w, l1, batch)
        return value, evaluated.outputs

    our_gradient, our_outputs = jax.jit(jax.grad(loss, has_aux=True))(weights[0])
    return Agreement(
        difference(outputs.detach().numpy(), our_outputs),
        difference(np.concatenate(gradient), our_gradient),
        difference(*ten_steps(torch, settings, some, weights)),
    )


def ten_steps(
    torch: Any, settings: GradientSettings, data: TrainingData, weights: Array
) -> tuple[Array, Array]:
    """PyTorch's weights and ours after an epoch of ten steps in the same order."""
    state = begin_midway(settings, weights)
    trained, _ = train(settings, data, state, 1)

    layers = torch_layers(torch, settings.architecture, weights[0])
    optimiser = torch_adam(torch, settings, layers)
    theta = float(settings.schedule.at(state.epoch).theta)
    _, epoch_key = jax.random.split(state.key)
    batches = shuffled_batches(data, epoch_key, settings.batch_size)
    for batch in zip(*(np.array(part) for part in batches[:2]), strict=True):
        x, y = (torch.tensor(values) for values in batch)
        torch_step(torch, layers, optimiser, x, y, theta)
    flat = [p.detach().numpy().ravel() for p in layers.parameters()]
    return np.concatenate(flat), trained.weights[0]


def difference(theirs: Array, ours: Array) -> float:
    theirs, ours = np.asarray(theirs), np.asarray(ours)
    return float(np.abs(theirs - ours).max() / np.abs(theirs).max())


HEADER = """\
                |    batch 20, R = 1    |   batch 20, R = 26  |   batch 200, R = 26
hidden  entries |       us a step       |  us a network, step | ns a network, sample  of
layers     of W | eqlearn PyTorch ratio | eqlearn   JAX ratio | eqlearn PyTorch   matmul
"""


def report(result: Result) -> str:
    """Lay out the figures, the check of the rival and what is to be reached."""
    names = ", ".join(f"{name} {version}" for name, version in versions().items())
    return "\n".join(
        [
            f"One core of {cpu_name()}, best of {result.repeats}.",
            f"{names}.",
            f"Product of two {MATRIX_SIZE} x {MATRIX_SIZE} float32 matrices: "
            f"{result.matmul_gflops:.0f} GFLOP/s.",
            "",
            HEADER + "\n".join(_line(row) for row in result.rows),
            "",
            *_checks(result),
        ]
    )


def _line(row: Row) -> str:
    their_step = speedup = their_sample = "-"
    if row.torch:
        their_step = f"{row.torch.step_us:.0f}"
        speedup = f"{row.torch.speedup:.0f}"
        their_sample = f"{row.torch.network_sample_ns:.0f}"
    return (
        f"{row.hidden_layers:6}{row.n_weights:9} |"
        f"{row.step_us:8.2f}{their_step:>8}{speedup:>6} |"
        f"{row.grid_step_us:8.2f}{row.jax_step_us:6.1f}{row.jax_ratio:6.2f} |"
        f"{row.network_sample_ns:8.0f}{their_sample:>8}{row.matmul_share:9.1%}"
    )


def _checks(result: Result) -> Iterator[str]:
    rivals = {row.hidden_layers: row.torch for row in result.rows if row.torch}
    if not rivals:
        yield 'PyTorch is not installed: pip install "eqlearn[peers]" adds it.'
    for n, rival in rivals.items():
        check = rival.agreement
        verdict = "the same as we do" if check.is_same else "SOMETHING ELSE"
        yield f"{n} hidden: PyTorch computes {verdict}. Relative differences: " + (
            f"outputs {check.outputs:.0e}, gradient {check.gradient:.0e}, "
            f"weights after ten steps {check.weights:.0e}."
        )
    for row in result.rows:
        for figure, (limit, is_met) in targets(row).items():
            yield f"{row.hidden_layers} hidden: {figure} of at least {limit:g} " + (
                "met." if is_met else "NOT met."
            )


def targets(row: Row) -> dict[str, tuple[float, bool]]:
    """The figures to reach: at least how much, and whether it is."""
    reached = {
        "matmul_share": (MIN_SHARE, row.matmul_share >= MIN_SHARE),
        "jax_ratio": (MIN_RATIO, row.jax_ratio >= MIN_RATIO),
    }
    if row.torch:
        reached["speedup"] = (MIN_SPEEDUP, row.torch.speedup >= MIN_SPEEDUP)
    return reached


def as_json(result: Result) -> dict[str, Any]:
    record = asdict(result)
    for row, entry in zip(result.rows, record["rows"], strict=True):
        entry["jax_ratio"] = float(f"{row.jax_ratio:.3g}")
        entry["met"] = {figure: is_met for figure, (_, is_met) in targets(row).items()}
    return {
        "benchmark": "engine",
        "cpu": cpu_name(),
        "python": platform.python_version(),
        "versions": versions(),
        **_rounded(record),
    }


def _rounded(value: Any) -> Any:
    """Cut floats, however deep, to four digits: the rest is noise."""
    if isinstance(value, dict):
        return {key: _rounded(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(entry) for entry in value]
    return float(f"{value:.4g}") if isinstance(value, float) else value


def cpu_name() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if "model name" in line]
    return names[0] if names else platform.machine()


def versions() -> dict[str, str]:
    packages = ("eqlearn", "jax", "jaxlib", "numba", "numpy", "optax", "torch")
    return {
        name: importlib.metadata.version(name)
        for name in packages
        if importlib.util.find_spec(name)
    }


if __name__ == "__main__":
    sys.exit(main())

"""How often constants lie within their standard errors, by every loss.

The form is given; what is counted is how far the fitted constants are from those of the
law. Each loss meets the noise that it is for.
"""

import json
import math
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from eqlearn._types import Array
from eqlearn.equation.refine.constants import constants
from eqlearn.learners.given_guesses import guessed_graphs
from eqlearn.model.prediction import parameters_of
from eqlearn.network.canonical import canonical, displayed
from eqlearn.network.graph import Graph
from eqlearn.reproduce.commit import commit
from eqlearn.reproduce.jsonl import Line
from eqlearn.reproduce.text_tables import TextTable
from eqlearn.training.losses import as_squares, fit_by
from eqlearn.training.samples import samples

RESULTS = Path("benchmarks/results/trust_coverage.jsonl")
N_FITS = 200
#: Of the spread of a law, or of its values.
NOISE = 0.05
#: Rows that are wild where a loss is to bear them.
WILD = 0.05


class GivenForm(NamedTuple):
    """A law whose form is given, and where it is measured."""

    text: str
    ranges: tuple[tuple[float, float], ...]


FORMS = (
    GivenForm("1.7*x1 + 0.6", ((1, 3),)),
    GivenForm("2.4*exp(-0.6*x1) + 0.3", ((0, 5),)),
    GivenForm("1.5*sin(2.1*x1 + 0.4) + 3", ((-2, 2),)),
    GivenForm("4.1*x1/(x1 + 1.3)", ((0.2, 6),)),
    GivenForm("0.8*x1^2 - 1.3*x2 + 6", ((-2, 2), (0, 3))),
    GivenForm("1.9*x1*exp(-0.5*x2)", ((0.5, 2), (0, 4))),
    GivenForm("1.2*log(x1) + 0.4*x2 + 2", ((0.5, 6), (1, 3))),
    GivenForm("0.9*x1*x2 + 1.1*x3", ((1, 2), (1, 3), (0.5, 2))),
)


class Noise(NamedTuple):
    """Noise that a loss is for: of values, their spread, and random numbers."""

    loss: str
    name: str
    draw: Callable[[Array, np.random.Generator], Array]


def _normal(values: Array, rng: np.random.Generator) -> Array:
    return NOISE * np.std(values) * rng.standard_normal(len(values))


def _laplace(values: Array, rng: np.random.Generator) -> Array:
    return NOISE * np.std(values) * rng.laplace(size=len(values))


def _with_wild(values: Array, rng: np.random.Generator) -> Array:
    is_wild = rng.random(len(values)) < WILD
    return np.where(is_wild, 9 * values, _normal(values, rng))


def _as_share(values: Array, rng: np.random.Generator) -> Array:
    return NOISE * np.abs(values) * rng.standard_normal(len(values))


NOISES = (
    Noise("squared", "normal", _normal),
    Noise("huber", "normal", _normal),
    Noise("huber", "normal, 5 % wild", _with_wild),
    Noise("absolute", "double exponential", _laplace),
    Noise("absolute", "normal, 5 % wild", _with_wild),
    Noise("relative", "a share of the value", _as_share),
)


def coverage_lines() -> Iterator[Line]:
    """Make all fits, and count how many constants are within one error and two."""
    for noise in NOISES:
        distances = np.concatenate(
            [standard_distances(noise, FORMS[i % len(FORMS)], i) for i in range(N_FITS)]
        )
        yield {
            "loss": noise.loss,
            "noise": noise.name,
            "fits": N_FITS,
            "constants": len(distances),
            "within_one": round(float(np.mean(distances <= 1)), 4),
            "within_two": round(float(np.mean(distances <= 2)), 4),
        }


def count_coverage() -> None:
    """Count anew, and keep the counts as they are now."""
    lines = [{"commit": commit(), **line} for line in coverage_lines()]
    RESULTS.write_text("".join(f"{json.dumps(line)}\n" for line in lines), "utf-8")
    print(coverage_table(lines).text())


def coverage_table(lines: Iterable[Line]) -> TextTable:
    """The shares within one error and within two."""
    rows = [
        (
            *(line["loss"], line["noise"], line["commit"], str(line["fits"])),
            *(f"{line[name]:.1%}" for name in ("within_one", "within_two")),
        )
        for line in lines
    ]
    header = ("loss", "noise", "commit", "fits", "within 1 s.e.", "within 2 s.e.")
    note = "To reach: 63 to 73 % and 92 to 98 %."
    return TextTable("Standard errors", header, rows, (note,))


def standard_distances(noise: Noise, form: GivenForm, seed: int) -> Array:
    """How many standard errors fitted constants are off, for one table."""
    rng = np.random.default_rng([seed, len(form.text)])
    n = round(math.exp(rng.uniform(math.log(60), math.log(600))))
    low, high = np.transpose(form.ranges)
    x = rng.uniform(low, high, (n, len(low)))
    law = law_of(form, x)
    values = law.evaluate(x)[0][:, 0]
    data = samples(x, (values + noise.draw(values, rng))[:, None])
    found = fit_by(noise.loss, law, data).graph
    errors = [c.error for c in constants(found, as_squares(noise.loss, found, data))]
    off: Array = np.abs(parameters_of(found) - parameters_of(law)) / np.array(errors)
    return off


def law_of(form: GivenForm, x: Array) -> Graph:
    """The law as a graph whose constants are free, at their true values."""
    names = tuple(f"x{i + 1}" for i in range(x.shape[1]))
    ((graph, *_),) = guessed_graphs([form.text], names, ("y",), x, 0)
    return displayed(canonical(graph, x.T), x.T)

import os
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hostile_names import HOSTILE
from pages import Page, check_harmless
from report_models import (
    TRUSTED,
    equation,
    fifteen_terms,
    fraction,
    graph,
    linear,
    model,
    rival,
    samples,
)

from eqlearn.equation.write.names import visible
from eqlearn.errors import EqlearnError
from eqlearn.model.model import Json, Model, Origin, Outcome, Verdict
from eqlearn.network.graph import CONSTANT
from eqlearn.report import plots
from eqlearn.report.findings import (
    candidates,
    distinct,
    findings,
    how_chosen,
    knee,
    search_facts,
    simple,
    with_error,
)
from eqlearn.report.html import slice_inputs
from eqlearn.report.report_files import write_report
from eqlearn.report.svg import inline
from eqlearn.report.text import escaped, summary
from eqlearn.report.typeset import LONGEST_LINE, typeset

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, ...]:
    of = replace(fraction(), origin=Origin(table="a<b>.csv", sha256="0f1e2d"))
    return write_report(tmp_path_factory.mktemp("r"), of, *samples(of))


def page_of(directory: Path, of: Model, **more: Any) -> Page:
    html, *_ = write_report(directory, of, *samples(of), **more)
    page = Page(html.read_text(encoding="utf-8"))
    check_harmless(page)
    return page


def summary_of(of: Model) -> str:
    return summary(of, findings(of))


def test_the_files(written: tuple[Path, ...]) -> None:
    assert [path.name for path in written] == ["report.html", "report.md", "slices.png"]
    assert sorted(written) == sorted(written[0].parent.iterdir())
    assert written[2].read_bytes().startswith(b"\x89PNG")


def test_the_page_is_one_harmless_file(written: tuple[Path, ...]) -> None:
    text = written[0].read_text(encoding="utf-8")
    page = Page(text)
    check_harmless(page)
    policies = [m for m in page.all("meta") if "http-equiv" in m]
    assert [m["content"] for m in policies] == [POLICY]
    assert text.index(POLICY) < text.index("<style>")
    # The only addresses are names of formats, which nothing opens.
    addresses = set(re.findall(r"https?://[^\"'\s<]*", text))
    assert addresses <= {"http://www.w3.org/2000/svg"}


@pytest.mark.parametrize(
    "expected",
    [
        "This equation can be trusted.",
        "9 of 20 attempts.",
        "3.140 ± 0.010",
        "π",
        "x1 in sin 2",
        "Chosen from 2 candidates by the information criterion",
        "rank by information",
        "0.21",  # the runner-up's error on rows held out
        "Predicted against measured",
        "no pole: the denominator stays above 0.999",
        "domain of use",
        "measured − predicted",
        "a<b>.csv",
        "0f1e2d",
        "0.1.0",
        "recipe",
        r"\frac",
    ],
)
def test_the_page_says(expected: str, written: tuple[Path, ...]) -> None:
    assert expected in Page(written[0].read_text(encoding="utf-8")).text


def test_the_fast_recipe_has_no_phases(written: tuple[Path, ...]) -> None:
    assert "networks were trained" not in written[0].read_text(encoding="utf-8")


def test_every_plot_is_there(written: tuple[Path, ...]) -> None:
    page = Page(written[0].read_text(encoding="utf-8"))
    labels = [svg["aria-label"] for svg in page.all("svg")]
    assert labels == [
        "y: error against complexity of the candidates",
        "y: predicted against measured",
        "y: residuals against prediction",
        "y: distribution of the residuals",
        "y along x1",
        "y along x2",
    ]
    # The page's own colours, light and dark.
    styles = " ".join(a.get("style", "") for _, a in page.elements)
    assert "currentColor" in styles and "var(--shade)" in styles
    assert plots.INK not in styles


def test_the_markdown(written: tuple[Path, ...]) -> None:
    text = written[1].read_text(encoding="utf-8")
    for expected in (
        "## y\n",
        "    y = 0.9876*sin(pi*x1)/(0.9765*x2**2 + 1)\n",
        "**This equation can be trusted.**",
        "3.140 ± 0.010  π",
        "![The formula along each input, well beyond the data](slices.png)",
        "    table   a<b>.csv\n",
    ):
        assert expected in text


def test_the_summary() -> None:
    text = summary_of(fraction())
    assert text.startswith("y = 0.9876*sin(pi*x1)/(0.9765*x2**2 + 1)\n")
    for expected in (
        "This equation can be trusted. 9 of 20 attempts.",
        "x1 in sin 2                    3.140 ± 0.010  π",
        "error on 200 rows (root mean square): 0.01\n",
        "Second came y = 0.7*x1 with an error of 0.2 and a complexity of 2, 50 behind",
    ):
        assert expected in text
    assert max(map(len, text.splitlines())) <= 88


def test_several_targets_have_a_section_each(tmp_path: Path) -> None:
    page = page_of(tmp_path, linear(["a", "b"], ["first", "second", "third"]))
    anchors = [a["href"] for a in page.all("a")]
    assert anchors == ["#target-1", "#target-2", "#target-3"]
    sections = [s["id"] for s in page.all("section")]
    assert sections == ["target-1", "target-2", "target-3", "origin"]
    images = re.findall(r"\((slices\S*)\)", (tmp_path / "report.md").read_text())
    assert images == ["slices.png", "slices-2.png", "slices-3.png"]
    assert all((tmp_path / image).exists() for image in images)


def test_nothing_was_found(tmp_path: Path) -> None:
    reasons = ("No formula explains more of the target than its mean does.",)
    nothing = Verdict("nothing", reasons, ("Measure more.",))
    mean = equation("y", graph({}), constants=())
    found = model([mean], verdict=nothing)
    page = page_of(tmp_path, found)
    for expected in (
        "No equation was found.",
        *reasons,
        "What to try: Measure more.",
        "The formula has no constants that were fitted.",
        "No candidate depends on any input.",
    ):
        assert expected in page.text
    assert "No equation was found." in summary_of(found)


@pytest.mark.parametrize("divided", [False, True])
def test_fifteen_terms_are_broken_into_lines(divided: bool) -> None:
    of = fifteen_terms(divided=divided)
    html, widest = typeset(of.chosen[0].graph, of.inputs, "y")
    page = Page(html)
    assert page.text.count("sin") == 15 + divided
    # Terms are pieces between which a browser breaks lines; so do numerators.
    assert len(page.all("math")) == (2 if divided else 16)
    assert len(page.all("mtr")) == (8 if divided else 0)
    assert widest <= LONGEST_LINE


def test_names_side_by_side_stay_apart() -> None:
    of = fraction()
    html, _ = typeset(of.chosen[0].snapped, of.inputs, "y")
    assert "π⋅x1" in Page(html).text.replace(" ", "")


def test_a_formula_too_long_to_be_read_is_text() -> None:
    names = [f"x{i}" for i in range(1200)]
    one = graph({i: 0.5 for i in range(1200)}, n_inputs=1200)
    html, _ = typeset(one, names, "<y>")
    assert "&lt;y&gt; = (a formula of 1201 constants)" in html


def test_far_points_have_a_column_only_if_there_are_any() -> None:
    of = fraction()
    (finding,) = findings(of)
    assert "far points" not in candidates(finding).headings
    scores = {"extrapolation_error": 0.0317}
    first, second = of.equations
    # Diverged at the far points, the runner-up has no number there.
    far = replace(of, equations=(replace(first, scores=scores), second))
    (finding,) = findings(far)
    table = candidates(finding)
    column = table.headings.index("far points")
    assert [row[column] for row in table.cells] == ["0.0317", "–"]
    assert "error at far points: 0.0317" in summary_of(far)
    # The first number is of all that the formula was fitted to.
    assert "error on 200 rows and far points (root mean square): 0.01\n" in summary_of(
        far
    )


def test_the_phases_of_training(tmp_path: Path) -> None:
    values = {"validation": [0.5, float("nan")], "n_active": [90, 80]}
    curves = [
        {"epoch": epoch, "l1_norm": [30.0 / epoch, float("inf")], **values}
        for epoch in (10, 20, 30, 10, 20)  # two batches, of which the second is short
    ]
    page = page_of(tmp_path, linear(["a"], ["y"]), curves=curves)
    assert "How the networks were trained" in page.text
    labels = [svg["aria-label"] for svg in page.all("svg")]
    assert [label for label in labels if "phases" in label] == [
        f"{name} over the phases of training" for name, _ in plots.CURVES.values()
    ]
    (axis,) = plots.plot_phases(curves).axes
    # A line for each network of each batch, by its share of the epochs.
    ends = [line.get_xdata()[-1] for line in axis.lines]  # type: ignore[index]
    assert ends == [1.0] * 4


def test_an_unknown_quantity_of_training() -> None:
    with pytest.raises(EqlearnError, match="`quantity` must be one of 'l1_norm'"):
        plots.plot_phases([], "weights")


def test_hostile_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("eqlearn.report.html.MOST_SLICES", 2)
    origin = Origin(*HOSTILE[:3], logs=HOSTILE)
    of = replace(linear(HOSTILE, HOSTILE[:1]), origin=origin)
    page = page_of(tmp_path, of)
    for number, name in enumerate(HOSTILE):
        assert visible(name, number) in page.text
    text = (tmp_path / "report.md").read_text(encoding="utf-8")
    invisible_times = "\u2062"  # MathML's, between factors
    for letter in summary_of(of) + text + page.text.replace(invisible_times, ""):
        assert letter.isprintable() or letter == "\n"
    # Beside text that is indented, and so shown as it is, no mark is left.
    assert set("<{[").isdisjoint(re.sub(r"(?m)^    .*$|^!\[.*$", "", text))


def test_hostile_names_in_plots() -> None:
    x, y = np.ones((2, len(HOSTILE))), np.ones(2)
    flat = graph({CONSTANT: 1.0}, n_inputs=len(HOSTILE))
    panels = plots.slice_panels(flat, x, y, HOSTILE, HOSTILE[0])
    for name, panel, number in zip(HOSTILE, panels, range(99), strict=False):
        page = Page(inline(panel, name, "p"))
        check_harmless(page)
        shown = visible(name, number)[: plots.LONGEST_LABEL - 1]
        # Browsers and matplotlib alike take several blanks for one.
        assert " ".join(shown.split()) in " ".join(page.text.split())
        assert page.all("svg")[0]["aria-label"] == name


def test_markdown_marks_are_escaped() -> None:
    assert escaped("<b> *a* [x](u) $y$ www.a.b https://c") == (
        "&#60;b&#62; &#42;a&#42; &#91;x](u) &#36;y&#36; www&#46;a.b https&#58;//c"
    )
    assert escaped("mass (kg), 50 %") == "mass (kg), 50 %"


def test_names_that_look_the_same_are_told_apart() -> None:
    assert distinct(["\x1b", "\\x1b", ""]) == ("\\x1b", "\\x1b⟨2⟩", "⟨3⟩")


def test_a_failed_report_leaves_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    of = fraction()
    x, y = samples(of)
    write_report(tmp_path, of, x, y)
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    assert len(before) == 3
    n_synced = 0

    def full(descriptor: int) -> None:
        nonlocal n_synced
        n_synced += 1
        if n_synced == 3:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    changed = replace(of, n_rows=7)
    with pytest.raises(EqlearnError, match="No space left on device") as caught:
        write_report(tmp_path, changed, x, y)
    assert "\n" not in str(caught.value)
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(EqlearnError, match="`directory` must be a place to write"):
        write_report(tmp_path / "file" / "in", fraction(), *samples(fraction()))


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (lambda x, y: (x[:, :1], y), "`x` must be rows of 2 columns"),
        (lambda x, y: (x, y[:, 0]), "`y` must be rows of 1 columns"),
        (lambda x, y: (x[:0], y[:0]), "`x` must be rows of 2 columns"),
        (lambda x, y: (x, y[1:]), "`y` must be as long as `x`, 200 rows"),
        (lambda x, y: (x, y * np.nan), "`y` must be finite"),
    ],
)
def test_data_that_are_not_the_models(
    change: Callable[..., tuple[Any, Any]], complaint: str, tmp_path: Path
) -> None:
    with pytest.raises(EqlearnError, match=re.escape(complaint)):
        write_report(tmp_path / "new", fraction(), *change(*samples(fraction())))
    assert not (tmp_path / "new").exists()


def test_what_is_said_of_the_search() -> None:
    ends: Json = {"x1": (0.5, 9)}
    parameters = {"domain": ends, "snap": True, "time_limit": None}
    outcomes = (Outcome(TRUSTED, "time", 12), Outcome(TRUSTED, "time", 3))
    of = replace(
        linear(["x1"], ["y", "z"]), parameters=parameters, outcomes=outcomes, seconds=2
    )
    assert dict(search_facts(of)) == {
        "domain": "x1: 0.5, 9",
        "snap": "yes",
        "time_limit": "default",
        "ended": "time, time",
        "attempts": "12, 3",
        "seconds": "2",
    }


@pytest.mark.parametrize("selection", [None, "v_int_z", 3])
def test_an_unknown_criterion_is_taken_for_the_usual_one(selection: Json) -> None:
    of = replace(fraction(), parameters={"selection": selection})
    (finding,) = findings(of)
    assert "by the information criterion" in how_chosen(of, finding)


@pytest.mark.parametrize(
    ("value", "error", "expected"),
    [
        (3.14131, 0.00137, "3.1413 ± 0.0014"),
        (-0.5, 0.25, "-0.50 ± 0.25"),
        (12345.6, 1.23, "12345.6 ± 1.2"),
        (6.02214e23, 1.2e20, "6.0221e+23 ± 1.2e+20"),
        (1.5e-12, 2e-14, "1.500e-12 ± 2.0e-14"),
        (0.0, 0.01, "0.000 ± 0.010"),
        (2.0, 0.0, "2, exact to rounding"),
        (2.0, np.inf, "2, not determined by the data"),
    ],
)
def test_constants_with_errors(value: float, error: float, expected: str) -> None:
    assert with_error(value, error) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [(None, "–"), (2.0, "2"), (1 / 3, "1/3"), (np.pi / 2, "π/2"), (1.23456, "1.23456")],
)
def test_snapped_constants(value: float | None, expected: str) -> None:
    assert simple(value) == expected


def test_slices_beyond_the_data_keep_a_sign() -> None:
    x = np.array([[1.0, -1.0], [3.0, 1.0]])
    one = graph({0: 1.0, 1: 1.0})
    figure = plots.plot_slices(one, x, x.sum(axis=1), ["a", "b"], "y")
    assert [axis.get_xlim() for axis in figure.axes] == [(0.0, 5.0), (-3.0, 3.0)]
    domain = [(0.5, 9.0), (-1.0, 1.0)]
    wide = plots.plot_slices(one, x, x.sum(axis=1), ["a", "b"], "y", domain=domain)
    assert [axis.get_xlim() for axis in wide.axes] == [(0.0, 9.0), (-3.0, 3.0)]


def test_rivals_and_the_measured_range_are_drawn() -> None:
    x = np.linspace(-1.0, 1.0, 20)[:, None]
    line, parabola = graph({0: 1.0}, n_inputs=1), graph({0: 2.0}, n_inputs=1)
    (axis,) = plots.plot_slices(
        line, x, x[:, 0], ["x"], "y", rivals=[parabola], domain=[(-2.0, 2.0)]
    ).axes
    labels = axis.get_legend_handles_labels()[1]
    assert labels == [
        *("domain of use", "measured range", "measurements"),
        *("candidate 2", "formula"),
    ]


def test_a_pole_is_a_gap_and_does_not_flatten_the_rest() -> None:
    x = np.linspace(1.0, 2.0, 50)[:, None]
    pole = graph({CONSTANT: 1.0}, {0: 1.0}, n_inputs=1)
    domain = [(-1.03, 2.0)]  # of whose points none is the pole itself
    (axis,) = plots.plot_slices(pole, x, 1 / x[:, 0], ["x"], "y", domain=domain).axes
    values = np.asarray(axis.lines[-1].get_ydata())
    assert np.isnan(values).any()
    low, high = axis.get_ylim()
    assert -5 < low and high < 5


def test_an_exact_formula_has_a_place_among_the_candidates() -> None:
    exact = equation("y", graph({0: 2.0}), rms=0.0)
    (axis,) = plots.plot_front([exact, rival("y", graph({0: 1.0}))]).axes
    low, _ = axis.get_ylim()
    assert axis.get_yscale() == "log" and low > 0


def test_powers_of_ten_are_letters_that_need_no_parser() -> None:
    known = [equation("y", graph({0: 2.0}), rms=rms) for rms in (1e-12, 1e-3, 10.0)]
    drawn = plots.plot_front(known)
    with patch("matplotlib.mathtext.MathTextParser.parse", side_effect=AssertionError):
        text = inline(drawn, "", "p")
    assert "10⁻⁶" in text
    assert [plots.power_of_ten(n) for n in (1e-12, 1.0, 1e5)] == ["10⁻¹²", "10⁰", "10⁵"]


def test_residuals_without_any_spread() -> None:
    ones = np.ones(10)
    assert plots.plot_histogram(ones, ones).axes[0].patches


def test_many_points_are_one_image() -> None:
    n = plots.MOST_MARKS + 1
    few, many = (np.linspace(0, 1, k) for k in (n - 1, n))
    assert not Page(inline(plots.plot_fit(few, few, "y"), "", "p")).all("image")
    (image,) = Page(inline(plots.plot_fit(many, many, "y"), "", "p")).all("image")
    assert image["href"].startswith("data:image/png;base64,")


def test_slices_follow_the_inputs_of_the_formula() -> None:
    names = [f"x{i}" for i in range(20)]
    first = equation("y", graph({15: 1.0, 3: 2.0}, n_inputs=20))
    second = rival("y", graph({i: 1.0 for i in range(14)}, n_inputs=20))
    (finding,) = findings(model([first, second], names))
    drawn, left_out = slice_inputs(finding)
    assert drawn == [*range(11), 15]
    assert left_out == [11, 12, 13]


def test_the_knee_is_where_the_error_falls_most_steeply() -> None:
    def of_size(complexity: int, rms: float, **changes: Any) -> Any:
        one = equation if changes.get("is_chosen", True) else rival
        return one("y", graph({0: 1.0}), complexity=complexity, rms=rms, **changes)

    long = of_size(20, 0.008)
    others = [
        of_size(size, rms, is_chosen=False)
        for size, rms in ((2, 1.0), (5, 0.01), (9, 0.009), (12, 0.5))
    ]
    (finding,) = findings(model([long, *others]))
    found = knee(finding)
    assert found is not None and found.complexity == 5
    assert "Shorter is y = " in summary_of(model([long, *others]))
    # What came second is not written once more.
    text = " ".join(summary_of(model([long, others[1], others[0]])).split())
    assert "That one is shorter: up to it the error falls most steeply." in text
    assert "Shorter is" not in text
    # What was chosen is not named again, nor is anything longer.
    (alone,) = findings(model([of_size(5, 0.01), others[0], others[2]]))
    assert knee(alone) is None
    (single,) = findings(model([long]))
    assert knee(single) is None

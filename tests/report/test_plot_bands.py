"""Bands in plots: where new measurements should be."""

import numpy as np
import pytest
from report_models import equation, graph, model

from eqlearn.model.prediction import interval_reach
from eqlearn.report import plots
from eqlearn.report.findings import band_reach


def test_a_band_says_where_measurements_should_be() -> None:
    x = np.linspace(-1.0, 1.0, 20)[:, None]
    line = graph({0: 1.0}, n_inputs=1)
    (axis,) = plots.plot_slices(
        line, x, x[:, 0], ["x"], "y", reach=lambda points: 0.1 + np.abs(points[:, 0])
    ).axes
    assert plots.BAND in axis.get_legend_handles_labels()[1]
    (band,) = axis.collections
    corners = np.asarray(band.get_paths()[0].vertices)
    at_zero = corners[np.abs(corners[:, 0]) < 1e-9, 1]
    assert (at_zero.min(), at_zero.max()) == pytest.approx((-0.1, 0.1))


def test_a_band_is_the_interval_of_predictions() -> None:
    known = model([equation("y", graph({0: 2.0})), equation("z", graph({1: 3.0}))])
    points = np.array([[0.0, 0.0], [1.0, 2.0]])
    reach = band_reach(known, 1)
    assert reach is not None
    wide = reach(points)
    assert wide == pytest.approx(interval_reach(known, points, 0.95)[:, 1])
    assert wide[1] > wide[0] > 0.0196


def test_formulas_of_very_many_constants_have_no_band() -> None:
    assert band_reach(model([equation("y", graph({0: 2.0}))] * 500), 0) is None

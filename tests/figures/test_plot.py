"""The one plot: series in, plain Plotly JSON out."""

import json

import numpy as np
import plotly.graph_objects as go
import pytest

from attnviz.figures.plot import Reference, Scale, Series, histogram, plot_figure
from tests.figures.decoding import decode

SIZES = np.array([1.0, 4, 16, 64, 256])
SHARES = np.array([0.2, 0.4, 0.7, np.nan, 0.9])


def line(**look):
    return Series("share", SIZES, SHARES, **look)


def ends(spec, axis):
    return tuple(spec["layout"]["meta"]["plot"][axis][end] for end in ("least", "most"))


def drawings():
    bars = Series("weights", np.arange(3.0), np.array([0.2, 0.5, 0.3]), kind="bars")
    look = {"is_dashed": True, "has_points": True, "texts": ("", "0.4"), "label": "a"}
    whole = line(spread=SHARES / 10, **look)
    scale = Scale("size", is_log=True, ticks=SIZES, names=list("abcde"))
    edges = np.linspace(-2, 2, 5)
    return {
        "line": plot_figure([whole], x=scale, references=[Reference(64, "x", "64")]),
        "bars": plot_figure([bars], references=[Reference(1 / 3)]),
        "points": plot_figure([line(kind="points")], y=Scale("share", least=0)),
        "histogram": plot_figure([histogram(SHARES[:3], edges=edges, name="shares")]),
    }


@pytest.mark.parametrize("name", drawings())
def test_plotly_accepts_every_kind_of_plot(name):
    go.Figure(drawings()[name])


def test_a_plot_is_json_without_special_numbers_and_a_gap_stays_a_gap():
    spec = drawings()["line"]
    json.dumps(spec, allow_nan=False)
    np.testing.assert_array_equal(decode(spec["data"][0]["y"]), SHARES.astype("f4"))


def test_an_axis_ends_where_it_is_told_or_a_little_beyond_the_numbers():
    spec = plot_figure([line()], y=Scale(least=0, most=1))
    assert (ends(spec, "x"), ends(spec, "y")) == ((1, 256), (0, 1))
    least, most = ends(plot_figure([line()]), "y")
    assert 0.1 < least < 0.2
    assert 0.9 < most < 1


def test_bars_stand_on_0_with_half_a_step_at_both_sides():
    spec = drawings()["bars"]
    assert ends(spec, "x") == (-0.5, 2.5)
    assert ends(spec, "y")[0] == 0


def test_a_spread_finds_room():
    spec = plot_figure([line(spread=np.full(5, 0.3))])
    assert ends(spec, "y")[0] < 0.2 - 0.3
    assert ends(spec, "y")[1] > 0.9 + 0.3


def test_a_series_of_one_number_has_an_axis():
    spec = plot_figure([Series("one", np.array([3.0]), np.array([7.0]))])
    assert (ends(spec, "x"), ends(spec, "y")) == ((2.5, 3.5), (6.5, 7.5))


@pytest.mark.parametrize("wrong", [{"least": 0}, {"most": -1}])
def test_a_logarithmic_axis_refuses_what_it_cannot_show(wrong):
    with pytest.raises(ValueError, match="above 0"):
        plot_figure([line()], x=Scale(is_log=True, **wrong))


def test_the_area_of_a_histogram_is_the_share_of_the_numbers_within_its_edges():
    values = np.array([[0.5, 0.5, 1.5], [1.5, 1.5, 99.0]])
    bars = histogram(values, edges=np.array([0.0, 1.0, 2.0]), name="values")
    assert bars.x.tolist() == [0.5, 1.5]
    np.testing.assert_allclose(bars.y, [2 / 6, 3 / 6])

"""The Scaling lab draws, tabulates and writes what its trace holds."""

import re
from dataclasses import replace

import numpy as np
import plotly.graph_objects as go
import pytest

from attnviz.example.scaling.compute import compute_scaling
from attnviz.example.scaling.settings import Scaling
from attnviz.export.dialect import NUMPY, TORCH
from attnviz.pages.scaling.captions import scaling_sentences
from attnviz.pages.scaling.figures import scaling_figures
from attnviz.pages.scaling.script.whole import scaling_script
from attnviz.pages.scaling.tables import scaling_tables
from attnviz.pages.scaling.worksheet import scaling_worksheet
from attnviz.text.catalog import LANGUAGES, load, translator
from tests.figures.decoding import decode, heatmaps, matrices
from tests.pages.cases import SCALING
from tests.pages.sheets import Sheet, writer

SMALL = Scaling(d_k=4, keys=7, n_drawn=250, gradient_size=3, other="power")
TR = translator("en")


@pytest.fixture(scope="module")
def small():
    return compute_scaling(SMALL)


def told(**changes):
    return scaling_sentences(compute_scaling(replace(SMALL, **changes)), TR)


def test_plotly_accepts_every_figure(small):
    figures = scaling_figures(small, TR)
    for spec in figures.values():
        go.Figure(spec)
    drawn = matrices(figures)
    np.testing.assert_allclose(drawn["d_k"], small.scaled.gradients.k[0], rtol=1e-6)
    np.testing.assert_allclose(drawn["a_d_k"], small.unscaled.gradients.k[0], rtol=1e-6)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_figure_and_matrix_has_its_name(small, language):
    figures, words = scaling_figures(small, translator(language)), load(language)
    assert {f"browser.export.figure.{name}" for name in figures} <= words.keys()
    names = {*heatmaps(figures), *scaling_tables(small)}
    assert {f"browser.matrix.{name}" for name in names} <= words.keys()


def test_bars_are_the_weights_of_the_row_and_histograms_have_the_area_1(small):
    bars = scaling_figures(small, TR)["bars_2"]["data"][0]
    spread = scaling_figures(small, TR)["spread_2"]["data"][0]
    x, y = (decode(spread[axis]) for axis in "xy")
    np.testing.assert_allclose(decode(bars["y"]), small.matrices["shares"][1], 1e-6)
    assert (y * np.diff(x).mean()).sum() == pytest.approx(1, abs=0.01)


def test_sentences_tell_the_variance_that_theory_and_draws_give():
    # Course chapter, exercise 3.
    assert "is 4.938 instead of 1" in told(d_k=64, correlation=0.25)["scaling.variance"]
    assert "is 16.75 instead of 1" in told(d_k=64, correlation=0.5)["scaling.variance"]
    assert "d² = 64" in told(law="unit", width=8)["scaling.variance"]


@pytest.mark.parametrize(
    ("heat", "weights", "entropy"),
    [
        (0.25, "0.98169, 0.01798, 0.000329", "0.093035"),
        (0.5, "", "0.441057"),
        (1.0, "0.66524, 0.24473, 0.09003", "0.832396"),
        (2.0, "", "1.020191"),
        (4.0, "", "1.078100"),
    ],
)
def test_three_scores_have_the_weights_of_the_chapter_at_each_temperature(
    heat, weights, entropy
):
    # Course chapter, R149.
    sentence = told(temperature=heat)["scaling.heat_found"]
    assert f"H = {entropy}" in sentence
    assert weights in sentence


def test_the_ratio_that_is_told_is_that_of_the_gradients(small):
    sizes = [
        np.linalg.norm(back.gradients.masked_scores)
        for back in (small.unscaled, small.scaled)
    ]
    ratio = float(re.search(r"([\d.]+) times", told()["scaling.gradient_found"])[1])
    assert ratio == pytest.approx(sizes[0] / sizes[1], rel=1e-2)


@pytest.mark.parametrize("name", SCALING)
def test_the_script_computes_what_is_on_screen(capsys, name):
    trace = compute_scaling(SCALING[name])
    exec(compile(scaling_script(trace, NUMPY, TR), "script", "exec"), {})
    assert capsys.readouterr().out.count("agrees") == 9
    compile(scaling_script(trace, TORCH, TR), "script", "exec")


def test_the_key_of_the_worksheet_follows_from_what_it_gives(small):
    key = Sheet(scaling_worksheet(small, writer("en", is_key=True)))
    assert "[blank]" not in str(key)
    open_ = scaling_worksheet(small, writer("zh", is_key=False))
    assert open_.count("blank") == 2 * (6 + 6 + 1) + open_.count(".blank")


def test_curves_stand_in_a_table_with_their_errors(small):
    table = scaling_tables(small)["largest_curve"]
    assert table.index.tolist() == [2**power for power in range(11)]
    np.testing.assert_array_equal(table["÷ √dₖ"], small.draws.largest.mean[1])
    assert (table["± ÷ √dₖ"] > 0).all()

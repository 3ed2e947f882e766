"""The figures of a comparison."""

from dataclasses import replace

import numpy as np
import plotly.graph_objects as go
import pytest

from attnviz.example.comparison import COMPARED, compare
from attnviz.example.compute import EXAMPLES, compute
from attnviz.example.settings import Example
from attnviz.pages.attention.figures.comparison import comparison_figures
from tests.figures.decoding import decode

A = compute(Example(length=5, d_model=11, d_k=3, d_v=7))
B = compute(replace(A.example, mask="causal", temperature=0.5))
LONGER = compute(replace(A.example, length=7))

SIDES = ("first", "second")


def heatmaps(trace):
    figures = comparison_figures(compare(A, trace, 1), trace, SIDES)
    return {
        part["name"]: part
        for spec in figures.values()
        for part in spec["data"]
        if "hides" not in part["meta"]
    }


def test_nothing_is_drawn_while_nothing_is_frozen():
    assert comparison_figures(None, A, SIDES) == {}


def test_every_figure_shows_a_b_and_the_difference():
    wanted = {f"{kind}_{name}" for kind in ("a", "b", "delta") for name in COMPARED}
    assert heatmaps(B).keys() == wanted


def test_each_side_is_named_with_its_head():
    symbols = {name: part["meta"]["symbol"] for name, part in heatmaps(B).items()}
    assert symbols["a_weights"] == ("A", "first", "(2)")
    assert symbols["b_scores"] == ("S", "second", "(2)")
    assert symbols["a_output"] == ("O", "first", "")
    one = compute(replace(A.example, n_heads=1))
    drawn = comparison_figures(compare(one, one, 0), one, SIDES)["compare_scores"]
    assert drawn["data"][0]["meta"]["symbol"] == ("S", "first", "")


def test_what_stands_in_fractions_stays_so_and_so_does_what_changed():
    one = compute(EXAMPLES["fractions"])
    other = compute(replace(one.example, mask="causal"))
    drawn = comparison_figures(compare(one, other, 0), other, SIDES)["compare_weights"]
    texts = {part["name"]: part["meta"].get("texts") for part in drawn["data"]}
    assert texts["a_weights"][4:8] == ["1/4", "1/8", "1/8", "1/2"]
    assert texts["b_weights"][4:8] == ["2/3", "1/3", "0", "0"]
    assert texts["delta_weights"][4:8] == ["5/12", "5/24", "−1/8", "−1/2"]


def test_plotly_accepts_every_figure():
    for spec in comparison_figures(compare(A, B, 0), B, SIDES).values():
        assert go.Figure(spec).data


@pytest.mark.parametrize("name", COMPARED)
def test_the_difference_on_screen_is_the_cores(name):
    pair = compare(A, B, 1).pairs[name]
    drawn = decode(heatmaps(B)[f"delta_{name}"]["z"])
    np.testing.assert_array_equal(drawn, pair.difference.astype(np.float32))


@pytest.mark.parametrize("name", ["scores", "context", "output"])
def test_a_and_b_share_their_colours(name):
    parts = heatmaps(B)
    assert parts[f"a_{name}"]["zmax"] == parts[f"b_{name}"]["zmax"]


def test_other_shapes_stand_side_by_side_without_a_difference():
    assert not [name for name in heatmaps(LONGER) if name.startswith("delta")]


def test_the_rows_of_a_are_named_where_b_is_shorter():
    drawn = comparison_figures(compare(LONGER, A, 0), A, SIDES)["compare_scores"]
    axes = drawn["layout"]["meta"]["axes"]
    assert axes["query"]["names"] == list(LONGER.tokens)

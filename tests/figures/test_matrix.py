"""The one heat map: numbers in, plain Plotly JSON out."""

import json

import numpy as np
import plotly.graph_objects as go
import pytest

from attnviz.figures.matrix import Axis, Panel, encode, matrix_figure, nice_bound
from tests.figures.decoding import decode, heatmaps, hidden_cells, matrices

ROWS = Axis("query", ("a", "b", "c"))
COLUMNS = Axis("key", ("d", "e"))
VALUES = np.array([[1.0, -2.0], [0.1, 4.2], [0.0, 3.0]])


def panel(**changes):
    settings = {"symbol": ("S", "", ""), "role": "s", "rows": ROWS, "columns": COLUMNS}
    return Panel(**{"name": "scores", "values": VALUES, **settings, **changes})


def drawn(**changes):
    return matrix_figure([panel(**changes)])


def test_numbers_travel_as_float32():
    numbers = matrices({"one": drawn()})["scores"]
    assert numbers.dtype == np.float32
    np.testing.assert_array_equal(numbers, VALUES.astype("f4"))


def test_what_is_too_small_for_float32_does_not_travel_as_0():
    values = np.array([[1e-80, -1e-80], [0.0, 1.0], [1e-30, -0.0]])
    numbers = matrices({"one": drawn(values=values)})["scores"]
    assert np.sign(numbers).tolist() == [[1, -1], [0, 1], [1, 0]]
    assert np.abs(numbers[0]).max() < 1e-37


def test_a_figure_is_json_without_special_numbers():
    values = np.array([[1.0, -np.inf], [np.nan, np.inf], [0.0, 1.0]])
    json.dumps(drawn(values=values), allow_nan=False)


def test_numbers_that_cannot_travel_are_hidden_and_travel_as_0():
    values = np.array([[1.0, -np.inf], [np.nan, np.inf], [0.0, 1.0]])
    figures = {"one": drawn(values=values)}
    assert matrices(figures)["scores"].tolist() == [[1, 0], [0, 0], [0, 1]]
    assert hidden_cells(figures, "scores").tolist() == [
        [False, True],
        [True, True],
        [False, False],
    ]


def test_hidden_cells_have_a_layer_of_their_own_and_keep_their_numbers():
    hidden = np.array([[False, True], [False, False], [True, False]])
    spec = drawn(hidden=hidden, glyph="0")
    assert [trace["name"] for trace in spec["data"]] == ["scores", "scores hidden"]
    assert matrices({"one": spec})["scores"][hidden].tolist() == [-2, 0]
    np.testing.assert_array_equal(hidden_cells({"one": spec}, "scores"), hidden)


def test_a_matrix_without_hidden_cells_has_one_layer():
    assert len(drawn(hidden=np.zeros((3, 2), dtype=bool))["data"]) == 1


def test_plotly_accepts_the_figure():
    go.Figure(drawn(hidden=VALUES > 2, kind="weights"))


@pytest.mark.parametrize(
    ("place", "key"), [("layout", "xaxsi"), ("data", "zmni")], ids=["layout", "trace"]
)
def test_plotly_refuses_a_wrong_key(place, key):
    spec = drawn()
    (spec["layout"] if place == "layout" else spec["data"][0])[key] = 1
    with pytest.raises(ValueError, match=key):
        go.Figure(spec)


def test_row_1_is_at_the_top_and_column_1_at_the_left():
    layout = drawn()["layout"]
    assert layout["yaxis"]["range"] == [2.5, -0.5]
    assert layout["xaxis"]["range"] == [-0.5, 1.5]


def test_signed_numbers_are_centred_at_0_and_weights_go_from_0_to_1():
    signed = heatmaps({"one": drawn()})["scores"]
    assert (signed["zmin"], signed["zmax"]) == (-5, 5)
    weights = heatmaps({"one": drawn(values=VALUES / 100, kind="weights")})["scores"]
    assert (weights["zmin"], weights["zmax"]) == (0, 1)


def test_a_bound_that_is_given_stays():
    scale = heatmaps({"one": drawn(bound=7.5)})["scores"]
    assert (scale["zmin"], scale["zmax"]) == (-7.5, 7.5)


@pytest.mark.parametrize(
    ("largest", "bound"),
    [(0, 1), (0.9, 1), (1, 1), (1.01, 2), (-2.5, 3), (4, 5), (6, 10), (0.021, 0.03)],
)
def test_bounds_are_round_and_at_least_as_large_as_the_numbers(largest, bound):
    assert nice_bound(np.array([[0.0, largest]])) == pytest.approx(bound)


def test_an_empty_matrix_has_a_bound():
    assert nice_bound(np.zeros((0, 3))) == 1


def test_a_panel_tells_where_it_stands_and_how_close():
    meta = drawn(track=2, band=1, is_narrow=True, is_optional=True)["data"][0]["meta"]
    assert (meta["track"], meta["band"]) == (2, 1)
    assert (meta["is_narrow"], meta["is_optional"]) == (True, True)


@pytest.mark.parametrize("is_folded", [True, False])
def test_a_figure_tells_whether_its_features_may_be_folded(is_folded):
    spec = matrix_figure([panel()], is_folded=is_folded)
    assert spec["layout"]["meta"]["is_folded"] is is_folded


def test_names_of_an_axis_are_told_once_and_written_where_they_are_asked_for():
    spec = drawn(shows_rows=True)
    meta = heatmaps({"one": spec})["scores"]["meta"]
    assert (meta["rows"], meta["columns"]) == ("query", "key")
    assert (meta["shows_rows"], meta["shows_columns"]) == (True, False)
    axes = spec["layout"]["meta"]["axes"]
    assert axes["query"]["names"] == ["a", "b", "c"]
    assert axes["key"]["names"] == ["d", "e"]


def test_padding_is_marked_where_there_is_some():
    padded = Axis("query", ("a", "b", "c"), np.array([False, False, True]))
    axes = drawn(rows=padded)["layout"]["meta"]["axes"]
    assert axes["query"]["padding"] == [False, False, True]
    assert axes["key"]["padding"] is None


def test_booleans_travel_as_bytes():
    typed = encode(np.array([[True, False, True]]))
    assert (typed["dtype"], typed["shape"]) == ("u1", "1,3")
    assert decode(typed).tolist() == [[1, 0, 1]]


def test_an_array_that_is_not_contiguous_keeps_its_numbers():
    np.testing.assert_array_equal(decode(encode(VALUES.T)), VALUES.T.astype("f4"))


def test_a_panel_that_stays_is_not_drawn_again():
    before, after = drawn()["data"], drawn(values=VALUES.copy())["data"]
    assert [one is other for one, other in zip(before, after, strict=True)] == [True]


@pytest.mark.parametrize(
    "changes",
    [
        {"values": 2 * VALUES},
        {"values": VALUES.reshape(2, 3)},
        {"hidden": VALUES < 0},
        {"bound": 7.0},
        {"kind": "weights"},
        {"texts": ("1",) * 6},
        {"rows": Axis("key"), "columns": Axis("query")},
        {"is_turned": True},
        {"track": 1},
    ],
    ids=lambda changes: next(iter(changes)),
)
def test_a_panel_that_changes_is_drawn_anew(changes):
    assert drawn()["data"] != drawn(**changes)["data"]

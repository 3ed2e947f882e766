"""The figure shows what should be, what is, and the difference; or the inputs."""

import numpy as np
import plotly.graph_objects as go
import pytest

from attnviz.example.check.settings import CheckSettings
from attnviz.example.check.trace import empty_trace, judged_trace
from attnviz.pages.check.figures import check_figures, check_screen
from attnviz.pages.check.tables import check_tables
from attnviz.text.catalog import translator
from tests.example.check.results import CAUSAL, TRACE, attended, judged, written
from tests.figures.decoding import matrices

EN = translator("en")
WRONG = attended(scale=1.0).weights


def drawn(trace, head=0):
    figures = check_figures(trace, head, EN)
    for spec in figures.values():
        go.Figure(spec)
    return matrices(figures)


def meta(trace, name, head=0):
    (spec,) = check_figures(trace, head, EN).values()
    return next(part["meta"] for part in spec["data"] if part["name"] == name)


@pytest.mark.parametrize("head", [0, 1])
def test_the_three_matrices_are_those_of_the_judgement(head):
    shown = drawn(judged_trace(judged(written(WRONG))), head)
    assert list(shown) == ["expected", "given", "difference"]
    np.testing.assert_array_equal(shown["given"], np.float32(WRONG[head].round(4)))
    right = TRACE.attention.weights[head]
    np.testing.assert_array_equal(shown["expected"], np.float32(right))
    np.testing.assert_allclose(shown["difference"], WRONG[head] - right, atol=6e-5)


def test_a_single_head_stands_beside_the_one_it_belongs_to():
    shown = drawn(judged_trace(judged(written(TRACE.attention.weights[1]))))
    right = TRACE.attention.weights[1]
    np.testing.assert_array_equal(shown["expected"], np.float32(right))


def test_cells_that_differ_are_marked_and_no_others():
    changed = TRACE.attention.weights.copy()
    changed[1, 3, 2] += 0.3
    trace = judged_trace(judged(written(changed)))
    assert meta(trace, "given", head=0)["marked"] is None
    assert meta(trace, "given", head=1)["marked"] == [3 * 5 + 2]


def test_a_result_of_another_shape_stands_without_a_difference():
    trace = judged_trace(judged(written(np.swapaxes(TRACE.attention.context, 1, 2))))
    shown = drawn(trace)
    assert list(shown) == ["expected", "given"]
    assert shown["given"].shape == (2, 5)
    assert meta(trace, "given")["rows"] == "row"


def test_before_a_result_the_inputs_are_shown_and_not_the_answer():
    assert list(drawn(empty_trace(CAUSAL, CheckSettings()))) == ["q", "k", "v"]
    norm = empty_trace(CAUSAL, CheckSettings(kind="norm_output"))
    assert list(drawn(norm)) == ["norm_input", "gamma", "beta"]


@pytest.mark.parametrize(
    ("text", "symbol"),
    [
        (written(WRONG), "A"),
        (written(TRACE.attention.context), "C"),
        (written(TRACE.x, name="y"), "y"),
    ],
)
def test_each_kind_is_called_as_it_is_elsewhere(text, symbol):
    names = check_screen(judged_trace(judged(text)), EN).names
    assert (names["expected"].base, names["expected"].sub) == (symbol, "due")
    assert (names["given"].base, names["given"].sub) == (symbol, "mine")
    assert names["difference"].base == f"Δ{symbol}"


def test_tables_hold_what_the_figure_shows():
    screen = check_screen(judged_trace(judged(written(WRONG))), EN)
    tables = check_tables(screen, 1)
    assert list(tables) == ["expected", "given", "difference"]
    np.testing.assert_array_equal(tables["given"].to_numpy(), WRONG[1].round(4))

"""What the Positions page says, draws and gives along."""

from dataclasses import replace

import numpy as np
import plotly.graph_objects as go
import pytest

from attnviz.core.derivation import derive
from attnviz.example.choices.positions import POSITION_KINDS
from attnviz.example.compute import EXAMPLES
from attnviz.example.positions.compute import compute_positions
from attnviz.example.positions.settings import PositionsSettings, positions_start
from attnviz.example.settings import Example
from attnviz.export.data import page_data
from attnviz.pages.positions.captions import positions_live, positions_note
from attnviz.pages.positions.figures import positions_figures
from attnviz.pages.positions.tables import TABLES, positions_tables
from attnviz.pages.positions.worksheet import positions_worksheet
from attnviz.text.catalog import LANGUAGES, translator
from attnviz.text.numbers import brief
from tests.figures.decoding import decode
from tests.pages.sheets import Sheet, writer

EN = translator("en")
MOVED = PositionsSettings(order=(2, 0, 4, 1, 3), bias_kind="relative")


def trace_of(settings=MOVED, **changes):
    return compute_positions(Example(**changes), settings)


def said(trace, key, tr=EN):
    return positions_live(trace, tr)[key].text


@pytest.mark.parametrize(
    ("changes", "start"),
    [
        ({}, "Nothing, without positions and mask"),
        ({"positions": "learned"}, "It sees order (learned)"),
        ({"mask": "causal"}, "The mask alone tells places apart"),
        ({"positions": "rotary", "mask": "causal"}, "It sees order (rotary)"),
        ({"length": 1}, "One token has no order"),
        ({"key_length": 3}, "Keys come from elsewhere here."),
    ],
)
def test_the_answer_has_the_measured_number(changes, start):
    trace = trace_of(**changes)
    answer = said(trace, "positions.answer")
    assert answer.startswith(start)
    if "length" not in changes and "key_length" not in changes:
        assert brief(trace.order.largest_change(0)) in answer


def test_who_stands_where_they_stood_is_told_so():
    trace = trace_of(replace(MOVED, order=(0, 1, 2, 3, 4)))
    assert said(trace, "positions.answer").startswith("Every token stands where it")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", POSITION_KINDS)
def test_every_kind_says_where_it_acts_what_it_costs_and_how_far_it_goes(
    language, kind
):
    live = positions_live(trace_of(), translator(language))
    assert live[f"positions.beyond.{kind}"].text
    assert live[f"positions.cost.{kind}"].text
    assert translator(language)(f"positions.where.{kind}")


def test_costs_are_counted():
    trace = trace_of(replace(MOVED, trained_length=17), d_model=6, n_heads=3)
    assert said(trace, "positions.cost.learned") == f"L·d = {17 * 6}"
    assert said(trace, "positions.cost.relative") == f"H·32 buckets = {3 * 32}"


def test_a_learned_table_refuses_what_lies_beyond_in_words():
    trace = trace_of(replace(MOVED, trained_length=3))
    assert "Asked for 5" in said(trace, "positions.beyond.learned")
    assert said(trace, "try.learned.none") == "–"


def test_an_odd_width_is_refused_with_the_reason():
    trace = trace_of(d_model=7)
    assert "so d must be even; it is 7" in said(trace, "positions.table.said")
    assert {"table", "gram", "curve", "sum"} & positions_figures(trace, EN).keys() == (
        set()
    )


@pytest.mark.parametrize("positions", POSITION_KINDS)
def test_plotly_takes_every_figure(positions):
    figures = positions_figures(trace_of(positions=positions), EN)
    assert len(figures) == 10
    for spec in figures.values():
        assert go.Figure(spec).data


def test_the_places_of_the_second_run_tell_whose_rows_stand_there():
    (spec,) = (positions_figures(trace_of(), EN)[name] for name in ("order",))
    axes = spec["layout"]["meta"]["axes"]
    assert axes["place"]["of"] == "query"
    assert axes["place"]["order"] == [2, 0, 4, 1, 3]
    assert axes["place"]["names"] == ["x₃", "x₁", "x₅", "x₂", "x₄"]
    assert "of" not in axes["query"]


def test_the_arrows_end_where_the_turned_pair_stands():
    trace = trace_of(replace(MOVED, place_m=3, pair=1))
    spec = positions_figures(trace, EN)["arrows"]
    ends = [decode(spec["data"][2][axis])[1] for axis in "xy"]
    np.testing.assert_allclose(ends, trace.rotary.queries[3, 2:4], rtol=1e-6)


def test_a_change_says_where_its_token_stands_and_what_is_rounding():
    trace = trace_of()
    note = positions_note(trace, derive(trace, "order_change", (0, 2, 3)), EN)
    assert note.startswith("x₃ stands at place 1 of the moved tokens")
    assert "rounding" in note
    seen = trace_of(positions="learned")
    other = positions_note(seen, derive(seen, "order_change", (0, 2, 3)), EN)
    assert "rounding" not in other
    assert positions_note(trace, derive(trace, "x", (0, 0)), EN) == ""


def test_tables_and_files_hold_what_is_drawn():
    trace = trace_of(positions="sinusoidal")
    frames = positions_tables(trace)
    absent = {"x", "moved_x"}
    assert set(TABLES) - frames.keys() <= absent | {"inputs", "moved_inputs"}
    np.testing.assert_array_equal(
        frames["order_change"].to_numpy(), trace.order.change[0]
    )
    data = page_data("positions", trace.screen(), {})
    assert data.matrices["rotary_scores"].axes == ("m", "n")
    np.testing.assert_array_equal(
        data.matrices["moved_context"].values, trace.order.moved.attention.context
    )


def test_a_sheet_asks_for_the_rows_put_back_and_for_the_table():
    trace = compute_positions(EXAMPLES["exercise_7"], positions_start("exercise_7"))
    sheet = Sheet(positions_worksheet(trace, writer()))
    key = Sheet(positions_worksheet(trace, writer(is_key=True)))
    assert np.isnan(sheet.numbers("ΔC")).all()
    assert (key.numbers("ΔC") == 0).all()
    np.testing.assert_array_equal(key.numbers("C"), key.numbers("ΠᵀCπ"))
    assert key.row("p = 1") == pytest.approx(trace.table.table[1], abs=5e-5)


def test_a_sheet_says_what_is_too_large_for_paper():
    trace = trace_of(length=13, d_model=14)
    assert "12" in Sheet(positions_worksheet(trace, writer())).text

"""What the Positions page says, draws and gives along."""

from dataclasses import replace

import numpy as np
import plotly.graph_objects as go
import pytest

from attnviz.core.derivation import derive
from attnviz.example.choices.positions import POSITION_KINDS
from attnviz.example.compute import EXAMPLES
from attnviz.example.edits import Edit
from attnviz.example.own import Found, choose_own
from attnviz.example.own.example import own_example
from attnviz.example.positions.checks import check_positions
from attnviz.example.positions.compute import compute_positions
from attnviz.example.positions.order import OrderTrace
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
        ({"positions": "rotary", "mask": "causal"}, "It sees order (rotary, and the m"),
        ({"mask": "padding", "n_padding": 0}, "Nothing, without positions and mask"),
        ({"mask": "padding"}, "The mask alone tells places apart: padding stays"),
        ({"mask": "causal_left_padding"}, "The mask alone tells places apart: padding"),
        ({"mask": "causal_padding", "n_padding": 0}, "The mask alone tells places ap"),
        ({"mask": "window"}, "The mask alone tells places apart: it hides places"),
        (
            {"edits": (Edit("mask", (1, 3), 0),)},
            "The mask alone tells places apart: it hides places",
        ),
        (
            {"mask": "window", "window_left": 0, "window_right": 0},
            "It does not see this order: the mask hides places, yet",
        ),
        ({"length": 1}, "One token has no order"),
        ({"key_length": 3}, "Keys come from elsewhere here."),
    ],
)
def test_the_answer_has_the_measured_number(changes, start):
    trace = trace_of(**changes)
    answer = said(trace, "positions.answer")
    assert answer.startswith(start)
    if isinstance(trace.order, OrderTrace) and "length" not in changes:
        assert brief(trace.order.largest_change(0)) in answer


@pytest.mark.parametrize(("length", "order"), [(5, (4, 3, 2, 1, 0)), (2, (1, 0))])
def test_a_bias_of_distances_does_not_see_the_reverse(length, order):
    trace = trace_of(PositionsSettings(order=order), length=length, positions="alibi")
    assert trace.order.largest_change(0) < 1e-14
    answer = said(trace, "positions.answer")
    assert answer.startswith(
        "It does not see this order: places are told apart (ALiBi)"
    )


@pytest.mark.parametrize("size", [1e-20, 1.0, 1e6, 1e20])
def test_what_is_rounding_grows_with_the_values(size):
    # Two kinds that see order, and one that does not, whatever the size of V.
    rng = np.random.default_rng(3)
    q, k, v = rng.normal(size=(3, 1, 5, 4))
    plain = own_example(choose_own(Found({"q": q, "k": k, "v": size * v})))
    starts = {
        "none": "Nothing, without positions and mask",
        "rotary": "It sees order (rotary)",
        "alibi": "It sees order (ALiBi)",
    }
    for positions, start in starts.items():
        trace = compute_positions(replace(plain, positions=positions), MOVED)
        assert said(trace, "positions.answer").startswith(start)
        verdicts = {check.id: check.verdict for check in check_positions(trace)}
        assert verdicts["order_kept"] == "pass"
    trace = compute_positions(plain, MOVED)
    row, column = np.argwhere(trace.order.change[0])[0]
    work = derive(trace, "order_change", (0, row, column))
    assert "rounding" in positions_note(trace, work, EN)


def test_two_pairings_of_two_features_are_one():
    settings = replace(MOVED, turning="mixed")
    both = trace_of(settings, d_k=2), trace_of(settings, d_k=4)
    starts = "the same distance has this score", "no longer depends on the distance"
    for trace, part in zip(both, starts, strict=True):
        assert part in said(trace, "positions.rotary.said")


@pytest.mark.parametrize(("length", "key"), [(1, 1), (5, 2)])
def test_the_sentence_names_the_rows_that_are_turned(length, key):
    start = f"Query 1 at place 2 meets key {key} at place 1"
    assert said(trace_of(length=length), "positions.rotary.said").startswith(start)


def test_a_table_is_added_only_where_there_is_something_to_add_it_to():
    sentences = [
        said(trace_of(positions="sinusoidal", key_length=keys), "positions.table.said")
        for keys in (0, 3)
    ]
    assert ["above" in sentence for sentence in sentences] == [True, False]


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

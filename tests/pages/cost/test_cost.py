"""The Cost lab counts, says and draws what the closed forms give."""

import numpy as np
import plotly.graph_objects as go
import pytest

from attnviz.core.cost import LINES
from attnviz.core.derivation import derive, replay
from attnviz.core.errors import SettingError
from attnviz.example.cost.calculator import LENGTHS, compute_cost
from attnviz.example.cost.settings import COST_PRESETS, Cost, preset_of
from attnviz.export.dialect import NUMPY, TORCH
from attnviz.export.paper import Writer
from attnviz.pages.cost.captions import bytes_text, cost_sentences
from attnviz.pages.cost.figures import cost_figures
from attnviz.pages.cost.script import cost_script
from attnviz.pages.cost.tables import cost_tables
from attnviz.pages.cost.worksheet import cost_worksheet
from attnviz.text.catalog import LANGUAGES, translator
from attnviz.text.derivation import derivation_words
from attnviz.text.formulas import formula
from attnviz.text.numbers import counted

EN = translator("en")
ODD = Cost(13, 3, 35, 5, 1, 11, 2, window=3, dtype="float16")
HUGE = Cost(length=10_000_000)


def plain(text):
    return text.replace("\u202f", "")


def test_exercise_4_is_told_as_the_chapter_has_it():
    told = cost_sentences(compute_cost(Cost()), EN)
    assert plain(told["cost.elements.scores"]) == "1048576"
    assert told["cost.bytes.scores"] == "4 MiB"
    assert told["cost.shape.scores"] == "(8, 8, 128, 128)"
    assert told["cost.bytes.q"] == "1 MiB"
    assert "25 %" in told["cost.counted"]
    assert "At T = 512 both are equal" in told["cost.counted"]


@pytest.mark.parametrize(
    ("preset", "cache", "crossing"),
    [
        ("exercise_4", 2 * 2**20, 512),
        ("gpt2", 36 * 2**20, 1536),
        # Eight pairs of keys and values for 32 heads: a quarter of 4 GiB, and the
        # projections take 10/16 of what they would.
        ("grouped", 2**30, 5120),
    ],
)
def test_presets_have_the_cache_and_the_crossing_of_their_published_sizes(
    preset, cache, crossing
):
    trace = compute_cost(COST_PRESETS[preset])
    assert (trace.cache, trace.crossing) == (cache, crossing)


def test_ten_million_positions_are_counted_and_never_made():
    trace = compute_cost(HUGE)
    assert trace.line("scores")[1] == 8 * 8 * 10**14
    assert cost_sentences(trace, EN)["cost.elements.scores"] == "6.40·10¹⁵"


@pytest.mark.parametrize("cost", [Cost(), ODD, HUGE], ids=["usual", "odd", "huge"])
def test_every_number_derives_from_the_sizes(cost):
    trace = compute_cost(cost)
    for name in ("cost_elements", "cost_work"):
        for at in range(len(LINES)):
            work = derive(trace, name, (at,))
            assert replay(work) == work.value
            factors = [operand.name for term in work.terms for operand in term.operands]
            assert all(factor.startswith("size_") for factor in factors)
    for at in range(2):
        work = derive(trace, "cost_totals", (at,))
        assert replay(work) == work.value


def test_a_count_is_explained_without_decimals():
    trace = compute_cost(Cost())
    words = derivation_words(derive(trace, "cost_elements", (4,)))
    assert plain(words["value"]) == "1048576"
    assert [one["value"] for one in words["terms"][0]["operands"]] == [
        *("8", "8", "128", "128")
    ]


@pytest.mark.parametrize("language", LANGUAGES)
def test_plotly_accepts_the_curves(language):
    for cost in (Cost(), ODD, COST_PRESETS["grouped"]):
        for spec in cost_figures(compute_cost(cost), translator(language)).values():
            assert go.Figure(spec).data


def test_without_a_window_no_line_is_drawn_for_it():
    figures = cost_figures(compute_cost(Cost(window=0)), EN)
    assert len(figures["work_curve"]["data"]) == 2
    assert len(cost_figures(compute_cost(Cost()), EN)["work_curve"]["data"]) == 3


@pytest.mark.parametrize("cost", [Cost(), ODD], ids=["usual", "odd"])
def test_the_script_counts_what_is_on_screen(cost):
    trace = compute_cost(cost)
    names = {}
    exec(cost_script(trace, NUMPY, translator("zh")), names)
    np.testing.assert_array_equal(names["elements"], trace.elements)
    np.testing.assert_array_equal(names["work"], trace.work)
    compile(cost_script(trace, TORCH, EN), "script", "exec")


def test_the_key_of_the_sheet_has_the_numbers_and_the_sheet_has_not():
    trace = compute_cost(Cost())
    key = cost_worksheet(trace, Writer(EN, formula, is_key=True))
    sheet = cost_worksheet(trace, Writer(EN, formula, is_key=False))
    assert "33554432" in key
    assert "33554432" not in sheet


def test_tables_hold_lines_and_curves():
    tables = cost_tables(compute_cost(Cost()), EN)
    assert tables["cost_lines"].shape == (len(LINES), 3)
    assert tables["cost_curves"].index.tolist() == list(LENGTHS)


@pytest.mark.parametrize(
    ("sizes", "reason"),
    [
        ({"n_heads": 7}, "heads_of_width"),
        ({"n_kv_heads": 3}, "heads_of_heads"),
        ({"length": 0}, "out_of_range"),
        ({"length": None}, "not_a_number"),
        ({"d_model": 2.5}, "not_a_number"),
        ({"dtype": "int8"}, "unknown_choice"),
    ],
)
def test_sizes_that_make_no_layer_are_refused(sizes, reason):
    with pytest.raises(SettingError) as refusal:
        Cost(**sizes)
    assert refusal.value.reason == reason


def test_own_sizes_are_no_preset():
    assert [preset_of(each) for each in COST_PRESETS.values()] == list(COST_PRESETS)
    assert preset_of(ODD) == ""


@pytest.mark.parametrize(
    ("size", "text"), [(0, "0 B"), (1023, "1023 B"), (2**30 * 3 // 2, "1.5 GiB")]
)
def test_bytes_are_told_in_the_unit_that_people_use(size, text):
    assert bytes_text(size) == text


def test_a_count_keeps_all_its_digits_as_long_as_they_can_be_read():
    assert plain(counted(999_999_999_999_999)) == "999999999999999"
    assert counted(10**15) == "1.00·10¹⁵"

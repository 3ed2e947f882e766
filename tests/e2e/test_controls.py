"""Every control changes what it should and nothing else, bit by bit (R5)."""

import pytest
from playwright.sync_api import expect

HEADS = {"weights_1", "weights_2"}
# What follows the scores, and what follows the weights.
AFTER_WEIGHTS = {"weights", "row_sum", "context", "joined", "output", *HEADS}
AFTER_SCORES = {"row_max", *AFTER_WEIGHTS}
PROJECTIONS = {"w_q", "w_k", "w_v", "w_o"}
EVERYTHING = {"x", *PROJECTIONS, "q", "k", "v", "scores", *AFTER_SCORES}


STEADY = {"weight_sum"}  # 1 but for rounding, whatever changes


def changed(before, after):
    """Name the matrices whose numbers or sizes differ in any bit."""
    names = before.keys() | after.keys()
    differ = {name for name in names if before.get(name) != after.get(name)}
    return differ - STEADY


SLIDERS = [
    ("none", "temperature", 2.5, AFTER_SCORES),
    ("none", "seed", 7, EVERYTHING),
    ("padding", "n_padding", 2, {"mask", *AFTER_SCORES}),
    ("window", "window_left", 3, {"mask", *AFTER_SCORES}),
    ("window", "window_right", 0, {"mask", *AFTER_SCORES}),
    ("none", "d_v", 5, {"w_v", "v", "w_o", "context", "joined", "output"}),
    ("none", "n_heads", 3, {"weights_3", "joined", "w_o", "output"}),
]


def test_a_slider_changes_what_depends_on_it_and_nothing_else(look):
    one = look()
    for mask, name, value, expected in SLIDERS:
        if one.value("example-mask") != mask:
            one.choose("example-mask", mask)
        before = one.numbers()
        one.slide(f"example-{name}", value)
        found = changed(before, one.numbers())
        assert found <= expected, name
        assert found >= expected - {"row_max", "row_sum"}, name


def test_a_size_keeps_what_does_not_have_it_and_adds_to_what_has(look):
    one = look()
    before = one.numbers()

    def resized(name, value):
        """Move a size, read all numbers, and move it back."""
        start = one.value(f"example-{name}")
        one.slide(f"example-{name}", value)
        after = one.numbers()
        one.slide(f"example-{name}", start)
        assert one.numbers() == before
        return after

    longer = resized("length", 6)
    assert changed(before, longer) == before.keys() - PROJECTIONS - STEADY
    assert longer["x"][:5] == before["x"]
    assert len(longer["x"]) == 6

    wider = resized("d_model", 9)
    assert changed(before, wider) == before.keys() - {"mask", *STEADY}
    assert [row[:8] for row in wider["x"]] == before["x"]

    deeper = resized("d_k", 5)
    assert changed(before, deeper) == before.keys() - {
        "x",
        "w_v",
        "v",
        "w_o",
        "mask",
        *STEADY,
    }
    assert [row[:4] for row in deeper["w_q"]] == before["w_q"]
    assert [row[:4] for row in deeper["w_k"]] == before["w_k"]


def test_one_more_head_keeps_the_earlier_heads(look):
    one = look()
    one.pick("attention-head", 1)
    before = one.numbers()
    one.slide("example-n_heads", 3)
    after = one.numbers()
    assert changed(before, after) == {"weights_3", "joined", "w_o", "output"}
    assert [row[:8] for row in after["joined"]] == before["joined"]
    one.pick("attention-head", 2)
    assert one.numbers()["weights"] == after["weights_3"]


def test_the_head_picker_changes_the_head_and_nothing_else(look):
    one = look("?m=causal")
    before = one.numbers()
    one.pick("attention-head", 1)
    after = one.numbers()
    kept = {"x", "mask", "joined", "w_o", "output", *HEADS}
    assert changed(before, after) == before.keys() - kept - STEADY
    assert after["weights"] == before["weights_2"]


def test_causal_off_on_off_restores_every_bit(look):
    one = look()
    before = one.numbers()
    one.choose("example-mask", "causal")
    between = one.numbers()
    one.choose("example-mask", "none")
    assert one.numbers() == before
    assert {"mask", "weights", "context", "output"} <= changed(before, between)
    assert changed(before, between) <= {"mask", *AFTER_SCORES}


def test_scaling_divides_by_the_root_of_d_k_and_off_on_restores_every_bit(look):
    one = look("?dk=4")
    before = one.numbers()
    one.change("example-is_scaled", one.page.locator("#example-is_scaled").uncheck)
    between = one.numbers()
    one.change("example-is_scaled", one.page.locator("#example-is_scaled").check)
    assert one.numbers() == before
    assert changed(before, between) == {"scores", *AFTER_SCORES}
    doubled = [[2 * number for number in row] for row in before["scores"]]
    assert between["scores"] == doubled


def test_what_a_mask_hides_is_hidden_and_rows_still_sum_to_1(look):
    one = look("?n=3&pad=1")
    for mask in ("padding", "causal_padding", "window", "causal"):
        one.choose("example-mask", mask)
        numbers = one.numbers()
        hidden = [[cell is None for cell in row] for row in numbers["mask"]]
        assert any(map(any, hidden)), mask
        assert [[cell is None for cell in row] for row in numbers["weights"]] == hidden
        sums = [sum(cell or 0 for cell in row) for row in numbers["weights"]]
        assert sums == pytest.approx([1] * 3, abs=1e-6), mask
    assert numbers["mask"] == [[0, None, None], [0, 0, None], [0, 0, 0]]


def test_new_matrices_change_the_seed_and_reset_leads_back(visit):
    one = visit()
    start = one.numbers()
    one.open("?n=3&m=causal")
    before = one.numbers()
    one.press("example-draw")
    one.until("example-seed", "1")
    assert changed(before, one.numbers()) == before.keys() - {"mask", *STEADY}
    one.press("example-reset")
    one.until("example-length", "5")
    one.until("example-mask", "none")
    assert one.numbers() == start


def test_equal_tokens_have_equal_rows_and_a_changed_word_changes_its_row_alone(look):
    one = look("?t=the+cat+saw+the+dog")
    before = one.numbers()["x"]
    assert before[0] == before[3]
    assert before[0] != before[1]
    one.type("example-text", "the cow saw the dog")
    after = one.numbers()["x"]
    assert after[1] != before[1]
    assert [after[0], *after[2:]] == [before[0], *before[2:]]


def test_values_do_not_move_the_weights_and_queries_do_not_move_the_values(look):
    one = look("?dv=4")
    before = one.numbers()
    one.slide("example-d_v", 3)
    after = one.numbers()
    assert after["weights"] == before["weights"]
    assert [row[:3] for row in before["v"]] == after["v"]


def test_the_select_says_how_many_cells_of_the_mask_are_by_hand(look):
    one = look("?e=m.2.4:0", language="en")
    kind = one.page.locator("#example-mask option:checked")
    assert kind.inner_text() == "None + 1 cell by hand"
    one.choose("example-mask", "causal")
    expect(kind).to_have_text("Causal")  # which hides that cell by itself
    one.choose("example-mask", "window")
    one.slide("example-window_right", 2)
    expect(kind).to_have_text("Local window + 1 cell by hand")

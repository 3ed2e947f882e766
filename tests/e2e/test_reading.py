"""Ways to read a number: tables, the keyboard, the pointer, a screen reader."""

import pytest

from attnviz.text.catalog import translator
from attnviz.text.numbers import fixed

CORNER = {"x": 4, "y": 4}
SELECTED = "element => element.attnviz.selected"

# What stands beside the table of the weights, or is one of its copies.
HEADS = {"weights_1", "weights_2"}
STATISTICS = {"row_max", "row_sum", "weight_sum"}


def open_tables(one, page="attention"):
    one.page.locator(f"#{page}-view details.tables > summary").click()
    one.page.locator(f"#{page}-view table").first.wait_for()


def cells(one, table):
    return one.page.locator(f"#{table} tbody td").all_text_contents()


def test_tables_show_four_decimals_then_six_and_follow_the_numbers(visit):
    one = visit("?p=identity")
    open_tables(one)
    row = ["0.6698", "0.3302"]
    assert cells(one, "attention-table_weights")[:2] == row
    one.pick("attention-decimals", 6)
    one.page.locator(
        "#attention-table_weights td", has_text="0.669762"
    ).first.wait_for()
    assert cells(one, "attention-table_weights")[:2] == ["0.669762", "0.330238"]
    one.choose("example-mask", "causal")
    one.page.locator("#attention-table_mask td", has_text="−∞").wait_for()
    hidden = ["0.000000", "−∞", "0.000000", "0.000000"]
    assert cells(one, "attention-table_mask") == hidden
    assert cells(one, "attention-table_weights")[:2] == ["1.000000", "0.000000"]


def test_every_matrix_has_its_table(visit):
    one = visit()
    open_tables(one)
    names = one.numbers().keys() - {*HEADS, *STATISTICS}
    tables = one.page.locator("#attention-view table.numbers")
    ids = tables.evaluate_all("tables => tables.map(table => table.id)")
    assert {f"attention-table_{name}" for name in names} <= set(ids)


def test_tables_of_the_layer_norm_page_show_the_statistics(visit):
    one = visit("?p=norm_rows&page=norms")
    open_tables(one, "norms")
    first = cells(one, "norms-table_norm_statistics")[:4]
    assert first == ["2.5000", "1.2500", "0.2927", "1.3657"]


def test_a_table_can_be_copied_into_a_spreadsheet_minus_signs_included(visit):
    one = visit("?n=2")
    one.context.grant_permissions(["clipboard-read", "clipboard-write"])
    open_tables(one)
    one.page.locator("[data-copy='attention-table_scores']").click()
    copied = translator("en")("browser.tables.copied")
    one.page.get_by_role("button", name=copied).wait_for()
    text = one.page.evaluate("navigator.clipboard.readText()")
    head, *rows = [line.split("\t")[1:] for line in text.splitlines()]
    assert head == ["1 x₁", "2 x₂"]
    assert [[f"{float(cell):.4f}" for cell in row] for row in rows] == rows
    scores = one.numbers()["scores"]
    assert min(map(min, scores)) < 0
    assert [[float(cell) for cell in row] for row in rows] == [
        pytest.approx(row, abs=5.1e-5) for row in scores
    ]


def test_a_mask_can_be_copied_into_a_spreadsheet_without_becoming_a_formula(visit):
    one = visit("?n=2&m=causal")
    one.context.grant_permissions(["clipboard-read", "clipboard-write"])
    open_tables(one)
    one.page.locator("[data-copy='attention-table_mask']").click()
    copied = translator("en")("browser.tables.copied")
    one.page.get_by_role("button", name=copied).wait_for()
    text = one.page.evaluate("navigator.clipboard.readText()")
    cells = [cell for line in text.splitlines()[1:] for cell in line.split("\t")[1:]]
    assert [cell for cell in cells if cell != "0.0000"] == ["−∞"]


def test_arrow_keys_select_the_cells_of_a_matrix_and_a_click_reads_one_out(visit):
    one = visit("?n=2")
    scores = one.matrix("scores")
    scores.focus()
    for key in ("ArrowUp", "ArrowUp", "ArrowLeft", "ArrowLeft"):
        one.page.keyboard.press(key)
    assert scores.evaluate(SELECTED) == [0, 0]
    one.page.keyboard.press("ArrowRight")
    assert scores.evaluate(SELECTED) == [0, 1]
    one.page.keyboard.press("ArrowDown")
    assert scores.evaluate(SELECTED) == [1, 1]
    one.page.keyboard.press("ArrowDown")
    assert scores.evaluate(SELECTED) == [1, 1]
    assert one.matrix("q").evaluate(SELECTED) is None
    one.change("attention-cell", lambda: scores.click(position=CORNER))
    value = fixed(one.numbers()["scores"][0][0], 4)
    assert value in one.page.locator("#attention-view .inspector").inner_text()


def test_a_selected_cell_that_is_gone_leaves_the_page_whole(visit):
    one = visit("?n=4")
    one.matrix("scores").focus()
    for _ in range(4):
        one.page.keyboard.press("ArrowDown")
    one.slide("example-length", 2)
    assert len(one.numbers()["scores"]) == 2


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_matrix_says_what_it_is_to_a_screen_reader(visit, language):
    one = visit("?n=3&d=7", language=language)
    name = translator(language)("browser.matrix.x")
    alt = translator(language)("browser.figure.alt", name=name, rows=3, columns=7)
    label = one.matrix("x").get_attribute("aria-label")
    assert label.startswith(alt)
    assert one.matrix("x").get_attribute("tabindex") == "0"


def test_every_control_has_a_name(visit):
    one = visit()
    controls = one.page.locator("input:visible, select:visible, button:visible")
    unnamed = controls.evaluate_all(
        """
        (elements) => elements.filter((element) =>
          !element.labels?.[0]?.textContent.trim() &&
          !element.getAttribute("aria-label") &&
          !element.textContent.trim() && !element.title
        ).map((element) => element.outerHTML)
        """
    )
    assert unnamed == []


def test_checks_pass_and_say_what_they_prove_and_one_fails_without_scaling(visit):
    one = visit("?m=causal")
    checks = one.page.locator("#attention-view details.check")
    states = checks.evaluate_all("all => all.map(check => check.dataset.state)")
    assert len(states) == 8
    assert set(states) <= {"pass", "not-applicable"}
    one.page.locator("#attention-view .checks > summary").click()
    checks.first.locator("summary").click()
    assert checks.first.locator(".check-body").is_visible()
    one.turn_to("?s=0")
    check = one.page.locator("[data-live='check.divisor']").first
    assert check.get_attribute("data-state") == "fail"


def test_one_chip_speaks_for_all_checks_and_unfolds(visit):
    one = visit()
    chip = one.page.locator("#attention-view .checks")
    word = chip.locator("> summary [data-live-text]")
    shown = chip.locator("details.check:visible")
    assert (chip.get_attribute("data-state"), shown.count()) == ("pass", 0)
    assert word.inner_text().startswith("8 checks · Σa = 1 ±")
    word.click()
    assert shown.count() == 8
    one.page.keyboard.press("Escape")
    assert shown.count() == 0
    # What fails speaks for itself.
    one.turn_to("?s=0")
    assert chip.get_attribute("data-state") == "fail"
    assert word.inner_text().startswith(translator("en")("check.divisor"))

"""The Cost lab: a number is asked, sizes are typed, the address keeps them."""

import pytest

INSPECTOR = "#cost-view .inspector"
HEADS = "cost-controls-n_heads"


@pytest.fixture
def cost(visit):
    one = visit("?page=cost&lang=en")
    one.page.set_viewport_size({"width": 1366, "height": 768})
    return one


def value(one):
    return one.page.locator(f"{INSPECTOR}-value").inner_text().replace("\u202f", "")


def test_the_table_and_both_curves_stand_on_the_first_screen(cost):
    floor = cost.page.locator(INSPECTOR).bounding_box()["y"]
    for part in (
        ".cost-lines",
        "[data-graph='work_curve']",
        "[data-graph='bytes_curve']",
    ):
        box = cost.page.locator(f"#cost-view {part}").bounding_box()
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= floor, part


def test_a_number_of_the_table_answers(cost):
    assert value(cost) == "N5 = 1048576"
    number = cost.page.locator("[data-live='cost.work.q']")
    number.click()
    cost.page.wait_for_function(
        "document.querySelector('#cost-view .inspector-value').textContent[0] === 'F'"
    )
    assert value(cost) == "F2 = 67108864"
    assert number.locator("xpath=..").get_attribute("class") == "operand is-asked"


def test_sizes_that_cannot_be_get_a_sentence_and_the_address_keeps_the_others(cost):
    field = cost.page.locator(f"#{HEADS}")
    field.fill("7")
    field.press("Tab")
    problem = cost.page.locator("#cost-controls-problem")
    problem.get_by_text("cannot share it evenly").wait_for()
    scores = cost.page.locator("[data-live='cost.shape.scores']")
    assert scores.inner_text() == "(8, 8, 128, 128)"
    field.fill("16")
    field.press("Tab")
    scores.get_by_text("(8, 16, 128, 128)").wait_for()
    cost.page.wait_for_url("**ch=16**")
    assert problem.inner_text() == ""
    assert cost.page.locator("#cost-controls-preset").input_value() == "own"

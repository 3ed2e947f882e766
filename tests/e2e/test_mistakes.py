"""The page on masks and mistakes: its sections, its numbers, and what is settled."""

import pytest
from playwright.sync_api import expect

SECTIONS = {
    "mistakes": "mistake=P03",
    "norm": "mistake=P26",
    "digits": "mistake=P15.reshape",
    "guess": "sec=guess",
    "conventions": "sec=masks&mk=5",
    "padding": "sec=masks&mv=padding",
    "ways": "sec=masks&mv=ways",
    "sums": "sec=masks&mv=sums",
    "patterns": "sec=heads",
    "carried": "sec=heads&hv=contribution",
    "mean": "sec=heads&hv=mean",
    "same": "sec=heads&hv=same",
    "dropout": "sec=heads&hv=dropout",
    "split": "sec=split",
    "merge": "sec=split&sv=merge",
    "output": "sec=split&sv=output",
    "batch": "sec=batch",
}
BOTTOM = """
(name) => document.querySelector(`#mistakes-view ${name}`)
  .getBoundingClientRect().bottom
"""
FOOT = "document.querySelector('#mistakes-view .inspector').getBoundingClientRect().top"


def mistakes(visit, query=""):
    return visit(f"?page=mistakes&lang=en&{query}")


def test_the_result_and_its_code_stand_on_the_first_screen(visit):
    one = mistakes(visit, "m=causal&on=example")
    one.page.set_viewport_size({"width": 1366, "height": 768})
    one.rest()
    foot = one.page.evaluate(FOOT)
    for name in ("right", "faulty", "difference"):
        assert one.page.evaluate(BOTTOM, f"[data-graph='{name}']") < foot
    for place in (".code.is-right", ".code.is-faulty", ".mistake-notices .check-row"):
        assert one.page.evaluate(BOTTOM, place) < foot


def test_an_address_opens_a_mistake_and_its_neighbours_are_a_click_away(visit):
    one = mistakes(visit, "mistake=P03")
    numbers = one.numbers("mistakes")
    assert numbers["weights"][1][:2] == pytest.approx([2 / 3, 1 / 3])
    assert numbers["faulty_weights"][1][:2] == pytest.approx([1 / 4, 1 / 8])
    assert numbers["gap_weight_sum"][0] == pytest.approx([-0.9])
    one.pause()
    one.press("mistakes-next")
    one.catch_up()
    assert "mistake=P04" in one.page.url
    assert one.numbers("mistakes")["faulty_weights"][0] == [0.25] * 4
    one.change("address", one.page.go_back)
    assert one.numbers("mistakes") == numbers
    assert one.page.locator("#mistakes-mistake").input_value() == "P03"


def test_the_example_of_the_sidebar_can_make_the_mistake_too(visit):
    one = mistakes(visit, "mistake=P03")
    one.pick("mistakes-shown_on", "example")
    finding = one.page.locator("[data-live='mistakes.found']")
    expect(finding).to_contain_text("No difference with these numbers")
    one.choose("example-mask", "causal")
    expect(finding).to_contain_text("Largest difference")
    weights = one.numbers("mistakes")["faulty_weights"]
    assert len(weights) == 5
    assert sum(cell or 0 for cell in weights[0]) < 1
    failed = one.page.locator(".check-row[data-state='fail']")
    names = failed.evaluate_all("all => all.map((row) => row.dataset.check)")
    assert names == ["row_sums", "constant_values", "loop", "hidden_edit"]


def test_a_cell_of_every_matrix_of_every_section_answers(visit):
    one = mistakes(visit)
    for query in SECTIONS.values():
        one.turn_to(f"?page=mistakes&lang=en&{query}")
        one.rest()
        for name, numbers in one.numbers("mistakes").items():
            one.click_cell(name, len(numbers), 1, "mistakes")
            value = one.page.locator("#mistakes-view .inspector-value")
            _, _, told = value.inner_text().rpartition("= ")
            number = numbers[-1][0]
            # What is hidden carries a sign instead.
            if number is not None:
                shown = float(told.replace("−", "-"))
                assert shown == pytest.approx(number, abs=1e-4), (query, name)


def test_a_guess_is_answered_counted_and_gone_on_from(visit):
    one = mistakes(visit, "sec=guess&lock=mistakes")
    distance = one.page.locator("[data-live='guess.distance.2']")
    expect(distance).to_have_text("")
    one.press("mistakes-choose_2")
    expect(distance).not_to_have_text("")
    expect(one.page.locator("[data-live='guess.score']")).to_contain_text("of 1 right")
    expect(one.page.locator(".mistake-blind li").first).to_be_visible()
    one.press("mistakes-next_round")
    expect(distance).to_have_text("")
    assert "gr=2" in one.page.url


def test_a_mask_is_drawn_by_hand_and_stands_in_the_address(visit):
    one = mistakes(visit, "sec=masks")
    before = one.numbers("mistakes")
    one.click_cell("mask", 1, 3, "mistakes")
    one.change(
        "mistakes-edit",
        one.page.locator("#mistakes-view [data-edit-action='toggle']").click,
    )
    after = one.numbers("mistakes")
    assert before["seen"][0] == [1, 0, 0, 0]
    assert after["seen"][0] == [1, 0, 1, 0]
    assert after["blocked"][0] == [0, 1, 0, 1]
    one.pause()
    assert "mf=1-3" in one.page.url

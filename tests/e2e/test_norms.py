"""The Layer norm page: every control changes what it should and nothing else."""

import numpy as np
from playwright.sync_api import expect

from attnviz.example.compute import EXAMPLES, compute
from attnviz.text.catalog import translator

STATISTICS = {"norm_mean", "norm_variance"}
OUTPUTS = {"norm_output", "output_mean", "output_variance"}


def changed(before, after):
    names = before.keys() | after.keys()
    return {name for name in names if before.get(name) != after.get(name)}


def norms(visit, query=""):
    return visit(f"?page=norms{query}")


def test_scale_and_shift_change_the_output_alone(visit):
    one = norms(visit)
    before = one.numbers("norms")
    one.type("norms-controls-gamma", "2")
    after = one.numbers("norms")
    assert changed(before, after) == {
        "gamma",
        "norm_output",
        "output_variance",
        *({"output_mean"} & changed(before, after)),
    }
    doubled = [[2 * number for number in row] for row in before["norm_normalized"]]
    assert after["norm_output"] == doubled
    one.type("norms-controls-beta", "1 2 3 4 5 6 7 8")
    assert changed(after, one.numbers("norms")) == {"beta", *OUTPUTS}


def test_epsilon_leaves_the_statistics_alone(visit):
    one = norms(visit)
    before = one.numbers("norms")
    one.type("norms-controls-eps", "0.1")
    after = one.numbers("norms")
    assert changed(before, after) >= {"norm_normalized", "norm_output"}
    assert changed(before, after) <= {"norm_normalized", *OUTPUTS}


def test_more_samples_change_nothing_of_the_first(visit):
    one = norms(visit)
    before = one.numbers("norms")
    one.slide("norms-controls-n_samples", 7)
    assert changed(before, one.numbers("norms")) == set()


def test_a_control_of_the_sidebar_keeps_scale_and_shift(visit):
    one = norms(visit)
    one.type("norms-controls-gamma", "3")
    one.slide("example-seed", 5)
    assert one.numbers("norms")["gamma"] == [[3] * 8]
    assert one.page.locator("#norms-controls-gamma").input_value() == "3"


def test_a_disturbance_is_felt_by_batch_norm_and_never_by_layer_norm(visit):
    one = norms(visit)
    before = one.numbers("norms")
    for disturbance in ("positions", "samples"):
        one.pick("norms-controls-disturbance", disturbance)
        after = one.numbers("norms")
        assert changed(before, after) == {"batch_change"}
        assert {cell for row in after["layer_change"] for cell in row} == {0}
        assert all(cell != 0 for cell in after["batch_change"][0])
    finding = one.page.locator("[data-live='norms.disturbed']").inner_text()
    start = translator("en")("norms.found.samples", layer="0", batch="", m=3)
    assert finding.startswith(start.rstrip(" ."))


def test_the_attention_output_can_be_added_to_the_input(visit):
    one = norms(visit)
    x = one.numbers("norms")["norm_input"]
    one.pick("norms-controls-source", "residual")
    assert one.numbers("norms")["norm_input"] != x
    one.slide("example-temperature", 3)
    between = one.numbers("norms")["norm_input"]
    one.pick("norms-controls-source", "input")
    assert one.numbers("norms")["norm_input"] == x != between


def test_typed_rows_are_normalized(visit):
    one = norms(visit)
    one.pick("norms-controls-source", "rows")
    one.type("norms-controls-rows", "1 3\n5 5")
    numbers = one.numbers("norms")
    assert numbers["norm_input"] == [[1, 3], [5, 5]]
    assert numbers["norm_mean"] == [[2], [5]]
    assert numbers["norm_variance"] == [[1], [0]]
    assert numbers["norm_normalized"][1] == [0, 0]


def test_the_page_follows_the_example(visit):
    one = norms(visit)
    one.slide("example-length", 3)
    assert len(one.numbers("norms")["norm_input"]) == 3
    one.go_to("attention")
    assert len(one.numbers()["x"]) == 3


LIT = """
() => [...document.querySelectorAll("#norms-view .matrix.is-result")]
  .map((element) => element.dataset.figure)
"""


def test_the_walk_leads_over_the_normalized_numbers_to_the_output(visit):
    one = norms(visit)
    found = []
    for _ in range(2):
        one.page.keyboard.press("ArrowRight")
        place = one.page.locator("#norms-view .stepper-place").inner_text()
        current = one.page.locator("#norms-view .is-current")
        found.append(
            (place, current.get_attribute("data-graph"), {*one.page.evaluate(LIT)})
        )
    assert found == [
        (
            "stage 1 of 2",
            "norm",
            {"norm_normalized", "norm_mean", "norm_variance"},
        ),
        (
            "stage 2 of 2",
            "norm_output",
            {"norm_output", "output_mean", "output_variance"},
        ),
    ]


def test_an_example_without_x_offers_a_way_on(visit):
    one = norms(visit, "&p=fractions&lang=en")
    problem = one.page.locator("#norms-view .norm-controls > .problem")
    expect(problem).to_contain_text("There is no X here")
    ways = problem.get_by_role("button")
    expect(ways).to_have_text(["C of head 1", "typed rows"])
    verdicts = one.page.locator("#norms-view [data-live^='check.norm']").evaluate_all(
        "all => all.map((check) => check.dataset.state).filter(Boolean)"
    )
    assert set(verdicts) == {"not-applicable"}
    ways.first.click()
    one.matrix("norm_input", "norms").wait_for()
    one.rest()
    expect(problem).to_have_text("")
    context = compute(EXAMPLES["fractions"]).attention.context[0]
    np.testing.assert_array_equal(
        one.numbers("norms")["norm_input"], context.astype("f4")
    )


def test_the_picture_of_another_example_does_not_stay_without_x(visit):
    one = norms(visit)
    before = one.numbers("norms")
    one.choose("example-preset", "fractions")
    one.page.locator("#norms-view .ways").wait_for()
    one.catch_up()
    assert one.numbers("norms") == {}
    one.choose("example-preset", "five")
    one.matrix("norm_input", "norms").wait_for()
    one.rest()
    assert one.numbers("norms") == before


def test_a_menu_on_a_page_without_numbers_offers_nothing_empty(visit):
    one = norms(visit, "&p=fractions")
    menu = one.page.locator("#norms-view details.export")
    menu.locator("summary").click()
    assert menu.locator("[data-picture]:enabled").count() == 0
    assert menu.locator("[data-form][href]").count() == 0
    one.page.locator("#norms-view .ways button").last.click()
    one.matrix("norm_input", "norms").wait_for()
    menu.locator("summary").click()
    expect(menu.locator("[data-picture]:enabled")).to_have_count(2)
    assert menu.locator("[data-picture-of]").input_value() == "norm"
    expect(menu.locator("[data-form][href]")).to_have_count(7)

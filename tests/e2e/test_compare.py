"""A beside B: what was frozen, what is on screen, and their difference."""

import numpy as np
import pytest

from attnviz.text.catalog import translator

COMPARED = ("scores", "weights", "context", "output")


def freeze(one):
    one.press("attention-freeze")


def sentence(one):
    return one.page.locator("#attention-view .compare .finding").inner_text()


def figures(one):
    return one.page.locator("#attention-view .compare [data-graph]:visible").count()


def zeros(matrix):
    """Read a matrix of the page as float64, with 0 for what is hidden."""
    return np.array([[cell or 0.0 for cell in row] for row in matrix])


def test_nothing_is_compared_before_something_is_frozen_and_after_it_is_released(visit):
    one = visit()
    comparison = one.page.locator("#attention-view .compare")
    before = one.numbers()
    assert comparison.is_hidden()
    assert not any(name.startswith(("a_", "b_", "delta_")) for name in before)
    freeze(one)
    assert comparison.is_visible()
    one.press("attention-release")
    assert one.numbers() == before
    assert comparison.is_hidden()
    assert one.page.locator("#attention-freeze").is_visible()
    assert one.page.locator("#attention-release").is_hidden()


def test_a_is_what_was_on_screen_and_another_mask_shows_the_exact_difference(visit):
    one = visit()
    before = one.numbers()
    freeze(one)
    numbers = one.numbers()
    assert {name: numbers[name] for name in before} == before
    for name in COMPARED:
        assert numbers[f"a_{name}"] == numbers[f"b_{name}"] == before[name]
        assert not zeros(numbers[f"delta_{name}"]).any()
    one.choose("example-mask", "causal")
    numbers = one.numbers()
    for name in COMPARED:
        assert numbers[f"a_{name}"] == before[name]
        assert np.array_equal(zeros(numbers[f"b_{name}"]), zeros(numbers[name]))
        difference = zeros(numbers[name]) - zeros(before[name])
        # Each number comes rounded to float32, the difference of the exact ones too.
        assert zeros(numbers[f"delta_{name}"]) == pytest.approx(difference, abs=3e-7)
    assert not zeros(numbers["delta_scores"]).any()
    assert zeros(numbers["delta_weights"]).any()


def test_numbers_that_float32_holds_differ_exactly(visit):
    # X, W_Q and W_K are I₂, so S is X · Xᵀ: 3 instead of 1 makes 9 of 1.
    one = visit("?p=identity&s=0")
    freeze(one)
    one.click_cell("x", 1, 1)
    one.change("attention-edit", lambda: one.page.keyboard.type("3\n"))
    assert one.numbers()["delta_scores"] == [[8, 0], [0, 0]]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_sentence_names_the_settings_that_differ_or_the_shapes(visit, language):
    tr = translator(language)
    one = visit(language=language)
    freeze(one)
    assert sentence(one) == tr("compare.same")
    one.choose("example-mask", "window")
    one.slide("example-temperature", 2)
    names = tr("compare.and").join((tr("setting.mask"), tr("setting.temperature")))
    assert sentence(one) == tr("compare.differ", names=names)
    one.slide("example-temperature", 1)
    one.choose("example-mask", "none")
    assert sentence(one) == tr("compare.same")
    # Other shapes have no difference.
    one.slide("example-length", 7)
    numbers = one.numbers()
    assert (len(numbers["a_scores"]), len(numbers["b_scores"])) == (5, 7)
    assert not any(name.startswith("delta_") for name in numbers)
    assert sentence(one).endswith(tr("compare.shapes"))
    one.slide("example-length", 5)
    assert {f"delta_{name}" for name in COMPARED} <= one.numbers().keys()


def test_a_outlives_a_reload_and_a_change_of_language(visit):
    one = visit("?p=cat_videos")
    freeze(one)
    one.slide("example-temperature", 2)
    one.choose("example-mask", "none")
    before = one.numbers()
    one.page.wait_for_url("**m=none**")
    one.page.reload()
    assert_frozen(one, before)
    one.page.locator("a[data-language='zh']").click()
    one.page.wait_for_url("**lang=zh**")
    assert_frozen(one, before)


def assert_frozen(one, numbers):
    """Wait until the page shows A again, with all that stood beside it."""
    one.page.wait_for_function("window.watched?.isExact")
    one.page.locator("#attention-view [data-figure='a_weights']").wait_for()
    one.catch_up()
    one.rest()
    assert one.numbers() == numbers


def test_another_link_starts_without_a(visit):
    one = visit()
    freeze(one)
    one.open("?n=4")
    assert not any(name.startswith("a_") for name in one.numbers())


def test_a_is_compared_head_by_head(visit):
    one = visit()
    before = one.numbers()
    freeze(one)
    one.choose("example-mask", "causal")
    one.pick("attention-head", 1)
    numbers = one.numbers()
    assert numbers["b_weights"] == numbers["weights_2"]
    assert numbers["a_weights"] == before["weights_2"]


def test_rows_of_a_and_b_stand_side_by_side_below_the_stages_at_their_size(visit):
    one = visit(reduced_motion="reduce")
    before = one.matrix("scores").bounding_box()
    freeze(one)
    one.rest()
    assert figures(one) == 4
    assert one.matrix("scores").bounding_box()["width"] == before["width"]
    assert one.matrix("a_scores").bounding_box()["width"] == before["width"]
    for length in (4, 7):
        one.slide("example-length", length)
        one.rest()
        for name in COMPARED:
            tops = [one.matrix(f"{side}_{name}").bounding_box()["y"] for side in "ab"]
            assert tops[0] == tops[1]
            labels = one.page.evaluate(
                "name => attnviz.viewOf(document.querySelector(`[data-graph=${name}]`))"
                ".panels[0].rowLabels.length",
                f"compare_{name}",
            )
            assert labels == max(5, length)


@pytest.mark.parametrize("side", ["a", "b", "delta"])
def test_a_click_on_either_side_explains_its_own_number(visit, side):
    one = visit("?p=identity&s=0", reduced_motion="reduce")
    freeze(one)
    one.choose("example-mask", "causal")
    name = f"{side}_weights"
    one.click_cell(name, 2, 1)
    place = one.page.locator("#attention-view .inspector-value")
    shown = one.numbers()[name][1][0]
    one.page.wait_for_function(
        "document.querySelector('.inspector-value').title !== ''"
    )
    assert float(place.get_attribute("title")) == pytest.approx(shown, abs=1e-6)
    word = {"a": "first", "b": "second", "delta": "Δ"}[side]
    assert word in place.inner_text()


def test_a_head_that_the_first_lacks_is_not_compared(visit):
    one = visit("?h=1", reduced_motion="reduce")
    freeze(one)
    one.slide("example-n_heads", 2)
    assert one.numbers()["a_weights"] == one.numbers()["weights_1"]
    one.pick("attention-head", 1)
    assert not any(name in one.numbers() for name in ("a_weights", "b_weights"))
    assert sentence(one) == translator("en")("compare.no_head", count=1, head=2)


@pytest.mark.parametrize("size", [(1920, 1080), (1366, 768), (360, 740)])
def test_what_is_frozen_comes_into_sight(visit, size):
    one = visit(size=size, reduced_motion="reduce")
    freeze(one)
    inspector = one.page.locator("#attention-view .inspector").bounding_box()
    for part in ("h2", ".finding"):
        box = one.page.locator(f"#attention-view .compare {part}").bounding_box()
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= inspector["y"] + 1
    if size[0] > 360:
        first = one.matrix("a_scores").bounding_box()
        assert first["y"] + first["height"] <= inspector["y"]


def test_a_change_after_freezing_scrolls_nowhere(visit):
    one = visit(size=(1366, 768), reduced_motion="reduce")
    freeze(one)
    main = one.page.locator(".main")
    main.evaluate("main => main.scrollTo(0, 0)")
    one.slide("example-temperature", 2)
    one.rest()
    assert main.evaluate("main => main.scrollTop") == 0

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


def test_nothing_is_compared_before_something_is_frozen(visit):
    one = visit()
    assert one.page.locator("#attention-view .compare").is_hidden()
    assert not any(name.startswith(("a_", "b_", "delta_")) for name in one.numbers())


def test_what_is_frozen_is_the_same_as_what_is_on_screen(visit):
    one = visit()
    before = one.numbers()
    freeze(one)
    numbers = one.numbers()
    assert {name: numbers[name] for name in before} == before
    for name in COMPARED:
        assert numbers[f"a_{name}"] == numbers[f"b_{name}"] == before[name]
        assert not zeros(numbers[f"delta_{name}"]).any()
    assert sentence(one) == translator("en")("compare.same")


def test_another_mask_shows_a_and_b_and_their_exact_difference(visit):
    one = visit()
    before = one.numbers()
    freeze(one)
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
def test_the_settings_that_differ_are_named(visit, language):
    tr = translator(language)
    one = visit(language=language)
    freeze(one)
    one.choose("example-mask", "window")
    one.slide("example-temperature", 2)
    names = tr("compare.and").join((tr("setting.mask"), tr("setting.temperature")))
    assert sentence(one) == tr("compare.differ", names=names)
    one.slide("example-temperature", 1)
    one.choose("example-mask", "none")
    assert sentence(one) == tr("compare.same")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_other_shapes_have_no_difference_and_a_sentence_says_so(visit, language):
    one = visit(language=language)
    freeze(one)
    one.slide("example-length", 7)
    numbers = one.numbers()
    assert (len(numbers["a_scores"]), len(numbers["b_scores"])) == (5, 7)
    assert not any(name.startswith("delta_") for name in numbers)
    assert sentence(one).endswith(translator(language)("compare.shapes"))
    one.slide("example-length", 5)
    assert {f"delta_{name}" for name in COMPARED} <= one.numbers().keys()


@pytest.mark.parametrize("leave", ["reload", "language"])
def test_a_outlives_a_reload_and_a_change_of_language(visit, leave):
    one = visit("?p=cat_videos")
    freeze(one)
    one.slide("example-temperature", 2)
    one.choose("example-mask", "none")
    before = one.numbers()
    one.page.wait_for_url("**m=none**")
    if leave == "reload":
        one.page.reload()
    else:
        one.page.locator("a[data-language='zh']").click()
        one.page.wait_for_url("**lang=zh**")
    one.page.locator("#attention-view [data-figure='a_weights']").wait_for()
    one.rest()
    assert one.numbers() == before


def test_another_link_starts_without_a(visit):
    one = visit()
    freeze(one)
    one.page.goto(f"{one.url}/?n=4")
    one.page.wait_for_function("window.watched?.isExact")
    one.catch_up()
    assert not any(name.startswith("a_") for name in one.numbers())


def test_a_is_compared_head_by_head(visit):
    one = visit()
    freeze(one)
    one.choose("example-mask", "causal")
    one.pick("attention-head", 1)
    numbers = one.numbers()
    assert numbers["b_weights"] == numbers["weights_2"]
    assert numbers["a_weights"] == visit().numbers()["weights_2"]


def test_a_figure_of_each_matrix_stands_below_the_stages_at_their_size(visit):
    one = visit()
    one.rest()
    before = one.matrix("scores").bounding_box()
    freeze(one)
    one.rest()
    assert figures(one) == 4
    assert one.matrix("scores").bounding_box()["width"] == before["width"]
    assert one.matrix("a_scores").bounding_box()["width"] == before["width"]


@pytest.mark.parametrize("length", [4, 7])
def test_rows_of_a_and_b_stand_side_by_side_from_the_first(visit, length):
    one = visit(reduced_motion="reduce")
    freeze(one)
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


@pytest.mark.parametrize("size", [(1920, 1080), (1366, 768), (360, 740)])
def test_what_is_frozen_comes_into_sight(visit, size):
    one = visit(size=size, reduced_motion="reduce")
    freeze(one)
    inspector = one.page.locator("#attention-view .inspector").bounding_box()
    for part in ("h2", ".finding"):
        box = one.page.locator(f"#attention-view .compare {part}").bounding_box()
        assert box["y"] > 0
        assert box["y"] + box["height"] <= inspector["y"] + 1


def test_a_change_after_freezing_scrolls_nowhere(visit):
    one = visit(size=(1366, 768), reduced_motion="reduce")
    freeze(one)
    main = one.page.locator(".main")
    main.evaluate("main => main.scrollTo(0, 0)")
    one.slide("example-temperature", 2)
    one.rest()
    assert main.evaluate("main => main.scrollTop") == 0


def test_ending_the_comparison_leaves_nothing_of_it(visit):
    one = visit()
    before = one.numbers()
    freeze(one)
    one.press("attention-release")
    assert one.numbers() == before
    assert one.page.locator("#attention-view .compare").is_hidden()
    assert one.page.locator("#attention-freeze").is_visible()
    assert one.page.locator("#attention-release").is_hidden()

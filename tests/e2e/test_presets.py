"""The numbers of the chapter, read back from the screen."""

import pytest

ONE_THIRD = pytest.approx(1 / 3, abs=1e-7)


def rounded(matrix, decimals=4):
    """Round a matrix as the chapter prints it."""
    return [
        [None if cell is None else round(cell, decimals) for cell in row]
        for row in matrix
    ]


def start(visit, preset, page="attention"):
    """Choose a preset, and wait until the controls have followed."""
    one = visit(f"?page={page}")
    one.choose("example-preset", preset)
    one.page.wait_for_function("document.getElementById('example-seed').disabled")
    one.rest()
    one.catch_up()
    return one


def test_exercise_1_shows_the_numbers_of_the_chapter(visit):
    # Course chapter, exercise 1, then without scaling and with a mask for contrast.
    one = start(visit, "identity")
    numbers = one.numbers()
    assert rounded(numbers["scores"]) == [[0.7071, 0], [0, 0.7071]]
    assert rounded(numbers["weights"]) == [[0.6698, 0.3302], [0.3302, 0.6698]]
    assert rounded(numbers["context"]) == [[1.3395, 1.3210], [0.6605, 2.6790]]
    one.change("example-is_scaled", one.page.locator("#example-is_scaled").uncheck)
    numbers = one.numbers()
    assert rounded(numbers["weights"]) == [[0.7311, 0.2689], [0.2689, 0.7311]]
    assert rounded(numbers["context"]) == [[1.4621, 1.0758], [0.5379, 2.9242]]
    one.change("example-is_scaled", one.page.locator("#example-is_scaled").check)
    one.choose("example-mask", "causal")
    numbers = one.numbers()
    assert rounded(numbers["weights"]) == [[1, None], [0.3302, 0.6698]]
    assert rounded(numbers["context"]) == [[2, 0], [0.6605, 2.6790]]


def test_row_i_of_the_cat_videos_shares_its_weight_over_i_words(visit):
    # Course chapter, P4: 21 cells visible and 15 hidden.
    one = start(visit, "cat_videos")
    weights = one.numbers()["weights"]
    cells = [cell for row in weights for cell in row]
    assert (len(cells) - cells.count(None), cells.count(None)) == (21, 15)
    assert weights[0] == [1, None, None, None, None, None]
    assert weights[1] == [0.5, 0.5, None, None, None, None]
    assert weights[2] == [ONE_THIRD, ONE_THIRD, ONE_THIRD, None, None, None]
    assert weights[5] == [pytest.approx(1 / 6, abs=1e-7)] * 6


def test_constant_values_give_constant_outputs_under_any_mask(visit):
    # Course chapter, P3.
    one = visit("?p=constant_values&m=none")
    for mask in ("causal", "padding", "window", "none"):
        one.choose("example-mask", mask)
        constant = [pytest.approx([1.5, -2], abs=1e-6)] * 5
        assert one.numbers()["context"] == constant, mask


def test_the_rows_of_layer_norm_show_the_numbers_of_the_chapter(visit):
    # Course chapter, R97-R103 and P20.
    one = start(visit, "norm_rows", page="norms")
    numbers = one.numbers("norms")
    assert numbers["norm_input"] == [[1, 2, 3, 4], [2, 2, 2, 2], [-1, 0, 0, 5]]
    assert numbers["norm_mean"] == [[2.5], [2], [1]]
    assert numbers["norm_variance"] == [[1.25], [0], [5.5]]
    assert rounded(numbers["norm_normalized"]) == [
        [-1.3416, -0.4472, 0.4472, 1.3416],
        [0, 0, 0, 0],
        [-0.8528, -0.4264, -0.4264, 1.7056],
    ]
    assert rounded(numbers["norm_output"])[0] == [-1.3416, 0.7764, -0.1056, 1.8416]
    assert numbers["norm_output"][1] == [0, 1, -1, 0.5]
    assert rounded(numbers["output_mean"])[0] == [0.2927]
    assert rounded(numbers["output_variance"])[0] == [1.3657]


def test_a_link_to_the_rows_of_layer_norm_shows_them_too(visit):
    numbers = visit("?p=norm_rows&page=norms").numbers("norms")
    assert rounded(numbers["norm_output"])[0] == [-1.3416, 0.7764, -0.1056, 1.8416]


def test_a_chinese_sentence_is_cut_into_characters(visit):
    one = visit()
    # Course chapter, R13: five rows each, not one matrix of fifteen.
    numbers = one.numbers()
    assert [len(numbers[name]) for name in ("x", "q", "k", "v")] == [5, 5, 5, 5]
    one.choose("example-preset", "chinese")
    one.page.wait_for_function("document.getElementById('example-text').value")
    one.catch_up()
    assert len(one.numbers()["x"]) == len("小猫追着自己的影子跑")

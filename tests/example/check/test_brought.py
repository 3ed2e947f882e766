"""What is brought to be checked is a result, an input, or named as left out."""

import numpy as np
import pytest

from attnviz.core.errors import SettingError
from attnviz.example.check.brought import read_brought

SQUARE = "0.5 0.25\n0.125 1"
SET = "Q\n1 0\n0 1\nK\n1 2\n3 4\nV\n5 6\n7 8\n"


def read(text, **options):
    return read_brought([(text, "")], **options)


@pytest.mark.parametrize(
    ("title", "kind"),
    [
        ("A =", "weights"),
        ("attn_weights:", "weights"),
        ("C =", "context"),
        ("context", "context"),
        ("y =", "norm_output"),
        ("LayerNorm:", "norm_output"),
    ],
)
def test_a_name_says_which_result_it_is(title, kind):
    found = read(f"{title}\n{SQUARE}")
    assert list(found.results) == [kind]
    np.testing.assert_array_equal(found.results[kind], [[0.5, 0.25], [0.125, 1]])


def test_a_single_row_keeps_its_name():
    found = read("y = 1 2 3 5")
    np.testing.assert_array_equal(found.results["norm_output"], [[1, 2, 3, 5]])


def test_numbers_without_a_name_wait_for_one():
    found = read(SQUARE)
    assert found.results == {}
    assert [each.shape for each in found.unnamed] == [(2, 2)]


def test_the_name_of_a_file_counts():
    found = read_brought([(SQUARE, "context")])
    assert list(found.results) == ["context"]


def test_nan_is_a_number_of_a_result():
    assert np.isnan(read("A\nnan 1\n1 0").results["weights"][0, 0])


def test_a_complete_set_of_inputs_comes_along():
    found = read(f"{SET}A\n{SQUARE}")
    assert [each.name for each in found.own.matrices] == ["q", "k", "v"]
    assert list(found.results) == ["weights"]


def test_inputs_that_are_not_complete_are_named():
    found = read(f"Q\n1 0\n0 1\nA\n{SQUARE}")
    assert found.own is None
    assert [(note.reason, note.values["names"]) for note in found.notes] == [
        ("incomplete", "Q")
    ]


def test_rows_alone_are_what_is_normalized():
    found = read("x = 1 2 3 6\n\ny = -1 0 1 2")
    np.testing.assert_array_equal(found.rows, [[1, 2, 3, 6]])


def test_what_is_no_result_and_no_input_is_named():
    found = read(f"scores\n1 2\n3 4\nA\n{SQUARE}")
    assert found.left_out == ("scores",)
    again = read_brought([(f"A\n{SQUARE}", "first"), (f"A\n{SQUARE}", "second")])
    assert again.left_out == ("A",)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "check_nothing"),
        ("hello", "check_nothing"),
        ("this is 3 and no matrix", "check_no_result"),
        (SET, "check_inputs_alone"),
    ],
)
def test_without_a_result_there_is_a_sentence(text, reason):
    with pytest.raises(SettingError) as found:
        read(text)
    assert found.value.reason == reason


def test_commas_are_read_as_they_are_meant():
    text = "1,5\n2,5"
    shapes = [read(text, comma=one).unnamed[0].shape for one in ("between", "decimal")]
    assert shapes == [(2, 2), (2, 1)]


def test_a_single_number_called_d_k_is_a_size_and_no_gradient():
    found = read(f"d_k = 3\nA =\n{SQUARE}")
    assert list(found.results) == ["weights"]
    assert found.left_out == ("d_k",)


def test_what_gradients_start_from_is_no_result():
    with pytest.raises(SettingError) as found:
        read(f"dC =\n{SQUARE}")
    assert (found.value.reason, found.value.values) == (
        "check_no_result",
        {"names": "dC"},
    )

"""Numbers that a person typed."""

import pytest

from attnviz.core.errors import SettingError
from attnviz.example.reading.typed_numbers import (
    ROWS,
    numbers_form,
    read_numbers,
    read_rows,
)


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("1", (1.0,)),
        ("1 2 3", (1.0, 2.0, 3.0)),
        ("1,2, 3 ,4", (1.0, 2.0, 3.0, 4.0)),
        ("1；2，3、4;5", (1.0, 2.0, 3.0, 4.0, 5.0)),
        ("−0.5 +2e-3 .25 1.", (-0.5, 0.002, 0.25, 1.0)),
        ("  1\t2  ", (1.0, 2.0)),
        ("1,,2,", (1.0, 2.0)),
        ("1000000 -1e6", (1e6, -1e6)),
    ],
)
def test_numbers_are_read_however_they_are_parted(text, numbers):
    assert read_numbers(text, name="gamma") == numbers


def test_rows_are_lines_and_empty_lines_are_skipped():
    assert read_rows("\n1 2\n\n 3, 4 \r\n", name="rows") == ((1.0, 2.0), (3.0, 4.0))


@pytest.mark.parametrize(
    ("text", "reason", "values"),
    [
        ("", "no_numbers", {}),
        (" ,; ", "no_numbers", {}),
        ("one", "not_numbers", {"got": "one", "row": 1, "column": 1}),
        ("1 2a", "not_numbers", {"got": "2a", "row": 1, "column": 2}),
        ("1 <b>", "not_numbers", {"got": "<b>", "row": 1, "column": 2}),
        ("x" * 99, "not_numbers", {"got": "x" * 20 + "…", "row": 1, "column": 1}),
        ("1 nan", "large_number", {"got": "nan", "row": 1, "column": 2}),
        ("-inf", "large_number", {"got": "-inf", "row": 1, "column": 1}),
        ("1000001", "large_number", {"got": "1000001", "row": 1, "column": 1}),
        ("1 " * 65, "many_columns", {"got": 65, "most": 64}),
    ],
)
def test_a_line_that_cannot_be_read_says_what_and_where(text, reason, values):
    with pytest.raises(SettingError) as caught:
        read_numbers(text, name="gamma")
    assert caught.value.reason == reason
    assert caught.value.values["name"] == "gamma"
    assert values.items() <= caught.value.values.items()


@pytest.mark.parametrize(
    ("text", "reason", "values"),
    [
        ("\n \n", "no_numbers", {}),
        ("1 2\n3", "ragged_rows", {"row": 2, "got": 1, "wanted": 2}),
        ("1\n2\n3 4", "ragged_rows", {"row": 3, "got": 2, "wanted": 1}),
        ("1 2\n3 y", "not_numbers", {"got": "y", "row": 2, "column": 2}),
        ("1\n" * 33, "many_rows", {"got": 33, "most": 32}),
        ("1\n,", "no_numbers", {}),
    ],
)
def test_rows_that_cannot_be_read_say_what_and_where(text, reason, values):
    with pytest.raises(SettingError) as caught:
        read_rows(text, name="rows")
    assert caught.value.reason == reason
    assert {"name": "rows", **values}.items() <= caught.value.values.items()


def test_as_many_rows_and_numbers_as_can_be_shown_are_read():
    rows = read_rows(("1 " * 64 + "\n") * 32, name="rows")
    assert (len(rows), len(rows[0])) == (32, 64)


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("0,5\t1,5\n2,5\t3,5", ((0.5, 1.5), (2.5, 3.5))),
        ("0,5 1,5\n2,5 3,5", ((0.5, 1.5), (2.5, 3.5))),
        ("0,5;1,5\n2,5;3,5", ((0.5, 1.5), (2.5, 3.5))),
        ("0,5；1,5\n2；3,5", ((0.5, 1.5), (2, 3.5))),
        ("\ufeff0.5\u00a01.5\n2.5\u200b\u20093.5", ((0.5, 1.5), (2.5, 3.5))),
        ("tensor([[0.5, 1.5],\n        [2.5, 3.5]])", ((0.5, 1.5), (2.5, 3.5))),
        ("[[0.5 1.5]\n [2.5 3.5]]", ((0.5, 1.5), (2.5, 3.5))),
        ("     [,1] [,2]\n[1,]  0.5  1.5\n[2,]  2.5  3.5", ((0.5, 1.5), (2.5, 3.5))),
        ("[0.5; 1.5]", ((0.5,), (1.5,))),
        ("1 2 3\n0.5 1 2", ((1, 2, 3), (0.5, 1, 2))),
    ],
)
def test_rows_are_read_as_own_data_are(text, rows):
    assert read_rows(text, name="rows") == rows


@pytest.mark.parametrize("text", ["0,7, 0,3\n0,1, 0,9", "0,333\n0,667"])
def test_commas_of_two_readings_are_asked_about(text):
    with pytest.raises(SettingError, match="two_readings") as caught:
        read_rows(text, name="rows")
    assert caught.value.values["one"].startswith("0.")


@pytest.mark.parametrize(
    "text", ["the 0.5 1.5\ncat 2.5 3.5", "Epoch 7 of 9\n\n[[0.5 1.5]]", "[[0.5 x]]"]
)
def test_words_among_typed_numbers_are_refused(text):
    with pytest.raises(SettingError, match="not_numbers"):
        read_rows(text, name="rows")


def test_an_address_reads_its_commas_as_it_writes_them():
    form = numbers_form("gamma")
    assert form.read(form.write((0.0, 333.0))) == (0, 333)
    assert ROWS.read(ROWS.write(((0.0, 5.0), (1.0, 25.0)))) == ((0, 5), (1, 25))
